//! Words without the marks Markdown puts on them: of one line, and of a whole text.
//!
//! Not here: headings, bullets and fences; those shape passages (`passages`).

use super::passages::{is_foreign, passages};
use backstory_memory::cap;

/// As long as a memory should be.
const MOST_BYTES: usize = 1_200;

/// What somebody says in a text in their own words: no code, tables or quotations, up to where somebody else's text begins.
pub(crate) fn own_words(text: &str) -> String {
    let passages = passages(text);
    let own = passages.iter().take_while(|passage| !is_foreign(passage.text));
    let lines: Vec<String> = own.map(|passage| plain(passage.text)).collect();
    cap(&lines.join("\n"), MOST_BYTES).text
}

/// One line without what Markdown marks words with; the text of a link stays, its address goes.
pub(crate) fn plain(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some((before, after)) = rest.split_once("](") {
        let address_end = after.find(')').map_or(after.len(), |end| end + 1);
        let text_start = before.rfind('[').unwrap_or(0);
        out.push_str(before.get(..text_start).unwrap_or_default());
        out.push_str(before.get(text_start..).unwrap_or_default().trim_start_matches('['));
        rest = after.get(address_end..).unwrap_or_default();
    }
    out.push_str(rest);
    let words: Vec<&str> = out.split_whitespace().collect();
    without_emphasis(&words.join(" "))
}

/// Makes a title of what was said, plain by now, begin with a capital; unless its first word stood in backticks.
pub(crate) fn titled(said: &str, plain: &str) -> String {
    let opening = said.find(char::is_alphanumeric).and_then(|first| said.split_at_checked(first));
    let is_name = opening.is_some_and(|(before, rest)| before.ends_with('`') && rest.contains('`'));
    if is_name { plain.to_owned() } else { capitalised(plain) }
}

/// Begins with a capital, unless its first word is a name such as `runMigration` or `user_id`.
fn capitalised(title: &str) -> String {
    let word = title.split(' ').next().unwrap_or_default().trim_end_matches([',', '.']);
    let is_plain = word.chars().all(|c| c.is_lowercase() || c == '\'');
    let mut chars = title.chars();
    match chars.next() {
        Some(first) if is_plain => first.to_uppercase().chain(chars).collect(),
        _ => title.to_owned(),
    }
}

/// Drops backticks, and stars outside of them: `*.rs` keeps its star.
fn without_emphasis(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts.map(|(place, part)| if place % 2 == 0 { part.replace('*', "") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_words_are_neither_code_nor_tables_nor_what_others_wrote() {
        let text = "**Done.** It sleeps now.\n```rust\nlet a = 1;\n```\n| a | b |\n|---|---|\n> quoted\n- uses [the clock](clock.md)\n\nYou are a reviewer.\nBe strict.";
        assert_eq!(own_words(text), "Done. It sleeps now.\nuses the clock");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert!(own_words(&"It is long. ".repeat(500)).len() <= MOST_BYTES);
    }
}
