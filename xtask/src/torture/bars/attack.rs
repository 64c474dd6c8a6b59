//! The attack suite: what a repository, an agent, a colleague's hub or a full disk may try, in groups, and the tests that try it.
//!
//! A group stands for rows of a table of attacks that once broke something. Each test reports for a row how many attempts it made and how
//! many failed (`testkit::held`); `cargo xtask torture --suite attack` adds them up.

use super::{Bar, CAPTURE, CLI, INJECT, MEMORY, SERVER, STORE, SYNC, Tests, Units, bar};

const EXCHANGE: &str = "backstory-exchange";

/// A group of attacks and the bar that holds it off.
pub(crate) struct AttackGroup {
    /// The rows of the table of attacks that it stands for, each with what was attacked.
    pub(crate) rows: &'static [(u8, &'static str)],
    pub(crate) bar: Bar,
}

/// Every group, in the order of the ids.
pub(crate) const ATTACKS: &[AttackGroup] = &[
    AttackGroup {
        rows: &[
            (1, "memories in a repository"),
            (6, "another program's database"),
            (9, "commits of strangers"),
            (10, "files that claim"),
        ],
        bar: bar(
            "A01",
            "databases, exports, rules files, transcripts and commits in a hostile repository: 0 memories outside of it, 0 believed more than a repository",
            &[
                Tests(
                    CLI,
                    &[
                        "hostile_repository::what_a_repository_carries_stays_in_it_as_its_own_words",
                        "hostile_repository::setup_believes_a_repository_no_more_than_import_does",
                        "hostile_repository::a_link_out_of_a_repository_is_not_followed",
                        "import_jsonl::law_6_a_file_is_believed_as_an_import_whatever_it_claims",
                    ],
                ),
                Tests(
                    STORE,
                    &[
                        "importing::only_real_tables_of_another_program_are_read",
                        "importing::another_programs_database_is_read_up_to_its_limits",
                    ],
                ),
                Tests(EXCHANGE, &["git::commits_of_others_are_the_repositorys_words"]),
            ],
        ),
    },
    AttackGroup {
        rows: &[(2, "programs that git runs")],
        bar: bar(
            "A02",
            "at least 12 ways for a repository to have git run a program: 0 run",
            &[
                Tests(CAPTURE, &["git_programs::git_runs_no_program_that_a_repository_names"]),
                Tests(CLI, &["identity::a_hook_runs_no_program_of_the_repository"]),
            ],
        ),
    },
    AttackGroup {
        rows: &[(3, "identity of a project")],
        bar: bar(
            "A03",
            "at least 11 ways for a repository to pass for another: 0 see or write its memories",
            &[
                Tests(
                    CAPTURE,
                    &[
                        "identity::law_8_a_repository_cannot_take_the_identity_of_another",
                        "identity::law_8_a_repository_cannot_borrow_the_history_of_another",
                    ],
                ),
                Tests(
                    CLI,
                    &[
                        "identity::law_8_a_folder_that_claims_a_project_sees_nothing_of_it_until_the_user_says_so",
                    ],
                ),
            ],
        ),
    },
    AttackGroup {
        rows: &[(4, "laundered words")],
        bar: bar(
            "A04",
            "words of others passed off as the user's, on at least 300 routes: 0 that ask for an action injected unasked",
            &[
                Tests(
                    CLI,
                    &[
                        "attack_laundering::no_route_ends_in_an_order_that_is_injected_unasked",
                        "agent_writer::law_6_a_quote_makes_no_rule_of_the_users_words_in_another_order",
                        "confirmed_by_use::law_6_use_confirms_only_what_one_session_fetched_and_acted_on",
                        "confirmed_by_use::law_6_no_use_confirms_a_strangers_word_or_an_order",
                        "review::law_6_what_an_agent_writes_waits_for_the_user",
                        "review::law_6_a_host_in_the_environment_makes_every_command_the_agents",
                        "review::law_6_an_agent_does_not_change_the_users_words",
                    ],
                ),
                Tests(INJECT, &["hostile::law_6_a_line_that_asks_for_an_action_is_the_users_or_left_out"]),
            ],
        ),
    },
    AttackGroup {
        rows: &[(8, "hubs that speak as you"), (16, "kinds the policy excludes"), (17, "oversized messages")],
        bar: bar(
            "A05",
            "a hub or a member that forges authors, kinds, sizes and deletions: 0 believed, all deletions of others restorable",
            &[
                Tests(
                    SYNC,
                    &[
                        "bad_rows::what_is_larger_than_a_memory_can_be_is_rejected",
                        "bad_rows::the_index_of_words_is_made_by_the_hub_whatever_a_member_sends",
                        "bad_rows::what_an_open_transaction_holds_back_is_noticed",
                        "message_length::a_message_of_two_gigabytes_is_refused_at_its_head",
                    ],
                ),
                Units(
                    SYNC,
                    &["share_policy::tests::what_the_policy_keeps_local_is_not_taken_in_from_others_either"],
                ),
                Tests(
                    STORE,
                    &[
                        "sync::words_are_the_users_own_only_where_this_machine_knows_them",
                        "sync::what_others_forget_of_the_user_or_in_masses_can_be_restored_for_thirty_days",
                    ],
                ),
                Tests(
                    CLI,
                    &[
                        "team_isolation::what_a_colleague_forgets_of_yours_is_shown_and_can_be_restored",
                        "team_isolation::hits_of_the_hub_get_the_provenance_of_pulled_memories",
                    ],
                ),
            ],
        ),
    },
    AttackGroup {
        rows: &[(7, "forgetting by others"), (11, "forgotten words")],
        bar: bar(
            "A06",
            "forgotten memories, prompts and phrases, every file read: 0 bytes left; agents forget nothing",
            &[
                Tests(
                    STORE,
                    &[
                        "forgetting::no_byte_of_what_was_forgotten_is_left_anywhere",
                        "forgetting::a_phrase_is_forgotten_wherever_it_stands",
                        "forgetting::a_forgotten_event_is_gone_from_the_copies_and_stays_out",
                    ],
                ),
                Tests(
                    CLI,
                    &[
                        "revise_and_forget::no_file_holds_a_forgotten_memory",
                        "revise_and_forget::prompts_are_forgotten_by_their_words_and_by_their_number",
                        "revise_and_forget::a_phrase_that_only_a_backup_says_is_forgotten_there_too",
                        "mcp::an_agent_can_forget_only_if_the_user_lets_it",
                    ],
                ),
            ],
        ),
    },
    AttackGroup {
        rows: &[(12, "retention"), (13, "full disk"), (14, "backups and damage")],
        bar: bar(
            "A07",
            "full, failing and damaged disks: losses counted and reported, 0 healthy stores set aside, damaged ones come back without a backup",
            &[
                Tests(
                    CLI,
                    &[
                        "faults::law_3_events_lost_on_a_full_disk_are_counted_and_reported",
                        "faults::a_disk_that_fails_to_read_does_not_cost_a_healthy_database",
                        "faults::what_is_no_file_of_ours_is_neither_waited_for_nor_followed",
                        "maintenance::retention_depends_neither_on_backups_nor_on_the_end_of_a_session",
                        "maintenance::a_backup_is_made_by_any_writer_when_the_last_is_a_day_old",
                    ],
                ),
                Tests(STORE, &["repairing::scattered_damage_without_a_backup_costs_at_most_what_came_last"]),
            ],
        ),
    },
    AttackGroup {
        rows: &[(5, "login keys"), (15, "names of branches and files"), (19, "names, pipes, silence")],
        bar: bar(
            "A08",
            "other users and programs of this machine: 0 login keys in arguments, 0 connections that shut the viewer, 0 secrets or lines by way of names",
            &[
                Tests(
                    CLI,
                    &[
                        "workers::view_hands_the_browser_a_private_page_and_no_key",
                        "secrets::law_7_names_of_branches_and_files_bring_no_secret_in",
                        "faults::a_payload_on_an_input_that_stays_open_is_kept",
                    ],
                ),
                Tests(SERVER, &["access::connections_that_say_nothing_keep_nobody_out"]),
                Units(MEMORY, &["details::tests::a_name_with_line_breaks_makes_no_line_of_its_own"]),
            ],
        ),
    },
    AttackGroup {
        rows: &[(18, "secrets in texts")],
        bar: bar(
            "A09",
            "realistic texts with secrets, by us and by somebody who had not read the rules: 95 % redacted, 1 % of those without touched",
            &[Tests(
                CAPTURE,
                &[
                    "corpus::of_realistic_texts_the_secrets_go_and_the_rest_stays",
                    "corpus::of_independent_texts_the_secrets_go_and_the_rest_stays",
                ],
            )],
        ),
    },
];

/// The table of attacks has so many rows.
#[cfg(test)]
const ROWS: u8 = 19;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_of_attacks_is_in_one_group() {
        let mut rows: Vec<u8> = ATTACKS.iter().flat_map(|group| group.rows).map(|(row, _)| *row).collect();
        rows.sort_unstable();
        assert_eq!(rows, (1..=ROWS).collect::<Vec<_>>());
    }
}
