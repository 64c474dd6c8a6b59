//! Shortening: text on one line, plans as their headings, messages without their code, and the parts of a text that matter when it does
//! not fit.
//!
//! Not here: how much room each text has (`digest`).

use crate::phrases::{FoldedSentence, PhraseGroup};
use backstory_memory::{Tokens, clean, estimate, first_chars};

/// What stands where something was left out.
const CUT: &str = "[…]";
/// A block of code with more lines becomes one line.
const MOST_CODE_LINES: usize = 5;
/// Of a message that does not fit, its head is kept up to this share in hundredths, then its tail, then telling lines.
const HEAD_SHARE: usize = 50;
const TAIL_SHARE: usize = 78;

/// Puts a text on one line of at most so many characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    head(&clean(text).split_whitespace().collect::<Vec<_>>().join(" "), most)
}

/// Returns the beginning of a text; what ends with `…` was cut.
pub(super) fn head(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    format!("{}…", first_chars(text, most.saturating_sub(1)).trim_end())
}

/// Returns the headings of a plan or a summary on one line; its beginning where it has none.
pub(super) fn headings(text: &str, most: usize) -> String {
    let titles: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .filter(|title| !title.is_empty())
        .collect();
    one_line(&if titles.is_empty() { text.to_owned() } else { titles.join(" / ") }, most)
}

/// A message without what only a screen needs: marks, rules, empty lines, long code.
pub(super) fn plain_message(message: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut code: Option<Vec<String>> = None;
    for line in clean(message).lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (is_fence, code.take()) {
            (true, None) => code = Some(Vec::new()),
            (true, Some(lines)) => out.extend(shortened_code(lines)),
            (false, Some(mut lines)) => {
                lines.push(line.trim_end().to_owned());
                code = Some(lines);
            }
            (false, None) => out.extend(plain_line(line)),
        }
    }
    out.extend(code.into_iter().flat_map(shortened_code));
    out.join("\n")
}

fn shortened_code(lines: Vec<String>) -> Vec<String> {
    if lines.len() <= MOST_CODE_LINES {
        return lines;
    }
    let first = lines.iter().find(|line| !line.trim().is_empty()).map_or("", String::as_str);
    vec![format!("[code: {} … {} lines]", one_line(first, 60), lines.len())]
}

fn plain_line(line: &str) -> Option<String> {
    let words = line.replace("**", "").replace("__", "");
    let words: Vec<&str> = words.trim_start_matches('#').split_whitespace().collect();
    let text = words.join(" ");
    text.chars().any(char::is_alphanumeric).then_some(text)
}

/// What a user wrote, without stack frames and lines said twice.
pub(super) fn squeezed(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut frames = 0;
    for line in clean(text).lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        if is_stack_frame(line) {
            frames += 1;
            continue;
        }
        if frames > 0 {
            out.push(format!("[{frames} stack lines]"));
            frames = 0;
        }
        if out.last().is_none_or(|last| last != line) {
            out.push(line.to_owned());
        }
    }
    if frames > 0 {
        out.push(format!("[{frames} stack lines]"));
    }
    out.join("\n")
}

fn is_stack_frame(line: &str) -> bool {
    let trimmed = line.trim_start();
    let is_frame = trimmed.len() < line.len() && trimmed.starts_with("at ");
    let is_python = trimmed.starts_with("File \"") && trimmed.contains(", line ");
    let is_blob = line.len() > 400 && !first_chars(line, 200).contains(' ');
    is_frame || is_python || is_blob
}

/// The user's words within a number of characters: a plan by its head and headings, other text by both ends.
pub(super) fn user_words(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let titles: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    if titles.len() > 3 {
        let begin = first_chars(text, most * 6 / 10);
        let further: Vec<&str> = titles
            .into_iter()
            .filter(|title| !begin.contains(title))
            .map(|title| title.trim_start_matches('#').trim())
            .collect();
        let further = head(&further.join(" / "), most * 3 / 10);
        return format!("{} [… {length} chars; further headings: {further}]", begin.trim_end());
    }
    both_ends(text, most)
}

/// Both ends of a text, with how long it is in between.
fn both_ends(text: &str, most: usize) -> String {
    let length = text.chars().count();
    let mark = format!(" [… {length} chars …] ");
    let room = most.saturating_sub(mark.chars().count());
    if room < 40 {
        return head(text, most);
    }
    let first = room * 65 / 100;
    let last = text
        .char_indices()
        .nth(length - (room - first))
        .map_or("", |(at, _)| text.get(at..).unwrap_or_default());
    format!("{}{mark}{}", first_chars(text, first).trim_end(), last.trim_start())
}

/// A closing message within a number of characters. `is_kept` says which lines stay before all others.
pub(super) fn message_within(text: &str, most: usize, is_kept: &dyn Fn(&str) -> bool) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() < 3 || most < 60 {
        return both_ends(text, most);
    }
    let mut kept = KeptLines { lines: &lines, is_kept: vec![false; lines.len()], used: 0 };
    (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| is_kept(line))).for_each(|at| {
        kept.keep(at, most * 60 / 100);
    });
    for at in 0..lines.len() {
        if !kept.keep(at, most * HEAD_SHARE / 100) {
            break;
        }
    }
    for at in (0..lines.len()).rev() {
        if !kept.keep(at, most * TAIL_SHARE / 100) {
            break;
        }
    }
    for at in 0..lines.len() {
        if lines.get(at).is_some_and(|line| explains(line)) {
            kept.keep(at, most);
        }
    }
    if kept.used == 0 { both_ends(text, most) } else { kept.text() }
}

/// Whether a line says a cause, what is wanted or what is left.
fn explains(line: &str) -> bool {
    let folded = FoldedSentence::new(line);
    [PhraseGroup::Cause, PhraseGroup::Demand, PhraseGroup::Next].into_iter().any(|group| folded.has(group))
}

/// The lines of a message that are kept.
struct KeptLines<'a> {
    lines: &'a [&'a str],
    is_kept: Vec<bool>,
    used: usize,
}

impl KeptLines<'_> {
    /// Keeps a line if all that are kept then are no longer than this; says whether it is kept.
    fn keep(&mut self, at: usize, most: usize) -> bool {
        let (Some(line), Some(is_kept)) = (self.lines.get(at), self.is_kept.get_mut(at)) else {
            return false;
        };
        // A mark may have to stand before it and behind it.
        let cost = line.chars().count() + 2 * (CUT.len() + 1);
        if !*is_kept && self.used + cost > most {
            return false;
        }
        if !*is_kept {
            (*is_kept, self.used) = (true, self.used + cost);
        }
        true
    }

    fn text(&self) -> String {
        let mut out: Vec<&str> = Vec::new();
        for (line, is_kept) in self.lines.iter().zip(&self.is_kept) {
            match is_kept {
                true => out.push(line),
                false if out.last() != Some(&CUT) => out.push(CUT),
                false => {}
            }
        }
        out.join("\n")
    }
}

/// Shortens a text until it costs no more than a budget; nothing is left where that is not worth a line.
pub(super) fn within(text: &str, budget: Tokens, shorten: &dyn Fn(&str, usize) -> String) -> String {
    const LEAST_CHARS: usize = 24;
    let cost = estimate(text);
    if cost <= budget {
        return text.to_owned();
    }
    let length = text.chars().count();
    let mut most = length * budget.0 as usize / cost.0.max(1) as usize;
    while most >= LEAST_CHARS {
        let shortened = shorten(text, most);
        if estimate(&shortened) <= budget {
            return shortened;
        }
        most = most * 9 / 10;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_both_ends_and_the_line_with_a_cause() {
        let filler =
            |name: &str| (0..12).map(|n| format!("{name} line {n} of the account\n")).collect::<String>();
        let message = format!(
            "Begin here\n{}It hung because the lock was stale\n{}The end",
            filler("first"),
            filler("second")
        );
        let short = message_within(&message, 420, &|_| false);
        assert!(short.chars().count() <= 420, "{short}");
        for part in ["Begin here", "because the lock was stale", "The end", CUT] {
            assert!(short.contains(part), "{part}: {short}");
        }
        let kept = message_within(&message, 420, &|line| line.starts_with("first line 9"));
        assert!(kept.contains("first line 9"), "{kept}");
    }

    #[test]
    fn code_and_stack_frames_take_a_line() {
        let message = "## Cause\n\n**It sleeps.**\n```rust\na\nb\nc\nd\ne\nf\n```\n---\n| x | y |";
        assert_eq!(plain_message(message), "Cause\nIt sleeps.\n[code: a … 6 lines]\n| x | y |");
        let pasted = "it broke\nTypeError: x\n    at a (b.js:1)\n    at c (d.js:2)\nplease look\nplease look";
        assert_eq!(squeezed(pasted), "it broke\nTypeError: x\n[2 stack lines]\nplease look");
    }

    #[test]
    fn a_plan_becomes_its_head_and_headings() {
        let plan =
            format!("# Plan\n{}\n## Schema\nx\n## Worker\ny\n## Tests\nz", "words and words ".repeat(60));
        let short = user_words(&plan, 300);
        assert!(
            short.starts_with("# Plan") && short.contains("further headings: Schema / Worker / Tests"),
            "{short}"
        );
    }
}
