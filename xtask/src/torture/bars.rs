//! The table: every bar, its promise in numbers, and the tests that prove it.
//!
//! R is reliability, S security, X others that take as long; A is the attack suite (`attack`). `docs/torture.md` lists them. The tests assert the numbers and report what
//! they measured; only time limits are here, in milliseconds.

pub(crate) mod attack;

/// One promise with a number.
pub(crate) struct Bar {
    pub(crate) id: &'static str,
    pub(crate) promise: &'static str,
    pub(crate) proofs: &'static [BarProof],
    /// Names of measured times, and their limits in milliseconds.
    pub(crate) within: &'static [(&'static str, f64)],
}

/// How a bar is proven.
pub(crate) enum BarProof {
    /// By tests of a package's `tests/it`.
    Tests(&'static str, &'static [&'static str]),
    /// By tests inside a package's library.
    Units(&'static str, &'static [&'static str]),
    /// By a test of `tests/browser`.
    Browser(&'static str),
}

use BarProof::{Browser, Tests, Units};

const CLI: &str = "backstory-cli";
const STORE: &str = "backstory-store";
const CAPTURE: &str = "backstory-capture";
const DISTIL: &str = "backstory-distil";
const INJECT: &str = "backstory-inject";
const SYNC: &str = "backstory-sync";
const SERVER: &str = "backstory-server";
const MEMORY: &str = "backstory-memory";

const fn bar(id: &'static str, promise: &'static str, proofs: &'static [BarProof]) -> Bar {
    Bar { id, promise, proofs, within: &[] }
}

const fn timed(
    id: &'static str,
    promise: &'static str,
    proofs: &'static [BarProof],
    within: &'static [(&'static str, f64)],
) -> Bar {
    Bar { id, promise, proofs, within }
}

/// Every bar there is: those of the table below, and those of the attack suite.
pub(crate) fn all() -> impl Iterator<Item = &'static Bar> {
    BARS.iter().chain(attack::ATTACKS.iter().map(|group| &group.bar))
}

/// The bars of reliability, security and what takes as long.
const BARS: &[Bar] = &[
    bar(
        "R01",
        "two writers killed 100 times: 0 lost of at least 5,000 acked, 0 duplicates, all sound",
        &[Tests(STORE, &["killing::nothing_acknowledged_is_lost_and_nothing_is_kept_twice"])],
    ),
    timed(
        "R02",
        "a worker killed 50 times while 4 hooks feed: 0 lost, nothing left in progress",
        &[Tests(CLI, &["workers::a_worker_killed_while_hooks_run_loses_nothing"])],
        &[("ready", 2000.0)],
    ),
    timed(
        "R03",
        "200 hooks at once on a cold home: 200 stored once, exit 0",
        &[Tests(CLI, &["concurrency::two_hundred_hooks_at_once_on_a_cold_home_are_all_kept_once"])],
        &[("p95", 250.0), ("max", 1000.0)],
    ),
    timed(
        "R04",
        "200 hooks at once that must sync before they answer: fsync and rename come before the exit",
        &[Tests(CLI, &["faults::a_hook_that_spools_syncs_before_it_ends"])],
        &[("p95", 100.0)],
    ),
    timed(
        "R05",
        "a worker up, 2,000 events, 50 in flight: 0 lost, log at most 64 MiB, worker at most 100 MiB",
        &[Tests(CLI, &["workers::hooks_and_requests_at_once_lose_nothing"])],
        &[("p95", 60.0)],
    ),
    timed(
        "R06",
        "one hook, 200 runs, from start to exit, with and without a sync before the answer",
        &[Tests(CLI, &["faults::a_lone_hook_is_quick"])],
        &[("p50", 8.0), ("p95", 20.0), ("synced p50", 20.0), ("synced p95", 50.0)],
    ),
    timed(
        "R07",
        "20 hooks meet an exclusive lock: exit 0, 20 of 20 stored when it is released",
        &[Tests(CLI, &["concurrency::hooks_that_meet_a_locked_database_lose_nothing"])],
        &[("hook max", 500.0), ("taken in", 5000.0)],
    ),
    bar(
        "R08",
        "a reader stays open during 5,000 events of 4 KiB: 0 failures, log at most 128 MiB, 4 MiB afterwards",
        &[Tests(STORE, &["maintaining::a_log_that_grew_under_a_reader_is_cut_when_the_reader_is_gone"])],
    ),
    bar(
        "R09",
        "a full disk of 8 MiB, 50 hooks: exit 0, 0 acked lost, every lost event counted, work resumes when there is space",
        &[
            Tests(
                STORE,
                &["limits::a_full_disk_loses_nothing_acknowledged_and_work_goes_on_when_there_is_space"],
            ),
            Tests(
                CLI,
                &[
                    "faults::hooks_on_a_full_disk_do_no_harm_and_recover_afterwards",
                    "faults::law_3_events_lost_on_a_full_disk_are_counted_and_reported",
                ],
            ),
        ],
    ),
    bar(
        "R10",
        "a limit on file size: 0 processes killed by the signal, exit 0, 0 acked lost",
        &[
            Tests(
                STORE,
                &[
                    "limits::wherever_a_file_stops_growing_nothing_acknowledged_is_lost",
                    "limits::a_database_that_may_not_grow_sends_events_to_the_spool",
                ],
            ),
            Tests(CLI, &["faults::a_file_size_limit_kills_neither_hook_nor_worker"]),
        ],
    ),
    timed(
        "R11",
        "30 seeds of 16 bit flips, cut files, garbage: 0 panics, originals kept, 99 % of the rows recovered; 60 seeds without a backup: 0 memories lost but those of the last turn",
        &[
            Tests(
                STORE,
                &[
                    "repairing::scattered_damage_is_found_and_mended",
                    "repairing::scattered_damage_without_a_backup_costs_at_most_what_came_last",
                    "repairing::a_file_that_lost_its_end_or_its_head_is_replaced_and_kept",
                    "repairing::a_garbage_log_costs_nothing",
                    "repairing::a_repair_that_is_killed_loses_nothing",
                ],
            ),
            Tests(CLI, &["faults::a_hook_that_meets_damage_keeps_its_event_and_repairs_nothing"]),
        ],
        &[("hook max", 1000.0)],
    ),
    bar(
        "R12",
        "one byte flipped in each of 100 bodies: 100 of 100 reported",
        &[Tests(STORE, &["checking::every_row_with_a_flipped_byte_is_named_and_no_other"])],
    ),
    bar(
        "R13",
        "8 openers at a time meet a locked, healthy database, or a disk that cannot be read for a while: 0 quarantines, 0 new files",
        &[
            Tests(STORE, &["repairing::a_locked_but_healthy_database_is_never_set_aside"]),
            Tests(CLI, &["faults::a_disk_that_fails_to_read_does_not_cost_a_healthy_database"]),
        ],
    ),
    timed(
        "R14",
        "a read-only home, as another user: exit 0, 0 files created, `status` says why",
        &[Tests(CLI, &["bad_homes::a_home_that_cannot_be_written_is_still_read"])],
        &[("max", 200.0)],
    ),
    bar(
        "R15",
        "the clock jumps by hours and years: rows stay in order of arrival, 0 removed, no negative age",
        &[
            Tests(STORE, &["events::events_are_read_in_the_order_they_arrived"]),
            Tests(STORE, &["maintaining::a_clock_that_jumps_removes_nothing"]),
            Tests(CLI, &["faults::no_age_is_negative_after_the_clock_went_back"]),
        ],
    ),
    timed(
        "R16",
        "20 workers started together, 10 rounds: exactly 1 serves, the others exit 0",
        &[Tests(CLI, &["workers::of_twenty_workers_started_together_one_serves"])],
        &[("others gone", 2000.0)],
    ),
    timed(
        "R17",
        "a stale socket, lock and `worker.json` that name another process: a new worker serves",
        &[Tests(CLI, &["workers::files_of_a_dead_worker_stop_neither_a_new_one_nor_a_hook"])],
        &[("serves", 1000.0), ("hook max", 200.0)],
    ),
    timed(
        "R18",
        "a stopped worker, 50 hooks: exit 0, 50 of 50 stored once",
        &[Tests(CLI, &["workers::a_worker_that_hangs_hurts_no_hook"])],
        &[("hook max", 300.0), ("taken in", 5000.0)],
    ),
    bar(
        "R19",
        "the wanted port belongs to another program: another port is used, nothing is sent to that program",
        &[Tests(CLI, &["workers::a_port_in_use_is_left_to_its_owner"])],
    ),
    timed(
        "R20",
        "20 MCP servers whose input ends or whose host is killed: 0 processes left",
        &[Tests(CLI, &["mcp_hostile::r20_twenty_servers_leave_no_process_behind"])],
        &[("all gone", 5000.0)],
    ),
    timed(
        "R21",
        "a model's program that hangs, its runner terminated, killed or out of time: 0 processes left, the notes written once by the next",
        &[Tests(
            CLI,
            &[
                "writer_program::r21_a_terminated_runner_leaves_no_process_behind",
                "writer_program::r21_a_killed_runner_leaves_no_process_behind",
                "writer_program::r21_a_program_that_hangs_is_ended_by_its_deadline",
            ],
        )],
        &[("children gone", 5000.0)],
    ),
    bar(
        "R22",
        "a model that always refuses or answers garbage: at most 10 calls per minute, 3 attempts per job, one call over budget; 20 sessions that end at once stay within it",
        &[
            Tests(
                CLI,
                &[
                    "writer_server::r22_a_model_that_always_refuses_is_called_rarely",
                    "writer_server::r22_a_model_that_always_replies_nonsense_is_called_rarely",
                    "writer_server::r22_the_budget_of_a_day_is_checked_before_each_call",
                    "writer_server::r22_twenty_sessions_that_end_at_once_stay_within_the_budget",
                ],
            ),
            Tests(STORE, &["writer_work::r22_twenty_processes_at_once_stay_within_the_cap_of_a_day"]),
        ],
    ),
    bar(
        "R23",
        "a model's program that fires our own hooks, 10 sessions, each guard alone: 0 rows captured, 1 call per session; without a model 0 sockets opened",
        &[Tests(
            CLI,
            &[
                "writer_program::r23_the_environment_alone_keeps_our_own_doing_out",
                "writer_program::r23_the_folder_alone_keeps_our_own_doing_out",
                "writer_program::r23_the_name_of_the_session_alone_keeps_our_own_doing_out",
                "writer_program::r23_the_first_line_alone_keeps_our_own_doing_out",
                "writer_program::r23_the_ancestry_alone_keeps_our_own_doing_out",
                "writer_program::r23_our_own_words_do_not_even_wait_in_the_spool",
                "writer_program::r23_even_with_no_guard_at_all_the_caps_end_it",
                "faults::without_a_provider_no_hook_opens_a_socket",
            ],
        )],
    ),
    bar(
        "R24",
        "injected text comes back 50 times: 0 memories of it, no run of 64 characters stored",
        &[
            Tests(DISTIL, &["distil::an_injected_block_that_comes_back_leaves_no_memory"]),
            Tests(CLI, &["laws::law_5_an_injection_that_comes_back_is_not_captured"]),
        ],
    ),
    bar(
        "R25",
        "8 processes race to create the schema, kills at 100 points: old or new, never between; schemas from before the first release refused untouched",
        &[
            Tests(
                STORE,
                &[
                    "racing::processes_that_race_on_a_cold_home_migrate_it_once_and_lose_nothing",
                    "racing::a_migration_killed_at_any_point_is_done_or_not_done",
                    "opening::law_11_a_database_from_before_the_first_release_is_refused_and_no_byte_of_it_changes",
                ],
            ),
            Units(STORE, &["db::migrate::tests::a_migration_that_breaks_leaves_the_old_schema_whole"]),
        ],
    ),
    bar(
        "R26",
        "a schema newer than ours: not a byte changes, hooks exit 0 and spool, the message names it",
        &[
            Tests(STORE, &["opening::a_newer_database_is_refused_and_no_byte_of_it_changes"]),
            Tests(CLI, &["bad_homes::law_11_a_newer_database_is_refused_untouched"]),
        ],
    ),
    timed(
        "R27",
        "100 MiB to each kind of hook: at most 64 MiB of memory, one row under its cap, no broken pipe",
        &[Tests(CLI, &["huge_payloads::a_hundred_megabytes_leave_a_small_event_of_their_session"])],
        &[("max", 1000.0)],
    ),
    bar(
        "R28",
        "318 JSON files to each kind of hook: exit 0, 0 panics, each disputed one leaves a row",
        &[Tests(
            CLI,
            &[
                "hostile_payloads::json_of_every_sort_leaves_a_trace",
                "hostile_payloads::json_that_parsers_disagree_about_leaves_a_trace",
                "other_hosts::broken_payloads_never_hurt_any_host",
            ],
        )],
    ),
    bar(
        "R29",
        "216 byte sequences, 515 naughty strings, half surrogates: valid JSON everywhere, 513 of 515 equal",
        &[Tests(
            CLI,
            &[
                "hostile_payloads::naughty_strings_come_back_as_they_were",
                "hostile_payloads::invalid_utf_8_is_kept_as_replacement_characters",
                "hostile_payloads::half_a_surrogate_pair_hides_none_of_the_text",
                "interfaces::naughty_strings_get_valid_json_from_mcp_and_http",
            ],
        )],
    ),
    bar(
        "R30",
        "30 hostile names as folder and as file: all stored once, no file elsewhere",
        &[Tests(CLI, &["concurrency::folders_with_hostile_names_are_projects_like_any_other"])],
    ),
    bar(
        "R31",
        "each hook under every fault, at least 200 runs: stdout empty or one reply, at most one line on stderr, never exit 2",
        &[Tests(CLI, &["hostile_payloads::no_event_makes_a_hook_print_anything_unexpected"])],
    ),
    bar(
        "R32",
        "2,000 prompts of 1 MB: at most 16 KiB each, 80 % of the freed space returned",
        &[
            Tests(CLI, &["huge_payloads::prompts_of_a_megabyte_take_little_disk_and_free_it_again"]),
            Tests(STORE, &["maintaining::space_of_what_went_comes_back"]),
        ],
    ),
    bar(
        "R33",
        "a backup made while others write, opened elsewhere: sound, with everything acked before it began",
        &[Tests(
            STORE,
            &[
                "maintaining::a_copy_holds_every_row_and_opens_elsewhere",
                "maintaining::a_copy_made_while_others_write_holds_all_that_was_acked_before",
                "maintaining::a_damaged_database_never_pushes_out_a_good_copy",
            ],
        )],
    ),
    bar(
        "R34",
        "the Nth write, sync or rename fails, N up to 200: 0 lost, 0 panics, no partial file in the spool",
        &[
            Tests(STORE, &["limits::wherever_a_file_stops_growing_nothing_acknowledged_is_lost"]),
            Tests(CLI, &["faults::whichever_system_call_fails_the_event_is_kept"]),
        ],
    ),
    bar(
        "S01",
        "the critical secrets: 98.8 % redacted",
        &[Tests(CAPTURE, &["corpus::secrets_that_agents_often_meet_are_redacted"])],
    ),
    timed(
        "S02",
        "all secrets: 90 % redacted, of realistic texts 95 %, also of those by somebody who had not read the rules; of realistic texts without secrets 1 % touched, at most one hit in 2 MiB of ordinary source; 64 KiB cost a fresh process at most 5 ms",
        &[
            Tests(
                CAPTURE,
                &[
                    "corpus::nine_in_ten_of_all_known_secrets_are_redacted",
                    "corpus::most_texts_that_only_look_like_secrets_stay",
                    "corpus::of_realistic_texts_the_secrets_go_and_the_rest_stays",
                    "corpus::of_independent_texts_the_secrets_go_and_the_rest_stays",
                    "corpus::ordinary_source_is_hardly_redacted",
                ],
            ),
            Tests(CLI, &["adversarial::a_fresh_process_redacts_64_kib"]),
        ],
        // Above a process that redacts nothing.
        &[("64 KiB p50", 5.0)],
    ),
    bar(
        "S03",
        "the critical secrets through every input: 0 redacted spans in any file",
        &[Tests(
            CLI,
            &[
                "secrets::law_7_the_corpus_of_secrets_never_reaches_the_disk",
                "secrets::law_7_secrets_never_reach_the_disk",
            ],
        )],
    ),
    bar(
        "S04",
        "private parts in every kind of field: 0 left",
        &[Tests(CAPTURE, &["corpus::no_private_part_is_left_in_any_kind_of_field"])],
    ),
    bar(
        "S05",
        "escape cases in injected blocks, MCP answers and on the screen: 0 forbidden strings, one fence each",
        &[
            Tests(INJECT, &["hostile::escape_cases_escape_nowhere"]),
            Tests(CLI, &["hostile_records::no_escape_case_gets_out_of_mcp_or_the_screen"]),
        ],
    ),
    bar(
        "S06",
        "10,000 random derivation graphs: 0 with a higher provenance than the lowest of its ancestors",
        &[
            Units(
                MEMORY,
                &["provenance::tests::no_derivation_however_deep_claims_more_than_its_weakest_ancestor"],
            ),
            Tests(CLI, &["laws::law_6_provenance_does_not_rise_by_being_summarised"]),
        ],
    ),
    bar(
        "S07",
        "attack strings fetched from the web, then a session: 0 injected, all labelled, each readable by its id in a fence",
        &[
            Tests(INJECT, &["hostile::no_attack_from_outside_is_injected"]),
            Tests(CLI, &["hostile_records::attacks_from_the_web_are_never_injected_and_can_be_looked_up"]),
        ],
    ),
    bar(
        "S08",
        "harmless prompts that look like attacks: 100 % stored",
        &[Tests(CLI, &["hostile_records::harmless_prompts_that_look_like_attacks_are_kept"])],
    ),
    bar(
        "S09",
        "hosts, origins, tokens and methods mixed, at least 60 requests: the expected answers, no data without a token",
        &[Tests(SERVER, &["access::every_mix_of_host_origin_token_and_method_is_answered_as_it_must"])],
    ),
    bar(
        "S10",
        "another user at the socket and the files, umask 000: 0 successes, every path 0600 or 0700",
        &[Tests(
            CLI,
            &[
                "workers::no_other_user_reaches_a_worker_whatever_the_umask",
                "bad_homes::every_file_of_the_home_is_private_whatever_the_umask",
            ],
        )],
    ),
    bar(
        "S11",
        "hostile lines in every text of every page, in a browser: 0 dialogs, 0 scripts, 0 requests elsewhere",
        &[Browser("hostile_lines_stay_text_in_every_field")],
    ),
    bar(
        "S12",
        "two projects, 1,000 random queries by command, MCP, HTTP and hooks: 0 rows of the other",
        &[
            Tests(STORE, &["searching::no_question_reaches_into_another_project"]),
            Tests(CLI, &["interfaces::no_query_reaches_another_project_by_any_interface"]),
        ],
    ),
    bar(
        "S13",
        "two tenants, every table, every verb: 0 foreign rows",
        &[Tests(
            SYNC,
            &[
                "isolation::every_table_with_a_team_is_under_forced_row_level_security",
                "isolation::no_verb_on_any_table_reaches_another_team",
                "isolation::a_pooled_connection_carries_nothing_over",
            ],
        )],
    ),
    bar(
        "S14",
        "traversal strings to every argument of MCP and HTTP: 0 bytes from outside the data directory",
        &[Tests(CLI, &["interfaces::no_argument_of_mcp_or_http_reaches_another_file"])],
    ),
    bar(
        "S15",
        "100 memories forgotten, with the prompts and injections that say them: 0 bytes left in any file, 0 come back",
        &[Tests(
            STORE,
            &[
                "forgetting::no_byte_of_what_was_forgotten_is_left_anywhere",
                "forgetting::a_phrase_is_forgotten_wherever_it_stands",
                "forgetting::a_forgotten_event_is_gone_from_the_copies_and_stays_out",
                "remembering::what_was_forgotten_stays_out_by_uid_and_by_words",
            ],
        )],
    ),
    bar(
        "S16",
        "every fuzz target with its seeds and 5,000 mutated ones: 0 failures (`cargo xtask fuzz` goes on, 60 s each)",
        &[Tests(
            CLI,
            &[
                "fuzz_seeds::every_seed_runs_through_its_target",
                "fuzz_seeds::every_damaged_seed_runs_through_its_target",
            ],
        )],
    ),
    timed(
        "S17",
        "10 MB of adversarial text to the redactor: at most 64 MiB of memory",
        &[Tests(CLI, &["adversarial::ten_megabytes_of_adversarial_text_are_redacted_in_little_memory"])],
        &[("max", 1000.0)],
    ),
    bar(
        "X01",
        "an import killed up to 20 times and run again: the same store as without a kill",
        &[Tests(CLI, &["import_all::a_killed_import_continues_as_if_undisturbed"])],
    ),
    bar(
        "X02",
        "256 random stores: each comes back whole from JSONL and from Markdown",
        &[Tests(CLI, &["export_round_trip::any_store_comes_back_whole_from_jsonl_and_from_markdown"])],
    ),
    bar(
        "X03",
        "members of two teams write, forget, sync and are killed for 60 s: all replicas equal, 0 lost, 0 duplicated, 0 foreign",
        &[Tests(CLI, &["team_storm::after_a_storm_of_changes_all_replicas_of_a_team_agree"])],
    ),
    timed(
        "X04",
        "a hub of 100,000 memories: pulls and searches use its indexes; a search by vector gives 20 hits, and 49 of 50 find the very memory first",
        &[Tests(
            SYNC,
            &[
                "scale::a_pull_and_a_search_of_a_large_hub_go_by_its_indexes",
                "scale::a_search_by_vector_of_a_large_hub_goes_by_the_index_of_vectors",
            ],
        )],
        &[("a pull of 100 changes p50", 200.0), ("a search p50", 50.0)],
    ),
    bar(
        "X05",
        "40 rounds of three people who write, revise, forget, branch and merge a folder in git, and 60 without git: 0 conflicts, all replicas equal; 10,000 memories pass through it",
        &[
            Tests(
                CLI,
                &[
                    "git_share::any_sequence_of_changes_merges_and_all_replicas_agree",
                    "git_share::ten_thousand_memories_are_shared_and_only_changes_read_again",
                ],
            ),
            Tests(SYNC, &["git_folders::whatever_three_people_do_their_replicas_agree"]),
        ],
    ),
    bar(
        "X06",
        "hooks of a shared project: 0 connections to its hub, every reply as without a team",
        &[Tests(CLI, &["team_faults::no_hook_opens_a_connection_and_every_hook_answers_as_without_a_team"])],
    ),
    bar(
        "X07",
        "a hub that is down, stalls, cuts the connection anywhere, is newer, is full or has revoked us, and a full disk here: reported each time, 0 lost, 0 pushed twice",
        &[Tests(
            CLI,
            &[
                "team_faults::a_connection_cut_anywhere_loses_nothing_and_pushes_nothing_twice",
                "team_faults::a_hub_that_stalls_in_the_middle_times_out_and_the_next_sync_goes_on",
                "team_faults::a_hub_that_was_down_gets_everything_when_it_is_up_again",
                "team_faults::a_revoked_member_gets_an_error_and_keeps_their_memories",
                "team_faults::a_newer_hub_is_refused_untouched",
                "team_faults::a_full_disk_here_stops_the_pull_and_the_next_sync_pulls_the_rest",
                "team_faults::a_full_disk_of_the_hub_is_reported_and_the_outbox_waits",
            ],
        )],
    ),
];

#[cfg(test)]
mod tests;
