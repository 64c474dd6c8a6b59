//! The binary, proved from the outside: each command, each error text, each law, in a world of its own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "clippy allows this in a `#[test]`, but not in what tests share"
)]

mod adversarial;
mod agent_writer;
mod attack_laundering;
mod bad_homes;
mod bad_input;
mod browse;
mod chat_exports;
mod concurrency;
mod config;
mod confirmed_by_use;
mod distil;
mod doctor_hosts;
mod eval;
mod explain;
mod export_jsonl;
mod export_markdown;
mod export_round_trip;
mod extra_corpora;
mod faults;
mod fuzz_seeds;
#[cfg(feature = "team-hub")]
mod git_share;
mod hostile_payloads;
mod hostile_records;
mod hostile_repository;
mod http_api;
mod http_openapi;
mod http_pictures;
mod huge_payloads;
mod identity;
mod import_all;
mod import_jsonl;
mod inject;
mod inject_tool;
mod install;
mod install_nasty_configs;
mod interfaces;
mod laws;
mod live_transcripts;
mod maintenance;
mod mcp;
mod mcp_hostile;
mod missing;
mod month;
#[cfg(not(feature = "team-hub"))]
mod no_team_hub;
mod opencode;
mod other_hosts;
#[cfg(feature = "team-hub")]
mod outgoing_preview;
mod plugins;
mod program_update;
mod projects;
mod reconciled;
mod refusals;
mod remember;
mod review;
mod revise_and_forget;
mod rules;
mod screen;
mod search;
mod secrets;
mod setup;
mod setup_writer;
mod show_and_timeline;
mod sources;
mod support;
#[cfg(feature = "team-hub")]
mod team_faults;
#[cfg(feature = "team-hub")]
mod team_isolation;
#[cfg(feature = "team-hub")]
mod team_storm;
#[cfg(feature = "team-hub")]
mod teams;
#[cfg(feature = "team-hub")]
mod unshare;
mod usage;
mod vectors;
mod workers;
mod writer_files;
mod writer_program;
mod writer_server;
