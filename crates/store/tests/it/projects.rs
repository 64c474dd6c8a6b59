//! Which project a folder belongs to, and what becomes of its memories when projects are renamed or merged.

use crate::kit::{NOW, arrival, draft, project_ref};
use crate::test_store::{TestStore, ask};
use backstory_memory::{ProjectKey, ProjectRef, Redacted};
use backstory_store::{Filter, Recognition, Scope};

fn seen(root: &str, keys: &[&str]) -> ProjectRef {
    let keys = keys.iter().map(|key| key.parse().unwrap()).collect();
    ProjectRef { keys, ..project_ref(root) }
}

#[test]
fn a_folder_met_again_is_the_same_project() {
    let mut store = TestStore::new();
    assert_eq!(store.projects().find(&project_ref("/home/u/one")).unwrap(), None);
    let one = store.project();
    assert_eq!(store.project(), one);
    assert_eq!(store.projects().find(&project_ref("/home/u/one")).unwrap(), Some(one));
    assert_ne!(store.project_at("/home/u/two"), one);
    let read = store.projects().get(one).unwrap().unwrap();
    assert_eq!((read.name.as_str(), read.roots), ("one", vec!["/home/u/one".to_owned()]));
    assert_eq!(read.keys, [ProjectKey::Path("/home/u/one".into())]);
}

#[test]
fn clones_share_a_project_and_each_folder_is_noted() {
    let mut store = TestStore::new();
    let first = seen("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]);
    let clone = seen("/b", &["remote:h/r", "birth:b", "path:/b", "commit:1"]);
    let id = store.project_of(first);
    assert_eq!(store.projects_mut().find_or_create(&Redacted::vouch(clone), NOW.plus_ms(1)).unwrap(), id);
    let read = store.projects().get(id).unwrap().unwrap();
    assert_eq!((read.roots, read.keys.len()), (vec!["/b".to_owned(), "/a".to_owned()], 6));
}

#[test]
fn the_place_belongs_to_who_stands_there_now() {
    let mut store = TestStore::new();
    let before = store.project_of(seen("/a", &["birth:a", "path:/a"]));
    let after = store.project_of(seen("/a", &["birth:b", "path:/a"]));
    assert_ne!(before, after);
    assert_eq!(store.projects().find(&seen("/a", &["path:/a"])).unwrap(), Some(after));
    assert_eq!(store.projects().get(before).unwrap().unwrap().roots, Vec::<String>::new());
}

#[test]
fn law_8_a_claim_without_proof_makes_a_project_of_its_own_until_the_user_answers() {
    let mut store = TestStore::new();
    let secret = store.project_of(seen("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]));
    let forged_ref = seen("/b", &["remote:h/r", "path:/b", "commit:2"]);
    assert_eq!(store.projects().recognise(&forged_ref).unwrap(), Recognition::Unknown);
    let forged = store.project_of(forged_ref.clone());
    assert_ne!(forged, secret);
    let pending: Vec<_> =
        store.projects().claims().unwrap().iter().map(|it| (it.project.id, it.claimed.id)).collect();
    assert_eq!(pending, [(forged, secret)]);
    let forged_ref = Redacted::vouch(forged_ref);
    assert_eq!(store.projects_mut().unlink(&forged_ref, NOW).unwrap(), forged, "it is alone already");
    assert_eq!(store.projects().claims().unwrap(), []);
    assert_eq!(store.project_of(forged_ref.clone().into_inner()), forged);
    store.projects_mut().link(&forged_ref, secret, NOW).unwrap();
    assert_eq!(store.project_of(forged_ref.clone().into_inner()), secret);
    assert_eq!(store.projects().get(secret).unwrap().unwrap().roots.len(), 2);
    let apart = store.projects_mut().unlink(&forged_ref, NOW).unwrap();
    assert!(apart != secret && apart != forged, "the old one keeps what it had");
    assert_eq!(store.project_of(forged_ref.into_inner()), apart);
    assert_eq!(store.projects().recognise(&seen("/a", &["path:/a"])).unwrap(), Recognition::Proven);
}

/// A file of another machine may name any path.
#[test]
fn an_imported_project_takes_no_place_of_another() {
    let mut store = TestStore::new();
    let here = store.project_of(seen("/a", &["remote:h/r", "path:/a"]));
    let imported = ProjectRef { root: String::new(), ..seen("/a", &["remote:h/s", "path:/a"]) };
    assert_ne!(store.project_of(imported), here);
    assert_eq!(store.projects().find(&seen("/a", &["remote:h/r", "path:/a"])).unwrap(), Some(here));
}

#[test]
fn projects_that_share_a_key_can_be_merged() {
    let mut store = TestStore::new();
    let one = store.project_of(seen("/a", &["remote:h/r", "path:/a"]));
    let two = store.project_of(seen("/b", &["remote:h/r", "path:/b"]));
    store.projects_mut().merge(two, one).unwrap();
    assert_eq!(store.project_of(seen("/b", &["remote:h/r", "path:/b"])), one);
    assert_eq!(store.projects().claims().unwrap(), []);
}

#[test]
fn a_submodule_knows_the_project_that_holds_it() {
    let mut store = TestStore::new();
    let outer = project_ref("/home/u/outer");
    let inner = ProjectRef { parent: Some(Box::new(outer.clone())), ..project_ref("/home/u/outer/inner") };
    let id = store.project_of(inner);
    let parent = store.projects().get(id).unwrap().unwrap().parent.unwrap();
    assert_eq!(store.projects().find(&outer).unwrap(), Some(parent));
}

#[test]
fn a_renamed_project_is_found_by_its_name_in_any_case() {
    let mut store = TestStore::new();
    let id = store.project();
    store.projects_mut().rename(id, &Redacted::vouch("Heron".into())).unwrap();
    let named: Vec<_> =
        store.projects().named("heron").unwrap().into_iter().map(|project| project.id).collect();
    assert_eq!(named, [id]);
    assert!(store.projects().named("one").unwrap().is_empty());
    assert_eq!(store.project(), id, "the folder is still the same project");
    assert_eq!(store.projects().get(id).unwrap().unwrap().name, "Heron", "and keeps its new name");
}

#[test]
fn merging_moves_everything_and_both_folders_are_one_project() {
    let mut store = TestStore::new();
    let into = store.project_at("/home/u/two");
    store.record(&arrival("s", 1));
    let from = store.project();
    let inner =
        ProjectRef { parent: Some(Box::new(project_ref("/home/u/one"))), ..project_ref("/home/u/one/inner") };
    let inner = store.project_of(inner);
    let id = store.remember_in(from, draft("a", "b"));
    store.projects_mut().merge(from, into).unwrap();
    assert_eq!(store.search().list(&Filter::within(Scope::Project(into))).unwrap(), [id]);
    assert_eq!(store.project(), into);
    assert!(store.projects().get(from).unwrap().is_none());
    assert_eq!(store.projects().get(inner).unwrap().unwrap().parent, Some(into));
    let summaries = store.projects().list().unwrap();
    let summary = summaries.iter().find(|summary| summary.project.id == into).unwrap();
    assert_eq!((summary.memories, summary.sessions, summary.last_active_at), (1, 1, Some(NOW)));
    assert_eq!(ask(store.home(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn a_project_merged_into_itself_or_into_nothing_is_left_alone() {
    let mut store = TestStore::new();
    let one = store.project();
    store.projects_mut().merge(one, one).unwrap();
    assert_eq!(store.project(), one);
    store.projects_mut().merge(one, backstory_memory::ProjectId(99)).unwrap_err();
    assert_eq!(store.projects().find(&project_ref("/home/u/one")).unwrap(), Some(one));
}
