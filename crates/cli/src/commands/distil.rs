//! `distil`: derives memories from what happened, again if need be. Hooks do it at the end of each turn; running it twice changes nothing.
//!
//! With folders it is the background writer's way through files: requests to look at or to have answered, answers to take.

use crate::exit::Exit;
use crate::ui::{Ui, counted, memories, one_line};
use backstory_app::writer_files::{AnswerFile, AnswersResponse, RequestFile, SessionNotesResponse};
use backstory_app::{App, AppError, json};
use backstory_memory::RejectionReason;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `distil`.
#[derive(Args, Debug)]
pub(crate) struct DistilArgs {
    /// Only this session: its number, the host's name for it, or `last` for the newest of this folder's project (default: every session with something new)
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Write what a model would be asked about each session of this folder's project, one file a session
    #[arg(long, value_name = "DIR", conflicts_with_all = ["answers", "show"])]
    pub(crate) requests: Option<PathBuf>,
    /// Take what a model answered, each file named like the request it answers
    #[arg(long, value_name = "DIR")]
    pub(crate) answers: Option<PathBuf>,
    /// Show what was kept of a session and what was turned down, with the reasons (default: of the newest session)
    #[arg(long)]
    pub(crate) show: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Distils.
pub(crate) fn run(args: &DistilArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let session = args.session.as_deref();
    if let Some(folder) = &args.requests {
        let written = app.write_requests(&store, folder, session)?;
        return if args.json { ui.json(&json::requests(&written)) } else { show_requests(ui, &written) }
            .map(|()| Exit::Done);
    }
    if let Some(folder) = &args.answers {
        let taken = app.take_answers(&mut store, folder, session)?;
        return if args.json { ui.json(&json::answers(&taken)) } else { show_answers(ui, &taken, args.show) }
            .map(|()| Exit::Done);
    }
    if args.show {
        let notes = app.session_notes(&store, session)?;
        return if args.json { ui.json(&json::session_notes(&notes)) } else { show_notes(ui, &notes) }
            .map(|()| Exit::Done);
    }
    let done = app.distil(&mut store, session)?;
    if args.json {
        ui.json(&json::distilled(&done))?;
        return Ok(Exit::Done);
    }
    for memory in &done.written {
        let content = &memory.content;
        ui.line(&format!("#{} {:<9} {}", memory.id, content.kind, one_line(&content.title)))?;
    }
    let (sessions, new) = (counted(done.sessions, "session"), memories(done.written.len() as u64));
    ui.line(&format!("{sessions} read: {new} new, {} brought up to date", done.updated.len()))?;
    Ok(Exit::Done)
}

fn show_requests(ui: &Ui, written: &[RequestFile]) -> Result<(), AppError> {
    for request in written {
        ui.line(&format!("{} {} tokens", request.path.display(), request.tokens.0))?;
    }
    let total: u64 = written.iter().map(|request| u64::from(request.tokens.0)).sum();
    ui.line(&format!("{} written, {total} tokens in all", counted(written.len() as u64, "request")))
}

fn show_answers(ui: &Ui, taken: &AnswersResponse, with_notes: bool) -> Result<(), AppError> {
    for answer in &taken.answers {
        let report = &answer.report;
        let outcome = json::outcome_word(report.outcome).replace('_', " ");
        let proposed = report.demoted.len();
        let counts = format!(
            "{} kept, {proposed} of them proposed, {} turned down",
            report.kept.len(),
            report.rejected.len()
        );
        ui.line(&format!("session {}: {outcome}; {counts}", answer.session.id))?;
        if with_notes {
            show_report(ui, answer)?;
        }
    }
    for path in &taken.unknown {
        ui.say(&format!("`{}` is named like no session of this project", path.display()));
    }
    ui.line(&format!("{} taken", counted(taken.answers.len() as u64, "answer")))
}

fn show_report(ui: &Ui, answer: &AnswerFile) -> Result<(), AppError> {
    for note in &answer.report.kept {
        ui.line(&format!("  #{} {:<9} {}", note.memory, note.kind, one_line(&note.title)))?;
    }
    for note in &answer.report.demoted {
        ui.line(&format!("  proposed: {} ({})", one_line(&note.title), note.reason.explanation()))?;
    }
    for note in &answer.report.rejected {
        show_rejection(ui, &note.title, (note.reason, note.detail.as_deref()))?;
    }
    Ok(())
}

fn show_rejection(
    ui: &Ui,
    text: &str,
    (reason, detail): (RejectionReason, Option<&str>),
) -> Result<(), AppError> {
    let detail = detail.map(|detail| format!(": {}", one_line(detail))).unwrap_or_default();
    ui.line(&format!("  turned down: {} ({}{detail})", one_line(text), reason.explanation()))
}

fn show_notes(ui: &Ui, notes: &SessionNotesResponse) -> Result<(), AppError> {
    ui.line(&format!("session {} · {}", notes.session.id, one_line(&notes.session.host_session)))?;
    for (memory, writer) in &notes.memories {
        let content = &memory.content;
        let writer = writer.map_or("you", |writer| writer.as_str());
        let title = one_line(&content.title);
        ui.line(&format!("  #{} {:<9} {title} ({}, by {writer})", memory.id, content.kind, memory.standing))?;
    }
    for rejection in &notes.rejections {
        show_rejection(ui, &rejection.text, (rejection.reason, rejection.detail.as_deref()))?;
    }
    Ok(())
}
