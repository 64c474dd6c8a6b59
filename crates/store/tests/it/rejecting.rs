//! What writers turned down: noted once, asked for within a scope, gone in time and when it is forgotten.

use crate::kit::{DAY, KEEP, NOW, arrival_saying};
use crate::test_store::{TestStore, grep};
use backstory_memory::{EventId, Kind, ProjectId, Redacted, RejectionReason, SessionId, WantedWords, Writer};
use backstory_store::{NewRejection, RecordOutcome, Rejection, Scope};

fn turned_down(project: ProjectId, text: &str, reason: RejectionReason) -> NewRejection {
    NewRejection {
        project,
        session: None,
        event: None,
        at: NOW,
        writer: Writer::Rules,
        kind: Kind::Rule,
        text: Redacted::vouch(text.to_owned()),
        reason,
        detail: None,
    }
}

fn matching(store: &TestStore, words: &str, scope: Scope) -> Vec<Rejection> {
    store.rejections().matching(&WantedWords::new(words), scope).unwrap()
}

/// Records an event of the session `s` and that its words were turned down.
fn say_and_turn_down(store: &mut TestStore, text: &str) -> (SessionId, EventId) {
    let RecordOutcome::Stored(event) = store.record(&arrival_saying("s", text, NOW)) else { panic!() };
    let (project, session) = (store.project(), store.session("s"));
    let rejection = NewRejection {
        session: Some(session),
        event: Some(event),
        ..turned_down(project, text, RejectionReason::TaskOrder)
    };
    store.rejections_mut().record(&[rejection]).unwrap();
    (session, event)
}

#[test]
fn every_reason_is_stored_and_read_back() {
    let mut store = TestStore::new();
    let project = store.project();
    let all = RejectionReason::ALL;
    let list: Vec<_> = all.iter().map(|reason| turned_down(project, reason.as_str(), *reason)).collect();
    store.rejections_mut().record(&list).unwrap();
    for reason in all {
        let found = matching(&store, reason.as_str(), Scope::Project(project));
        assert!(found.iter().any(|rejection| rejection.reason == *reason), "{reason}");
    }
}

#[test]
fn the_same_text_of_a_session_is_noted_once_with_the_last_reason() {
    let mut store = TestStore::new();
    let (session, event) = say_and_turn_down(&mut store, "rename the worker to dispatcher");
    let project = store.project();
    let again = NewRejection {
        session: Some(session),
        event: Some(event),
        detail: Some(Redacted::vouch("AGENTS.md".to_owned())),
        ..turned_down(project, "rename the worker to dispatcher", RejectionReason::InProjectFile)
    };
    store.rejections_mut().record(&[again.clone(), again.clone()]).unwrap();
    // Another writer decides for itself.
    store.rejections_mut().record(&[NewRejection { writer: Writer::Model, ..again }]).unwrap();
    let noted: Vec<_> = store.rejections().of_session(session).unwrap();
    let noted: Vec<_> = noted.into_iter().map(|one| (one.writer, one.reason, one.detail)).collect();
    let detail = Some("AGENTS.md".to_owned());
    assert_eq!(
        noted,
        [
            (Writer::Rules, RejectionReason::InProjectFile, detail.clone()),
            (Writer::Model, RejectionReason::InProjectFile, detail)
        ]
    );
}

#[test]
fn law_8_what_was_turned_down_in_another_project_is_not_shown() {
    let mut store = TestStore::new();
    let (here, there) = (store.project(), store.project_at("/home/u/two"));
    let secretive = turned_down(there, "rotate the staging keys", RejectionReason::TaskOrder);
    store.rejections_mut().record(&[secretive]).unwrap();
    assert_eq!(matching(&store, "staging keys", Scope::Project(here)), []);
    assert_eq!(matching(&store, "staging keys", Scope::Project(there)).len(), 1);
    assert_eq!(matching(&store, "staging keys", Scope::Everywhere).len(), 1);
    // Projects that become one share it.
    store.projects_mut().merge(there, here).unwrap();
    assert_eq!(matching(&store, "staging keys", Scope::Project(here)).len(), 1);
}

#[test]
fn what_was_turned_down_is_forgotten_by_its_words_and_with_its_event() {
    let mut store = TestStore::new();
    let (session, event) = say_and_turn_down(&mut store, "the zyxquux ships on monday");
    store.events_mut().forget(&[event], NOW).unwrap();
    assert_eq!(store.rejections().of_session(session).unwrap(), []);
    let project = store.project();
    let loose = turned_down(project, "zyxquux never ships on friday", RejectionReason::Proposal);
    store.rejections_mut().record(&[loose]).unwrap();
    assert_eq!(store.memories().containing("never ships on friday").unwrap().rejections, 1);
    store.back_up();
    store.memories_mut().forget_text("never ships on friday", NOW).unwrap();
    assert_eq!(matching(&store, "zyxquux", Scope::Everywhere), []);
    let home = store.close();
    assert_eq!(grep(home.root(), "zyxquux"), []);
}

#[test]
fn what_was_turned_down_is_kept_as_long_as_events() {
    let mut store = TestStore::new();
    store.maintain(KEEP, NOW);
    let (session, _) = say_and_turn_down(&mut store, "move the fixtures");
    let project = store.project();
    // A model's note may rest on no single event.
    store
        .rejections_mut()
        .record(&[turned_down(project, "a loose note", RejectionReason::NoEvidence)])
        .unwrap();
    for day in 1..=40 {
        store.maintain(KEEP, NOW.plus_ms(day * DAY));
        let kept = store.rejections().of_session(session).unwrap().len()
            + matching(&store, "loose note", Scope::Project(project)).len();
        match day {
            ..30 => assert_eq!(kept, 2, "on day {day}"),
            32.. => assert_eq!(kept, 0, "on day {day}"),
            _ => {}
        }
    }
}
