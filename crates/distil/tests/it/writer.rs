//! A model's notes: what is asked of it, what is taken of its answer, and what is turned down.

use crate::recording::Recording;
use backstory_capture::{Redactor, RedactorOptions};
use backstory_distil::DistilTrigger;
use backstory_distil::writer::{
    AnswerOutcome, DEFAULT_BUDGET, WriterContext, WriterReport, WriterRequest, request, take_answer,
};
use backstory_memory::{
    Activity, Content, Details, Kind, Memory, MemoryId, Provenance, Redacted, RejectionReason, Standing,
    StandingReason, Timestamp, Tokens, Writer, estimate,
};
use backstory_store::{MemoryOrigin, NewMemory, Pin, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A session about a greenhouse: a bug, a choice, a rule, a rejection, and something left open.
pub(crate) fn greenhouse() -> Recording {
    let mut story = Recording::new();
    story
        .asks("the pumps run twice every morning, find out why")
        .fails("pytest tests/test_schedule.py", "E   AssertionError: expected 1 call, got 2\n1 failed, 3 passed in 0.2s")
        .edits("pumps/schedule.py", "run()\n", "if not seen(key):\n    run()\n")
        .runs("pytest tests/test_schedule.py", "4 passed in 0.2s")
        .closes(
            "Cause: the scheduler retries after 5 s and schedule.py had no guard. Two ways to keep the keys:\n\n1. In memory, lost at a restart\n2. In the table pump_keys, kept for 36 hours\n\nWhich one?",
        );
    story.asks("2").happens(
        Activity::Interjected { text: "not redis, we have no redis at the sites".into() },
        Provenance::User,
    );
    story
        .happens(
            Activity::Rejected {
                at: "Bash pip install redis".into(),
                feedback: "use the table pump_keys".into(),
            },
            Provenance::User,
        )
        .edits("pumps/keys.py", "", "TABLE = 'pump_keys'\n")
        .runs(
            "git commit -am 'fix(pumps): dedupe runs by pump_keys\n\nRedis is not available at the sites.'",
            "[fix/pumps 1a2b3c4] fix(pumps): dedupe runs by pump_keys\n 2 files changed",
        )
        .closes("Option 2 is done: keys live in pump_keys for 36 hours.");
    story
        .asks("From now on never call a pump from a test, the valves in bed 7 are real")
        .looks("tests/conftest.py")
        .closes("Understood. The tests use the fake valve now. The panel could be moved to the shed later.");
    story.asks("now add the frost alarm").edits("alarm.py", "", "LIMIT = 3\n");
    story.ends();
    story
}

fn redactor() -> Redactor {
    Redactor::new(RedactorOptions::default())
}

fn asks(story: &Recording, budget: Tokens) -> Option<WriterRequest> {
    let (redactor, root) = (redactor(), story.root());
    let how =
        WriterContext { root: Some(&root), redactor: &redactor, now: Timestamp(1_900_000_000_000), budget };
    request(&story.store, story.id(), &how).unwrap()
}

pub(crate) fn prompt_of(story: &Recording) -> String {
    asks(story, DEFAULT_BUDGET).unwrap().prompt
}

pub(crate) fn takes(story: &mut Recording, answer: &Value) -> WriterReport {
    let (redactor, root, session) = (redactor(), story.root(), story.id());
    let how = WriterContext {
        root: Some(&root),
        redactor: &redactor,
        now: Timestamp(1_900_000_000_000),
        budget: DEFAULT_BUDGET,
    };
    take_answer(&mut story.store, session, &answer.to_string(), &how).unwrap()
}

pub(crate) fn note(kind: &str, title: &str, quote: &str, evidence: &[&str]) -> Value {
    json!({"kind": kind, "title": title, "body": "", "quote": quote, "needed_when": "someone changes the pumps",
        "evidence": evidence, "files": []})
}

pub(crate) fn rule() -> Value {
    note(
        "constraint",
        "Tests never call a real pump: the valves in bed 7 are real",
        "never call a pump from a test",
        &["t3"],
    )
}

pub(crate) fn decision() -> Value {
    note(
        "decision",
        "Pump runs are deduplicated by the table pump_keys, kept for 36 hours",
        "dedupe runs by pump_keys",
        &["t1", "t2"],
    )
}

pub(crate) fn answer(notes: &[Value], changes: &[Value]) -> Value {
    json!({
        "summary": {"title": "Pumps run once a morning, deduplicated by pump_keys", "request": "find out why pumps run twice",
            "done": "schedule.py and keys.py guard a run by its key"},
        "handoff": {"state": "done", "where": "frost alarm begun in alarm.py", "next_steps": ["finish the frost alarm"],
            "open_questions": []},
        "add": notes, "change": changes,
    })
}

pub(crate) fn of_model(story: &Recording, report: &WriterReport, kind: Kind) -> Memory {
    let kept = report.kept.iter().find(|note| note.kind == kind).unwrap_or_else(|| panic!("{report:#?}"));
    story.store.memories().get(kept.memory).unwrap().unwrap()
}

#[test]
fn a_request_shows_the_session_as_it_went() {
    let story = greenhouse();
    let request = asks(&story, DEFAULT_BUDGET).unwrap();
    for part in [
        "SESSION of project",
        "branch fix/pumps",
        "t1 U: the pumps run twice every morning, find out why",
        " - FAILED `pytest tests/test_schedule.py`: E AssertionError: expected 1 call, got 2 → then ok (4 passed)",
        " - edited pumps/schedule.py +2/-1",
        "A: Cause: the scheduler retries after 5 s",
        "t2 U: 2\nU mid-turn: not redis, we have no redis at the sites",
        " - user REJECTED Bash pip install redis and said: \"use the table pump_keys\"",
        " - commit [fix/pumps] fix(pumps): dedupe runs by pump_keys — Redis is not available at the sites.",
        "t4 U: now add the frost alarm\n - edited new alarm.py +1/-0\n",
        "EDITED AFTER THE LAST COMMIT: alarm.py",
    ] {
        assert!(request.prompt.contains(part), "{part} is missing in:\n{}", request.prompt);
    }
    assert_eq!(Some(&request), asks(&story, DEFAULT_BUDGET).as_ref());
    assert!(serde_json::from_str::<Value>(request.schema).unwrap().get("properties").is_some());
}

/// A model can only note a trap if it sees what worked; what an agent got wrong in its own tools is no trap of the project.
#[test]
fn a_failed_call_stands_beside_the_one_that_worked_and_slips_of_the_agent_are_left_out() {
    let mut story = Recording::new();
    let tool_fails = |at: &str, error: &str| Activity::ToolFailed { at: at.into(), error: error.into() };
    story
        .asks("water bed 7 for ten minutes")
        .fails("valvectl open 7 --for 10m", "error: invalid duration '10m', expected seconds")
        .runs("valvectl open 7 --for 600", "bed 7: open")
        .fails("pumpctl watch", "")
        .happens(
            tool_fails("beds.md", "<tool_use_error>File has not been read yet.</tool_use_error>"),
            Provenance::Tool,
        );
    for _ in 0..2 {
        story.happens(tool_fails("bed 7", "Error: the camera is offline before sunrise"), Provenance::Tool);
    }
    story.closes("Bed 7 is watered.");
    let prompt = asks(&story, DEFAULT_BUDGET).unwrap().prompt;
    for part in [
        " - FAILED `valvectl open 7 --for 10m`: error: invalid duration '10m', expected seconds → then ok: `valvectl open 7 --for 600`",
        " - FAILED×2 Edit bed 7: Error: the camera is offline before sunrise",
    ] {
        assert!(prompt.contains(part), "{part} is missing in:\n{prompt}");
    }
    assert!(!prompt.contains("has not been read") && !prompt.contains("pumpctl watch"), "{prompt}");
}

/// What a tool showed to fail may be noted with what works instead; until the user confirms it, it is nobody's order.
#[test]
fn law_6_a_trap_that_says_what_to_run_waits_for_the_user() {
    let mut story = Recording::new();
    story
        .asks("water bed 7 for ten minutes")
        .fails("valvectl open 7 --for 10m", "error: invalid duration '10m', expected seconds")
        .runs("valvectl open 7 --for 600", "bed 7: open")
        .closes("Bed 7 is watered.");
    story.ends();
    let trap = note(
        "fact",
        "valvectl rejects 10m as a duration: run valvectl open 7 --for 600",
        "error: invalid duration '10m', expected seconds",
        &["t1"],
    );
    let report = takes(&mut story, &answer(&[trap], &[]));
    assert_eq!(of_model(&story, &report, Kind::Fact).standing, Standing::Proposed, "{report:?}");
}

/// How it ended nobody knows: not the model that says it is done, and not the rules.
#[test]
fn what_was_still_running_at_the_end_is_shown_and_not_done() {
    let mut story = Recording::new();
    story.asks("push the frost alarm").edits("alarm.py", "", "x").closes("Ready to push.");
    story.asks("yes, and then deploy it");
    let running = || Activity::StillRunning { at: "git push -u origin frost && ./deploy.sh site".into() };
    story.happens(running(), Provenance::Tool).ends();
    let request = asks(&story, DEFAULT_BUDGET).unwrap();
    let call = "`git push -u origin frost && ./deploy.sh site`";
    let line = format!(" - STILL RUNNING when the record ends: {call}");
    assert!(request.prompt.contains(&line), "{}", request.prompt);
    let in_flight = |story: &Recording| match story.only(Kind::Handoff).content.details {
        Some(Details::Handoff(handoff)) => handoff.in_flight,
        _ => Vec::new(),
    };
    let expected = format!("{call} was still running when the session ended");
    assert!(in_flight(&story).contains(&expected), "{:?}", in_flight(&story));
    takes(&mut story, &answer(&[], &[]));
    assert!(in_flight(&story).contains(&expected), "{:?}", in_flight(&story));
    assert!(!story.only(Kind::Handoff).content.title.starts_with("Done"));
    // Where the session goes on, it was broken off.
    story.asks("did it work?").closes("No, the remote was gone.");
    let request = asks(&story, DEFAULT_BUDGET).unwrap();
    assert!(!request.prompt.contains("STILL RUNNING"), "{}", request.prompt);
}

#[test]
fn a_session_without_words_or_work_is_not_worth_a_call() {
    let mut story = Recording::new();
    story.asks("hello");
    story.distils(DistilTrigger::SessionEnd);
    assert_eq!(asks(&story, DEFAULT_BUDGET), None, "nothing was answered");
    let mut story = greenhouse();
    takes(&mut story, &answer(&[rule()], &[]));
    assert_eq!(asks(&story, DEFAULT_BUDGET), None, "it is written");
    story.asks("and the frost alarm rings at 3 degrees").closes("It does.");
    let again = asks(&story, DEFAULT_BUDGET).unwrap();
    assert!(again.prompt.contains("constraint: Tests never call a real pump: the valves in bed 7 are real"));
}

#[test]
fn law_7_a_request_holds_no_secret_a_newer_rule_knows() {
    let mut story = Recording::new();
    story.asks("use the word quokka-lantern for the valve").closes("The valve takes it.");
    let redactor = Redactor::new(RedactorOptions {
        literals: vec!["quokka-lantern".into()],
        ..RedactorOptions::default()
    });
    let how = WriterContext { root: None, redactor: &redactor, now: Timestamp(0), budget: DEFAULT_BUDGET };
    let request = request(&story.store, story.id(), &how).unwrap().unwrap();
    assert!(
        request.prompt.contains("for the valve") && !request.prompt.contains("quokka"),
        "{}",
        request.prompt
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// What takes the place of a secret may be longer: here the digest's own words are one, so that all of it is redacted at the end.
    #[test]
    fn a_request_holds_its_budget_after_everything_is_redacted(said in 1_usize..24, words in 1_usize..12, budget in 1_000_u32..3_000) {
        let mut story = greenhouse();
        story.asks("and now the rest");
        for n in 0..said {
            let text = format!("{n} ") + &"ещё полив 灌水 🌱 once more ".repeat(words);
            story.happens(Activity::Interjected { text }, Provenance::User);
        }
        story.closes("All of it is done.");
        let redactor = Redactor::new(RedactorOptions { literals: vec!["mid-turn".into()], ..RedactorOptions::default() });
        let how = WriterContext { root: None, redactor: &redactor, now: Timestamp(0), budget: Tokens(budget) };
        let request = request(&story.store, story.id(), &how).unwrap().unwrap();
        let (_, digest) = request.prompt.split_once("\n\nSESSION of ").unwrap();
        let cost = estimate(&format!("SESSION of {digest}"));
        prop_assert!(cost <= Tokens(budget), "{} of {budget}", cost.0);
        prop_assert!(!digest.contains("mid-turn") && digest.contains("and now the rest"), "{digest}");
    }
}

#[test]
fn an_answer_takes_the_place_of_what_the_rules_knew_and_leaves_work_and_failures() {
    let mut story = greenhouse();
    let before = story.memories();
    let ruled: Vec<MemoryId> = before
        .iter()
        .filter(|memory| {
            matches!(memory.content.kind, Kind::Rule | Kind::Decision | Kind::Fact | Kind::Discovery)
        })
        .map(|memory| memory.id)
        .collect();
    assert!(!ruled.is_empty(), "{:#?}", story.kinds());
    let report = takes(&mut story, &answer(&[rule(), decision()], &[]));
    assert_eq!(report.replaced, ruled);
    for old in before {
        let now = story.store.memories().get(old.id).unwrap().unwrap();
        match old.content.kind {
            _ if ruled.contains(&old.id) => assert_eq!(now.standing_reason, StandingReason::Rewritten),
            Kind::Summary | Kind::Handoff => assert!(now.standing.is_live()),
            _ => assert_eq!(now, old, "work and failures stay"),
        }
    }
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "Next: finish the frost alarm", "the last request has no closing message");
    assert!(
        matches!(handoff.details, Some(Details::Handoff(it)) if it.next_steps == ["finish the frost alarm"])
    );
    assert_eq!(
        story.only(Kind::Summary).content.title,
        "Pumps run once a morning, deduplicated by pump_keys"
    );
}

#[test]
fn the_same_answer_twice_and_the_rules_again_change_nothing() {
    let mut story = greenhouse();
    let answered = answer(&[rule(), decision(), note("constraint", "x", "y", &["t9"])], &[]);
    takes(&mut story, &answered);
    let (once, noted) = (story.memories(), story.store.rejections().of_session(story.id()).unwrap());
    takes(&mut story, &answered);
    assert_eq!(story.memories(), once);
    story.distils(DistilTrigger::OnDemand);
    story.distils(DistilTrigger::SessionEnd);
    assert_eq!(story.memories(), once);
    assert_eq!(story.store.rejections().of_session(story.id()).unwrap(), noted);
}

#[test]
fn what_a_person_revised_confirmed_or_pinned_is_out_of_reach() {
    type Touch = fn(&mut Recording, MemoryId);
    let persons: [(&str, Touch); 3] = [
        ("confirmed", |story, id| {
            story.store.memories_mut().record_verdict(id, Verdict::Confirm, Timestamp(1)).map(drop).unwrap();
        }),
        ("pinned", |story, id| story.store.memories_mut().pin(id, Pin::Keep).unwrap()),
        ("revised", |story, id| {
            let content = story.store.memories().get(id).unwrap().unwrap().content;
            let content = Redacted::vouch(Content { title: "My own words".into(), ..content });
            story.store.memories_mut().revise(id, &content, Timestamp(1)).unwrap();
        }),
    ];
    for (name, touch) in persons {
        let mut story = greenhouse();
        let mine = story.of_kind(Kind::Rule).first().map(|memory| memory.id).unwrap();
        let handoff = story.only(Kind::Handoff).id;
        touch(&mut story, mine);
        touch(&mut story, handoff);
        let owned = [mine, handoff].map(|id| story.store.memories().get(id).unwrap());
        let report = takes(&mut story, &answer(&[rule(), decision()], &[]));
        assert_eq!(report.outcome, AnswerOutcome::Taken);
        assert_eq!([mine, handoff].map(|id| story.store.memories().get(id).unwrap()), owned, "{name}");
    }
}

#[test]
fn an_answer_of_which_nothing_holds_replaces_nothing() {
    let mut story = greenhouse();
    let before = story.memories();
    let report = takes(
        &mut story,
        &answer(&[note("fact", "Invoices live in BillingStore", "made up words", &["t1"])], &[]),
    );
    assert_eq!(report.outcome, AnswerOutcome::NothingHolds);
    assert_eq!((report.replaced.len(), report.closed.len()), (0, 0));
    let of = |memories: Vec<Memory>, is_account: bool| -> Vec<Memory> {
        let of_account = |kind: Kind| matches!(kind, Kind::Summary | Kind::Handoff);
        memories.into_iter().filter(|memory| of_account(memory.content.kind) == is_account).collect()
    };
    assert_eq!(of(story.memories(), false), of(before.clone(), false), "what the rules know stays");
    let titles: Vec<String> =
        of(story.memories(), true).into_iter().map(|memory| memory.content.title).collect();
    assert!(titles.contains(&"Next: finish the frost alarm".to_owned()), "{titles:?}");
    let before = story.memories();
    let (redactor, session) = (redactor(), story.id());
    let how = WriterContext { root: None, redactor: &redactor, now: Timestamp(0), budget: DEFAULT_BUDGET };
    let unreadable = take_answer(&mut story.store, session, "I cannot help with that.", &how).unwrap();
    assert_eq!(unreadable.outcome, AnswerOutcome::Unreadable);
    assert_eq!(story.memories(), before);
}

/// The name a request gives to a known memory.
fn name_of(story: &Recording, title: &str) -> String {
    let request = asks(story, DEFAULT_BUDGET).unwrap();
    let line = request
        .prompt
        .lines()
        .find(|line| line.ends_with(title))
        .unwrap_or_else(|| panic!("{}", request.prompt));
    line.split(' ').next().unwrap().to_owned()
}

#[test]
fn known_memories_are_superseded_closed_and_confirmed() {
    let mut story = Recording::new();
    story.asks("from now on the frost alarm rings at 3 degrees").edits("alarm.py", "", "x").closes("Done.");
    let first = note(
        "constraint",
        "The frost alarm rings at 3 degrees",
        "the frost alarm rings at 3 degrees",
        &["t1"],
    );
    let alarm = takes(&mut story, &answer(&[first], &[])).kept.first().unwrap().memory;
    let project = story.store.memories().get(alarm).unwrap().unwrap().project;
    let goal = story.store.memories_mut().remember(&NewMemory {
        uid: None,
        project,
        origin: MemoryOrigin { writer: Some(Writer::Rules), ..MemoryOrigin::default() },
        content: Redacted::vouch(Content {
            provenance: Provenance::Assistant,
            ..Content::new(Kind::Goal, "Move the panel to the shed", "")
        }),
        created_at: Timestamp(1),
    });
    let goal = goal.unwrap();
    story.session("s2").asks(
        "from now on the frost alarm rings at 5 degrees instead of 3, and I moved the panel to the shed",
    );
    story.edits("alarm.py", "x", "y").says("The alarm rings at 5 degrees.");
    let change = |op: &str, title: &str, by: Option<u8>| json!({"op": op, "id": name_of(&story, title), "reason": "said so", "evidence": ["t1"], "by": by});
    let changes = [
        change("supersede", "The frost alarm rings at 3 degrees", Some(0)),
        change("close", "Move the panel to the shed", None),
        json!({"op": "close", "id": "k1", "reason": "invented", "evidence": ["t1"], "by": null}),
    ];
    let second = note(
        "constraint",
        "The frost alarm rings at 5 degrees, not at 3",
        "the frost alarm rings at 5 degrees",
        &["t1"],
    );
    let answered = answer(&[second], &changes);
    let report = takes(&mut story, &answered);
    let standing = |story: &Recording, id| story.store.memories().get(id).unwrap().unwrap();
    let by = report.kept.first().unwrap().memory;
    assert_eq!(standing(&story, alarm).standing, Standing::Superseded(by), "{report:#?}");
    assert_eq!(
        (standing(&story, goal).standing, standing(&story, goal).standing_reason),
        (Standing::Retired, StandingReason::Over)
    );
    assert_eq!(report.rejected.iter().map(|it| it.reason).collect::<Vec<_>>(), [RejectionReason::NoEvidence]);
    let once = story.memories();
    takes(&mut story, &answered);
    assert_eq!(story.memories(), once);
}

/// What no longer holds does not crowd out what the request listed.
#[test]
fn an_answer_may_name_every_memory_that_its_request_lists() {
    let mut story = Recording::new();
    story.asks("add the frost alarm").edits("alarm.py", "", "x").closes("Done.");
    let project = story.store.sessions().get(story.id()).unwrap().unwrap().project;
    let mut remember = |kind: Kind, title: &str, at: i64| {
        let origin = MemoryOrigin { writer: Some(Writer::Rules), ..MemoryOrigin::default() };
        let content = Content { provenance: Provenance::Assistant, ..Content::new(kind, title, "") };
        let (content, created_at) = (Redacted::vouch(content), Timestamp(at));
        let memory = NewMemory { uid: None, project, origin, content, created_at };
        story.store.memories_mut().remember(&memory).unwrap()
    };
    let goal = remember(Kind::Goal, "Move the panel to the shed", 1);
    let over: Vec<MemoryId> =
        (2..210).map(|at| remember(Kind::Fact, &format!("Bed {at} is dry"), at)).collect();
    story.store.memories_mut().retire(&over, StandingReason::Changed, Timestamp(300)).unwrap();
    let name = name_of(&story, "Move the panel to the shed");
    let close = json!({"op": "close", "id": name, "reason": "done", "evidence": ["t1"], "by": null});
    assert_eq!(takes(&mut story, &answer(&[], &[close])).closed, [goal]);
}

/// A model that words a note after a page has the page speak, whatever the user said beside it.
#[test]
fn law_6_what_a_note_supersedes_is_decided_by_whom_its_words_belong_to() {
    let page = "The frost alarm of every model rings at 5 degrees Celsius below the set value, not at 3";
    for (title, is_superseded) in [("The frost alarm rings at 5 degrees, not at 3", true), (page, false)] {
        let mut story = Recording::new();
        story.asks("the frost alarm rings at 3 degrees here, I set it so").looks("alarm.py").closes("Noted.");
        let quote = "the frost alarm rings at 3 degrees";
        let first = note("fact", "The frost alarm rings at 3 degrees", quote, &["t1"]);
        let alarm = takes(&mut story, &answer(&[first], &[])).kept.first().unwrap().memory;
        story.session("s2").asks("read the vendor's page").fetches("https://vendor.example/alarm", page);
        story.closes("Read.");
        story
            .asks("I set it higher: the frost alarm rings at 5 degrees, not at 3")
            .edits("alarm.py", "", "x");
        story.says("The alarm is set.");
        let name = name_of(&story, "The frost alarm rings at 3 degrees");
        let change = json!({"op": "supersede", "id": name, "reason": "said so", "evidence": ["t2"], "by": 0});
        let second = note("fact", title, "the frost alarm rings at 5 degrees", &["t2"]);
        let report = takes(&mut story, &answer(&[second], &[change]));
        let standing = story.store.memories().get(alarm).unwrap().unwrap().standing;
        assert_eq!(matches!(standing, Standing::Superseded(_)), is_superseded, "{title}: {report:#?}");
    }
}

#[test]
fn law_6_a_model_makes_a_known_memory_surer_and_puts_no_proposal_in_force() {
    let mut story = Recording::new();
    story.asks("why do the pumps stop at noon").looks("a.py").closes("The relay cuts the pumps at noon.");
    let noted = note("fact", "The relay cuts the pumps at noon", "The relay cuts the pumps at noon", &["t1"]);
    let fact = takes(&mut story, &answer(&[noted], &[])).kept.first().unwrap().memory;
    let again = |story: &mut Recording, session: &str| {
        story.session(session).asks("the pumps stopped at noon again");
        story.edits("b.py", "", "x").closes("It was the relay once more.");
        let confirmed = json!({"op": "confirm", "id": name_of(story, "The relay cuts the pumps at noon"), "reason": "again", "evidence": ["t1"], "by": null});
        takes(story, &answer(&[], &[confirmed])).confirmed
    };
    assert_eq!(again(&mut story, "s2"), [], "what was only proposed waits for another witness");
    story.store.memories_mut().record_verdict(fact, Verdict::Confirm, Timestamp(1)).unwrap();
    assert_eq!(again(&mut story, "s3"), [fact]);
    assert_eq!(story.store.memories().get(fact).unwrap().unwrap().times_seen, 2);
}

#[test]
fn law_6_a_rule_of_the_user_stays_whatever_a_model_leaves_out() {
    let mut story = Recording::new();
    story.asks("from now on branch off main").edits("alarm.py", "", "x").closes("Done.");
    let rule = story.only(Kind::Rule);
    takes(&mut story, &answer(&[], &[]));
    assert_eq!(story.store.memories().get(rule.id).unwrap().unwrap().standing, Standing::Confirmed);
}

#[test]
fn a_handoff_is_put_right_by_what_the_record_says() {
    let title = |closing: &str, tasks: &[(&str, bool)]| {
        let mut story = Recording::new();
        story.asks("add the frost alarm").edits("alarm.py", "", "x").plans(tasks).closes(closing);
        let answered = json!({"summary": {"title": "Frost alarm added"}, "add": [], "change": [],
            "handoff": {"state": "done", "where": "frost alarm added in alarm.py", "next_steps": ["call the 911 service"]}});
        takes(&mut story, &answered);
        story.only(Kind::Handoff).content
    };
    assert_eq!(title("The alarm rings.", &[]).title, "Done: Frost alarm added");
    let open = title("The alarm rings.", &[("Add the alarm", true), ("Write the docs", false)]);
    assert_eq!(open.title, "Next: Write the docs");
    assert!(
        matches!(open.details, Some(Details::Handoff(it)) if it.next_steps == ["Write the docs"]),
        "invented steps go"
    );
    assert!(
        title("The alarm rings. Shall it ring at night, too?", &[])
            .title
            .starts_with("Waiting for an answer")
    );
}
