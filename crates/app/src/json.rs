//! The JSON other programs read: stable, documented in `docs/json.md`, and converted here from the domain's own types.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

mod context;
mod memory;
mod project;
mod refusal;
mod search;
mod session;
mod status;
mod why;

pub use context::{ContextShape, PlacedMemoryShape, context};
pub use memory::{
    ForgetShape, HeadShape, LinkShape, MemoryShape, PinShape, RevisionShape, ShowShape, TimelineShape,
    WrittenShape, forget, freshness_word, head, heads, memory, numbers, root_of, show, timeline, written,
};
pub use project::{ProjectListShape, ProjectShape, project};
pub use refusal::RefusalShape;
pub use search::{
    ExplainedHitShape, HitDetail, HitShape, ReadAsShape, SearchShape, TimeRangeShape, hit, search,
};
pub use session::{
    CodeChangeShape, SessionListShape, SessionRecordShape, SessionShape, code_change, session, session_record,
};
pub use status::{HookRunShape, ModelWorkShape, StatusShape, UsefulnessShape, hook_run, status};
pub use why::{InjectedMemoryShape, QuestionShape, WhyShape, injected_memory, why};
