//! Events that could be kept nowhere are counted in a file that needs no more space (law 3).

use crate::kit::NOW;
use crate::test_store::TestHome;
use backstory_platform::FileIdentity;
use backstory_store::LossCounter;
use std::path::Path;

const DAY_MS: i64 = 86_400_000;

/// Whether a file is more than a hole.
#[cfg(unix)]
fn takes_place(file: &Path) -> bool {
    std::os::unix::fs::MetadataExt::blocks(&file.metadata().unwrap()) > 0
}

/// A file has no holes on Windows unless one asks for them.
#[cfg(windows)]
fn takes_place(file: &Path) -> bool {
    file.is_file()
}

#[test]
fn law_3_losses_are_counted_in_place_and_announced_once() {
    let test = TestHome::new();
    drop(test.open());
    let file = test.root().join("losses");
    let taken = || (file.metadata().unwrap().len(), FileIdentity::from_path(&file).unwrap());
    let before = taken();
    assert!(before.0 >= 4096 && takes_place(&file), "its place on the disk is taken: {before:?}");
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
