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
        story
            .fails(&format!("ls docs/{name}/*.md"), &format!("(eval):1: no matches found: docs/{name}/*.md"));
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
