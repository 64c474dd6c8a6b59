//! What the worker answers. Every answer is a request of `app`, on a store like the commands': the two cannot differ.
//!
//! A GET changes nothing, not even what is noted as shown. A project is called by its number or name; only `/api/context` takes a
//! folder, as its callers have nothing else. Not here: who may ask, and everything else about HTTP (`server`).

mod contexts;
mod finding;
mod health;
mod injections;
mod memories;
mod parameters;
mod projects;
mod sessions;
mod stores;

use backstory_app::{App, AppError, Environment};
use backstory_platform::FileIdentity;
use backstory_recall::VectorCache;
use backstory_server::{Answer, Answers, Asked, Newest, Refusal, Route};
use backstory_store::{NewestIds, Purpose, Store};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use stores::{Stores, Wish, file_of};

/// Whoever answers for the worker.
pub(crate) struct Serving {
    environment: Environment,
    flags: Vec<String>,
    began: Instant,
    stores: Stores,
    vectors: VectorCache,
    watched: Mutex<Option<Watched>>,
}

/// What was seen when somebody last looked for something new.
struct Watched {
    store: Store,
    file: Option<FileIdentity>,
    data_version: i64,
    newest: NewestIds,
}

impl Serving {
    pub(crate) fn new(environment: Environment, flags: Vec<String>) -> Serving {
        let (stores, vectors, watched) = (Stores::default(), VectorCache::for_server(), Mutex::default());
        Serving { environment, flags, began: Instant::now(), stores, vectors, watched }
    }

    /// Reads where things are and how they are configured now: what was changed while we ran counts.
    fn app(&self) -> Result<App, AppError> {
        let app = App::outside_projects(self.environment.clone(), &self.flags)?;
        Ok(App { vectors: self.vectors.clone(), ..app })
    }

    fn handle(&self, asked: &Asked) -> Result<Answer, AppError> {
        let app = self.app()?;
        let mut lent = self.stores.lend(wish(asked.route), &app)?;
        let problem = lent.problem.clone();
        let store: &mut Store = &mut lent;
        match asked.route {
            Route::Batch => memories::batch(asked, store, &app),
            Route::Remember => memories::remember(asked, store, &app),
            Route::Revise => memories::revise(asked, store, &app),
            Route::Pin => memories::pin(asked, store, &app),
            Route::Supersede => memories::supersede(asked, store, &app),
            Route::Forget => memories::forget(asked, store, &app),
            Route::Context => contexts::context(asked, store, &app, &self.flags),
            // What only reads ends when nobody waits for it any more; a write that has begun is worth its end.
            _ => store.read_until(asked.until, || self.read(asked, store, problem, &app)),
        }
    }

    fn read(
        &self,
        asked: &Asked,
        store: &Store,
        problem: Option<String>,
        app: &App,
    ) -> Result<Answer, AppError> {
        match asked.route {
            Route::Status => health::status(store, problem, self.began.elapsed(), app),
            Route::Hooks => health::hooks(store),
            Route::Stats => health::stats(store),
            Route::Projects => projects::list(store),
            Route::Project => projects::overview(asked, store, app),
            Route::Memories => memories::list(asked, store, app),
            Route::Memory => memories::one(asked, store, app),
            Route::Search => finding::search(asked, store, app),
            Route::Timeline => finding::timeline(asked, store, app),
            Route::Sessions => sessions::list(asked, store, app),
            Route::Session => sessions::turns_of_session(asked, store),
            Route::Injections => injections::list(asked, store, app),
            Route::Injection => injections::one(asked, store),
            Route::ContextText => contexts::text(asked, store, app),
            _ => Err(AppError::internal("this only reads, or is answered by the worker itself")),
        }
    }
}

/// Returns what a route does to the store. What counts as use, and an injection, is written; where that cannot be, reading goes on.
fn wish(route: Route) -> Wish {
    match route {
        Route::Remember | Route::Revise | Route::Pin | Route::Supersede | Route::Forget => Wish::Write,
        _ => Wish::Read,
    }
}

impl Answers for Serving {
    fn answer(&self, asked: &Asked) -> Result<Answer, Refusal> {
        self.handle(asked).map_err(|error| refusal(&error))
    }

    fn newest(&self) -> Option<Newest> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = look(watched.take(), self).ok();
        let newest = seen.as_ref().map(|seen| seen.newest);
        *watched = seen;
        newest.map(|ids| Newest { memory: ids.memory, event: ids.event, injection: ids.injection })
    }
}

/// Looks for something new. While nothing was written, one number is all that is read.
fn look(before: Option<Watched>, serving: &Serving) -> Result<Watched, AppError> {
    let before = match before.filter(|watched| watched.file == file_of(watched.store.home())) {
        Some(watched) => watched,
        None => {
            let app = serving.app()?;
            let store = Store::open(&app.home, Purpose::Read, app.now)?;
            let file = file_of(&app.home);
            Watched { store, file, data_version: i64::MIN, newest: NewestIds::default() }
        }
    };
    let data_version = before.store.browse().data_version()?;
    if data_version == before.data_version {
        return Ok(before);
    }
    let newest = before.store.browse().newest_ids()?;
    Ok(Watched { data_version, newest, ..before })
}

/// Turns an error into what HTTP says of it.
fn refusal(error: &AppError) -> Refusal {
    let code = error.code();
    let refusal = Refusal::new(code.http_status(), code.as_str(), error.line());
    let hint = (!error.hints().is_empty()).then(|| error.hints().join("; "));
    Refusal { hint, existing_id: error.memory().map(|id| id.0), ..refusal }
}

/// Writes an answer.
fn json(value: &impl Serialize) -> Result<Answer, AppError> {
    let bytes = serde_json::to_vec(value);
    bytes.map(Answer::Json).map_err(|error| AppError::internal("cannot write JSON").because(&error))
}

/// Rounds to what a person can tell apart.
fn ms(us: u32) -> f64 {
    f64::from(us) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_server::{Asker, Query};

    #[test]
    fn what_nobody_waits_for_any_more_is_not_read() {
        let world = tempfile::tempdir().unwrap();
        let environment = Environment::of([("BACKSTORY_HOME", world.path().join("home"))]);
        let serving = Serving::new(environment, Vec::new());
        let asked = |route: Route, until: Instant| {
            let (query, body, by) = (Query::parse("q=gateway&id=1"), serde_json::Value::Null, Asker::Socket);
            serving.answer(&Asked { route, id: Some(1), query, body, until, by, host: None })
        };
        let soon = Instant::now() + std::time::Duration::from_secs(60);
        assert!(asked(Route::Search, soon).is_ok());
        let all = [
            Route::Status,
            Route::Hooks,
            Route::Stats,
            Route::Projects,
            Route::Project,
            Route::Memories,
            Route::Memory,
            Route::Search,
            Route::Timeline,
            Route::Sessions,
            Route::Session,
            Route::Injections,
            Route::Injection,
            Route::ContextText,
        ];
        for route in all {
            let refusal = asked(route, Instant::now()).unwrap_err();
            assert_eq!((refusal.status, refusal.code), (503, "out_of_time"), "{route:?}");
        }
        assert!(asked(Route::Search, soon).is_ok(), "the next one has time of its own");
    }
}
