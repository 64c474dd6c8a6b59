//! The commands in groups, as `backstory --help` lists them: thirty-six in a row would be read by nobody.
//!
//! What each does is said where it is declared (`args`); here is only which stand together.

use crate::layout::{pad, wrap};
use clap::Command;

/// Every command once, in the order people need them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["setup", "status", "doctor", "view", "browse"]),
    ("Read", &["search", "show", "why", "timeline", "sessions", "rules", "handoff", "context"]),
    ("Write", &["remember", "revise", "supersede", "review", "confirm", "retire", "pin", "forget"]),
    ("Projects and teams", &["project", "team", "sync", "import", "export"]),
    (
        "Upkeep",
        &["config", "install", "uninstall", "distil", "index", "redact", "eval", "self", "completions"],
    ),
    ("For programs", &["mcp", "serve"]),
];

/// The rest of the help is never wider.
const WIDEST: usize = 110;
/// How wide the names are.
const NAME: usize = 12;

/// Returns the command with a help that lists its subcommands in groups, as wide as the screen.
pub(crate) fn grouped(command: Command, width: usize) -> Command {
    let list = listed(&command, width.min(WIDEST));
    command
        .after_help(list)
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n\u{1b}[1;4mOptions:\u{1b}[0m\n{options}\n\n`backstory help COMMAND` says more about one of them.")
}

fn listed(command: &Command, width: usize) -> String {
    let group = |(heading, names): &(&str, &[&str])| {
        let lines = names.iter().filter_map(|name| line(command.find_subcommand(name)?, width));
        let lines: Vec<String> = lines.collect();
        format!("\u{1b}[1;4m{heading}:\u{1b}[0m\n{}", lines.join("\n"))
    };
    GROUPS.iter().map(group).collect::<Vec<_>>().join("\n\n")
}

fn line(command: &Command, width: usize) -> Option<String> {
    let about = command.get_about()?.to_string();
    let also: Vec<&str> = command.get_visible_aliases().collect();
    let also = if also.is_empty() { String::new() } else { format!(" [also: {}]", also.join(", ")) };
    let name = format!("\u{1b}[1m{}\u{1b}[0m", command.get_name());
    Some(wrap(&format!("{about}{also}"), width, &format!("  {}", pad(&name, NAME)), NAME + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use crate::layout::columns;
    use clap::CommandFactory;

    #[test]
    fn every_command_stands_in_one_group_and_fits_the_screen() {
        let cli = Cli::command();
        let mut declared: Vec<&str> = cli.get_subcommands().map(Command::get_name).collect();
        let mut listed_names: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        declared.sort_unstable();
        listed_names.sort_unstable();
        assert_eq!(listed_names, declared);
        let wide = listed(&cli, 60).lines().find(|line| columns(line) > 60).map(str::to_owned);
        assert_eq!(wide, None);
        assert!(listed(&cli, 80).contains("Delete memories for good [also: rm]"));
    }
}
