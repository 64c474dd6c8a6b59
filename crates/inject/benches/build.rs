//! How long a block takes to build from fifty memories: `cargo bench -p backstory-inject`.
//!
//! A prompt hook has 15 ms for everything; this should not be seen in it.

use backstory_inject::{
    BlockFrame, Candidate, FetchHint, Orientation, compaction, prompt, session_start, tool,
};
use backstory_memory::{
    Checksum, Content, Kind, Memory, MemoryId, Moment, ProjectId, SessionId, Standing, StandingReason,
    Timestamp, Uid,
};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const BODY: &str = "The key sent to the provider was the time of the run, so a retry paid twice. It is now made of the sailing \
                    and the booking, and the table keeps the provider's answer.\n";

/// Fifty memories of every kind, with a body of a usual length, or one no hook should read whole.
fn memories(repeated: usize) -> Vec<Memory> {
    (1..=50).zip(Kind::ALL.into_iter().cycle()).map(|(id, kind)| memory(id, kind, repeated)).collect()
}

fn memory(id: i64, kind: Kind, repeated: usize) -> Memory {
    let title = format!("Refund batch {id} is idempotent by sailing and booking");
    let content = Content::new(kind, &title, &BODY.repeat(repeated));
    let at = NOW.plus_ms(-id * Timestamp::DAY_MS / 3);
    Memory {
        id: MemoryId(id),
        uid: Uid::from_parts(at.0, [0; 10]),
        project: ProjectId(1),
        session: Some(SessionId(id / 5)),
        checksum: Checksum::of_content(&content),
        content,
        standing: Standing::Confirmed,
        standing_reason: StandingReason::User,
        created_at: at,
        updated_at: at,
        times_seen: 1,
        times_used: 0,
        last_used_at: None,
    }
}

fn frame(moment: Moment) -> BlockFrame {
    BlockFrame::for_moment(moment, NOW, 1, FetchHint::Both)
}

const REPEATED: [usize; 2] = [3, 5_000];

#[divan::bench(args = REPEATED)]
fn at_session_start(bencher: Bencher<'_, '_>, repeated: usize) {
    let orientation = Orientation::from_memories(memories(repeated));
    bencher.bench_local(|| session_start(black_box(&orientation), None, &frame(Moment::SessionStart)));
}

#[divan::bench(args = REPEATED)]
fn at_compaction(bencher: Bencher<'_, '_>, repeated: usize) {
    let orientation = Orientation::from_memories(memories(repeated));
    bencher.bench_local(|| compaction(black_box(&orientation), &frame(Moment::Compaction)));
}

#[divan::bench(args = REPEATED)]
fn at_a_prompt(bencher: Bencher<'_, '_>, repeated: usize) {
    let hits = Ok(memories(repeated).into_iter().map(Candidate::from).collect());
    bencher.bench_local(|| prompt(black_box(&hits), &frame(Moment::Prompt)));
}

#[divan::bench(args = REPEATED)]
fn before_a_tool(bencher: Bencher<'_, '_>, repeated: usize) {
    let hits = Ok(memories(repeated).into_iter().map(Candidate::from).collect());
    bencher.bench_local(|| tool(black_box(&hits), &frame(Moment::Tool)));
}
