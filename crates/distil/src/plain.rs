//! Plain words out of Markdown: one line, or the lines of a whole message.

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

/// What a message says, short enough for a memory.
pub(super) fn account(message: &str) -> String {
    let mut account = String::new();
    for line in lines(message).into_iter().filter(|line| !is_addressed(&line.text)) {
        if account.len() + line.text.len() >= MOST_BYTES {
            break;
        }
        if !account.is_empty() {
            account.push('\n');
        }
        account.push_str(&line.text);
    }
    account
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
