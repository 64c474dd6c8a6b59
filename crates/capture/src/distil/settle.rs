//! What a finding means beside what is known: the same again, the opposite, or new.
//!
//! Same words → seen once more. Same subject, other value, or put right by the user → the old one is replaced and kept as history.
//! The assistant does not overrule the user: what it says against a known memory stands beside it, marked.

use super::finding::{Comparing, Finding, subject};
use crate::statements::{Correction, Polarity, polarity_of};
use crate::{Statement, keep};
use backstory_memory::{
    Kind, Life, Memory, MemoryId, NEAR_DUPLICATE, ProjectId, Trust, first_chars, likeness, telling_words,
    words,
};
use backstory_store::{
    Distilled, Filter, LifeFilter, NewMemory, Origin, Reach, Session, Store, StoreError, WordQuery,
};
use std::collections::{BTreeSet, HashSet};

/// How many of the closest by words are looked at.
const COMPARED: u32 = 12;
/// More words than this do not find anything better.
const MOST_WORDS: usize = 12;
/// What people state and take back.
const STATED: [Kind; 5] = [Kind::Decision, Kind::Pattern, Kind::Learning, Kind::Goal, Kind::Note];

/// Makes of a finding what the store is to write; nothing where it says what was taken back.
pub(super) fn settle(
    store: &Store,
    session: &Session,
    finding: Finding,
) -> Result<Option<Distilled>, StoreError> {
    let finding = said_once_more(store, session, finding)?;
    let standing = match &finding.comparing {
        Comparing::Not => Standing::default(),
        _ if store.memory_about(session.project, finding.subject)?.is_some() => Standing::default(),
        Comparing::Words => beside(store, session.project, &finding, None)?,
        Comparing::Statement(said) => beside(store, session.project, &finding, Some(said))?,
    };
    if standing.is_taken_back {
        return Ok(None);
    }
    let origin = Origin { session: Some(session.id), events: finding.events, past: None };
    let memory = NewMemory {
        uid: None,
        project: session.project,
        origin,
        content: finding.content,
        created_at: finding.at,
    };
    Ok(Some(Distilled {
        subject: finding.subject,
        memory,
        again: finding.again,
        same_as: standing.same_as,
        replaces: standing.replaces,
        contradicts: standing.contradicts,
    }))
}

/// What the user says again after it was taken back is a statement of its own: it holds from now on.
fn said_once_more(store: &Store, session: &Session, finding: Finding) -> Result<Finding, StoreError> {
    let is_user =
        finding.content.trust == Trust::User && matches!(finding.comparing, Comparing::Statement(_));
    let Some(incident) = finding.events.first().filter(|_| is_user) else { return Ok(finding) };
    let known = store.memory_about(session.project, finding.subject)?;
    let Some(known) = known.filter(|known| known.life != Life::Live) else { return Ok(finding) };
    if store.evidence(known.id)?.contains(incident) {
        return Ok(finding);
    }
    let subject = subject("again", &[&finding.subject.0, &incident.0.to_le_bytes()]);
    Ok(Finding { subject, ..finding })
}

/// How a finding stands to what is known.
#[derive(Default)]
struct Standing {
    same_as: Option<MemoryId>,
    replaces: Vec<MemoryId>,
    contradicts: Vec<MemoryId>,
    is_taken_back: bool,
}

fn beside(
    store: &Store,
    project: ProjectId,
    finding: &Finding,
    said: Option<&Statement>,
) -> Result<Standing, StoreError> {
    let mut standing = Standing::default();
    for known in closest(store, project, finding, said)? {
        let has_last_word = finding.content.trust >= known.content.trust;
        match (relation(&known, finding, said), known.life) {
            (Relation::Unrelated, _) => {}
            // What was replaced stays replaced, unless the user says it again.
            (Relation::Same, Life::Superseded(_)) => {
                standing.is_taken_back |= finding.content.trust != Trust::User;
            }
            // What strangers said first and the user says now is the user's from now on.
            (Relation::Same, Life::Live)
                if finding.content.trust == Trust::User && known.content.trust == Trust::External =>
            {
                standing.replaces.push(known.id);
            }
            (Relation::Same, Life::Live) => standing.same_as = standing.same_as.or(Some(known.id)),
            (Relation::Opposite, Life::Superseded(_)) => {}
            (Relation::Opposite, Life::Live) if has_last_word => standing.replaces.push(known.id),
            (Relation::Opposite, Life::Live) => standing.contradicts.push(known.id),
        }
    }
    // Whoever puts something right says more than the same again.
    if !standing.replaces.is_empty() {
        standing.same_as = None;
    }
    Ok(standing)
}

fn closest(
    store: &Store,
    project: ProjectId,
    finding: &Finding,
    said: Option<&Statement>,
) -> Result<Vec<Memory>, StoreError> {
    let mut query = WordQuery::default();
    let correction = said.and_then(|said| said.correction.as_ref());
    // What is put right is found by its old value, of which the new sentence may say little else.
    let old = correction.and_then(|correction| correction.old.clone()).unwrap_or_default();
    let text = format!("{old}\n{}", keep::whole_text(&finding.content));
    telling_words(&text).iter().take(MOST_WORDS).for_each(|word| query.word(word));
    let kinds = if said.is_some() { STATED.to_vec() } else { vec![finding.content.kind] };
    let filter =
        Filter { limit: COMPARED, life: LifeFilter::Any, kinds, ..Filter::within(Reach::Project(project)) };
    let ids: Vec<MemoryId> = store.search_words(&query, &filter)?.iter().map(|hit| hit.memory).collect();
    // What was talked through says many things: one that is put right does not take the others back.
    let is_one_thing =
        |known: &Memory| known.content.kind != Kind::Note || known.content.trust != Trust::Assistant;
    Ok(store.memories(&ids)?.into_iter().filter(is_one_thing).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Unrelated,
    Same,
    Opposite,
}

fn relation(known: &Memory, finding: &Finding, said: Option<&Statement>) -> Relation {
    let (old_text, new_text) = (keep::whole_text(&known.content), keep::whole_text(&finding.content));
    let alike = likeness(&old_text, &new_text);
    let Some(said) = said else {
        return if alike >= NEAR_DUPLICATE { Relation::Same } else { Relation::Unrelated };
    };
    let stated_before = known.content.body.as_str();
    if puts_right(said, stated_before) || has_other_value(stated_before, &said.text) {
        return Relation::Opposite;
    }
    if polarity_of(stated_before) != said.polarity {
        let is_denial = without_denial(stated_before) == without_denial(&said.text);
        return if is_denial { Relation::Opposite } else { Relation::Unrelated };
    }
    match alike >= NEAR_DUPLICATE {
        // "Composition over inheritance" and its inverse have the same words.
        true if is_turned_round(stated_before, &said.text) => Relation::Opposite,
        true => but_for_a_word(stated_before, &said.text),
        false => Relation::Unrelated,
    }
}

/// How two sentences stand to each other that are alike: with another number one thing has another value, with another word it is
/// another thing.
fn but_for_a_word(known: &str, said: &str) -> Relation {
    let says_nothing = |word: &String| {
        let word = word.as_str();
        CHOOSING.contains(&word) || DENYING.contains(&word) || FROM_NOW_ON.contains(&word)
    };
    let more = |of: &str, than: &str| -> Vec<String> {
        let than: HashSet<String> = words(than).map(|word| beginning(&word).to_owned()).collect();
        let of = telling_words(of).into_iter().filter(|word| !says_nothing(word));
        of.filter(|word| !than.contains(beginning(word))).collect()
    };
    let (before, now) = (more(known, said), more(said, known));
    let are_numbers = |words: &[String]| words.iter().all(|word| word.contains(|c: char| c.is_ascii_digit()));
    if before.is_empty() || now.is_empty() {
        Relation::Same
    } else if are_numbers(&before) && are_numbers(&now) {
        Relation::Opposite
    } else {
        Relation::Unrelated
    }
}

/// The telling words of a sentence without those that affirm or deny.
fn without_denial(text: &str) -> BTreeSet<String> {
    let says_more =
        |word: &String| !DENYING.contains(&word.as_str()) && !FROM_NOW_ON.contains(&word.as_str());
    telling_words(text).into_iter().filter(says_more).collect()
}

/// Whether two sentences say the words they share in another order.
fn is_turned_round(one: &str, other: &str) -> bool {
    let (one, other) = (telling_words(one), telling_words(other));
    let shared = |of: &[String], with: &[String]| -> Vec<String> {
        of.iter().filter(|word| with.contains(word)).cloned().collect()
    };
    shared(&one, &other) != shared(&other, &one)
}

/// Whether a correction names the old value and the known memory stands for it.
fn puts_right(said: &Statement, known: &str) -> bool {
    let Some(correction) = &said.correction else { return false };
    let Some(old) = correction.old.as_deref().filter(|old| !old.trim().is_empty()) else { return false };
    let in_known: HashSet<String> = words(known).collect();
    let holds = |text: &str| {
        let mut telling = telling_words(text).into_iter().peekable();
        telling.peek().is_some() && telling.all(|word| in_known.contains(&word))
    };
    let names_new = correction.new.as_deref().is_some_and(holds);
    // "Tabs" stand in editors and on pages: one more word must say that both speak of the same matter.
    let of_old: HashSet<String> = words(old).collect();
    let beginnings: HashSet<&str> = in_known.iter().map(|word| beginning(word)).collect();
    let is_more = |word: &String| {
        !of_old.contains(word) && !CHOOSING.contains(&word.as_str()) && beginnings.contains(beginning(word))
    };
    let same_verb = |word: &String| CHOOSING.contains(&word.as_str()) && stands_before(known, word, old);
    let telling = telling_words(&said.text);
    let shares_more =
        telling.iter().any(|word| is_more(word) || same_verb(word)) && !is_chance(old, known, &telling);
    let gives_up = || {
        names_no_matter(&telling, correction) && CHOOSING.iter().any(|verb| stands_before(known, verb, old))
    };
    holds(old) && !names_new && (shares_more || gives_up()) && polarity_of(known) == Polarity::Affirmed
}

/// Numbers meet by chance: thirty days and thirty minutes are one matter only where half of the words are shared.
fn is_chance(old: &str, known: &str, telling: &[String]) -> bool {
    let is_number = words(old).all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let of_matter = |word: &String| !["after", "before", "than", "about", "every"].contains(&word.as_str());
    let of_old: HashSet<String> = words(old).collect();
    let known = telling_words(known).into_iter().filter(|word| of_matter(word) && !of_old.contains(word));
    let (shared, other): (Vec<String>, Vec<String>) = known.partition(|word| telling.contains(word));
    is_number && shared.len() < other.len()
}

/// "Stop using A, use B" names what goes and what comes, and no matter of its own: it is about whatever A was chosen for.
fn names_no_matter(telling: &[String], correction: &Correction) -> bool {
    let values = format!(
        "{}\n{}",
        correction.old.as_deref().unwrap_or_default(),
        correction.new.as_deref().unwrap_or_default()
    );
    let values: HashSet<String> = words(&values).collect();
    let is_verb = |word: &String| CHOOSING.contains(&word.as_str()) || GIVING_UP.contains(&word.as_str());
    telling.iter().any(|word| GIVING_UP.contains(&word.as_str()))
        && telling.iter().all(|word| values.contains(word) || is_verb(word))
}

/// How a word begins: "deploy" and "deployments" speak of one matter.
fn beginning(word: &str) -> &str {
    first_chars(word, 6)
}

/// Whether a verb stands right before a value, with at most two words between: "use the old runner".
fn stands_before(text: &str, verb: &str, value: &str) -> bool {
    let all: Vec<String> = words(text).collect();
    let Some(first) = words(value).next() else { return false };
    let verbs = all.iter().enumerate().filter(|(_, word)| *word == verb);
    verbs.into_iter().any(|(at, _)| all.iter().skip(at + 1).take(3).any(|word| *word == first))
}

/// "The staging host is heron" and "the staging host is egret" speak of one thing and give it two values.
fn has_other_value(known: &str, said: &str) -> bool {
    let (Some((one, before)), Some((two, now))) = (subject_and_value(known), subject_and_value(said)) else {
        return false;
    };
    // Of one thing many things may be true at once; it has one port, one version, one path, one name.
    let is_one_of_a_sort = |value: &[String]| {
        value.len() == 1 || value.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()))
    };
    let is_change = words(said).any(|word| CHANGING.contains(&word.as_str()));
    // "On one host now": where something runs on, it runs on one.
    let is_one_place = |value: &[String]| value.len() == 2 && value.first() == before.first();
    let is_one = |value: &[String]| is_one_of_a_sort(value) || (is_change && is_one_place(value));
    // Two things may be chosen for one purpose, unless something says that this is a change.
    let is_choice = |text: &str| chosen(&words(text).collect::<Vec<_>>()).is_some();
    if is_choice(said) && !is_change {
        return false;
    }
    one.len() >= 2 && one == two && before != now && is_one(&before) && is_one(&now)
}

/// Splits a plain statement at its verb: what it speaks of, by its telling words, and what it says of it.
fn subject_and_value(text: &str) -> Option<(HashSet<String>, Vec<String>)> {
    // A full stop inside a word is part of it: 15.4, settings.toml.
    let sentence = text.split(['\n', ';']).next()?.split(". ").next()?;
    let all: Vec<String> = words(sentence).collect();
    if let Some(chosen) = chosen(&all) {
        return Some(chosen);
    }
    let verb = all.iter().position(|word| VERBS.contains(&word.as_str()))?;
    let (subject, value) = all.split_at(verb);
    // The verb is part of what is spoken of: where it listens is not where it lives.
    let subject = subject.iter().chain(value.first()).filter(|word| !backstory_memory::is_small(word));
    let subject = subject.cloned().collect();
    let value = value.iter().skip(1).filter(|word| !FROM_NOW_ON.contains(&word.as_str()));
    let value = value.cloned().collect::<Vec<_>>();
    (!value.is_empty() && value.len() <= LONGEST_VALUE).then_some((subject, value))
}

/// "Use Redis for the session cache" gives the session cache the value Redis.
fn chosen(all: &[String]) -> Option<(HashSet<String>, Vec<String>)> {
    let is_one_of = |list: &'static [&'static str]| move |word: &&String| list.contains(&word.as_str());
    let verb = all.iter().position(|word| CHOOSING.contains(&word.as_str())).filter(|at| *at <= 1)?;
    let rest = all.get(verb + 1..)?;
    let middle = rest.iter().position(|word| word == "for" || word == "as")?;
    let (value, subject) = rest.split_at(middle);
    let value: Vec<String> = value.iter().skip_while(is_one_of(&["back", "to", "with"])).cloned().collect();
    let telling = subject.iter().filter(|word| !backstory_memory::is_small(word) && *word != "instead");
    (!value.is_empty() && value.len() <= LONGEST_VALUE).then(|| (telling.cloned().collect(), value))
}

/// Verbs by which something is chosen for a purpose.
const CHOOSING: [&str; 12] =
    ["use", "go", "switch", "move", "revert", "change", "keep", "run", "deploy", "write", "want", "prefer"];
/// Words that say that something is not as it was.
const CHANGING: [&str; 10] =
    ["instead", "switch", "now", "no", "actually", "back", "move", "revert", "change", "longer"];
/// Words that say that something is given up.
const GIVING_UP: [&str; 13] = [
    "stop",
    "using",
    "longer",
    "anymore",
    "switched",
    "switching",
    "moved",
    "migrated",
    "replaced",
    "replacing",
    "dropped",
    "dropping",
    "instead",
];
/// Words that only say since when something holds.
const FROM_NOW_ON: [&str; 5] = ["now", "anymore", "forward", "going", "longer"];
/// Words that affirm or deny the rest of a sentence.
const DENYING: [&str; 9] = ["never", "always", "not", "no", "don", "t", "avoid", "stop", "must"];
const VERBS: [&str; 12] = [
    "is", "are", "lives", "runs", "uses", "listens", "defaults", "equals", "stays", "points", "belongs",
    "goes",
];
/// A longer value is a story, and two stories of one thing may both be true.
const LONGEST_VALUE: usize = 6;
