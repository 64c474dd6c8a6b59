//! The first stage: the prose of a text, as passages. A passage is a heading, a paragraph or one list item.
//!
//! What no one said is left out here: code fences, injected blocks, quotations, tables, logs, diffs and stack traces.
//! Not here: sentences (`sentences`), what a heading means for what stands under it, and what a sentence means.

use std::collections::HashMap;

/// Lines shorter than this end a passage when the next one begins like a sentence: people press enter instead of
/// writing a full stop, while wrapped text runs to the margin.
const SHORT_LINE_BYTES: usize = 60;

/// More words than these are something said.
const MOST_LABEL_WORDS: usize = 3;

/// What a passage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassageShape {
    Heading,
    /// A line that ends in a colon and announces what follows.
    Lead,
    Paragraph,
    Item,
}

/// One piece of prose, and what it stands under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<'a> {
    pub(crate) text: &'a str,
    pub(crate) shape: PassageShape,
    /// The heading above it.
    pub(crate) section: Option<&'a str>,
    /// What announced the list it is in.
    pub(crate) lead: Option<&'a str>,
}

/// Texts that begin so were written by a program, or are the role given to an agent: no statement of this session.
const FOREIGN_OPENINGS: &[&str] = &[
    // A mail begins with who wrote it.
    "from: ",
    "subject: ",
    "you are a ",
    "you are an ",
    "you are the ",
    "you are now ",
    "you are one of ",
    "you are claude",
    "you are codex",
    "you are helpful",
    "act as ",
    "system:",
    "this session is being continued from a previous conversation",
    "caveat: the messages below were generated",
    "[request interrupted",
    "implement the following plan",
    "your task is ",
    "your job is ",
    "your role is ",
];

/// Returns the passages of `text`, each a slice of it, in order.
pub(crate) fn passages(text: &str) -> Vec<Passage<'_>> {
    if is_foreign(text) {
        return Vec::new();
    }
    let mut reader = PassageReader { text, ..PassageReader::default() };
    let closings = closing_tags(text);
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        reader.line(at, line, lines.peek().copied(), &closings);
        at += line.len();
    }
    reader.flush();
    reader.found
}

/// Whether a text begins as one that a program wrote, or as the role given to an agent.
pub(crate) fn is_foreign(text: &str) -> bool {
    let opening = text.trim_start().chars().take(80).collect::<String>().to_lowercase().replace('’', "'");
    let opening = opening.replace("you're ", "you are ");
    FOREIGN_OPENINGS.iter().any(|foreign| opening.starts_with(foreign))
}

/// Reads line by line; holds what the lines before have opened.
#[derive(Default)]
struct PassageReader<'a> {
    text: &'a str,
    found: Vec<Passage<'a>>,
    /// The passage being read, as a range of the text.
    open: Option<(usize, usize)>,
    /// The marks that opened a fence; as many close it, so that a fence may hold another.
    fence: Option<&'a str>,
    tag: Option<&'a str>,
    section: Option<&'a str>,
    lead: Option<&'a str>,
    in_list: bool,
    /// Whether the line before was a program's and announced another, such as the message of a panic.
    announced: bool,
}

impl<'a> PassageReader<'a> {
    fn line(&mut self, at: usize, line: &'a str, next: Option<&str>, closings: &HashMap<&'a str, usize>) {
        let trimmed = line.trim();
        if self.is_inside_block(trimmed) {
            return;
        }
        if let Some(fence) = fence_marks(trimmed) {
            self.flush();
            self.fence = Some(fence);
            return;
        }
        if let Some((before, tag)) = injected(line, at, closings) {
            self.flush();
            self.found.extend(Some(before.trim()).filter(|before| !before.is_empty()).map(|before| {
                Passage { text: before, shape: PassageShape::Paragraph, section: self.section, lead: None }
            }));
            self.tag = Some(tag).filter(|tag| !closes(line, tag));
            return;
        }
        if trimmed.is_empty() {
            self.flush();
            return;
        }
        if let Some(heading) = heading(trimmed) {
            self.flush();
            self.section = Some(heading);
            self.lead = None;
            self.found.push(Passage {
                text: heading,
                shape: PassageShape::Heading,
                section: None,
                lead: None,
            });
            return;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_announced = std::mem::take(&mut self.announced);
        if is_no_prose(trimmed) {
            self.announced = trimmed.ends_with(':') || trimmed.starts_with("Traceback");
        }
        if is_announced
            || is_no_prose(trimmed)
            || (is_indented && !self.in_list && list_item(trimmed).is_none())
        {
            self.flush();
            return;
        }
        self.prose(at, line, next);
    }

    /// Whether the line belongs to a fence or an injected block, which it may also close.
    fn is_inside_block(&mut self, trimmed: &str) -> bool {
        if let Some(fence) = self.fence {
            let is_closed = trimmed.starts_with(fence) && fence_marks(trimmed) == Some(trimmed);
            self.fence = Some(fence).filter(|_| !is_closed);
            return true;
        }
        if let Some(tag) = self.tag {
            if closes(trimmed, tag) {
                self.tag = None;
            }
            return true;
        }
        false
    }

    fn prose(&mut self, at: usize, line: &'a str, next: Option<&str>) {
        let trimmed = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let item = list_item(trimmed);
        if item.is_some() && !self.in_list {
            self.flush();
            self.lead_by_label();
        }
        if item.is_some() || self.open.is_none() {
            self.flush();
            if item.is_none() && !line.starts_with(' ') {
                self.lead = None;
            }
            self.in_list = item.is_some();
        }
        let content = item.unwrap_or(trimmed);
        let start = start + trimmed.len() - content.len();
        let end = start + content.len();
        self.open = Some((self.open.map_or(start, |(open, _)| open), end));
        let ends_sentence = trimmed.ends_with(['.', '!', '?', ':']);
        let next_begins =
            next.is_some_and(|next| next.trim_start().chars().next().is_some_and(|c| !c.is_lowercase()));
        if next_begins && (ends_sentence || trimmed.len() < SHORT_LINE_BYTES) {
            self.flush();
        }
    }

    /// A few words alone above a list announce it, though no colon ends them.
    fn lead_by_label(&mut self) {
        let is_label = |passage: &&mut Passage<'_>| {
            passage.shape == PassageShape::Paragraph
                && !passage.text.ends_with(['.', '!', '?'])
                && passage.text.split_whitespace().count() <= MOST_LABEL_WORDS
        };
        if let Some(label) = self.found.last_mut().filter(is_label) {
            label.shape = PassageShape::Lead;
            self.lead = Some(label.text);
        }
    }

    fn flush(&mut self) {
        let Some(passage) = self.open.take().and_then(|(start, end)| self.text.get(start..end)) else {
            return;
        };
        let shape = match (passage.ends_with(':'), self.in_list) {
            (true, _) => PassageShape::Lead,
            (false, true) => PassageShape::Item,
            (false, false) => PassageShape::Paragraph,
        };
        self.found.push(Passage { text: passage, shape, section: self.section, lead: self.lead });
        if shape == PassageShape::Lead {
            self.lead = Some(passage);
        }
    }
}

/// The marks of a fence that a line begins with.
fn fence_marks(trimmed: &str) -> Option<&str> {
    let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = trimmed.len() - trimmed.trim_start_matches(mark).len();
    trimmed.get(..length).filter(|_| length >= 3)
}

/// The last place each closing tag stands at, so that an opening one can be told from an arrow or a generic type.
fn closing_tags(text: &str) -> HashMap<&str, usize> {
    text.match_indices("</")
        .filter_map(|(at, open)| Some((tag_name(text.get(at + open.len()..)?)?, at)))
        .collect()
}

fn tag_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    text.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn closes(line: &str, tag: &str) -> bool {
    line.match_indices("</").any(|(at, open)| line.get(at + open.len()..).and_then(tag_name) == Some(tag))
}

/// The prose before an injected block that opens in this line, and the name of its tag.
///
/// A tag of two words (`system-reminder`, `hook_context`) opens one even if it is never closed: hosts cut long texts.
fn injected<'a>(line: &'a str, at: usize, closings: &HashMap<&'a str, usize>) -> Option<(&'a str, &'a str)> {
    line.match_indices('<').find_map(|(open, _)| {
        let before = line.get(..open)?;
        let name = tag_name(line.get(open + 1..)?)?;
        let is_closed = closings.get(name).is_some_and(|closing| *closing > at + open);
        let opens = before.trim().is_empty() || name.contains(['-', '_']) || name == "private";
        let is_block = is_closed || (before.trim().is_empty() && name.contains(['-', '_']));
        let is_in_code = || before.matches('`').count() % 2 == 1;
        (is_block && opens && !is_in_code()).then_some((before, name))
    })
}

/// The words of a heading: `## Plan`, `**Plan**` or `**Plan:**` alone on a line.
fn heading(trimmed: &str) -> Option<&str> {
    if trimmed.starts_with('#') {
        return Some(trimmed.trim_start_matches('#').trim()).filter(|rest| !rest.is_empty());
    }
    let bold = trimmed.strip_prefix("**")?;
    let words = bold.strip_suffix("**").or_else(|| bold.strip_suffix("**:"))?;
    (!words.contains("**") && !words.ends_with('.')).then_some(words)
}

/// The content of a list item, without its marker.
fn list_item(trimmed: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ ", "• "].into_iter().find_map(|marker| trimmed.strip_prefix(marker))
    {
        return Some(rest.trim_start());
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = trimmed.get(digits..).filter(|_| (1..=2).contains(&digits))?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim_start)
}

/// Beginnings of lines that a program wrote, or that quote someone.
const NO_PROSE_OPENINGS: &[&str] = &[
    ">",
    "|",
    "$ ",
    "% ",
    "diff --git",
    "@@",
    "+++",
    "---",
    "===",
    "Traceback",
    "File \"",
    "{",
    "}",
    "[",
    "]",
    "error:",
    "error[",
    "warning:",
    "note:",
    "Caused by:",
    "thread '",
    "panicked at",
    "-->",
    "FAIL",
    "PASS",
    "ERROR",
    "WARN",
    "INFO",
    "DEBUG",
    "TRACE",
    "E   ",
    "npm ERR",
    "stderr:",
    "stdout:",
    "#!",
    "//",
    "/*",
    "SELECT ",
    "!",
    "<",
];

/// Words that begin a line of code as well as a sentence: the marks of code decide.
const CODE_OPENINGS: &[&str] =
    &["import ", "from ", "at ", "index ", "class ", "const ", "def ", "fn ", "let ", "return ", "use "];

fn opens_as_code(trimmed: &str) -> bool {
    let has_marks = [" import ", "()", ");", " = ", "::", "..", ":1", "(/", ".js:", ".py:", ".rs:"]
        .iter()
        .any(|mark| trimmed.contains(mark));
    has_marks && !trimmed.contains('`') && CODE_OPENINGS.iter().any(|opening| trimmed.starts_with(opening))
}

fn is_no_prose(trimmed: &str) -> bool {
    if trimmed.starts_with("[ ]") || NO_PROSE_OPENINGS.iter().any(|opening| trimmed.starts_with(opening)) {
        return true;
    }
    // A line of `git log --oneline`.
    let logged = list_item(trimmed).unwrap_or(trimmed).split(' ').next().unwrap_or_default();
    let is_commit = (7..=40).contains(&logged.len())
        && logged.bytes().all(|byte| byte.is_ascii_hexdigit())
        && logged.bytes().any(|byte| byte.is_ascii_digit());
    let is_diff = trimmed.starts_with(['+', '-']) && !trimmed.starts_with("- ") && !trimmed.starts_with("+ ");
    let is_time =
        trimmed.bytes().take_while(|byte| byte.is_ascii_digit() || b"-:.TZ/ ".contains(byte)).count() >= 8;
    let ends_like_code = trimmed.ends_with(['{', '}', ';', '\\']) || trimmed.ends_with("=>");
    let first = trimmed.split(' ').next().unwrap_or_default();
    // `ValueError:` names an exception; "Error:" and "Warning:" may open a sentence.
    let is_exception = ["Error:", "Exception:", "Warning:"]
        .iter()
        .any(|end| first.len() > end.len() && first.ends_with(end));
    is_commit || is_diff || is_time || ends_like_code || is_exception || opens_as_code(trimmed)
}
