//! A month of made-up work in three projects, thirty sessions, and what is still true of it on its last day; and a session each in
//! German and Russian.

mod month_player;

use crate::support::{patient_world, run};
use backstory_testkit::TestEnv;
use month_player::MonthPlayer;
use serde_json::Value;

/// A project at the end of the month.
struct MonthEnd<'a> {
    env: &'a TestEnv,
    player: MonthPlayer<'a>,
    memories: Vec<Value>,
}

impl<'a> MonthEnd<'a> {
    fn after(env: &'a TestEnv, name: &str) -> MonthEnd<'a> {
        let mut player = MonthPlayer::new(env, name);
        player.play(&format!("{name}.txt"));
        let mut end = MonthEnd { env, player, memories: Vec::new() };
        let mut answer = end.asks(&["search", "--superseded", "-n", "1000", "--json"]);
        let Value::Array(hits) = answer["hits"].take() else { panic!("no hits: {answer}") };
        end.memories = hits;
        end
    }

    fn asks(&self, arguments: &[&str]) -> Value {
        let outcome = run(self.env, arguments).within(self.player.folder()).output();
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"))
    }

    /// Titles of what is in force of some kinds, sorted.
    fn in_force(&self, kinds: &[&str]) -> Vec<&str> {
        let is_live =
            |memory: &&Value| memory["standing"] == "confirmed" && memory["superseded_by"].is_null();
        let is_kind = |memory: &&Value| kinds.contains(&memory["kind"].as_str().unwrap());
        let live = self.memories.iter().filter(is_live).filter(is_kind);
        let mut titles: Vec<&str> = live.map(|memory| memory["title"].as_str().unwrap()).collect();
        titles.sort_unstable();
        titles
    }

    /// How the one memory with this beginning of a title stands, and why.
    fn standing_of(&self, title: &str) -> (&str, &str) {
        let is_it = |memory: &&Value| memory["title"].as_str().unwrap().starts_with(title);
        let found: Vec<&Value> = self.memories.iter().filter(is_it).collect();
        let [memory] = found.as_slice() else { panic!("{title}: {found:?}") };
        (memory["standing"].as_str().unwrap(), memory["standing_reason"].as_str().unwrap())
    }

    /// What was given before the tools of the whole month, but for calls that something known is about.
    fn alarms(&self, known: &[&str]) -> Vec<&(String, String)> {
        let is_alarm = |(call, given): &&(String, String)| {
            !given.is_empty() && !known.iter().any(|part| call.contains(part))
        };
        self.player.before_tools.iter().filter(is_alarm).collect()
    }

    /// Titles of what the user has yet to confirm of a kind, sorted.
    fn proposed(&self, kind: &str) -> Vec<&str> {
        let is_it = |memory: &&Value| memory["standing"] == "proposed" && memory["kind"] == kind;
        let mut titles: Vec<&str> =
            self.memories.iter().filter(is_it).map(|memory| memory["title"].as_str().unwrap()).collect();
        titles.sort_unstable();
        titles
    }

    /// Whether nothing is said before commands that nothing is known of: each line too many is an alarm nobody needs.
    fn is_silent_before(&self, commands: &[&str]) {
        let alarms = commands.iter().filter(|command| !self.player.before_running(31, command).is_empty());
        assert_eq!(alarms.collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    /// Imports the history of the project; returns how many memories that adds, and how many commits were known.
    fn imports_git(&self) -> (u64, u64) {
        let report = self.asks(&["import", "--from", "git", "--json"]);
        (report["memories"].as_u64().unwrap(), report["known"].as_u64().unwrap())
    }
}

const WORK: [&str; 4] = ["feature", "bugfix", "refactor", "change"];

#[test]
fn a_month_of_ferry_bookings_ends_with_what_is_still_true() {
    let env = patient_world();
    let end = MonthEnd::after(&env, "harbor");
    let rules = [
        "From now on amounts are stored as integer minor units, never as floats",
        "Idempotency keys are kept for 48 hours now, not 24",
        "Never round amounts in harbor/booking.py",
    ];
    assert_eq!(end.in_force(&["rule"]), rules);
    // What only a command fixes may come back, and says how it was fixed; the test that passes again is over.
    assert_eq!(
        end.in_force(&["failure"]),
        [
            "harbor.serve: sqlite3.OperationalError: no such column: booking.deck; fixed by alembic upgrade head",
            "harbor.serve: sqlite3.OperationalError: no such column: booking.quay; fixed by alembic upgrade head",
        ]
    );
    assert_eq!(end.standing_of("pytest: FAILED"), ("retired", "fixed"));
    assert_eq!(end.standing_of("A cancelled booking still blocks"), ("retired", "changed"));
    assert_eq!(end.in_force(&["handoff"]), ["Next: Offer a freed seat to the first in the list"]);
    assert_eq!(end.imports_git(), (0, 5));

    let start = end.player.starts_on(31);
    for line in rules {
        assert!(start.contains(line), "{line}: {start}");
    }
    for gone in ["24 hours", "still blocks", "half_a_cent", "Not fixed"] {
        assert!(!start.contains(gone), "{gone}: {start}");
    }
    assert!(start.contains("Fixed by running `alembic upgrade head`"), "{start}");
    assert!(start.contains("Offer a freed seat to the first in the list"), "{start}");
    let hint = end.player.before_running(31, "python3 -m harbor.serve --port 8401");
    assert!(hint.contains("alembic upgrade head"), "{hint}");
    // The rule of day 1 is still there, and comes up where it is touched.
    let of_day_1 = "Never round amounts in harbor/booking.py";
    let at_prompt = end.player.at_prompt(31, "Where may amounts be rounded, also in harbor/booking.py?");
    assert!(at_prompt.contains(of_day_1), "{at_prompt}");
    let edited = end.player.before_editing(31, "harbor/booking.py");
    assert!(edited.contains(of_day_1), "{edited}");
    assert_eq!(end.alarms(&["harbor.serve", "harbor/booking.py"]), Vec::<&(String, String)>::new());
    end.is_silent_before(&[
        "git status",
        "ls harbor",
        "python3 -m pytest -q",
        "git commit -m x",
        "cat harbor/refund.py",
    ]);
}

#[test]
fn a_month_of_tiles_ends_with_what_is_still_true() {
    let env = patient_world();
    let end = MonthEnd::after(&env, "mosaic");
    assert_eq!(end.in_force(&["rule"]), ["We use pnpm here, never npm"]);
    // What only looks, and finds nothing, is no trap; that the shell refuses a whole line is one, whatever was looked for.
    assert_eq!(end.in_force(&["fact"]), ["zsh refuses the whole line when a pattern in it fits no file"]);
    assert_eq!(end.in_force(&["failure"]), Vec::<&str>::new());
    assert_eq!(end.standing_of("src/grout.test.ts > joint"), ("retired", "fixed"));
    assert_eq!(end.in_force(&["handoff"]), ["Done: Save a wall as a file"]);
    // The amended commit counts, and neither is imported a second time.
    assert_eq!(
        end.in_force(&WORK),
        [
            "Add the tile model",
            "Count the gaps between tiles",
            "Fix the count of the joints of a wall",
            "Let people turn a tile",
            "Save a wall as a file",
            "Show the price of a wall",
        ]
    );
    assert_eq!(end.imports_git(), (0, 5));
    assert!(end.player.starts_on(31).contains("We use pnpm here, never npm"));
    let hint = end.player.before_running(31, "npm install --save-dev eslint");
    assert!(hint.contains("We use pnpm here, never npm"), "{hint}");
    // A pattern is what the trap of the shell is about.
    assert_eq!(end.alarms(&["npm ", "*"]), Vec::<&(String, String)>::new());
    end.is_silent_before(&["pnpm vitest run", "pnpm add zod", "git commit -m x", "ls src", "git push"]);
    let found = end.asks(&["search", "joints of a wall", "--json"]);
    assert!(!found.to_string().contains("tests pass"), "{found}");
}

#[test]
fn a_month_of_stones_ends_with_what_is_still_true() {
    let env = patient_world();
    let end = MonthEnd::after(&env, "quarry");
    assert_eq!(end.in_force(&["rule"]), ["Never use unwrap outside of tests"]);
    assert_eq!(end.standing_of("cart::a_full_cart_refuses_a_stone: assertion"), ("retired", "fixed"));
    assert_eq!(
        end.in_force(&["failure"]),
        ["cargo test: this function takes 2 arguments but 1 argument was supplied"]
    );
    assert_eq!(end.in_force(&["handoff"]), ["Still failing: cargo test does not pass"]);
    assert_eq!(end.imports_git(), (0, 5));

    let start = end.player.starts_on(31);
    assert!(start.contains("Never use unwrap outside of tests"), "{start}");
    assert!(start.contains("Not fixed when the session was last seen"), "{start}");
    assert_eq!(end.alarms(&["protoc", "cargo test"]), Vec::<&(String, String)>::new());
    let hint = end.player.before_running(31, "protoc --rust_out src other.proto");
    assert!(hint.contains("/opt/protobuf/bin/protoc"), "{hint}");
}

#[test]
fn a_session_in_german_or_russian_leaves_rule_work_failure_and_handoff() {
    let env = patient_world();
    for (name, rule, by_place, work, failure, next) in [
        (
            "german",
            "Ab jetzt werden Beträge immer in Cent gespeichert",
            ["Die Anrede steht in der Vorlage", "Fristen zählen nur Werktage"],
            ["Mahnungen für offene Rechnungen", "Rechnungen haben eine Fälligkeit"],
            "pytest: FAILED test_mahnung.py::test_anrede - assert 'Bitte zahlen' == 'Sehr geehrte'",
            "Still failing: test_mahnung.py::test_anrede",
        ),
        (
            "russian",
            "Никогда не пиши адреса покупателей в журнал",
            ["Паузы хранятся в настройках", "Письма уходят через общий шлюз"],
            ["Отправка чека на почту", "Повторная отправка при ошибке сети"],
            "pytest: FAILED test_retry.py::test_three_times - assert 1 == 3",
            "Still failing: test_retry.py::test_three_times",
        ),
    ] {
        let end = MonthEnd::after(&env, name);
        assert_eq!(end.in_force(&["rule"]), [rule]);
        // Said with a refusal and in mid-turn, in words that no table holds: by where they stand they are proposed.
        assert_eq!(end.proposed("rule"), by_place);
        assert_eq!(end.in_force(&WORK), work);
        assert_eq!(end.in_force(&["failure"]), [failure]);
        assert_eq!(end.in_force(&["handoff"]), [next]);
    }
}
