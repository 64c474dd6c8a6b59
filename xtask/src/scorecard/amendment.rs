//! Amendment: something said was put right. What holds must come first, and what does not must not come at all.

use super::Outcome;
use super::made_up::{AMENDMENTS, Amendment, REPLY};
use super::page::{Page, not_run, percent, verdict};
use super::sets::{Sets, list, text, texts};
use super::stock::{HITS, number};
use super::telling::{Said, tell};
use super::world::World;
use serde_json::{Value, json};

const HEADS: [&str; 7] = [
    "what",
    "how it was put right",
    "n",
    "new one first",
    "old one in search",
    "old one in injections",
    "as it must be",
];

/// What became of one amendment.
#[derive(Default)]
struct Found {
    is_new_first: bool,
    is_old_searched: bool,
    is_old_given: bool,
}

/// How one of our own is told.
#[derive(Clone, Copy, PartialEq)]
enum Telling {
    /// The user says it, and later puts it right.
    Bare,
    /// The same, and the agent answers each time.
    Answered,
    /// Nobody puts it right: the old one must come up, or the other rows prove nothing.
    NotPutRight,
}

/// Measures amendments, said by the sets and made up.
pub(crate) fn measure(sets: &Sets, page: &mut Page) -> Outcome<()> {
    page.section(
        "Amendment",
        "The old statement is written, then the new one; then the question is asked. *New one first*: it is the first hit of `search`. *Old one*: how often it came up all the same, by default; both must be 0. The control is not put right at all: there the same questions must find the old one. What we made up ourselves the rules were also mended on: it shows what must not be lost again, not how strangers fare.",
    );
    let mut rows = vec![summed("remem, code memory", "`supersede`", superseded(sets)?, is_gone)];
    for (telling, how, must_be) in [
        (Telling::Bare, "said by the user in a later session", is_gone as fn(&[Found]) -> bool),
        (Telling::Answered, "the same, answered in twenty words each time", is_gone),
        (Telling::NotPutRight, "control: not put right", is_found),
    ] {
        let found =
            AMENDMENTS.iter().map(|it| in_sessions(sets, it, telling)).collect::<Outcome<Vec<_>>>()?;
        let lines: Vec<Value> = AMENDMENTS.iter().zip(&found).map(|(it, found)| {
            json!({"how": how, "question": it.question, "new_first": found.is_new_first, "old_searched": found.is_old_searched, "old_given": found.is_old_given})
        }).collect();
        page.per_query(&format!("amendment-{}", how.replace([' ', ':', ','], "-")), &lines)?;
        rows.push(summed("made up", how, Some(found), must_be));
    }
    page.table(&HEADS, &rows);
    Ok(())
}

fn is_gone(found: &[Found]) -> bool {
    !found.iter().any(|it| it.is_old_searched || it.is_old_given)
}

fn is_found(found: &[Found]) -> bool {
    found.iter().any(|it| it.is_old_searched) && found.iter().any(|it| it.is_old_given)
}

fn summed(what: &str, how: &str, found: Option<Vec<Found>>, must_be: fn(&[Found]) -> bool) -> Vec<String> {
    let Some(found) = found else { return not_run(what, HEADS.len()) };
    let count = |is: fn(&Found) -> bool| found.iter().filter(|it| is(it)).count();
    vec![
        what.to_owned(),
        how.to_owned(),
        found.len().to_string(),
        percent(count(|it| it.is_new_first), found.len()),
        count(|it| it.is_old_searched).to_string(),
        count(|it| it.is_old_given).to_string(),
        verdict(must_be(&found)),
    ]
}

/// The set's own pairs: what is stale, and what took its place. Pairs about different things are no amendment.
fn superseded(sets: &Sets) -> Outcome<Option<Vec<Found>>> {
    let Some(suite) = sets.json("remem/code_memory_suite.json")? else { return Ok(None) };
    let world = sets.world();
    let mut found = Vec::new();
    for task in list(&suite, "tasks") {
        let evidence = list(&task, "evidence");
        let named = |key| {
            let ids = texts(&task, key);
            evidence.iter().find(|it| ids.contains(&text(it, "event_id")))
        };
        let (Some(old), Some(new)) = (named("forbidden_event_ids"), named("gold_supporting_event_ids"))
        else {
            continue;
        };
        if text(old, "topic_key") == text(new, "topic_key") {
            let old = written(&world, &["remember"], old)?;
            let new = written(&world, &["supersede", &old.to_string()], new)?;
            let query = text(&task, "query");
            found.push(look(&world, &query, |hit| number(hit) == Some(new), |id| id == old)?);
        }
    }
    Ok(Some(found))
}

fn written(world: &World, command: &[&str], evidence: &Value) -> Outcome<i64> {
    let title = format!("--title={}", text(evidence, "title"));
    let content = text(evidence, "content");
    let done = world.ask(&[command, &[&title, "--kind=decision", "--json", "--", &content]].concat())?;
    number(&done).ok_or_else(|| format!("nothing was written: {done}").into())
}

/// One of our own, each in a world of its own: the user says it, and days later puts it right.
fn in_sessions(sets: &Sets, it: &Amendment, telling: Telling) -> Outcome<Found> {
    let world = sets.world();
    let says = |session: &str, sentence: &str| {
        let reply = (telling == Telling::Answered).then(|| Said::by_assistant(REPLY));
        tell(&world, session, &std::iter::once(Said::by_user(sentence)).chain(reply).collect::<Vec<_>>())
    };
    says("first", it.said)?;
    let before = list(&world.ask(&["search", "--json"])?, "hits");
    let old: Vec<i64> = before.iter().filter_map(number).collect();
    if telling != Telling::NotPutRight {
        says("second", it.put_right)?;
    }
    world.ask(&["index", "--vectors", "--json"])?;
    look(&world, it.question, |hit| text(hit, "host_session") == "second", |id| old.contains(&id))
}

fn look(
    world: &World,
    question: &str,
    is_new: impl Fn(&Value) -> bool,
    is_old: impl Fn(i64) -> bool,
) -> Outcome<Found> {
    let hits = list(&world.ask(&["search", "-n", HITS, "--json", "--", question])?, "hits");
    let prompt = world.ask(&["context", &format!("--prompt={question}"), "--json"])?;
    let start = world.ask(&["context", "--json"])?;
    let has_old = |list: &[Value]| list.iter().filter_map(number).any(&is_old);
    Ok(Found {
        is_new_first: hits.first().is_some_and(is_new),
        is_old_searched: has_old(&hits),
        is_old_given: has_old(&list(&prompt, "memories")) || has_old(&list(&start, "memories")),
    })
}
