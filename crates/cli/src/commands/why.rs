//! `why`: explains a memory, or why there is none (`missing`). Every line that was ever injected can answer: why this, what did it cost, was it used (law 9).

use crate::args::{memory_id, profiles};
use crate::commands::missing;
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::engine::Profile;
use backstory_app::json::{self, HeadShape};
use backstory_app::why::WhyRequest;
use backstory_app::{App, AppError, explain, times};
use backstory_memory::{Memory, MemoryId};
use backstory_recall::HitExplanation;
use backstory_store::{Impressions, MemoryInjection};
use clap::Args;

/// Arguments of `why`.
#[derive(Args, Debug)]
pub(crate) struct WhyArgs {
    /// The memory's number
    #[arg(value_parser = memory_id, required_unless_present = "missing")]
    pub(crate) id: Option<MemoryId>,
    /// Explain why something became no memory: words of what was said
    #[arg(long, value_name = "WORDS", num_args = 1.., conflicts_with_all = ["id", "query"])]
    pub(crate) missing: Vec<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// Explain its score for this query
    #[arg(long, short, value_name = "QUESTION")]
    pub(crate) query: Option<String>,
    /// Which ranking weights to use
    #[arg(long, value_parser = profiles(), default_value = "search", requires = "query")]
    pub(crate) profile: Profile,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Explains.
pub(crate) fn run(args: &WhyArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let Some(id) = args.id else { return missing::run(args, app, ui) };
    let store = app.store_to_read()?;
    let request = WhyRequest { id, query: args.query.clone(), profile: args.profile };
    let response = app.why(&store, &request)?;
    if args.json {
        ui.json(&json::why(&store, response)?)?;
        return Ok(Exit::Done);
    }
    let head = json::head(&store, &response.memory)?;
    let title = format!("#{} {}", head.id, one_line(&head.title));
    ui.line(&ui.tone(Tone::Strong, &title))?;
    ui.line(&format!("   {}", origin(&response.memory, &head, response.evidence)))?;
    ui.line(&format!("   {}", use_of(&response.memory, response.shown)))?;
    for injected in &response.injected {
        ui.line(&format!("   {}", injected_line(injected)))?;
    }
    if let Some(explained) = &response.explained {
        ui.line(&format!("   {}", place(explained)))?;
        for line in explain::lines(&explained.hit) {
            ui.line(&format!("     {line}"))?;
        }
    }
    Ok(Exit::Done)
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

fn injected_line(injected: &MemoryInjection) -> String {
    let used = injected.used.as_ref().map_or_else(
        || "not used".to_owned(),
        |(at, how)| format!("used {} ({})", day(*at), how.replace('_', " ")),
    );
    let MemoryInjection { moment, rank, tokens, score, .. } = injected;
    let reasons = injected.reasons.join(", ");
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {reasons}") };
    let moment = moment.replace('_', " ");
    format!(
        "injected {} at {moment}, rank {rank}, {tokens} tokens, score {score:.2}, {used}{reasons}",
        day(injected.at)
    )
}

fn place(explained: &HitExplanation) -> String {
    let strategy = explained.strategy.as_str();
    match explained.rank {
        Some(rank) => format!("for this question: rank {}, by {strategy}", rank + 1),
        None => format!("for this question it would not be shown (by {strategy})"),
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
