//! What `docs/openapi.json` says is what the router does.

use backstory_server::{Access, ROUTES};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn described() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_path_is_described_and_nothing_else_is() {
    let described = described();
    let known: BTreeSet<(String, String)> =
        ROUTES.iter().map(|route| (route.path.to_owned(), route.method.to_lowercase())).collect();
    let paths = described["paths"].as_object().unwrap();
    let said: BTreeSet<(String, String)> = paths
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone()))
        })
        .collect();
    assert_eq!(said, known);
}

#[test]
fn who_may_ask_and_what_can_go_wrong_is_described() {
    let described = described();
    for route in &ROUTES {
        let operation = &described["paths"][route.path][route.method.to_lowercase()];
        let security = match route.access {
            Access::Anyone => serde_json::json!([]),
            Access::Known => Value::Null,
            Access::Socket => serde_json::json!([{"socket": []}]),
        };
        assert_eq!(
            operation.get("security").cloned().unwrap_or_default(),
            security,
            "{} {}",
            route.method,
            route.path
        );
        assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{}", route.path);
        let has_id =
            operation["parameters"].as_array().is_some_and(|all| all.iter().any(|one| one["in"] == "path"));
        assert_eq!(has_id, route.path.contains("{id}"), "{} {}", route.method, route.path);
        assert_eq!(
            operation.get("requestBody").is_some(),
            matches!(route.method, "POST" | "PATCH") && !route.path.starts_with("/api/worker"),
            "{} {}",
            route.method,
            route.path
        );
        assert!(operation["responses"].as_object().is_some_and(|all| !all.is_empty()), "{}", route.path);
    }
}
