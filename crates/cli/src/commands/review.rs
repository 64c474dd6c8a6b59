//! `confirm`, `retire` and `review`: what the user says of memories that wait for a word.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::filter_args::KindArgs;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::json::{self, JudgedShape, heads};
use backstory_app::review::ReviewRequest;
use backstory_app::{App, AppError, ErrorCode, times};
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
    #[command(flatten)]
    pub(crate) kind: KindArgs,
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
    let waiting = app.review(
        &store,
        &ReviewRequest { projects: args.place.selector(), since, kinds: args.kind.kinds(), limit: MOST },
    )?;
    let exit = if waiting.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&json::review(&store, &waiting)?)?;
    } else if waiting.is_empty() {
        say_nothing(args, &store, app, ui)?;
    } else {
        app.refuse_agent("review memories")?;
        ask_all(&waiting, &mut store, app, ui)?;
    }
    Ok(exit)
}

/// Says that nothing waits; unless a time was named, older ones are counted, because none of them is forgotten by waiting.
fn say_nothing(args: &ReviewArgs, store: &Store, app: &App, ui: &Ui) -> Result<(), AppError> {
    let (projects, kinds) = (args.place.selector(), args.kind.kinds());
    let all = ReviewRequest { projects, since: Some(Timestamp(0)), kinds, limit: MOST };
    let older = if args.since.is_some() { 0 } else { app.review(store, &all)?.len() };
    if older == 0 {
        ui.say("nothing waits for your word");
    } else {
        ui.say(&format!(
            "nothing of the last week waits for your word; {older} older: `backstory review --since 52w`"
        ));
    }
    Ok(())
}

fn ask_all(waiting: &[Memory], store: &mut Store, app: &App, ui: &Ui) -> Result<(), AppError> {
    for (at, memory) in waiting.iter().enumerate() {
        describe(memory, app, ui)?;
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

fn describe(memory: &Memory, app: &App, ui: &Ui) -> Result<(), AppError> {
    let content = &memory.content;
    let number = format!("#{}", memory.id);
    let first = format!("{} {} ", ui.tone(Tone::Faint, &number), ui.kind(content.kind.as_str()));
    ui.wrapped(&first, &ui.tone(Tone::Strong, &one_line(&content.title)), 2)?;
    let body = one_line(&content.body);
    if body != content.title && !body.is_empty() {
        ui.wrapped("  ", &body, 2)?;
    }
    let (age, why) = (ui.ago(memory.created_at, app.now), memory.standing_reason.explanation());
    ui.wrapped("  ", &ui.tone(Tone::Faint, &format!("{age}, by {}: {why}", content.provenance)), 2)
}
