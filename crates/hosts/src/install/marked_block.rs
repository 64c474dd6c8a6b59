//! A marked block of ours in a text that people write: everything outside the marks is theirs.

use super::install_error::EditRefusal;

const BEGIN: &str = "<!-- backstory:begin -->";
const END: &str = "<!-- backstory:end -->";

/// Puts the block at the end of a text, or makes the one that is there what it should be.
pub(super) fn put(text: &str, words: &str) -> Result<String, EditRefusal> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let words = words.trim_end().replace('\n', newline);
    let block = format!("{BEGIN}{newline}{words}{newline}{END}");
    if let Some((before, _, after)) = split(text)? {
        return Ok(format!("{before}{block}{after}"));
    }
    let end_of_line = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    let blank = if text.trim().is_empty() { "" } else { newline };
    Ok(format!("{text}{end_of_line}{blank}{block}{newline}"))
}

/// Takes the block out, with the blank line that set it apart.
pub(super) fn take(text: &str) -> Result<String, EditRefusal> {
    let Some((before, _, after)) = split(text)? else { return Ok(text.to_owned()) };
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    let blank = ["\r\n", "\n"].iter().find(|newline| before.ends_with(&format!("\n{newline}")));
    let before = blank.and_then(|newline| before.strip_suffix(*newline)).unwrap_or(before);
    Ok(format!("{before}{after}"))
}

/// Returns the words of the block.
pub(super) fn found(text: &str) -> Result<Option<String>, EditRefusal> {
    Ok(split(text)?.map(|(_, words, _)| words.trim().to_owned()))
}

fn split(text: &str) -> Result<Option<(&str, &str, &str)>, EditRefusal> {
    let Some((before, rest)) = text.split_once(BEGIN) else { return Ok(None) };
    let closed = rest.split_once(END).map(|(words, after)| (before, words, after));
    closed.map(Some).ok_or_else(|| EditRefusal::shape(&format!("the block after `{BEGIN}`"), "closed"))
}
