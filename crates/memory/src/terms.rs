//! Splits text into words, for the index and for queries: both must split alike, or nothing is found.
//!
//! Not here: synonyms (`recall`), FTS syntax (`store`).

use std::collections::HashSet;

/// Returns the words of a text: runs of letters and digits, in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns the words that say what a text is about, each once; all its words if it has only stop words.
#[must_use]
pub fn keywords(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let said: Vec<String> = words(text).filter(|word| seen.insert(word.clone())).collect();
    let meaningful: Vec<String> = said.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    if meaningful.is_empty() { said } else { meaningful }
}

/// Whether a word says nothing about the subject.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    SMALL_WORDS.contains(&word)
}

#[rustfmt::skip]
const SMALL_WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "me", "my", "no", "not", "of", "on", "or", "our", "please", "she", "should", "so", "some", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up", "us", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Returns the compounds of a text, each once: versions, paths, addresses, error codes with a dash.
///
/// As a compound, `src/db/open.rs` does not match every memory that mentions `src`, `db` and `open`. A version is returned with and
/// without its `v`, because people write both.
#[must_use]
pub fn compounds(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut compounds = Vec::new();
    for written in text.split_whitespace() {
        let whole = written.trim_matches(|c: char| !c.is_alphanumeric());
        if whole.len() > LONGEST_COMPOUND || words(whole).nth(1).is_none() {
            continue;
        }
        let whole = whole.to_lowercase();
        let other = other_version(&whole);
        compounds.extend([Some(whole), other].into_iter().flatten().filter(|form| seen.insert(form.clone())));
    }
    compounds
}

/// Longer runs without a space are data, not names.
const LONGEST_COMPOUND: usize = 160;

/// Returns a version without its `v`, or with one if it has none.
fn other_version(written: &str) -> Option<String> {
    let number = written.strip_prefix('v').unwrap_or(written);
    let is_version =
        number.contains('.') && words(number).all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    is_version.then(|| if number == written { format!("v{written}") } else { number.to_owned() })
}

/// Returns the terms that an index of whole words misses in a text: the parts of identifiers, identifiers joined to one word, and pairs of neighbouring
/// characters in scripts without spaces.
///
/// With these, `runMigration`, `run_migration` and "run migration" match each other, and a Chinese word matches the sentence it is
/// part of. Words without inner structure are left out: the index has them already.
#[must_use]
pub fn identifier_terms(text: &str) -> String {
    inner_terms(text, Whole::Together)
}

/// Returns the parts of the identifiers in a query, and the character pairs of its unspaced scripts.
///
/// Joined identifiers are left out: a query for `run-migration` would look for it three times.
#[must_use]
pub fn inner_parts(text: &str) -> String {
    inner_terms(text, Whole::LeftOut)
}

/// Whether an identifier is also added joined to one word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Together,
    LeftOut,
}

fn inner_terms(text: &str, whole: Whole) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')) {
        if is_plain(word) {
            continue;
        }
        let runs = script_runs(word);
        for run in &runs {
            match run.chars().next() {
                Some(first) if is_unspaced(first) => push_pairs(run, &mut out),
                // `東京Tower` is one word of the index, so its plain part is added by itself.
                _ if runs.len() > 1 => push_parts(run, 1, whole, &mut out),
                _ => push_parts(run, 2, whole, &mut out),
            }
        }
    }
    out
}

/// Whether a word plainly has no inner structure. Most have none, and this test is quick.
fn is_plain(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_none_or(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_lowercase())
}

/// Adds the parts of an identifier that has at least `fewest`, and the joined identifier if wanted.
fn push_parts(identifier: &str, fewest: usize, whole: Whole, out: &mut String) {
    let parts: Vec<&str> =
        identifier.split(['_', '-']).flat_map(humps).filter(|part| !part.is_empty()).collect();
    if parts.len() < fewest {
        return;
    }
    for part in &parts {
        push_term(part, out);
    }
    if parts.len() > 1 && whole == Whole::Together {
        push_term(&parts.concat(), out);
    }
}

fn push_pairs(run: &str, out: &mut String) {
    let characters: Vec<char> = run.chars().collect();
    if let [single] = characters.as_slice() {
        push_term(&single.to_string(), out);
    }
    for pair in characters.windows(2) {
        push_term(&pair.iter().collect::<String>(), out);
    }
}

fn push_term(term: &str, out: &mut String) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(&term.to_lowercase());
}

/// Cuts `HTTPServer2` into `HTTP`, `Server`, `2`.
fn humps(word: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for window in characters.windows(2) {
        let [(at, left), (next, right)] = *window else { continue };
        let after = word.get(next..).and_then(|rest| rest.chars().nth(1));
        let ends_acronym =
            left.is_uppercase() && right.is_uppercase() && after.is_some_and(char::is_lowercase);
        let begins_hump = !left.is_uppercase() && right.is_uppercase();
        let changes_to_digit = left.is_numeric() != right.is_numeric();
        if (begins_hump || ends_acronym || changes_to_digit) && at >= start {
            parts.extend(word.get(start..next));
            start = next;
        }
    }
    parts.extend(word.get(start..));
    parts
}

/// Cuts a word where it changes between spaced and unspaced scripts.
fn script_runs(word: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut unspaced = None;
    for (at, character) in word.char_indices() {
        let here = is_unspaced(character);
        if unspaced.is_some_and(|before| before != here) {
            runs.extend(word.get(start..at));
            start = at;
        }
        unspaced = Some(here);
    }
    runs.extend(word.get(start..));
    runs
}

/// Whether a script writes words without spaces between them (Han, kana, Hangul, Thai, Lao, Khmer).
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_meet_however_they_are_written() {
        let check = |text, expected| assert_eq!(identifier_terms(text), expected, "{text}");
        check("runMigration", "run migration runmigration");
        check("run_migration", "run migration runmigration");
        check("run-migration", "run migration runmigration");
        check("HTTPServer2", "http server 2 httpserver2");
        check("XMLHttpRequest", "xml http request xmlhttprequest");
        check("src/db/openStore.rs", "open store openstore");
        check("__init__", "");
        check("plain words, no identifiers", "");
        assert_eq!(inner_parts("run-migration of runMigration"), "run migration run migration");
    }

    #[test]
    fn small_words_go_unless_there_is_nothing_else() {
        assert_eq!(keywords("How do we run the migration, and run it?"), ["run", "migration"]);
        assert_eq!(keywords("what is it"), ["what", "is", "it"]);
    }

    #[test]
    fn terms_written_together_are_searched_together() {
        let check = |text, expected: &[&str]| assert_eq!(compounds(text), expected, "{text}");
        check("needs `v3.51.3`, says E0308", &["v3.51.3", "3.51.3"]);
        check("is 3.51.3 enough?", &["3.51.3", "v3.51.3"]);
        check("see (src/db/Open.rs:12) and src/db/Open.rs:12.", &["src/db/open.rs:12"]);
        check("http://localhost:8080/ in run_migration", &["http://localhost:8080", "run_migration"]);
        check("plain words, :8080 #4711 … —", &[]);
    }

    #[test]
    fn unspaced_scripts_become_pairs() {
        assert_eq!(identifier_terms("数据库迁移"), "数据 据库 库迁 迁移");
        assert_eq!(identifier_terms("用rust写库"), "用 rust 写库");
        assert_eq!(identifier_terms("データベース"), "デー ータ タベ ベー ース");
    }

    proptest! {
        #[test]
        fn what_is_plain_has_no_parts(word in "[a-cA-C_0é-]{0,6}") {
            prop_assert!(!is_plain(&word) || (script_runs(&word).len() < 2 && humps(&word) == [word.as_str()]));
        }

        #[test]
        fn any_text_is_cut_without_harm(text: String) {
            prop_assert!(identifier_terms(&text).split(' ').all(|term| !term.contains(['_', '-'])));
            prop_assert!(words(&text).all(|word| !word.is_empty()));
            prop_assert!(compounds(&text).iter().all(|whole| !whole.contains(char::is_whitespace)));
        }
    }
}
