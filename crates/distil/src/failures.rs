//! What failed, in words that are the same on another day and machine: the signature of a failing command.
//!
//! A [`FailureSignature`] is the line of the output that names the error, without what varies, the command by its name, and a digest
//! of both. [`pair`] finds, in the steps of a turn, which failure was followed by what fixed it.
//!
//! Pure rules: nothing is stored here.

mod cleared;
mod command;
mod command_run;
mod error_line;
mod error_patterns;
mod pairs;
mod shape;
mod tools;

pub(crate) use cleared::{MOST_COMMAND_CHARS, clears};
pub use command::CommandTask;
pub(crate) use command::{CommandLine, is_known_tool};
pub use command_run::CommandRun;
pub use error_line::FailureClass;
pub use pairs::{FailureFix, FailureStep, FixAttempt, OpenFailure, PairedFailures, pair, should_promote};

use backstory_memory::{TITLE_CHARS, first_chars};
pub(crate) use error_line::{ErrorLine, error_line, without_progress};
use error_line::{FIRM, LAST_RESORT};

/// What failed, in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// Equal for the same failure, as 32 hexadecimal digits.
    pub digest: String,
    /// One line for a person, at most 80 characters: `cargo build: cannot find type Foo in this scope`.
    pub title: String,
    /// The sort of failure.
    pub class: FailureClass,
    /// The command by its name, `cargo build`.
    pub task: String,
    /// Whether a line of the output names the error; else it was the last line that says anything, or there is none.
    pub names_error: bool,
}

impl FailureSignature {
    /// Reads the signature of a command that failed. Called by [`CommandRun`] alone, which keeps it.
    fn read(ran: &CommandRun<'_>) -> Option<FailureSignature> {
        let main = ran.line().main()?;
        if is_interrupted(ran.output) {
            return None;
        }
        match ran.error_line() {
            Some(error_line) if !main.is_bystander || error_line.rank <= FIRM + 1 => {
                Some(FailureSignature::from_error_line(&main.name, error_line))
            }
            None if !main.is_bystander => Some(FailureSignature::silent(&main.name)),
            _ => None,
        }
    }

    fn from_error_line(task: &str, error_line: &ErrorLine) -> FailureSignature {
        // The same error met by `cargo check` and `cargo test` is one failure; without a line that tells, only
        // the whole command does.
        let program = task.split(' ').next().unwrap_or(task);
        let who = if error_line.rank <= 5 { program } else { task };
        let said = error_line.line.replace(['`', '\''], "");
        FailureSignature {
            digest: digest_of(&[who, &error_line.line]),
            title: title(task, &said),
            class: error_line.class,
            task: task.to_owned(),
            names_error: error_line.rank < LAST_RESORT,
        }
    }

    /// A command that failed without a word.
    fn silent(task: &str) -> FailureSignature {
        FailureSignature {
            digest: digest_of(&[task, ""]),
            title: title(task, "failed and printed nothing"),
            class: FailureClass::Other,
            task: task.to_owned(),
            names_error: false,
        }
    }
}

/// The user stopped it, or the host did since a call beside it failed: nothing failed.
pub(crate) fn is_interrupted(output: &str) -> bool {
    let output = output.trim().trim_start_matches("<tool_use_error>");
    ["[Request interrupted by user", "Sibling tool call errored", "Cancelled: parallel tool call"]
        .iter()
        .any(|start| output.starts_with(start))
        || output == "^C"
}

fn title(task: &str, said: &str) -> String {
    let said =
        said.split_once("]: ").filter(|(code, _)| code.starts_with("error[")).map_or(said, |(_, said)| said);
    // Many programs name themselves: `cp: cannot stat …`.
    let program = task.rsplit(' ').next().unwrap_or(task);
    let said = said.strip_prefix(program).and_then(|said| said.strip_prefix(": ")).unwrap_or(said);
    let whole = format!("{task}: {said}");
    if whole.chars().count() <= TITLE_CHARS {
        return whole;
    }
    let cut = first_chars(&whole, TITLE_CHARS - 1);
    let cut = cut.rsplit_once(' ').map_or(cut, |(head, _)| head);
    format!("{}…", cut.trim_end_matches([' ', ',', ':', '…']))
}

fn digest_of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().to_hex().chars().take(32).collect()
}
