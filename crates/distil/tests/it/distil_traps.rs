//! Traps of the machine and the tools: the call that failed, the one that worked, and when that is worth a memory.

use crate::recording::Recording;
use backstory_memory::{Activity, Kind, Memory, Provenance, Standing};

fn traps(story: &Recording) -> Vec<Memory> {
    let is_trap = |memory: &Memory| memory.content.category.as_ref().is_some_and(|it| it.0 == "trap");
    story.of_kind(Kind::Fact).into_iter().filter(is_trap).collect()
}

#[test]
fn a_missing_program_and_what_was_used_instead_is_kept_at_once() {
    let mut story = Recording::new();
    story.asks("Build the server.").fails("go build ./cmd/server", "zsh: command not found: go");
    story.runs("/usr/local/go/bin/go build ./cmd/server", "").closes("Built.");
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert_eq!(kept[0].content.title, "Go is not found here, /usr/local/go/bin/go is");
    assert_eq!(
        kept[0].content.body,
        "`go build ./cmd/server` fails here:\nzsh: command not found: go\nWhat worked: `/usr/local/go/bin/go build ./cmd/server`"
    );
    assert_eq!((&kept[0].content.provenance, kept[0].standing), (&Provenance::Tool, Standing::Confirmed));
}

#[test]
fn a_program_that_another_path_finds_is_named() {
    let mut story = Recording::new();
    story.asks("Build it.").fails("cd srv/go && go build ./...", "/bin/bash: line 1: go: command not found");
    story.runs("export PATH=$PATH:/opt/go/bin && cd srv/go && go build ./...", "").closes("Built.");
    assert_eq!(traps(&story)[0].content.title, "Go is not on the PATH here");

    // The program is there: the line itself hid it.
    let mut story = Recording::new();
    story
        .asks("List them.")
        .fails("for path in a b; do gh api $path; done", "(eval):1: command not found: gh");
    story.runs("gh api a", "[]").closes("None.");
    assert_eq!(traps(&story).len(), 0, "{:?}", story.kinds());
}

#[test]
fn a_lock_that_goes_away_is_kept_when_it_is_met_again() {
    let locked = "fatal: Unable to create '/home/dev/project/.git/index.lock': File exists.";
    let mut story = Recording::new();
    for name in ["first", "second"] {
        assert_eq!(traps(&story).len(), 0, "one mistake is none: {:?}", story.kinds());
        story.session(name).asks("Pull main.").fails("git checkout main && git pull", locked);
        story.runs("git checkout main && git pull", "Already up to date.").closes("Pulled.");
    }
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    let kept = &kept[0].content;
    assert!(kept.title.contains("index.lock"), "{}", kept.title);
    assert!(kept.body.ends_with("What worked: to run it again"), "{}", kept.body);
}

#[test]
fn a_flag_that_the_projects_own_tool_wants_is_kept_at_once() {
    let mut story = Recording::new();
    story.asks("List the batches.");
    story.fails("shipctl batches --since 2d", "Error parsing --since: expected a number of days");
    story.looks("docs/shipctl.md").runs("shipctl batches --since 2", "3 batches").closes("Three.");
    assert_eq!(traps(&story)[0].content.title, "shipctl: Error parsing --since: expected a number of days");
}

#[test]
fn a_small_trap_is_kept_when_another_session_meets_it() {
    let build = |story: &mut Recording, name: &str| {
        story.asks("Build the image.");
        story.fails(&format!("docker build --tags {name} ."), "error: unknown flag: --tags");
        story.runs(&format!("docker build --tag {name} ."), "done").closes("Built.");
        // What only looks, and finds nothing, is no trap however often.
        story.asks("Which plans are there?");
        story.fails(&format!("ls docs/{name}"), &format!("ls: docs/{name}: No such file or directory"));
        story.runs("ls docs", "plan.md").closes("One plan.");
    };
    let mut story = Recording::new();
    build(&mut story, "seven");
    assert_eq!(traps(&story).len(), 0, "one mistake is none: {:?}", story.kinds());
    story.session("later");
    build(&mut story, "eight");
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert!(kept[0].content.title.contains("unknown flag"), "{}", kept[0].content.title);
    story.session("third");
    build(&mut story, "nine");
    assert_eq!(traps(&story)[0].times_seen, 2, "met again, it is counted");
}

#[test]
fn what_an_agent_knows_of_its_own_tools_is_no_trap() {
    let mut story = Recording::new();
    let refused =
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>";
    for file in ["a.rs", "b.rs"] {
        story.asks("Change the file.");
        let at = story.root().join(file).display().to_string();
        story.happens(Activity::ToolFailed { at, error: refused.into() }, Provenance::Tool);
        story.looks(file).edits(file, "x", "y").closes("Changed.");
    }
    assert_eq!(traps(&story).len(), 0, "{:?}", story.kinds());
}

#[test]
fn mistakes_of_the_moment_are_no_traps() {
    for (failed, said, worked) in [
        ("cargo build", "error[E0425]: cannot find value `x` in this scope", "cargo build"),
        ("cat src/mian.rs", "cat: src/mian.rs: No such file or directory", "cat src/main.rs"),
        ("git checkout -b fix", "fatal: a branch named 'fix' already exists", "git checkout -b fix-2"),
        ("git stash", "error: could not write index", "GIT_TRACE=1 git stash 2>&1 | tail -3"),
        ("git log x", "<tool_use_error>Sibling tool call errored</tool_use_error>", "git log x"),
    ] {
        let mut story = Recording::new();
        story
            .asks("Go on with it.")
            .fails(failed, said)
            .runs(worked, if worked.contains('|') { said } else { "fine" })
            .closes("Done.");
        assert_eq!(traps(&story).len(), 0, "{failed}: {:?}", story.kinds());
    }
}

#[test]
fn a_pattern_without_a_match_is_one_trap_whatever_was_looked_for() {
    let mut story = Recording::new();
    for (name, failed) in [("first", "ls notes/*.txt 2>/dev/null"), ("second", "cat plans/7-*/PLAN.md")] {
        let pattern = failed.split(' ').nth(1).unwrap();
        story.session(name).asks("What is there?");
        story.fails(failed, &format!("(eval):1: no matches found: {pattern}"));
        story.runs(failed.split(' ').next().unwrap(), "a\nb").closes("Two files.");
    }
    let kept = traps(&story);
    assert_eq!((kept.len(), kept[0].times_seen), (1, 2), "{:?}", story.kinds());
    assert_eq!(kept[0].content.title, "zsh refuses the whole line when a pattern in it fits no file");
    assert!(kept[0].content.body.contains("no matches found: notes/*.txt"), "{}", kept[0].content.body);
}

#[test]
fn what_a_hook_refuses_is_kept_at_once_and_once() {
    let refuse = |story: &mut Recording, file: &str, why: &str| {
        let at = story.root().join(file).display().to_string();
        let error = format!(
            "PreToolUse:Edit hook error: [python3 ${{ROOT}}/hooks/style_guard.py]: ⚠️ {why}\nSee the guide."
        );
        story.asks("Write the page.").happens(Activity::ToolFailed { at, error }, Provenance::Tool);
        story.edits(file, "x", "y").closes("Written.");
    };
    let mut story = Recording::new();
    refuse(&mut story, "pages/a.html", "Inline styles are not allowed here.");
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert_eq!(kept[0].content.title, "style_guard.py refuses Edit: Inline styles are not allowed here");
    story.session("later");
    refuse(&mut story, "pages/b.html", "Use a class for colours.");
    assert_eq!(traps(&story).len(), 1, "{:?}", story.kinds());
}

#[test]
fn a_test_run_that_runs_nothing_and_ends_well_is_a_trap() {
    let mut story = Recording::new();
    story.asks("Run the clock tests.");
    story.runs(
        "pnpm --filter api test -- --only=clock",
        "> jest --passWithNoTests\n\nNo tests found, exiting with code 0",
    );
    story
        .runs("npx jest clock", "PASS src/clock.test.ts\n\nTests:       9 passed, 9 total")
        .closes("All pass.");
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert_eq!(kept[0].content.title, "pnpm test: No tests found, exiting with code 0; jest runs them");
}

#[test]
fn a_line_of_which_only_the_first_half_is_tried_again_is_the_same_trap() {
    let locked = "fatal: Unable to create '/home/dev/shop/.git/index.lock': File exists.";
    let mut story = Recording::new();
    for name in ["first", "second"] {
        story.session(name).asks("Get the newest.").fails("git checkout main && git pull", locked);
        story.runs("git checkout main", "Already on 'main'").closes("On main.");
    }
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert!(kept[0].content.title.contains("'.git/index.lock': File exists"), "{}", kept[0].content.title);
}

#[test]
fn a_tool_of_a_server_that_refuses_twice_is_a_trap() {
    let refused =
        "### Error\nError: File access denied: /tmp/x.csv is outside allowed roots. Allowed roots: /srv/shop";
    let mut story = Recording::new();
    for name in ["first", "second"] {
        story.session(name).asks("Upload the list.");
        let at = "{\"paths\":[\"/tmp/x.csv\"]}".to_owned();
        story.happens(Activity::ToolFailed { at, error: refused.into() }, Provenance::Tool);
        story.happens(
            Activity::ToolFailed { at: "else".into(), error: "String to replace not found in file".into() },
            Provenance::Tool,
        );
        story.closes("It does not work.");
    }
    assert_eq!(traps(&story).len(), 0, "without a way out it is none: {:?}", story.kinds());
}

#[test]
fn commits_that_carry_a_prompt_are_made_by_something_else() {
    let ask = |story: &mut Recording, log: &str| {
        story.asks("Move the totals below the table of orders\nand make them bold");
        story.edits("table.html", "a", "b").closes("Moved.");
        story.asks("commit").runs("git status", "nothing to commit, working tree clean");
        story
            .runs("git log --oneline -3", log)
            .runs("git commit --amend -m 'Move totals'", "[main 1a2b3c4] Move totals");
        story.closes("Committed.");
    };
    let mut story = Recording::new();
    ask(&mut story, "9f8e7d6 Add the table of orders\n1234567 First commit");
    assert_eq!(traps(&story).len(), 0, "{:?}", story.kinds());
    story.session("later");
    ask(&mut story, "5f6e7d8 Move the totals below the table of orders\n9f8e7d6 Add the table of orders");
    let kept = traps(&story);
    assert_eq!(kept.len(), 1, "{:?}", story.kinds());
    assert!(kept[0].content.body.contains("5f6e7d8 Move the totals"), "{}", kept[0].content.body);
    assert!(kept[0].content.body.ends_with("`git commit --amend`"), "{}", kept[0].content.body);
}

#[test]
fn law_12_what_no_longer_commits_by_itself_is_not_said_to() {
    let mut story = Recording::new();
    story.asks("Show the sum of all orders in the header").edits("head.html", "a", "b").closes("Shown.");
    story.asks("commit").runs("git log --oneline -1", "5f6e7d8 Show the sum of all orders in the header");
    story.closes("It is committed.");
    assert_eq!(traps(&story)[0].standing, Standing::Confirmed);
    story.session("later").asks("Show it in the footer too").edits("foot.html", "a", "b").closes("Shown.");
    story
        .asks("commit")
        .runs("git commit -am 'Show the sum'", "[main 1a2b3c4] Show the sum\n 1 file changed");
    story.closes("Committed.");
    assert_eq!(traps(&story)[0].standing, Standing::Retired);
}

#[test]
fn what_a_commit_hook_wants_to_have_run_is_a_failure_with_its_fix() {
    let mut story = Recording::new();
    story.asks("Add a field and commit.").edits("api/order.ts", "a", "b");
    story.fails(
        "git commit -m 'Add a field'",
        "\n⚠️  Schema changed but the client was not generated\n\nRun pnpm client",
    );
    story.runs("cd web && pnpm client 2>&1 | tail -5", "done");
    story.runs("git commit -m 'Add a field'", "[main 1a2b3c4] Add a field\n 2 files changed").closes("Done.");
    let failure = story.only(Kind::Failure);
    assert_eq!(
        failure.content.title,
        "git commit: Schema changed but the client was not generated; fixed by pnpm client"
    );
}
