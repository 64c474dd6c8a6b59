//! The programs a shell command runs, which decide whose words its output holds.
//!
//! What is computed at run time stays unknown. Not here: how a script is split (`memory`), what a command means for a memory
//! (`distil`).

use backstory_memory::{Nesting, first_chars, simple_commands};

/// Programs whose output comes from another machine.
const FETCHING: [&str; 20] = [
    "aria2c", "curl", "elinks", "ftp", "gh", "glab", "http", "https", "httpie", "links", "lynx", "nc",
    "ncat", "scp", "sftp", "ssh", "telnet", "w3m", "wget", "xh",
];

/// Programs that run the program named after them.
const RUNNING_OTHERS: [&str; 12] = [
    "builtin", "command", "doas", "env", "exec", "nice", "nohup", "stdbuf", "sudo", "time", "timeout",
    "xargs",
];

/// Keywords of the shell that may stand before a program.
const KEYWORDS: [&str; 9] = ["!", "{", "do", "elif", "else", "if", "then", "until", "while"];

const SHELLS: [&str; 5] = ["bash", "dash", "ksh", "sh", "zsh"];

/// Returns whether a command fetches something from outside this machine.
pub(crate) fn fetches(command: &str) -> bool {
    runs(command, |program| FETCHING.contains(&program))
}

/// Returns whether a command runs Backstory itself, and nothing else that prints words of its own.
pub(crate) fn only_runs_backstory(command: &str) -> bool {
    let commands = simple_commands(first_chars(command, LONGEST_READ), Nesting::Commands);
    let programs: Vec<Option<(&str, bool)>> = commands
        .iter()
        .map(|command| {
            let mut words = command.words.iter().map(String::as_str);
            let program = program(&mut words)?;
            let reads_only_input = words.all(|word| word.starts_with('-') || word.parse::<u32>().is_ok());
            Some((program, reads_only_input))
        })
        .collect();
    let is_ours = |it: &Option<(&str, bool)>| it.is_some_and(|(program, _)| program == "backstory");
    let is_silent = |it: &Option<(&str, bool)>| {
        it.is_some_and(|(program, reads_only_input)| {
            matches!(program, "cd" | "true" | "jq")
                || reads_only_input && matches!(program, "head" | "tail" | "wc" | "sort" | "cat")
        })
    };
    programs.iter().any(is_ours) && programs.iter().all(|it| is_ours(it) || is_silent(it))
}

fn runs(script: &str, is_it: impl Fn(&str) -> bool + Copy) -> bool {
    simple_commands(first_chars(script, LONGEST_READ), Nesting::Commands).iter().any(|command| {
        let mut words = command.words.iter().map(String::as_str);
        let Some(program) = program(&mut words) else { return false };
        let is_shell = SHELLS.contains(&program);
        is_it(program) || is_shell && script_of(&mut words).is_some_and(|script| runs(script, is_it))
    })
}

/// Returns the name of the program, without variables and wrappers before it.
fn program<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut is_behind_another = false;
    for word in words {
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| is_variable(name));
        // `timeout 5 …`, `nice -n 5 …`: between two programs stand flags and numbers.
        let is_argument = is_behind_another && word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if RUNNING_OTHERS.contains(&name) {
            is_behind_another = true;
        } else if !is_assignment && !is_argument && !KEYWORDS.contains(&word) {
            return Some(name);
        }
    }
    None
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the script that `sh -c` runs.
fn script_of<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words.find(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.next()
}

/// A script longer than this is judged by its beginning.
const LONGEST_READ: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_uses_the_network_fetches() {
        for command in [
            "curl -s https://example.com",
            "sudo -E curl x",
            "FOO=1 BAR=2 wget -qO- x | jq .",
            "cd /tmp && env -i PATH=/bin /usr/bin/curl x",
            "for i in 1 2; do curl x; done",
            "echo \"$(gh pr view 3)\"",
            "x=`curl y`; echo $x",
            "timeout 5 curl x",
            "bash -lc 'cd x; http GET :80'",
            "echo \"$(date)\"; curl x",
            "echo \"`date` '\"; curl x",
            "(ssh host uptime)",
            "cat list | xargs -n1 curl",
            "true\ncurl x",
            "if curl -f x; then echo y; fi",
            "diff <(curl x) y",
            "bash <<END\ncurl x\nEND",
            "echo 2>&1 \"a $(date) b\" > /dev/null; curl x",
        ] {
            assert!(fetches(command), "{command}");
        }
        for command in [
            "cargo test",
            "git commit -m 'use curl; wget is gone'",
            "grep curl src/main.rs",
            "echo \"a | curl\"",
            "./curl.sh",
            "rg 'gh '",
            "python3 -m http.server",
            "",
            "'",
        ] {
            assert!(!fetches(command), "{command}");
        }
    }

    #[test]
    fn our_own_program_is_known_by_any_path() {
        for command in [
            "backstory search x",
            "cd a && ./target/debug/backstory show 3 | head",
            "env A=1 backstory status",
        ] {
            assert!(only_runs_backstory(command), "{command}");
        }
        for command in [
            "cargo test -p backstory-cli",
            "ls ~/.local/share/backstory",
            "git log --grep backstory",
            "backstory search x; curl -s y",
            "head README.md; backstory show 1",
            "backstory show 1 && cat notes",
            "echo $(backstory show 1)",
        ] {
            assert!(!only_runs_backstory(command), "{command}");
        }
    }
}
