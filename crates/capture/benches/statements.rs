//! How fast a text is read: what a hook pays at the end of a turn, with the phrase tables read and without.

use backstory_capture::{Speaker, statements};
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
