//! What a question leaves behind in memory. Alone in its process: others would read the model meanwhile.

#![cfg(target_os = "linux")]

use backstory_embed::{Encoder, MiniLm};
use std::fs;

/// Returns how much of files this process holds, in bytes.
fn of_files() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssFile:"))?;
    Some(kilobytes.trim().trim_end_matches(" kB").parse::<usize>().ok()? * 1024)
}

#[test]
fn a_question_gives_the_model_back_and_a_text_keeps_it_for_the_next() {
    let model = MiniLm::load().unloading_after_query();
    let before = model.encode_query("what was it?").unwrap();
    let without = of_files().unwrap();
    let texts = model.encode("a memory, whose pages stay for the next");
    let with = of_files().unwrap();
    assert!(with > without + 10_000_000, "{without} {with}");
    assert_eq!(model.encode_query("what was it?").unwrap(), before);
    let again = of_files().unwrap();
    assert!(again + 10_000_000 < with, "{with} {again}");
    assert_eq!(model.encode("a memory, whose pages stay for the next"), texts);
}
