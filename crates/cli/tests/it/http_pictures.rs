//! What the viewer's pictures are drawn from: days, files, relations, rules of all projects, previews; and merging.

use crate::http_api::lived_in;
use crate::support::{Worker, remember, shown};
use serde_json::{Value, json};

#[test]
fn the_overview_counts_by_the_readers_days() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let of_a_day = worker.get("/api/overview?utc_offset=0");
    let days = of_a_day["days"].as_array().unwrap();
    let sum = |key: &str| days.iter().map(|day| day[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("memories"), worker.get("/api/stats")["memories"].as_u64().unwrap());
    assert_eq!(sum("sessions"), 1);
    assert!(sum("injected") > 0, "the session was injected something: {days:?}");
    let week = of_a_day["week_by_kind"].as_array().unwrap();
    assert_eq!(week.iter().map(|kind| kind["memories"].as_u64().unwrap()).sum::<u64>(), sum("memories"));
    // Half a day east and half a day west of UTC, no moment lies on the same day.
    let first =
        |offset: &str| worker.get(&format!("/api/overview?utc_offset={offset}"))["days"][0]["day"].clone();
    assert_ne!(first("840"), first("-840"));
    assert_eq!(worker.request("GET", "/api/overview?utc_offset=99999", "").0, 400);
    let elsewhere = worker.request("GET", "/api/overview?project=nowhere", "").0;
    assert_eq!(elsewhere, 404);
}

#[test]
fn merged_memories_lead_to_the_one_in_their_place() {
    let env = lived_in();
    remember(&env, "The gateway gives up after half a minute under load");
    let worker = Worker::start(&env, &[]);
    let list = worker.get("/api/memories?limit=200");
    let gateway: Vec<i64> = list["memories"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|memory| memory["title"].as_str().unwrap().starts_with("The gateway"))
        .map(|memory| memory["id"].as_i64().unwrap())
        .collect();
    assert_eq!(gateway.len(), 2, "{list}");
    let one = json!({"ids": [gateway[0]], "text": "Alone"});
    assert_eq!(worker.send("POST", "/api/memories/merge", &one).0, 400, "one is no merge");
    let both = json!({"ids": gateway, "text": "The gateway times out after 30 seconds, whatever the load"});
    let (status, merged) = worker.send("POST", "/api/memories/merge", &both);
    assert_eq!(status, 200, "{merged}");
    for id in &gateway {
        assert_eq!(shown(&env, &id.to_string())["superseded_by"], merged["id"]);
    }
    let (status, again) = worker.send("POST", "/api/memories/merge", &both);
    assert_eq!((status, &again["error"]["code"]), (409, &json!("superseded")));
    let relations = worker.get(&format!("/api/memories/{}/relations", merged["id"]));
    assert_eq!(relations["memories"].as_array().unwrap().len(), 3);
    assert_eq!(relations["memories"][0]["steps"], 0);
    let supersedes = |link: &Value| link["relation"] == "supersedes" && link["from"] == merged["id"];
    assert!(relations["links"].as_array().unwrap().iter().all(supersedes), "{relations}");
}

#[test]
fn kind_importance_and_files_are_revised_and_the_rest_stays() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let before = shown(&env, "2");
    let changes = json!({"kind": "fact", "importance": 5, "files": ["gateway.conf"]});
    let (status, answer) = worker.send("PATCH", "/api/memories/2", &changes);
    assert_eq!(status, 200, "{answer}");
    let after = shown(&env, "2");
    assert_eq!((&after["kind"], &after["importance"]), (&json!("fact"), &json!(5)));
    assert_eq!(after["files"], json!(["gateway.conf"]));
    assert_eq!((&after["title"], &after["body"]), (&before["title"], &before["body"]));
    assert_eq!(worker.send("PATCH", "/api/memories/2", &json!({"importance": "much"})).0, 400);
}

#[test]
fn a_preview_keeps_to_the_budget_in_the_query_and_names_its_memories() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let whole = worker.get("/api/context?project=1");
    assert!(whole["tokens"].as_u64().unwrap() > 0, "{whole}");
    for memory in whole["memories"].as_array().unwrap() {
        let named = |head: &Value| head["id"] == memory["id"] && head["title"].is_string();
        assert!(whole["heads"].as_array().unwrap().iter().any(named), "{memory}");
    }
    let small = worker.get("/api/context?project=1&budget=90");
    assert!(small["tokens"].as_u64().unwrap() <= 90, "{small}");
    assert_eq!(worker.get("/api/context?project=1&budget=0")["context"], "");
    for about in ["prompt=gateway+timeout", "command=cargo+test", "file=gateway.conf", "moment=compaction"] {
        let (status, preview) = worker.request("GET", &format!("/api/context?project=1&{about}"), "");
        assert_eq!(status, 200, "{about}: {preview}");
    }
    assert_eq!(worker.request("GET", "/api/context?project=1&moment=noon", "").0, 400);
}

#[test]
fn the_rules_of_all_projects_are_listed_once() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let rule = json!({"text": "Never release on Fridays", "kind": "rule", "project": 1, "scope": "user"});
    let (status, written) = worker.send("POST", "/api/memories", &rule);
    assert_eq!(status, 200, "{written}");
    for path in ["/api/rules", "/api/rules?project=1"] {
        let rules = worker.get(path);
        let ids: Vec<&Value> = rules["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
        assert_eq!(ids, [&written["id"], &json!(3)], "{path}: what the user said of releases is one too");
        assert_eq!(rules["rules"][0]["scope"], "user");
    }
    assert_eq!(worker.get("/api/overview")["rules"], 2);
}
