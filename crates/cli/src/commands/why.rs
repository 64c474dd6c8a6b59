//! `why`: explains a memory, or why there is none (`missing`). Every line that was ever injected can answer: why this, what did it cost, was it used (law 9).

use crate::args::{memory_id, profiles};
use crate::commands::missing;
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, counted, one_line};
use backstory_app::engine::Profile;
use backstory_app::json::{self, HeadShape};
use backstory_app::why::WhyRequest;
use backstory_app::{App, AppError, explain};
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
    let number = format!("#{}", head.id);
    let title = ui.tone(Tone::Strong, &one_line(&head.title));
    ui.wrapped(&format!("{} ", ui.tone(Tone::Faint, &number)), &title, number.len() + 1)?;
    ui.wrapped("   ", &origin(&response.memory, &head, response.evidence, app, ui), 3)?;
    ui.wrapped("   ", &use_of(&response.memory, response.shown, app, ui), 3)?;
    print_injections(&response.injected, app, ui)?;
    if let Some(explained) = &response.explained {
        ui.wrapped("   ", &place(explained), 3)?;
        for line in explain::lines(&explained.hit) {
            ui.line(&format!("     {line}"))?;
        }
    }
    Ok(Exit::Done)
}

fn origin(memory: &Memory, head: &HeadShape, evidence: usize, app: &App, ui: &Ui) -> String {
    let when = ui.clock.both(memory.created_at, app.now);
    let session = memory.session.map(|session| format!(", in session {session}")).unwrap_or_default();
    let events = match evidence {
        0 => String::new(),
        1 => ", from one event".to_owned(),
        several => format!(", from {several} events"),
    };
    let replaced = head.superseded_by.map(|by| format!("; superseded by #{by}")).unwrap_or_default();
    let (provenance, project) = (&head.provenance, one_line(&head.project));
    let kind = ui.kind(&head.kind);
    format!("{kind} in {project}, written {when}{session}{events}; said by: {provenance}{replaced}")
}

fn use_of(memory: &Memory, shown: Impressions, app: &App, ui: &Ui) -> String {
    let last = memory.last_used_at.map(|at| format!(" (last {})", ui.ago(at, app.now))).unwrap_or_default();
    let unused = match (memory.times_used, shown.since_used) {
        (0, _) | (_, 0) => String::new(),
        (_, since) => format!(" ({since} since it was last used)"),
    };
    let [met, used, shown] = [memory.times_seen, memory.times_used, shown.total].map(times);
    format!("met {met}, used {used}{last}, shown {shown}{unused}")
}

/// So many injections are printed one by one; `--json` has more.
const INJECTIONS_SHOWN: usize = 3;

/// Prints the newest injections, and the others as one line: where and how often it was injected says more than a list of days.
fn print_injections(injected: &[MemoryInjection], app: &App, ui: &Ui) -> Result<(), AppError> {
    for one in injected.iter().take(INJECTIONS_SHOWN) {
        ui.wrapped("   ", &injected_line(one, app, ui), 5)?;
    }
    let rest = injected.get(INJECTIONS_SHOWN..).unwrap_or_default();
    if let Some(oldest) = rest.last() {
        let used: u32 = rest.iter().map(|one| u32::from(one.used.is_some())).sum();
        let tokens: u32 = rest.iter().map(|one| one.tokens).sum();
        let since = ui.ago(oldest.at, app.now);
        let times = counted(rest.len() as u64, "earlier injection");
        let line = format!("… and {times} since {since}: {tokens} tokens, used {}", self::times(used));
        ui.wrapped("   ", &ui.tone(Tone::Faint, &line), 5)?;
    }
    Ok(())
}

fn injected_line(injected: &MemoryInjection, app: &App, ui: &Ui) -> String {
    let used = injected.used.as_ref().map_or_else(
        || "not used".to_owned(),
        |(at, how)| {
            ui.tone(Tone::Good, &format!("used {} ({})", ui.ago(*at, app.now), how.replace('_', " ")))
        },
    );
    let MemoryInjection { moment, rank, tokens, score, .. } = injected;
    let reasons = injected.reasons.join(", ");
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {reasons}") };
    let (moment, when) = (moment.replace('_', " "), ui.ago(injected.at, app.now));
    format!("injected {when} at {moment}, rank {rank}, {tokens} tokens, score {score:.2}, {used}{reasons}")
}

fn place(explained: &HitExplanation) -> String {
    let strategy = explained.strategy.as_str();
    match explained.rank {
        Some(rank) => format!("for this question: rank {}, by {strategy}", rank + 1),
        None => format!("for this question it would not be shown (by {strategy})"),
    }
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
