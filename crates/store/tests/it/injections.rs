//! What a session has in view, what it used, and what it begins with.

use crate::kit::{DAY, KEEP, NOW, arrival, injection, of_kind, receipt};
use crate::test_store::TestStore;
use backstory_memory::{
    Confidence, Content, Injection, Kind, MemoryId, MemoryScope, Moment, Provenance, SessionId, Tokens,
};
use backstory_store::{ImpressionKind, Receipt, UseKind};

/// Law 5.
#[test]
fn a_context_window_holds_what_was_injected_since_it_began() {
    let mut store = TestStore::new();
    let (one, other) = (store.note("one", ""), store.note("other", ""));
    let (session, stranger) = (store.session("s"), store.session("t"));
    store.inject(session, &[one], NOW);
    let in_context =
        |store: &TestStore, session| store.injections().context_window(session).unwrap().memories;
    assert_eq!((in_context(&store, session), in_context(&store, stranger)), ([one].into(), [].into()));
    store.injections_mut().begin_context(session, NOW.plus_ms(DAY)).unwrap();
    assert_eq!(in_context(&store, session), [].into());
    assert_eq!(store.injections().context_window(session).unwrap().started_at, Some(NOW.plus_ms(DAY)));
    store.inject(session, &[one, other], NOW.plus_ms(DAY));
    // A memory that changed since is no longer in the context.
    let changed = format!("UPDATE memories SET updated_at_ms = {} WHERE id = {one}", NOW.plus_ms(2 * DAY).0);
    store.raw().execute_batch(&changed).unwrap();
    assert_eq!(in_context(&store, session), [other].into());
    assert_eq!(in_context(&store, SessionId(99)), [].into());
}

#[test]
fn the_text_of_a_session_start_can_be_read_until_its_context_ends() {
    let mut store = TestStore::new();
    let (id, session) = (store.note("one", ""), store.session("s"));
    let start_text = |store: &TestStore, since| {
        store.injections().session_start_text(session, since).unwrap().map(|(text, tokens)| (text, tokens.0))
    };
    assert_eq!(start_text(&store, NOW), None);
    for (moment, text) in [(Moment::SessionStart, "block"), (Moment::Prompt, "later")] {
        let injection = injection(store.project(), session, &[id], NOW);
        let injection = Injection { moment, text: text.to_owned(), tokens: Tokens(7), ..injection };
        store.injections_mut().record(&injection).unwrap();
    }
    assert_eq!(start_text(&store, NOW), Some(("block".to_owned(), 7)));
    assert_eq!(start_text(&store, NOW.plus_ms(1)), None, "it was injected before that");
    store.injections_mut().begin_context(session, NOW).unwrap();
    assert_eq!(start_text(&store, NOW), None, "that was another context");
}

/// A memory that was injected into two sessions, one after the other.
fn injected_into_two(store: &mut TestStore) -> (MemoryId, [SessionId; 2]) {
    let id = store.remember(of_kind(Kind::Fact, "gotcha"));
    let sessions = ["s", "t"].map(|name| store.session(name));
    sessions.iter().for_each(|session| store.inject(*session, &[id], NOW));
    (id, sessions)
}

fn unused(store: &TestStore, session: SessionId) -> Vec<MemoryId> {
    store.injections().unused_in_session(session).unwrap()
}

#[test]
fn a_use_counts_once_and_for_the_session_of_the_injection() {
    let mut store = TestStore::new();
    let (id, [session, other]) = injected_into_two(&mut store);
    assert_eq!(unused(&store, session), [id]);
    store.injections_mut().mark_used_in_session(session, &[id], UseKind::FixApplied, NOW).unwrap();
    assert_eq!((unused(&store, session), unused(&store, other)), (vec![], vec![id]));
    assert_eq!(store.memory(id).times_used, 1);
    assert_eq!(store.number("SELECT count(*) FROM injected WHERE used_how = 'fix_applied'"), 1);
    // Injected again in the same session, it has been used already.
    store.inject(session, &[id], NOW);
    assert_eq!(unused(&store, session), []);
}

/// The same file may be edited for any reason: that is kept, and reinforces nothing.
#[test]
fn an_edit_of_its_file_touches_a_memory_and_does_not_use_it() {
    let mut store = TestStore::new();
    let (id, [session, _]) = injected_into_two(&mut store);
    store.injections_mut().mark_used_in_session(session, &[id], UseKind::FileEdited, NOW).unwrap();
    assert_eq!((unused(&store, session), store.memory(id).times_used), (vec![id], 0));
    let usefulness = store.injections().usefulness().unwrap();
    let counts: Vec<_> = usefulness.iter().map(|of| (of.injected, of.used, of.touched)).collect();
    assert_eq!(counts, [(2, 0, 1)]);
    store.injections_mut().mark_used_in_session(session, &[id], UseKind::FixApplied, NOW).unwrap();
    assert_eq!(unused(&store, session), [], "what was touched may still be used");
}

/// A fetch names no session: the last one that had the memory injected gets the use.
#[test]
fn a_fetched_memory_counts_as_used_by_the_session_it_was_injected_into_last() {
    let mut store = TestStore::new();
    let (id, [earlier, later]) = injected_into_two(&mut store);
    store.injections_mut().mark_used(&[id], UseKind::Fetched, NOW).unwrap();
    assert_eq!((unused(&store, earlier), unused(&store, later)), (vec![id], vec![]));
    let usefulness = store.injections().usefulness().unwrap();
    let counts: Vec<_> = usefulness.iter().map(|of| (of.section.as_str(), of.injected, of.used)).collect();
    assert_eq!(counts, [("relevant", 2, 1)]);
}

/// An agent that writes a memory and fetches it does not confirm it, whatever the clock of either said.
#[test]
fn a_memory_is_older_than_a_session_by_arrival_not_by_the_clock() {
    let mut store = TestStore::new();
    let project = store.project();
    let said = |title: &str| Content { provenance: Provenance::Assistant, ..of_kind(Kind::Fact, title) };
    let before = store.remember_at(project, said("written by a clock that was ahead"), NOW.plus_ms(DAY));
    let session = store.session("s");
    let own = store.remember_at(project, said("written by a clock that went back"), NOW.plus_ms(-DAY));
    store.injections_mut().record_fetch(&[before, own], 7, NOW).unwrap();
    store.injections_mut().assign_fetch(7, session).unwrap();
    assert_eq!(store.injections().fetched_in_session(session).unwrap(), [before]);
}

/// R15: nothing grows without bound.
#[test]
fn old_injections_are_removed_texts_first() {
    let mut store = TestStore::new();
    let (id, session) = (store.remember(of_kind(Kind::Fact, "gotcha")), store.session("s"));
    for _ in 0..3 {
        store.inject(session, &[id], NOW);
    }
    // As if thousands had come between.
    for (between, kept) in [(1_000, [1, 4, 4]), (10_000, [1, 1, 1])] {
        let skip = format!("UPDATE sqlite_sequence SET seq = seq + {between} WHERE name = 'injections'");
        store.raw().execute_batch(&skip).unwrap();
        store.inject(session, &[id], NOW);
        store.maintain(KEEP, NOW);
        let count = |table| store.number(&format!("SELECT count(*) FROM {table}"));
        assert_eq!(["injection_texts", "injections", "injected"].map(count), kept);
    }
    assert_eq!(store.injections().impressions(&[id]).unwrap()[&id].total, 5, "what is counted stays");
}

#[test]
fn a_session_begins_with_the_pinned_the_newest_and_the_surest() {
    let mut store = TestStore::new();
    let (here, there) = (store.project(), store.project_at("/home/u/two"));
    let mut at = NOW;
    let mut add = |store: &mut TestStore, project, content| {
        at = at.plus_ms(1000);
        store.remember_at(project, content, at)
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
    let surest = |kinds: &[Kind], most| store.search().most_confident(here, kinds, most).unwrap();
    assert_eq!(surest(&[Kind::Decision], 9), [certain, of_the_user, likely], "not #{doubted} nor #{foreign}");
    assert_eq!(surest(&[Kind::Decision], 1), [certain]);
    assert_eq!(surest(&[Kind::Rule], 9), []);
    let newest = |kinds: &[Kind], most| store.search().newest_of_kinds(here, kinds, most).unwrap();
    assert_eq!(newest(&[Kind::Feature, Kind::Bugfix], 9), [fixed, new, old]);
    assert_eq!(newest(&[Kind::Feature, Kind::Bugfix], 2), [fixed, new]);
    assert_eq!(newest(&[Kind::Handoff], 2), []);
}

#[test]
fn rules_are_those_of_the_project_and_of_the_user() {
    let mut store = TestStore::new();
    let (here, there) = (store.project(), store.project_at("/home/u/two"));
    let everywhere = |title: &str| Content { scope: MemoryScope::User, ..of_kind(Kind::Rule, title) };
    let local = store.remember_at(here, of_kind(Kind::Rule, "local"), NOW);
    let mine = store.remember_at(here, everywhere("mine"), NOW.plus_ms(1));
    let far = store.remember_at(there, everywhere("far"), NOW.plus_ms(2));
    store.remember_at(there, of_kind(Kind::Rule, "of another project"), NOW.plus_ms(3));
    assert_eq!(store.search().rules(here, 9).unwrap(), [mine, local, far]);
}

/// However often it was shown without use, a memory is found: what nobody acts on may still be the rule that holds.
#[test]
fn what_nobody_uses_is_still_found() {
    let mut store = TestStore::new();
    let project = store.project();
    let plain = store.remember(of_kind(Kind::Rule, "plain"));
    for _ in 0..40 {
        store.injections_mut().record_impressions(&[plain], ImpressionKind::Injected, NOW).unwrap();
    }
    assert_eq!(store.search().most_confident(project, &[Kind::Rule], 9).unwrap(), [plain]);
    assert_eq!(store.search().newest_of_kinds(project, &[Kind::Rule], 9).unwrap(), [plain]);
}

#[test]
fn an_injection_completes_the_receipt_of_its_hook() {
    let mut store = TestStore::new();
    let receipt = receipt("Prompt");
    let proof = store.events_mut().record_with_receipt(&arrival("s", 1), &receipt).unwrap().receipt;
    let session = store.sessions().find("test", "s").unwrap().unwrap();
    let injection = injection(session.project, session.id, &[], NOW);
    let completed =
        Receipt { bytes_out: 80, outcome: "kept, gave".into(), duration_us: 9, ..receipt.clone() };
    store.injections_mut().record_with_receipt(&injection, &completed, proof).unwrap();
    assert_eq!(store.injections().receipts(9).unwrap(), std::slice::from_ref(&completed));
    store.injections_mut().record_with_receipt(&injection, &completed, None).unwrap();
    assert_eq!(store.injections().receipts(9).unwrap(), [completed.clone(), completed]);
}
