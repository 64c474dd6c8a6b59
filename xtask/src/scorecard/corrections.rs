//! Corrections: the corrected statement must come first, and the outdated one must not come up at all.

use super::page::{ScorecardPage, not_run, percent, verdict};
use super::playback::{SessionMessage, play_session};
use super::samples::{ACKNOWLEDGEMENT, CORRECTIONS, Correction};
use super::scored_store::{HITS, memory_id};
use super::sets::{EvalSets, list, text, texts};
use super::world::ScorecardWorld;
use crate::TaskResult;
use serde_json::{Value, json};

const HEADS: [&str; 7] = [
    "what",
    "how it was corrected",
    "n",
    "correction first",
    "outdated in search",
    "outdated in injections",
    "as required",
];

/// The result of one correction.
#[derive(Default)]
struct CorrectionResult {
    is_correction_first: bool,
    is_outdated_found: bool,
    is_outdated_injected: bool,
}

/// How one of our samples is played.
#[derive(Clone, Copy, PartialEq)]
enum CorrectionVariant {
    /// The user states it, and corrects it later.
    Bare,
    /// The same, and the agent replies each time.
    Answered,
    /// Never corrected: the statement must come up, or the other rows prove nothing.
    Control,
}

/// Measures corrections of the sets and of our samples.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Corrections",
        "A statement is written, then its correction; then the question is put. *Correction first*: it is the first hit of `search`. *Outdated*: how often the old statement came up all the same, by default; both must be 0. The control is never corrected: there the same questions must find the statement. The rules were developed on our samples: they guard against regressions, they do not predict other users' sessions.",
    );
    let mut rows = vec![summary_row("remem, code memory", "`supersede`", superseded(sets)?, is_gone)];
    for (variant, how, required) in [
        (
            CorrectionVariant::Bare,
            "corrected by the user in a later session",
            is_gone as fn(&[CorrectionResult]) -> bool,
        ),
        (CorrectionVariant::Answered, "the same, with a reply of twenty words each time", is_gone),
        (CorrectionVariant::Control, "control: never corrected", is_present),
    ] {
        let results = CORRECTIONS
            .iter()
            .map(|it| play_correction(sets, it, variant))
            .collect::<TaskResult<Vec<_>>>()?;
        let lines: Vec<Value> = CORRECTIONS.iter().zip(&results).map(|(it, result)| {
            json!({"how": how, "question": it.question, "correction_first": result.is_correction_first, "outdated_found": result.is_outdated_found, "outdated_injected": result.is_outdated_injected})
        }).collect();
        page.per_query(&format!("corrections-{}", how.replace([' ', ':', ','], "-")), &lines)?;
        rows.push(summary_row("written by us", how, Some(results), required));
    }
    page.table(&HEADS, &rows);
    Ok(())
}

fn is_gone(results: &[CorrectionResult]) -> bool {
    !results.iter().any(|it| it.is_outdated_found || it.is_outdated_injected)
}

fn is_present(results: &[CorrectionResult]) -> bool {
    results.iter().any(|it| it.is_outdated_found) && results.iter().any(|it| it.is_outdated_injected)
}

fn summary_row(
    what: &str,
    how: &str,
    results: Option<Vec<CorrectionResult>>,
    required: fn(&[CorrectionResult]) -> bool,
) -> Vec<String> {
    let Some(results) = results else { return not_run(what, HEADS.len()) };
    let count = |is: fn(&CorrectionResult) -> bool| results.iter().filter(|it| is(it)).count();
    vec![
        what.to_owned(),
        how.to_owned(),
        results.len().to_string(),
        percent(count(|it| it.is_correction_first), results.len()),
        count(|it| it.is_outdated_found).to_string(),
        count(|it| it.is_outdated_injected).to_string(),
        verdict(required(&results)),
    ]
}

/// The set's own pairs of a stale event and its replacement. Pairs about different topics are no correction.
fn superseded(sets: &EvalSets) -> TaskResult<Option<Vec<CorrectionResult>>> {
    let Some(suite) = sets.json("remem/code_memory_suite.json")? else { return Ok(None) };
    let world = sets.world();
    let mut results = Vec::new();
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
            let old = write_memory(&world, &["remember"], old)?;
            let new = write_memory(&world, &["supersede", &old.to_string()], new)?;
            let query = text(&task, "query");
            results.push(query_world(&world, &query, |hit| memory_id(hit) == Some(new), |id| id == old)?);
        }
    }
    Ok(Some(results))
}

fn write_memory(world: &ScorecardWorld, command: &[&str], evidence: &Value) -> TaskResult<i64> {
    let title = format!("--title={}", text(evidence, "title"));
    let content = text(evidence, "content");
    let done = world.json(&[command, &[&title, "--kind=decision", "--json", "--", &content]].concat())?;
    memory_id(&done).ok_or_else(|| format!("no memory was written: {done}").into())
}

/// Plays one of our samples in a world of its own: the user states it, and corrects it days later.
fn play_correction(
    sets: &EvalSets,
    it: &Correction,
    variant: CorrectionVariant,
) -> TaskResult<CorrectionResult> {
    let world = sets.world();
    let play = |session: &str, sentence: &str| {
        let reply =
            (variant == CorrectionVariant::Answered).then(|| SessionMessage::from_assistant(ACKNOWLEDGEMENT));
        play_session(
            &world,
            session,
            &std::iter::once(SessionMessage::from_user(sentence)).chain(reply).collect::<Vec<_>>(),
        )
    };
    play("first", it.statement)?;
    let before = list(&world.json(&["search", "--json"])?, "hits");
    let old: Vec<i64> = before.iter().filter_map(memory_id).collect();
    if variant != CorrectionVariant::Control {
        play("second", it.correction)?;
    }
    world.json(&["index", "--vectors", "--json"])?;
    query_world(&world, it.question, |hit| text(hit, "host_session") == "second", |id| old.contains(&id))
}

fn query_world(
    world: &ScorecardWorld,
    question: &str,
    is_new: impl Fn(&Value) -> bool,
    is_old: impl Fn(i64) -> bool,
) -> TaskResult<CorrectionResult> {
    let hits = list(&world.json(&["search", "-n", HITS, "--json", "--", question])?, "hits");
    let prompt = world.json(&["context", &format!("--prompt={question}"), "--json"])?;
    let start = world.json(&["context", "--json"])?;
    let has_outdated = |list: &[Value]| list.iter().filter_map(memory_id).any(&is_old);
    Ok(CorrectionResult {
        is_correction_first: hits.first().is_some_and(is_new),
        is_outdated_found: has_outdated(&hits),
        is_outdated_injected: has_outdated(&list(&prompt, "memories"))
            || has_outdated(&list(&start, "memories")),
    })
}
