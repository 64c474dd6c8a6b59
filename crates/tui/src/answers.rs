//! Answers to what the screen asks: requests of `app`, their answers cleaned for a screen (SEC-4).
//!
//! Not here: all there is of one memory (`memory_detail`), a session step by step (`session_replay`).

use crate::requests::{
    Act, ActReport, Answer, FoundMemories, InjectionPreview, InjectionQuery, MemoryLine, MemoryQuery,
    MemoryWords, ProjectChoice, Request, SessionLine, UndoStep,
};
use backstory_app::app::project_name;
use backstory_app::browse::SessionRow;
use backstory_app::injection::ContextRequest;
use backstory_app::remember::{MemoryRecord, ReviseRequest, SupersedeRequest};
use backstory_app::review::ReviewRequest;
use backstory_app::search::{Fit, SearchRequest};
use backstory_app::words::one_line;
use backstory_app::{App, AppError, ErrorCode, ProjectSelector};
use backstory_memory::{InjectionPoint, Memory, MemoryId, StartReason, Timestamp, clean};
use backstory_store::{PageRequest, Pin, Scope, Store, Verdict};
use std::time::{Duration, Instant};

/// As many hits are listed: nobody scrolls further without another word.
const MOST_HITS: u32 = 100;
const MOST_SESSIONS: u32 = 200;
const MOST_WAITING: u32 = 200;

/// What an answer is made from.
pub(crate) struct AnswerContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) store: &'a mut Store,
}

impl AnswerContext<'_> {
    /// Does what is asked.
    pub(crate) fn answer(&mut self, request: Request) -> Result<Answer, AppError> {
        Ok(match request {
            Request::Search(query) => Answer::Found(self.search(query)?),
            Request::Detail(id) => match self.app.memory(self.store, id) {
                Ok(memory) => Answer::Detail(Box::new(self.detail(&memory)?)),
                Err(error) if error.code() == ErrorCode::NoSuchMemory => Answer::NoDetail(id),
                Err(error) => return Err(error),
            },
            Request::Inbox(projects) => Answer::Inbox(self.inbox(projects)?),
            Request::Sessions(projects) => Answer::Sessions(self.sessions(&projects)?),
            Request::Replay(id) => Answer::Replay(Box::new(self.replay(id)?)),
            Request::Injection(query) => Answer::Injection(Box::new(self.injection(query)?)),
            Request::Act(act) => Answer::Done(Box::new(self.act(act)?)),
            Request::Poll => Answer::Changed,
        })
    }

    /// Lists the projects to choose from: the one of this folder, all of them, and each.
    pub(crate) fn projects(&self) -> Result<Answer, AppError> {
        let here = self.app.project_here(self.store)?;
        let mut choices = Vec::new();
        if let Some(id) = here {
            let name = one_line(&project_name(self.store, id)?);
            choices.push(ProjectChoice { name, selector: ProjectSelector::Here });
        }
        choices.push(ProjectChoice { name: "all projects".to_owned(), selector: ProjectSelector::All });
        for summary in self.app.projects(self.store)? {
            if Some(summary.project.id) != here && summary.memories + summary.sessions > 0 {
                let selector = ProjectSelector::Named(summary.project.id.to_string());
                choices.push(ProjectChoice { name: one_line(&summary.project.name), selector });
            }
        }
        Ok(Answer::Projects(choices))
    }

    fn search(&self, query: MemoryQuery) -> Result<FoundMemories, AppError> {
        let started = Instant::now();
        let MemoryQuery { generation, text, projects, kinds, since, standing } = query;
        let request = SearchRequest {
            text,
            projects,
            kinds,
            since,
            standing: Some(standing),
            limit: Some(MOST_HITS),
            ..SearchRequest::default()
        };
        let results = self.app.search(self.store, &request)?;
        let note = match results.read_as.first() {
            Some(read) => Some(format!(
                "nothing says “{}”, so “{}” was looked for too",
                one_line(&read.word),
                one_line(&read.corrected)
            )),
            None if self.app.fit(self.store, &request, &results)? == Fit::NearestOnly => {
                Some("nothing says this; these are near in meaning only".to_owned())
            }
            None => None,
        };
        let tenths_ms = tenths_ms(started.elapsed());
        let memories: Vec<Memory> = results.hits.into_iter().map(|hit| hit.memory).collect();
        Ok(FoundMemories { generation, rows: self.lines(&memories)?, tenths_ms, note })
    }

    fn inbox(&self, projects: ProjectSelector) -> Result<Vec<MemoryLine>, AppError> {
        // However long it waits already: an inbox that empties itself by waiting is none.
        let request =
            ReviewRequest { projects, since: Some(Timestamp(0)), kinds: Vec::new(), limit: MOST_WAITING };
        self.lines(&self.app.review(self.store, &request)?)
    }

    fn lines(&self, memories: &[Memory]) -> Result<Vec<MemoryLine>, AppError> {
        memories.iter().map(|memory| self.line(memory)).collect()
    }

    /// Returns a memory as a line of a list.
    pub(crate) fn line(&self, memory: &Memory) -> Result<MemoryLine, AppError> {
        Ok(MemoryLine {
            id: memory.id,
            kind: memory.content.kind.as_str(),
            title: one_line(&memory.content.title),
            project: one_line(&project_name(self.store, memory.project)?),
            at: memory.created_at,
            standing: memory.standing,
            pinned: memory.content.pinned,
        })
    }

    fn sessions(&self, projects: &ProjectSelector) -> Result<Vec<SessionLine>, AppError> {
        let project = match self.app.scope(self.store, projects)? {
            Some(Scope::Project(id)) => Some(id),
            Some(Scope::Everywhere) => None,
            None => return Ok(Vec::new()),
        };
        let page = PageRequest { project, limit: MOST_SESSIONS, ..PageRequest::default() };
        let rows = self.app.browse_sessions(self.store, &page)?.rows;
        rows.iter().map(|row| self.session_line(row)).collect()
    }

    /// Returns a session as a line of a list, named by what it did or was asked for.
    pub(crate) fn session_line(&self, row: &SessionRow) -> Result<SessionLine, AppError> {
        let session = &row.summary.session;
        let title = session.title.as_deref().or(row.prompt.as_deref()).unwrap_or("without a prompt");
        Ok(SessionLine {
            id: session.id,
            title: one_line(title),
            host: one_line(&session.host),
            project: one_line(&project_name(self.store, session.project)?),
            started_at: session.started_at,
            last_event_at: session.last_event_at,
            events: row.summary.events,
            memories: row.summary.memories,
        })
    }

    fn injection(&self, query: InjectionQuery) -> Result<InjectionPreview, AppError> {
        let prompt = query.prompt.trim().to_owned();
        let point = if prompt.is_empty() {
            InjectionPoint::SessionStart { reason: StartReason::Startup }
        } else {
            InjectionPoint::Prompt { text: prompt }
        };
        let mut app = self.app.clone();
        if let Some(budget) = query.budget {
            app.config.inject.prompt = budget;
            app.config.inject.session_start = budget;
        }
        // What is injected is of one project, always (law 8).
        let project = match query.projects {
            ProjectSelector::All => ProjectSelector::Here,
            one => one,
        };
        let built = app.context(self.store, ContextRequest { point, project, host: None })?;
        let block = &built.block;
        let cost = |section: &&'static str| {
            let items = block.items.iter().filter(|item| item.section == *section);
            let (tokens, count) = items.fold((0, 0), |sum, item| (sum.0 + item.tokens.0, sum.1 + 1));
            ((*section).to_owned(), tokens, count)
        };
        Ok(InjectionPreview {
            generation: query.generation,
            text: clean(&block.text).into_owned(),
            tokens: block.tokens.0,
            budget: built.budget.0,
            bytes: block.bytes,
            tenths_ms: built.build_us / 100,
            sections: block.sections.iter().map(cost).filter(|(_, _, count)| *count > 0).collect(),
            skipped: block.sections_skipped.iter().map(|skipped| one_line(&skipped.to_string())).collect(),
        })
    }

    fn act(&mut self, act: Act) -> Result<ActReport, AppError> {
        let (app, store) = (self.app, &mut *self.store);
        match act {
            Act::Judge(id, verdict) => {
                let before = app.memory(store, id)?;
                app.record_verdict(store, id, verdict)?;
                let done = match verdict {
                    Verdict::Confirm => "confirmed: it may be injected from now on",
                    Verdict::Retire => "retired: it stays as history",
                };
                Ok(undoable(format!("#{id} is {done}"), before, id))
            }
            Act::TogglePin(id) => {
                let before = app.memory(store, id)?;
                let pin = if before.content.pinned { Pin::Release } else { Pin::Keep };
                app.pin(store, id, pin)?;
                let done = if pin == Pin::Keep { "pinned" } else { "not pinned any more" };
                Ok(undoable(format!("#{id} is {done}"), before, id))
            }
            Act::Revise(id, words) => {
                let before = app.memory(store, id)?;
                let changes = changed(&before, words);
                app.revise(store, ReviseRequest { id, changes })?;
                Ok(undoable(format!("#{id} is revised; its history keeps the old words"), before, id))
            }
            Act::Supersede(id, words) => {
                let before = app.memory(store, id)?;
                let mut memory = MemoryRecord::default();
                (memory.content.title, memory.content.body) = (Some(words.title), Some(words.body));
                let new = app.supersede(store, SupersedeRequest { id, memory })?.id;
                let step = UndoStep { before, replacement: Some(new) };
                let words = format!("#{new} replaces #{id}");
                Ok(ActReport { words, undo: Some(step), shows: Some(new) })
            }
            Act::Forget(id) => {
                let done = app.forget(store, &[id])?;
                let words = std::iter::once(done.headline()).chain(done.notes()).collect::<Vec<_>>();
                Ok(ActReport { words: words.join("; "), undo: None, shows: None })
            }
            Act::Undo(step) => {
                let UndoStep { before, replacement } = *step;
                let id = app.undo_change(store, &before, replacement)?.id;
                Ok(ActReport { words: format!("#{id} is as it was"), undo: None, shows: Some(id) })
            }
        }
    }
}

fn undoable(words: String, before: Memory, shows: MemoryId) -> ActReport {
    ActReport { words, undo: Some(UndoStep { before, replacement: None }), shows: Some(shows) }
}

/// Returns what somebody changed of a memory: who leaves the text as it was did not say it.
fn changed(before: &Memory, words: MemoryWords) -> MemoryRecord {
    let mut changes = MemoryRecord::default();
    let was = MemoryWords::from_text(&MemoryWords::from_content(&before.content).to_text());
    changes.content.title = (words.title != was.title).then_some(words.title);
    changes.content.body = (words.body != was.body).then_some(words.body);
    changes
}

fn tenths_ms(took: Duration) -> u32 {
    u32::try_from(took.as_micros() / 100).unwrap_or(u32::MAX)
}
