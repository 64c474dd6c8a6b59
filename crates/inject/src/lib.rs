//! Injection: what a session is given at each moment, within a budget (law 4), recorded line by line (law 9).
//!
//! `moments` gathers memories for a session start, a prompt, a tool call and a compaction; `sections` says which sections each moment
//! has; `assembly` packs what fits; `render`, `snippet` and `encode` word it; `frame` puts the fence around it. `HookInjector` does all
//! of it inside a hook and records the result; `AgentAction` detects what of it was used.
//!
//! Settings, time and paths come in as arguments. Not here: ranking (`recall`), a host's JSON and replies (`hosts`), printing.

mod ages;
mod arguments;
mod assembly;
mod block;
mod built;
mod capture_health;
mod encode;
mod error;
mod failure_details;
mod file_kind;
mod frame;
mod gathered;
mod handoff_now;
mod hook_injector;
mod moments;
mod names;
mod occasion;
mod prefetch;
mod render;
mod rules_file;
mod sections;
mod snippet;
mod used_detection;

pub use ages::{age, time_ago};
pub use block::{Block, PlacedMemory, SkipReason, SkippedSection};
pub use built::{BuiltInjection, InjectionRequest, elapsed_us};
pub use capture_health::{CaptureProblem, check_capture, lost_since_announced, problem_opening};
pub use encode::{encode, encode_lines};
pub use error::{GatherError, InjectError};
pub use frame::{BlockFrame, FetchHint, MAX_BLOCK_BYTES, default_budget, draw_nonce};
pub use gathered::{Candidate, GatherResult, Orientation, ResumePoint, WorkTreeStatus};
pub use hook_injector::{HookInjector, HookLocation};
pub use moments::{InjectSettings, Injector, Recipient};
pub use prefetch::Prefetch;
pub use rules_file::{is_damaged, rule_line, with_rules, without_rules};
pub use sections::{compaction, prompt, session_start, tool};
pub use snippet::snippet;
pub use used_detection::AgentAction;
