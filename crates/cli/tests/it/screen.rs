//! What people see: every list fits 60, 80 and 120 columns, and loses nothing by it.

use crate::support::{done, import, rendered, without_numbers, world, write};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::json;

fn shop(columns: &'static str) -> TestEnv {
    let env = world().with("COLUMNS", columns);
    let memory = |uid: &str, kind: &str, at: &str, title: &str, body: &str| json!({"uid": uid, "kind": kind, "title": title, "body": body, "created_at": at, "project_path": env.project()});
    let mut money = memory(
        "a",
        "decision",
        "2026-04-28T08:00:00Z",
        "Store money as integer minor units, never floats, because rounding lost cents in the refund report",
        "Measured on 40,000 invoices of March: eleven were off by one cent. Every amount column is a BIGINT now, \
         the currency stands beside it, and formatting happens in the template only.",
    );
    money["session"] = json!("s-1");
    money["host"] = json!("claude-code");
    money["files"] = json!(["src/money.rs"]);
    import(
        &env,
        &[
            money,
            memory(
                "b",
                "failure",
                "2026-05-01T09:20:00Z",
                "alembic: no such column refunds.reason",
                "Fixed by running `alembic upgrade head`.",
            ),
            memory(
                "c",
                "rule",
                "2026-03-01T10:00:00Z",
                "Never push to main without a green run of the whole suite",
                "",
            ),
        ],
    );
    env
}

fn screens(columns: &'static str) -> String {
    let env = shop(columns);
    let all =
        [&["search", "refunds"][..], &["timeline"], &["sessions"], &["show", "1"], &["why", "2"], &["rules"]];
    let shown = all.map(|arguments| {
        let outcome = env.run(arguments);
        let wide = outcome.stdout.lines().find(|line| line.chars().count() > columns.parse().unwrap());
        assert_eq!(wide, None, "{arguments:?}");
        format!("$ {}\n{}", arguments.join(" "), rendered(&outcome))
    });
    without_numbers(&shown.concat(), &["\n   Measured", "\n   Fixed"])
}

/// Sentences are wrapped by the same rule in every command.
#[test]
fn no_command_is_wider_than_the_screen() {
    let env = shop("60");
    let commands: [&[&str]; 8] = [
        &["status"],
        &["doctor"],
        &["project", "list"],
        &["project"],
        &["handoff"],
        &["context", "--bill"],
        &["install", "--all", "--dry-run"],
        &["export", "out.jsonl"],
    ];
    for arguments in commands {
        let outcome = env.run(arguments);
        // A word that is longer than the screen, such as a path, stays whole.
        let is_wide =
            |line: &&str| line.chars().count() > 60 && line.split_whitespace().all(|word| word.len() < 40);
        assert_eq!(outcome.stdout.lines().find(is_wide), None, "{arguments:?}");
    }
}

/// Days begin and hours are counted by the user's own clock, not by that of Greenwich.
#[test]
fn times_are_those_of_the_users_clock_and_utc_is_said_to_be_it() {
    // Five and a half hours ahead, in the form that needs no database of zones.
    let env = shop("80").with("TZ", "<+0530>-05:30");
    let timeline = env.run(["timeline"]).stdout;
    assert!(timeline.contains("  13:30 #1 ") && timeline.contains("  15:30 #3 "), "{timeline}");
    let utc = env.run(["timeline", "--utc"]).stdout;
    assert!(utc.contains("  08:00 #1 ") && utc.contains("  10:00 #3 "), "{utc}");
    let shown = env.run(["show", "1"]).stdout;
    assert!(shown.contains("2026-04-28 13:30 ("), "{shown}");
}

#[test]
fn lists_fit_60_columns() {
    assert_snapshot!(screens("60"), @r"
    $ search refunds
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure · project · 2 h ago · [N]
       Fixed by running `alembic upgrade head`.
    #1 Store money as integer minor units, never floats, because
       rounding lost cents in the refund report
       decision · project · 3 days ago · [N]
       Measured on 40,000 invoices of March: eleven were off by
       one cent. Every amount column is a BIGINT now, the…
    $ timeline
    exit 0
    --- out
    2026-03-01
      10:00 #3     rule      Never push to main without a green
                             run of the whole suite
    2026-04-28 · 3 days ago
      08:00 #1     decision  Store money as integer minor units,
                             never floats, because rounding lost
                             cents in the refund report
    2026-05-01 · today
      09:20 #2     failure   alembic: no such column
                             refunds.reason
    $ sessions
    exit 0
    --- out
    1     session s-1, without a prompt
          3 days ago · <1 min · claude-code · 1 memory
    $ show 1
    exit 0
    --- out
    #1 Store money as integer minor units, never floats, because
       rounding lost cents in the refund report
    decision · project · 2026-04-28 08:00 (3 days ago) · from
    import
    importance 3 · confidence 1.00 · seen 1× · used 0×
    from session 1: `backstory sessions show 1`

    Measured on 40,000 invoices of March: eleven were off by one
    cent. Every amount column is a BIGINT now, the currency
    stands beside it, and formatting happens in the template
    only.

    files
      - src/money.rs
    $ why 2
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure in project, written 2026-05-01 09:20 (2 h ago);
       said by: import
       met once, used never, shown once
    $ rules
    exit 1
    --- err
    no rules yet; `backstory rules add TEXT` writes one, `backstory review` shows proposed ones
    ");
}

#[test]
fn lists_fit_80_columns() {
    assert_snapshot!(screens("80"), @r"
    $ search refunds
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure · project · 2 h ago · [N]
       Fixed by running `alembic upgrade head`.
    #1 Store money as integer minor units, never floats, because rounding lost cents
       in the refund report
       decision · project · 3 days ago · [N]
       Measured on 40,000 invoices of March: eleven were off by one cent. Every
       amount column is a BIGINT now, the currency stands beside it, and formatting…
    $ timeline
    exit 0
    --- out
    2026-03-01
      10:00 #3     rule      Never push to main without a green run of the whole
                             suite
    2026-04-28 · 3 days ago
      08:00 #1     decision  Store money as integer minor units, never floats,
                             because rounding lost cents in the refund report
    2026-05-01 · today
      09:20 #2     failure   alembic: no such column refunds.reason
    $ sessions
    exit 0
    --- out
    1     session s-1, without a prompt
          3 days ago · <1 min · claude-code · 1 memory
    $ show 1
    exit 0
    --- out
    #1 Store money as integer minor units, never floats, because rounding lost cents
       in the refund report
    decision · project · 2026-04-28 08:00 (3 days ago) · from import
    importance 3 · confidence 1.00 · seen 1× · used 0×
    from session 1: `backstory sessions show 1`

    Measured on 40,000 invoices of March: eleven were off by one cent. Every amount
    column is a BIGINT now, the currency stands beside it, and formatting happens in
    the template only.

    files
      - src/money.rs
    $ why 2
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure in project, written 2026-05-01 09:20 (2 h ago); said by: import
       met once, used never, shown once
    $ rules
    exit 1
    --- err
    no rules yet; `backstory rules add TEXT` writes one, `backstory review` shows proposed ones
    ");
}

#[test]
fn lists_fit_120_columns() {
    assert_snapshot!(screens("120"), @r"
    $ search refunds
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure · project · 2 h ago · [N]
       Fixed by running `alembic upgrade head`.
    #1 Store money as integer minor units, never floats, because rounding lost cents in the refund report
       decision · project · 3 days ago · [N]
       Measured on 40,000 invoices of March: eleven were off by one cent. Every amount column is a BIGINT now, the currency
       stands beside it, and formatting happens in the template only.
    $ timeline
    exit 0
    --- out
    2026-03-01
      10:00 #3     rule      Never push to main without a green run of the whole suite
    2026-04-28 · 3 days ago
      08:00 #1     decision  Store money as integer minor units, never floats, because rounding lost cents in the refund
                             report
    2026-05-01 · today
      09:20 #2     failure   alembic: no such column refunds.reason
    $ sessions
    exit 0
    --- out
    1     session s-1, without a prompt
          3 days ago · <1 min · claude-code · 1 memory
    $ show 1
    exit 0
    --- out
    #1 Store money as integer minor units, never floats, because rounding lost cents in the refund report
    decision · project · 2026-04-28 08:00 (3 days ago) · from import
    importance 3 · confidence 1.00 · seen 1× · used 0×
    from session 1: `backstory sessions show 1`

    Measured on 40,000 invoices of March: eleven were off by one cent. Every amount column is a BIGINT now, the currency
    stands beside it, and formatting happens in the template only.

    files
      - src/money.rs
    $ why 2
    exit 0
    --- out
    #2 alembic: no such column refunds.reason
       failure in project, written 2026-05-01 09:20 (2 h ago); said by: import
       met once, used never, shown once
    $ rules
    exit 1
    --- err
    no rules yet; `backstory rules add TEXT` writes one, `backstory review` shows proposed ones
    ");
}

#[test]
fn colour_says_no_more_than_the_words() {
    let env = shop("80");
    let run = |colour: &str| env.run(["search", "refunds", "--color", colour]).stdout;
    let (with, without) = (run("always"), run("never"));
    assert!(
        with.contains("\u{1b}[31mfailure\u{1b}[0m") && with.contains("\u{1b}[1;33mrefunds\u{1b}[0m"),
        "{with:?}"
    );
    let mut parts = with.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest)));
    assert_eq!((plain, &run("auto")), (without.clone(), &without));
}

#[test]
fn times_are_relative_unless_utc_is_wanted() {
    let env = shop("80");
    let line = |arguments: &[&str]| env.run(arguments).stdout.lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!(line(&["search", "--kind", "failure"]), "   failure · project · 2 h ago");
    assert_eq!(
        line(&["search", "--kind", "failure", "--utc"]),
        "   failure · project · 2026-05-01 09:20 UTC"
    );
}

#[test]
fn a_time_is_typed_as_people_say_it() {
    let env = shop("80");
    let count =
        |arguments: &[&str]| env.run(arguments).stdout.lines().filter(|line| line.contains('#')).count();
    for (since, expected) in [("today", 1), ("yesterday", 1), ("last week", 2), ("2026-04-28", 2), ("90d", 3)]
    {
        assert_eq!(count(&["timeline", "--since", since]), expected, "{since}");
        assert_eq!(count(&["ls", "--since", since]), expected, "{since}");
    }
    assert_eq!(count(&["log", "--kind", "failure,rule"]), 2);
    assert_eq!(env.run(["sessions", "--since", "monday"]).code, Some(0));
    assert_eq!(env.run(["sessions", "--since", "yesterday"]).code, Some(1));
    assert_eq!(env.run(["sessions", "--kind", "decision"]).code, Some(0));
    assert_eq!(env.run(["sessions", "--kind", "goal"]).code, Some(1));
}

#[test]
fn what_programs_run_is_hidden_and_explains_itself() {
    let env = world();
    for wrong in ["maintian", "hok", "gaurd", "write-note"] {
        let said = env.run([wrong]).stderr;
        assert!(!said.contains("maintain") && !said.contains("hook") && !said.contains("guard"), "{said}");
    }
    let scripts = env.run(["completions", "bash"]).stdout;
    assert!(!scripts.contains("write-notes") && !scripts.contains("maintain"), "completions");
    let explained = env.run(["hook", "--help"]);
    assert_eq!(explained.code, Some(0));
    assert!(explained.stdout.contains("hosts run this, people never need to"), "{explained:?}");
}

#[test]
fn a_setting_is_set_in_the_users_own_file() {
    let env = world();
    write(&env, ".config/backstory/config.toml", "# mine\n[search]\nlimit = 3 # few\n");
    done(&env, &["config", "set", "search.limit", "5"]);
    done(&env, &["config", "set", "inject.enabled", "false"]);
    let file = env.world().join("user/.config/backstory/config.toml");
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text, "# mine\n[search]\nlimit = 5 # few\n\n[inject]\nenabled = false\n");
    assert_eq!(env.run(["config", "set", "search.limit", "many"]).code, Some(2));
    assert_eq!(env.run(["config", "set", "no.such", "1"]).code, Some(2));
    let agent = env.run_as_agent(["config", "set", "mcp.write", "all"]);
    assert_eq!(agent.code, Some(1), "{agent:?}");
    let without = env.run(["config", "edit"]);
    assert!(without.stderr.contains("no editor is set"), "{without:?}");
    done(&env.with("EDITOR", "true"), &["config", "edit"]);
}
