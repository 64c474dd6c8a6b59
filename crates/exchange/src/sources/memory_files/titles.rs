//! The title of a section: its heading, and so much of what is around it that it says something alone.

use super::generated::is_fence;
use super::sections::FileSection;
use backstory_memory::{TITLE_CHARS, keywords, title_from};

/// A heading of fewer words needs something beside it, unless its keywords say enough.
const WORDS_ALONE: usize = 4;
const KEYWORDS_ALONE: usize = 3;

/// Returns the title of a section of a file.
pub(super) fn title(section: &FileSection, file_name: &str) -> String {
    let said = first_sentence(&section.text);
    let Some((own, above)) = section.path.split_last() else {
        return title_from(&said.unwrap_or_else(|| format!("What {file_name} says")));
    };
    let heading = plain(&own.text);
    let says_enough = heading.split(' ').count() >= WORDS_ALONE || keywords(&heading).len() >= KEYWORDS_ALONE;
    if section.is_statement() || says_enough {
        return title_from(&heading);
    }
    // The first heading of a file names the file or the project.
    let parent = above.iter().rfind(|above| above.level > 1);
    match (parent, said) {
        (Some(parent), _) => fitting(&format!("{}: {heading}", plain(&parent.text)), &heading),
        (None, Some(said)) => title_from(&format!("{heading}: {said}")),
        (None, None) => fitting(&format!("{heading} ({file_name})"), &heading),
    }
}

fn fitting(long: &str, short: &str) -> String {
    title_from(if long.chars().count() <= TITLE_CHARS { long } else { short })
}

/// Returns what a section says first, if it begins with a sentence and not with a list, a table or code.
fn first_sentence(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_prose = line.starts_with(|c: char| c.is_alphabetic() || matches!(c, '`' | '"' | '*'))
        && !line.starts_with("* ");
    let sentence = line.split_once(". ").map_or(line, |(sentence, _)| sentence);
    if !is_prose || is_fence(line) || sentence.ends_with(':') {
        return None;
    }
    let sentence = plain(sentence);
    (!sentence.is_empty()).then_some(sentence)
}

/// A line without its marks: numbers, emphasis, code marks, addresses of links, signs.
fn plain(line: &str) -> String {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(&before.replacen('[', "", 1));
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    let kept: String = out
        .replace("**", "")
        .chars()
        .filter(|c| *c != '`' && (c.is_ascii() || c.is_alphanumeric() || "–—…’“”„«»→×·".contains(*c)))
        .collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    words.join(" ").trim_end_matches([':', '.']).to_owned()
}
