//! Plain words out of Markdown: one line, or the lines of a whole message.

use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::sentences::sentences;
use crate::titles::{weight, whole_title};
use backstory_memory::words;

/// As long as the account in a memory may be.
const MOST_BYTES: usize = 900;

/// One line of a message, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageLine {
    pub(super) shape: LineShape,
    /// Its words, without marks.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineShape {
    Heading,
    Item,
    Text,
}

/// Returns the lines of a message that say something: no code, no rules; a row of a table is one line.
pub(super) fn lines(message: &str) -> Vec<MessageLine> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in message.lines() {
        let text = line.trim();
        if text.starts_with("```") || text.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code {
            found.extend(message_line(text));
        }
    }
    found
}

fn message_line(text: &str) -> Option<MessageLine> {
    let is_rule = text.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '|' | ':' | ' ' | '─'));
    if is_rule || text.starts_with('>') {
        return None;
    }
    if let Some(row) = text.strip_prefix('|') {
        let cells: Vec<String> =
            row.trim_end_matches('|').split('|').map(plain).filter(|it| !it.is_empty()).collect();
        return Some(MessageLine { shape: LineShape::Item, text: cells.join(" – ") });
    }
    let heading = text.trim_start_matches('#');
    if heading.len() < text.len() && heading.starts_with(' ') {
        return Some(MessageLine { shape: LineShape::Heading, text: plain(heading) });
    }
    let is_bold = text.starts_with("**")
        && text.trim_end_matches(':').ends_with("**")
        && text.matches("**").count() == 2;
    if is_bold {
        return Some(MessageLine { shape: LineShape::Heading, text: plain(text) });
    }
    let item = list_item(text);
    let shape = if item.is_some() { LineShape::Item } else { LineShape::Text };
    Some(MessageLine { shape, text: plain(item.unwrap_or(text)) })
}

/// Returns what stands behind a bullet or a number.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let number = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| rest.len() < line.len())
    };
    bullet.or_else(number).map(str::trim)
}

/// What a message says, short enough for a memory: what gives a reason first, in its order; without what git tells, such as lists of
/// files and what was checked.
pub(super) fn account(message: &str) -> String {
    let mut kept_lines: Vec<(usize, String, bool)> = Vec::new();
    let mut is_of_files = false;
    for (at, line) in lines(message).into_iter().enumerate() {
        let is_lead = line.text.ends_with(':') || line.shape == LineShape::Heading;
        let names_nothing = weight(line.text.trim_end_matches(':')) <= 2;
        if is_lead {
            is_of_files = lists_files(&line.text);
        }
        let is_bare = is_lead
            && (names_nothing || line.shape == LineShape::Text && kept_lines.is_empty() || is_of_files);
        let text = match line.shape {
            // Of a list of files only what says more than the file is worth telling.
            LineShape::Item if is_of_files && without_path(&line.text).len() == line.text.len() => continue,
            LineShape::Item => without_path(&line.text).to_owned(),
            _ => unaddressed(&line.text),
        };
        if is_bare
            || text.is_empty()
            || is_addressed(&text)
            || line.shape == LineShape::Item && FoldedSentence::new(&text).has(PhraseGroup::TestsPass)
        {
            continue;
        }
        // Of a long paragraph as many sentences as fit.
        let parts = if text.len() > LONG_LINE { sentences(&text) } else { vec![text.as_str()] };
        kept_lines.extend(parts.into_iter().map(|part| (at, part.to_owned(), gives_reason(part))));
    }
    kept_lines.sort_by_key(|(at, _, gives_reason)| (!gives_reason, *at));
    let mut length = 0;
    let fits = |(_, text, _): &&(usize, String, bool)| {
        length += text.len() + 1;
        length <= MOST_BYTES
    };
    let mut kept: Vec<&(usize, String, bool)> = kept_lines.iter().take_while(fits).collect();
    kept.sort_by_key(|(at, ..)| *at);
    kept.iter().map(|(_, text, _)| text.as_str()).collect::<Vec<_>>().join("\n")
}

const LONG_LINE: usize = 300;
/// What stands behind a file says something without it.
const SAYS_MORE: usize = 4;

/// The text of a commit without the breaks that only keep its lines short.
pub(super) fn unwrapped(body: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in body.lines() {
        let text = line.trim_end();
        let is_labelled = text.split_once(": ").is_some_and(|(label, _)| !label.contains(' '));
        let is_own =
            text.trim().is_empty() || list_item(text).is_some() || is_labelled || text.starts_with('#');
        match paragraphs.last_mut().filter(|_| goes_on && !is_own) {
            Some(last) => *last = format!("{last} {}", text.trim_start()),
            None => paragraphs.push(text.to_owned()),
        }
        goes_on = !text.trim().is_empty() && !text.ends_with(':');
    }
    paragraphs.join("\n")
}

/// Whether a message reports anything, rather than only speaking to the user.
pub(super) fn reports(message: &str) -> bool {
    lines(message).iter().any(|line| !is_addressed(&line.text))
}

/// Whether a line says why, or what against.
fn gives_reason(text: &str) -> bool {
    let folded = FoldedSentence::new(text);
    let marks = [" so ", " since ", " to avoid ", " to prevent ", " otherwise "];
    folded.has(PhraseGroup::Cause)
        || folded.has(PhraseGroup::Contrast)
        || marks.iter().any(|mark| folded.0.contains(mark))
}

/// Whether a heading leads to a list of files or of what was checked.
fn lists_files(heading: &str) -> bool {
    let folded = FoldedSentence::new(heading);
    folded.has(PhraseGroup::FileList) && weight(heading.trim_end_matches(':')) <= 3
}

/// Drops the file a line of a list begins with: git tells which files changed.
fn without_path(line: &str) -> &str {
    let rest = [" — ", " – ", " - ", ": "]
        .iter()
        .filter_map(|mark| line.split_once(mark))
        .min_by_key(|(path, _)| path.len());
    match rest {
        Some((path, rest)) if is_path(path) && weight(rest) >= SAYS_MORE => rest,
        _ => line,
    }
}

fn is_path(text: &str) -> bool {
    let text = text.split(" (").next().unwrap_or(text).trim();
    let has_extension = text.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty() && (1..=5).contains(&end.trim_end_matches(|c: char| !c.is_alphabetic()).len())
    });
    !text.contains(' ') && (text.contains('/') || has_extension)
}

/// Drops the sentences that speak to the user.
fn unaddressed(line: &str) -> String {
    let all = sentences(line);
    let kept: Vec<&str> =
        all.iter().copied().filter(|said| !is_for_user(said) && !only_cheers(said)).collect();
    if kept.len() == all.len() { line.to_owned() } else { kept.join(" ") }
}

/// "All clean.", "Done!": what says nothing beside that it is over.
fn only_cheers(sentence: &str) -> bool {
    !sentence.ends_with(':') && words(sentence).count() <= 3 && weight(sentence) <= 1
}

/// Returns what a message calls what was done: the first of its headings that says enough, "Quick task 7: Mail by the relay" by its
/// second part.
pub(super) fn heading_of(message: &str) -> Option<String> {
    let named =
        lines(message).into_iter().filter(|line| line.shape != LineShape::Item && !is_addressed(&line.text));
    let names = named.filter_map(|line| {
        let (label, name) = line.text.split_once(": ")?;
        (words(label).count() <= 4 && weight(name) >= 3 && !name.contains(". ")).then(|| whole_title(name))?
    });
    names.take(1).next()
}

/// Whether a sentence speaks to the user, or tells them what to do.
pub(super) fn is_for_user(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    is_addressed(sentence) || folded.has(PhraseGroup::LeftToUser) || folded.has(PhraseGroup::Instruction)
}

/// Whether a line speaks to the user rather than of the work.
pub(super) fn is_addressed(line: &str) -> bool {
    let lower = line.to_lowercase();
    let opens = [
        "let me",
        "i'll",
        "i will",
        "would you",
        "want me",
        "shall i",
        "here's",
        "here is",
        "done!",
        "perfect",
        "great",
    ];
    line.ends_with('?') || opens.iter().any(|opening| lower.starts_with(opening))
}

/// One line without what Markdown marks words with; the text of a link stays, its address goes.
pub(super) fn plain(said: &str) -> String {
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
    let out = out.replace(['✅', '✓', '❌', '⚠', '️', '🎉', '✨', '🚀'], "");
    let words: Vec<&str> = out.split_whitespace().collect();
    without_emphasis(&words.join(" ")).trim().to_owned()
}

/// Drops backticks, and stars outside of them: `*.rs` keeps its star.
fn without_emphasis(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts
        .map(
            |(place, part)| {
                if place % 2 == 0 { without_underscores(&part.replace("**", "")) } else { part.to_owned() }
            },
        )
        .collect()
}

/// Drops the underscores around a word; those inside of a name such as `__main__.py` stay.
fn without_underscores(part: &str) -> String {
    let bare = |word: &'_ str| -> String {
        let inner = word.strip_prefix("__").and_then(|word| word.strip_suffix("__"));
        inner.filter(|inner| !inner.is_empty()).unwrap_or(word).to_owned()
    };
    part.split(' ').map(bare).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_line_by_line_without_its_code() {
        let message = "## Done\n**Files:**\nIt sleeps now.\n```rust\nlet a = 1;\n```\n| name | value |\n|---|---|\n| port | 4008 |\n> quoted\n- uses [the clock](clock.md)\n2. second";
        let read: Vec<(LineShape, String)> =
            lines(message).into_iter().map(|line| (line.shape, line.text)).collect();
        let expected = [
            (LineShape::Heading, "Done"),
            (LineShape::Heading, "Files:"),
            (LineShape::Text, "It sleeps now."),
            (LineShape::Item, "name – value"),
            (LineShape::Item, "port – 4008"),
            (LineShape::Item, "uses the clock"),
            (LineShape::Item, "second"),
        ];
        assert_eq!(read, expected.map(|(shape, text)| (shape, text.to_owned())));
        assert!(account(&"It is long. ".repeat(500)).len() <= MOST_BYTES);
    }
}
