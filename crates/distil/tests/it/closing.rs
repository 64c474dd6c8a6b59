//! What holds for every closing message, and the titles of commits.

use crate::cases::{assert_none, cases};
use backstory_distil::{Closing, closing, title_of_commit};
use backstory_memory::TITLE_CHARS;
use proptest::prelude::*;

#[test]
fn closing_messages_are_read_as_a_person_would() {
    let keys = ["message", "claim", "next", "question", "learned", "answer"];
    let files = ["closing/seen.txt", "closing/held_out.txt", "closing/later.txt"];
    let wrong = files.into_iter().flat_map(|file| cases(file, &keys)).flat_map(|case| {
        let Closing { claim, next_steps, questions, learned, answer } = closing(&case.all("message")[0]);
        [
            case.differs("claim", claim.as_slice()),
            case.differs("next", &next_steps),
            case.differs("question", &questions),
            case.differs("learned", &learned),
            case.differs("answer", answer.as_slice()),
        ]
    });
    assert_none(&wrong.flatten().collect::<Vec<_>>());
}

#[test]
fn a_commit_gives_the_title_its_subject_says() {
    let check =
        |message, title: Option<&str>| assert_eq!(title_of_commit(message).as_deref(), title, "{message}");
    check("fix(retry): stop after three attempts (#123)", Some("Stop after three attempts"));
    check("feat!: drop Python 3.8\n\nNobody runs it.", Some("Drop Python 3.8"));
    check("capture: a failure is paired with its fix", Some("capture: a failure is paired with its fix"));
    check("ABC-77: Cache the user lookup.", Some("Cache the user lookup"));
    check("[ABC-77] cache the user lookup [skip ci]", Some("Cache the user lookup"));
    check(":sparkles: Add dark mode", Some("Add dark mode"));
    check("✨ Add dark mode (beta)", Some("Add dark mode (beta)"));
    check("perf: `runMigration` reads rows in batches", Some("runMigration reads rows in batches"));
    check("perf: `claim` locks the row", Some("claim locks the row"));
    check("\n# comment of an editor\nUpdate the lockfile\n", Some("Update the lockfile"));
    check("Merge branch 'main' into feature/x", None);
    check("Merge pull request #4 from a/b", None);
    check("Revert \"feat: drop Python 3.8\"", None);
    check("revert: feat: drop Python 3.8", None);
    check("wip", None);
    check("WIP: half of the parser", None);
    check("chore: wip on parser", None);
    check("fixup! Add dark mode", None);
    check("v1.2.3", None);
    check("On main: half of the parser", None);
    check("On a Mac, look elsewhere", Some("On a Mac, look elsewhere"));
    check("backup before move", None);
    check("Backup the store before it is migrated", Some("Backup the store before it is migrated"));
    check("fix: typo", None);
    check("", None);
}

#[test]
fn that_nothing_is_left_to_do_is_no_step() {
    for message in [
        "I've fixed the pager. Nothing is left to do.",
        "Fixed the pager. There is nothing left to do here.",
        "Fixed the pager.\n\n## Next steps\n\n- None, nothing remains open",
        "Fixed the pager. No further steps are needed.",
        "Fixed the pager. There are no open questions or remaining tasks, so nothing else to do.",
    ] {
        assert_eq!(closing(message).next_steps, Vec::<String>::new(), "{message}");
    }
    for message in [
        "Fixed the pager. The footer is still to do.",
        "Next step: nothing in the footer is counted yet, count it",
    ] {
        assert_eq!(closing(message).next_steps.len(), 1, "{message}");
    }
}

#[test]
fn a_long_list_of_steps_is_cut() {
    let steps: String = (0..20).map(|step| format!("- Port module {step} to the new type\n")).collect();
    let found = closing(&format!("Ported the first module.\n\n## Next steps\n\n{steps}"));
    assert_eq!(found.claim.as_deref(), Some("Ported the first module"));
    assert_eq!(found.next_steps.len(), 8);
}

/// Messages made of what the rules look for, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "I've fixed the loop in `run()`. ",
        "Added a flag ",
        "Done! ",
        "## Next steps\n",
        "### Changes\n",
        "- [ ] ",
        "- [x] ",
        "- ",
        "1. ",
        "> ",
        "| a | b |\n",
        "```",
        "`",
        "**",
        "*",
        "_",
        "\n",
        "\n\n",
        ": ",
        "; ",
        ", and ",
        "(",
        ")",
        "](x) ",
        "[",
        "✅ ",
        "🎉",
        "e.g. ",
        "Should it be one or two? ",
        "Note that the old one stays. ",
        "The root cause was a stale entry. ",
        "you may want to ",
        "TODO: ",
        "now ",
        "the parser ",
        "it ",
        "<a-b>",
        "</a-b>",
        "…",
        "é",
        "word ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn holds_for(message: &str) {
    let found = closing(message);
    for line in found.claim.iter().chain(&found.next_steps).chain(&found.questions).chain(&found.learned) {
        assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
    }
    assert!(found.next_steps.len() <= 8 && found.questions.len() <= 8 && found.learned.len() <= 5);
    assert!(found.answer.is_none_or(|answer| !answer.is_empty() && !answer.contains('\n')));
    let Some(claim) = found.claim else {
        return;
    };
    assert!(claim.chars().count() <= TITLE_CHARS, "{claim:?}");
    assert!(!claim.starts_with(['#', '*', '>', '|', '`', '_', ' ', ':', '•']), "{claim:?}");
    assert!(!claim.ends_with(['#', '*', '>', '|', '`', '_', ' ', ':', '.', ',']), "{claim:?}");
    let again = closing(&claim).claim.unwrap_or_default();
    // What stood in backticks kept its case; without them nothing tells a name from a word.
    let capital: String =
        claim.chars().take(1).flat_map(char::to_uppercase).chain(claim.chars().skip(1)).collect();
    assert!(again == claim || again == capital, "{claim:?} claims {again:?}");
}

proptest! {
    #[test]
    fn a_claim_is_one_plain_line_that_claims_itself(message: String, pieces in pieces()) {
        holds_for(&message);
        holds_for(&pieces);
    }

    #[test]
    fn nothing_is_read_from_code_or_an_injected_block(before in pieces(), is_closed: bool) {
        let before = before.replace(['`', '<', '>'], "");
        let end = if is_closed { "</system-reminder>" } else { "" };
        let text = "Fixed the zebra. Note that the zebra stays. TODO: feed the zebra. Should the zebra be fed?";
        for message in [
            format!("{before}\n```\n{text}\n```\n"),
            format!("{before}\n<system-reminder>\n{text}\n{end}"),
            format!("{before}\n\n> {text}"),
        ] {
            prop_assert!(!format!("{:?}", closing(&message)).contains("zebra"), "{message:?}");
        }
    }
}

proptest! {
    #[test]
    fn a_commit_title_is_one_short_line(message: String) {
        if let Some(title) = title_of_commit(&message) {
            prop_assert!(!title.is_empty() && title.chars().count() <= TITLE_CHARS && !title.contains('\n'));
        }
    }
}

#[test]
fn open_work_is_recognised_in_many_wordings() {
    let check = |message: &str, steps: &[&str]| assert_eq!(closing(message).next_steps, steps, "{message}");
    check("Added the lexer. I haven't wired it into the CLI yet.", &["I haven't wired it into the CLI yet"]);
    check("I'm blocked: the CI token has expired.", &["I'm blocked: the CI token has expired"]);
    check(
        "Ported the parser. Two tests still fail: test_a and test_b.",
        &["Two tests still fail: test_a and test_b"],
    );
    check("Done. As a follow-up, the old lexer can be deleted.", &["The old lexer can be deleted"]);
    check("Added the lexer.\n\nStill to do: the CLI flag.", &["The CLI flag"]);
    check("Added the lexer.\n\nOpen: the CLI flag.", &["The CLI flag"]);
    let both = ["Wire the flag into the CLI", "Delete the old lexer"];
    for heading in [
        "Remaining work",
        "**Remaining work**",
        "**Remaining work:**",
        "Remaining work:",
        "## Remaining work",
        "Open:",
        "Still to do:",
        "There is some remaining work:",
    ] {
        let list = "- wire the flag into the CLI\n- delete the old lexer";
        check(&format!("Added the lexer.\n\n{heading}\n{list}"), &both);
        check(&format!("Added the lexer.\n\n{heading}\n\n{list}"), &both);
    }
    for message in [
        "The tests were still failing because the clock was wrong. Fixed the clock.",
        "If the token is missing, the tests still fail with a clear message.",
        "Blocked requests from unknown hosts in the proxy.",
        "Fixed the proxy: it was blocked by the firewall.",
        "Added the file, which did not exist yet.",
        "Open files are closed now.",
    ] {
        check(message, &[]);
    }
}

#[test]
fn a_name_in_backticks_keeps_its_case() {
    let message = "`claim` in the queue reads the row and never locks it.";
    assert_eq!(
        closing(message).claim.as_deref(),
        Some("claim in the queue reads the row and never locks it")
    );
}
