//! Events that could be kept nowhere are counted in a file that needs no more space (law 3).

use crate::kit::NOW;
use crate::test_store::TestHome;
use backstory_store::LossCounter;
use std::os::unix::fs::MetadataExt;

const DAY_MS: i64 = 86_400_000;

#[test]
fn law_3_losses_are_counted_in_place_and_announced_once() {
    let test = TestHome::new();
    drop(test.open());
    let file = test.root().join("losses");
    let taken =
        || file.metadata().map(|metadata| (metadata.len(), metadata.blocks(), metadata.ino())).unwrap();
    let before = taken();
    assert!(before.0 >= 4096 && before.1 > 0, "its place on the disk is taken: {before:?}");
    let counter = LossCounter::new(&test);
    assert_eq!(counter.read(NOW), None);
    counter.count(3, NOW).unwrap();
    counter.count(2, NOW.plus_ms(50)).unwrap();
    assert_eq!(taken(), before, "written over, not anew");
    let lost = counter.read(NOW.plus_ms(DAY_MS)).unwrap();
    assert_eq!((lost.events, lost.since, lost.last, lost.is_announced), (5, NOW, NOW.plus_ms(50), false));
    counter.mark_announced().unwrap();
    assert!(counter.read(NOW).unwrap().is_announced);
    counter.count(1, NOW.plus_ms(DAY_MS)).unwrap();
    let lost = counter.read(NOW.plus_ms(DAY_MS)).unwrap();
    assert_eq!((lost.events, lost.since, lost.is_announced), (6, NOW, false), "more was lost since");
    let later = NOW.plus_ms(40 * DAY_MS);
    assert_eq!(counter.read(later), None, "that was long ago");
    counter.count(1, later).unwrap();
    assert_eq!(counter.read(later).map(|lost| (lost.events, lost.since)), Some((1, later)));
}
