//! What a session has in view, what it used, and what it begins with.

use crate::kit::{DAY, KEEP, NOW, TestHome, arrival, draft, injection, number, project, raw};
use backstory_memory::{
    Confidence, Content, Injection, Kind, MemoryId, MemoryScope, Moment, ProjectId, SessionId, Timestamp,
    Tokens,
};
use backstory_store::{ImpressionKind, MemoryOrigin, NewMemory, Receipt, Store, UseKind};

fn write(store: &mut Store, project: ProjectId, content: Content, at: Timestamp) -> MemoryId {
    let memory = NewMemory { uid: None, project, origin: MemoryOrigin::default(), content, created_at: at };
    store.memories_mut().remember(&memory).unwrap()
}

fn of_kind(kind: Kind, title: &str) -> Content {
    Content { kind, ..draft(title, title) }
}

/// Law 5.
#[test]
fn a_session_has_in_view_what_it_was_given_until_its_context_begins_anew() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let (one, other) = (of_kind(Kind::Decision, "one"), of_kind(Kind::Decision, "other"));
    let (one, other) = (write(&mut store, project, one, NOW), write(&mut store, project, other, NOW));
    let session = store.sessions_mut().find_or_create(project, "test", "s", NOW).unwrap();
    let stranger = store.sessions_mut().find_or_create(project, "test", "t", NOW).unwrap();
    store.injections_mut().record(&injection(project, session, &[one], NOW)).unwrap();
    let given = |store: &Store, session| store.injections().context_window(session).unwrap().memories;
    assert_eq!((given(&store, session), given(&store, stranger)), ([one].into(), [].into()));
    store.injections_mut().begin_context(session, NOW.plus_ms(DAY)).unwrap();
    assert_eq!(given(&store, session), [].into());
    assert_eq!(store.injections().context_window(session).unwrap().started_at, Some(NOW.plus_ms(DAY)));
    store.injections_mut().record(&injection(project, session, &[one, other], NOW.plus_ms(DAY))).unwrap();
    // What changed is news; what it was before does not count.
    raw(&test.home)
        .execute("UPDATE memories SET updated_at_ms = ?2 WHERE id = ?1", [one.0, NOW.plus_ms(2 * DAY).0])
        .unwrap();
    assert_eq!(given(&store, session), [other].into());
    assert_eq!(given(&store, SessionId(99)), [].into());
}

#[test]
fn what_a_session_was_told_as_it_began_can_be_told_again() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let id = write(&mut store, project, of_kind(Kind::Decision, "one"), NOW);
    let session = store.sessions_mut().find_or_create(project, "test", "s", NOW).unwrap();
    let told = |store: &Store, since| {
        store.injections().session_start_text(session, since).unwrap().map(|(text, tokens)| (text, tokens.0))
    };
    assert_eq!(told(&store, NOW), None);
    for (moment, text) in [(Moment::SessionStart, "block"), (Moment::Prompt, "later")] {
        let injection = injection(project, session, &[id], NOW);
        let injection = Injection { moment, text: text.to_owned(), tokens: Tokens(7), ..injection };
        store.injections_mut().record(&injection).unwrap();
    }
    assert_eq!(told(&store, NOW), Some(("block".to_owned(), 7)));
    assert_eq!(told(&store, NOW.plus_ms(1)), None, "it was told before that");
    store.injections_mut().begin_context(session, NOW).unwrap();
    assert_eq!(told(&store, NOW), None, "that was another context");
}

#[test]
fn a_use_counts_for_the_session_that_was_given_it_and_only_once() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let id = write(&mut store, project, of_kind(Kind::Fact, "gotcha"), NOW);
    let sessions =
        ["s", "t"].map(|name| store.sessions_mut().find_or_create(project, "test", name, NOW).unwrap());
    for session in sessions {
        store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    }
    let [session, other] = sessions;
    assert_eq!(store.injections().unused_in_session(session).unwrap(), [id]);
    store.injections_mut().mark_used_in_session(session, &[id], UseKind::FileEdited, NOW).unwrap();
    assert_eq!(
        (
            store.injections().unused_in_session(session).unwrap(),
            store.injections().unused_in_session(other).unwrap()
        ),
        (vec![], vec![id])
    );
    assert_eq!(store.memories().get(id).unwrap().unwrap().times_used, 1);
    let used = "SELECT count(*) FROM injected WHERE used_how = 'file_edited'";
    assert_eq!(number(&raw(&test.home), used), 1);
    // Injected again in the same session, it has been used already.
    store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    assert_eq!(store.injections().unused_in_session(session).unwrap(), []);
}

/// Who fetches a memory does not say from where; the session that was given it last is taken for it, and no earlier one.
#[test]
fn what_is_fetched_was_of_use_to_the_session_that_was_given_it_last() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let id = write(&mut store, project, of_kind(Kind::Fact, "gotcha"), NOW);
    let [earlier, later] =
        ["s", "t"].map(|name| store.sessions_mut().find_or_create(project, "test", name, NOW).unwrap());
    for session in [earlier, later] {
        store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    }
    store.injections_mut().mark_used(&[id], UseKind::Fetched, NOW).unwrap();
    assert_eq!(
        (
            store.injections().unused_in_session(earlier).unwrap(),
            store.injections().unused_in_session(later).unwrap()
        ),
        (vec![id], vec![])
    );
    let usefulness = store.injections().usefulness().unwrap();
    let told: Vec<_> = usefulness.iter().map(|of| (of.section.as_str(), of.injected, of.used)).collect();
    assert_eq!(told, [("relevant", 2, 1)]);
}

/// R15: nothing grows without bound.
#[test]
fn what_was_told_long_ago_is_thrown_away_words_first() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let id = write(&mut store, project, of_kind(Kind::Fact, "gotcha"), NOW);
    let session = store.sessions_mut().find_or_create(project, "test", "s", NOW).unwrap();
    for _ in 0..3 {
        store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    }
    // As if thousands had come between.
    let later = |by: i64| format!("UPDATE sqlite_sequence SET seq = seq + {by} WHERE name = 'injections'");
    let count = |what: &str| number(&raw(&test.home), &format!("SELECT count(*) FROM {what}"));
    raw(&test.home).execute_batch(&later(1_000)).unwrap();
    store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    assert_eq!((count("injection_texts"), count("injections"), count("injected")), (1, 4, 4));
    raw(&test.home).execute_batch(&later(10_000)).unwrap();
    store.injections_mut().record(&injection(project, session, &[id], NOW)).unwrap();
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    assert_eq!((count("injection_texts"), count("injections"), count("injected")), (1, 1, 1));
    assert_eq!(store.injections().impressions(&[id]).unwrap()[&id].total, 5, "what is counted stays");
}

#[test]
fn a_session_begins_with_the_pinned_the_newest_and_the_surest() {
    let test = TestHome::new();
    let mut store = test.open();
    let (here, there) = (project(&mut store, "/home/u/one"), project(&mut store, "/home/u/two"));
    let mut at = NOW;
    let mut add = |store: &mut Store, project, content| {
        at = at.plus_ms(1000);
        write(store, project, content, at)
    };
    let sure = |title: &str, confidence| Content {
        confidence: Confidence::new(confidence),
        ..of_kind(Kind::Decision, title)
    };
    let doubted = add(&mut store, here, sure("doubted", 0.4));
    let likely = add(&mut store, here, sure("likely", 0.6));
    let certain = add(&mut store, here, sure("certain", 1.0));
    let of_the_user =
        add(&mut store, there, Content { scope: MemoryScope::User, ..sure("of the user", 0.9) });
    let pinned = add(&mut store, here, Content { pinned: true, ..of_kind(Kind::Note, "pinned") });
    let foreign = add(&mut store, there, Content { pinned: true, ..sure("foreign", 1.0) });
    let [old, new] = ["old", "new"].map(|title| add(&mut store, here, of_kind(Kind::Feature, title)));
    let fixed = add(&mut store, here, of_kind(Kind::Bugfix, "fixed"));
    assert_eq!(store.search().pinned(here, 9).unwrap(), [pinned]);
    assert_eq!(
        store.search().most_confident(here, 9).unwrap(),
        [certain, of_the_user, likely],
        "not #{doubted} nor #{foreign}"
    );
    assert_eq!(store.search().most_confident(here, 1).unwrap(), [certain]);
    assert_eq!(
        store.search().newest_of_kinds(here, &[Kind::Feature, Kind::Bugfix], 9).unwrap(),
        [fixed, new, old]
    );
    assert_eq!(
        store.search().newest_of_kinds(here, &[Kind::Feature, Kind::Bugfix], 2).unwrap(),
        [fixed, new]
    );
    assert_eq!(store.search().newest_of_kinds(here, &[Kind::Handoff], 2).unwrap(), []);
}

/// Shown again and again without use, a memory leaves what is given unasked; pinned it stays, used it comes back.
#[test]
fn what_nobody_uses_fades_out() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let content =
        Content { confidence: Confidence::CERTAIN, pinned: true, ..of_kind(Kind::Decision, "pinned") };
    let pinned = write(&mut store, project, content, NOW);
    let plain = Content { confidence: Confidence::CERTAIN, ..of_kind(Kind::Decision, "plain") };
    let plain = write(&mut store, project, plain, NOW);
    let known = |store: &Store| {
        let surest = store.search().most_confident(project, 9).unwrap().contains(&plain);
        let newest = store.search().newest_of_kinds(project, &[Kind::Decision], 9).unwrap().contains(&plain);
        (surest, newest, store.search().unfaded(&[plain]).unwrap() == [plain])
    };
    for _ in 0..11 {
        store.injections_mut().record_impressions(&[plain, pinned], ImpressionKind::Injected, NOW).unwrap();
    }
    assert_eq!(known(&store), (true, true, true));
    store.injections_mut().record_impressions(&[plain, pinned], ImpressionKind::Injected, NOW).unwrap();
    assert_eq!(known(&store), (false, false, false));
    assert_eq!(store.search().pinned(project, 9).unwrap(), [pinned]);
    store.injections_mut().mark_used(&[plain], UseKind::Fetched, NOW).unwrap();
    assert_eq!(known(&store), (true, true, true));
}

#[test]
fn a_receipt_is_completed_by_what_was_given() {
    let test = TestHome::new();
    let mut store = test.open();
    let receipt = Receipt {
        host: "test".into(),
        event: "Prompt".into(),
        at: NOW,
        duration_us: 1,
        bytes_in: 2,
        bytes_out: 0,
        outcome: "kept".into(),
        missing_fields: Vec::new(),
    };
    let proof = store.events_mut().record_with_receipt(&arrival("s", 1), &receipt).unwrap().receipt;
    let session = store.sessions().find("test", "s").unwrap().unwrap();
    let injection = injection(session.project, session.id, &[], NOW);
    let given = Receipt { bytes_out: 80, outcome: "kept, gave".into(), duration_us: 9, ..receipt.clone() };
    store.injections_mut().record_with_receipt(&injection, &given, proof).unwrap();
    assert_eq!(store.injections().receipts(9).unwrap(), std::slice::from_ref(&given));
    store.injections_mut().record_with_receipt(&injection, &given, None).unwrap();
    assert_eq!(store.injections().receipts(9).unwrap(), [given.clone(), given]);
}
