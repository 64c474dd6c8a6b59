//! Words without the marks Markdown puts on them.
//!
//! Not here: headings, bullets and fences; those shape passages (`passages`).

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
    words.join(" ").replace(['`', '*'], "")
}

/// Begins with a capital, unless its first word is a name such as `runMigration` or `user_id`.
pub(crate) fn capitalised(title: &str) -> String {
    let mut chars = title.chars();
    match chars.next() {
        Some(first)
            if title
                .split(' ')
                .next()
                .is_some_and(|word| word.chars().all(|c| c.is_lowercase() || c == '\'')) =>
        {
            first.to_uppercase().chain(chars).collect()
        }
        _ => title.to_owned(),
    }
}
