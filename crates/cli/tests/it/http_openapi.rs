//! What the worker answers has the keys and the statuses that `docs/openapi.json` describes.

use crate::http_api::lived_in;
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

/// Requests a path, with 1 for an id, and returns the answer and what is described of it.
fn ask(worker: &Worker, method: &str, path: &str, more: &str, body: &Value) -> (u16, Value, Value) {
    let (status, answer) = worker.send(method, &format!("{}{more}", path.replace("{id}", "1")), body);
    (status, answer, described(method, path, status))
}

#[test]
fn every_answer_has_exactly_the_described_keys() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let requests = [
        ("GET", "/api/health", "", Value::Null),
        ("GET", "/api/status", "", Value::Null),
        ("GET", "/api/projects", "", Value::Null),
        ("GET", "/api/overview", "?utc_offset=60", Value::Null),
        ("GET", "/api/projects/{id}", "", Value::Null),
        ("GET", "/api/projects/{id}/files", "", Value::Null),
        ("GET", "/api/memories/{id}/relations", "", Value::Null),
        ("GET", "/api/rules", "", Value::Null),
        ("GET", "/api/memories", "", Value::Null),
        ("GET", "/api/memories/{id}", "", Value::Null),
        ("GET", "/api/review", "", Value::Null),
        ("GET", "/api/search", "?q=gateway", Value::Null),
        ("GET", "/api/timeline", "?id=1", Value::Null),
        ("GET", "/api/missing", "?q=gateway", Value::Null),
        ("GET", "/api/sessions", "", Value::Null),
        ("GET", "/api/sessions/{id}", "", Value::Null),
        ("GET", "/api/injections", "", Value::Null),
        ("GET", "/api/injections/{id}", "", Value::Null),
        ("GET", "/api/hooks", "", Value::Null),
        ("GET", "/api/stats", "", Value::Null),
        ("GET", "/api/context", "?project_path=/nowhere", Value::Null),
        (
            "POST",
            "/api/context",
            "",
            json!({"project_path": "/nowhere", "host": "claude-code", "session_id": "s1"}),
        ),
        ("GET", "/api/worker", "", Value::Null),
        ("POST", "/api/worker/login-key", "", json!({})),
        ("POST", "/api/memories/batch", "", json!({"ids": [1]})),
        ("POST", "/api/memories", "", json!({"text": "The mirror is read-only", "project": 1})),
        ("PATCH", "/api/memories/{id}", "", json!({"title": "SQLite, since the hook must not wait"})),
        (
            "POST",
            "/api/memories/merge",
            "",
            json!({"ids": [2, 3], "text": "The gateway and releases in one"}),
        ),
        ("POST", "/api/memories/{id}/pin", "", json!({"pinned": true})),
        ("POST", "/api/memories/{id}/confirm", "", json!({})),
        ("POST", "/api/memories/{id}/retire", "", json!({})),
        ("POST", "/api/memories/{id}/supersede", "", json!({"text": "Another store altogether is used now"})),
        ("DELETE", "/api/memories/{id}", "", json!({})),
        ("POST", "/api/worker/stop", "", json!({})),
    ];
    for (method, path, more, body) in requests {
        let (status, answer, described) = ask(&worker, method, path, more, &body);
        assert_eq!(status, 200, "{method} {path}: {answer}");
        let required = described["content"]["application/json"]["schema"]["required"].as_array();
        let required = required.unwrap_or_else(|| panic!("{method} {path} has no keys described"));
        let keys = names(answer.as_object().unwrap().keys());
        assert_eq!(keys, names(required.iter().map(|key| key.as_str().unwrap())), "{method} {path}");
    }
}

#[test]
fn every_refusal_has_a_described_status() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let requests = [
        (404, "GET", "/api/memories", "?project=nowhere", Value::Null),
        (400, "GET", "/api/memories", "?before=x", Value::Null),
        (404, "GET", "/api/sessions", "?project=nowhere", Value::Null),
        (404, "GET", "/api/injections", "?project=nowhere", Value::Null),
        (404, "GET", "/api/search", "?q=x&project=nowhere", Value::Null),
        (400, "GET", "/api/search", "?q=x&since=someday", Value::Null),
        (404, "GET", "/api/timeline", "?id=99", Value::Null),
        (400, "GET", "/api/context", "", Value::Null),
        (400, "GET", "/api/context/inject", "", Value::Null),
        (404, "GET", "/api/context/inject", "?projects=nowhere", Value::Null),
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
    for (expected, method, path, more, body) in requests {
        let (status, answer, described) = ask(&worker, method, path, more, &body);
        assert_eq!(status, expected, "{method} {path}{more}: {answer}");
        assert!(described.is_object(), "{method} {path}: {status} is not described");
        assert!(answer["error"]["code"].is_string() && answer["error"]["message"].is_string(), "{answer}");
    }
}
