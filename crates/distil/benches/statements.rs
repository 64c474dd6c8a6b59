//! How fast a text is read: what a hook pays at the end of a turn, with the phrase tables read and without.

use backstory_distil::{Speaker, closing, statements};
use divan::Bencher;
use divan::counter::ItemsCount;
use std::time::Instant;

/// A closing message of sixteen sentences, of the sorts that are remembered and the sorts that are not.
const MESSAGE: &str = "I've fixed the login loop in the gateway. The root cause was a stale cookie that the proxy kept \
    for an hour. I kept the old cookie name because clients before 1.2 still read it. All tests pass now.\n\n\
    The session cookie expires after 30 minutes. We decided to rotate the key once a day, since the store can hold \
    two of them. Note that `SameSite` does not survive the redirect on older browsers. It might be worth checking the \
    mobile client too.\n\n- The handler requires the `X-Tenant` header\n- Updated the tests beside the handler\n\
    - The queue is limited to eight connections\n- Renamed the module to `session`\n\nThe diff only touches the \
    gateway. You could add an index later if it gets slow. I used a map instead of a list so that the order is \
    stable. Let me know if you want me to look at the metrics as well.";
const SENTENCES: usize = 16;

/// Prints what the first text of a process costs beyond the next, before anything else has read the tables.
#[expect(clippy::print_stdout, reason = "divan prints its own table in the same place")]
fn main() {
    let timed = || {
        let start = Instant::now();
        divan::black_box(statements(divan::black_box(MESSAGE), Speaker::Assistant));
        divan::black_box(statements(divan::black_box(MESSAGE), Speaker::User));
        divan::black_box(closing(divan::black_box(MESSAGE)));
        start.elapsed()
    };
    let first = timed();
    let second = timed();
    println!("reading the tables, once a process: {:?}", first.saturating_sub(second));
    divan::main();
}

#[divan::bench]
fn a_sentence(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(SENTENCES))
        .bench(|| statements(divan::black_box(MESSAGE), Speaker::Assistant));
}

#[divan::bench]
fn a_sentence_of_a_closing_message(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(SENTENCES)).bench(|| closing(divan::black_box(MESSAGE)));
}

/// Texts of a whole event, made to be slow: sentences as long as are read, of words that patterns begin with.
#[divan::bench(args = ["we use it , not ", "is a b c ", "now it is the ", "\"' `", "you may want ", "- [ ] a\n", "a. ", "no: "], sample_count = 10)]
fn a_hostile_text(bencher: Bencher<'_, '_>, part: &str) {
    let paragraph = part.repeat(480 / part.len()) + ".\n\n";
    let text = paragraph.repeat(16 * 1024 / paragraph.len());
    bencher.bench(|| {
        let text = divan::black_box(text.as_str());
        (closing(text), statements(text, Speaker::User), statements(text, Speaker::Assistant))
    });
}
