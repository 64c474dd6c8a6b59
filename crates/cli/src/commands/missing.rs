//! `why --missing`: whether something was captured, and why it became no memory.

use crate::commands::why::WhyArgs;
use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::json::{self, CapturedShape, MissingShape, OutcomeShape, RejectionShape};
use backstory_app::missing::MissingRequest;
use backstory_app::words::counted;
use backstory_app::{App, AppError};
use backstory_memory::first_chars;

/// So much of a text is shown.
const SHOWN_CHARS: usize = 90;

/// Explains what is known of something that is missed.
pub(crate) fn run(args: &WhyArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let request = MissingRequest { words: args.missing.join(" "), projects: args.place.selector() };
    let response = app.missing(&store, &request)?;
    let exit = if response.is_unknown() { Exit::No } else { Exit::Done };
    let shape = json::missing(&store, &request.words, &response)?;
    if !args.json && response.is_unknown() {
        let place = if args.place.all_projects { "in any project" } else { "in this project" };
        ui.say(&format!("\"{}\" was never captured {place}", one_line(&request.words)));
        if !args.place.all_projects {
            ui.say("hint: `--all-projects` looks elsewhere");
        }
        ui.say("hint: `backstory doctor` checks whether hooks run; what was forgotten leaves no trace");
        return Ok(exit);
    }
    ui.answer(args.json, &shape, || ui.raw(&words(&shape, ui)))?;
    Ok(exit)
}

fn words(shape: &MissingShape, ui: &Ui) -> String {
    let part = |heading: &str, lines: Vec<String>| match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}\n{}", ui.tone(Tone::Strong, heading), lines.concat()),
    };
    let captured = match shape.captured {
        0 => "The events that said it are gone; events are kept for a while.".to_owned(),
        count => format!("Captured in {}.", counted(count as u64, "event")),
    };
    format!("{} {captured}\n", verdict(shape))
        + &part("What it became", shape.memories.iter().map(outcome).collect())
        + &part("Turned down", shape.rejections.iter().map(rejection).collect())
        + &part("Made from the same message", shape.same_event.iter().map(outcome).collect())
        + &part("Where it was said", shape.events.iter().map(said).collect())
}

fn verdict(shape: &MissingShape) -> String {
    let words = one_line(&shape.words);
    match shape.answer {
        "remembered" => format!("\"{words}\" is remembered."),
        "rejected" => format!("\"{words}\" became no memory."),
        "pasted" => format!("\"{words}\" was pasted and never typed, so it became no memory."),
        _ => format!("Nothing was made of \"{words}\"."),
    }
}

fn outcome(outcome: &OutcomeShape) -> String {
    let OutcomeShape { head, why } = outcome;
    let standing = match (head.superseded_by, head.standing) {
        (Some(by), _) => format!("superseded by #{by}"),
        (None, "proposed") => format!("proposed: {why}; `backstory confirm {}` puts it in force", head.id),
        (None, standing) => format!("{standing}: {why}"),
    };
    format!("#{:<5} {:<9} {}\n       {standing}\n", head.id, head.kind, one_line(&head.title))
}

fn rejection(one: &RejectionShape) -> String {
    let detail = one.detail.as_deref().map(|detail| format!(" ({})", one_line(detail))).unwrap_or_default();
    let writer = if one.writer == "rules" { String::new() } else { format!(", by the {}", one.writer) };
    format!(
        "{}  \"{}\"\n       no {}{writer}: {}{detail}\n",
        day(&one.at),
        quoted(&one.text),
        one.kind,
        one.why
    )
}

fn said(event: &CapturedShape) -> String {
    let CapturedShape { id, session, kind, .. } = event;
    format!("{}  {kind} in session {session} (event {id}): \"{}\"\n", day(&event.at), quoted(&event.text))
}

fn quoted(text: &str) -> String {
    let line = one_line(text);
    let shown = first_chars(&line, SHOWN_CHARS);
    if shown.len() < line.len() { format!("{shown}…") } else { line }
}

fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}
