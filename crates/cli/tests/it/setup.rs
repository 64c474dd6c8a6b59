//! `setup`, `completions`, `redact` and help: the first minutes.

use crate::install::hostless;
use crate::support::{
    answer, at, count, done, exits, program, read, rendered, run, shape, without_numbers, world, write,
};
use backstory_testkit::Transcripts;
use insta::assert_snapshot;
use std::fs;

#[test]
fn setup_creates_the_store_changes_nothing_else_and_runs_a_demo() {
    let env = hostless();
    write(&env, ".claude/settings.json", "{ \"theirs\": 1 }");
    let theirs = env.files_of_others();
    let outcome = env.run(["setup"]);
    assert_snapshot!(without_numbers(&rendered(&outcome), &[" ms", " tokens"]), @r"
    exit 0
    --- out
    ✓ store       [WORLD]/user/.local/share/backstory was made; only you can
                  read it
      changes     none yet to Claude Code: `backstory setup --yes` connects,
                  `backstory install --dry-run` shows each line
      import      nothing yet of git history and memory files: `backstory import
                  --all` does it whenever you like
    ✓ demo        9 played events became 4 memories; slowest hook [N] ms
    ");
    assert_eq!(env.files_of_others(), theirs);
    assert_eq!((count(&env, "events"), count(&env, "memories")), (0, 0), "the demo leaves no trace");
}

/// The first day need not begin empty.
#[test]
fn setup_imports_the_transcripts_of_hosts() {
    let env = hostless();
    let made = Transcripts::new(1, env.project().to_string_lossy()).session(3, 500);
    write(&env, &format!(".claude/projects/-ferry/{}.jsonl", made.session), made.text);
    let declined = env.run(["setup", "--yes", "--no-import"]);
    assert!(!declined.stdout.contains("import    "), "{declined:?}");
    // Of the imported session nothing is left to do: the next one begins with what holds everywhere.
    assert_eq!(env.run(["rules", "add", "--everywhere", "Answer in British English"]).code, Some(0));
    let outcome = env.run(["setup", "--yes", "-v"]);
    for words in [" from 1 session", "1 session with something new", "begins with ("] {
        assert!(outcome.stdout.contains(words), "{words}: {}", outcome.stdout);
    }
}

#[test]
fn setup_connects_hosts_to_a_lasting_copy_of_the_program() {
    let env = hostless();
    write(&env, ".codex/config.toml", "model = \"x\"\n");
    let bin = at(&env, "tools");
    let outcome = env.run(["setup", "--yes", "--bin-dir", bin.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let steps: Vec<&str> = outcome.stdout.lines().take_while(|line| !line.contains(" demo ")).collect();
    assert_snapshot!(steps.join("\n"), @r"
    ✓ store       [WORLD]/user/.local/share/backstory was made; only you can
                  read it
    ✓ program     copied to [WORLD]/user/tools/backstory
                  next: add [WORLD]/user/tools to your `PATH`
    ✓ Codex       connected: hooks, MCP server
                  next: restart Codex where it is running
                  next: approve the hooks in Codex with `/hooks`: until then it
                  skips them without a word
    ✓ import      nothing is here yet that could be imported
    ");
    assert!(outcome.stdout.contains("✓ ready       work as usual"), "{}", outcome.stdout);
    let copy = bin.join("backstory");
    assert!(fs::read(&copy).unwrap() == fs::read(program()).unwrap());
    assert!(read(&env, ".codex/hooks.json").contains(&format!("'{}' hook --host codex", copy.display())));
    assert!(read(&env, ".codex/config.toml").contains(&format!("command = \"{}\"", copy.display())));

    let again = env.run(["setup", "--yes", "--bin-dir", bin.to_str().unwrap()]);
    assert!(again.stdout.contains("✓ Codex       is connected\n"), "{again:?}");
    assert!(!again.stdout.contains("program   "), "{again:?}");
    // That hosts run the copy and not this build is no fault of their files.
    let looked = env.run(["doctor"]);
    assert!(looked.stdout.contains("note: it runs `") && !looked.stdout.contains("is not as"), "{looked:?}");
    // The copy knows itself, and takes out what it connected.
    let undone = run(&env, ["uninstall", "--yes"])
        .through("/bin/sh", &["-c", &format!("'{}' \"$@\"", copy.display())]);
    assert_eq!(undone.output().code, Some(0));
    assert_eq!(read(&env, ".codex/config.toml"), "model = \"x\"\n");
}

#[test]
fn setup_again_reports_the_existing_store() {
    let env = hostless();
    done(&env, &["remember", "Already here"]);
    let outcome = env.run(["setup"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.stdout.starts_with("✓ store       [WORLD]/user/.local/share/backstory is there, with 1"),
        "{outcome:?}"
    );
}

#[test]
fn the_demo_of_setup_works_with_any_configuration() {
    let env = world();
    let config = env.world().join("config.toml");
    fs::write(&config, "[capture]\nenabled = false\nexclude = [\"/\"]\n").unwrap();
    let setup = run(&env, ["setup"]).var("BACKSTORY_CONFIG", &config);
    let outcome = setup.var("CLAUDE_PROJECT_DIR", env.project()).output();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.contains("9 played events became"), "{outcome:?}");
    assert!(outcome.stdout.contains("capture     is off"), "and says that nothing will be kept: {outcome:?}");
}

#[test]
fn redact_removes_secrets_and_private_parts() {
    let env = world();
    // Built here, so that nothing that looks like a key stands in the source.
    let key = ["gh", "p_", &"aB3dE6gH9".repeat(4)].concat();
    let text = format!("before {key} after <private>mine</private>\n");
    let outcome = env.run_with(["redact"], &text);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.starts_with("before [REDACTED:") && !outcome.stdout.contains(&key), "{outcome:?}");
    assert!(!outcome.stdout.contains("mine"), "{outcome:?}");

    let answer = answer(&env.run_with(["redact", "--json"], &text));
    assert_snapshot!(shape(&answer), @"{found: [{end: number, rule: text, start: number}], private_parts: number, text: text, version: number}");
    let (start, end) =
        (answer["found"][0]["start"].as_u64().unwrap(), answer["found"][0]["end"].as_u64().unwrap());
    assert_eq!(text.get(start as usize..end as usize), Some(key.as_str()));
    assert_eq!(env.run_with(["redact"], b"\xff plain \xfe").code, Some(0));
    assert!(!env.home().exists(), "trying it out makes no store");
}

#[test]
fn completions_are_printed_for_every_shell() {
    let env = world();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = env.run(["completions", shell]);
        assert!(outcome.code == Some(0) && outcome.stdout.contains("supersede"), "{shell}");
    }
    assert_eq!(env.run(["completions", "abacus"]).code, Some(2));
}

#[test]
fn law_10_a_program_that_only_has_our_name_is_not_replaced() {
    let env = world();
    let bin = env.world().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("backstory"), "#!/bin/sh\necho somebody else\n").unwrap();
    let setup = ["setup", "--yes", "--bin-dir", bin.to_str().unwrap()];
    exits(&env, 1, &setup, "is another program and stays as it is");
    assert_eq!(std::fs::read_to_string(bin.join("backstory")).unwrap(), "#!/bin/sh\necho somebody else\n");
}

#[test]
fn help_lists_every_command() {
    let env = world();
    assert_snapshot!(env.run(["--help"]).stdout, @r"
    Gives coding agents the story so far

    Exit codes: 0 done, 1 no (nothing found, refused), 2 usage or configuration, 70 internal error.

    Usage: backstory [OPTIONS] <COMMAND>

    Start:
      setup       Create the store, connect the hosts on this machine, and run a
                  demo
      status      Show the state of the store and of the hooks
      doctor      Check the store and every connected host, and repair what is
                  damaged
      view        Open the viewer in a browser
      browse      Search, read and change memories on one screen; print the one you
                  choose

    Read:
      search      Search memories; without words, list the newest [also: ls]
      show        Show whole memories
      why         Explain where a memory came from, when it was used, and its score
      timeline    Show what was learnt, day by day, or what came before and after a
                  memory [also: log]
      sessions    List sessions, or show one step by step
      rules       List, write and retire the rules you gave
      handoff     Show where the work stands, or write it down
      context     Preview what would be injected now, and what it costs

    Write:
      remember    Write a memory
      revise      Change what a memory says, keeping the old text as a revision
      supersede   Replace a memory with a new one
      review      Look through this week's proposed memories, one key each
      confirm     Confirm memories: from now on they may be injected
      retire      Retire memories: they hold no more, and stay as history
      pin         Pin a memory
      forget      Delete memories for good [also: rm]

    Projects and teams:
      project     Show, rename, merge or share projects
      team        Join a team, or run one on a PostgreSQL server of yours
      sync        Push what is new in shared projects to their teams, and pull what
                  is new there
      import      Import memories from a file, or what is on this machine already
      export      Export memories to a file or a folder

    Upkeep:
      config      Show and change the configuration, and where each value comes from
      install     Connect hosts: hooks, MCP server, rules
      uninstall   Disconnect hosts: undo what `install` changed
      distil      Derive memories from sessions that have something new
      index       Rebuild the search indexes
      redact      Remove secrets and private parts from a text
      eval        Measure recall on a data set, in a store of its own
      self        Ask whether there is a newer release of this program
      completions Print a completion script for a shell

    For programs:
      mcp         Run the MCP server on standard input and output: the tools agents
                  get
      serve       Run the worker: the viewer and an HTTP API on this machine

    Options:
          --set <KEY=VALUE>
              Set a configuration value for this run

          --color <WHEN>
              When to colour the output

              Possible values:
              - auto:   Where the stream is a terminal that shows it
              - always: Also in a pipe or a file
              - never:  Nowhere

          --no-color
              Print without colour, like `--color never`

          --utc
              Print exact times in UTC instead of how long ago

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    `backstory help COMMAND` says more about one of them.
    ");
    done(&env, &["--version"]);
    assert_eq!(env.run(["frobnicate"]).code, Some(2));
    assert_eq!(env.run([""; 0]).code, Some(2));
}
