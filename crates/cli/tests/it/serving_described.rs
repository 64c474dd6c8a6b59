//! What the worker answers has the keys and the statuses that `docs/openapi.json` describes.

use crate::serving::lived_in;
use crate::support::Worker;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns what is described of an answer.
fn described(method: &str, path: &str, status: u16) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    all["paths"][path][method.to_lowercase()]["responses"][status.to_string()].clone()
}

fn names(of: impl Iterator<Item = impl Into<String>>) -> BTreeSet<String> {
    of.map(Into::into).collect()
}

/// Asks for number 1, where there is one, and returns the answer and what is described of it.
fn ask(worker: &Worker, method: &str, path: &str, more: &str, body: &Value) -> (u16, Value, Value) {
    let (status, answer) = worker.send(method, &format!("{}{more}", path.replace("{id}", "1")), body);
    (status, answer, described(method, path, status))
}

#[test]
fn every_answer_has_the_keys_that_are_described() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let nothing = Value::Null;
    let asked = [
        ("GET", "/api/health", "", nothing.clone()),
        ("GET", "/api/status", "", nothing.clone()),
        ("GET", "/api/projects", "", nothing.clone()),
        ("GET", "/api/projects/{id}", "", nothing.clone()),
        ("GET", "/api/memories", "", nothing.clone()),
        ("GET", "/api/memories/{id}", "", nothing.clone()),
        ("GET", "/api/search", "?q=gateway", nothing.clone()),
        ("GET", "/api/timeline", "?id=1", nothing.clone()),
        ("GET", "/api/sessions", "", nothing.clone()),
        ("GET", "/api/sessions/{id}", "", nothing.clone()),
        ("GET", "/api/injections", "", nothing.clone()),
        ("GET", "/api/injections/{id}", "", nothing.clone()),
        ("GET", "/api/hooks", "", nothing.clone()),
        ("GET", "/api/stats", "", nothing.clone()),
        ("GET", "/api/context", "?project_path=/nowhere", nothing.clone()),
        (
            "POST",
            "/api/context",
            "",
            json!({"project_path": "/nowhere", "host": "claude-code", "session_id": "s1"}),
        ),
        ("GET", "/api/worker", "", nothing.clone()),
        ("POST", "/api/worker/login-key", "", json!({})),
        ("POST", "/api/memories/batch", "", json!({"ids": [1]})),
        ("POST", "/api/memories", "", json!({"text": "The mirror is read-only", "project": 1})),
        ("PATCH", "/api/memories/{id}", "", json!({"title": "SQLite, since the hook must not wait"})),
        ("POST", "/api/memories/{id}/pin", "", json!({"pinned": true})),
        ("POST", "/api/memories/{id}/supersede", "", json!({"text": "Another store altogether is used now"})),
        ("DELETE", "/api/memories/{id}", "", json!({})),
        ("POST", "/api/worker/stop", "", json!({})),
    ];
    for (method, path, more, body) in asked {
        let (status, answer, told) = ask(&worker, method, path, more, &body);
        assert_eq!(status, 200, "{method} {path}: {answer}");
        let required = told["content"]["application/json"]["schema"]["required"].as_array();
        let required = required.unwrap_or_else(|| panic!("{method} {path} has no keys described"));
        let keys = names(answer.as_object().unwrap().keys());
        assert_eq!(keys, names(required.iter().map(|key| key.as_str().unwrap())), "{method} {path}");
    }
}

#[test]
fn every_refusal_has_a_status_that_is_described() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let nothing = Value::Null;
    let asked = [
        (404, "GET", "/api/memories", "?project=nowhere", nothing.clone()),
        (400, "GET", "/api/memories", "?before=x", nothing.clone()),
        (404, "GET", "/api/sessions", "?project=nowhere", nothing.clone()),
        (404, "GET", "/api/injections", "?project=nowhere", nothing.clone()),
        (404, "GET", "/api/search", "?q=x&project=nowhere", nothing.clone()),
        (400, "GET", "/api/search", "?q=x&since=someday", nothing.clone()),
        (404, "GET", "/api/timeline", "?id=99", nothing.clone()),
        (400, "GET", "/api/context", "", nothing.clone()),
        (400, "GET", "/api/context/inject", "", nothing.clone()),
        (404, "GET", "/api/context/inject", "?projects=nowhere", nothing),
        (400, "POST", "/api/context", "", json!({})),
        (
            404,
            "POST",
            "/api/context",
            "",
            json!({"project_path": "/nowhere", "host": "claude-code", "session_id": "nobody"}),
        ),
        (400, "POST", "/api/memories", "", json!({})),
        (409, "POST", "/api/memories", "", json!({"text": "-", "project": 1})),
        (400, "POST", "/api/memories/batch", "", json!({"ids": []})),
        (400, "PATCH", "/api/memories/{id}", "", json!({})),
        (400, "POST", "/api/memories/{id}/pin", "", json!({})),
        (400, "POST", "/api/memories/{id}/supersede", "", json!({"text": 1})),
    ];
    for (expected, method, path, more, body) in asked {
        let (status, answer, told) = ask(&worker, method, path, more, &body);
        assert_eq!(status, expected, "{method} {path}{more}: {answer}");
        assert!(told.is_object(), "{method} {path}: {status} is not described");
        assert!(answer["error"]["code"].is_string() && answer["error"]["message"].is_string(), "{answer}");
    }
}
