//! The second stage: a passage as its sentences.
//!
//! A full stop ends a sentence only before white space, which keeps `v1.2`, `main.rs` and addresses whole, and never
//! after an abbreviation or inside inline code. Not here: whether a sentence says anything.

/// What ends with a full stop without ending a sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "no", "fig", "dr", "mr", "mrs", "ms", "st", "resp", "incl",
    "esp", "ca", "max", "min", "sec", "dept", "inc", "ltd", "al",
];

/// Returns the sentences of a passage, each a slice of it, in order.
#[must_use]
pub fn sentences(passage: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    // A backtick without a partner would hide the rest of the passage.
    let mut ticks_left = passage.matches('`').count();
    for (at, c) in passage.char_indices() {
        match c {
            '`' => {
                ticks_left -= 1;
                in_code = !in_code && ticks_left > 0;
            }
            '.' | '!' | '?' if !in_code && ends_here(passage, start, at) => {
                let end = at + c.len_utf8();
                let closing = passage.get(end..).map_or(0, closing_marks);
                found.extend(passage.get(start..end + closing));
                start = end + closing;
            }
            _ => {}
        }
    }
    found.extend(passage.get(start..));
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

/// How many bytes of closing quotes, brackets and emphasis belong to the sentence that just ended.
fn closing_marks(rest: &str) -> usize {
    rest.len() - rest.trim_start_matches(['"', '\'', ')', ']', '*', '_', '”', '’']).len()
}

fn ends_here(passage: &str, start: usize, at: usize) -> bool {
    let rest = passage.get(at + 1..).unwrap_or_default();
    let after = rest.get(closing_marks(rest)..).unwrap_or_default();
    if !(after.is_empty() || after.starts_with(char::is_whitespace)) {
        return false;
    }
    let before = passage.get(start..at).unwrap_or_default();
    let word =
        before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    let next = after.trim_start().chars().next();
    let is_abbreviation = ABBREVIATIONS.contains(&word.as_str());
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    // "no." closes a short answer more often than it counts something.
    let counts = word == "no" && !next.is_some_and(|c| c.is_ascii_digit());
    let goes_on =
        next.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit() || c == '`') || word.contains('.');
    counts || !((is_abbreviation && goes_on) || (is_initial && passage.get(at..=at) == Some(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_stop_inside_a_name_ends_nothing() {
        let check = |passage, expected: &[&str]| assert_eq!(sentences(passage), expected);
        check("Use v1.2 of main.rs. It costs 3.5 ms.", &["Use v1.2 of main.rs.", "It costs 3.5 ms."]);
        check("Use a cache, e.g. redis. Done!", &["Use a cache, e.g. redis.", "Done!"]);
        check("See https://a.example/x.html?q=1. ok", &["See https://a.example/x.html?q=1.", "ok"]);
        check("no. we use pnpm. never npm", &["no.", "we use pnpm.", "never npm"]);
        check("Call `a. b` first. Then go", &["Call `a. b` first.", "Then go"]);
        check("a lone ` tick. stays harmless", &["a lone ` tick.", "stays harmless"]);
        check("(It was slow.) Really?", &["(It was slow.)", "Really?"]);
        check("", &[]);
    }
}
