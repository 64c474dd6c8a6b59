//! The Homebrew formula: which archive a system gets, by its checksum.

use super::Release;

/// Returns the formula. Systems whose archive is missing are missing in it, too.
pub(super) fn text(release: &Release, sums: &str) -> String {
    let source = |triple: &str| {
        let archive = format!("backstory-{triple}.tar.gz");
        let digest = sums.lines().find_map(|line| line.strip_suffix(&format!("  {archive}")))?;
        Some(format!("      url \"{}/{archive}\"\n      sha256 \"{digest}\"\n", release.releases))
    };
    let system = |name: &str, arm: &str, intel: &str| {
        let part = |processor: &str, triple: &str| {
            let source = source(triple)?;
            Some(format!("    on_{processor} do\n{source}    end\n"))
        };
        let parts: String = [part("arm", arm), part("intel", intel)].into_iter().flatten().collect();
        if parts.is_empty() { parts } else { format!("  on_{name} do\n{parts}  end\n\n") }
    };
    let systems = [
        system("macos", "aarch64-apple-darwin", "x86_64-apple-darwin"),
        system("linux", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"),
    ]
    .concat();
    format!(
        r##"# Written by `cargo xtask dist`.
class Backstory < Formula
  desc "Gives coding agents the story so far"
  homepage "{releases}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{systems}  def install
    bin.install "backstory"
    man1.install "man/backstory.1"
    bash_completion.install "completions/backstory.bash" => "backstory"
    zsh_completion.install "completions/_backstory"
    fish_completion.install "completions/backstory.fish"
  end

  def caveats
    "Run `backstory setup` to connect the agents on this machine."
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/backstory -V")
  end
end
"##,
        releases = release.releases,
        version = release.version,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_gets_its_archive_and_no_other() {
        let release = Release {
            out: "out".into(),
            version: "1.2.3".to_owned(),
            releases: "https://example.org/releases".to_owned(),
            npm_name: "backstory".to_owned(),
        };
        let sums =
            "aa  backstory-aarch64-apple-darwin.tar.gz\nbb  backstory-x86_64-unknown-linux-gnu.tar.gz\n";
        let text = text(&release, sums);
        assert!(text.contains("    on_arm do\n      url \"https://example.org/releases/backstory-aarch64-apple-darwin.tar.gz\"\n      sha256 \"aa\"\n"), "{text}");
        assert_eq!(text.matches("sha256").count(), 2, "{text}");
        assert!(text.contains("version \"1.2.3\"") && text.contains("#{bin}/backstory"), "{text}");
    }
}
