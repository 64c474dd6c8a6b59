//! What a person typed of a prompt, apart from what they pasted: only typed words can become the user's rules (law 6).
//!
//! Hosts do not say which part was pasted, so it is seen by its form: fences, quotations, tags, logs, stack traces, code, diffs, long
//! documents, plans that an agent wrote. Whole paragraphs are judged: a log that is torn apart says things nobody meant.

/// A prompt of more lines is a document with a few words before and after it.
const MOST_LINES: usize = 40;
/// A typed paragraph is not longer, in characters and in lines.
const MOST_CHARS: usize = 1_500;
const MOST_PARAGRAPH_LINES: usize = 12;

/// Returns the paragraphs of a prompt that a person typed, one blank line between them.
#[must_use]
pub fn typed_words(prompt: &str) -> String {
    let prompt = before_plan(prompt);
    let paragraphs = paragraphs(prompt);
    let is_document = prompt.lines().count() > MOST_LINES;
    let last = paragraphs.len().saturating_sub(1);
    let is_around = |at: usize| at == 0 || at == last;
    let typed = paragraphs
        .iter()
        .enumerate()
        .filter(|(at, paragraph)| is_typed(paragraph) && (!is_document || is_around(*at)));
    typed.map(|(_, paragraph)| paragraph.join("\n")).collect::<Vec<_>>().join("\n\n")
}

/// Cuts a prompt before a plan: the words of an agent, sent as the user's.
fn before_plan(prompt: &str) -> &str {
    let lower = prompt.to_ascii_lowercase();
    let marks = ["implement the following plan:", "here is the plan:\n", "<plan>"];
    let cut = marks.iter().filter_map(|mark| lower.find(mark)).min();
    cut.and_then(|at| prompt.get(..at)).unwrap_or(prompt)
}

/// Cuts a prompt at blank lines; what stands in fences and between tags on lines of their own is left out.
fn paragraphs(prompt: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut inside: Option<String> = None;
    for line in prompt.lines() {
        let text = line.trim();
        match &inside {
            Some(end) if text.starts_with(end.as_str()) || text.ends_with(end.as_str()) => inside = None,
            Some(_) => {}
            None => match opening(text) {
                Some(end) => inside = Some(end).filter(|end| !text.ends_with(end.as_str()) || text == "```"),
                None if text.is_empty() => all.push(Vec::new()),
                None => all.last_mut().into_iter().for_each(|paragraph| paragraph.push(line)),
            },
        }
    }
    all.retain(|paragraph| !paragraph.is_empty());
    all
}

/// Returns what ends the block that a line begins.
fn opening(line: &str) -> Option<String> {
    if line.starts_with("```") {
        return Some("```".to_owned());
    }
    let tag = line.strip_prefix('<')?.split(['>', ' ']).next()?;
    let is_tag =
        !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_tag.then(|| format!("</{tag}>"))
}

fn is_typed(paragraph: &[&str]) -> bool {
    let chars: usize = paragraph.iter().map(|line| line.chars().count()).sum();
    let pasted = paragraph.iter().filter(|line| is_output(line) || is_code(line)).count();
    chars <= MOST_CHARS
        && paragraph.len() <= MOST_PARAGRAPH_LINES
        && pasted * 2 < paragraph.len().max(2)
        && !(paragraph.len() == 1 && pasted == 1)
}

/// Whether a line looks like the output of a program: a quotation, a log, a stack trace, a diff, a shell's prompt.
fn is_output(line: &str) -> bool {
    const BEGINNINGS: [&str; 34] = [
        "> ",
        ">>",
        "$ ",
        "% ",
        "# ",
        "+ ",
        "- [",
        "@@",
        "| ",
        "│",
        "at ",
        "File \"",
        "Traceback",
        "error:",
        "error[",
        "warning:",
        "fatal:",
        "panic:",
        "thread '",
        "npm ERR!",
        "npm error",
        "FAIL",
        "ERROR",
        "WARN",
        "INFO",
        "DEBUG",
        "E  ",
        "--> ",
        "==",
        "--- ",
        "+++ ",
        "Caused by",
        "note:",
        "Error:",
    ];
    let text = line.trim_start();
    let first = text.split_whitespace().next().unwrap_or_default();
    let digits = first.bytes().filter(u8::is_ascii_digit).count();
    // `2026-05-01T12:00:00Z`, `[12:00:01]`, `src/a.rs:12:5:`
    let is_stamp =
        digits >= 4 && first.bytes().any(|byte| matches!(byte, b':' | b'-' | b'/')) && !first.contains("://");
    let is_place =
        first.contains('.') && first.split(':').skip(1).take(1).any(|part| part.parse::<u32>().is_ok());
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || is_stamp
        || is_place
        || first.starts_with('[') && first.contains(':')
}

/// Whether a line looks like code.
fn is_code(line: &str) -> bool {
    let text = line.trim();
    let ends = [";", "{", "}", "},", ");", "],", "=>", "/>"];
    text.len() > 1 && ends.iter().any(|end| text.ends_with(end))
        || text.starts_with("//")
        || text.starts_with("import ") && text.contains(" from ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_is_not_typed() {
        let prompt = "It fails since yesterday:\n\n2026-05-01T12:00:01Z ERROR always set ALLOW_ALL=1\n2026-05-01T12:00:02Z INFO retrying\n\nWe never retry writes, please fix it.";
        assert_eq!(typed_words(prompt), "It fails since yesterday:\n\nWe never retry writes, please fix it.");
        for pasted in [
            "ERROR: always run make clean first",
            "> you must never use yarn here",
            "```\nalways do this\n```",
            "<page>\nAlways obey\n</page>",
            "thread 'main' panicked at src/a.rs:1:2",
            "src/a.rs:12:5: must be used",
            "const a = () => {\n  return always;\n};",
            "Implement the following plan:\n\n# Plan\nAlways use tabs.",
        ] {
            assert_eq!(typed_words(pasted), "", "{pasted}");
            assert!(!typed_words(&format!("{pasted}\n\nFix this.")).contains("lways"), "{pasted}");
        }
        let document =
            format!("Read this:\n\n{}\nSummarise it.", "Teams always deploy on Fridays.\n\n".repeat(30));
        assert_eq!(typed_words(&document), "Read this:\n\nSummarise it.");
    }

    #[test]
    fn what_was_typed_stays_word_for_word() {
        for typed in [
            "No, use tabs. We always use tabs in this repository.",
            "two things:\n- never touch vendor/\n- tests go in tests/it",
            "1. rename it\n2. always keep the old name as an alias",
            "use `cargo nextest run` from now on, see https://nexte.st",
            "Нет, всегда пиши тесты.",
        ] {
            assert_eq!(typed_words(typed), typed);
        }
    }
}
