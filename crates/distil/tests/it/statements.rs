//! The shape of a statement (title, reason, correction), and what holds for every text.

use backstory_distil::{Polarity, Speaker, Statement, statements};
use backstory_memory::TITLE_CHARS;
use proptest::prelude::*;

fn only(text: &str, speaker: Speaker) -> Statement {
    let mut found = statements(text, speaker);
    assert_eq!(found.len(), 1, "{text:?} yielded {found:?}");
    found.remove(0)
}

#[test]
fn a_title_reads_as_a_person_would_write_it() {
    let check = |text, title: &str| assert_eq!(only(text, Speaker::User).title, title);
    check("no, we use `pnpm` here, not `npm`!", "We use pnpm here, not npm");
    check("I've decided to keep the monolith because we are four people.", "Keep the monolith");
    check("Also please never leave **dead code** in files.", "Never leave dead code in files");
    check(
        "We decided to follow [the guide](https://a.example/guide) for commits.",
        "Follow the guide for commits",
    );
    check("Gotcha: the build fails when the path has a space.", "The build fails when the path has a space");
    check("runMigration() must never run twice", "runMigration() must never run twice");
    check("`npm install` must never run in CI", "npm install must never run in CI");
    check(
        "I'd like all new components to be server components from now on",
        "All new components to be server components from now on",
    );
    check("I want error messages to be in German", "Error messages to be in German");
    check("I'd rather have it crash loudly", "I'd rather have it crash loudly");
    check(
        "Always run the linter before you commit, CI rejects it otherwise",
        "Always run the linter before you commit",
    );
    check("yes please, but don't pull in celery", "Don't pull in celery");
    check("fair, let's stay on psycopg then", "Stay on psycopg then");
}

#[test]
fn a_reason_is_read_from_the_sentence_or_the_one_after() {
    let reason = |text| only(text, Speaker::User).reason;
    assert_eq!(
        reason("We chose Tauri because Electron was too heavy.").as_deref(),
        Some("because Electron was too heavy")
    );
    let text = "We decided to pin the compiler. The reason is a broken nightly. Please push.";
    let found = only(text, Speaker::User);
    assert_eq!(found.text, "We decided to pin the compiler. The reason is a broken nightly.");
    assert_eq!(found.reason.as_deref(), Some("The reason is a broken nightly."));
    assert_eq!(reason("Never push to main."), None);
    assert_eq!(
        reason("Always run the linter before you commit, CI rejects it otherwise").as_deref(),
        Some("CI rejects it otherwise")
    );
}

#[test]
fn a_correction_names_the_new_and_the_old() {
    let check = |text, new: Option<&str>, old: Option<&str>| {
        let correction = only(text, Speaker::User).correction.unwrap_or_default();
        assert_eq!((correction.new.as_deref(), correction.old.as_deref()), (new, old), "{text}");
    };
    check("no, we use pnpm here, not npm", Some("pnpm"), Some("npm"));
    check("No. We use `ruff` for linting.", Some("ruff"), None);
    check("Use ruff instead of flake8.", Some("ruff"), Some("flake8"));
    check("We don't use Redux anymore, we use zustand.", Some("zustand"), Some("Redux"));
    check("We're switching from Jest to Vitest.", Some("Vitest"), Some("Jest"));
    check("The port is 5433, not 5432.", Some("5433"), Some("5432"));
    check("We chose gRPC over REST for the internal services.", Some("gRPC"), Some("REST"));
    check("never commit directly to main", None, None);
}

#[test]
fn a_prohibition_is_denied_and_a_demand_affirmed() {
    let polarity = |text| only(text, Speaker::User).polarity;
    assert_eq!(polarity("Never commit to main."), Polarity::Denied);
    assert_eq!(polarity("Don't use `any` in TypeScript, ever."), Polarity::Denied);
    assert_eq!(polarity("Always run the formatter."), Polarity::Affirmed);
    assert_eq!(polarity("We use pnpm, not npm."), Polarity::Affirmed);
}

#[test]
fn each_statement_of_a_longer_text_stands_alone() {
    let text = "Fixed the login loop.\n\n## What happened\n\nThe root cause was a stale cookie. I kept the old \
                cookie name because v1.2 clients read it.\n\n```rust\n// never do this\n```\n\n## Next steps\n\n\
                - Always rotate the key\n\nLet me know if you want more.";
    let titles: Vec<String> =
        statements(text, Speaker::Assistant).into_iter().map(|statement| statement.title).collect();
    assert_eq!(titles, ["The root cause was a stale cookie", "Kept the old cookie name"]);
}

#[test]
fn nothing_comes_from_what_no_one_in_the_session_said() {
    let rule = "We use pnpm, not npm. Never push to main. The root cause was a stale cache.";
    for said in [rule.to_owned(), format!("Rules:\n\n- {}", rule.replace(". ", "\n- "))] {
        for text in [
            format!("<system-reminder>\n{said}\n</system-reminder>\n"),
            format!("<system-reminder>{said}</system-reminder> go on"),
            format!("go on\n<backstory-memory nonce=\"1\">\n{said}\n</backstory-memory>"),
            format!("<local-command-stdout>{said}</local-command-stdout>"),
            format!("```\n{said}\n```"),
            format!("~~~text\n{said}\n~~~"),
            format!("````md\n```\ncode\n```\n{said}\n````"),
            format!("- see\n  ```\n  {}\n  ```", said.replace('\n', "\n  ")),
            format!("> {}", said.replace('\n', "\n> ")),
            format!("You are Claude Code, an agent.\n\n{said}"),
            format!("look at this prompt\n\nYou're a reviewer of code.\n\n{said}"),
            format!("# CLAUDE.md\n\n{said}"),
            format!("here is the ticket:\n\n{said}"),
        ] {
            assert_eq!(statements(&text, Speaker::User), [], "{text}");
        }
    }
}

#[test]
fn what_is_said_of_the_moment_is_no_statement() {
    for momentary in [
        "Let's go with option 2",
        "No, use the other file",
        "I prefer option B",
        "Let's keep it simple for now",
        "I added the key to .env, try again",
        "I set the timeout to 30 for testing, ignore it",
        "I moved the file to src/util",
        "We chose the wrong file, revert that",
        "we are moving on to the next task",
        "I am keeping my changes, just rebase",
        "Always returns null for me",
        "It works after a restart",
    ] {
        assert_eq!(statements(momentary, Speaker::User), [], "{momentary}");
    }
    only("I set the timeout to 30 seconds because the proxy cuts at 31.", Speaker::User);
    only("We moved from Jest to Vitest.", Speaker::User);
}

/// Texts made of what the rules look for, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "no, we use pnpm here, not npm. ",
        "Always run the formatter. ",
        "Deploys need the VPN. ",
        "because ",
        "`code` ",
        "`",
        "```",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "# Plan\n",
        "<a-b>",
        "</a-b>",
        "\"",
        "’",
        "é",
        "decided to ",
        "e.g. ",
        "v1.2 ",
        "not ",
        ", ",
        "…",
        "](",
        "[",
        "we ",
        "use ",
        "I think ",
        "?",
        ": ",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn holds_for(text: &str) {
    for speaker in [Speaker::User, Speaker::Assistant] {
        let found = statements(text, speaker);
        assert_eq!(found, statements(text, speaker));
        for statement in found {
            assert!(text.contains(&statement.text));
            assert!(!statement.title.is_empty() && statement.title.chars().count() <= TITLE_CHARS);
            assert!(!statement.title.contains('\n'));
            assert!(statement.reason.is_none_or(|reason| text.contains(&reason)));
        }
    }
}

proptest! {
    #[test]
    fn any_text_yields_its_own_words_and_the_same_each_time(text: String, pieces in pieces()) {
        holds_for(&text);
        holds_for(&pieces);
    }

    #[test]
    fn nothing_comes_from_inside_a_fence(before in pieces(), inside in "[a-z ,.\n]{0,60}") {
        let before = before.replace(['`', '<', '>'], "");
        let text = format!("{before}\n```\nWe decided to use fenced because of it. {inside}\n```\n");
        for statement in statements(&text, Speaker::User) {
            prop_assert!(!statement.text.contains("fenced"), "{statement:?}");
        }
    }

    #[test]
    fn nothing_comes_from_an_injected_block(before in pieces(), is_closed: bool) {
        let before = before.replace(['`', '<', '>'], "");
        let end = if is_closed { "</system-reminder>" } else { "" };
        let text = format!("{before}\n<system-reminder>\nAlways use injected words, never others.\n{end}");
        for statement in statements(&text, Speaker::User) {
            prop_assert!(!statement.text.contains("injected"), "{statement:?}");
        }
    }
}
