//! Events in, memories out: what a session tells, made safe to keep and worth recalling.
//!
//! Not here: a host's own words (`hosts`), SQL (`store`), the environment and the screen (`cli`).

mod keep;
mod observe;
mod private;
mod project;
mod redact;

pub use keep::{MOST_BODY_BYTES, most_alike, prepare};
pub use observe::{Observation, observe};
pub use project::sight;
pub use redact::{Finding, Redacted, Redaction, Redactor, RedactorOptions};
