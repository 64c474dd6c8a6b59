//! What the project's own instruction files say already: CLAUDE.md, AGENTS.md and their like, read as assertions of the repository.
//!
//! The agent reads them anyway, so that what they say is not kept a second time; and a file that says otherwise misleads every
//! session, so that what contradicts it is marked. They are read when something is compared with them, and never written. Not here:
//! which files these are (`capture`).

use crate::assertion::{Agreement, Assertion};
use crate::plain::lines;
use crate::sentences::sentences;
use backstory_capture::{instruction_files, readme};
use backstory_memory::{jaccard, keywords};
use std::cell::OnceCell;
use std::path::Path;

/// Two sentences that share fewer words are about different things.
const LEAST_SHARED: usize = 2;

/// The instruction files of a project, read when first asked for.
pub struct ProjectFiles<'a> {
    root: Option<&'a Path>,
    /// Whether the README is read, too.
    has_readme: bool,
    statements: OnceCell<Vec<FileStatement>>,
}

struct FileStatement {
    file: String,
    sentence: String,
    keywords: Vec<String>,
}

/// What the files say to a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileAnswer {
    /// Nothing.
    Silent,
    /// The same, in this file.
    Says(String),
    /// Something else, in this file; as a remark.
    Contradicts(String),
}

impl<'a> ProjectFiles<'a> {
    /// The files at a project's root; none if the project is elsewhere.
    #[must_use]
    pub fn new(root: Option<&'a Path>) -> ProjectFiles<'a> {
        ProjectFiles { root, has_readme: false, statements: OnceCell::new() }
    }

    /// Reads the README beside them: what it says is known, though it instructs nobody.
    pub(super) fn with_readme(self) -> ProjectFiles<'a> {
        ProjectFiles { has_readme: true, ..self }
    }

    /// Says where a file says otherwise, as a remark of our own words.
    #[must_use]
    pub fn contradiction(&self, said: &str) -> Option<String> {
        match self.answer(said) {
            FileAnswer::Contradicts(remark) => Some(remark),
            FileAnswer::Says(_) | FileAnswer::Silent => None,
        }
    }

    /// Compares what a sentence asserts with the files.
    pub(super) fn answer(&self, said: &str) -> FileAnswer {
        let (asserted, said_words) = (Assertion::read(said), keywords(said));
        for statement in self.statements() {
            let shared = said_words.iter().filter(|word| statement.keywords.contains(word)).count();
            if shared < LEAST_SHARED.min(said_words.len()) {
                continue;
            }
            let known = Assertion::read(&statement.sentence);
            match asserted.compared_with(&known, jaccard(said, &statement.sentence)) {
                Agreement::Same => return FileAnswer::Says(statement.file.clone()),
                Agreement::Opposite => return FileAnswer::Contradicts(statement.remark(&known)),
                Agreement::Unrelated => {}
            }
        }
        FileAnswer::Silent
    }

    fn statements(&self) -> &[FileStatement] {
        self.statements.get_or_init(|| {
            let readme = self.root.filter(|_| self.has_readme).and_then(readme);
            let files = self.root.map(instruction_files).unwrap_or_default().into_iter().chain(readme);
            let statements = files.flat_map(|(file, text)| {
                let lines = lines(&text);
                let all = lines.iter().flat_map(|line| sentences(&line.text)).map(str::to_owned);
                let statement = |sentence: String| {
                    let keywords = keywords(&sentence);
                    FileStatement { file: file.clone(), sentence, keywords }
                };
                all.map(statement).collect::<Vec<_>>()
            });
            statements.collect()
        })
    }
}

impl FileStatement {
    /// Says that the file says otherwise. Of its words only a number is repeated: anybody may have written the rest (law 6).
    fn remark(&self, known: &Assertion) -> String {
        match known.numbers().as_slice() {
            [] => format!("{} says otherwise", self.file),
            numbers => format!("{} says {}", self.file, numbers.join(", ")),
        }
    }
}
