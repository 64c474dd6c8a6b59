//! The estimate against the counts that `calibrate` recorded from the o200k and cl100k vocabularies.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

struct Sample {
    name: String,
    text: String,
    /// The dearer of the two counts.
    real: f64,
    estimated: f64,
}

fn samples(prefixes: &[&str]) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/tokens");
    let table = fs::read_to_string(folder.join("counts.tsv")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let samples = rows.map(|line| {
        let [name, bytes, o200k, cl100k] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let text = fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
        assert_eq!(text.len().to_string(), bytes, "{name} was changed: run calibrate");
        let real = o200k.parse::<f64>().unwrap().max(cl100k.parse().unwrap());
        let estimated = f64::from(estimate(&text).0);
        Sample { name: name.to_owned(), text, real, estimated }
    });
    samples.filter(|it| prefixes.iter().any(|prefix| it.name.starts_with(prefix))).collect()
}

/// S4.9: an empty text has no tokens.
#[test]
fn nothing_costs_nothing() {
    assert_eq!(estimate(""), Tokens(0));
    assert_eq!(estimate("a"), Tokens(1));
}

/// S4.6, S4.8: rather too much than too little, within a fifth.
#[test]
fn no_prose_code_or_cjk_is_under_estimated_by_more_than_a_tenth() {
    let samples = samples(&["prose-", "code-", "cjk-", "other-"]);
    assert!(samples.len() > 30);
    for it in samples {
        assert!(it.estimated >= 0.90 * it.real, "{}: {} for {}", it.name, it.estimated, it.real);
    }
}

#[test]
fn noise_is_not_under_estimated_by_more_than_a_quarter() {
    for it in samples(&["noise-"]) {
        assert!(it.estimated >= 0.75 * it.real, "{}: {} for {}", it.name, it.estimated, it.real);
    }
}

#[test]
fn prose_and_code_are_over_estimated_by_a_tenth_at_most_taken_together() {
    let samples = samples(&["prose-", "code-"]);
    let ratio =
        samples.iter().map(|it| it.estimated).sum::<f64>() / samples.iter().map(|it| it.real).sum::<f64>();
    assert!((1.0..1.10).contains(&ratio), "{ratio}");
    for it in samples {
        assert!(it.estimated < 1.35 * it.real, "{}: {} for {}", it.name, it.estimated, it.real);
    }
}

#[test]
fn each_sort_of_text_is_over_estimated_by_a_fifth_at_most_on_average() {
    for sort in ["prose-", "code-", "cjk-", "other-"] {
        let samples = samples(&[sort]);
        let mean = samples.iter().map(|it| it.estimated / it.real).sum::<f64>() / samples.len() as f64;
        assert!((0.95..1.20).contains(&mean), "{sort}: {mean}");
    }
}

#[test]
fn lines_that_were_priced_one_by_one_fit_into_the_sum() {
    for it in samples(&[""]) {
        let lines = it.text.split_inclusive('\n').map(estimate).sum::<Tokens>();
        assert!(estimate(&it.text) <= lines, "{}", it.name);
        // Each line is rounded up, and ends as if anything might follow.
        let count = u32::try_from(it.text.lines().count()).unwrap();
        assert!(lines <= estimate(&it.text) + Tokens(2 * count), "{}", it.name);
    }
}

/// Texts that change between the kinds of pieces as often as they can.
const DENSE: &str = "[a-eA-Cz0-2 \\t\n_.(é数я→🦀]{0,24}";

proptest! {
    #[test]
    fn parts_never_cost_less_apart_than_together(a in DENSE, b in DENSE, c: String, d: String) {
        for (a, b) in [(&a, &b), (&a, &c), (&c, &b), (&c, &d)] {
            let together = estimate(&format!("{a}{b}"));
            prop_assert!(together <= estimate(a) + estimate(b), "{a:?} + {b:?}: {together:?}");
        }
    }

    #[test]
    fn a_text_costs_something_but_never_more_than_a_few_tokens_per_character(text in "\\PC{1,40}") {
        let most = u32::try_from(text.chars().count()).unwrap() * 3 + 2;
        prop_assert!((1..=most).contains(&estimate(&text).0), "{:?}", estimate(&text));
    }
}
