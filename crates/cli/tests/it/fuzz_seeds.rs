//! The seeds of every fuzz target run through it, as the fuzzing engine would: what was once found stays mended (S16).

#[path = "../../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "public for the fuzzing engine")]
mod targets;

use crate::support::bar;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn every_seed_runs_through_its_target() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    assert_eq!(fs::read_dir(&seeds).unwrap().count(), targets::TARGETS.len(), "each target has seeds");
    let (mut ran, mut longest) = (0, Duration::ZERO);
    for (name, target) in targets::TARGETS {
        for seed in fs::read_dir(seeds.join(name)).unwrap() {
            let seed = seed.unwrap().path();
            let bytes = fs::read(&seed).unwrap();
            let begun = Instant::now();
            println!("{}", seed.display());
            target(&bytes);
            longest = longest.max(begun.elapsed());
            ran += 1;
        }
    }
    bar(
        "S16",
        format_args!("{ran} seeds through {} targets, the longest {longest:.0?}", targets::TARGETS.len()),
    );
}
