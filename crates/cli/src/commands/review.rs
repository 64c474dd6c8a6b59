//! `confirm`, `retire` and `review`: what the user says of memories that wait for a word.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Ui, one_line};
use backstory_app::json::{self, JudgedShape, heads};
use backstory_app::review::ReviewRequest;
use backstory_app::{App, AppError, ErrorCode, times};
use backstory_inject::time_ago;
use backstory_memory::{Memory, MemoryId, Timestamp};
use backstory_platform::read_key;
use backstory_store::{Store, Verdict};
use clap::Args;

/// Arguments of `confirm` and `retire`.
#[derive(Args, Debug)]
pub(crate) struct VerdictArgs {
    /// The numbers of the memories
    #[arg(value_parser = memory_id, required = true, value_name = "ID")]
    pub(crate) ids: Vec<MemoryId>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `review`.
#[derive(Args, Debug)]
pub(crate) struct ReviewArgs {
    /// Only what was written since (`2026-05-01`, `3d`); default: the last week
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// List them as JSON instead of asking
    #[arg(long)]
    pub(crate) json: bool,
}

/// As many are listed at once.
const MOST: u32 = 200;

/// Confirms or retires memories.
pub(crate) fn run_verdict(
    args: &VerdictArgs,
    verdict: Verdict,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let judged: Vec<Memory> =
        args.ids.iter().map(|id| app.record_verdict(&mut store, *id, verdict)).collect::<Result<_, _>>()?;
    ui.answer(args.json, &JudgedShape { ok: true, memories: heads(&store, &judged)? }, || {
        judged.iter().try_for_each(|memory| {
            ui.line(&format!("#{} is {}: {}", memory.id, memory.standing, one_line(&memory.content.title)))
        })
    })?;
    Ok(Exit::Done)
}

/// Shows what waits for a word, one by one, and takes it.
pub(crate) fn run(args: &ReviewArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    let mut store = app.store()?;
    let waiting =
        app.review(&store, &ReviewRequest { projects: args.place.selector(), since, limit: MOST })?;
    let exit = if waiting.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&json::review(&store, &waiting)?)?;
    } else if waiting.is_empty() {
        ui.say("nothing waits for your word");
    } else {
        app.refuse_agent("review memories")?;
        ask_all(&waiting, &mut store, app, ui)?;
    }
    Ok(exit)
}

fn ask_all(waiting: &[Memory], store: &mut Store, app: &App, ui: &Ui) -> Result<(), AppError> {
    for (at, memory) in waiting.iter().enumerate() {
        ui.line(&describe(memory, app.now))?;
        ui.say(&format!(
            "  {} of {}: [y] it holds  [n] it does not  [s] later  [q] stop",
            at + 1,
            waiting.len()
        ));
        let verdict = loop {
            match read_key()
                .map_err(|error| AppError::new(ErrorCode::UserOnly, format!("cannot read a key: {error}")))?
            {
                'y' => break Some(Verdict::Confirm),
                'n' => break Some(Verdict::Retire),
                's' | ' ' | '\n' | '\r' => break None,
                // Escape, and the key that ends programs.
                'q' | '\u{1b}' | '\u{3}' => return Ok(()),
                _ => {}
            }
        };
        if let Some(verdict) = verdict {
            let judged = app.record_verdict(store, memory.id, verdict)?;
            ui.say(&format!("  #{} is {}", judged.id, judged.standing));
        }
    }
    Ok(())
}

fn describe(memory: &Memory, now: Timestamp) -> String {
    let content = &memory.content;
    let body = one_line(&content.body);
    let more = if body == content.title { String::new() } else { format!("\n  {body}") };
    let age = time_ago(memory.created_at, now);
    let why = memory.standing_reason.explanation();
    format!(
        "#{} {} {}{more}\n  {age}, by {}: {why}",
        memory.id,
        content.kind,
        one_line(&content.title),
        content.provenance
    )
}
