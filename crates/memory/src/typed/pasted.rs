//! The form of pasted text: logs, stack traces, diffs, code, quotations, mails, chats, fields of an issue.
//!
//! A line that only a program, a mail or a page can have written counts by itself. One that a person could have begun so, too, counts
//! among others of its sort: "note: never push" is a rule, below a compiler's error it is output.

use crate::{OwnAddresses, requested_action};

/// Whether the lines of a paragraph were pasted.
pub(super) fn is_pasted(paragraph: &[&str]) -> bool {
    let sure = paragraph.iter().filter(|line| is_output(line) || is_code(line)).count();
    let maybe = if sure == 0 { 0 } else { paragraph.iter().filter(|line| may_be_output(line)).count() };
    let pasted = (sure + maybe).min(paragraph.len());
    pasted * 2 >= paragraph.len().max(1) && sure > 0
        || is_fields(paragraph)
        || is_settings(paragraph)
        || is_chat(paragraph)
        || is_stack(paragraph)
}

/// Whether a mail or the description of a change begins here: all that follows belongs to it.
pub(super) fn begins_mail(paragraph: &[&str]) -> bool {
    const HEADINGS: [&str; 8] = [
        "## summary",
        "## test plan",
        "## what changed",
        "### steps to reproduce",
        "## steps to reproduce",
        "### expected behavior",
        "**describe the bug**",
        "-----original message",
    ];
    paragraph.iter().any(|line| {
        let lower = line.trim().to_lowercase();
        HEADINGS.iter().any(|heading| lower.starts_with(heading))
            || lower.starts_with("on ") && lower.ends_with(" wrote:")
            || lower.starts_with("from: ") && lower.contains('@')
    })
}

/// Whether a record of another program begins here, whatever its language: a ticket, the head of a mail, the settings above a document.
pub(super) fn begins_record(paragraph: &[&str]) -> bool {
    const LONGEST_VALUE: usize = 5;
    let is_field = |line: &str| {
        let is_named = |label: &str| label.chars().next().is_some_and(char::is_uppercase);
        line.trim() == line.trim_start_matches(['-', '*'])
            && label(line).is_some_and(|(label, value)| {
                is_named(label)
                    && (1..=LONGEST_VALUE).contains(&value.split_whitespace().count())
                    && requested_action(value.trim(), &OwnAddresses::default()).is_none()
            })
    };
    paragraph.windows(2).any(|lines| match lines {
        [rule, setting] if rule.trim() == "---" => label(setting).is_some(),
        [one, other] => is_field(one) && is_field(other),
        _ => false,
    })
}

/// Whether a letter begins here: it greets somebody, and only that.
pub(super) fn begins_letter(paragraph: &[&str]) -> bool {
    let first = paragraph.first().map(|line| line.trim().to_lowercase()).unwrap_or_default();
    let greets =
        ["hi", "hello", "hey", "dear"].iter().any(|word| first.split([' ', ',']).next() == Some(word));
    greets && first.ends_with(',') && first.split(' ').count() <= 4
}

/// Whether only a program, a page or a chat writes such a line.
fn is_output(line: &str) -> bool {
    const BEGINNINGS: [&str; 34] = [
        "> ",
        ">>",
        "$ ",
        "% ",
        "@@",
        "| ",
        "|-",
        "│",
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
        "npm warn",
        "npm WARN",
        "npm notice",
        "E  ",
        "--> ",
        "==",
        "+++ ",
        "Caused by",
        "Error:",
        "remote:",
        "hint:",
        "##[",
        "::error",
        "::warning",
        "FAILED ",
        "diff --git",
    ];
    let text = line.trim_start();
    let text = ["- ", "* "]
        .iter()
        .find_map(|bullet| text.strip_prefix(bullet))
        .filter(|rest| rest.starts_with('>'))
        .unwrap_or(text);
    let first = text.split_whitespace().next().unwrap_or_default();
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || is_stamp(first)
        || is_place(first)
        || is_level(text)
        || is_tagged(text)
        || is_frame(text)
        || ["Warning:", "Error:", "Exception:"]
            .iter()
            .any(|end| first.len() > end.len() && first.ends_with(end))
        || text.contains("</") && text.contains('>')
        || text.starts_with('{') && text.contains("\":")
}

/// Whether a line may be a program's, where others around it are.
fn may_be_output(line: &str) -> bool {
    let text = line.trim_start();
    let beginnings = ["note:", "# ", "+ ", "+", "-", "--- ", "at ", "= ", "help:"];
    beginnings.iter().any(|beginning| text.starts_with(beginning))
}

/// `2026-05-01T12:00:00Z`, `[12:00:01]`
fn is_stamp(first: &str) -> bool {
    let digits = first.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4 && first.bytes().any(|byte| matches!(byte, b':' | b'-' | b'/')) && !first.contains("://")
}

/// `src/a.rs:12:5:`
fn is_place(first: &str) -> bool {
    first.contains('.') && first.split(':').skip(1).take(1).any(|part| part.parse::<u32>().is_ok())
}

/// `WARN`, `ERROR:`, `[INFO]` before a message. "INFO logs must …" speaks of them.
fn is_level(text: &str) -> bool {
    const SPOKEN_OF: [&str; 12] = [
        "log", "logs", "level", "levels", "message", "messages", "lines", "output", "events", "entries",
        "fast", "codes",
    ];
    let first = text.split_whitespace().next().unwrap_or_default();
    let level = first.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let is_level = ["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FAIL", "FATAL"].contains(&level);
    let next = text.split_whitespace().nth(1).unwrap_or_default();
    is_level && !(first == level && SPOKEN_OF.contains(&next))
}

/// `[vite] …`, `[10:42] bob: …`; not the box of a task, nor a link.
fn is_tagged(text: &str) -> bool {
    let Some((tag, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    tag.len() > 1 && tag.len() <= 40 && rest.starts_with([' ', ':']) && rest.trim().len() > 1
}

/// `at deploy (app.js:10:5)`, `at com.example.Main.run(Main.java:7)`
fn is_frame(text: &str) -> bool {
    text.strip_prefix("at ").is_some_and(|rest| rest.trim_end().ends_with(')') && rest.contains('('))
}

/// Whether a line looks like code, and not like a sentence that ends as code does.
fn is_code(line: &str) -> bool {
    let text = line.trim();
    let ends = [";", "{", "}", "},", ");", "],", "=>", "/>"];
    let has_end = text.len() > 1 && ends.iter().any(|end| text.ends_with(end));
    let is_plain =
        |word: &&str| word.trim_matches(['`', ',', ';', '.', '"', '\'']).chars().all(char::is_alphabetic);
    let plain_words = text.split_whitespace().filter(is_plain).count();
    let is_sentence =
        !text.ends_with('{') && plain_words >= 4 && plain_words * 2 > text.split_whitespace().count();
    has_end && !is_sentence
        || text.starts_with("//")
        || text.starts_with("import ") && text.contains(" from ")
}

/// Returns the word before a colon at the beginning of a line.
fn label(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.trim().trim_start_matches(['*', '-', ' ']).split_once(':')?;
    let is_word = !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    (is_word && label.split(' ').count() <= 3).then_some((label, rest))
}

/// Fields of an issue, a change or a mail: two of them at least.
fn is_fields(paragraph: &[&str]) -> bool {
    const FIELDS: [&str; 24] = [
        "title",
        "body",
        "from",
        "to",
        "subject",
        "date",
        "cc",
        "author",
        "commit",
        "status",
        "labels",
        "assignee",
        "description",
        "steps to reproduce",
        "expected",
        "actual",
        "environment",
        "reporter",
        "sent",
        "reply-to",
        "severity",
        "opened by",
        "comment",
        "message",
    ];
    let fields = paragraph.iter().filter_map(|line| label(line));
    fields.filter(|(label, _)| FIELDS.contains(&label.to_lowercase().as_str())).count() >= 2
}

/// Settings: three lines and more of nothing but names and values.
fn is_settings(paragraph: &[&str]) -> bool {
    let is_name =
        |label: &str| !label.contains(' ') && label.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    paragraph.len() > 2 && paragraph.iter().all(|line| label(line).is_some_and(|(label, _)| is_name(label)))
}

/// A chat: `bob 10:42` on a line, or names before colons of which one comes back.
fn is_chat(paragraph: &[&str]) -> bool {
    let is_time = |word: &str| {
        word.split_once(':').is_some_and(|(hour, minute)| {
            hour.len() <= 2 && hour.parse::<u8>().is_ok() && minute.len() == 2 && minute.parse::<u8>().is_ok()
        })
    };
    let is_heading = |line: &&&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (2..=4).contains(&words.len())
            && words.iter().skip(1).any(|word| is_time(word.trim_matches(['[', ']', '(', ')'])))
            && words.last().is_some_and(|last| {
                is_time(last.trim_matches(['[', ']', '(', ')'])) || matches!(*last, "AM" | "PM")
            })
    };
    let speakers: Vec<&str> =
        paragraph.iter().filter_map(|line| label(line)).map(|(label, _)| label).collect();
    let comes_back = speakers
        .iter()
        .enumerate()
        .any(|(at, speaker)| speakers.iter().take(at).any(|other| other == speaker));
    let is_several = speakers.iter().any(|speaker| Some(speaker) != speakers.first());
    paragraph.iter().any(|line| is_heading(&line))
        || speakers.len() > 2 && speakers.len() * 2 > paragraph.len() && comes_back && is_several
}

/// A stack or a diff, whose lines are only sure together.
fn is_stack(paragraph: &[&str]) -> bool {
    let changed = |mark: char| {
        paragraph.iter().any(|line| line.starts_with(mark) && !line.starts_with(&format!("{mark} ")))
    };
    changed('+') && changed('-')
}
