//! `forget`: removes memories, events, or whatever holds a phrase, for good. Only a tombstone stays, so that they cannot come back.

use crate::args::{event_id, memory_id};
use crate::exit::Exit;
use crate::ui::{Ui, memories, one_line};
use backstory_app::forget::{ForgetResponse, event_text};
use backstory_app::words::counted;
use backstory_app::{App, AppError, ErrorCode, json};
use backstory_inject::time_ago;
use backstory_memory::{EventId, MemoryId, first_chars};
use backstory_store::{PhraseMatches, Store, StoredEvent};
use clap::Args;

/// How much of an event is shown.
const SHOWN_CHARS: usize = 100;

/// Arguments of `forget`.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The memories' numbers
    #[arg(required_unless_present_any = ["events", "text"], conflicts_with_all = ["events", "text"], value_parser = memory_id)]
    pub(crate) ids: Vec<MemoryId>,
    /// Forget an event, like a prompt, by its number; may be repeated
    #[arg(long = "event", value_name = "ID", value_parser = event_id, conflicts_with = "text")]
    pub(crate) events: Vec<EventId>,
    /// Forget everything that says these words: memories, what they said before, prompts and other events, injected texts
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Forgets memories, events or a phrase.
pub(crate) fn run(args: &ForgetArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    // First of all: an agent is not asked for `--yes` before it is refused.
    app.refuse_agent_forgetting()?;
    let mut store = app.store()?;
    let done = if let Some(text) = &args.text {
        forget_text(text, &mut store, args, (app, ui))?
    } else if args.events.is_empty() {
        forget_memories(&mut store, args, (app, ui))?
    } else {
        forget_events(&mut store, args, (app, ui))?
    };
    let Some(done) = done else { return Ok(Exit::No) };
    if args.json {
        ui.json(&json::forget(&done))?;
        return Ok(Exit::Done);
    }
    ui.line(&done.headline())?;
    done.notes().iter().for_each(|note| ui.say(note));
    Ok(Exit::Done)
}

fn forget_memories(
    store: &mut Store,
    args: &ForgetArgs,
    (app, ui): (&App, &Ui),
) -> Result<Option<ForgetResponse>, AppError> {
    let mut ids = args.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    show_memories(store, &ids, args, (app, ui))?;
    ui.say_if_elsewhere(app, store, &ids)?;
    if !is_confirmed(&memories(ids.len() as u64), args, ui)? {
        return Ok(None);
    }
    app.forget(store, &ids).map(Some)
}

fn forget_events(
    store: &mut Store,
    args: &ForgetArgs,
    (app, ui): (&App, &Ui),
) -> Result<Option<ForgetResponse>, AppError> {
    let mut ids = args.events.clone();
    ids.sort_unstable();
    ids.dedup();
    for id in &ids {
        let event = app.event(store, *id)?;
        if !args.yes {
            ui.say(&event_line(&event, app));
        }
    }
    if !is_confirmed(&counted(ids.len() as u64, "event"), args, ui)? {
        return Ok(None);
    }
    app.forget_events(store, &ids).map(Some)
}

fn forget_text(
    text: &str,
    store: &mut Store,
    args: &ForgetArgs,
    (app, ui): (&App, &Ui),
) -> Result<Option<ForgetResponse>, AppError> {
    let matches = app.containing(store, text)?;
    if matches == PhraseMatches::default() {
        // Backups and logs may still say what the database no longer does.
        let report = if args.yes { Some(app.forget_text(store, text)?) } else { None };
        ui.say("nothing says that");
        return Ok(report.filter(|report| !report.remains_in.is_empty()));
    }
    show_memories(store, &matches.memories, args, (app, ui))?;
    if !args.yes {
        matches.events.iter().for_each(|event| ui.say(&event_line(event, app)));
        for id in &matches.revised {
            ui.say(&format!("#{id} said it before it was revised; what it says now stays"));
        }
        if matches.injections > 0 {
            ui.say(&counted(matches.injections, "injected text"));
        }
        if matches.rejections > 0 {
            ui.say(&counted(matches.rejections, "rejected text"));
        }
        if matches.held > 0 {
            ui.say(&format!("{} that a team forgot and that can still be restored", memories(matches.held)));
        }
        if matches.files > 0 {
            ui.say(&counted(matches.files, "mapped file"));
        }
    }
    ui.say_if_elsewhere(app, store, &matches.memories)?;
    let what = format!(
        "{} and {}",
        memories(matches.memories.len() as u64),
        counted(matches.events.len() as u64, "event")
    );
    if !is_confirmed(&what, args, ui)? {
        return Ok(None);
    }
    app.forget_text(store, text).map(Some)
}

fn show_memories(
    store: &Store,
    ids: &[MemoryId],
    args: &ForgetArgs,
    (app, ui): (&App, &Ui),
) -> Result<(), AppError> {
    for id in ids {
        let memory = app.memory(store, *id)?;
        if !args.yes {
            ui.say(&format!("#{id} {} {}", memory.content.kind, one_line(&memory.content.title)));
        }
    }
    Ok(())
}

fn event_line(stored: &StoredEvent, app: &App) -> String {
    let (event, at) = (&stored.event, time_ago(stored.event.at, app.now));
    let said = one_line(&event_text(stored));
    format!("event {} {} {at}: {}", stored.id, event.kind.as_str(), first_chars(&said, SHOWN_CHARS))
}

/// Asks unless `--yes` was given.
fn is_confirmed(what: &str, args: &ForgetArgs, ui: &Ui) -> Result<bool, AppError> {
    if args.yes {
        return Ok(true);
    }
    ui.confirm(&format!("Forget {what} for good?")).ok_or_else(|| {
        AppError::new(ErrorCode::ConfirmationMissing, "forgetting cannot be undone")
            .hint("pass `--yes` to confirm")
    })
}
