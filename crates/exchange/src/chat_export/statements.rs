//! Which sentences of a chat say what was decided or found out. In doubt none: a chat of an hour holds two or three, and a wrong one is worse
//! than a missing one.
//!
//! An assistant proposes all day long; of its words counts only what it calls a decision or a finding itself.

use backstory_distil::sentences;
use backstory_memory::{Kind, TITLE_CHARS, first_chars, typed_words, words};

/// A sentence that says something lasting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) kind: Kind,
    pub(super) title: String,
    /// The paragraph it stands in.
    pub(super) around: String,
}

/// A shorter sentence decides nothing that could be understood alone; a longer one is a text.
const FEWEST_WORDS: usize = 4;
const MOST_CHARS: usize = 300;
/// How many statements of one message count.
const MOST: usize = 4;

/// How a person says that something is settled. Looked for between blanks, in lower case.
const DECIDED: &[&str] = &[
    "we decided",
    "i decided",
    "i've decided",
    "we've decided",
    "we agreed",
    "let's go with",
    "lets go with",
    "i'll go with",
    "we'll go with",
    "i will go with",
    "we will go with",
    "going with",
    "we are going to use",
    "we're going to use",
    "we will use",
    "we'll use",
    "i'll use",
    "i chose",
    "we chose",
    "we settled on",
    "i settled on",
    "the decision is",
    "wir haben entschieden",
    "ich habe mich entschieden",
    "wir haben uns entschieden",
    "wir nehmen",
    "wir haben uns geeinigt",
];
/// How a person says what was behind something.
const FOUND: &[&str] = &[
    "it turned out",
    "turns out",
    "turned out that",
    "the cause was",
    "the reason was",
    "the problem was",
    "the fix was",
    "the culprit was",
    "the root cause",
    "was caused by",
    "es lag an",
    "die ursache war",
    "das problem war",
    "hat sich herausgestellt",
];
/// How a line of notes names what it is.
const LABELS: &[(&str, Kind)] = &[
    ("decision:", Kind::Decision),
    ("decided:", Kind::Decision),
    ("entscheidung:", Kind::Decision),
    ("fact:", Kind::Fact),
    ("finding:", Kind::Fact),
    ("root cause:", Kind::Fact),
    ("ursache:", Kind::Fact),
];

/// Returns what a message says that lasts. Of a person's words only those count that were typed, not pasted.
pub(super) fn statements(text: &str, is_typed: bool) -> Vec<Statement> {
    let typed = if is_typed { typed_words(text) } else { without_code(text) };
    let mut found: Vec<Statement> = Vec::new();
    for paragraph in typed.split("\n\n") {
        for line in paragraph.lines() {
            for sentence in sentences(plain(line)) {
                let statement = kind_of(sentence, is_typed).map(|(kind, said)| Statement {
                    kind,
                    title: first_chars(said, TITLE_CHARS).to_owned(),
                    around: paragraph.trim().to_owned(),
                });
                found.extend(statement.filter(|one| found.iter().all(|known| known.title != one.title)));
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Returns what a sentence is, and the sentence without its label.
fn kind_of(sentence: &str, is_typed: bool) -> Option<(Kind, &str)> {
    let folded = format!(" {} ", sentence.to_lowercase().replace(['’', '‘'], "'"));
    let has_sense = |said: &str| words(said).count() >= FEWEST_WORDS && said.chars().count() <= MOST_CHARS;
    for (label, kind) in LABELS {
        let rest = sentence.get(label.len()..).filter(|_| folded.trim_start().starts_with(label));
        if let Some(said) = rest.map(|rest| rest.trim_matches(['*', ' '])).filter(|said| has_sense(said)) {
            return Some((*kind, said));
        }
    }
    // A question decides nothing, and neither does a sentence that weighs an option.
    let is_open = sentence.trim_end().ends_with('?')
        || [" if ", " maybe ", " perhaps ", " should we ", " vielleicht ", " falls "]
            .iter()
            .any(|word| folded.contains(word));
    if !is_typed || is_open || !has_sense(sentence) {
        return None;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| folded.contains(&format!(" {phrase} ")));
    match () {
        () if says(DECIDED) => Some((Kind::Decision, sentence)),
        () if says(FOUND) => Some((Kind::Fact, sentence)),
        () => None,
    }
}

/// Returns a line without the marks of a list, a heading or emphasis.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches(['#', '-', '*', '>', ' ']).trim_end_matches('*')
}

/// Leaves out what stands between code fences.
fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, is_typed: bool, expected: &[(Kind, &str)]) {
        let found = statements(text, is_typed);
        let found: Vec<(Kind, &str)> = found.iter().map(|one| (one.kind, one.title.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_decision_counts_and_an_option_does_not() {
        let decided = "We decided to keep invoices in one table.";
        check(&format!("Thanks! {decided} Can you write the migration?"), true, &[(Kind::Decision, decided)]);
        check("Should we go with Postgres? Maybe we will use SQLite instead of it.", true, &[]);
        check(
            "Let’s go with weekly backups, they are cheap.",
            true,
            &[(Kind::Decision, "Let’s go with weekly backups, they are cheap.")],
        );
        let found = "It turned out the cache kept stale prices.";
        check(found, true, &[(Kind::Fact, found)]);
        check("Write a poem about the sea.", true, &[]);
    }

    #[test]
    fn an_assistants_sentence_counts_only_with_a_label() {
        check("We decided to use a queue. You could also poll.", false, &[]);
        check(
            "**Decision:** keep one worker per region\n\n- Root cause: the clock of the runner was wrong",
            false,
            &[
                (Kind::Decision, "keep one worker per region"),
                (Kind::Fact, "the clock of the runner was wrong"),
            ],
        );
        check("```\nDecision: this stands in some code here\n```", false, &[]);
    }
}
