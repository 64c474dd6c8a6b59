//! What a sentence asserts: about what, which value, for or against, and which value it takes back.
//!
//! Two assertions agree, or one takes the place of the other, or they have nothing to do with each other; decided here once, for
//! whatever writes a memory. In doubt both stand: a rule that is lost costs more than one that is there twice. Not here: who may
//! overrule whom (`reconcile`).

mod json;

use crate::phrases::{FoldedSentence, exclude_each_other, exclusive_names};
use crate::titles::without_opening;
use backstory_memory::{NEAR_DUPLICATE, is_stop_word, stem, words};
use std::collections::BTreeSet;

/// How a known assertion stands to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// It says the same.
    Same,
    /// It says the opposite, or gives another value.
    Opposite,
    /// It is about something else.
    Unrelated,
}

/// What one sentence asserts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Assertion {
    /// The words it is about.
    subject: BTreeSet<String>,
    /// Numbers, days, and names of which a project has one at a time.
    values: BTreeSet<String>,
    /// Where it holds, if it says so: "for queues", "in the mobile app, …".
    scope: BTreeSet<String>,
    /// What it says is no longer, or not to be taken: what follows `instead of`.
    taken_back: BTreeSet<String>,
    /// "The default branch is main": what stands before the verb, and the word or two behind it.
    equation: Option<(BTreeSet<String>, String)>,
    /// The words of its first clause, in order.
    opening: Vec<String>,
    is_negative: bool,
    /// Whether it says that it holds from now on.
    is_change: bool,
    /// Whether it says that it amends what was said before.
    is_amendment: bool,
}

/// So many words follow `instead of` that name what is taken back.
const MOST_TAKEN_BACK: usize = 3;
/// A change of something in the same words begins with as many of them.
const SAME_OPENING: usize = 3;
/// So many words are shared by two sentences of which one takes back the number of the other.
const SHARED_WITH_NUMBER: usize = 2;
/// What is said of a bare name may be about as many words.
const BARE_SUBJECT: usize = 2;

#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "don't", "dont", "without", "avoid", "cannot", "can't", "stop", "isn't", "doesn't", "won't", "shouldn't", "mustn't", "against",
    "dropped", "forget", "nicht", "kein", "keine", "nie", "niemals", "не", "нет", "никогда", "нельзя", "nunca", "jamais", "pas",
];
/// What introduces the value that is taken back.
#[rustfmt::skip]
const TAKES_BACK: &[&str] = &[
    " instead of ", " rather than ", " no longer use ", " stop using ", " forget ", " statt ", " вместо ", " en lugar de ", " au lieu de ", ", not ",
    " and not ", " don't use ", " over ",
];
/// Words that say that something is asserted, and nothing of it.
#[rustfmt::skip]
const FRAMING: &[&str] = &[
    "always", "must", "should", "use", "using", "used", "uses", "prefer", "need", "needs", "have", "has", "make", "sure", "ensure", "only", "now", "from",
    "want", "like", "let", "s", "don", "t", "won", "doesn", "isn", "please", "think", "we", "here", "repo", "project", "any", "more", "anymore", "longer",
    "every", "each", "everything", "anything", "remember", "decided", "switched", "moved", "actually", "fine", "ok", "okay", "after", "support", "new", "second", "thought", "changed", "mind", "change", "plan",
    "immer", "muss", "soll", "всегда", "надо", "нужно",
];
/// Words that say that what was decided before is amended, and those that only point at it.
const AMENDS: &[&str] = &[
    "amend",
    "amended",
    "amending",
    "amendment",
    "amends",
    "supersede",
    "superseded",
    "supersedes",
    "superseding",
];
const POINTS_BACK: &[&str] = &[
    "earlier",
    "previous",
    "previously",
    "prior",
    "former",
    "decision",
    "rule",
    "agreement",
    "agreed",
    "said",
    "this",
];
/// What begins a clause that says where a sentence holds.
const PLACES: &[&str] = &["for", "in", "inside", "on", "under", "within", "für", "im", "для", "в"];
#[rustfmt::skip]
const VALUE_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "ten", "monday", "mondays", "tuesday", "tuesdays", "wednesday", "wednesdays", "thursday", "thursdays",
    "friday", "fridays", "saturday", "sunday", "weekends",
];

impl Assertion {
    /// Reads what a sentence asserts.
    pub(super) fn read(sentence: &str) -> Assertion {
        let lower = format!(
            " {} ",
            without_opening(sentence).to_lowercase().replace('’', "'").trim_end_matches(['.', '!'])
        );
        let is_amendment = words(&lower).any(|word| AMENDS.contains(&word.as_str()));
        let is_small = |word: &str| {
            is_small(word) || is_amendment && (AMENDS.contains(&word) || POINTS_BACK.contains(&word))
        };
        let (scope, rest) = scope_and_rest(&lower);
        let lower = turned_around(rest).unwrap_or_else(|| rest.to_owned());
        let cut = TAKES_BACK.iter().filter_map(|mark| Some((lower.find(mark)?, mark.len()))).min();
        let parts = cut.and_then(|(at, length)| Some((lower.get(..at)?, lower.get(at + length..)?)));
        let (said, rest) = parts.unwrap_or((lower.as_str(), ""));
        // "Amendment to the limits: uploads may have 20 MB" says behind the colon what holds.
        let said = said.split_once(": ").filter(|_| is_amendment).map_or(said, |(_, said)| said);
        // What follows a comma explains: "never rebase, merge them". What only amends says nothing yet.
        let says_something = |clause: &&str| words(clause).any(|word| !is_small(&word));
        let said = said.split([',', ';']).find(says_something).unwrap_or(said);
        let names = exclusive_names(&FoldedSentence::new(said));
        let opening: Vec<String> = words(said).collect();
        let mut asserted = Assertion {
            scope: content_words(scope).collect(),
            taken_back: taken_back(said, rest),
            equation: equation(said),
            is_negative: said
                .split(|c: char| !c.is_alphanumeric() && c != '\'')
                .any(|word| NEGATIONS.contains(&word)),
            is_change: opening.last().is_some_and(|last| last == "now"),
            is_amendment,
            opening,
            ..Assertion::default()
        };
        for word in words(said).filter(|word| !is_small(word)) {
            let is_value = word.bytes().any(|byte| byte.is_ascii_digit())
                || VALUE_WORDS.contains(&word.as_str())
                || names.contains(&word.as_str());
            let word = stem(&word).to_owned();
            if is_value { &mut asserted.values } else { &mut asserted.subject }.insert(word);
        }
        asserted
    }

    /// The words that an assertion on the same thing shares with it.
    pub(super) fn topic_words(&self) -> impl Iterator<Item = &String> {
        self.subject.iter().chain(&self.values)
    }

    /// Those, and what it takes back.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &String> {
        self.topic_words().chain(self.taken_back.difference(&self.subject))
    }

    /// Whether it denies or forbids.
    pub(super) fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// The numbers it gives.
    pub(super) fn numbers(&self) -> Vec<&str> {
        let is_number = |value: &&str| value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        self.values.iter().map(String::as_str).filter(is_number).collect()
    }

    /// Whether it says itself that it changes what was said before.
    pub(super) fn is_explicit(&self) -> bool {
        self.is_amendment || self.is_change || !self.taken_back.is_empty()
    }

    /// Whether it may share nothing but a value with what it takes the place of.
    pub(super) fn replaces_value(&self) -> bool {
        !self.taken_back.is_empty() || self.named().is_some()
    }

    /// Compares a known assertion with this one; `alike` says how alike the whole texts are.
    pub(super) fn compared_with(&self, known: &Assertion, alike: f64) -> Agreement {
        let is_reversed = self.is_negative != known.is_negative;
        let is_other_value = !self.values.is_subset(&known.values) && !known.values.is_subset(&self.values);
        // An exception narrows what it is about; a denial does not. What is allowed in general leaves what is forbidden in particular.
        let is_denied = if self.is_negative {
            self.subject.is_subset(&known.subject)
        } else {
            self.subject == known.subject
        };
        let denies = is_reversed && is_denied && self.values.is_subset(&known.values);
        let says_something = !self.subject.is_empty() || !self.values.is_empty();
        match () {
            () if self.holds_elsewhere(known) => Agreement::Unrelated,
            () if self.takes_back(known) || self.amends(known) => Agreement::Opposite,
            () if is_other_value && !is_reversed && self.is_about(known) => Agreement::Opposite,
            () if denies && says_something && self.is_about(known) => Agreement::Opposite,
            () if self.is_other_name(known) || self.changes(known) => Agreement::Opposite,
            () if is_reversed || self.values != known.values => Agreement::Unrelated,
            () if self.says_no_more_than(known, alike) => Agreement::Same,
            () => Agreement::Unrelated,
        }
    }

    /// Whether each says where it holds, and it is not the same place.
    fn holds_elsewhere(&self, known: &Assertion) -> bool {
        !self.scope.is_subset(&known.scope) && !known.scope.is_subset(&self.scope)
    }

    /// Whether it amends something it shares most of its words with, and says otherwise.
    fn amends(&self, known: &Assertion) -> bool {
        let shared = self.subject.intersection(&known.subject).count();
        let least = self.subject.len().min(known.subject.len());
        let is_other = self.subject != known.subject || self.values != known.values;
        self.is_amendment && is_other && shared > 0 && shared * 2 >= least
    }

    /// Whether both say the same: in the same words, or nearly, and neither speaks of something the other does not.
    fn says_no_more_than(&self, known: &Assertion, alike: f64) -> bool {
        let is_part = self.subject.is_subset(&known.subject) || known.subject.is_subset(&self.subject);
        self.subject == known.subject && self.subject.len() > 1 || alike >= NEAR_DUPLICATE && is_part
    }

    /// Whether one is about nothing the other is not about.
    fn is_about(&self, known: &Assertion) -> bool {
        let is_named = !self.subject.is_empty() && !known.subject.is_empty();
        let is_bare = self.subject.is_empty() && !self.values.is_disjoint(&known.values);
        (is_named || is_bare)
            && (self.subject.is_subset(&known.subject) || known.subject.is_subset(&self.subject))
    }

    /// Whether it names a known value as the one that is not to be taken.
    fn takes_back(&self, known: &Assertion) -> bool {
        let knows = |word: &String| known.subject.contains(word) || known.values.contains(word);
        // A number stands in many sentences, a name in few.
        let is_number = self.taken_back.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let beside = known.subject.difference(&self.taken_back).count();
        let is_near = match () {
            // "Kept for 48 hours, not 24" is about what is to be kept for 24: the words need not be the same ones.
            () if is_number => {
                let shared = self.subject.intersection(&known.subject).count();
                self.is_about(known) || shared >= SHARED_WITH_NUMBER
            }
            () if self.subject.is_empty() => beside <= BARE_SUBJECT,
            () => !self.subject.is_disjoint(&known.subject) || self.subject.is_subset(&known.taken_back),
        };
        !self.taken_back.is_empty() && !known.is_negative && self.taken_back.iter().all(knows) && is_near
    }

    /// The names in it of which a project has one.
    fn named(&self) -> Option<Vec<&'static str>> {
        let names = exclusive_names(&FoldedSentence::new(&self.opening.join(" ")));
        (!names.is_empty()).then_some(names)
    }

    /// Whether both name one of several things of which a project has one: "use pnpm" after "use npm".
    fn is_other_name(&self, known: &Assertion) -> bool {
        let is_near = self.subject.is_subset(&known.subject) || known.subject.is_subset(&self.subject);
        let are_bare = self.subject.len().max(known.subject.len()) <= BARE_SUBJECT;
        let (Some(here), Some(there)) = (self.named(), known.named()) else { return false };
        is_near && are_bare && self.is_negative == known.is_negative && exclude_each_other(&here, &there)
    }

    /// Whether it says something else of the same thing: "the default branch is main", "staging runs on Fly now".
    fn changes(&self, known: &Assertion) -> bool {
        let same = self.opening.iter().zip(&known.opening).take_while(|(one, other)| one == other).count();
        // "for queues now" beside "for sessions" is another scope; so is what ends alike.
        let is_scope = self.opening.get(same.wrapping_sub(1)).is_some_and(|word| word == "for");
        let last = |opening: &[String]| opening.iter().rev().find(|word| *word != "now").cloned();
        let ends_alike = last(&self.opening) == last(&known.opening);
        let is_renewed = self.is_change && same >= SAME_OPENING && !is_scope && !ends_alike;
        let is_other = match (&self.equation, &known.equation) {
            (Some((one, value)), Some((other, known))) => one == other && value != known,
            _ => false,
        };
        is_renewed || is_other
    }
}

/// Splits off a first clause that says where the rest holds: "In the mobile app, use spaces".
fn scope_and_rest(lower: &str) -> (&str, &str) {
    let begins = |clause: &str| words(clause).next().is_some_and(|word| PLACES.contains(&word.as_str()));
    let is_place = |(clause, rest): &(&str, &str)| {
        begins(clause) && !clause.contains(|c: char| c.is_ascii_digit()) && words(rest).count() > 1
    };
    lower.split_once(',').filter(is_place).unwrap_or(("", lower))
}

/// Puts "no longer A but B" the other way round: "B instead of A".
fn turned_around(lower: &str) -> Option<String> {
    const MARKS: [(&str, &str); 4] = [
        (" no longer ", " but "),
        (" not ", " any more but "),
        (" nicht mehr ", " sondern "),
        (" больше не ", " а "),
    ];
    MARKS.iter().find_map(|(no, but)| {
        let (before, rest) = lower.split_once(no)?;
        let (gone, holds) = rest.split_once(but)?;
        let holds = holds.trim_start_matches("rather ").trim();
        Some(format!("{before} {holds} instead of {} ", gone.trim_end_matches([',', ' '])))
    })
}

/// What is taken back: what follows the mark, or what is left when something moves from one thing to another.
fn taken_back(said: &str, rest: &str) -> BTreeSet<String> {
    let moved =
        [" switched from ", " moved from ", " migrated from "].iter().find_map(|mark| said.split_once(mark));
    let left = moved.and_then(|(_, rest)| rest.split(" to ").next());
    let rest = left.unwrap_or_else(|| rest.split([',', ';']).next().unwrap_or(rest));
    content_words(rest).take(MOST_TAKEN_BACK).collect()
}

fn equation(said: &str) -> Option<(BTreeSet<String>, String)> {
    let (subject, value) = [" is ", " are ", " ist "].iter().find_map(|verb| said.split_once(verb))?;
    let value: Vec<&str> = value.split_whitespace().filter(|word| *word != "now").collect();
    let subject: BTreeSet<String> = content_words(subject).collect();
    let is_name = value.len() == 1 && value.iter().all(|word| !NEGATIONS.contains(word));
    (is_name && !subject.is_empty()).then(|| (subject, value.join(" ")))
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| !is_small(word)).map(|word| stem(&word).to_owned())
}

fn is_small(word: &str) -> bool {
    is_stop_word(word) || NEGATIONS.contains(&word) || FRAMING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::jaccard;

    #[test]
    fn assertions_agree_contradict_or_have_nothing_to_do_with_each_other() {
        use Agreement::{Opposite, Same, Unrelated};
        for (known, said, expected) in [
            ("Idempotency keys are kept for 24 hours", "idempotency keys are kept for 48 hours", Opposite),
            (
                "Always keep idempotency keys for 24 hours",
                "idempotency keys are kept for 48 hours now, not 24",
                Opposite,
            ),
            ("The queue holds 24 jobs", "idempotency keys are kept for 48 hours now, not 24", Unrelated),
            ("Use npm", "use pnpm", Opposite),
            ("Tests run with jest", "tests run with vitest instead of jest", Opposite),
            ("Store the e-mail in the browser", "never store the e-mail in the browser", Opposite),
            ("The default branch is master", "the default branch is main", Opposite),
            ("Staging runs on Hetzner", "staging runs on Scaleway now", Opposite),
            ("Always branch off main", "always branch off main", Same),
            ("Column names must be unique", "column names should be unique", Same),
            ("Use npm", "use tabs", Unrelated),
            ("In the web app, use tabs", "in the mobile app, use spaces", Unrelated),
            ("In the web app, use tabs", "in the web app, use spaces instead of tabs", Opposite),
            ("Reports are written as CSV", "reports are no longer written as CSV but as Parquet", Opposite),
            ("Exports are kept as CSV files", "Amended: exports are kept as Parquet files", Opposite),
            (
                "Sessions end after an hour",
                "Superseding the earlier rule, sessions end after a day",
                Opposite,
            ),
            ("Sessions end after an hour", "Amended: backups are encrypted", Unrelated),
            ("Отчёты хранятся в CSV", "Отчёты хранятся больше не в CSV, а в Parquet", Opposite),
            ("Never deploy on Fridays", "it's fine to deploy the docs on Fridays", Unrelated),
            ("The port of the API is 3000", "the port of the web app is 5173", Unrelated),
            ("Commits are signed", "the status line stands at the bottom", Unrelated),
            ("Всегда запускай линтер", "никогда не запускай линтер", Opposite),
        ] {
            let agreement =
                Assertion::read(said).compared_with(&Assertion::read(known), jaccard(known, said));
            assert_eq!(agreement, expected, "{known} / {said}");
        }
    }
}
