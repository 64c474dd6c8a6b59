//! The command line of a hook, in the shell that hosts of this system run it with.
//!
//! On Windows that is Git Bash, `cmd` or either PowerShell, by host, and they share no quotes and no `||`: a line of plain words is the same
//! in all of them, so our program has to lie where no space is needed.

use std::path::PathBuf;

/// Ends a line that must not fail, for hosts that stop at a failing hook.
#[cfg(unix)]
pub const NEVER_FAILS: &str = " || true";
/// Nothing: no word for it is the same in every shell.
#[cfg(windows)]
pub const NEVER_FAILS: &str = "";

/// What a host that names the shell calls the one of this system.
#[cfg(unix)]
pub const SHELL_KEY: &str = "bash";
/// What a host that names the shell calls the one of this system.
#[cfg(windows)]
pub const SHELL_KEY: &str = "powershell";

/// Writes the path of a program as a word of a line: nothing in it means anything to the shell.
#[cfg(unix)]
#[must_use]
pub fn program_word(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Writes the path of a program as a word of a line. [`refusal_of_program`] says which cannot be.
#[cfg(windows)]
#[must_use]
pub fn program_word(path: &str) -> String {
    windows_word(path)
}

/// Says why no shell would run a program by this path, if so.
#[cfg(unix)]
#[must_use]
pub fn refusal_of_program(_path: &str) -> Option<&'static str> {
    None
}

/// Says why no shell would run a program by this path, if so.
#[cfg(windows)]
#[must_use]
pub fn refusal_of_program(path: &str) -> Option<&'static str> {
    windows_refusal(path)
}

/// A shell that hosts run hooks with on Windows. Elsewhere all of them mean `/bin/sh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowsShell {
    /// The bash that comes with git.
    GitBash,
    /// What `COMSPEC` names: `cmd`.
    Cmd,
    /// The PowerShell that comes with Windows: 5.
    PowerShell,
    /// The PowerShell that is installed by itself: 7.
    PowerShell7,
}

/// Returns the shell that runs a line, and its arguments.
#[cfg(unix)]
#[must_use]
pub fn shell_of(
    line: &str,
    _shells: &[WindowsShell],
    _variable: impl Fn(&str) -> Option<PathBuf>,
) -> Option<(PathBuf, Vec<String>)> {
    Some(("/bin/sh".into(), vec!["-c".to_owned(), line.to_owned()]))
}

/// Returns the shell that runs a line, and its arguments: the first of these that is here. `variable` returns a variable of the environment.
#[cfg(windows)]
#[must_use]
pub fn shell_of(
    line: &str,
    shells: &[WindowsShell],
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Option<(PathBuf, Vec<String>)> {
    let is_there = |shell: &WindowsShell| shell.places(&variable).into_iter().find(|path| path.is_file());
    shells.iter().find_map(|shell| Some((is_there(shell)?, shell.arguments(line))))
}

#[cfg(any(windows, test))]
impl WindowsShell {
    /// Returns where the program may lie, best first. The bash of a subsystem for Linux, in the system's folder, is none of git's.
    fn places(self, variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
        let below = |name: &str, path: &str| variable(name).map(|folder| folder.join(path));
        let system = below("SystemRoot", "System32");
        let in_path = |file: &str| -> Vec<PathBuf> {
            let folders = variable("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
            let folders =
                folders.unwrap_or_default().into_iter().filter(|folder| Some(folder) != system.as_ref());
            folders.map(|folder| folder.join(file)).collect()
        };
        let fixed = |places: Vec<Option<PathBuf>>| places.into_iter().flatten().collect::<Vec<_>>();
        match self {
            WindowsShell::GitBash => {
                let named = fixed(vec![variable("CLAUDE_CODE_GIT_BASH_PATH")]);
                let usual = ["ProgramFiles", "ProgramFiles(x86)"].map(|name| below(name, "Git/bin/bash.exe"));
                let own = below("LOCALAPPDATA", "Programs/Git/bin/bash.exe");
                [named, in_path("bash.exe"), fixed(usual.into()), fixed(vec![own])].concat()
            }
            WindowsShell::Cmd => fixed(vec![variable("COMSPEC"), below("SystemRoot", "System32/cmd.exe")]),
            WindowsShell::PowerShell => {
                fixed(vec![below("SystemRoot", "System32/WindowsPowerShell/v1.0/powershell.exe")])
            }
            WindowsShell::PowerShell7 => {
                [in_path("pwsh.exe"), fixed(vec![below("ProgramFiles", "PowerShell/7/pwsh.exe")])].concat()
            }
        }
    }

    /// Returns the arguments that run a line. The words of ours are plain, so `cmd` takes them one by one.
    fn arguments(self, line: &str) -> Vec<String> {
        let before: &[&str] = match self {
            WindowsShell::GitBash => &["-c"],
            WindowsShell::Cmd => &["/D", "/C"],
            WindowsShell::PowerShell | WindowsShell::PowerShell7 => {
                &["-NoProfile", "-NonInteractive", "-Command"]
            }
        };
        let line: Vec<&str> = match self {
            WindowsShell::Cmd => line.split_whitespace().collect(),
            _ => vec![line],
        };
        before.iter().copied().chain(line).map(str::to_owned).collect()
    }
}

/// How to learn which program a line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramOfLine {
    /// It is the first word.
    Named(PathBuf),
    /// This shell prints it when it is run with these arguments.
    PrintedBy(PathBuf, Vec<String>),
}

/// Says which program a line runs. A word may be quoted in ways only the shell knows.
#[cfg(unix)]
#[must_use]
pub fn program_of_line(line: &str) -> Option<ProgramOfLine> {
    let script = format!("set -- {line}\nprintf %s \"$1\"");
    Some(ProgramOfLine::PrintedBy("/bin/sh".into(), vec!["-c".to_owned(), script]))
}

/// Says which program a line runs: its words are plain.
#[cfg(windows)]
#[must_use]
pub fn program_of_line(line: &str) -> Option<ProgramOfLine> {
    line.split_whitespace().next().map(|word| ProgramOfLine::Named(word.into()))
}

/// Returns the file names by which a program may lie in a folder of the search path.
#[cfg(unix)]
#[must_use]
pub fn program_files(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// Returns the file names by which a program may lie in a folder of the search path.
#[cfg(windows)]
#[must_use]
pub fn program_files(name: &str) -> Vec<String> {
    ["exe", "cmd", "bat", "com"].map(|extension| format!("{name}.{extension}")).into()
}

#[cfg(any(windows, test))]
fn windows_word(path: &str) -> String {
    path.strip_prefix(r"\\?\").unwrap_or(path).replace('\\', "/")
}

#[cfg(any(windows, test))]
fn windows_refusal(path: &str) -> Option<&'static str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || r":/\._-~+".contains(letter);
    let plain = path.strip_prefix(r"\\?\").unwrap_or(path);
    (!plain.chars().all(is_plain)).then_some(
        "the shells of Windows agree on no quotes: it must lie in a folder without spaces and signs",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_windows_is_of_plain_words() {
        assert_eq!(
            windows_word(r"\\?\C:\Users\ada\.local\bin\backstory.exe"),
            "C:/Users/ada/.local/bin/backstory.exe"
        );
        assert_eq!(windows_refusal(r"C:\Users\ada\.local\bin\backstory.exe"), None);
        assert_eq!(windows_refusal(r"\\?\C:\Users\Jürgen\backstory.exe"), None);
        for path in [
            r"C:\Program Files\backstory.exe",
            r"C:\a&b\backstory.exe",
            r"C:\a'b\x.exe",
            r"C:\%a%\x.exe",
            r"C:\(x)\x.exe",
        ] {
            assert!(windows_refusal(path).is_some(), "{path}");
        }
    }

    #[test]
    fn a_shell_of_windows_is_looked_for_where_it_lies_and_takes_a_line_its_own_way() {
        let variable = |name: &str| match name {
            "SystemRoot" => Some(PathBuf::from("C:/Windows")),
            "CLAUDE_CODE_GIT_BASH_PATH" => Some("D:/git/bash.exe".into()),
            "ProgramFiles" => Some("C:/Program Files".into()),
            _ => None,
        };
        let line = "C:/a/backstory.exe hook --host x";
        let first = |shell: WindowsShell| shell.places(variable).first().cloned().unwrap();
        assert_eq!(first(WindowsShell::GitBash), PathBuf::from("D:/git/bash.exe"));
        assert_eq!(WindowsShell::GitBash.arguments(line), ["-c", line]);
        assert_eq!(first(WindowsShell::Cmd), PathBuf::from("C:/Windows/System32/cmd.exe"));
        assert_eq!(
            WindowsShell::Cmd.arguments(line),
            ["/D", "/C", "C:/a/backstory.exe", "hook", "--host", "x"]
        );
        assert!(first(WindowsShell::PowerShell).ends_with("WindowsPowerShell/v1.0/powershell.exe"));
        assert_eq!(first(WindowsShell::PowerShell7), PathBuf::from("C:/Program Files/PowerShell/7/pwsh.exe"));
        assert_eq!(WindowsShell::PowerShell7.arguments(line).last().map(String::as_str), Some(line));
    }

    #[cfg(unix)]
    #[test]
    fn a_word_for_a_shell_means_nothing_but_itself() {
        let line = format!("printf %s {}", program_word("/a b/$x'y"));
        let (shell, arguments) = shell_of(&line, &[], |_| None).unwrap();
        let output = std::process::Command::new(shell).args(arguments).output().unwrap();
        assert_eq!(output.stdout, b"/a b/$x'y");
    }
}
