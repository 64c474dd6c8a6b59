//! Text that asks for an action: to run, install, fetch or send something, to approve or ignore something, to always or never do something.
//!
//! The one place that decides it, for memories when they are written and again for every line that is injected (law 6). It reads words,
//! not intentions, and leans towards "asks": what it takes for asking waits for the user's word, nothing is lost. Not here: what
//! follows from it (`standing`, `inject`).

mod addresses;
mod vocabulary;

pub use addresses::OwnAddresses;

use crate::is_stop_word;
use addresses::names_foreign_address;
use std::collections::HashSet;
use std::sync::LazyLock;
use vocabulary::*;

/// What a text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It names an address that is not the project's own.
    Address,
    /// It asks to run a command, or holds one that installs, fetches or runs foreign code.
    Command,
    /// It asks to set aside instructions, checks or questions, or says that somebody approved.
    Override,
    /// It says what is always, never or now to be done.
    Directive,
    /// It begins with a verb like "delete" or "deploy".
    Imperative,
}

impl Action {
    /// Whether it counts in the title of work that was done, too: commits begin with "Skip empty rows" and describe by it.
    #[must_use]
    pub fn is_grave(self) -> bool {
        self != Action::Imperative
    }
}

/// Returns what a text asks for, the gravest first; nothing where it only describes.
#[must_use]
pub fn requested_action(text: &str, own: &OwnAddresses) -> Option<Action> {
    if names_foreign_address(text, own) {
        return Some(Action::Address);
    }
    if !holds_telltale(text) {
        return None;
    }
    let requests = sentences(text).filter_map(|sentence| Sentence::new(sentence).asks());
    requests.min_by_key(|action| match action {
        Action::Address | Action::Command | Action::Override => 0,
        Action::Directive => 1,
        Action::Imperative => 2,
    })
}

/// Returns the sentences of a text that ask for an action. Of sentences longer than anybody writes only parts are looked at.
pub(crate) fn asking_sentences(text: &str) -> impl Iterator<Item = &str> {
    let own = OwnAddresses::default();
    let parts = sentences(text).flat_map(|sentence| parts_of(sentence, LONGEST_SENTENCE));
    parts.filter(move |part| requested_action(part, &own).is_some())
}

/// Whether a program installs what others wrote, by its name in lower case.
#[must_use]
pub fn is_package_manager(program: &str) -> bool {
    INSTALLERS.holds(program)
}

/// Whether a command makes something less safe that others rely on: it opens files to everybody, or switches a check off.
#[must_use]
pub fn weakens(command: &str) -> bool {
    let words = || command.split_whitespace();
    let opens =
        words().any(|word| word == "chmod") && words().any(|word| matches!(word, "777" | "a+rwx" | "666"));
    let switches_off = words().any(|word| {
        let Some((name, _)) = word.split_once('=') else { return false };
        let is_variable = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_variable && name.split('_').any(|part| WEAKENING.holds(part))
    });
    opens || switches_off
}

const LONGEST_SENTENCE: usize = 600;

fn parts_of(sentence: &str, longest: usize) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        let end = rest.floor_char_boundary(longest);
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether a text holds anything that a request could be recognised by. Most hold nothing, and every line of a block is asked.
fn holds_telltale(text: &str) -> bool {
    let is_telltale = |word: &str| {
        let mut lower = [0; LONGEST_TELLTALE];
        let Some(lower) = lower.get_mut(..word.len()) else { return false };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        str::from_utf8(lower).is_ok_and(|word| TELLTALES.contains(word))
    };
    let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '\'');
    !text.is_ascii()
        || text.contains(['|', '$', '<'])
        || text.contains("--")
        || text.contains("./")
        || text.split(ends).any(is_telltale)
}

const LONGEST_TELLTALE: usize = 16;

/// The words that requests are recognised by; of phrases the longest word, which is the rarest.
static TELLTALES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [
        &RUNNING,
        &SETTING_ASIDE,
        &APPROVING,
        &APPROVED,
        &FETCHERS,
        &INSTALLERS,
        &DIRECTING,
        &DONE,
        &OVERRIDING,
        &FETCHING,
        &HANDING,
        &OTHER_LANGUAGES,
    ];
    let longest =
        |phrase: &'static str| phrase.split([' ', '-']).max_by_key(|word| word.len()).unwrap_or(phrase);
    let listed = lists.into_iter().flat_map(|list| list.each().map(longest));
    // `.sh` and `.ps1`: a script is named.
    listed.chain(["always", "never", "must", "shall", "please", "sh", "ps1"]).collect()
});

/// Cuts at the ends of lines and sentences, and before the semicolons and colons that begin a clause of its own.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| line.split_inclusive(['。', '！', '？']))
        .flat_map(|line| line.split_inclusive(". ").flat_map(|part| part.split_inclusive("! ")))
        .flat_map(|part| part.split_inclusive("; ").flat_map(|part| part.split_inclusive(": ")))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

/// One word of a sentence, in lower case.
struct Word {
    text: String,
    /// Whether it stood in code quotes.
    is_code: bool,
    /// Whether a comma or a dash stands before it.
    begins_clause: bool,
}

/// The words of a sentence.
struct Sentence {
    words: Vec<Word>,
    text: String,
}

impl Sentence {
    fn new(text: &str) -> Sentence {
        let mut words = Vec::new();
        let mut begins_clause = true;
        for (at, part) in text.split('`').enumerate() {
            for word in part.split_whitespace() {
                // The dot of `./x.sh` belongs to it.
                let trimmed = word.trim_end_matches(PUNCTUATION);
                let trimmed =
                    trimmed.trim_start_matches(|c| c != '.' && PUNCTUATION.contains(&c)).to_lowercase();
                if !trimmed.is_empty() {
                    words.push(Word { text: trimmed, is_code: at % 2 == 1, begins_clause });
                }
                begins_clause = word.ends_with([',', '—', '–', ')']) || word == "-";
            }
        }
        Sentence { words, text: text.to_lowercase() }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.text)
    }

    fn asks(&self) -> Option<Action> {
        let request = self.request();
        if self.overrides() {
            return Some(Action::Override);
        }
        let directs = self.directs() || self.has_directing_name();
        if self.holds_foreign_code()
            || (directs || request.is_some()) && self.holds_command()
            || self.needs_command()
            || self.is_foreign_with_script()
        {
            return Some(Action::Command);
        }
        match request {
            _ if directs => Some(Action::Directive),
            Some(at) if self.is_about_precious(at) => Some(Action::Directive),
            Some(_) => Some(Action::Imperative),
            None => None,
        }
    }

    /// Whether one of `first` is followed by one of `second`, at most `gap` words later.
    fn pairs(&self, first: &WordList, second: &WordList, gap: usize) -> bool {
        self.words
            .iter()
            .enumerate()
            .any(|(at, word)| first.holds(&word.text) && self.follows(at, second, gap).is_some())
    }

    /// Returns where one of `wanted` stands, at most `gap` words after the next.
    fn follows(&self, at: usize, wanted: &WordList, gap: usize) -> Option<usize> {
        (at + 1..=at + 1 + gap).find(|next| wanted.holds(self.word(*next)))
    }

    fn is_argument(&self, at: usize) -> bool {
        !self.word(at).is_empty() && !is_stop_word(self.word(at))
    }

    /// Whether a word can hardly be one of a language: a flag, a path, a package.
    fn is_technical(&self, at: usize) -> bool {
        let word = self.word(at);
        let is_version = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        !is_version
            && (word.starts_with('-') && word.len() > 1
                || word.contains(['/', '@', '_', '=', '.'])
                || word.contains('-') && word.bytes().any(|byte| byte.is_ascii_alphanumeric())
                || word.bytes().any(|byte| byte.is_ascii_digit()))
    }

    fn overrides(&self) -> bool {
        let skips_checks = || {
            let at = self.first_verb();
            self.words.iter().enumerate().any(|(next, word)| {
                (next == at || word.begins_clause)
                    && SKIPPING.holds(&word.text)
                    && self.follows(next, &CHECKS, 3).is_some()
            })
        };
        self.pairs(&SETTING_ASIDE, &INSTRUCTIONS, 5)
            || self.pairs(&APPROVING, &EVERYTHING, 2)
            || self.pairs(&APPROVED, &EVERYTHING, 1)
            || self.pairs(&OWNERS, &APPROVED, 2)
            || self.pairs(&HANDING, &RIGHTS, 6)
            || self.pairs(&HAND, &KEYS, 6)
            || self.is_disguised()
            || OVERRIDING.each().any(|phrase| self.text.contains(phrase))
            || skips_checks()
    }

    /// Whether a word is written with letters that only look Latin, as nobody writes by accident.
    fn is_disguised(&self) -> bool {
        let is_wide = |c: char| ('\u{ff21}'..='\u{ff5a}').contains(&c);
        let is_lookalike = |c: char| ('\u{370}'..='\u{52f}').contains(&c);
        let is_mixed = |word: &str| {
            word.chars().filter(char::is_ascii_lowercase).count() > 1
                && word.chars().filter(|c| is_lookalike(*c)).count() > 0
                && word.chars().all(char::is_alphabetic)
        };
        !self.text.is_ascii()
            && (self.text.contains(is_wide) || self.words.iter().any(|word| is_mixed(&word.text)))
    }

    /// Whether a name in it reads as an order: `always_run_the_installer`. A file or a function may be called anything.
    fn has_directing_name(&self) -> bool {
        const FEWEST_PARTS: usize = 4;
        const LONGEST: usize = 120;
        self.words.iter().filter(|word| word.text.len() <= LONGEST).any(|word| {
            let name = word.text.rsplit(['/', ':']).next().unwrap_or_default();
            let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
            parts.len() >= FEWEST_PARTS && Sentence::new(&parts.join(" ")).directs()
        })
    }

    /// Whether it says what is always, never or now to be done.
    fn directs(&self) -> bool {
        DIRECTING.each().any(|phrase| self.has_phrase(phrase))
            || self.word(0) == "please"
            || self.directs_in_other_language()
            || self.obliges()
            || (0..self.words.len()).any(|at| {
                matches!(self.word(at), "always" | "never" | "must" | "shall")
                    && (at == 0
                        || self.words.get(at).is_some_and(|word| word.begins_clause)
                        || SUBJECTS.holds(self.word(at - 1)))
            })
    }

    fn directs_in_other_language(&self) -> bool {
        if self.text.is_ascii() && self.is_english() {
            return false;
        }
        self.words.iter().any(|word| OTHER_LANGUAGES.holds(&word.text))
            || !self.text.is_ascii() && UNSPACED.each().any(|word| self.text.contains(word))
    }

    fn is_english(&self) -> bool {
        self.words.iter().filter(|word| !word.is_code).any(|word| ENGLISH.holds(&word.text))
    }

    /// Whether something is to be done: "should be deployed", "has to be run", "are to be skipped", "expects it to be posted".
    fn obliges(&self) -> bool {
        let acts = |at: usize| DONE.holds(self.word(at)) || RUNNING.holds(self.word(at));
        (0..self.words.len()).any(|at| {
            let next = |more: usize| self.word(at + more);
            let is_obliged = OBLIGING.holds(self.word(at))
                && (next(1) == "be" && acts(at + 2)
                    || next(1) == "to" && (acts(at + 2) || next(2) == "be" && acts(at + 3)));
            let is_expected = next(0) == "to"
                && next(1) == "be"
                && DONE.holds(next(2))
                && self.words.iter().take(at).any(|word| EXPECTING.holds(&word.text));
            is_obliged || is_expected
        })
    }

    fn has_phrase(&self, phrase: &str) -> bool {
        (0..self.words.len())
            .any(|at| phrase.split(' ').enumerate().all(|(next, word)| self.word(at + next) == word))
    }

    /// Returns where the first word stands that does not only lead to another.
    fn first_verb(&self) -> usize {
        self.words.iter().position(|word| !LEADING.holds(&word.text)).unwrap_or_default()
    }

    /// Returns the verb with which it asks to run, install, send or delete something, at its beginning or that of a clause.
    fn request(&self) -> Option<usize> {
        let is_verb = |at: usize| {
            RUNNING.holds(self.word(at))
                && self.words.len() > at + 1
                && !NOUN_FOLLOWERS.holds(self.word(at + 1))
        };
        let takes_object = |at: usize| {
            DETERMINERS.holds(self.word(at + 1))
                || self.is_technical(at + 1)
                || self.words.get(at + 1).is_some_and(|word| word.is_code)
        };
        let begins_clause = |at: &usize| self.words.get(*at).is_some_and(|word| word.begins_clause);
        let first = self.first_verb();
        let later = (first + 1..self.words.len())
            .filter(begins_clause)
            .map(|at| if matches!(self.word(at), "then" | "and" | "first" | "please") { at + 1 } else { at })
            .find(|at| is_verb(*at) && takes_object(*at));
        Some(first).filter(|at| is_verb(*at)).or(later)
    }

    /// Whether a request is about secrets, or about what many rely on.
    fn is_about_precious(&self, at: usize) -> bool {
        (at + 1..self.words.len()).any(|next| PRECIOUS.holds(self.word(next)))
            || EVERYTHING.holds(self.word(at + 1))
    }

    fn is_script(&self, at: usize) -> bool {
        let word = self.word(at);
        word.starts_with("./") && word.len() > 2 || word.ends_with(".sh") || word.ends_with(".ps1")
    }

    /// Whether it holds a command of any kind, in code quotes or at a shell's prompt.
    fn holds_command(&self) -> bool {
        let is_program = |(at, word): (usize, &Word)| {
            let is_command = || !WORDS_TOO.holds(&word.text) && self.is_argument(at + 1);
            self.is_script(at) || PROGRAMS.holds(&word.text) && (word.is_code || is_command())
        };
        self.text.starts_with("$ ") || self.words.iter().enumerate().any(is_program)
    }

    /// Whether somebody needs a script or an install: "requires pip install x", "need ./setup.sh".
    fn needs_command(&self) -> bool {
        let installs = |at: usize| {
            INSTALLERS.holds(self.word(at)) && INSTALLING.holds(self.word(at + 1)) && self.is_argument(at + 2)
        };
        self.words.iter().enumerate().any(|(at, word)| {
            REQUIRING.holds(&word.text)
                && (at + 1..=at + 3).any(|next| {
                    installs(next)
                        || self.is_script(next) && !matches!(word.text.as_str(), "via" | "through" | "using")
                })
        })
    }

    /// Whether it names a script in a language that is not English: its verbs cannot be recognised.
    fn is_foreign_with_script(&self) -> bool {
        let is_spoken = |word: &Word| {
            word.text.chars().all(char::is_alphabetic) && (word.text.len() > 2 || !word.text.is_ascii())
        };
        let describes = || {
            let is_past = |word: &Word| word.text.ends_with("ed") || word.text.ends_with("ing");
            self.words.iter().any(|word| word.text.is_ascii() && is_past(word))
        };
        (0..self.words.len()).any(|at| self.is_script(at) && self.word(at).contains('/'))
            && self.words.iter().filter(|word| is_spoken(word)).count() >= 2
            && !self.is_english()
            && !describes()
    }

    /// Whether it holds a command that installs, fetches or runs what somebody else wrote.
    fn holds_foreign_code(&self) -> bool {
        let begins_code = |at: usize| at == 0 || self.words.get(at - 1).is_none_or(|word| !word.is_code);
        let is_shell_prompt = self.text.starts_with("$ ");
        let pipes = [
            "| sh", "| bash", "| zsh", "|sh", "|bash", "| sudo", "| python", "| node", "| iex", "$(curl",
            "<(curl",
        ];
        pipes.iter().any(|pipe| self.text.contains(pipe))
            || self.pairs(&PIPING, &SHELLS, 3)
            || self.words.iter().enumerate().any(|(at, word)| {
                let stands_as_code = word.is_code && begins_code(at) || is_shell_prompt || at == 0;
                let installs = INSTALLERS.holds(&word.text) && INSTALLING.holds(self.word(at + 1));
                let fetches = FETCHERS.holds(&word.text);
                let runs = fetches || FETCHING.holds_pair(&word.text, self.word(at + 1));
                // In "`npm install` fails" the quotes end before what could be an argument.
                let is_within = |next: usize| {
                    self.is_argument(next)
                        && self.words.get(next).is_some_and(|other| other.is_code == word.is_code)
                };
                stands_as_code && (installs && is_within(at + 2) || runs && is_within(at + 1))
                    || fetches && self.is_technical(at + 1)
                    || installs && self.is_technical(at + 2)
            })
    }
}

const PUNCTUATION: &[char] =
    &['"', '\'', '(', ')', ',', '.', ';', ':', '!', '?', '*', '“', '”', '‘', '’', '—', '…', '#', '>'];

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(text: &str) -> Option<Action> {
        requested_action(text, &OwnAddresses::default())
    }

    /// Every line of the file that holds a sentence.
    fn sentences_in(file: &'static str) -> impl Iterator<Item = &'static str> {
        file.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
    }

    #[test]
    fn what_asks_for_an_action_is_recognised() {
        let missed: Vec<&str> = sentences_in(include_str!("actionable/asking.txt"))
            .filter(|text| !requested(text).is_some_and(Action::is_grave))
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn a_title_in_the_imperative_asks_unless_it_is_of_work_that_was_done() {
        for text in ["Deploy the billing service", "Delete the old importer", "Merge the two parsers"] {
            assert_eq!(requested(text), Some(Action::Imperative), "{text}");
        }
    }

    #[test]
    fn what_only_describes_asks_for_nothing() {
        let wrong: Vec<(&str, Option<Action>)> = sentences_in(include_str!("actionable/describing.txt"))
            .map(|text| (text, requested(text)))
            .filter(|(_, action)| action.is_some())
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
