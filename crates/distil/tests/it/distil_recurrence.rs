//! What the user asks for in three sessions is proposed as a rule; errands are not, however often.

use crate::recording::Recording;
use backstory_memory::{Kind, Provenance, Standing};

/// Says something in a session of its own, and lets it be distilled.
fn says_in(recording: &mut Recording, session: &str, prompt: &str) {
    recording.session(session).asks(prompt);
    recording.closes("Done.");
}

#[test]
fn what_three_sessions_want_is_proposed_with_its_evidence() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    says_in(&mut recording, "a", "Add a retry to the uploader. Show the plan before you edit.");
    says_in(&mut recording, "a", "Bound the queue. Show the plan before you edit.");
    says_in(&mut recording, "b", "Rename the pool. Please show plan before you edit!");
    assert_eq!(recording.of_kind(Kind::Rule), [], "twice in one session is one session");
    says_in(&mut recording, "c", "show the plan before you edit");
    let rule = recording.only(Kind::Rule);
    assert_eq!(rule.content.title, "Show the plan before you edit");
    assert_eq!((rule.standing, rule.times_seen), (Standing::Proposed, 3));
    assert_eq!(rule.content.provenance, Provenance::User);
    assert_eq!(recording.store.memories().evidence(rule.id).unwrap().len(), 3);
    says_in(&mut recording, "d", "Drop the old flag. Show the plan before you edit.");
    assert_eq!(recording.only(Kind::Rule).times_seen, 4, "said once more, it is counted");
    let noted = recording.store.rejections().of_session(recording.id()).unwrap();
    let noted: Vec<_> = noted.iter().map(|one| (one.reason.as_str(), one.detail.as_deref())).collect();
    let known = format!("#{}", rule.id);
    assert_eq!(noted, [("task_order", None), ("already_known", Some(known.as_str()))]);
}

#[test]
fn an_aside_beside_other_work_steers_in_any_language() {
    for asides in [
        ["Отвечай коротко и по-русски.", "отвечай коротко, по-русски", "Ответь коротко и по-русски"],
        [
            "Antworte kurz und auf Deutsch.",
            "antworte kurz, auf Deutsch",
            "Bitte antworte kurz und auf Deutsch",
        ],
    ] {
        let mut recording = Recording::new();
        let tasks =
            ["Add a retry to the uploader.", "Bound the queue of the worker.", "Rename the pool to fleet."];
        for ((task, aside), session) in tasks.iter().zip(asides).zip(["a", "b", "c"]) {
            says_in(&mut recording, session, &format!("{task} {aside}"));
        }
        let rule = recording.only(Kind::Rule);
        assert_eq!((rule.standing, rule.times_seen), (Standing::Proposed, 3), "{}", rule.content.title);
    }
}

#[test]
fn errands_and_templates_are_no_rules_however_often() {
    for errand in [
        "commit and push",
        "continue",
        "run the tests",
        "Create a pull request for this branch",
        "Review the changes of this branch. Report the three worst problems.",
    ] {
        let mut recording = Recording::new();
        for session in ["a", "b", "c", "d"] {
            says_in(&mut recording, session, errand);
        }
        assert_eq!(recording.of_kind(Kind::Rule), [], "{errand}");
    }
}
