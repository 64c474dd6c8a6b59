//! The command line of a hook, in the shell that hosts of this system run it with.
//!
//! On Windows that is Git Bash, `cmd` or either PowerShell, by host, and they share no quotes and no `||`: a line of plain words is the same
//! in all of them, so our program has to lie where no space is needed.

/// Ends a line that must not fail, for hosts that stop at a failing hook.
#[cfg(unix)]
pub const NEVER_FAILS: &str = " || true";
/// Nothing: no word for it is the same in every shell.
#[cfg(windows)]
pub const NEVER_FAILS: &str = "";

/// What a host that names the shell calls the one of this system.
#[cfg(unix)]
pub const SHELL_KEY: &str = "bash";
/// What a host that names the shell calls the one of this system.
#[cfg(windows)]
pub const SHELL_KEY: &str = "powershell";

/// Writes the path of a program as a word of a line: nothing in it means anything to the shell.
#[cfg(unix)]
#[must_use]
pub fn program_word(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Writes the path of a program as a word of a line. [`refusal_of_program`] says which cannot be.
#[cfg(windows)]
#[must_use]
pub fn program_word(path: &str) -> String {
    windows_word(path)
}

/// Says why no shell would run a program by this path, if so.
#[cfg(unix)]
#[must_use]
pub fn refusal_of_program(_path: &str) -> Option<&'static str> {
    None
}

/// Says why no shell would run a program by this path, if so.
#[cfg(windows)]
#[must_use]
pub fn refusal_of_program(path: &str) -> Option<&'static str> {
    windows_refusal(path)
}

/// Returns the shell that runs a line, and its arguments.
#[cfg(unix)]
#[must_use]
pub fn shell_of(line: &str) -> (&'static str, Vec<String>) {
    ("/bin/sh", vec!["-c".to_owned(), line.to_owned()])
}

/// Returns the shell that runs a line, and its arguments: the words of ours are plain.
#[cfg(windows)]
#[must_use]
pub fn shell_of(line: &str) -> (&'static str, Vec<String>) {
    let words = line.split_whitespace().map(str::to_owned);
    ("cmd.exe", ["/D".to_owned(), "/C".to_owned()].into_iter().chain(words).collect())
}

/// Returns the file names by which a program may lie in a folder of the search path.
#[cfg(unix)]
#[must_use]
pub fn program_files(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// Returns the file names by which a program may lie in a folder of the search path.
#[cfg(windows)]
#[must_use]
pub fn program_files(name: &str) -> Vec<String> {
    ["exe", "cmd", "bat", "com"].map(|extension| format!("{name}.{extension}")).into()
}

#[cfg(any(windows, test))]
fn windows_word(path: &str) -> String {
    path.strip_prefix(r"\\?\").unwrap_or(path).replace('\\', "/")
}

#[cfg(any(windows, test))]
fn windows_refusal(path: &str) -> Option<&'static str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || r":/\._-~+".contains(letter);
    let plain = path.strip_prefix(r"\\?\").unwrap_or(path);
    (!plain.chars().all(is_plain)).then_some(
        "the shells of Windows agree on no quotes: it must lie in a folder without spaces and signs",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_windows_is_of_plain_words() {
        assert_eq!(
            windows_word(r"\\?\C:\Users\ada\.local\bin\backstory.exe"),
            "C:/Users/ada/.local/bin/backstory.exe"
        );
        assert_eq!(windows_refusal(r"C:\Users\ada\.local\bin\backstory.exe"), None);
        assert_eq!(windows_refusal(r"\\?\C:\Users\Jürgen\backstory.exe"), None);
        for path in [
            r"C:\Program Files\backstory.exe",
            r"C:\a&b\backstory.exe",
            r"C:\a'b\x.exe",
            r"C:\%a%\x.exe",
            r"C:\(x)\x.exe",
        ] {
            assert!(windows_refusal(path).is_some(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_word_for_a_shell_means_nothing_but_itself() {
        let (shell, arguments) = shell_of(&format!("printf %s {}", program_word("/a b/$x'y")));
        let output = std::process::Command::new(shell).args(arguments).output().unwrap();
        assert_eq!(output.stdout, b"/a b/$x'y");
    }
}
