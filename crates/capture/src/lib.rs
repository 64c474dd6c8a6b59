//! Events in, memories out: what a session tells, made safe to keep and worth recalling.

mod project;

pub use project::sight;
