//! The seeds of every fuzz target run through it, as the fuzzing engine would, and so do seeds that were damaged: what was once found
//! stays mended, and the simplest of what a search would find is found here (S16).

#[path = "../../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "public for the fuzzing engine")]
mod targets;

use crate::support::{bar, size};
use backstory_testkit::Corpus;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}

#[test]
fn every_seed_runs_through_its_target() {
    let seeds = seeds();
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

/// What the parsers look for.
const MARKS: [&str; 14] = [
    "<private>",
    "</private>",
    "&lt;",
    "\\u003c",
    "<backstory-0badcafe>",
    "[REDACTED:",
    "password=",
    "token: ",
    "://a:b@",
    "\"",
    "'",
    "\\",
    "{",
    "\n",
];

#[test]
fn every_damaged_seed_runs_through_its_target() {
    let mut random = Corpus::new(16);
    let runs = size(200, 5_000);
    for (name, target) in targets::TARGETS {
        let files =
            fs::read_dir(seeds().join(name)).unwrap().map(|seed| fs::read(seed.unwrap().path()).unwrap());
        let whole: Vec<Vec<u8>> = files.collect();
        for _ in 0..runs {
            let bytes = damaged(&whole, &mut random);
            let held = std::panic::catch_unwind(|| target(&bytes)).is_ok();
            assert!(held, "{name} is broken by b\"{}\"", bytes.escape_ascii());
        }
    }
    bar("S16", format_args!("{runs} damaged seeds through each"));
}

/// Cuts a seed, puts marks and parts of others into it, and changes bytes; the same in every run.
fn damaged(seeds: &[Vec<u8>], random: &mut Corpus) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..bytes.len().min(at + random.below(20)))),
            2 => bytes.splice(at..at.max(bytes.len().min(at + 1)), [random.below(256) as u8]).for_each(drop),
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let part = other[random.below(other.len() + 1)..].iter().copied();
                bytes.splice(at..at, part).for_each(drop);
            }
            _ => bytes.splice(at..at, MARKS[random.below(MARKS.len())].bytes()).for_each(drop),
        }
    }
    bytes
}
