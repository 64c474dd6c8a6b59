//! What left the machine: pull requests that were opened or merged, and whether the last commit was pushed.
//!
//! Read from commands that succeeded and from what they printed; a command the user ran elsewhere is not known.

use crate::CommandRun;
use crate::transcript::Turn;

/// Returns what the commands of a session did to its remote, in order, one line each.
pub(super) fn remote_state(turns: &[Turn<'_>]) -> Vec<String> {
    let mut requests: Vec<(String, &str)> = Vec::new();
    let mut has_commit = false;
    let mut unpushed = false;
    for (_, ran) in turns.iter().flat_map(Turn::commands).filter(|(_, ran)| ran.succeeded()) {
        has_commit |= ran.commit().is_some();
        unpushed |= ran.commit().is_some();
        // One line may commit and push; tags and notes are not the work.
        let is_beside = ["--tags", "refs/tags/", "refs/notes/"].iter().any(|name| ran.command.contains(name));
        if ran.runs("git push") && !is_beside {
            unpushed = false;
        }
        for (task, state) in
            [("gh pr create", "opened"), ("gh pr merge", "merged"), ("gh pr close", "closed")]
        {
            let number = (ran.runs("gh pr") && ran.command.contains(task)).then(|| number(ran)).flatten();
            let Some(number) = number else { continue };
            requests.retain(|(known, _)| *known != number);
            requests.push((number, state));
        }
    }
    let requests = requests.into_iter().map(|(number, state)| format!("Pull request #{number} {state}"));
    let pushed = has_commit.then_some(if unpushed {
        "Last commit not pushed in this session"
    } else {
        "Last commit pushed"
    });
    requests.chain(pushed.map(str::to_owned)).collect()
}

/// The number of the pull request a command is about: the one it printed, else the one it was called with.
fn number(ran: &CommandRun<'_>) -> Option<String> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let printed = ran.output.rsplit_once("/pull/").map(|(_, rest)| digits(rest));
    let called =
        || ran.command.split_once("gh pr ")?.1.split_whitespace().find_map(|word| word.parse::<u32>().ok());
    printed.filter(|number| !number.is_empty()).or_else(|| called().map(|number| number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::ExitStatus;

    #[test]
    fn a_pull_request_is_known_by_what_was_printed_or_typed() {
        let number_of =
            |command: &str, output: &str| number(&CommandRun::new(command, output, ExitStatus::Success));
        let printed = "https://host.example/ann/shop/pull/12";
        assert_eq!(number_of("gh pr create --fill", printed).as_deref(), Some("12"));
        assert_eq!(number_of("gh pr merge 7 --squash", "").as_deref(), Some("7"));
        assert_eq!(number_of("gh pr merge --squash", ""), None);
    }
}
