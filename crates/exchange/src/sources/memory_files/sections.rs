//! A memory file as sections: a heading, what it stands under, and its text.

use super::generated::is_fence;
use crate::yaml::{YamlNode, read_nodes};
use std::mem;

/// Headings deeper than this belong to the text.
const DEEPEST: usize = 3;
/// A section with fewer words belongs to the one it stands in.
const WORDS_OF_ITS_OWN: usize = 25;
/// Fewer words say nothing.
const LEAST_WORDS: usize = 8;
/// List items with so many words are statements of their own.
const WORDS_OF_A_STATEMENT: usize = 25;

/// One section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSection {
    /// Its heading after those it stands under; empty for what comes before the first heading.
    pub(super) path: Vec<MarkdownHeading>,
    /// What stands in it.
    pub(super) text: String,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkdownHeading {
    /// 1 for the title of a file.
    pub(super) level: usize,
    pub(super) text: String,
}

/// Returns the sections of a text, in order.
pub(super) fn sections(text: &str) -> Vec<FileSection> {
    let (front, text) = front_matter(text);
    let mut sections = split(text);
    if let Some(first) = sections.first_mut().filter(|first| first.path.is_empty() && !front.is_empty()) {
        first.text = format!("{front}\n\n{}", first.text);
    }
    let sections = sections.into_iter().map(FileSection::tidied).collect();
    gathered(sections)
        .into_iter()
        .flat_map(FileSection::statements)
        .filter(|section| !section.text.is_empty())
        .collect()
}

/// Returns what the front matter of a text says it is about, and the rest of the text.
fn front_matter(text: &str) -> (String, &str) {
    let split = text.trim_start().strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let Some((front, rest)) = split else { return (String::new(), text) };
    // Front matter that cannot be read describes nothing; the text below it still counts.
    (description(front).unwrap_or_default(), rest)
}

fn description(front: &str) -> Option<String> {
    let YamlNode::Map(fields) = read_nodes(front).ok()? else { return None };
    fields.into_iter().find_map(|(_, key, node)| match node {
        YamlNode::Scalar(scalar) if key == "description" => Some(scalar.text),
        _ => None,
    })
}

fn split(text: &str) -> Vec<FileSection> {
    let mut sections = Vec::new();
    let mut open = FileSection::default();
    let mut in_fence = false;
    for line in text.lines() {
        in_fence ^= is_fence(line);
        if let Some(heading) = MarkdownHeading::parse(line).filter(|_| !in_fence) {
            let mut path = open.path.clone();
            path.retain(|above| above.level < heading.level);
            path.push(heading);
            sections.push(mem::replace(&mut open, FileSection { path, text: String::new() }));
        } else {
            open.text.push_str(line);
            open.text.push('\n');
        }
    }
    sections.push(open);
    sections
}

impl MarkdownHeading {
    fn parse(line: &str) -> Option<MarkdownHeading> {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let text = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
        let is_heading = (1..=DEEPEST).contains(&level) && !text.is_empty();
        is_heading.then(|| MarkdownHeading { level, text: text.to_owned() })
    }
}

/// Puts short sections into the one they stand in.
fn gathered(sections: Vec<FileSection>) -> Vec<FileSection> {
    let mut kept: Vec<FileSection> = Vec::new();
    for section in sections {
        let Some((heading, above)) = section.path.split_last() else {
            kept.push(section);
            continue;
        };
        let is_short = count_words(&section.text) < WORDS_OF_ITS_OWN && heading.level > 2;
        let parent = kept.iter_mut().rev().find(|kept| kept.path == above);
        match parent.filter(|_| is_short) {
            Some(parent) => {
                let text = format!("{}\n\n### {}\n\n{}", parent.text, heading.text, section.text);
                text.trim().clone_into(&mut parent.text);
            }
            None => kept.push(section),
        }
    }
    kept
}

fn count_words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    // Chinese and Japanese put no spaces between words, which are about two characters long.
    let unspaced = text.chars().filter(|c| *c >= '\u{2e80}' && c.is_alphabetic()).count();
    spaced + unspaced / 2
}

impl FileSection {
    /// Drops what says nothing by itself: badges, imports, rules, what a template says of the file, gaps.
    fn tidied(mut self) -> FileSection {
        let mut kept: Vec<&str> = Vec::new();
        let mut in_fence = false;
        for line in self.text.lines().map(str::trim_end) {
            let is_mark = is_fence(line);
            in_fence ^= is_mark;
            let is_second_gap = line.is_empty() && kept.last().is_none_or(|last| last.is_empty());
            if in_fence || is_mark || !(is_second_gap || is_decoration(line)) {
                kept.push(line);
            }
        }
        let text = kept.join("\n").trim().to_owned();
        self.text = text;
        self
    }

    /// Returns its headings as one text.
    pub(super) fn headings(&self, between: &str) -> String {
        self.path.iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>().join(between)
    }

    /// Returns why there is nothing to remember in it, if there is not.
    pub(super) fn says_nothing(&self) -> Option<&'static str> {
        let mut lines = self.text.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_link = |line: &str| {
            let item = line
                .trim_start_matches(['-', '*', '+', '.', ' '])
                .trim_start_matches(|c: char| c.is_ascii_digit());
            item.trim_start_matches(['.', ' ']).starts_with('[') && item.ends_with(')')
        };
        if lines.all(is_link) {
            return Some("a list of links");
        }
        let heading = self.path.last().map(|heading| heading.text.to_lowercase()).unwrap_or_default();
        if ["license", "licence", "table of contents", "contents", "acknowledgements", "acknowledgments"]
            .contains(&heading.as_str())
        {
            return Some("about the file itself");
        }
        let has_code = self.text.lines().any(is_fence);
        (!has_code && count_words(&self.text) < LEAST_WORDS).then_some("says too little")
    }

    /// Splits a section that is a list of long statements.
    fn statements(self) -> Vec<FileSection> {
        let items = items(&self.text);
        let are_statements =
            items.len() > 2 && items.iter().all(|item| count_words(item) >= WORDS_OF_A_STATEMENT);
        if !are_statements {
            return vec![self];
        }
        let section = |item: String| {
            let mut path = self.path.clone();
            path.push(MarkdownHeading { level: DEEPEST + 1, text: opening(&item).to_owned() });
            FileSection { path, text: item }
        };
        items.into_iter().map(section).collect()
    }

    /// Whether it is one item of a list, whose heading is how it begins.
    pub(super) fn is_statement(&self) -> bool {
        self.path.last().is_some_and(|heading| heading.level > DEEPEST)
    }
}

/// Returns the items of a text that is nothing but a list.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_item = line.starts_with("- ") || line.starts_with("* ");
        match (is_item, items.last_mut()) {
            (true, _) => items.push(line.get(2..).unwrap_or_default().to_owned()),
            (false, Some(last)) if line.is_empty() || line.starts_with(' ') => {
                last.push('\n');
                last.push_str(line);
            }
            _ => return Vec::new(),
        }
    }
    items.iter().map(|item| item.trim().to_owned()).collect()
}

/// What an item says first: what is printed bold, or its first sentence.
fn opening(item: &str) -> &str {
    let bold = item.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(bold, _)| bold);
    let line = item.lines().next().unwrap_or(item);
    let sentence = line.split_once(". ").map_or(line, |(sentence, _)| sentence);
    bold.unwrap_or(sentence).trim_end_matches([':', '.'])
}

fn is_decoration(line: &str) -> bool {
    let line = line.trim();
    let is_import = line.strip_prefix('@').is_some_and(|path| !path.contains(' '));
    let is_rule = line.len() > 2 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | '='));
    let is_badge = (line.starts_with("[![") || line.starts_with("![")) && line.ends_with(')');
    is_import || is_rule || is_badge || line.starts_with("This file provides guidance to ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_in_the_front_matter_opens_the_text() {
        let text = |front: &str| sections(&format!("---\n{front}\n---\nIn one transaction"))[0].text.clone();
        let expected = "How rows are written\n\nIn one transaction";
        assert_eq!(text("globs: *.rs\ndescription: \"How rows are written\""), expected);
        assert_eq!(text("description: >\n  How rows\n  are written\nalwaysApply: true"), expected);
        assert_eq!(text("description: \"without an end"), "In one transaction");
    }
}
