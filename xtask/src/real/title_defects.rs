//! What is wrong with a title or a line by its form alone, and which memories tell one piece of work twice. Worth is for a judge.

use super::matching::{is_work, word_set};
use super::project_run::RunMemory;
use backstory_memory::{says_the_same, words};
use std::collections::BTreeSet;

/// A defect that can be seen without the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleDefect {
    /// Ends inside a word or a sentence.
    Cut,
    /// The agent talking to the user.
    AgentSpeak,
    /// Markup, a lone path, torn quotes or brackets, punctuation.
    Debris,
    /// The beginning of a prompt.
    Prompt,
}

impl TitleDefect {
    /// Every defect, with the word for it.
    pub(crate) const ALL: [(TitleDefect, &str); 4] = [
        (TitleDefect::Cut, "cut"),
        (TitleDefect::AgentSpeak, "agent-speak"),
        (TitleDefect::Debris, "debris"),
        (TitleDefect::Prompt, "the prompt"),
    ];
}

/// Words that begin a message to the user, in lower case. A title that begins so was never a title.
#[rustfmt::skip]
const AGENT_OPENINGS: [&str; 50] = [
    "i'll", "i've", "i'm", "i can", "i have", "i was", "i see", "i need", "let me", "let's", "perfect", "great",
    "excellent", "done", "all done", "all good", "everything", "now", "here's", "here is", "here are", "yes", "yep",
    "yeah", "sure", "understood", "good", "got it", "looks good", "looks like", "that's", "that was", "successfully",
    "want me to", "ready", "okay", "ok", "no problem", "it's", "it is", "it exists", "it stays", "there's", "or just",
    "hmm", "hmmm", "try", "they're", "we're", "so",
];
/// Words said to somebody.
const ADDRESSING: [&str; 3] = ["you", "your", "yours"];
/// Words no title ends with.
#[rustfmt::skip]
const OPEN_ENDS: [&str; 24] = [
    "a", "an", "the", "of", "to", "and", "or", "with", "for", "in", "on", "at", "by", "from", "that", "which", "is",
    "are", "its", "into", "as", "but", "not", "now",
];
const MARKUP: [&str; 11] =
    ["**", "```", "](", "[REDACTED", "✅", "✓", "❌", "[x]", "[ ]", " | ", "Progress:"];
const FEWEST_PROMPT_WORDS: usize = 3;

/// Returns what is wrong with a memory's title.
pub(crate) fn title_defects(memory: &RunMemory, prompts: &[String]) -> BTreeSet<TitleDefect> {
    let title = memory.title.trim();
    let is_bad = |defect: TitleDefect| match defect {
        TitleDefect::Cut => is_cut(title, &memory.body),
        // A rule may well be the user's own words.
        TitleDefect::AgentSpeak => memory.kind != "rule" && is_agent_speak(title),
        TitleDefect::Debris => is_debris(title),
        TitleDefect::Prompt => {
            memory.kind != "rule" && prompts.iter().any(|prompt| begins_like(prompt, title))
        }
    };
    TitleDefect::ALL.into_iter().map(|(defect, _)| defect).filter(|defect| is_bad(*defect)).collect()
}

fn is_cut(title: &str, body: &str) -> bool {
    let ends_openly = words(title).last().is_some_and(|word| OPEN_ENDS.contains(&word.as_str()));
    let goes_on = |(at, _): (usize, &str)| {
        let rest = body.get(at + title.len()..).unwrap_or_default();
        rest.starts_with(char::is_alphanumeric) && title.ends_with(char::is_alphanumeric)
    };
    title.ends_with('…')
        || title.ends_with("...")
        || ends_openly
        || body.match_indices(title).next().is_some_and(goes_on)
}

fn is_agent_speak(title: &str) -> bool {
    let lower = title.to_lowercase().replace('’', "'");
    let opens = |start: &&str| {
        lower.strip_prefix(*start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    AGENT_OPENINGS.iter().any(opens)
        || [" i've ", " i'll "].iter().any(|words| lower.contains(words))
        || words(title).any(|word| ADDRESSING.contains(&word.as_str()))
}

fn is_debris(title: &str) -> bool {
    let is_path = |token: &str| token.contains('/') || token.contains('\\') && !token.contains('`');
    let is_tag = title
        .split('<')
        .skip(1)
        .any(|rest| rest.starts_with(|it: char| it.is_alphabetic() || it == '/') && rest.contains('>'));
    let is_torn = ['"', '`'].iter().any(|quote| title.matches(*quote).count() % 2 == 1)
        || [('(', ')'), ('[', ']'), ('{', '}')]
            .iter()
            .any(|(open, close)| title.matches(*open).count() != title.matches(*close).count());
    let opens_badly = title.starts_with(|it: char| !it.is_alphanumeric() && !"`\"'@/.#$<([-_~".contains(it))
        || ["- ", "# ", "## ", "[]"].iter().any(|start| title.starts_with(start));
    // A cut title is torn because it is cut.
    let is_torn = is_torn && !title.ends_with('…');
    MARKUP.iter().any(|mark| title.contains(mark))
        || is_tag
        || is_torn
        || opens_badly
        || title.ends_with([':', ',', '(', '-', '—'])
        || title.split_whitespace().all(is_path)
        || words(title).nth(1).is_none()
}

/// Whether a title is the beginning of a prompt, or all of it.
fn begins_like(prompt: &str, title: &str) -> bool {
    let title: Vec<String> = words(title).collect();
    title.len() >= FEWEST_PROMPT_WORDS && words(prompt).take(title.len()).eq(title)
}

/// Whether a line was made unreadable: words joined by carets.
pub(crate) fn is_unreadable(line: &str) -> bool {
    line.split_whitespace().any(|token| token.matches('^').count() >= 2)
}

/// Counts memories of a piece of work that another memory of the session holds already.
pub(crate) fn count_duplicates(memories: &[&RunMemory]) -> usize {
    let is_repeated = |(at, memory): (usize, &&RunMemory)| {
        memories.iter().take(at).any(|earlier| is_same_work(earlier, memory))
    };
    memories.iter().enumerate().filter(|it| is_repeated(*it)).count()
}

fn is_same_work(one: &RunMemory, other: &RunMemory) -> bool {
    if one.session != other.session {
        return false;
    }
    let commits: BTreeSet<&str> = one.detail_list("commits").into_iter().collect();
    let share_commit = other.detail_list("commits").iter().any(|commit| commits.contains(commit));
    let files: BTreeSet<&String> = one.files.iter().collect();
    let shared = other.files.iter().filter(|file| files.contains(file)).count();
    let same_files = shared > 0 && 2 * shared >= files.len().max(other.files.len());
    let (title, other_title) = (word_set(&one.title), word_set(&other.title));
    let shared_words = title.intersection(&other_title).count();
    let same_title = 2 * shared_words >= title.len().max(other_title.len()).max(1);
    let both_work = is_work(&one.kind) && is_work(&other.kind);
    (both_work && share_commit)
        || (both_work && same_files && same_title)
        || says_the_same(&one.title, &other.title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn memory(kind: &str, title: &str, body: &str) -> RunMemory {
        RunMemory {
            kind: kind.to_owned(),
            title: title.to_owned(),
            body: body.to_owned(),
            ..RunMemory::default()
        }
    }

    fn defects(title: &str) -> Vec<TitleDefect> {
        let body = "The clock of the second tower runs lately and nobody winds it.";
        let prompts = ["please wind the clock of the second tower".to_owned()];
        title_defects(&memory("change", title, body), &prompts).into_iter().collect()
    }

    #[test]
    fn defects_are_seen_by_form() {
        for good in [
            "Wind the tower clock daily",
            "`make clock` (twice) winds it",
            "src/clock.rs keeps the time zone",
        ] {
            assert_eq!(defects(good), [], "{good}");
        }
        for cut in
            ["The clock of the second…", "The clock of the second tower runs late", "Wind the clock of the"]
        {
            assert_eq!(defects(cut), [TitleDefect::Cut], "{cut}");
        }
        for speech in [
            "Perfect! The clock runs",
            "I've wound the clock",
            "Done. Clock wound",
            "Try the clock of your tower",
        ] {
            assert_eq!(defects(speech), [TitleDefect::AgentSpeak], "{speech}");
        }
        for debris in [
            "**Clock** wound twice",
            "src/clock.rs",
            "Clock says \"late",
            "[] 12 clocks wound",
            "Clocks wound:",
        ] {
            assert_eq!(defects(debris), [TitleDefect::Debris], "{debris}");
        }
        assert_eq!(defects("Please wind the clock"), [TitleDefect::Prompt]);
        assert!(
            title_defects(&memory("rule", "Wind it daily", ""), &["wind it daily".to_owned()]).is_empty()
        );
    }

    #[test]
    fn one_piece_of_work_counts_once() {
        let mut first = memory("feature", "Wind the clock at noon", "");
        first.details = json!({"commits": ["1234567"]});
        let mut again = memory("change", "Noon winding", "");
        again.details = first.details.clone();
        let other = memory("feature", "Paint the tower", "");
        let note = memory("note", "Paint the tower", "");
        assert_eq!(count_duplicates(&[&first, &again, &other, &note]), 2);
        again.session = Some("later".to_owned());
        assert_eq!(count_duplicates(&[&first, &again, &other]), 0);
    }

    #[test]
    fn joined_words_are_unreadable() {
        assert!(is_unreadable("#3 change Wind^the^clock · 2d"));
        assert!(!is_unreadable("#3 change 2^10 turns of the clock"));
    }
}
