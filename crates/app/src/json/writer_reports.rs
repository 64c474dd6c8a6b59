//! The background writer through files in JSON.

use super::numbers;
use crate::writer_files::{AnswerFile, AnswersResponse, RequestFile, SessionNotesResponse};
use backstory_distil::writer::AnswerOutcome;
use backstory_memory::Writer;
use backstory_store::Rejection;
use serde::Serialize;

/// What `distil --requests --json` answers.
#[derive(Debug, Serialize)]
pub struct RequestsShape {
    pub version: u32,
    pub requests: Vec<RequestShape>,
}

#[derive(Debug, Serialize)]
pub struct RequestShape {
    pub session: i64,
    pub host_session: String,
    pub file: String,
    pub tokens: u32,
}

/// What `distil --answers --json` answers.
#[derive(Debug, Serialize)]
pub struct AnswersShape {
    pub version: u32,
    pub answers: Vec<AnswerShape>,
    /// Files that are named like no session.
    pub unknown: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct AnswerShape {
    pub session: i64,
    pub host_session: String,
    pub outcome: &'static str,
    pub kept: Vec<KeptShape>,
    pub demoted: Vec<TurnedDownShape>,
    pub rejected: Vec<TurnedDownShape>,
    pub replaced: Vec<i64>,
    pub closed: Vec<i64>,
    pub confirmed: Vec<i64>,
}

#[derive(Debug, Serialize)]
pub struct KeptShape {
    pub id: i64,
    pub kind: &'static str,
    pub title: String,
    pub standing: Option<&'static str>,
    pub writer: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct TurnedDownShape {
    pub kind: Option<&'static str>,
    pub title: String,
    pub reason: &'static str,
    pub explanation: &'static str,
    pub detail: Option<String>,
    pub writer: &'static str,
}

/// What `distil --show --json` answers.
#[derive(Debug, Serialize)]
pub struct SessionNotesShape {
    pub version: u32,
    pub session: i64,
    pub host_session: String,
    pub memories: Vec<KeptShape>,
    pub rejected: Vec<TurnedDownShape>,
}

/// Returns which requests were written.
#[must_use]
pub fn requests(written: &[RequestFile]) -> RequestsShape {
    let shape = |request: &RequestFile| RequestShape {
        session: request.session.id.0,
        host_session: request.session.host_session.clone(),
        file: request.path.display().to_string(),
        tokens: request.tokens.0,
    };
    RequestsShape { version: 1, requests: written.iter().map(shape).collect() }
}

/// Returns what became of answers.
#[must_use]
pub fn answers(response: &AnswersResponse) -> AnswersShape {
    AnswersShape {
        version: 1,
        answers: response.answers.iter().map(answer).collect(),
        unknown: response.unknown.iter().map(|path| path.display().to_string()).collect(),
    }
}

fn answer(file: &AnswerFile) -> AnswerShape {
    let report = &file.report;
    let model = Writer::Model.as_str();
    AnswerShape {
        session: file.session.id.0,
        host_session: file.session.host_session.clone(),
        outcome: outcome_word(report.outcome),
        kept: { report.kept.iter() }
            .map(|note| KeptShape {
                id: note.memory.0,
                kind: note.kind.as_str(),
                title: note.title.clone(),
                standing: None,
                writer: Some(model),
            })
            .collect(),
        demoted: { report.demoted.iter() }
            .map(|note| TurnedDownShape {
                kind: None,
                title: note.title.clone(),
                reason: note.reason.as_str(),
                explanation: note.reason.explanation(),
                detail: None,
                writer: model,
            })
            .collect(),
        rejected: { report.rejected.iter() }
            .map(|note| TurnedDownShape {
                kind: Some(note.kind.as_str()),
                title: note.title.clone(),
                reason: note.reason.as_str(),
                explanation: note.reason.explanation(),
                detail: note.detail.clone(),
                writer: model,
            })
            .collect(),
        replaced: numbers(&report.replaced),
        closed: numbers(&report.closed),
        confirmed: numbers(&report.confirmed),
    }
}

/// Returns the word for what became of an answer.
#[must_use]
pub fn outcome_word(outcome: AnswerOutcome) -> &'static str {
    match outcome {
        AnswerOutcome::Taken => "taken",
        AnswerOutcome::Unreadable => "unreadable",
        AnswerOutcome::NothingHolds => "nothing_holds",
        AnswerOutcome::NoSession => "no_session",
    }
}

/// Returns what was made of a session, and what was turned down.
#[must_use]
pub fn session_notes(notes: &SessionNotesResponse) -> SessionNotesShape {
    SessionNotesShape {
        version: 1,
        session: notes.session.id.0,
        host_session: notes.session.host_session.clone(),
        memories: { notes.memories.iter() }
            .map(|(memory, writer)| KeptShape {
                id: memory.id.0,
                kind: memory.content.kind.as_str(),
                title: memory.content.title.clone(),
                standing: Some(memory.standing.as_str()),
                writer: writer.map(Writer::as_str),
            })
            .collect(),
        rejected: notes.rejections.iter().map(turned_down).collect(),
    }
}

/// Returns what a writer turned down.
#[must_use]
pub fn turned_down(rejection: &Rejection) -> TurnedDownShape {
    TurnedDownShape {
        kind: Some(rejection.kind.as_str()),
        title: rejection.text.clone(),
        reason: rejection.reason.as_str(),
        explanation: rejection.reason.explanation(),
        detail: rejection.detail.clone(),
        writer: rejection.writer.as_str(),
    }
}
