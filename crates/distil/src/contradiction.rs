//! What two sentences say of one matter: the same, one value and another, or things that may both be true.
//!
//! Each sentence is split into the matter it speaks of and the value it gives it. There are several ways to split them: by what was
//! put right, by the verb, by what denies, by the one place where two sentences differ, by names that stand for the same choice, and by
//! the words that differ; the first that fits both sentences decides. Some ask for words that announce a change ("now", "after
//! all", "moved to"): without them two values may both hold. Not here: who has the last word, and what becomes of the memory
//! that was there first (`reconcile`); which names are rivals (`exclusive_values`).

mod vocabulary;

use super::exclusive_values::{exclusive_group_of, exclusive_values};
use crate::Statement;
use crate::statements::{Correction, Polarity, polarity_of, without_turn};
use backstory_memory::{Digest, NEAR_DUPLICATE, digest, first_chars, is_stop_word, keywords, words};
use std::collections::{BTreeSet, HashSet};
use vocabulary::*;

/// How what is said stands to what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    Unrelated,
    Same,
    Opposite,
}

/// What is known, what is said, and how many words they share in all, 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) known: &'a str,
    pub(super) said: &'a Statement,
    pub(super) alike: f64,
}

/// The values of a matter both sentences speak of.
struct TopicValues {
    before: Vec<String>,
    now: Vec<String>,
    /// Whether the matter has one value at a time.
    is_one: bool,
}

impl TopicValues {
    fn relation(&self) -> Agreement {
        match (self.before == self.now, self.is_one) {
            (true, _) => Agreement::Same,
            (false, true) => Agreement::Opposite,
            (false, false) => Agreement::Unrelated,
        }
    }
}

/// A way to tell the values two sentences give to one matter; nothing where they do not speak of one in this way.
type ValueSplit = fn(Comparison<'_>) -> Option<TopicValues>;
const WAYS: [ValueSplit; 6] = [by_correction, by_verb, by_denial, by_place, by_exclusive_values, by_words];

/// Returns how what is said stands to what is known.
pub(super) fn relation(pair: Comparison<'_>) -> Agreement {
    WAYS.iter().find_map(|way| way(pair)).map_or(Agreement::Unrelated, |values| values.relation())
}

/// Names the matters a sentence speaks of. Two that share none are related by what was put right, by a change that is announced, by
/// jaccard, or not at all.
pub(super) fn topics(text: &str) -> Vec<Digest> {
    let named = |way: &str, words: BTreeSet<String>| {
        digest(std::iter::once(way.as_bytes()).chain(words.iter().map(String::as_bytes)))
    };
    let by_verb = subject_and_value(text).map(|(subject, _)| named("verb", subject));
    let denied = [denied(text), denied(first_clause(text))].map(|words| named("denial", words));
    by_verb.into_iter().chain(denied).collect()
}

/// "We use pnpm, not npm" takes the place of what stands for npm.
fn by_correction(Comparison { known, said, .. }: Comparison<'_>) -> Option<TopicValues> {
    let correction = said.correction.as_ref()?;
    let old = correction.old.as_deref().filter(|old| !old.trim().is_empty())?;
    let new = correction.new.as_deref().unwrap_or_default();
    let in_known: HashSet<String> = words(known).map(|word| stem(&word).to_owned()).collect();
    let holds = |text: &str| {
        let mut meaningful = keywords(text).into_iter().peekable();
        meaningful.peek().is_some() && meaningful.all(|word| in_known.contains(stem(&word)))
    };
    let stands_for_old = holds(old) && !holds(new) && polarity_of(known) == Polarity::Affirmed;
    let speaks_of_it = || shares_matter(known, said, old) || gives_up(known, said, correction, old);
    (stands_for_old && speaks_of_it()).then(|| TopicValues {
        before: words(old).collect(),
        now: words(new).collect(),
        is_one: true,
    })
}

/// "Tabs" stand in editors and on pages: one more word must say that both speak of the same matter.
fn shares_matter(known: &str, said: &Statement, old: &str) -> bool {
    let of_old: HashSet<String> = words(old).collect();
    let in_known: Vec<String> = words(known).collect();
    let beginnings: HashSet<&str> = in_known.iter().map(|word| beginning(word)).collect();
    let meaningful = keywords(&said.text);
    let is_shared = |word: &String| {
        if CHOOSING.contains(&word.as_str()) {
            return stands_before(known, word, old);
        }
        !of_old.contains(word) && beginnings.contains(beginning(word))
    };
    meaningful.iter().any(is_shared) && !is_chance(old, known, &meaningful)
}

/// Numbers meet by chance: thirty days and thirty minutes are one matter only where half of the words are shared.
fn is_chance(old: &str, known: &str, meaningful: &[String]) -> bool {
    let is_number = words(old).all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let of_matter = |word: &String| !["after", "before", "than", "about", "every"].contains(&word.as_str());
    let of_old: HashSet<String> = words(old).collect();
    let known = keywords(known).into_iter().filter(|word| of_matter(word) && !of_old.contains(word));
    let (shared, other): (Vec<String>, Vec<String>) = known.partition(|word| meaningful.contains(word));
    is_number && shared.len() < other.len()
}

/// "Stop using A, use B" names what goes and what comes, and no matter of its own: it is about whatever A was chosen for.
fn gives_up(known: &str, said: &Statement, correction: &Correction, old: &str) -> bool {
    let new = correction.new.as_deref().unwrap_or_default();
    let values: HashSet<String> = words(old).chain(words(new)).collect();
    let meaningful = keywords(&said.text);
    let is_verb = |word: &String| {
        [&CHOOSING[..], &GIVING_UP, &FROM_NOW_ON].iter().any(|list| list.contains(&word.as_str()))
    };
    meaningful.iter().any(|word| GIVING_UP.contains(&word.as_str()))
        && meaningful.iter().all(|word| values.contains(word) || is_verb(word))
        && CHOOSING.iter().any(|verb| stands_before(known, verb, old))
}

/// "The staging host is heron" and "the staging host is egret" speak of one thing and give it two values.
fn by_verb(Comparison { known, said, .. }: Comparison<'_>) -> Option<TopicValues> {
    let said = said.text.as_str();
    let ((one, before), (two, now)) = (subject_and_value(known)?, subject_and_value(said)?);
    let is_address = [known, said].iter().all(|text| text.contains("://"));
    // Of one thing many things may be true at once; it has one port, one version, one path, one name.
    let is_one_of_a_sort =
        |value: &[String]| value.len() == 1 || is_address || value.iter().any(|word| word.contains(is_digit));
    let is_change = announces_change(said);
    // "On one host now": where something runs on, it runs on one.
    let is_one_place = |value: &[String]| {
        (2..=LONGEST_PLACE).contains(&value.len())
            && value.first() == before.first()
            && value.first().is_some_and(|first| PLACING.contains(&first.as_str()))
    };
    let is_one = |value: &[String]| is_one_of_a_sort(value) || (is_change && is_one_place(value));
    // Two things may be chosen for one purpose, unless something says that this is a change.
    let is_choice = chosen(&words(without_turn(said)).collect::<Vec<_>>()).is_some();
    let is_chosen_anew = is_choice && is_change;
    let is_one = |value: &[String]| is_one(value) || (is_chosen_anew && value.len() <= LONGEST_PLACE);
    let is_named = one.len() >= 2 || (is_chosen_anew && !one.is_empty());
    let is_new_value = is_named && one == two && before != now && is_one(&before) && is_one(&now);
    (is_new_value && (is_change || !is_choice)).then_some(TopicValues { before, now, is_one: true })
}

/// Splits a plain statement at its verb: what it speaks of, by its keywords, and what it says of it.
fn subject_and_value(text: &str) -> Option<(BTreeSet<String>, Vec<String>)> {
    // A full stop inside a word is part of it: 15.4, settings.toml.
    let sentence = without_turn(text).split(['\n', ';']).next()?.split(". ").next()?;
    let all: Vec<String> = words(sentence).collect();
    if let Some(split) = chosen(&all).or_else(|| changed(&all)) {
        return Some(split);
    }
    let verb = all.iter().position(|word| VERBS.contains(&word.as_str()))?;
    let (subject, value) = all.split_at(verb);
    // The verb is part of what is spoken of: where it listens is not where it lives.
    let subject = subject.iter().chain(value.first()).filter(|word| !is_stop_word(word)).cloned().collect();
    let value = value.iter().skip(1).filter(|word| !FROM_NOW_ON.contains(&word.as_str()));
    let value = value.cloned().collect::<Vec<_>>();
    (!value.is_empty() && value.len() <= LONGEST_VALUE).then_some((subject, value))
}

/// "Use Redis for the session cache" gives the session cache the value Redis.
fn chosen(all: &[String]) -> Option<(BTreeSet<String>, Vec<String>)> {
    let verb = all.iter().position(|word| CHOOSING.contains(&word.as_str()))?;
    if !all.iter().take(verb).skip(1).all(|word| DECIDING.contains(&word.as_str())) {
        return None;
    }
    let rest = all.get(verb + 1..)?;
    let middle = rest.iter().position(|word| word == "for" || word == "as")?;
    let (value, subject) = rest.split_at(middle);
    let value: Vec<String> =
        value.iter().skip_while(|word| ["back", "to", "with"].contains(&word.as_str())).cloned().collect();
    let meaningful = subject.iter().filter(|word| !is_stop_word(word) && *word != "instead");
    (!value.is_empty() && value.len() <= LONGEST_VALUE).then(|| (meaningful.cloned().collect(), value))
}

/// "We bumped the minimum version to 20" gives the minimum version the value 20.
fn changed(all: &[String]) -> Option<(BTreeSet<String>, Vec<String>)> {
    let verb = all.iter().position(|word| SETTING.contains(&word.as_str())).filter(|at| *at <= 2)?;
    let rest = all.get(verb + 1..)?;
    let to = rest.iter().position(|word| word == "to")?;
    let (subject, value) = (rest.get(..to)?, rest.get(to + 1..)?);
    let subject: BTreeSet<String> = subject.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    let is_value = !value.is_empty() && value.len() <= LONGEST_VALUE;
    (!subject.is_empty() && is_value).then(|| (subject, value.to_vec()))
}

/// "Never squash" and "always squash" are yes and no to the same words, "use it" and "always use it" are yes and yes. To other
/// words they say nothing, unless what is denied is given up: "we don't use Redis any more" goes for all it was used for.
fn by_denial(Comparison { known, said, .. }: Comparison<'_>) -> Option<TopicValues> {
    let polarity = polarity_of(known);
    let value = |polarity: Polarity| vec![format!("{polarity:?}")];
    let (before, whole, clause) = (denied(known), denied(&said.text), denied(first_clause(&said.text)));
    let is_turned = polarity != said.polarity;
    let is_chosen = |word: &String| {
        CHOOSING.iter().any(|verb| {
            words(known).zip(words(known).skip(1)).any(|(one, two)| one == *verb && stem(&two) == word)
        })
    };
    // A sentence of two matters is not given up with one of them.
    let is_of_one = !words(known).any(|word| word == "and") && first_clause(known) == without_turn(known);
    let is_dropped = || {
        said.polarity == Polarity::Denied
            && is_of_one
            && is_over(&said.text)
            && (clause.len() > 1 || clause.iter().any(is_chosen))
            && clause.is_subset(&before)
    };
    // "In production, never …" and "in production, always …": a clause that denies nothing is only where they begin alike.
    let (known_clause, said_clause) = (first_clause(known), first_clause(&said.text));
    let is_clause_turned = polarity_of(known_clause) != polarity_of(said_clause);
    let is_of_clause = is_clause_turned && (before == clause || denied(known_clause) == clause);
    let is_one = !before.is_empty() && (before == whole || is_of_clause || is_dropped());
    let is_same = !before.is_empty() && before == whole && in_order(known) == in_order(&said.text);
    (is_turned || is_same).then(|| TopicValues { before: value(polarity), now: value(said.polarity), is_one })
}

/// What a sentence says yes or no to.
fn denied(text: &str) -> BTreeSet<String> {
    in_order(text).into_iter().collect()
}

fn in_order(text: &str) -> Vec<String> {
    let says_more = |word: &String| {
        ![&DENYING[..], &FROM_NOW_ON, &QUANTIFYING].iter().any(|list| list.contains(&word.as_str()))
    };
    let meaningful = keywords(without_turn(text)).into_iter().filter(says_more);
    meaningful.map(|word| stem(&word).to_owned()).collect()
}

/// What stands before the first comma: what comes after it may be what is done instead.
fn first_clause(text: &str) -> &str {
    let text = without_turn(text);
    text.split([',', ';', '\n']).next().unwrap_or(text)
}

/// "Branches are cut on Mondays" and "branches are cut on Wednesdays now" differ in one place, which is not where they begin.
fn by_place(Comparison { known, said, .. }: Comparison<'_>) -> Option<TopicValues> {
    // Rules that hold side by side may speak of changes and of going back: "always back up …".
    if !announces(&said.text, &SINCE_NOW) {
        return None;
    }
    let plain = |text: &str| -> Vec<String> {
        let says_more =
            |word: &String| !FROM_NOW_ON.contains(&word.as_str()) && !UNTELLING.contains(&word.as_str());
        let text = without_turn(text).to_lowercase().replace("from now on", "");
        words(&text).filter(says_more).map(|word| stem(&word).to_owned()).collect()
    };
    let (before, now) = (plain(known), plain(&said.text));
    let head = before.iter().zip(&now).take_while(|(one, two)| one == two).count();
    let (before_rest, now_rest) = (before.get(head..)?, now.get(head..)?);
    let tail =
        before_rest.iter().rev().zip(now_rest.iter().rev()).take_while(|(one, two)| one == two).count();
    let middle = |rest: &[String]| rest.get(..rest.len() - tail).map(<[String]>::to_vec);
    let shared: Vec<&String> = before.iter().take(head).chain(before.iter().rev().take(tail)).collect();
    let matter =
        shared.iter().filter(|word| !is_stop_word(word) && !PURPOSELESS.contains(&word.as_str())).count();
    let is_placed = head
        .checked_sub(1)
        .and_then(|at| before.get(at))
        .is_some_and(|word| PLACING.contains(&word.as_str()));
    // What a thing is used for, and in which environment, are matters of their own.
    let is_purpose = before.iter().take(head).any(|word| word == "for");
    let speaks_of_one = head > 0 && !is_purpose && (matter > 1 || (matter > 0 && is_placed));
    let (before, now) = (middle(before_rest)?, middle(now_rest)?);
    let is_value = |value: &[String]| {
        (1..=LONGEST_PLACE).contains(&value.len())
            && !value.iter().any(|word| ENVIRONMENTS.contains(&word.as_str()))
    };
    (speaks_of_one && is_value(&before) && is_value(&now)).then_some(TopicValues {
        before,
        now,
        is_one: true,
    })
}

/// "We use tabs for indentation" and "no, we use spaces": the names say what the matter is.
fn by_exclusive_values(Comparison { known, said, .. }: Comparison<'_>) -> Option<TopicValues> {
    let is_chosen =
        |name: &str| CHOOSING.iter().chain(&["runs"]).any(|verb| stands_before(known, verb, name));
    // Who names what runs there speaks of that alone.
    let is_of_all = words(without_turn(&said.text))
        .next()
        .is_some_and(|first| ["we", "let", "use", "i"].contains(&first.as_str()));
    let may_turn = announces_change(&said.text) && is_of_all;
    if !may_turn || polarity_of(known) != said.polarity {
        return None;
    }
    let (now_group, now) = exclusive_group_of(&said.text)?;
    let (before_group, before) = exclusive_group_of(known)?;
    // Each of two purposes may have its own; who names none means the one there is.
    let purpose = |text: &str, name: &str| -> BTreeSet<String> {
        let says_nothing = |word: &str| {
            [&CHOOSING[..], &CHANGING, &GIVING_UP, &FROM_NOW_ON, &ANYWHERE]
                .iter()
                .any(|list| list.contains(&word))
                || words(name).any(|part| part == word)
        };
        let meaningful = words(without_turn(text)).filter(|word| !is_stop_word(word) && !says_nothing(word));
        meaningful.map(|word| stem(&word).to_owned()).collect()
    };
    let is_one_purpose = purpose(&said.text, now).is_subset(&purpose(known, before));
    (now_group == before_group && before != now && is_chosen(before) && is_one_purpose).then(|| TopicValues {
        before: vec![before.to_owned()],
        now: vec![now.to_owned()],
        is_one: true,
    })
}

/// Whether a statement may take the place of one it shares no matter with.
pub(super) fn puts_right(said: &Statement) -> bool {
    said.correction.as_ref().is_some_and(|correction| correction.old.is_some())
        || announces_change(&said.text)
        || is_over(&said.text)
}

/// The names a sentence that announces a change may take the place of.
pub(super) fn replaceable(text: &str) -> &'static [&'static str] {
    let group = exclusive_group_of(text).filter(|_| announces_change(text)).map(|(group, _)| group);
    group.map(exclusive_values).unwrap_or_default()
}

/// Whether a sentence says that something is not as it was.
fn announces_change(text: &str) -> bool {
    announces(text, &CHANGING)
}

/// The same, by words of a list or by what it begins or ends with.
fn announces(text: &str, list: &[&str]) -> bool {
    let says = |list: &[&str]| words(text).any(|word| list.contains(&word.as_str()));
    let is_announced =
        says(list) || says(&SETTING) || is_over(text) || without_turn(text).len() < text.trim_start().len();
    is_announced && !says(&ADDING)
}

/// Whether a sentence says that a thing is over.
fn is_over(text: &str) -> bool {
    let all: Vec<String> = words(text).collect();
    let pairs = all.iter().zip(all.iter().skip(1));
    let is_said = |(one, two): (&String, &String)| {
        matches!(
            (one.as_str(), two.as_str()),
            ("any", "more") | ("no", "longer") | ("stop", "using" | "doing")
        )
    };
    let ends = || {
        text.split([',', '.', ';', ':', '!', '\n'])
            .any(|clause| clause.trim().to_lowercase().ends_with("after all"))
    };
    let begins = || words(without_turn(text)).next().is_some_and(|first| first == "stop");
    all.iter().any(|word| word == "anymore") || pairs.into_iter().any(is_said) || ends() || begins()
}

/// A word without its ending, and without what comes after its beginning: "pushing" and "push" speak of one thing.
fn stem(word: &str) -> &str {
    beginning(backstory_memory::stem(word))
}

/// Of two sentences that are alike, the words of only one are its value. With another number one thing has another value, with
/// another word it is another thing, and the same words in another order say the opposite.
fn by_words(Comparison { known, said, alike }: Comparison<'_>) -> Option<TopicValues> {
    if alike < NEAR_DUPLICATE {
        return None;
    }
    let (before, now) = (shared_in_order(known, &said.text), shared_in_order(&said.text, known));
    if before != now {
        return Some(TopicValues { before, now, is_one: true });
    }
    let (before, now) = (only_in(known, &said.text), only_in(&said.text, known));
    if before.is_empty() || now.is_empty() {
        return Some(TopicValues { before: Vec::new(), now: Vec::new(), is_one: true });
    }
    let is_one = before.iter().chain(&now).all(|word| word.contains(is_digit));
    Some(TopicValues { before, now, is_one })
}

/// The keywords of a sentence that another says as well, in the order it says them.
fn shared_in_order(of: &str, with: &str) -> Vec<String> {
    let with = keywords(with);
    keywords(of).into_iter().filter(|word| with.contains(word)).collect()
}

/// The keywords of a sentence that another does not say, endings aside.
fn only_in(of: &str, other: &str) -> Vec<String> {
    let other: HashSet<String> = words(other).map(|word| beginning(&word).to_owned()).collect();
    let says_nothing =
        |word: &str| [&CHOOSING[..], &DENYING, &FROM_NOW_ON].iter().any(|list| list.contains(&word));
    let of = keywords(of).into_iter();
    of.filter(|word| !says_nothing(word) && !other.contains(beginning(word))).collect()
}

/// How a word begins: "deploy" and "deployments" speak of one matter.
fn beginning(word: &str) -> &str {
    first_chars(word, 6)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether a verb stands right before a value, with at most two words between: "use the old runner".
fn stands_before(text: &str, verb: &str, value: &str) -> bool {
    let all: Vec<String> = words(text).collect();
    let Some(first) = words(value).next() else { return false };
    let verbs = all.iter().enumerate().filter(|(_, word)| *word == verb);
    verbs.into_iter().any(|(at, _)| all.iter().skip(at + 1).take(3).any(|word| *word == first))
}

#[cfg(test)]
mod tests {
    use super::Agreement::{Opposite, Same, Unrelated};
    use super::*;
    use crate::{Speaker, statements};
    use backstory_memory::jaccard;

    /// Pairs of what is known and what is said, and how the two stand to each other.
    fn pairs() -> Vec<(&'static str, &'static str, Agreement)> {
        let lines = include_str!("../tests/data/agreements.txt").lines();
        let lines = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
        let lines: Vec<(&str, &str)> = lines.collect();
        let pair = |pair: &[(&'static str, &'static str)]| match *pair {
            [("known", known), ("same", said)] => (known, said, Same),
            [("known", known), ("opposite", said)] => (known, said, Opposite),
            [("known", known), ("unrelated", said)] => (known, said, Unrelated),
            _ => panic!("{pair:?}"),
        };
        lines.chunks(2).map(pair).collect()
    }

    #[test]
    fn one_matter_and_its_values() {
        for (known, said, expected) in pairs() {
            let stated = statements(said, Speaker::User);
            let [statement] = stated.as_slice() else { panic!("{said}: {stated:?}") };
            let pair = Comparison { known, said: statement, alike: jaccard(known, said) };
            assert_eq!(relation(pair), expected, "{known} {said}");
        }
    }

    #[test]
    fn what_is_related_shares_a_matter_or_is_alike_or_is_put_right() {
        let sentences: Vec<&str> = pairs().iter().flat_map(|(known, said, _)| [*known, *said]).collect();
        let stated: Vec<Statement> =
            sentences.iter().flat_map(|text| statements(text, Speaker::User)).collect();
        let mut related = 0;
        for (known, said) in sentences.iter().flat_map(|known| stated.iter().map(move |said| (*known, said)))
        {
            let alike = jaccard(known, &said.text);
            if relation(Comparison { known, said, alike }) == Unrelated {
                continue;
            }
            let is_put_right = puts_right(said);
            let shares = topics(known).iter().any(|matter| topics(&said.text).contains(matter));
            assert!(is_put_right || shares || alike >= NEAR_DUPLICATE, "{known} {}", said.text);
            related += 1;
        }
        assert!(related > pairs().len(), "{related}");
    }
}
