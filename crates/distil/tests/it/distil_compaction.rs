//! The summary a host writes when it compacts: what it adds, and what it must not bring back.

use crate::recording::Recording;
use backstory_memory::{Activity, Details, Kind, Provenance, Standing};

const SUMMARY: &str = "1. Primary Request and Intent:
   - Move the importer to streams

4. Errors and fixes:
   - **Importer ran out of memory**: `read_all()` in importer.rs held the whole file. Fixed by reading it in chunks of 64 KiB.
   - **Wrong branch**: The user said the branch is `stream`. Fixed by switching to it.
   - **Slow start**: It was slow.

6. All user messages:
   - \"Always stream files in the importer\"
   - \"Never write to the legacy bucket from here\"
   - \"go on\"

7. Pending Tasks:
   - Stream the exporter
   - None

8. Current Work:
   The importer was being moved.
";

fn compacted(recording: &mut Recording, summary: &str) {
    recording.happens(Activity::Compacted { summary: summary.into() }, Provenance::Assistant);
}

fn next_steps(recording: &Recording) -> Vec<String> {
    match recording.of_kind(Kind::Handoff).last().and_then(|handoff| handoff.content.details.clone()) {
        Some(Details::Handoff(handoff)) => handoff.next_steps,
        _ => Vec::new(),
    }
}

#[test]
fn a_summary_proposes_what_no_event_holds() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    recording.asks("Move the importer to streams. Always stream files in the importer.");
    recording.edits("src/importer.rs", "read_all()", "read_chunk()");
    compacted(&mut recording, SUMMARY);
    recording.ends();
    let failure = recording.only(Kind::Failure);
    assert_eq!(
        failure.content.title,
        "Importer ran out of memory: read_all() in importer.rs held the whole file"
    );
    assert_eq!((failure.standing, &failure.content.provenance), (Standing::Proposed, &Provenance::Assistant));
    // What the user really typed is the user's rule, once; what only the summary quotes is the assistant's word.
    let rule = recording.only(Kind::Rule);
    assert_eq!((rule.content.provenance, rule.standing), (Provenance::User, Standing::Confirmed));
    let quoted = recording.only(Kind::Fact);
    assert_eq!(quoted.content.title, "Never write to the legacy bucket from here");
    assert_eq!((quoted.content.provenance, quoted.standing), (Provenance::Assistant, Standing::Proposed));
    assert_eq!(next_steps(&recording), ["Stream the exporter"]);
}

#[test]
fn law_12_a_summary_does_not_bring_back_what_was_done_since() {
    let mut recording = Recording::new();
    recording.asks("Move the importer to streams").edits("src/importer.rs", "a", "b");
    compacted(&mut recording, SUMMARY);
    recording.asks("Now stream the exporter").edits("src/exporter.rs", "a", "b");
    recording
        .runs("git commit -am 'Stream the exporter'", "[main a1b2c3d] Stream the exporter\n 1 file changed");
    recording.ends();
    assert_eq!(next_steps(&recording), Vec::<String>::new(), "it is committed");
    recording.session("s2").asks("Move the importer to streams").edits("src/importer.rs", "b", "c");
    compacted(&mut recording, SUMMARY);
    recording.says("Everything is moved.").ends();
    assert_eq!(next_steps(&recording), Vec::<String>::new(), "the turn ended after the summary");
}

#[test]
fn a_failure_that_was_seen_is_kept_once() {
    let mut recording = Recording::new();
    recording.asks("Make the build pass");
    recording
        .fails("cargo build", "error[E0425]: cannot find value `limit` in this scope\n --> src/pool.rs:3:5");
    recording.edits("src/pool.rs", "limit", "LIMIT").runs("cargo build", "Finished");
    compacted(
        &mut recording,
        "4. Errors and fixes:\n   - Build error: cannot find value `limit` in this scope, in src/pool.rs. Fixed by using `LIMIT`.\n",
    );
    recording.ends();
    assert_eq!(recording.of_kind(Kind::Failure).len(), 1, "{:?}", recording.kinds());
}
