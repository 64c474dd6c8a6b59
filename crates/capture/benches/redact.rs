//! How fast text is scrubbed: what a hook pays for one event, and the worst that can be sent to it.

use backstory_capture::{Redactor, RedactorOptions};
use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

/// What a hook process does: build a redactor and scrub one event of 64 KiB.
#[divan::bench]
fn build_and_scrub_an_event(bencher: Bencher<'_, '_>) {
    let text = include_str!("../src/redact/passwords.rs").repeat(16);
    let text = text.get(..text.floor_char_boundary(64 * 1024)).unwrap_or_default();
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| Redactor::new(RedactorOptions::default()).scrub(divan::black_box(text)));
}

/// Lines of ten megabytes made to be slow.
#[divan::bench(args = ["a=", "key=", "<private>", "<private a=\"'", "a1b2-", "eyJ.", "://a:b@", "\\"], sample_count = 3)]
fn scrub_a_hostile_line(bencher: Bencher<'_, '_>, part: &str) {
    let text = part.repeat(10_000_000 / part.len());
    let redactor = Redactor::new(RedactorOptions::default());
    bencher.counter(BytesCount::of_str(&text)).bench(|| redactor.scrub(divan::black_box(&text)));
}
