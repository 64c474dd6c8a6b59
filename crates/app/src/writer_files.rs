//! The background writer through files: it writes requests that are read or answered elsewhere, and takes the answers.
//!
//! For people who want to look first, and for evaluation without a network. Not here: what is asked and what is believed (`distil`).

use crate::app::{App, ProjectSelector, folder_of_project};
use crate::error::AppError;
use crate::vectors;
use backstory_capture::Redactor;
use backstory_distil::writer::{self, WriterContext, WriterReport, WriterRequest};
use backstory_memory::{Memory, Tokens, Writer};
use backstory_platform::private;
use backstory_store::{Rejection, Scope, Session, Store};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How many sessions of a project are looked at.
const MOST_SESSIONS: u32 = 10_000;
/// The largest file that is read as an answer. Answers are far shorter.
const MOST_ANSWER_BYTES: u64 = 1024 * 1024;

/// A request in a file.
#[derive(Clone, Debug)]
pub struct RequestFile {
    /// The session.
    pub session: Session,
    /// Where it was written.
    pub path: PathBuf,
    /// What the prompt costs.
    pub tokens: Tokens,
}

/// An answer of a file, and what became of it.
#[derive(Clone, Debug)]
pub struct AnswerFile {
    /// The session.
    pub session: Session,
    /// Where it was read.
    pub path: PathBuf,
    /// What became of it.
    pub report: WriterReport,
}

/// What the answers of a folder came to.
#[derive(Clone, Debug, Default)]
pub struct AnswersResponse {
    /// Answers of sessions.
    pub answers: Vec<AnswerFile>,
    /// Files whose name belongs to no session.
    pub unknown: Vec<PathBuf>,
}

/// What was made of a session, by whom, and what was turned down.
#[derive(Clone, Debug)]
pub struct SessionNotesResponse {
    /// The session.
    pub session: Session,
    /// Its memories and who derived each.
    pub memories: Vec<(Memory, Option<Writer>)>,
    /// What was turned down, or only proposed.
    pub rejections: Vec<Rejection>,
}

impl App {
    /// Writes a request for each session into a folder. Sessions that are not worth a call get none.
    pub fn write_requests(
        &self,
        store: &Store,
        folder: &Path,
        session: Option<&str>,
    ) -> Result<Vec<RequestFile>, AppError> {
        fs::create_dir_all(folder).map_err(|error| AppError::of_path("make", folder, &error))?;
        let redactor = self.redactor();
        let mut written = Vec::new();
        for session in self.writer_sessions(store, session)? {
            let root = folder_of_project(store, session.project)?;
            let how = self.writer_context(root.as_deref(), &redactor);
            let Some(request) = writer::request(store, session.id, &how)? else { continue };
            let path = folder.join(file_name(&session));
            write_request(&path, &session, &request)
                .map_err(|error| AppError::of_path("write", &path, &error))?;
            written.push(RequestFile { session, path, tokens: request.tokens });
        }
        Ok(written)
    }

    /// Takes the answers of a folder, each named like the request it answers.
    pub fn take_answers(
        &self,
        store: &mut Store,
        folder: &Path,
        session: Option<&str>,
    ) -> Result<AnswersResponse, AppError> {
        let redactor = self.redactor();
        let mut response = AnswersResponse::default();
        let mut sessions = self.writer_sessions(store, session)?;
        for path in answer_paths(folder)? {
            let is_its =
                |session: &Session| path.file_name().is_some_and(|name| name == file_name(session).as_str());
            let Some(at) = sessions.iter().position(is_its) else {
                response.unknown.push(path);
                continue;
            };
            let session = sessions.swap_remove(at);
            let answer = read_answer(&path).map_err(|error| AppError::of_path("read", &path, &error))?;
            let root = folder_of_project(store, session.project)?;
            let how = self.writer_context(root.as_deref(), &redactor);
            let report = writer::take_answer(store, session.id, &answer, &how)?;
            response.answers.push(AnswerFile { session, path, report });
        }
        response.answers.sort_by_key(|answer| answer.session.id);
        vectors::follow(store, self);
        Ok(response)
    }

    /// Returns what was made of a session, by whom, and what was turned down.
    pub fn session_notes(
        &self,
        store: &Store,
        session: Option<&str>,
    ) -> Result<SessionNotesResponse, AppError> {
        let session = self.find_session(store, session.unwrap_or("last"), &ProjectSelector::Here)?;
        let mut memories = Vec::new();
        for memory in store.memories().get_many(&store.memories().of_session(session.id)?)? {
            let writer = store.memories().writer(memory.id)?;
            memories.push((memory, writer));
        }
        let rejections = store.rejections().of_session(session.id)?;
        Ok(SessionNotesResponse { session, memories, rejections })
    }

    fn writer_context<'a>(&self, root: Option<&'a Path>, redactor: &'a Redactor) -> WriterContext<'a> {
        WriterContext { root, redactor, now: self.now, budget: Tokens(self.config.writer.tokens) }
    }

    /// Returns one session, or all of this folder's project (law 8), oldest first.
    fn writer_sessions(&self, store: &Store, session: Option<&str>) -> Result<Vec<Session>, AppError> {
        if let Some(wanted) = session {
            return Ok(vec![self.find_session(store, wanted, &ProjectSelector::Here)?]);
        }
        let Some(Scope::Project(project)) = self.scope(store, &ProjectSelector::Here)? else {
            return Ok(Vec::new());
        };
        let listed = store.sessions().list(Some(project), MOST_SESSIONS, 0)?;
        let mut sessions: Vec<Session> = listed.into_iter().map(|summary| summary.session).collect();
        sessions.sort_by_key(|session| session.id);
        Ok(sessions)
    }
}

/// Returns the name of a session's files: the host's name for the session, which is the same in every store.
fn file_name(session: &Session) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    format!("{}.json", session.host_session.chars().map(plain).collect::<String>())
}

/// Writes a request so that only its owner reads it: it holds what was said in a session.
fn write_request(path: &Path, session: &Session, request: &WriterRequest) -> std::io::Result<()> {
    let schema: serde_json::Value = serde_json::from_str(request.schema)?;
    let text = json!({"session": session.host_session, "prompt": request.prompt, "schema": schema});
    let mut options = OpenOptions::new();
    let mut file = private(options.write(true).create(true).truncate(true)).open(path)?;
    file.write_all(text.to_string().as_bytes())
}

fn answer_paths(folder: &Path) -> Result<Vec<PathBuf>, AppError> {
    let failed = |error: std::io::Error| AppError::of_path("read", folder, &error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read_answer(path: &Path) -> std::io::Result<String> {
    if fs::metadata(path)?.len() > MOST_ANSWER_BYTES {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "larger than any answer"));
    }
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
