//! Whether a sentence that sets a rule says by itself that it holds beyond the task: it demands or forbids something of all there is.
//!
//! "Better not to keep any of it", "every call needs a timeout": who speaks of any, every or ever speaks of what is not there yet. Not here:
//! which sentences set a rule, and which say so with "always" or "from now on" (`user_rules`).

use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::titles::{begins_with_order, without_opening};
use backstory_memory::words;

/// Words that speak of all there is and will be.
#[rustfmt::skip]
const UNIVERSAL: &[&str] = &[
    "all", "any", "anybody", "anyone", "anything", "anywhere", "anymore", "each", "ever", "every", "everybody", "everyone", "everywhere", "nobody", "nowhere", "whenever", "wherever",
    "alle", "allen", "aller", "jede", "jedem", "jeden", "jeder", "jedes", "überall", "nirgends", "kein", "keine", "keinen",
    "все", "всех", "каждый", "каждая", "каждого", "любой", "никаких", "везде", "todo", "todos", "todas", "cada", "ningún", "ninguna", "tout", "tous", "toutes", "chaque", "aucun", "aucune",
];

/// Words that tie a sentence to what is at hand.
#[rustfmt::skip]
const AT_HAND: &[&str] = &[
    "this", "these", "those", "that", "it", "them", "they", "here", "now", "yet", "today", "currently", "still", "dies", "diese", "dieser", "dieses", "jetzt", "heute", "noch",
    "это", "этот", "эти", "сейчас", "пока", "сегодня", "esto", "este", "ahora", "hoy", "ceci", "cette", "maintenant",
];

/// Whether a sentence of the user that may hold for its task only holds beyond it.
pub(super) fn is_lasting(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let demands = [PhraseGroup::Strict, PhraseGroup::Contrast, PhraseGroup::Demand, PhraseGroup::Unwanted]
        .into_iter()
        .any(|group| folded.has(group));
    let is_among = |list: &[&str]| words(sentence).any(|word| list.contains(&word.as_str()));
    // "Delete all old files, not the new ones" orders a piece of work.
    let orders_work = || begins_with_order(without_opening(sentence)) && !is_forbidding(sentence);
    demands && is_among(UNIVERSAL) && !is_among(AT_HAND) && !sentence.contains('?') && !orders_work()
}

/// Whether a sentence begins with what is not to be done.
fn is_forbidding(sentence: &str) -> bool {
    let mut first = words(without_opening(sentence));
    match (first.next().as_deref(), first.next().as_deref()) {
        (Some("do"), Some("not")) | (Some("don"), Some("t")) => true,
        (Some(first), _) => matches!(first, "dont" | "avoid"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_demands_something_of_all_there_is_speaks_of_more_than_the_task() {
        for (sentence, expected) in [
            ("every form needs a label", true),
            ("it would be better not to print any ticket number", false),
            ("I think better not to print any ticket number", true),
            ("do not print any ticket number", true),
            ("Jede Seite soll einen Titel haben", true),
            ("I don't want to round my totals anymore", true),
            ("the page should have a title", false),
            ("delete all old tickets, not the new ones", false),
            ("rename all ferries, only the big ones should stay", false),
            ("all of these should be blue", false),
            ("all tickets should be blue for now", false),
            ("must every ticket be blue?", false),
            ("every ticket is blue", false),
        ] {
            assert_eq!(is_lasting(sentence), expected, "{sentence}");
        }
    }
}
