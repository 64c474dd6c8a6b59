//! `import --from claude-ai` and `--from chatgpt`: decisions and facts of chats, into the project the user names, as an import.

use crate::support::{ask, column, exits, fields, world, write};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};

fn at(env: &TestEnv, file: &str, content: &Value) -> String {
    write(env, file, content.to_string());
    env.world().join("user").join(file).to_string_lossy().into_owned()
}

fn claude_ai() -> Value {
    let message = |id: &str, sender: &str, text: &str| {
        json!({"uuid": id, "sender": sender, "text": text, "content": [{"type": "text", "text": text}],
            "created_at": "2026-03-04T10:00:00.000000Z", "attachments": [], "files": []})
    };
    json!([{"uuid": "c-1", "name": "Ferry timetable", "created_at": "2026-03-04T09:00:00Z", "chat_messages": [
        message("m-1", "human", "Thanks. We decided to keep the timetable in one file per harbour. Can you sketch it?"),
        message("m-2", "assistant", "Sure! We could also use a database.\n\n**Decision:** one file per harbour, named by its code"),
        message("m-3", "human", "Should we go with YAML?"),
    ]}])
}

fn chatgpt() -> Value {
    let node = |id: &str, parent: Value, children: Value, role: &str, text: &str| {
        json!({"id": id, "parent": parent, "children": children, "message": {"id": id, "author": {"role": role},
            "create_time": 1_772_000_000.5, "content": {"content_type": "text", "parts": [text]}}})
    };
    json!([{"title": "Tides", "create_time": 1_772_000_000.0, "current_node": "c", "mapping": {
        "a": {"id": "a", "parent": null, "children": ["b", "x"], "message": null},
        "b": node("b", json!("a"), json!(["c"]), "user", "It turned out the tide tables were in local time."),
        "c": node("c", json!("b"), json!([]), "assistant", "Good to know."),
        "x": node("x", json!("a"), json!([]), "user", "We decided to drop the tide tables completely."),
    }}])
}

#[test]
fn decisions_of_chats_are_imported_into_the_named_project() {
    let env = world();
    let file = at(&env, "claude/conversations.json", &claude_ai());
    exits(&env, 2, &["import", "--from", "claude-ai", &file], "say to which yours belong");
    exits(&env, 2, &["import", "--from", "claude-ai", "--project", "."], "name the file of the export");
    let imported = ask(&env, 0, &["import", "--from", "claude-ai", &file, "--project", ".", "--json"]);
    assert_eq!(fields(&imported, ["imported", "bad"]), json!([2, 0]));
    let again = ask(&env, 0, &["import", "--from", "claude-ai", &file, "-p", ".", "--json"]);
    assert_eq!(fields(&again, ["imported", "known"]), json!([0, 2]));
    let hits = ask(&env, 0, &["search", "--json"])["hits"].take();
    assert_eq!(column(&hits, "kind"), json!(["decision", "decision"]));
    assert_eq!(column(&hits, "provenance"), json!(["import", "import"]), "nobody becomes the user by a file");
    assert_eq!(column(&hits, "created_at")[0], "2026-03-04T10:00:00Z");
}

#[test]
fn of_a_branched_chat_only_what_was_shown_last_counts() {
    let env = world();
    at(&env, "gpt/conversations.json", &chatgpt());
    let folder = env.world().join("user/gpt").to_string_lossy().into_owned();
    let trusted = ["import", "--from", "chatgpt", &folder, "--project", ".", "--trust", "user", "--json"];
    assert_eq!(ask(&env, 0, &trusted)["imported"], 1);
    let hits = ask(&env, 0, &["search", "--json"])["hits"].take();
    assert_eq!(column(&hits, "title"), json!(["It turned out the tide tables were in local time."]));
    assert_eq!((column(&hits, "kind"), column(&hits, "provenance")), (json!(["fact"]), json!(["user"])));
}

#[test]
fn an_export_in_several_files_is_read_whole() {
    let env = world();
    at(&env, "parts/conversations-000.json", &chatgpt());
    let later =
        chatgpt().to_string().replace("tide tables were", "lighthouse hours were").replace("\"b\"", "\"d\"");
    write(&env, "parts/conversations-001.json", later);
    write(&env, "parts/chat.html", "<html>");
    let folder = env.world().join("user/parts").to_string_lossy().into_owned();
    let imported = ask(&env, 0, &["import", "--from", "chatgpt", &folder, "--project", ".", "--json"]);
    assert_eq!(imported["imported"], 2);
}

#[test]
fn a_packed_export_is_to_be_unpacked() {
    let env = world();
    write(&env, "export.zip", "PK\u{3}\u{4} and so on");
    let file = env.world().join("user/export.zip").to_string_lossy().into_owned();
    exits(&env, 1, &["import", "--from", "chatgpt", &file, "--project", "."], "unpack it");
}

#[test]
fn a_file_of_something_else_is_refused() {
    let env = world();
    let wrong = at(&env, "other.json", &json!([{"chat_messages": []}]));
    exits(&env, 1, &["import", "--from", "chatgpt", &wrong, "-p", "."], "is no export of chatgpt");
    let agent = env.run_as_agent(["import", "--from", "claude-ai", &wrong, "-p", ".", "--trust", "user"]);
    assert_eq!(agent.code, Some(1), "{agent:?}");
}
