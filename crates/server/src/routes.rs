//! Every route, in one table. A test compares `docs/openapi.json` with it. Not here: what a route answers (`api`).

use hyper::Method;

/// What a route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The worker answers for itself.
    Worker(WorkerOperation),
    /// The store is read or written.
    Api(ApiOperation),
}

/// What the worker answers without a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the path beside it in the table")]
pub enum WorkerOperation {
    Health,
    Login,
    Events,
    Endpoint,
    LoginKey,
    Stop,
}

/// What is done with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiOperation {
    /// Changes nothing, and may be broken off.
    Read(ReadOperation),
    /// May change something, and is finished once it has begun.
    Write(WriteOperation),
}

/// What only reads: every `GET` of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the path beside it in the table")]
pub enum ReadOperation {
    Status,
    Overview,
    Projects,
    Project,
    ProjectFiles,
    Memories,
    Memory,
    Relations,
    Rules,
    Review,
    Search,
    Timeline,
    Missing,
    Sessions,
    Session,
    Injections,
    Injection,
    Hooks,
    Stats,
    PreviewContext,
    ContextText,
}

/// What writes. `Batch` and `InjectContext` read too, and record that they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the path beside it in the table")]
pub enum WriteOperation {
    Batch,
    Remember,
    Revise,
    Merge,
    Pin,
    Supersede,
    Confirm,
    Retire,
    Forget,
    InjectContext,
}

/// Who may send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone; the reply holds nothing recorded.
    Anyone,
    /// Who comes through the socket, or has the token or a cookie.
    Known,
    /// Only who comes through the socket: a process of this user, never a browser.
    Socket,
}

/// A method and a path, and what they do.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The HTTP method.
    pub method: &'static str,
    /// The path; `{id}` is a number.
    pub path: &'static str,
    /// What it does.
    pub operation: Operation,
    /// Who may send it.
    pub access: Access,
}

/// A route that reads is a `GET`, always: `ReadOperation` gets a store it cannot write.
const fn read(path: &'static str, operation: ReadOperation) -> Route {
    let operation = Operation::Api(ApiOperation::Read(operation));
    Route { method: "GET", path, operation, access: Access::Known }
}

const fn write(method: &'static str, path: &'static str, operation: WriteOperation) -> Route {
    let operation = Operation::Api(ApiOperation::Write(operation));
    Route { method, path, operation, access: Access::Known }
}

const fn worker(
    method: &'static str,
    path: &'static str,
    operation: WorkerOperation,
    access: Access,
) -> Route {
    Route { method, path, operation: Operation::Worker(operation), access }
}

/// Every route.
pub const ROUTES: [Route; 37] = [
    worker("GET", "/api/health", WorkerOperation::Health, Access::Anyone),
    worker("POST", "/api/login", WorkerOperation::Login, Access::Anyone),
    read("/api/status", ReadOperation::Status),
    read("/api/overview", ReadOperation::Overview),
    read("/api/projects", ReadOperation::Projects),
    read("/api/projects/{id}", ReadOperation::Project),
    read("/api/projects/{id}/files", ReadOperation::ProjectFiles),
    read("/api/memories", ReadOperation::Memories),
    write("POST", "/api/memories", WriteOperation::Remember),
    write("POST", "/api/memories/batch", WriteOperation::Batch),
    write("POST", "/api/memories/merge", WriteOperation::Merge),
    read("/api/memories/{id}", ReadOperation::Memory),
    read("/api/memories/{id}/relations", ReadOperation::Relations),
    write("PATCH", "/api/memories/{id}", WriteOperation::Revise),
    write("DELETE", "/api/memories/{id}", WriteOperation::Forget),
    write("POST", "/api/memories/{id}/pin", WriteOperation::Pin),
    write("POST", "/api/memories/{id}/supersede", WriteOperation::Supersede),
    write("POST", "/api/memories/{id}/confirm", WriteOperation::Confirm),
    write("POST", "/api/memories/{id}/retire", WriteOperation::Retire),
    read("/api/rules", ReadOperation::Rules),
    read("/api/review", ReadOperation::Review),
    read("/api/search", ReadOperation::Search),
    read("/api/timeline", ReadOperation::Timeline),
    read("/api/missing", ReadOperation::Missing),
    read("/api/sessions", ReadOperation::Sessions),
    read("/api/sessions/{id}", ReadOperation::Session),
    read("/api/injections", ReadOperation::Injections),
    read("/api/injections/{id}", ReadOperation::Injection),
    read("/api/hooks", ReadOperation::Hooks),
    read("/api/stats", ReadOperation::Stats),
    read("/api/context", ReadOperation::PreviewContext),
    // A page of a stranger must not be able to record an injection, so only the socket has this one.
    Route { access: Access::Socket, ..write("POST", "/api/context", WriteOperation::InjectContext) },
    read("/api/context/inject", ReadOperation::ContextText),
    worker("GET", "/api/events", WorkerOperation::Events, Access::Known),
    worker("GET", "/api/worker", WorkerOperation::Endpoint, Access::Socket),
    worker("POST", "/api/worker/login-key", WorkerOperation::LoginKey, Access::Socket),
    worker("POST", "/api/worker/stop", WorkerOperation::Stop, Access::Socket),
];

/// What a method and a path match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RouteMatch {
    Route {
        operation: Operation,
        access: Access,
        id: Option<i64>,
    },
    /// The path is there, the method is not; these are.
    OtherMethods(Vec<&'static str>),
    Nothing,
}

/// Finds the route of a request.
pub(crate) fn find(method: &Method, path: &str) -> RouteMatch {
    let mut others = Vec::new();
    for route in &ROUTES {
        let Some(id) = fits(route.path, path) else { continue };
        if route.method == method.as_str() {
            return RouteMatch::Route { operation: route.operation, access: route.access, id };
        }
        others.push(route.method);
    }
    if others.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethods(others) }
}

/// Returns whether a path fits a pattern, and the number in it.
fn fits(pattern: &str, path: &str) -> Option<Option<i64>> {
    let mut id = None;
    let (mut wanted, mut actual) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), actual.next()) {
            (None, None) => return Some(id),
            (Some("{id}"), Some(part)) => id = Some(part.parse().ok().filter(|id| *id >= 0)?),
            (Some(wanted), Some(part)) if wanted == part => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_read_is_a_get() {
        for route in &ROUTES {
            let writes = matches!(route.operation, Operation::Api(ApiOperation::Write(_)));
            assert!(!writes || route.method != "GET", "{} {}", route.method, route.path);
        }
    }

    #[test]
    fn a_path_leads_to_one_route_by_its_method() {
        let to = |method: Method, path: &str| match find(&method, path) {
            RouteMatch::Route { operation: Operation::Api(operation), id, .. } => Some((operation, id)),
            _ => None,
        };
        assert_eq!(
            to(Method::GET, "/api/memories"),
            Some((ApiOperation::Read(ReadOperation::Memories), None))
        );
        assert_eq!(
            to(Method::GET, "/api/memories/12"),
            Some((ApiOperation::Read(ReadOperation::Memory), Some(12)))
        );
        assert_eq!(
            to(Method::POST, "/api/memories/batch"),
            Some((ApiOperation::Write(WriteOperation::Batch), None))
        );
        assert_eq!(
            to(Method::POST, "/api/memories/12/pin"),
            Some((ApiOperation::Write(WriteOperation::Pin), Some(12)))
        );
        for wrong in
            ["/api/memories/", "/api/memories/-1", "/api/memories/1x", "/api", "/api/memories/1/2/3", ""]
        {
            assert_eq!(find(&Method::GET, wrong), RouteMatch::Nothing, "{wrong}");
        }
        assert_eq!(find(&Method::PUT, "/api/memories"), RouteMatch::OtherMethods(vec!["GET", "POST"]));
    }
}
