//! The normal form of what a user demands: an order, what it is about, when it holds. "I do not want to ship source maps" is "Do not ship
//! source maps"; "before you change code, please pull main" is "Pull main before you change code".
//!
//! Words and slips of the pen stay as they were typed. Not here: which sentence sets a rule (`user_rules`).

use crate::phrases::{FoldedSentence, PhraseGroup, phrases_of};
use crate::titles::{infinitive_of_gerund, title_of, weight, without_opening};
use backstory_memory::TITLE_CHARS;

/// Returns a sentence in its normal form.
pub(super) fn normal_form(sentence: &str) -> String {
    let said = sentence.trim().trim_end_matches(['.', '!', ' ']);
    // When a rule holds belongs to it, and says more at its end.
    if let Some((condition, rest)) = leading_condition(said) {
        let rest = normal_form(rest);
        let both = format!("{rest} {condition}");
        return if both.chars().count() <= TITLE_CHARS { both } else { rest };
    }
    for (group, form) in [(PhraseGroup::Unwanted, "do not"), (PhraseGroup::Unneeded, "no need to")] {
        if let Some(rest) = after_phrase(said, group) {
            return format!("{form} {rest}");
        }
    }
    let said = without_opening(said);
    let folded = FoldedSentence::new(said);
    // "If the mail is not known, we should just show a dash": what was said before it stays, courtesy goes.
    match said.split_once(", ").filter(|_| folded.begins_with(&["if", "when", "wenn", "если"])) {
        Some((when, then)) => format!("{when}, {}", without_opening(then)),
        None => said.to_owned(),
    }
}

/// Returns as an order what a reproach forbids: "why are you writing it in C?" is "Do not write it in C".
pub(super) fn of_reproach(sentence: &str) -> Option<String> {
    let said = without_opening(sentence).trim_end_matches(['?', '!', '.', ' ']);
    let (first, rest) = after_phrase(said, PhraseGroup::Reproach)?.split_once(' ')?;
    // "Still getting timeouts" reports.
    let verb = infinitive_of_gerund(&first.to_lowercase()).filter(|verb| *verb != "get")?;
    (weight(rest) >= 1).then(|| title_of(&format!("Do not {verb} {rest}")))
}

/// Cuts a clause that says when something holds from what holds then: both say enough.
fn leading_condition(said: &str) -> Option<(String, &str)> {
    if !FoldedSentence::new(said).opens_with(PhraseGroup::Condition) {
        return None;
    }
    let (condition, rest) = said.split_once(", ")?;
    let rest = without_opening(rest);
    let lower = condition.to_lowercase();
    // "Next time" speaks of one time, and means every one.
    let condition = match after_words(&lower, "next time") {
        Some(when) => format!("when {when}"),
        None => format!("{}{}", lower.get(..1)?, condition.get(1..)?),
    };
    (weight(rest) >= 1 && weight(&condition) >= 1).then_some((condition, rest))
}

fn after_phrase(said: &str, group: PhraseGroup) -> Option<&str> {
    let rest = without_opening_but(said);
    let lower = rest.to_lowercase().replace('’', "'");
    let phrase = phrases_of(group).find(|phrase| after_words(&lower, phrase).is_some())?;
    // Lower case may have other lengths in some scripts, and so has an apostrophe: then nothing is dropped.
    rest.get(phrase.len()..)
        .map(str::trim)
        .filter(|rest| !rest.is_empty() && lower.ends_with(&rest.to_lowercase()))
}

/// What stands behind some words at the beginning.
fn after_words<'a>(lower: &'a str, words: &str) -> Option<&'a str> {
    lower.strip_prefix(words)?.strip_prefix(' ').map(str::trim)
}

/// Drops assent before what is said: "ok, I do not need to see it". What the user wants is no opening here.
fn without_opening_but(said: &str) -> &str {
    let rest = without_opening(said);
    let begins = |text: &str| {
        let folded = FoldedSentence::new(text);
        folded.opens_with(PhraseGroup::Unwanted) || folded.opens_with(PhraseGroup::Unneeded)
    };
    if begins(rest) { rest } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_titled_as_an_order_with_when_it_holds() {
        let check =
            |sentence: &str, form: &str| assert_eq!(title_of(&normal_form(sentence)), form, "{sentence}");
        check("I do not want to ship source maps anymore.", "Do not ship source maps anymore");
        check(
            "ok, i don't need to see the trace ids in the list",
            "No need to see the trace ids in the list",
        );
        check("before you change code, please pull main", "Pull main before you change code");
        check(
            "next time you touched the schema, let me migrate",
            "Let me migrate when you touched the schema",
        );
        check(
            "if the mail is not known, we should just show a dash",
            "If the mail is not known, show a dash",
        );
        check("I think its better not to log addresses", "Do not log addresses");
        check("use tabs", "Use tabs");
    }

    #[test]
    fn a_reproach_forbids_what_it_asks_about() {
        assert_eq!(of_reproach("Why are you writing it in C?").as_deref(), Some("Do not write it in C"));
        assert_eq!(of_reproach("why are you so slow?"), None);
        assert_eq!(
            of_reproach("Stop adding comments to tests").as_deref(),
            Some("Do not add comments to tests")
        );
        let ticks = of_reproach("still reporting ticks instead of seconds?");
        assert_eq!(ticks.as_deref(), Some("Do not report ticks instead of seconds"));
        assert_eq!(of_reproach("still getting timeouts instead of rows"), None);
        assert_eq!(of_reproach("how do you do it?"), None);
    }
}
