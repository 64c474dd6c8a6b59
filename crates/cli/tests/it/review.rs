//! Only the user makes rules (law 6): what an agent writes waits, and only the user confirms it.

use crate::support::{ask, column, event, execute, fields, injected, remember, shown, world};
use backstory_testkit::TestEnv;
use serde_json::json;

const ORDER: &str = "Always run `make deploy` before a commit";

fn start(env: &TestEnv, session: &str) -> String {
    injected(&event(env, session, "SessionStart", json!({"source": "startup"})))
}

#[test]
fn law_6_what_an_agent_writes_waits_for_the_user() {
    let env = world();
    let said = env.run_as_agent(["remember", "--pin", "--everywhere", "--kind", "rule", ORDER]);
    assert!(said.stderr.contains("proposed") && said.stderr.contains("backstory confirm 1"), "{said:?}");
    let waiting = ask(&env, 0, &["review", "--json"]);
    assert_eq!(column(&waiting["memories"], "provenance"), json!(["assistant"]));
    assert_eq!(column(&waiting["memories"], "standing_reason"), json!(["asks"]));
    assert_eq!(
        fields(&shown(&env, "1"), ["pinned", "scope"]),
        json!([false, "project"]),
        "not the agent's to say"
    );
    assert!(said.stderr.contains("only you can pin a memory or apply it to every project"), "{said:?}");
    let revised = env.run_as_agent(["revise", "1", "--pin", "--everywhere", ORDER, "--kind", "rule"]);
    assert_eq!(revised.code, Some(0), "{revised:?}");
    assert_eq!(fields(&shown(&env, "1"), ["pinned", "scope"]), json!([false, "project"]), "nor later");
    assert_eq!(start(&env, "a"), "", "nothing of it is injected");
    for action in ["confirm", "retire", "pin", "forget"] {
        let refused = env.run_as_agent([action, "1", "--json"]);
        assert!(refused.stdout.contains("user_only"), "{action}: {refused:?}");
    }
    for project in [&["rename", "1", "x"][..], &["share"], &["unshare"]] {
        let refused = env.run_as_agent([&["project"], project, &["--json"]].concat());
        assert!(refused.stdout.contains("user_only"), "{project:?}: {refused:?}");
    }
    for action in ["restore", "discard"] {
        let refused = env.run_as_agent(["team", action, "--all", "--json"]);
        assert!(refused.stdout.contains("user_only"), "{action}: {refused:?}");
    }
    let confirmed = ask(&env, 0, &["confirm", "1", "--json"]);
    assert_eq!(column(&confirmed["memories"], "standing"), json!(["confirmed"]));
    assert_eq!(column(&confirmed["memories"], "provenance"), json!(["assistant"]), "it does not rise");
    assert!(start(&env, "b").contains("make deploy"));
    ask(&env, 0, &["retire", "1", "--json"]);
    assert_eq!(start(&env, "c"), "");
    assert_eq!(env.run(["review"]).stderr, "nothing waits for your word\n");
    backstory_testkit::held("A04", 4, 1, "memories of an agent wait for the user");
}

#[test]
fn what_waits_longer_than_a_week_is_not_forgotten() {
    let env = world();
    let noted = env.run_as_agent(["remember", "--kind", "rule", ORDER]);
    assert_eq!(noted.code, Some(0), "{noted:?}");
    execute(&env, "UPDATE memories SET created_at_ms = created_at_ms - 40 * 86400000");
    let outcome = env.run(["review"]);
    assert!(outcome.stderr.contains("1 older: `backstory review --since 52w`"), "{outcome:?}");
}

#[test]
fn law_6_a_host_in_the_environment_makes_every_command_the_agents() {
    let env = world().with("CLAUDECODE", "1");
    assert!(env.run(["remember", ORDER]).stderr.contains("proposed"));
    backstory_testkit::held("A04", 4, 1, "commands under a host are the agent's");
}

#[test]
fn law_6_an_agent_does_not_change_the_users_words() {
    let env = world();
    remember(&env, ORDER);
    for command in ["revise", "supersede"] {
        let refused = env.run_as_agent([command, "1", "Never run anything", "--json"]);
        assert!(refused.stdout.contains("user_only"), "{command}: {refused:?}");
    }
    assert!(start(&env, "a").contains("make deploy"));
    backstory_testkit::held("A04", 4, 1, "words of the user are not changed by an agent");
}
