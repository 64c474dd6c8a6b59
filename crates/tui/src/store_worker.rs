//! The thread that owns the store, so that the screen never waits: of questions only the newest is answered, of changes every one.
//!
//! Everything is a request of `app`, as for the other ways in. Not here: how an answer is put together (`answers`).

use crate::answers::AnswerContext;
use crate::requests::{Answer, Request};
use backstory_app::browse::data_version;
use backstory_app::{App, AppError, app};
use backstory_store::Store;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The way to the thread.
#[derive(Debug)]
pub(crate) struct StoreWorker {
    requests: Sender<Request>,
    /// What it answers, in order.
    pub(crate) answers: Receiver<Answer>,
}

impl StoreWorker {
    /// Starts the thread. A store that cannot be opened is the first answer.
    pub(crate) fn start(app: App) -> StoreWorker {
        let (requests, waiting) = channel();
        let (answering, answers) = channel();
        thread::spawn(move || serve(app, &waiting, &answering));
        StoreWorker { requests, answers }
    }

    /// Asks, without waiting. A thread that has ended has said why.
    pub(crate) fn ask(&self, request: Request) {
        drop(self.requests.send(request));
    }
}

fn serve(mut app: App, waiting: &Receiver<Request>, answering: &Sender<Answer>) {
    let mut store = match app.store_and_problem() {
        Ok((store, None)) => store,
        Ok((store, Some(problem))) => {
            let failure = AppError::user("nothing can be changed").because(&problem);
            drop(answering.send(failed(&failure)));
            store
        }
        Err(failure) => {
            drop(answering.send(failed(&failure)));
            return;
        }
    };
    let mut version = None;
    let projects = AnswerContext { app: &app, store: &mut store }.projects();
    drop(answering.send(projects.unwrap_or_else(|failure| failed(&failure))));
    while let Ok(first) = waiting.recv() {
        let batch = std::iter::once(first).chain(waiting.try_iter()).collect();
        for request in newest_of_each(batch) {
            // The process may run for days: every request has a time of its own.
            app.now = app::now(&app.environment);
            let answer = answer(request, &app, (&mut store, &mut version));
            if answer.is_some_and(|answer| answering.send(answer).is_err()) {
                return;
            }
        }
    }
}

fn answer(request: Request, app: &App, (store, version): (&mut Store, &mut Option<i64>)) -> Option<Answer> {
    if let Request::Poll = request {
        // A store that is busy just now is asked again in a moment.
        let now = data_version(store).ok()?;
        let before = version.replace(now);
        return before.is_some_and(|before| before != now).then_some(Answer::Changed);
    }
    let is_act = matches!(request, Request::Act(_));
    let answered = AnswerContext { app, store }.answer(request);
    Some(answered.unwrap_or_else(|failure| match failed(&failure) {
        Answer::Failed { words, hint, .. } => Answer::Failed { is_act, words, hint },
        other => other,
    }))
}

/// Drops what was asked anew meanwhile; changes stay, in their order.
fn newest_of_each(batch: Vec<Request>) -> Vec<Request> {
    let is_of_same_sort = |one: &Request, other: &Request| {
        !matches!(one, Request::Act(_)) && std::mem::discriminant(one) == std::mem::discriminant(other)
    };
    let is_newest = |at: usize, request: &Request| {
        !batch.iter().skip(at + 1).any(|later| is_of_same_sort(request, later))
    };
    let newest: Vec<bool> = batch.iter().enumerate().map(|(at, request)| is_newest(at, request)).collect();
    batch.into_iter().zip(newest).filter(|(_, is_newest)| *is_newest).map(|(request, _)| request).collect()
}

fn failed(failure: &AppError) -> Answer {
    Answer::Failed { is_act: false, words: failure.line(), hint: failure.hints().first().cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::Act;
    use backstory_memory::MemoryId;
    use backstory_store::Verdict;

    #[test]
    fn of_questions_the_newest_is_answered_and_of_changes_every_one() {
        let judge = |id| Request::Act(Act::Judge(MemoryId(id), Verdict::Confirm));
        let batch = vec![
            Request::Detail(MemoryId(1)),
            judge(1),
            Request::Detail(MemoryId(2)),
            judge(2),
            Request::Poll,
            Request::Poll,
        ];
        let kept: Vec<String> = newest_of_each(batch).iter().map(|request| format!("{request:?}")).collect();
        assert_eq!(
            kept,
            [
                "Act(Judge(MemoryId(1), Confirm))",
                "Detail(MemoryId(2))",
                "Act(Judge(MemoryId(2), Confirm))",
                "Poll"
            ]
        );
    }
}
