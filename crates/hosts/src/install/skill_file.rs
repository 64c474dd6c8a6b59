//! A skill of ours in a host's folder of skills: a whole file that is ours only as long as it is as we wrote it (law 10).
//!
//! Its last line holds the digest of the rest, so that a file of another version is known as ours, and one that its owner has changed, or
//! wrote, as theirs: that one is neither replaced nor removed.

use backstory_memory::digest;

const MARK: &str = "<!-- written by `backstory install`; change it and it is yours: ";
const END: &str = " -->\n";

/// What the file says. The plugin brings the same.
const SKILL: &str = include_str!("../../../../plugins/claude-code/skills/backstory/SKILL.md");

/// Returns the file as it is written today.
pub(super) fn whole() -> String {
    marked(SKILL)
}

/// Whether a text is a skill of ours, of whatever version, that nobody has changed.
pub(super) fn is_ours(text: &str) -> bool {
    text.rfind(MARK).is_some_and(|at| text.get(..at).is_some_and(|said| marked(said) == text))
}

fn marked(said: &str) -> String {
    format!("{said}{MARK}{}{END}", digest([said.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_ours_until_somebody_changes_it() {
        assert!(whole().starts_with("---\nname: backstory\n"), "the front matter stands first");
        assert!(is_ours(&whole()) && is_ours(&marked("of another version\n")));
        assert!(!is_ours("") && !is_ours(SKILL));
        assert!(
            !is_ours(&whole().replace("Recalling", "Remembering")) && !is_ours(&format!("{}more\n", whole()))
        );
    }
}
