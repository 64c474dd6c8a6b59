//! Cuts text to size, never inside a character.

use crate::TITLE_CHARS;

/// A text cut to a size, and whether anything was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CappedText {
    /// The text, at most as long as the limit.
    pub text: String,
    /// Whether something was cut from its middle.
    pub truncated: bool,
}

/// Cuts the middle out of a text that is longer than `max_bytes`: its beginning says what it is, its end how it went.
#[must_use]
pub fn cap(text: &str, max_bytes: usize) -> CappedText {
    if text.len() <= max_bytes {
        return CappedText { text: text.to_owned(), truncated: false };
    }
    let marker = format!("{CUT}{} bytes cut …]\n", text.len() - max_bytes);
    let room = max_bytes.saturating_sub(marker.len());
    let head = text.get(..text.floor_char_boundary(room * 2 / 3)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - (room - head.len()))..).unwrap_or_default();
    let text = if room == 0 { String::new() } else { format!("{head}{marker}{tail}") };
    CappedText { text, truncated: true }
}

/// The beginning of the mark that replaces a cut.
const CUT: &str = "\n[… ";

/// Whether a text looks as if its middle had been cut: it must not be taken for the whole.
#[must_use]
pub fn is_cut(text: &str) -> bool {
    text.contains(CUT)
}

/// Returns the first `count` characters of a text.
#[must_use]
pub fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Makes a title: the first line that says something, without markup, in at most [`TITLE_CHARS`] characters.
#[must_use]
pub fn title_from(text: &str) -> String {
    let line = text.lines().map(without_markup).find(|line| !line.is_empty()).unwrap_or_default();
    if line.chars().count() <= TITLE_CHARS {
        return line;
    }
    let head = first_chars(&line, TITLE_CHARS - 1);
    // A cut inside a word reads badly; a cut that loses half the title reads worse.
    let end = head.rfind(' ').filter(|end| *end > head.len() / 2).unwrap_or(head.len());
    let kept = head.get(..end).unwrap_or(head).trim_end_matches([' ', ',', ';', ':', '-', '–']);
    format!("{kept}…")
}

/// Drops the Markdown at the beginning of a line, and folds white space.
fn without_markup(line: &str) -> String {
    // Underscores inside of a name, as in `__main__.py`, are part of it.
    let bare = |word: &'_ str| -> String {
        let inner = word.strip_prefix("__").and_then(|word| word.strip_suffix("__"));
        inner.unwrap_or(word).to_owned()
    };
    let line = bare(line.trim()).replace("**", "");
    let line = line.split_whitespace().map(bare).collect::<Vec<_>>().join(" ");
    let line =
        line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '>' | '*' | '-' | '+'));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_title_is_one_plain_line() {
        let check = |text, title: &str| assert_eq!(title_from(text), title);
        check("## Use **WAL** mode\n\nIt is faster", "Use WAL mode");
        check("\n\n  - first   item\n- second", "first item");
        check("\u{a0}* item", "item");
        check("__# item__", "item");
        check("agents/__main__.py, __main__.py", "agents/__main__.py, __main__.py");
        check("", "");
        check(&"word ".repeat(40), &format!("{}…", "word ".repeat(19).trim_end()));
    }

    #[test]
    fn the_middle_is_cut_and_both_ends_stay() {
        let capped = cap(&format!("head{}tail", "x".repeat(500)), 100);
        assert!(capped.truncated && capped.text.starts_with("head") && capped.text.ends_with("tail"));
        assert!(capped.text.contains("408 bytes cut"));
        assert_eq!(cap("short", 100), CappedText { text: "short".into(), truncated: false });
    }

    proptest! {
        #[test]
        fn nothing_is_ever_longer_than_its_limit(text: String, max in 0usize..200) {
            prop_assert!(cap(&text, max).text.len() <= max);
            prop_assert!(first_chars(&text, max).chars().count() <= max);
            prop_assert!(title_from(&text).chars().count() <= TITLE_CHARS);
        }

        #[test]
        fn a_title_made_from_a_title_is_the_same(text: String) {
            let title = title_from(&text);
            prop_assert_eq!(title_from(&title), title);
        }
    }
}
