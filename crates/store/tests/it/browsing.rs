//! Lists for the viewer: by when something was written, page by page, whatever happens meanwhile.

use crate::kit::{DAY, NOW, arrival, draft};
use crate::test_store::{TestHome, TestStore};
use backstory_memory::{Kind, MemoryId, ProjectId, Timestamp};
use backstory_store::PageRequest;

/// Writes a memory that is said to be so many days old.
fn written(store: &mut TestStore, project: ProjectId, text: &str, days_old: i64) -> i64 {
    store.remember_at(project, draft(text, text), NOW.plus_ms(-days_old * DAY)).0
}

fn ids(store: &TestStore, page: &PageRequest) -> Vec<i64> {
    store.browse().memories(page).unwrap().into_iter().map(|row| row.id.0).collect()
}

#[test]
fn a_list_is_ordered_by_when_something_was_written_and_goes_on_after_a_row_that_is_gone() {
    let mut store = TestStore::new();
    let (one, other) = (store.project(), store.project_at("/home/u/other"));
    // An imported memory has a high id and is old all the same.
    let middle = written(&mut store, one, "in the middle", 5);
    let newest = written(&mut store, one, "the newest", 1);
    let oldest = written(&mut store, one, "imported last, written first", 9);
    let elsewhere = written(&mut store, other, "elsewhere", 3);
    let page = |project, before| PageRequest { project, before, limit: 2, ..PageRequest::default() };
    assert_eq!(ids(&store, &page(None, None)), [newest, elsewhere]);
    assert_eq!(ids(&store, &page(None, Some(elsewhere))), [middle, oldest]);
    assert_eq!(ids(&store, &page(Some(one), Some(newest))), [middle, oldest]);
    let since = PageRequest {
        since: Some(Timestamp(NOW.0 - 6 * DAY)),
        until: Some(Timestamp(NOW.0 - 2 * DAY)),
        ..page(None, None)
    };
    assert_eq!(ids(&store, &since), [elsewhere, middle]);
    assert_eq!(
        ids(&store, &PageRequest { kinds: vec![Kind::Decision], ..page(None, None) }),
        Vec::<i64>::new()
    );
    // Same moment, twice: the number decides, and no row is listed twice or left out.
    let twin = written(&mut store, one, "at the same moment", 5);
    assert_eq!(ids(&store, &page(Some(one), Some(newest))), [twin, middle]);
    assert_eq!(ids(&store, &page(Some(one), Some(twin))), [middle, oldest]);
    store.forget(&[MemoryId(twin)]);
    assert_eq!(ids(&store, &page(Some(one), Some(twin))), [middle, oldest]);
}

#[test]
fn whoever_looks_for_changes_sees_what_others_write() {
    let home = TestHome::new();
    let mut writer = home.open();
    let reader = home.open();
    let before = (reader.browse().data_version().unwrap(), reader.browse().newest_ids().unwrap());
    assert_eq!(reader.browse().data_version().unwrap(), before.0, "nothing was written");
    writer.record(&arrival("s", 1));
    assert_ne!(reader.browse().data_version().unwrap(), before.0);
    assert_eq!(reader.browse().newest_ids().unwrap().event, before.1.event + 1);
}
