//! Looking for damage: rot that SQLite does not see, a broken word index, a schema that is not ours (R12).

use crate::kit::{any_of, bar, everywhere};
use crate::test_store::{TestHome, grep, raw};
use backstory_memory::MemoryId;
use backstory_store::{CheckDepth, Purpose};
use std::fs;

/// R12.
#[test]
fn every_row_with_a_flipped_byte_is_named_and_no_other() {
    let test = TestHome::new();
    test.open().fill(150);
    let mut bytes = fs::read(test.database()).unwrap();
    let rotten: Vec<MemoryId> = (0..150).filter(|n| n % 3 != 1).map(|n| MemoryId(n + 1)).collect();
    for MemoryId(id) in &rotten {
        let body = format!("runs on  body{}x", id - 1).into_bytes();
        let places: Vec<usize> =
            (0..bytes.len() - body.len()).filter(|at| bytes[*at..].starts_with(&body)).collect();
        assert_eq!(places.len(), 1, "the text stands in the file once");
        bytes[places[0]] ^= 1;
    }
    fs::write(test.database(), bytes).unwrap();
    for purpose in [Purpose::Read, Purpose::Hook] {
        let report = test.open_for(purpose).upkeep().check(CheckDepth::Full).unwrap();
        assert_eq!((rotten.len(), &report.damaged, report.checked), (100, &rotten, 150));
        assert!(report.file.is_empty() && !report.is_sound(), "SQLite sees nothing: {report:?}");
        bar("R12", format_args!("{} of {} rotten rows named", report.damaged.len(), rotten.len()));
    }
}

#[test]
fn a_sound_store_is_called_sound_however_it_is_opened() {
    let test = TestHome::new();
    test.open().fill(20);
    for purpose in [Purpose::Command, Purpose::Hook, Purpose::Read] {
        for depth in [CheckDepth::Quick, CheckDepth::Full] {
            let report = test.open_for(purpose).upkeep().check(depth).unwrap();
            assert!(report.is_sound(), "{purpose:?} {depth:?} {report:?}");
        }
    }
}

#[test]
fn a_broken_word_index_is_reported_apart_from_the_file_and_rebuilt() {
    let breakages = [
        "DELETE FROM memory_words_data WHERE id > 10",
        "UPDATE memory_words_data SET block = x'00ff00ff00ff' WHERE id > 10",
        "DELETE FROM memory_words_data",
        "DELETE FROM memory_words_docsize WHERE id = 3",
        "UPDATE memory_words_docsize SET id = 99 WHERE id = 3",
        "DELETE FROM memory_words_config",
        "INSERT INTO memory_words (memory_words) VALUES ('delete-all')",
    ];
    for breakage in breakages {
        let test = TestHome::new();
        test.open().fill(30);
        raw(&test).execute_batch(breakage).unwrap();
        let mut store = test.hook();
        let report = store.check();
        assert_eq!(report.file, Vec::<String>::new(), "{breakage}");
        assert!(report.words.is_some(), "{breakage}");
        let mut steps = Vec::new();
        assert_eq!(store.upkeep_mut().rebuild_word_index(|done| steps.push(done)).unwrap(), 30, "{breakage}");
        assert_eq!(steps.len(), 30);
        assert!(store.check().is_sound(), "{breakage}");
        let hits = store.search().exact(&any_of(&["body7x"]), &everywhere()).unwrap();
        assert_eq!(hits.len(), 1, "{breakage}");
        // It is as careful with what is forgotten as the first one was.
        let id = store.note("secret", "zyxquux");
        store.forget(&[id]);
        drop(store);
        assert_eq!(grep(test.root(), "zyxquux"), vec![], "{breakage}");
    }
}

#[test]
fn a_schema_that_is_not_ours_is_named() {
    let test = TestHome::new();
    drop(test.open());
    raw(&test).execute_batch("DROP INDEX anchors_by_path; CREATE TABLE stranger (x)").unwrap();
    let report = test.open().check();
    assert_eq!(
        report.schema,
        ["index anchors_by_path is missing or different", "table stranger is not ours"]
    );
    assert!(!report.is_sound());
}

#[test]
fn a_row_that_cannot_be_read_is_damaged_and_does_not_hide_the_others() {
    let test = TestHome::new();
    test.open().fill(5);
    let spoil = "UPDATE memories SET facts = 'no list' WHERE id = 2; UPDATE memories SET checksum = x'00' WHERE id = 4";
    raw(&test).execute_batch(spoil).unwrap();
    let report = test.open().check();
    assert_eq!(report.damaged, [MemoryId(2), MemoryId(4)]);
}
