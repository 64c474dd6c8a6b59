//! The domain: what a memory is, what happened in a session, and the rules that hold everywhere.
//!
//! Pure by law: no I/O, no SQL, no async, no host names, no wall clock. Time, randomness and paths come
//! in as arguments. Only what an event holds derives a serialisation: the crates at the borders own all other shapes.

mod checksum;
mod clean;
mod code;
mod event;
mod fence;
mod happening;
mod ids;
mod injection;
mod kind;
mod likeness;
mod memory;
mod project;
mod shared;
mod shingles;
mod terms;
mod text;
mod time;
mod tokens;
mod trust;

pub use checksum::{Checksum, Digest, digest};
pub use clean::clean;
pub use code::{Change, ChangedSymbol, CodeChange, Freshness, Symbol, SymbolKind};
pub use event::{Event, EventKind, IdempotencyKey};
pub use fence::{fence, strip_fences};
pub use happening::{Account, Ended, Happening, Hunk, PlanStep, Subagent};
pub use ids::{EventId, InjectionId, MemoryId, ProjectId, SessionId, Uid, UidError};
pub use injection::{Injected, Injection, Moment};
pub use kind::{Kind, UnknownKind};
pub use likeness::{NEAR_DUPLICATE, WordSet, WordSketch, likeness, says_the_same};
pub use memory::{Category, Confidence, Draft, Importance, Life, Link, Memory, Relation, Scope, TITLE_CHARS};
pub use project::{Known, ProjectKey, Sighting};
pub use shared::{News, SharedLink, SharedMemory, SharedRevision, Watermark, state};
pub use shingles::{Echo, Shingles};
pub use terms::{companion, compounds, inner_parts, is_small, telling_words, words};
pub use text::{Capped, cap, first_chars, is_cut, title_from};
pub use time::Timestamp;
pub use tokens::{Tokens, estimate};
pub use trust::{Trust, UnknownTrust};
