//! The references other people read: the manual page, `docs/cli.md` and the settings in `docs/configuration.md`, written from the program itself.
//!
//! Compiled for tests alone, so that what writes them is no part of the program. The tests fail where a file says something else than the program does;
//! `cargo xtask docs` runs them with `UPDATE_DOCS` set, and they write the files.

use crate::args::Cli;
use backstory_app::settings::DEFAULTS;
use backstory_app::settings::narrowing::NARROWINGS;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// How wide a line of help is in the references, whatever the terminal.
const WIDTH: usize = 100;
/// What stands around the part of a page that is written here.
const BEGIN: &str = "<!-- from here on written by `cargo xtask docs` -->\n";
const END: &str = "<!-- until here -->\n";

#[test]
fn the_reference_of_commands_is_what_the_program_says() {
    hold("docs/cli.md", &commands());
}

#[test]
fn the_manual_page_is_what_the_program_says() {
    hold("man/backstory.1", &manual());
}

#[test]
fn the_reference_of_settings_is_what_holds() {
    let page = fs::read_to_string(in_repository("docs/configuration.md")).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the settings");
    let (_, after) = rest.split_once(END).expect("the place has an end");
    hold("docs/configuration.md", &format!("{before}{BEGIN}{}{END}{after}", settings()));
}

/// Compares a file of the repository with what it should hold, or writes it.
#[expect(
    clippy::disallowed_methods,
    reason = "it is `cargo xtask docs` that asks, not a user of the program"
)]
fn hold(name: &str, wanted: &str) {
    let path = in_repository(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{name} is out of date: run `cargo xtask docs`");
}

fn in_repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Returns the command line with everything a parent hands down to its children filled in.
fn command_line() -> Command {
    let mut cli = Cli::command().term_width(WIDTH).disable_help_subcommand(true);
    cli.build();
    cli
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set())
}

fn commands() -> String {
    let cli = command_line();
    let mut page = "# Commands\n\nWhat each command's `--help` says. Written by `cargo xtask docs`; a test compares it with the program.\n\n".to_owned();
    for command in visible(&cli) {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, "- [`{name}`](#{name}): {about}").unwrap();
    }
    let all = cli
        .clone()
        .help_template("{about}\n\n{usage-heading} {usage}\n\nOptions of every command:\n{options}\n");
    writeln!(page, "\n```text\n{}```", help(all)).unwrap();
    for command in visible(&cli) {
        write_command(command, 2, &mut page);
    }
    page
}

fn write_command(command: &Command, depth: usize, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_default().trim_start_matches("backstory ");
    writeln!(page, "\n{} {name}\n\n```text\n{}```", "#".repeat(depth), help(own(command))).unwrap();
    for one in visible(command) {
        write_command(one, depth + 1, page);
    }
}

/// Returns a command with its own flags alone: those that every command has are written once.
fn own(command: &Command) -> Command {
    let of_all = ["settings", "color", "no_color", "utc", "help"];
    command.clone().mut_args(|arg| if of_all.contains(&arg.get_id().as_str()) { arg.hide(true) } else { arg })
}

fn help(command: Command) -> String {
    let text = command.term_width(WIDTH).render_long_help().to_string();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns one page for all commands: whoever looks for a flag looks in one place.
fn manual() -> String {
    let cli = command_line();
    let mut page = Vec::new();
    let man = Man::new(cli.clone()).date("").source(format!("backstory {}", env!("CARGO_PKG_VERSION")));
    man.render_title(&mut page).unwrap();
    man.render_name_section(&mut page).unwrap();
    man.render_synopsis_section(&mut page).unwrap();
    man.render_description_section(&mut page).unwrap();
    man.render_options_section(&mut page).unwrap();
    for command in visible(&cli) {
        describe(command, &mut page);
    }
    page.extend_from_slice(
        b".SH FILES\n.TP\n~/.local/share/backstory\nmemories, readable by their owner only; BACKSTORY_HOME names another place\n\
          .TP\n~/.config/backstory/config.toml\nsettings; `backstory config` shows each and where it comes from\n\
          .SH \"SEE ALSO\"\ndocs/configuration.md and docs/hosts.md in the sources\n",
    );
    String::from_utf8(page).unwrap()
}

fn describe(command: &Command, page: &mut Vec<u8>) {
    let mut part = Vec::new();
    let man = Man::new(own(command));
    man.render_description_section(&mut part).unwrap();
    man.render_synopsis_section(&mut part).unwrap();
    man.render_options_section(&mut part).unwrap();
    let name = command.get_bin_name().unwrap_or_default();
    let part = String::from_utf8(part).unwrap();
    let part = part
        .replacen(".SH DESCRIPTION\n", "", 1)
        .replace(".SH SYNOPSIS\n", ".PP\n")
        .replace(".SH OPTIONS\n", "");
    // What the library says again before every section.
    let part = part.replace(".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n", "");
    page.extend_from_slice(format!(".SH \"{}\"\n{part}", name.to_uppercase()).as_bytes());
    for one in visible(command) {
        describe(one, page);
    }
}

fn settings() -> String {
    let mut page = format!(
        "\n```toml\n{DEFAULTS}```\n\nWhat a project's file may do:\n\n| setting | may be |\n| --- | --- |\n"
    );
    for (key, rule) in NARROWINGS {
        writeln!(page, "| `{key}` | {rule} |").unwrap();
    }
    page.push('\n');
    page
}
