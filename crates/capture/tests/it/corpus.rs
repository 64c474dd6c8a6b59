//! Measures redaction on the corpora beside the workspace and on ordinary source; they are not part of the
//! repository, so these tests say so and pass where they are missing.
//!
//! Counts, not times. The corpora hold further cases that are not used here: do not tune the rules to these.

use crate::redact::redactor;
use backstory_testkit::bar;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// One row of a corpus of secrets.
struct CorpusRow {
    text: String,
    secret: Option<String>,
    is_secret: bool,
}

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/security")
}

/// Returns the text of a corpus, unpacked, or says that it is skipped.
fn read(name: &str) -> Option<String> {
    let path = corpora().join(name);
    let Ok(file) = File::open(&path) else {
        eprintln!("SKIPPED: no corpus `{}`", path.display());
        return None;
    };
    let mut text = String::new();
    let mut reader: Box<dyn Read> = if name.ends_with(".gz") {
        Box::new(GzDecoder::new(BufReader::new(file)))
    } else {
        Box::new(BufReader::new(file))
    };
    reader.read_to_string(&mut text).expect("a corpus is UTF-8");
    Some(text)
}

fn rows(name: &str) -> Option<Vec<CorpusRow>> {
    let text = read(&format!("secrets-{name}.jsonl.gz"))?;
    let row = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("each line is JSON");
        CorpusRow {
            text: value["text"].as_str().unwrap_or_default().to_owned(),
            secret: value["secret"].as_str().filter(|secret| !secret.is_empty()).map(str::to_owned),
            is_secret: value["label"] == "secret",
        }
    };
    Some(text.lines().map(row).collect())
}

/// Counts the secrets of a corpus and those that are gone after redaction.
fn recall(name: &str) -> Option<(usize, usize)> {
    let redactor = redactor();
    let rows = rows(name)?;
    let secrets =
        || rows.iter().filter(|row| row.is_secret).filter_map(|row| Some((&row.text, row.secret.as_ref()?)));
    let gone = secrets()
        .filter(|(text, secret)| !redactor.redact(text).text.as_str().contains(secret.as_str()))
        .count();
    eprintln!("{name}: {gone} of {} secrets gone", secrets().count());
    Some((gone, secrets().count()))
}

/// S01.
#[test]
fn of_what_agents_really_meet_hardly_anything_is_left() {
    if let Some((gone, all)) = recall("critical-part") {
        assert!(gone * 1000 >= all * 988, "{gone} of {all}");
        bar("S01", format_args!("{gone} of {all} of the critical set gone"));
    }
}

/// S02.
#[test]
fn of_all_known_examples_nine_in_ten_are_gone() {
    let counts = ["critical-part", "gitleaks", "noseyparker-half", "kingfisher-half"].map(recall);
    let counts: Vec<(usize, usize)> = counts.into_iter().flatten().collect();
    let gone: usize = counts.iter().map(|(gone, _)| gone).sum();
    let all: usize = counts.iter().map(|(_, all)| all).sum();
    assert!(gone * 100 >= all * 90, "{gone} of {all}");
    if all > 0 {
        bar("S02", format_args!("{gone} of {all} secrets gone"));
    }
}

/// S02.
#[test]
fn of_examples_that_only_look_alike_most_stay() {
    let rows = ["gitleaks", "noseyparker-half", "kingfisher-half"].map(rows).into_iter().flatten().flatten();
    let benign: Vec<CorpusRow> = rows.filter(|row| !row.is_secret).collect();
    let touched = benign.iter().filter(|row| !redactor().redact(&row.text).found.is_empty()).count();
    eprintln!("benign: {touched} of {} touched", benign.len());
    assert!(touched * 3 <= benign.len(), "{touched} of {}", benign.len());
    bar("S02", format_args!("{touched} of {} that look alike touched", benign.len()));
}

#[test]
fn no_corpus_text_changes_when_redacted_again() {
    let rows = ["critical-part", "gitleaks", "noseyparker-half", "kingfisher-half"].map(rows);
    for row in rows.into_iter().flatten().flatten() {
        let once = redactor().redact(&row.text).text;
        assert_eq!(redactor().redact(once.as_str()).text, once, "{}", row.text);
    }
}

/// S04.
#[test]
fn no_private_part_is_left_in_any_kind_of_field() {
    let Some(text) = read("private_tag_cases-half.jsonl") else { return };
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("each line is JSON");
        let text = case["text"].as_str().expect("a case has a text");
        let forbidden = case["forbid_stored"].as_str().expect("a case says what must not be stored");
        let scrubbed = redactor().scrub(text);
        assert!(!scrubbed.as_str().contains(forbidden), "{}: {scrubbed}", case["name"]);
        if case["kind"] == "json" {
            let mut value: Value = serde_json::from_str(text).expect("a case of kind json is JSON");
            redactor().scrub_json(&mut value);
            assert!(!value.to_string().contains(forbidden), "{}: {value}", case["name"]);
        }
    }
    bar("S04", format_args!("0 of {} private parts left", text.lines().count()));
}

/// S02.
#[test]
fn ordinary_source_is_hardly_touched() {
    const ENOUGH: usize = 16 * 1024 * 1024;
    #[expect(clippy::disallowed_methods, reason = "only read: the sources cargo keeps")]
    let registry = std::env::home_dir().unwrap_or_default().join(".cargo/registry/src");
    let mut read = 0;
    let mut hits = Vec::new();
    for path in rust_files(&registry) {
        if read >= ENOUGH {
            break;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        read += text.len();
        let found = redactor().redact(&text).found.into_iter();
        hits.extend(found.map(|finding| {
            format!("{} {} {}", path.display(), finding.rule, &text[finding.start..finding.end])
        }));
    }
    if read < ENOUGH / 2 {
        eprintln!("SKIPPED: only {read} bytes of source under `{}`", registry.display());
        return;
    }
    assert!(hits.len() <= read >> 21, "more than one in 2 MiB: {hits:#?}");
    bar("S02", format_args!("{} hits in {} MiB of source", hits.len(), read >> 20));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| is_rust(path))
        .collect()
}
