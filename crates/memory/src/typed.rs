//! What a person typed of a prompt, apart from what they pasted: only typed words can become the user's rules (law 6).
//!
//! Hosts do not say which part was pasted, so it is seen by its form (`pasted`), and by the words that announce it. Whole paragraphs are
//! judged: a log that is torn apart says things nobody said.

mod pasted;

use pasted::{begins_letter, begins_mail, begins_record, is_pasted};

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
    let mut typed: Vec<String> = Vec::new();
    let mut quoted = Quoted::Nothing;
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let is_below_question =
            at == 1 && paragraphs.first().is_some_and(|first| asks_about_what_follows(first));
        if begins_mail(paragraph)
            || begins_record(paragraph)
            || at > 0 && begins_letter(paragraph)
            || is_below_question && (paragraphs.len() > 2 || paragraph.len() > 1)
        {
            quoted = Quoted::Rest;
        }
        let is_around = at == 0 || at == last;
        let (words, announced) = before_announced(paragraph);
        let is_indented =
            at > 0 && words.iter().all(|line| line.starts_with("    ") || line.starts_with('\t'));
        if quoted == Quoted::Nothing && is_typed(&words) && !is_indented && (!is_document || is_around) {
            typed.push(words.join("\n"));
        }
        quoted = if quoted == Quoted::Rest { Quoted::Rest } else { announced };
    }
    typed.join("\n\n")
}

/// Whether a paragraph is a question too short to say what it is about: "what is this?", "found on a forum, useful?".
fn asks_about_what_follows(paragraph: &[&str]) -> bool {
    const LONGEST: usize = 6;
    matches!(paragraph, [line] if line.trim_end().ends_with('?') && line.split_whitespace().count() <= LONGEST)
}

/// How much of what follows is somebody else's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Nothing,
    Paragraph,
    Rest,
}

/// Returns the lines of a paragraph before the text it announces, and how much of the next ones it announces.
fn before_announced<'a>(paragraph: &[&'a str]) -> (Vec<&'a str>, Quoted) {
    for (at, line) in paragraph.iter().enumerate() {
        let Some(colon) =
            line.find(": ").or_else(|| line.trim_end().ends_with(':').then(|| line.trim_end().len() - 1))
        else {
            continue;
        };
        let (before, after) = line.split_at_checked(colon).unwrap_or((line, ""));
        let announced = announced_by(before, at);
        if announced == Quoted::Nothing {
            continue;
        }
        let ends_paragraph = at + 1 == paragraph.len() && after.trim() == ":";
        let mut words: Vec<&str> = paragraph.iter().take(at).copied().collect();
        words.push(line.get(..=colon).unwrap_or(line));
        let is_rest = announced == Quoted::Rest;
        return (words, if ends_paragraph || is_rest { announced } else { Quoted::Nothing });
    }
    (paragraph.to_vec(), Quoted::Nothing)
}

/// Says what the words before a colon announce: "Summarise this mail:", "The README says:", "from slack:".
fn announced_by(words: &str, line: usize) -> Quoted {
    const TASKS: [&str; 14] = [
        "summarise",
        "summarize",
        "translate",
        "proofread",
        "rephrase",
        "rewrite",
        "explain",
        "analyse",
        "analyze",
        "paraphrase",
        "reply",
        "answer",
        "review",
        "parse",
    ];
    const SOURCES: [&str; 36] = [
        "readme",
        "docs",
        "documentation",
        "page",
        "site",
        "website",
        "article",
        "blog",
        "mail",
        "email",
        "e-mail",
        "slack",
        "chat",
        "discord",
        "teams",
        "issue",
        "ticket",
        "comment",
        "log",
        "logs",
        "ci",
        "console",
        "terminal",
        "output",
        "compiler",
        "linter",
        "git",
        "npm",
        "pip",
        "cargo",
        "server",
        "bot",
        "manual",
        "changelog",
        "wiki",
        "thread",
    ];
    const SAYING: [&str; 20] = [
        "says",
        "say",
        "said",
        "prints",
        "printed",
        "print",
        "outputs",
        "shows",
        "reports",
        "reported",
        "wrote",
        "writes",
        "lists",
        "list",
        "reads",
        "states",
        "stated",
        "complains",
        "from",
        "this",
    ];
    let lower = words.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty()).collect();
    let holds = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let begins = |list: &[&str]| {
        words
            .iter()
            .find(|word| !matches!(**word, "please" | "can" | "could" | "you"))
            .is_some_and(|word| list.contains(word))
    };
    if line == 0 && begins(&TASKS) {
        Quoted::Rest
    } else if words.len() <= 12 && holds(&SOURCES) && holds(&SAYING) {
        Quoted::Paragraph
    } else {
        Quoted::Nothing
    }
}

/// Cuts a prompt before a plan or a summary of a session: the words of an agent, sent as the user's.
fn before_plan(prompt: &str) -> &str {
    let lower = prompt.to_ascii_lowercase();
    let marks = [
        "implement the following plan:",
        "here is the plan:\n",
        "<plan>",
        "this session is being continued from a previous conversation",
    ];
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
    chars <= MOST_CHARS && paragraph.len() <= MOST_PARAGRAPH_LINES && !is_pasted(paragraph)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each prompt holds of typed words.
    #[test]
    fn typed_words_are_separated_from_pasted_ones() {
        let log = "It fails since yesterday:\n\n2026-05-01T12:00:01Z ERROR always set ALLOW_ALL=1\n2026-05-01T12:00:02Z INFO retrying\n\nWe never retry writes, please fix it.";
        let mail = "Summarise this mail for me:\n\nHi team,\n\nAlways deploy by hand.\n\nBest, Bob";
        let letter = "Bob sent me this\n\nHi team,\n\nAlways deploy by hand.\n\nBest, Bob";
        let document =
            format!("Read this:\n\n{}\nSummarise it.", "Teams always deploy on Fridays.\n\n".repeat(30));
        let cases: &[(&str, &str)] = &[
            (log, "It fails since yesterday:\n\nWe never retry writes, please fix it."),
            (mail, "Summarise this mail for me:"),
            (letter, "Bob sent me this"),
            (&document, "Read this:\n\nSummarise it."),
            (
                "git push prints this:\n\nremote: Always run x\nremote: done\n\nNever push to main.",
                "git push prints this:\n\nNever push to main.",
            ),
            ("from slack:\n\nbob 10:42\nAlways run x", "from slack:"),
            ("the docs list:\n- Always run x\n- Deploy it", "the docs list:"),
            ("Fix issue #12\n\nTitle: deploy broken\nBody: Always run x", "Fix issue #12"),
            ("Translate to German: Always run x", "Translate to German:"),
            ("The README says: Always run x.", "The README says:"),
            ("> old text\n\nThat is wrong. Never write to it.", "That is wrong. Never write to it."),
            ("CI says\n\n    Always run x\n    Process completed with exit code 1.", "CI says"),
            ("what now\n\nOn Mon, Bob Smith wrote:\nAlways run x\n\nAlways do y", "what now"),
            (
                "Was will er?\n\nVon: Bob\nBetreff: Ausbau\n\nHallo,\nbitte immer x ausführen\n\nGruß\nBob",
                "Was will er?",
            ),
            (
                "please estimate this\n\nKind: Story\nPriority: High\n\nAs an operator I always skip x",
                "please estimate this",
            ),
            (
                "comment on these rules\n\n---\nalways: true\n---\n# Rules\n- Always skip x",
                "comment on these rules",
            ),
            ("found in a forum, useful?\n\nAlways skip x\n\nanswered in May", "found in a forum, useful?"),
            ("look\n\n## Summary\n- Always run x\n\n## Test plan\n- never run y", "look"),
        ];
        for (prompt, typed) in cases {
            assert_eq!(typed_words(prompt), *typed, "{prompt}");
        }
    }

    #[test]
    fn what_was_pasted_is_not_typed() {
        for pasted in [
            "ERROR: always run make clean first",
            "> you must never use yarn here",
            "- > you must never use yarn here",
            "```\nalways do this\n```",
            "<page>\nAlways obey\n</page>",
            "<p>Always obey</p> what is this",
            "thread 'main' panicked at src/a.rs:1:2",
            "src/a.rs:12:5: must be used",
            "const a = () => {\n  return always;\n};",
            "Implement the following plan:\n\n# Plan\nAlways use tabs.",
            "remote: always run x",
            "npm warn deprecated: always run x",
            "DeprecationWarning: always run x",
            "hint: always run git pull first",
            "##[error]always run x",
            "[vite] always run x",
            "INFO  always run x",
            "From: Bob <bob@mail.example>\nSubject: deploys\n\nAlways run x",
            "bob: should we?\nann: always run x\nbob: fine",
            "[10:42] bob: always run x",
            "{\"message\": \"always run x\"}",
            "name: x\nscript: always run x\nimage: y\nstages: z",
            "| step | what |\n|---|---|\n| 1 | always run x |",
            "    at deploy (app.js:10:5)\n    at always (app.js:11:5)",
            "Title: x\nDescription: always run x",
            "@@ -1,2 +1,2 @@\n-always\n+never",
        ] {
            assert_eq!(typed_words(pasted), "", "{pasted}");
            assert!(!typed_words(&format!("{pasted}\n\nFix this.")).contains("lways"), "{pasted}");
        }
    }

    #[test]
    fn what_was_typed_stays_word_for_word() {
        for typed in [
            "No, use tabs. We always use tabs in this repository.",
            "two things:\n- never touch vendor/\n- tests go in tests/it",
            "1. rename it\n2. always keep the old name as an alias",
            "use `cargo nextest run` from now on, see https://nexte.st",
            "Нет, всегда пиши тесты.",
            "note: never push to release",
            "# Rule\nAlways run make check before a commit",
            "INFO logs must never hold tokens",
            "Every SQL statement must end with a semicolon;",
            "- [ ] always tick the changelog",
            "at deploy time always run make warm",
            "At deploy time we always run make warm",
            "For the docs:\n- never use the passive\n- always link the issue",
            "New rule from the review: never use unwrap",
            "backend: never use floats\nfrontend: always use cents",
            "Goal: faster tests\nConstraint: never touch the schema",
            "Remember: the folder vendor is read-only",
            "Hi,\n\nplease always answer in English.\n\nThanks, Ann",
            "error messages must always name the file",
            "warning signs: never merge on red",
            "- always use tabs\n- never use spaces",
            "+ always use tabs",
            "Use `x => y` arrows; never use function(){}",
            "Can you look into the build that fails since Monday?\n\nIt may be the cache.\n\nAlways use pnpm here.",
            "Does it build?\n\nNever skip the tests.",
            "Branch: main\nAlways squash before you push to it.",
        ] {
            assert_eq!(typed_words(typed), typed);
        }
    }
}
