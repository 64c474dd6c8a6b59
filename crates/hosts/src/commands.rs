//! Which programs a command of a shell runs: who speaks in its output.
//!
//! Read the way a shell would for plain commands; what is computed at run time stays unknown. Not here: what a command means
//! for a memory (`capture`).

/// Programs whose output is what somebody else wrote somewhere else.
const FETCHING: [&str; 20] = [
    "aria2c", "curl", "elinks", "ftp", "gh", "glab", "http", "https", "httpie", "links", "lynx", "nc",
    "ncat", "scp", "sftp", "ssh", "telnet", "w3m", "wget", "xh",
];

/// Programs that run the program behind them.
const RUNNING_OTHERS: [&str; 12] = [
    "builtin", "command", "doas", "env", "exec", "nice", "nohup", "stdbuf", "sudo", "time", "timeout",
    "xargs",
];

/// Words of the shell's own, before a program.
const KEYWORDS: [&str; 9] = ["!", "{", "do", "elif", "else", "if", "then", "until", "while"];

const SHELLS: [&str; 5] = ["bash", "dash", "ksh", "sh", "zsh"];

/// Returns whether a command fetches something from outside this machine.
pub(crate) fn fetches(command: &str) -> bool {
    runs(command, |program| FETCHING.contains(&program))
}

/// Returns whether a command runs Backstory itself.
pub(crate) fn runs_backstory(command: &str) -> bool {
    runs(command, |program| program == "backstory")
}

fn runs(script: &str, is_it: impl Fn(&str) -> bool + Copy) -> bool {
    simple_commands(script).iter().any(|words| {
        let mut words = words.iter().map(String::as_str);
        let Some(program) = program(&mut words) else { return false };
        let is_shell = SHELLS.contains(&program);
        is_it(program) || is_shell && script_of(&mut words).is_some_and(|script| runs(script, is_it))
    })
}

/// Returns the name of the program, without what stands before it.
fn program<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut is_behind_another = false;
    for word in words {
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| is_variable(name));
        // `timeout 5 …`, `nice -n 5 …`: what stands between two programs is a flag or a number.
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

/// Returns the script that `sh -c` is given.
fn script_of<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words.find(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.next()
}

/// Splits a script into its commands and those into words, without quotes.
fn simple_commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    // What runs inside of `$(…)` or backticks has quotes of its own; those around it go on behind it.
    let mut around: Vec<(char, Option<char>)> = Vec::new();
    let mut letters = script.chars().take(LONGEST_READ).peekable();
    while let Some(letter) = letters.next() {
        let is_literal = quote == Some('\'');
        let begins_another = match letter {
            '\\' if !is_literal => {
                word.extend(letters.next().filter(|next| *next != '\n'));
                continue;
            }
            '\'' | '"' if quote.is_none() => {
                quote = Some(letter);
                continue;
            }
            _ if quote == Some(letter) => {
                quote = None;
                continue;
            }
            '`' if !is_literal && around.last().is_some_and(|(opener, _)| *opener == '`') => {
                quote = around.pop().and_then(|(_, quote)| quote);
                true
            }
            ')' if quote.is_none() => {
                quote = around.pop().and_then(|(_, quote)| quote);
                true
            }
            '`' if !is_literal => {
                around.push(('`', quote.take()));
                true
            }
            '(' if quote.is_none() => {
                around.push(('(', None));
                true
            }
            '$' if !is_literal && letters.next_if_eq(&'(').is_some() => {
                around.push(('(', quote.take()));
                true
            }
            '|' | ';' | '&' | '\n' => quote.is_none(),
            _ => false,
        };
        let ends_a_word = begins_another || quote.is_none() && letter.is_whitespace();
        if !ends_a_word {
            word.push(letter);
            continue;
        }
        if let Some(command) = commands.last_mut().filter(|_| !word.is_empty()) {
            command.push(std::mem::take(&mut word));
        }
        if begins_another {
            commands.push(Vec::new());
        }
    }
    if let Some(command) = commands.last_mut() {
        command.push(word);
    }
    commands
}

/// A script longer than this is judged by its beginning.
const LONGEST_READ: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_asks_strangers_fetches() {
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
            assert!(runs_backstory(command), "{command}");
        }
        for command in
            ["cargo test -p backstory-cli", "ls ~/.local/share/backstory", "git log --grep backstory"]
        {
            assert!(!runs_backstory(command), "{command}");
        }
    }
}
