//! What a command, a prompt or a new file is the occasion for, and which texts speak of it: a rule about commits is worth a line before
//! `git commit`, and nowhere else.
//!
//! Words decide, not meaning: the texts are few and short, and a line too many is given once in a session. Not here: commands that
//! failed before (`moments::tool`).

use backstory_distil::{CommandRun, CommandTask};
use backstory_memory::{ExitStatus, is_package_manager, stems, words};
use std::collections::BTreeSet;

/// Something people have rules about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Occasion {
    Commit,
    Push,
    Branch,
    PullRequest,
    Merge,
    Install,
    Test,
    Migration,
    Deploy,
}

/// The words that speak of an occasion, in any form; several words must stand in this order, side by side.
const SPEAKING: [(Occasion, &[&str]); 9] = [
    (Occasion::Commit, &["commit", "amend"]),
    (Occasion::Push, &["push"]),
    (Occasion::Branch, &["branch", "worktree"]),
    (Occasion::PullRequest, &["pull request", "pr", "merge request"]),
    (Occasion::Merge, &["merge", "rebase", "squash"]),
    (Occasion::Install, &["install", "dependency", "package manager", "lockfile"]),
    (
        Occasion::Test,
        &["run test", "run the test", "run all test", "run unit test", "test suite", "test run"],
    ),
    (Occasion::Migration, &["migration", "migrate"]),
    (Occasion::Deploy, &["deploy", "deployment", "rollout", "release"]),
];

/// Programs that do the same: a rule that chooses one of them speaks of the others, too.
const FAMILIES: [&[&str]; 5] = [
    &["npm", "pnpm", "yarn", "bun"],
    &["pip", "pip3", "uv", "poetry", "pipenv", "conda"],
    &["jest", "vitest", "mocha", "jasmine", "ava"],
    &["pytest", "unittest", "nose2"],
    &["alembic", "flyway", "liquibase", "sqitch", "goose", "dbmate"],
];
/// Behind these a word is mentioned or counts something: "shown per commit" is about no commit.
const MENTIONING: [&str; 3] = ["per", "say", "called"];

/// Sub-commands of package managers that change what is installed.
const INSTALLING: [&str; 10] =
    ["install", "i", "add", "ci", "remove", "uninstall", "update", "upgrade", "require", "get"];
const MIGRATING: [&str; 8] =
    ["alembic", "flyway", "liquibase", "sqitch", "goose", "dbmate", "knex", "prisma migrate"];
const DEPLOYING: [&str; 8] = [
    "terraform apply",
    "kubectl apply",
    "kubectl rollout",
    "helm upgrade",
    "helm install",
    "docker push",
    "cdk deploy",
    "ansible-playbook",
];

/// Returns the commands of a shell line.
pub(crate) fn tasks(command: &str) -> Vec<CommandTask> {
    CommandRun::new(command, "", ExitStatus::Unknown).tasks().to_vec()
}

impl Occasion {
    /// Returns what a command is the occasion for.
    pub(crate) fn of_task(task: &CommandTask) -> BTreeSet<Occasion> {
        let has = |flags: &[&str]| task.selection.iter().any(|word| flags.contains(&word.as_str()));
        // A file or a folder may be called like what others do.
        let says = |word: &str| {
            let arguments = task.selection.iter().filter(|argument| !argument.contains(['/', '.']));
            [&task.name].into_iter().chain(arguments).any(|text| words(text).any(|it| it.starts_with(word)))
        };
        let (program, verb) = task.name.split_once(' ').unwrap_or((&task.name, ""));
        let first = task.selection.first().map_or("", String::as_str);
        let verb = if verb.is_empty() { first } else { verb };
        let is_installing = is_package_manager(program) && verb.split(' ').any(|it| INSTALLING.contains(&it));
        let mut found = BTreeSet::new();
        if task.is_bystander {
            return found;
        }
        match task.name.as_str() {
            "git commit" => drop(found.insert(Occasion::Commit)),
            "git push" => drop(found.insert(Occasion::Push)),
            "git checkout" if has(&["-b", "-B"]) => drop(found.insert(Occasion::Branch)),
            "git switch" if has(&["-c", "-C", "--create"]) => drop(found.insert(Occasion::Branch)),
            "git worktree add" => drop(found.insert(Occasion::Branch)),
            "git merge" | "git rebase" | "gh pr merge" => drop(found.insert(Occasion::Merge)),
            "gh pr create" => drop(found.insert(Occasion::PullRequest)),
            _ if is_installing => drop(found.insert(Occasion::Install)),
            _ if program == "git" => {}
            _ if task.runs_tests() => drop(found.insert(Occasion::Test)),
            name if MIGRATING.iter().any(|it| name.starts_with(it)) || says("migrat") => {
                found.insert(Occasion::Migration);
            }
            name if DEPLOYING.contains(&name) || says("deploy") => drop(found.insert(Occasion::Deploy)),
            _ => {}
        }
        found
    }

    /// Returns what a rule speaks of, in any form of the words.
    pub(crate) fn spoken_of(rule: &str) -> BTreeSet<Occasion> {
        let said = stemmed(&used_words(rule));
        // A stem of two letters is that of other words, too.
        let is_word = |phrase: &str| words(rule).any(|word| singular(&word) == phrase);
        occasions(|phrase| if phrase.len() == 2 { is_word(phrase) } else { said.contains(&stemmed(phrase)) })
    }

    /// Returns what a prompt asks for: "commit this" or "commti this", not "I committed and pushed".
    pub(crate) fn requested_by(prompt: &str) -> BTreeSet<Occasion> {
        let said: Vec<String> = words(prompt).collect();
        let is_mistyped = |phrase: &str| said.iter().any(|word| is_mistyped(word, phrase));
        let named = Occasion::named_by(prompt);
        if named.is_empty() { occasions(is_mistyped) } else { named }
    }

    /// Returns what a text names plainly: "a hook commits", not "it pushes the other one away".
    pub(crate) fn named_by(text: &str) -> BTreeSet<Occasion> {
        let said = words(&used_words(text)).fold(" ".to_owned(), |said, word| said + singular(&word) + " ");
        occasions(|phrase| said.contains(&format!(" {phrase} ")))
    }
}

fn occasions(is_said: impl Fn(&str) -> bool) -> BTreeSet<Occasion> {
    let spoken = SPEAKING.iter().filter(|(_, phrases)| phrases.iter().any(|phrase| is_said(phrase)));
    spoken.map(|(occasion, _)| *occasion).collect()
}

/// Returns a word without its `s`. The stem would be that of "committed", too, which asks for no commit.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Returns the words of a text that are used in it, without those that are only mentioned or count something.
fn used_words(text: &str) -> String {
    let mut is_mentioned = false;
    let used = words(text).filter(|word| {
        let is_skipped = is_mentioned;
        is_mentioned = MENTIONING.contains(&word.as_str());
        !is_skipped
    });
    used.collect::<Vec<_>>().join(" ")
}

/// Whether a word is another one with two neighbouring letters exchanged, or one letter too many or too few.
fn is_mistyped(word: &str, wanted: &str) -> bool {
    let (said, right): (Vec<char>, Vec<char>) = (word.chars().collect(), wanted.chars().collect());
    if right.len() < SHORTEST_MISTYPED || said.first() != right.first() || said == right {
        return false;
    }
    let start = said.iter().zip(&right).take_while(|(one, other)| one == other).count();
    let end = said.iter().rev().zip(right.iter().rev()).take_while(|(one, other)| one == other).count();
    let (shorter, longer) = (said.len().min(right.len()), said.len().max(right.len()));
    match longer - shorter {
        0 => {
            let swapped = (said.get(start), said.get(start + 1)) == (right.get(start + 1), right.get(start));
            swapped && start + end + 2 >= shorter
        }
        1 => start + end >= shorter,
        _ => false,
    }
}

/// Of a shorter word, too many others differ by one letter.
const SHORTEST_MISTYPED: usize = 6;

/// Whether a rule chooses another program of the same family than the one a command is about to run: "pnpm, never npm" before `yarn add`.
pub(crate) fn chooses_another(rule: &str, task: &CommandTask) -> bool {
    let program = program_of(task);
    let Some(family) = FAMILIES.iter().find(|family| family.contains(&program)) else { return false };
    let is_due = !is_package_manager(program) || Occasion::of_task(task).contains(&Occasion::Install);
    let says_how = rule.contains(" -");
    let mut named = words(rule).filter(|word| family.contains(&word.as_str()));
    is_due && !says_how && named.any(|word| word != program)
}

/// Returns the stems of a text's words with a blank around each, so that whole words are found in it.
fn stemmed(text: &str) -> String {
    stems(words(text)).fold(" ".to_owned(), |said, word| said + &word + " ")
}

/// Whether a text names a command: program and sub-command side by side, or a program that is no everyday word.
pub(crate) fn names_task(text: &str, task: &CommandTask) -> bool {
    let parts: Vec<String> = words(&task.name).collect();
    let said: Vec<String> = words(text).collect();
    match parts.as_slice() {
        [] | [_] => names_program(text, task),
        parts => said.windows(parts.len()).any(|run| run == parts),
    }
}

/// Whether a text names the program of a command, and that is no everyday word.
pub(crate) fn names_program(text: &str, task: &CommandTask) -> bool {
    let program = program_of(task);
    let is_distinct = program.len() > 2 && !EVERYDAY.contains(&program);
    is_distinct && words(text).any(|word| word == program)
}

/// Whether a rule of the user names the program of a command. Rules are short: what they name they are about, unless it is a word of every
/// day, or everything is done with it.
pub(crate) fn names_own_program(rule: &str, task: &CommandTask) -> bool {
    const TOOLS: [&str; 3] = ["docker", "curl", "grep"];
    let program = program_of(task);
    names_program(rule, task) || TOOLS.contains(&program) && words(rule).any(|word| word == program)
}

/// Returns the program of a command, without its sub-command.
pub(crate) fn program_of(task: &CommandTask) -> &str {
    task.name.split(' ').next().unwrap_or(&task.name)
}

/// Programs whose names stand in texts that do not mean them.
const EVERYDAY: [&str; 32] = [
    "make", "just", "task", "test", "find", "sort", "time", "node", "file", "head", "tail", "join", "split",
    "cut", "kill", "open", "touch", "tree", "watch", "which", "less", "more", "install", "python", "python3",
    "docker", "git", "cargo", "bash", "curl", "grep", "copy",
];

/// Whether a command does what a rule or a decision says: it is the command that the text names, and the text does not refuse it.
pub(crate) fn is_done_by(text: &str, task: &CommandTask) -> bool {
    let name: Vec<String> = words(&task.name).collect();
    let said: Vec<String> = words(text).collect();
    let whole = said.windows(name.len().max(1)).position(|run| name.len() > 1 && run == name);
    let program =
        || said.iter().position(|word| word == program_of(task)).filter(|_| names_program(text, task));
    let is_named = whole.or_else(program).is_some_and(|at| !is_denied(&said, at));
    !task.is_bystander && is_named
}

/// Whether one of the few words before this place refuses what stands there.
fn is_denied(said: &[String], at: usize) -> bool {
    const DENYING: [&str; 8] = ["never", "not", "no", "don", "avoid", "instead", "than", "without"];
    let before = said.get(at.saturating_sub(3)..at).unwrap_or_default();
    before.iter().any(|word| DENYING.contains(&word.as_str()))
}

/// Whether a rule that chooses a package manager is followed by a command: it names the program, and neither as the wrong one nor to say
/// how to call it.
pub(crate) fn is_followed_by(rule: &str, task: &CommandTask) -> bool {
    let program = program_of(task);
    let said: Vec<String> = words(rule).collect();
    let Some(at) = said.iter().position(|word| word == program) else { return false };
    let says_how = rule.contains(" -") || task.name.contains(' ') && names_task(rule, task);
    (is_package_manager(program) || program == "npx") && !says_how && !is_denied(&said, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_line(command: &str) -> Vec<Occasion> {
        tasks(command).iter().flat_map(Occasion::of_task).collect()
    }

    #[test]
    fn a_command_is_the_occasion_for_what_it_does() {
        use Occasion::*;
        for (command, expected) in [
            ("git add -A && git commit -m 'Fix deploy of migrations'", vec![Commit]),
            ("git commit --amend --no-edit && git push --force", vec![Commit, Push]),
            ("git checkout main && git pull && git checkout -b fix/deploy", vec![Branch]),
            ("git checkout main", vec![]),
            ("git push origin main && gh pr create --fill", vec![Push, PullRequest]),
            ("npm install left-pad", vec![Install]),
            ("pnpm --filter api add zod", vec![Install]),
            ("cargo build --release", vec![]),
            ("cd api && pytest -q | tail", vec![Test]),
            ("npm run test:unit", vec![Test]),
            ("alembic upgrade head", vec![Migration]),
            ("python manage.py migrate", vec![Migration]),
            ("make deploy ENV=staging", vec![Deploy]),
            ("pytest tests/test_deploy.py", vec![Test]),
            ("rm -rf deploy/", vec![]),
            ("cargo test add", vec![Test]),
            ("ls -la", vec![]),
            ("cat deploy.md", vec![]),
        ] {
            assert_eq!(of_line(command), expected, "{command}");
        }
    }

    #[test]
    fn a_rule_speaks_of_an_occasion() {
        use Occasion::*;
        for (rule, expected) in [
            ("Let me commit", vec![Commit]),
            ("Commits are never signed", vec![Commit]),
            ("Branch off main and not the current branch", vec![Branch]),
            ("Open a PR instead of pushing to main", vec![Push, PullRequest]),
            ("Always run the tests before you finish", vec![Test]),
            ("Never use unwrap outside of tests", vec![]),
            ("Migrations are reversible", vec![Migration]),
            ("Money is integer cents", vec![]),
            ("Keep the pre-flight checks", vec![]),
            ("Show the lines changed per commit and in all", vec![]),
            ("Say commit, not revision, on the page", vec![]),
        ] {
            assert_eq!(Occasion::spoken_of(rule).into_iter().collect::<Vec<_>>(), expected, "{rule}");
        }
    }

    #[test]
    fn a_prompt_asks_for_what_it_names_plainly() {
        use Occasion::*;
        for (prompt, expected) in [
            ("commit this", vec![Commit]),
            ("create commits and push", vec![Commit, Push]),
            ("ok lets get a pr up for this", vec![PullRequest]),
            ("run the tests", vec![Test]),
            ("I committed and pushed!!", vec![]),
            ("commti this", vec![Commit]),
            ("comit it please", vec![Commit]),
            ("a comment on this", vec![]),
            ("summit", vec![]),
            ("yes", vec![]),
        ] {
            assert_eq!(Occasion::requested_by(prompt).into_iter().collect::<Vec<_>>(), expected, "{prompt}");
        }
    }

    #[test]
    fn a_command_is_named_by_program_and_sub_command() {
        let names = |text: &str, command: &str| tasks(command).iter().any(|task| names_task(text, task));
        assert!(names("Config tests race under plain cargo test", "cargo test -q"));
        assert!(!names("Use cargo for everything", "cargo build"));
        assert!(names("psql needs sudo here", "psql -U postgres"));
        assert!(!names("make it fast", "make"));
    }

    #[test]
    fn a_rule_that_chooses_a_program_speaks_of_its_family() {
        let speaks = |rule: &str, command: &str| chooses_another(rule, &tasks(command)[0]);
        assert!(speaks("We use pnpm, never npm", "yarn add zod"));
        assert!(!speaks("We use pnpm, never npm", "yarn run lint"), "nothing is installed");
        assert!(speaks("Tests run in vitest", "jest src/cart.test.ts"));
        assert!(!speaks("Tests run in vitest", "vitest run"));
        assert!(!speaks("Use poetry here", "npm install"), "another language");
    }

    #[test]
    fn what_a_text_says_is_done_by_the_command_it_names() {
        let done = |text: &str, command: &str| is_done_by(text, &tasks(command)[0]);
        assert!(done("Run make lint before every push", "make lint"));
        assert!(done("Migrations are made with alembic", "alembic upgrade head"));
        assert!(!done("Never run make seed against staging", "make seed"));
        assert!(!done("Run make lint before every push", "make test"));
    }

    #[test]
    fn a_rule_is_followed_by_the_program_it_asks_for() {
        let follows = |command: &str| is_followed_by("We use pnpm here, never npm", &tasks(command)[0]);
        assert!(follows("pnpm install") && !follows("npm install") && !follows("yarn add x"));
        let how = "Run cargo test with --test-threads=1";
        assert!(!is_followed_by(how, &tasks("cargo test")[0]), "how a command is to be called is no choice");
    }
}
