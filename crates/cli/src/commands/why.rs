//! `why`: what speaks for a memory. Every line that was ever given to a host can answer: why this, what did it cost, was it used (law 9).

use crate::app::App;
use crate::args::{memory_id, profiles};
use crate::engine::{Profile, engine_of, search_query};
use crate::explain::{self, SumShape};
use crate::failure::{Exit, Failure};
use crate::shapes::{self, HeadShape};
use crate::times;
use crate::ui::{Tone, one_line};
use backstory_memory::{Memory, MemoryId, Standing};
use backstory_recall::HitExplanation;
use backstory_store::{Filter, Impressions, MemoryInjection, Scope, StandingFilter, Store, StoreError};
use clap::Args;
use serde::Serialize;

/// Arguments of `why`.
#[derive(Args, Debug)]
pub(crate) struct WhyArgs {
    /// The memory's number
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    /// What it has to do with this question
    #[arg(long, short, value_name = "QUESTION")]
    pub(crate) query: Option<String>,
    /// Which weights count
    #[arg(long, value_parser = profiles(), default_value = "search", requires = "query")]
    pub(crate) profile: Profile,
    /// SearchResults in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How many injections are told; the rest is only counted in `shown`.
pub(crate) const TOLD: u32 = 10;

#[derive(Serialize)]
struct Why {
    version: u32,
    #[serde(flatten)]
    head: HeadShape,
    evidence: usize,
    times_seen: u32,
    times_used: u32,
    times_shown: u32,
    times_shown_since_used: u32,
    given: Vec<GivenShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<QuestionShape>,
}

/// One time it was given to a host.
#[derive(Debug, Serialize)]
pub(crate) struct GivenShape {
    injection: i64,
    at: String,
    moment: String,
    section: String,
    rank: u32,
    score: f64,
    tokens: u32,
    reasons: Vec<String>,
    used_at: Option<String>,
    used_how: Option<String>,
}

/// What it has to do with a question. The rank is counted from 1; nothing where it would not be shown.
#[derive(Serialize)]
struct QuestionShape {
    rank: Option<usize>,
    score: f64,
    strategy: &'static str,
    explain: SumShape,
}

/// Explains.
pub(crate) fn run(args: &WhyArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let memory = store.memory(args.id)?.ok_or(StoreError::NoSuchMemory(args.id))?;
    let explained =
        args.query.as_deref().map(|query| explain(&store, &memory, query, args, app)).transpose()?;
    let shown = store.impressions(&[memory.id])?.get(&memory.id).copied().unwrap_or_default();
    let given = store.injections_of_memory(memory.id, TOLD)?;
    let evidence = store.evidence(memory.id)?.len();
    let head = shapes::head(&store, &memory)?;
    if args.json {
        let question = explained.map(|explained| QuestionShape {
            rank: explained.rank.map(|rank| rank + 1),
            score: explained.hit.score,
            strategy: explained.strategy.as_str(),
            explain: explain::shape(&explained.hit.reasons),
        });
        let why = Why {
            version: 1,
            head,
            evidence,
            times_seen: memory.times_seen,
            times_used: memory.times_used,
            times_shown: shown.total,
            times_shown_since_used: shown.since_used,
            given: given.into_iter().map(given_shape).collect(),
            question,
        };
        app.ui.json(&why)?;
        return Ok(Exit::Done);
    }
    let title = format!("#{} {}", head.id, one_line(&head.title));
    app.ui.line(&app.ui.tone(Tone::Strong, &title))?;
    app.ui.line(&format!("   {}", origin(&memory, &head, evidence)))?;
    app.ui.line(&format!("   {}", use_of(&memory, shown)))?;
    for given in &given {
        app.ui.line(&format!("   {}", given_line(given)))?;
    }
    if let Some(explained) = &explained {
        app.ui.line(&format!("   {}", place(explained)))?;
        for line in explain::lines(&explained.hit) {
            app.ui.line(&format!("     {line}"))?;
        }
    }
    Ok(Exit::Done)
}

/// Puts the question within the memory's own project, whatever the folder: that is where it could be found.
fn explain(
    store: &Store,
    memory: &Memory,
    query: &str,
    args: &WhyArgs,
    app: &App,
) -> Result<HitExplanation, Failure> {
    let engine = engine_of(app, args.profile);
    let query = search_query(query, app.now, None);
    let limit = app.config.search.limit;
    let is_live = memory.standing == Standing::Confirmed;
    // Its place is the one a search gives it, which leaves out what was superseded; but that has its sum all the same.
    let standing = if is_live { StandingFilter::Confirmed } else { StandingFilter::Any };
    let filter = Filter { standing, limit, ..Filter::within(Scope::Project(memory.project)) };
    let explained = engine.searcher(store).explain(&query, &filter, memory.id)?;
    let explained = explained.ok_or(StoreError::NoSuchMemory(memory.id))?;
    Ok(HitExplanation { rank: explained.rank.filter(|_| is_live), ..explained })
}

fn origin(memory: &Memory, head: &HeadShape, evidence: usize) -> String {
    let day: String = head.created_at.chars().take(10).collect();
    let session = memory.session.map(|session| format!(", in session {session}")).unwrap_or_default();
    let events = match evidence {
        0 => String::new(),
        1 => ", from one event".to_owned(),
        several => format!(", from {several} events"),
    };
    let replaced = head.superseded_by.map(|by| format!("; superseded by #{by}")).unwrap_or_default();
    let (kind, provenance, project) = (&head.kind, &head.provenance, one_line(&head.project));
    format!("{kind} in {project}, written {day}{session}{events}; said by: {provenance}{replaced}")
}

fn use_of(memory: &Memory, shown: Impressions) -> String {
    let last = memory.last_used_at.map(|at| format!(" (last {})", day(at))).unwrap_or_default();
    let unused = match (memory.times_used, shown.since_used) {
        (0, _) | (_, 0) => String::new(),
        (_, since) => format!(" ({since} since it was last used)"),
    };
    let [met, used, shown] = [memory.times_seen, memory.times_used, shown.total].map(times);
    format!("met {met}, used {used}{last}, shown {shown}{unused}")
}

fn given_line(given: &MemoryInjection) -> String {
    let used = given.used.as_ref().map_or_else(
        || "not used".to_owned(),
        |(at, how)| format!("used {} ({})", day(*at), how.replace('_', " ")),
    );
    let MemoryInjection { moment, rank, tokens, score, .. } = given;
    let reasons = given.reasons.join(", ");
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {reasons}") };
    let moment = moment.replace('_', " ");
    format!(
        "given {} at {moment}, place {rank}, {tokens} tokens, score {score:.2}, {used}{reasons}",
        day(given.at)
    )
}

fn place(explained: &HitExplanation) -> String {
    let strategy = explained.strategy.as_str();
    match explained.rank {
        Some(rank) => format!("for this question: place {}, by {strategy}", rank + 1),
        None => format!("for this question it would not be shown (by {strategy})"),
    }
}

/// Tells of one time a memory was given.
pub(crate) fn given_shape(given: MemoryInjection) -> GivenShape {
    let (used_at, used_how) = given.used.unzip();
    GivenShape {
        injection: given.injection.0,
        at: times::iso(given.at),
        moment: given.moment,
        section: given.section,
        rank: given.rank,
        score: given.score,
        tokens: given.tokens,
        reasons: given.reasons,
        used_at: used_at.map(times::iso),
        used_how,
    }
}

fn day(at: backstory_memory::Timestamp) -> String {
    times::iso(at).chars().take(10).collect()
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
