//! The domain: what a memory is, what happened in a session, and the rules that hold everywhere.
//!
//! Pure by law: no I/O, no SQL, no async, no host names, no wall clock. Time, randomness and paths come in as arguments. Event payloads,
//! details and the content of a memory derive a serialisation, because every crate that writes one must write the same: all other
//! formats belong to the outer crates.

mod actionable;
mod activity;
mod checksum;
mod clean;
mod code;
mod content;
mod details;
mod event;
mod fence;
mod ids;
mod injection;
mod injection_point;
mod jaccard;
mod kind;
mod memory;
mod project;
mod provenance;
mod redacted;
mod rejection;
mod shared;
mod shell;
mod shingles;
mod standing;
mod terms;
mod text;
mod time;
mod tokens;
mod typed;
mod wanted_words;
mod written_time;

pub use actionable::{Action, OwnAddresses, is_package_manager, requested_action, weakens};
pub use activity::{Activity, EventBody, ExitStatus, Hunk, PlanStep, StartReason, Subagent, TaskState};
pub use checksum::{Checksum, Digest, digest};
pub use clean::{clean, is_emoji, is_pictograph, on_one_line};
pub use code::{ChangedSymbol, CodeChange, Freshness, Symbol, SymbolChange, SymbolKind};
pub use content::{Content, ContentError, ContentRecord, TITLE_CHARS, is_missing, record_time};
pub use details::{
    Details, FailureDetails, FixDetails, FixSteps, HandoffDetails, LabelledLine, SummaryDetails, WorkDetails,
};
pub use event::{Event, EventKind, IdempotencyKey};
pub use fence::{fence, fence_nonce, strip_fences};
pub use ids::{EventId, InjectionId, MemoryId, ProjectId, RejectionId, SessionId, Uid, UidError};
pub use injection::{Injected, Injection, Moment};
pub use injection_point::InjectionPoint;
pub use jaccard::{NEAR_DUPLICATE, WordSet, WordSketch, jaccard, says_the_same, stem, stems};
pub use kind::{Kind, KindGroup, KindTraits, UnknownKind};
pub use memory::{Category, Confidence, Importance, Link, Memory, MemoryScope, Relation};
pub use project::{KnownProject, ProjectKey, ProjectRef};
pub use provenance::{Provenance, UnknownProvenance};
pub use redacted::Redacted;
pub use rejection::{RejectionReason, Writer};
pub use shared::{
    SharedLink, SharedMemory, SharedRevision, SyncBatch, Watermark, content_digest, parse_shared_record,
    shared_record,
};
pub use shell::{Nesting, SimpleCommand, simple_commands};
pub use shingles::{
    EchoSource, Shingles, hash_sample, piece_hashes, read_hash_sample, short_hash, winnowed_hashes,
};
pub use standing::{EvidenceKind, Standing, StandingReason, first_standing, may_be_injected};
pub use terms::{compounds, identifier_terms, inner_parts, is_stop_word, keywords, words};
pub use text::{CappedText, cap, first_chars, is_cut, title_from};
pub use time::{MONTHS, Timestamp, WEEKDAYS};
pub use tokens::{Tokens, estimate};
pub use typed::typed_words;
pub use wanted_words::WantedWords;
pub use written_time::{FIRST_MOMENT, foreign_time, iso, parse_time, time_from_json};
