//! One request, one response: who asks, whether it is well formed, then the answer. The order of the checks is the order of the lines.

use crate::api::ApiHandler;
use crate::credentials::Credentials;
use crate::guard::{check_content_type, check_host, check_page, is_page_load};
use crate::limits::{Bucket, Limits};
use crate::live::Listeners;
use crate::reply::{self, Reply};
use crate::request::{ApiRequest, Query, RequestSource};
use crate::routes::{self, Access, Operation, RouteMatch, WorkerOperation};
use crate::worker_dir::remove_login_page;
use crate::{ApiError, Endpoint, viewer};
use backstory_app::caller::Caller;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, COOKIE, HeaderValue, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// How long what nobody wants to read may still be sent.
const LINGER: Duration = Duration::from_millis(500);

/// What all requests of a worker share.
pub(crate) struct Shared {
    pub(crate) handler: Arc<ApiHandler>,
    pub(crate) credentials: Credentials,
    pub(crate) endpoint: Endpoint,
    pub(crate) limits: Limits,
    pub(crate) requests: Bucket,
    pub(crate) strangers: Bucket,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) began: Instant,
    /// When the last request came, in seconds since the worker began.
    pub(crate) last_request_s: AtomicU64,
}

impl Shared {
    /// Answers a request, whatever it is.
    pub(crate) async fn respond(&self, request: Request<Incoming>, by: RequestSource) -> Response<Reply> {
        self.last_request_s.store(self.began.elapsed().as_secs(), Ordering::Relaxed);
        let (head, mut body) = request.into_parts();
        let response = self.decide(&head, &mut body, by).await;
        // What is left unread makes the system reset the connection, and that can overtake what we say.
        drain(&mut body, self.limits.body_bytes).await;
        response.unwrap_or_else(|refusal| reply::refusal(&refusal))
    }

    async fn decide(
        &self,
        head: &Parts,
        body: &mut Incoming,
        by: RequestSource,
    ) -> Result<Response<Reply>, ApiError> {
        let path = head.uri.path();
        let file = Some(path).filter(|_| head.method == Method::GET).and_then(viewer::file);
        if by == RequestSource::Loopback {
            check_host(&head.headers, &head.uri, self.endpoint.port)?;
            // The file that logs in is a page of another origin, and leads to ours.
            if file.is_none() || !is_page_load(&head.headers) {
                check_page(&head.headers, self.endpoint.port)?;
            }
        }
        if let Some((content_type, bytes)) = file {
            return Ok(reply::file(content_type, bytes));
        }
        let found = routes::find(&head.method, path);
        let is_for_anyone = matches!(found, RouteMatch::Route { access: Access::Anyone, .. });
        let caller = if is_for_anyone { Caller::Agent } else { self.admit(&head.headers, by)? };
        let (operation, id) = match found {
            RouteMatch::Route { access: Access::Socket, .. } if by == RequestSource::Loopback => {
                return Err(unknown_path());
            }
            RouteMatch::Route { operation, id, .. } => (operation, id),
            RouteMatch::OtherMethods(others) => return Ok(other_methods(&others)),
            RouteMatch::Nothing => return Err(unknown_path()),
        };
        let body = match head.method {
            Method::GET => Value::Null,
            _ => {
                check_content_type(&head.headers)?;
                self.read(body).await?
            }
        };
        let query = Query::parse(head.uri.query().unwrap_or_default());
        match operation {
            Operation::Worker(operation) => self.answer_itself(operation, &body),
            Operation::Api(operation) => {
                let until = Instant::now() + self.limits.deadline;
                self.handle(ApiRequest { operation, caller, id, query, body, until }).await
            }
        }
    }

    /// Answers what needs no store.
    fn answer_itself(&self, operation: WorkerOperation, body: &Value) -> Result<Response<Reply>, ApiError> {
        match operation {
            WorkerOperation::Health => Ok(reply::json(&json!({ "ok": true }))),
            WorkerOperation::Login => self.log_in(body),
            WorkerOperation::Events => self.listen(),
            WorkerOperation::Endpoint => {
                let Endpoint { pid, version, port, .. } = &self.endpoint;
                Ok(reply::json(&json!({ "pid": pid, "version": version, "port": port })))
            }
            WorkerOperation::LoginKey => {
                let key = self.credentials.one_time().map_err(|_| no_randomness())?;
                let url = format!("http://127.0.0.1:{}/#key={key}", self.endpoint.port);
                Ok(reply::json(&json!({ "url": url })))
            }
            WorkerOperation::Stop => {
                self.stop.send_replace(true);
                Ok(reply::json(&json!({ "ok": true })))
            }
        }
    }

    /// Lets in who is known, as long as it is not too much, and returns who it is.
    fn admit(&self, headers: &HeaderMap, by: RequestSource) -> Result<Caller, ApiError> {
        let caller = match by {
            // Every program of this user reaches the socket, an agent's shell too.
            RequestSource::Socket => Some(Caller::Agent),
            RequestSource::Loopback => self.caller(headers),
        };
        let Some(caller) = caller else {
            let no_token = ApiError::new(401, "no_token", "who asks is not known");
            let hint = "`backstory view` opens the viewer; programs send `Authorization: Bearer TOKEN`";
            return Err(if self.strangers.take() { no_token.hint(hint) } else { too_many() });
        };
        if self.requests.take() { Ok(caller) } else { Err(too_many()) }
    }

    /// Returns who shows the token or the cookie of a login; nothing for a stranger. Only who logged in through `backstory view` is the
    /// user: the token lies in a file that every program of this user can read.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        if let Some(said) = headers.get(AUTHORIZATION) {
            let token = said.to_str().ok().and_then(|said| said.strip_prefix("Bearer "));
            return token.filter(|token| self.credentials.is_token(token.trim())).map(|_| Caller::Agent);
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs
            .any(|(name, value)| name == self.cookie_name() && self.credentials.is_cookie(value))
            .then_some(Caller::User)
    }

    /// A browser sends cookies to every port of this machine; the name distinguishes workers.
    fn cookie_name(&self) -> String {
        format!("backstory_{}", self.endpoint.port)
    }

    async fn read(&self, body: &mut Incoming) -> Result<Value, ApiError> {
        let read = Limited::new(body, self.limits.body_bytes).collect();
        let read = timeout(self.limits.deadline, read).await.map_err(|_| out_of_time())?;
        let bytes = read.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => ApiError::new(413, "too_large", "the request is too large")
                .hint(format!("at most {} bytes", self.limits.body_bytes)),
            None => ApiError::new(400, "broken_off", "the request broke off"),
        })?;
        let bytes = bytes.to_bytes();
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|error| ApiError::new(400, "bad_json", error.to_string()))
    }

    fn log_in(&self, body: &Value) -> Result<Response<Reply>, ApiError> {
        let key = body.get("key").and_then(Value::as_str).unwrap_or_default();
        let Some(cookie) = self.credentials.log_in(key).map_err(|_| no_randomness())? else {
            if !self.strangers.take() {
                return Err(too_many());
            }
            return Err(ApiError::new(401, "key_used_or_old", "this link was used already, or is too old")
                .hint("`backstory view` makes a new one"));
        };
        remove_login_page(&self.endpoint.socket);
        let mut response = reply::done();
        let cookie = format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name());
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        Ok(response)
    }

    fn listen(&self) -> Result<Response<Reply>, ApiError> {
        let events = self.listeners.add();
        events.map(reply::live).ok_or_else(|| ApiError::new(503, "busy", "too many listen already"))
    }

    /// Runs the handler on a thread for blocking work.
    async fn handle(&self, request: ApiRequest) -> Result<Response<Reply>, ApiError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Err(ApiError::new(503, "busy", "too many requests at once; try again in a moment"));
        };
        let handler = Arc::clone(&self.handler);
        // The place is taken as long as somebody works on the answer, also when nobody waits for it any more.
        let answered = tokio::task::spawn_blocking(move || {
            let _place = place;
            handler.handle(&request)
        });
        match timeout(self.limits.deadline, answered).await {
            Ok(Ok(answered)) => answered.map(reply::answer),
            Ok(Err(_)) => Err(ApiError::new(500, "internal_error", "internal error")
                .hint("this is a bug in Backstory; please report it with what you asked")),
            Err(_) => Err(out_of_time()),
        }
    }
}

/// Reads what is still sent, within limits, and forgets it.
async fn drain(body: &mut Incoming, most_bytes: usize) {
    let rest = async {
        let mut left = most_bytes;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                break;
            }
        }
    };
    drop(timeout(LINGER, rest).await);
}

fn too_many() -> ApiError {
    ApiError::new(429, "too_many_requests", "too many requests; try again in a second")
}

fn unknown_path() -> ApiError {
    ApiError::new(404, "unknown_path", "nothing is served at this path").hint("docs/http.md lists every path")
}

fn other_methods(others: &[&str]) -> Response<Reply> {
    let mut response = reply::refusal(&ApiError::new(405, "wrong_method", "this path needs another method"));
    if let Ok(allowed) = HeaderValue::from_str(&others.join(", ")) {
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

fn out_of_time() -> ApiError {
    ApiError::new(503, "out_of_time", "the answer took too long")
        .hint("the disk may be slow or busy; try again")
}

fn no_randomness() -> ApiError {
    ApiError::new(503, "no_randomness", "this machine has no random numbers to make a key of")
}
