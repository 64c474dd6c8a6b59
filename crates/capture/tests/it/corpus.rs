//! Measures redaction: on our own generated samples, always, and on the larger corpora beside the checkout where they are.
//!
//! Counts, not times. Do not tune the rules to these samples: the larger corpora have further cases that are not used here.

use crate::redact::redactor;
use backstory_testkit::corpora::{
    PrivateTagCase, RealisticText, SecretSample, extra_text, independent_texts_with_secrets,
    independent_texts_without_secrets, lookalikes, private_tag_cases, secret_samples, texts_with_secrets,
    texts_without_secrets,
};
use backstory_testkit::{bar, held_of};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The extra corpora of secrets.
const EXTRA: [&str; 4] = ["critical-part", "gitleaks", "noseyparker-half", "kingfisher-half"];

/// One row of an extra corpus.
struct SecretRow {
    text: String,
    secret: Option<String>,
    is_secret: bool,
}

fn rows(name: &str) -> Vec<SecretRow> {
    let text = extra_text(&format!("secrets-{name}.jsonl.gz")).unwrap_or_default();
    let row = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("each line is JSON");
        SecretRow {
            text: value["text"].as_str().unwrap_or_default().to_owned(),
            secret: value["secret"].as_str().filter(|secret| !secret.is_empty()).map(str::to_owned),
            is_secret: value["label"] == "secret",
        }
    };
    text.lines().map(row).collect()
}

fn secrets_of(name: &str) -> Vec<SecretSample> {
    let secret =
        |row: SecretRow| Some(SecretSample { text: row.text, secret: row.secret.filter(|_| row.is_secret)? });
    rows(name).into_iter().filter_map(secret).collect()
}

/// Returns our own samples and those of the extra corpora. Without extra corpora, which `extra_text` reports, only our own.
fn with_extra<T>(own: Vec<T>, extra: Vec<T>) -> impl Iterator<Item = (&'static str, Vec<T>)> {
    let extra = Some(("extra", extra)).filter(|(_, samples)| !samples.is_empty());
    std::iter::once(("own", own)).chain(extra)
}

/// Counts the secrets that are gone after redaction, and returns those that are left.
fn redact_all(samples: &[SecretSample]) -> (usize, Vec<&str>) {
    let redactor = redactor();
    let is_left =
        |sample: &&SecretSample| redactor.redact(&sample.text).text.as_str().contains(&sample.secret);
    let left: Vec<&str> = samples.iter().filter(is_left).map(|sample| sample.text.as_str()).collect();
    (samples.len() - left.len(), left)
}

/// S01.
#[test]
fn secrets_that_agents_often_meet_are_redacted() {
    for (name, samples) in with_extra(secret_samples(), secrets_of("critical-part")) {
        let (gone, left) = redact_all(&samples);
        assert!(gone * 1000 >= samples.len() * 988, "{name}: {gone} of {}: {left:#?}", samples.len());
        bar("S01", format_args!("{gone} of {} critical secrets gone ({name})", samples.len()));
    }
}

/// S02.
#[test]
fn nine_in_ten_of_all_known_secrets_are_redacted() {
    let extra = EXTRA.into_iter().flat_map(secrets_of).collect();
    for (name, samples) in with_extra(secret_samples(), extra) {
        let (gone, left) = redact_all(&samples);
        assert!(gone * 100 >= samples.len() * 90, "{name}: {gone} of {}: {left:#?}", samples.len());
        bar("S02", format_args!("{gone} of {} secrets gone ({name})", samples.len()));
    }
}

/// S02.
#[test]
fn most_texts_that_only_look_like_secrets_stay() {
    let extra = EXTRA.into_iter().skip(1).flat_map(rows).filter(|row| !row.is_secret).map(|row| row.text);
    for (name, benign) in with_extra(lookalikes(), extra.collect()) {
        let touched: Vec<&String> =
            benign.iter().filter(|text| !redactor().redact(text).found.is_empty()).collect();
        assert!(touched.len() * 3 <= benign.len(), "{name}: {touched:#?}");
        bar("S02", format_args!("{} of {} look-alikes touched ({name})", touched.len(), benign.len()));
    }
}

/// S02.
#[test]
fn of_realistic_texts_the_secrets_go_and_the_rest_stays() {
    for round in 0..3 {
        check_texts("realistic", &texts_with_secrets(round), &texts_without_secrets(round));
    }
}

/// S02. Nobody who wrote these had read the rules.
#[test]
fn of_independent_texts_the_secrets_go_and_the_rest_stays() {
    for round in 0..3 {
        let texts = independent_texts_with_secrets(round);
        check_texts("independent", &texts, &independent_texts_without_secrets(round));
    }
}

/// Asserts that 95 in a hundred texts lose their secrets, and that one in a hundred of the others is touched.
fn check_texts(name: &str, texts: &[RealisticText], clean: &[RealisticText]) {
    let leaks = |text: &&RealisticText| text.leaks_in(redactor().redact(&text.text).text.as_str());
    let left: Vec<&str> = texts.iter().filter(leaks).map(|text| text.text.as_str()).collect();
    let gone = texts.len() - left.len();
    bar("S02", format_args!("{gone} of {} {name} texts lost their secrets", texts.len()));
    let touches = |text: &&RealisticText| !redactor().redact(&text.text).found.is_empty();
    let touched: Vec<&str> = clean.iter().filter(touches).map(|text| text.text.as_str()).collect();
    bar("S02", format_args!("{} of {} {name} texts without secrets touched", touched.len(), clean.len()));
    held_of("A09", 18, (gone, texts.len()), &format!("{name} texts lost their secrets"));
    assert!(left.len() * 20 <= texts.len(), "more than one in twenty is left: {left:#?}");
    assert!(touched.len() * 100 <= clean.len(), "more than one in a hundred is touched: {touched:#?}");
}

#[test]
fn redacting_again_changes_nothing() {
    let own = secret_samples().into_iter().map(|sample| sample.text).chain(lookalikes());
    let realistic = texts_with_secrets(0).into_iter().chain(texts_without_secrets(0)).map(|text| text.text);
    let extra = EXTRA.into_iter().flat_map(rows).map(|row| row.text);
    for text in own.chain(realistic).chain(extra) {
        let once = redactor().redact(&text).text;
        assert_eq!(redactor().redact(once.as_str()).text, once, "{text}");
    }
}

/// S04.
#[test]
fn no_private_part_is_left_in_any_kind_of_field() {
    let own = private_tag_cases();
    own.iter().for_each(check_private);
    bar("S04", format_args!("0 of {} private parts left (own)", own.len()));
    let Some(extra) = extra_text("private_tag_cases-half.jsonl") else { return };
    for line in extra.lines() {
        let case: Value = serde_json::from_str(line).expect("each line is JSON");
        let field = |key: &str| case[key].as_str().expect("a field of a case").to_owned();
        let is_json = case["kind"] == "json";
        check_private(&PrivateTagCase {
            name: "extra",
            text: field("text"),
            forbidden: field("forbid_stored"),
            is_json,
        });
    }
    bar("S04", format_args!("0 of {} private parts left (extra)", extra.lines().count()));
}

fn check_private(case: &PrivateTagCase) {
    let PrivateTagCase { name, text, forbidden, is_json } = case;
    let scrubbed = redactor().scrub(text);
    assert!(!scrubbed.as_str().contains(forbidden), "{name}: {text}: {scrubbed}");
    if *is_json {
        let mut value: Value = serde_json::from_str(text).expect("a case of kind json is JSON");
        redactor().scrub_json(&mut value);
        assert!(!value.to_string().contains(forbidden), "{name}: {text}: {value}");
    }
}

/// S02.
#[test]
fn ordinary_source_is_hardly_redacted() {
    const ENOUGH: usize = 16 * 1024 * 1024;
    // Our own sources, then those of our dependencies, where cargo keeps them.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let own = rust_files(&own).into_iter().filter(|path| is_ordinary(path));
    #[expect(clippy::disallowed_methods, reason = "only read: the sources cargo keeps")]
    let registry = std::env::home_dir().unwrap_or_default().join(".cargo/registry/src");
    let mut read = 0;
    let mut hits = Vec::new();
    for path in own.chain(rust_files(&registry)) {
        if read >= ENOUGH {
            break;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // Unit tests hold look-alikes on purpose.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        read += text.len();
        let found = redactor().redact(text).found.into_iter();
        hits.extend(found.map(|finding| {
            format!("{} {} {}", path.display(), finding.rule, &text[finding.start..finding.end])
        }));
    }
    if read < ENOUGH {
        eprintln!("SKIPPED: extra corpus: there are few sources under `{}`", registry.display());
    }
    assert!(hits.len() <= (read >> 21).max(1), "more than one in 2 MiB: {hits:#?}");
    bar("S02", format_args!("{} hits in {} MiB of source", hits.len(), read >> 20));
}

/// Whether a file of ours is no test, and not of this crate, whose documentation shows what is redacted.
fn is_ordinary(path: &Path) -> bool {
    let is_part = |name: &str| path.components().any(|part| part.as_os_str() == name);
    !is_part("tests") && !is_part("capture") && !path.ends_with("tests.rs")
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
