//! Every path that answers, in one table. `docs/openapi.json` is compared with it by a test.

use hyper::Method;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the path beside it in the table")]
pub enum Route {
    Health,
    Login,
    Status,
    Projects,
    Project,
    Memories,
    Memory,
    Batch,
    Remember,
    Revise,
    Pin,
    Supersede,
    Forget,
    Search,
    Timeline,
    Sessions,
    Session,
    Injections,
    Injection,
    Hooks,
    Stats,
    Context,
    ContextText,
    Events,
    Worker,
    LoginKey,
    Stop,
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone; it tells nothing.
    Anyone,
    /// Who comes through the socket, or has the token or a cookie.
    Known,
    /// Only who comes through the socket: a process of this user, never a browser.
    Socket,
}

/// One path and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    /// The HTTP method.
    pub method: &'static str,
    /// The path; `{id}` is a number.
    pub path: &'static str,
    /// What is asked.
    pub route: Route,
    /// Who may ask.
    pub access: Access,
}

const fn door(method: &'static str, path: &'static str, route: Route, access: Access) -> Door {
    Door { method, path, route, access }
}

/// Every path that answers.
pub const ROUTES: [Door; 27] = [
    door("GET", "/api/health", Route::Health, Access::Anyone),
    door("POST", "/api/login", Route::Login, Access::Anyone),
    door("GET", "/api/status", Route::Status, Access::Known),
    door("GET", "/api/projects", Route::Projects, Access::Known),
    door("GET", "/api/projects/{id}", Route::Project, Access::Known),
    door("GET", "/api/memories", Route::Memories, Access::Known),
    door("POST", "/api/memories", Route::Remember, Access::Known),
    door("POST", "/api/memories/batch", Route::Batch, Access::Known),
    door("GET", "/api/memories/{id}", Route::Memory, Access::Known),
    door("PATCH", "/api/memories/{id}", Route::Revise, Access::Known),
    door("DELETE", "/api/memories/{id}", Route::Forget, Access::Known),
    door("POST", "/api/memories/{id}/pin", Route::Pin, Access::Known),
    door("POST", "/api/memories/{id}/supersede", Route::Supersede, Access::Known),
    door("GET", "/api/search", Route::Search, Access::Known),
    door("GET", "/api/timeline", Route::Timeline, Access::Known),
    door("GET", "/api/sessions", Route::Sessions, Access::Known),
    door("GET", "/api/sessions/{id}", Route::Session, Access::Known),
    door("GET", "/api/injections", Route::Injections, Access::Known),
    door("GET", "/api/injections/{id}", Route::Injection, Access::Known),
    door("GET", "/api/hooks", Route::Hooks, Access::Known),
    door("GET", "/api/stats", Route::Stats, Access::Known),
    door("GET", "/api/context", Route::Context, Access::Known),
    door("GET", "/api/context/inject", Route::ContextText, Access::Known),
    door("GET", "/api/events", Route::Events, Access::Known),
    door("GET", "/api/worker", Route::Worker, Access::Socket),
    door("POST", "/api/worker/login-key", Route::LoginKey, Access::Socket),
    door("POST", "/api/worker/stop", Route::Stop, Access::Socket),
];

/// What a method and a path lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Route {
        route: Route,
        access: Access,
        id: Option<i64>,
    },
    /// The path is there, the method is not; these are.
    OtherMethods(Vec<&'static str>),
    Nothing,
}

/// Finds what is asked.
pub(crate) fn find(method: &Method, path: &str) -> Found {
    let mut others = Vec::new();
    for door in &ROUTES {
        let Some(id) = fits(door.path, path) else { continue };
        if door.method == method.as_str() {
            return Found::Route { route: door.route, access: door.access, id };
        }
        others.push(door.method);
    }
    if others.is_empty() { Found::Nothing } else { Found::OtherMethods(others) }
}

/// Returns whether a path fits a pattern, and the number in it.
fn fits(pattern: &str, path: &str) -> Option<Option<i64>> {
    let mut id = None;
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
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
    fn a_path_leads_to_one_route_by_its_method() {
        let to = |method: Method, path: &str| match find(&method, path) {
            Found::Route { route, id, .. } => Some((route, id)),
            _ => None,
        };
        assert_eq!(to(Method::GET, "/api/memories"), Some((Route::Memories, None)));
        assert_eq!(to(Method::GET, "/api/memories/12"), Some((Route::Memory, Some(12))));
        assert_eq!(to(Method::POST, "/api/memories/batch"), Some((Route::Batch, None)));
        assert_eq!(to(Method::POST, "/api/memories/12/pin"), Some((Route::Pin, Some(12))));
        for wrong in
            ["/api/memories/", "/api/memories/-1", "/api/memories/1x", "/api", "/api/memories/1/2/3", ""]
        {
            assert_eq!(find(&Method::GET, wrong), Found::Nothing, "{wrong}");
        }
        assert_eq!(find(&Method::PUT, "/api/memories"), Found::OtherMethods(vec!["GET", "POST"]));
    }
}
