//! The binary, proved from the outside: each command, each error text, each law, in a world of its own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod adversarial;
mod bad_homes;
mod bad_input;
mod changing;
mod configuring;
mod distilling;
mod doctoring;
mod evaluating;
mod every_door;
mod explaining;
mod exporting;
mod exporting_anything;
mod exporting_documents;
mod extra_corpora;
mod faults;
mod finding;
mod fuzz_seeds;
mod given_and_used;
mod hostile_payloads;
mod hostile_records;
mod huge_payloads;
mod importing;
mod importing_transcripts;
mod injecting;
mod injecting_beside_tools;
mod laws;
mod looking;
mod looking_first;
mod many_at_once;
mod mcp;
mod mcp_hostile;
mod nasty_configs;
mod opencode;
mod other_hosts;
mod plugins;
mod polishing;
mod polishing_by_program;
mod projects;
mod refusals;
mod remembering;
mod secrets;
mod serving;
mod serving_described;
mod setting_up;
mod sharing_by_git;
mod support;
mod team_faults;
mod team_storm;
mod teams;
mod teams_apart;
mod unsharing;
mod upkeep;
mod vectors;
mod wiring;
mod workers;
