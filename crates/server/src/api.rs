//! Answers API requests with the same functions of `app` that the commands call, so the two cannot disagree.
//!
//! A read borrows the store immutably and every write method needs `&mut Store`, so no `GET` records
//! anything, not even an impression. Requests name a project by its number or name; only `/api/context` takes
//! a folder, because its callers know nothing else. Not here: access control and HTTP (`respond`).

mod contexts;
mod health;
mod injections;
mod memories;
mod overview;
mod parameters;
mod projects;
mod search;
mod sessions;
mod store_pool;

use crate::routes::{ApiOperation, ReadOperation, WriteOperation};
use crate::{ApiError, ApiReply, ApiRequest};
use backstory_app::browse::{data_version, newest_ids};
use backstory_app::caller::Caller;
use backstory_app::{App, AppError, Environment};
use backstory_platform::FileIdentity;
use backstory_recall::VectorCache;
use backstory_store::{NewestIds, Store, Verdict};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use store_pool::{PooledStore, StorePool, StoreUse, file_of};

/// Answers a request; boxed so that a test of the transport can make it slow or fail.
type HandleRequest = Box<dyn Fn(&ApiRequest) -> Result<ApiReply, ApiError> + Send + Sync>;
/// Returns the newest ids of the store; `None` if it cannot be read.
type FindNewest = Box<dyn Fn() -> Option<NewestIds> + Send + Sync>;

/// Answers the requests that a worker receives. It blocks, so the worker calls it on blocking threads.
pub struct ApiHandler {
    handle: HandleRequest,
    newest: FindNewest,
}

impl ApiHandler {
    /// Answers from the store of the home that the environment names. `flags` are settings given on the
    /// command line.
    #[must_use]
    pub fn for_home(environment: Environment, flags: Vec<String>) -> ApiHandler {
        let api = std::sync::Arc::new(Api::new(environment, flags));
        let watching = std::sync::Arc::clone(&api);
        ApiHandler::from_functions(move |request| api.answer(request), move || watching.newest())
    }

    /// Answers with the caller's functions, so that a test of the transport needs no store.
    pub fn from_functions(
        handle: impl Fn(&ApiRequest) -> Result<ApiReply, ApiError> + Send + Sync + 'static,
        newest: impl Fn() -> Option<NewestIds> + Send + Sync + 'static,
    ) -> ApiHandler {
        ApiHandler { handle: Box::new(handle), newest: Box::new(newest) }
    }

    pub(crate) fn handle(&self, request: &ApiRequest) -> Result<ApiReply, ApiError> {
        (self.handle)(request)
    }

    /// Returns the newest ids. Called a few times a second while a client listens for live events.
    pub(crate) fn newest(&self) -> Option<NewestIds> {
        (self.newest)()
    }
}

impl std::fmt::Debug for ApiHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiHandler").finish_non_exhaustive()
    }
}

/// The API of one home.
struct Api {
    environment: Environment,
    flags: Vec<String>,
    began: Instant,
    stores: StorePool,
    vectors: VectorCache,
    watched: Mutex<Option<WatchedStore>>,
}

/// A store that is polled for live events, and what the last poll saw.
struct WatchedStore {
    store: Store,
    file: Option<FileIdentity>,
    data_version: i64,
    newest: NewestIds,
}

impl Api {
    fn new(environment: Environment, flags: Vec<String>) -> Api {
        let (stores, vectors, watched) = (StorePool::default(), VectorCache::for_server(), Mutex::default());
        Api { environment, flags, began: Instant::now(), stores, vectors, watched }
    }

    /// Reads the settings again for each request, because they may change while the worker runs.
    fn app(&self, caller: Caller) -> Result<App, AppError> {
        let app = App::outside_projects(self.environment.clone(), &self.flags)?;
        Ok(App { vectors: self.vectors.clone(), caller, ..app })
    }

    fn answer(&self, request: &ApiRequest) -> Result<ApiReply, ApiError> {
        self.dispatch(request).map_err(|error| api_error(&error))
    }

    fn dispatch(&self, request: &ApiRequest) -> Result<ApiReply, AppError> {
        let app = self.app(request.caller)?;
        match request.operation {
            ApiOperation::Read(operation) => {
                let lent = self.stores.lend(StoreUse::Read, &app)?;
                // A read stops at the request's deadline. A write has none: once begun, it is finished.
                lent.read_until(request.until, || self.read(operation, request, &lent, &app))
            }
            ApiOperation::Write(operation) => {
                let mut lent = self.stores.lend(store_use(operation), &app)?;
                self.write(operation, request, &mut lent, &app)
            }
        }
    }

    fn read(
        &self,
        operation: ReadOperation,
        request: &ApiRequest,
        store: &PooledStore<'_>,
        app: &App,
    ) -> Result<ApiReply, AppError> {
        match operation {
            ReadOperation::Status => health::status(store, store.problem.clone(), self.began.elapsed(), app),
            ReadOperation::Hooks => health::hooks(store, app),
            ReadOperation::Stats => health::stats(store, app),
            ReadOperation::Overview => overview::overview(request, store, app),
            ReadOperation::Projects => projects::list(store, app),
            ReadOperation::Project => projects::overview(request, store, app),
            ReadOperation::ProjectFiles => overview::files(request, store, app),
            ReadOperation::Memories => memories::list(request, store, app),
            ReadOperation::Memory => memories::one(request, store, app),
            ReadOperation::Relations => overview::relations(request, store, app),
            ReadOperation::Rules => memories::rules(request, store, app),
            ReadOperation::Review => memories::review(request, store, app),
            ReadOperation::Search => search::search(request, store, app),
            ReadOperation::Timeline => search::timeline(request, store, app),
            ReadOperation::Missing => search::missing(request, store, app),
            ReadOperation::Sessions => sessions::list(request, store, app),
            ReadOperation::Session => sessions::turns_of_session(request, store, app),
            ReadOperation::Injections => injections::list(request, store, app),
            ReadOperation::Injection => injections::one(request, store, app),
            ReadOperation::PreviewContext => contexts::preview(request, store, app, &self.flags),
            ReadOperation::ContextText => contexts::text(request, store, app),
        }
    }

    fn write(
        &self,
        operation: WriteOperation,
        request: &ApiRequest,
        store: &mut Store,
        app: &App,
    ) -> Result<ApiReply, AppError> {
        match operation {
            WriteOperation::Batch => memories::batch(request, store, app),
            WriteOperation::Remember => memories::remember(request, store, app),
            WriteOperation::Revise => memories::revise(request, store, app),
            WriteOperation::Merge => memories::merge(request, store, app),
            WriteOperation::Pin => memories::pin(request, store, app),
            WriteOperation::Supersede => memories::supersede(request, store, app),
            WriteOperation::Confirm => memories::record_verdict(request, store, app, Verdict::Confirm),
            WriteOperation::Retire => memories::record_verdict(request, store, app, Verdict::Retire),
            WriteOperation::Forget => memories::forget(request, store, app),
            WriteOperation::InjectContext => contexts::inject(request, store, app, &self.flags),
        }
    }

    fn newest(&self) -> Option<NewestIds> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        // After an error nothing is kept, so the next poll opens the store again.
        let polled = poll(watched.take(), self).ok();
        let newest = polled.as_ref().map(|polled| polled.newest);
        *watched = polled;
        newest
    }
}

/// Returns which store a write needs.
///
/// A batch mostly reads, so a read-only store will do: it is answered without recording the use.
fn store_use(operation: WriteOperation) -> StoreUse {
    match operation {
        WriteOperation::Batch => StoreUse::Read,
        WriteOperation::Remember
        | WriteOperation::Revise
        | WriteOperation::Merge
        | WriteOperation::Pin
        | WriteOperation::Supersede
        | WriteOperation::Confirm
        | WriteOperation::Retire
        | WriteOperation::Forget
        | WriteOperation::InjectContext => StoreUse::Write,
    }
}

/// Polls the store. As long as nothing was written, it reads only SQLite's data version.
fn poll(before: Option<WatchedStore>, api: &Api) -> Result<WatchedStore, AppError> {
    // If the database file was replaced, our connection still reads the old one: open the new one.
    let before = match before.filter(|watched| watched.file == file_of(watched.store.home())) {
        Some(watched) => watched,
        None => {
            let app = api.app(Caller::Agent)?;
            let store = app.store_to_watch()?;
            let file = file_of(&app.home);
            // SQLite never reports this version, so the ids are read below.
            WatchedStore { store, file, data_version: i64::MIN, newest: NewestIds::default() }
        }
    };
    let data_version = data_version(&before.store)?;
    if data_version == before.data_version {
        return Ok(before);
    }
    let newest = newest_ids(&before.store)?;
    Ok(WatchedStore { data_version, newest, ..before })
}

/// Converts an error to what the API reports: status, code, message, hint.
fn api_error(error: &AppError) -> ApiError {
    let code = error.code();
    let api_error = ApiError::new(code.http_status(), code.as_str(), error.line());
    let hints = error.hints();
    let hint = (!hints.is_empty()).then(|| hints.join("; "));
    ApiError { hint, existing_id: error.memory().map(|id| id.0), ..api_error }
}

/// Makes a JSON reply.
fn json(value: &impl Serialize) -> Result<ApiReply, AppError> {
    let bytes = serde_json::to_vec(value);
    bytes.map(ApiReply::Json).map_err(|error| AppError::internal("cannot write JSON").because(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    #[test]
    fn a_read_ends_at_the_deadline_of_its_client() {
        let world = tempfile::tempdir().unwrap();
        let environment = Environment::with_variables([("BACKSTORY_HOME", world.path().join("home"))]);
        let api = Api::new(environment, Vec::new());
        let answer = |operation: ReadOperation, until: Instant| {
            let (query, body) = (Query::parse("q=gateway&id=1"), serde_json::Value::Null);
            let operation = ApiOperation::Read(operation);
            api.answer(&ApiRequest { operation, caller: Caller::Agent, id: Some(1), query, body, until })
        };
        let soon = Instant::now() + std::time::Duration::from_secs(60);
        assert!(answer(ReadOperation::Search, soon).is_ok());
        let all = [
            ReadOperation::Status,
            ReadOperation::Overview,
            ReadOperation::ProjectFiles,
            ReadOperation::Relations,
            ReadOperation::Rules,
            ReadOperation::Hooks,
            ReadOperation::Stats,
            ReadOperation::Projects,
            ReadOperation::Project,
            ReadOperation::Memories,
            ReadOperation::Memory,
            ReadOperation::Review,
            ReadOperation::Search,
            ReadOperation::Timeline,
            ReadOperation::Missing,
            ReadOperation::Sessions,
            ReadOperation::Session,
            ReadOperation::Injections,
            ReadOperation::Injection,
            ReadOperation::PreviewContext,
            ReadOperation::ContextText,
        ];
        for operation in all {
            let error = answer(operation, Instant::now()).unwrap_err();
            assert_eq!((error.status, error.code), (503, "out_of_time"), "{operation:?}");
        }
        assert!(answer(ReadOperation::Search, soon).is_ok(), "the next one has time of its own");
    }
}
