//! Files that change together: who edits one should look at the other.

use super::noise::is_derived;
use crate::imported::{ImportedMemory, ImportedProject};
use backstory_capture::git::Commit;
use backstory_memory::{
    Category, Confidence, Content, Importance, Kind, Provenance, TITLE_CHARS, Timestamp, title_from,
};
use std::collections::HashMap;
use std::path::Path;

/// A commit that changes more files than this changes them for one reason that says nothing about any two.
const MOST_FILES: usize = 30;
/// How often two files have changed in one commit before that is no accident.
const LEAST_COMMITS: usize = 4;
/// What share of the commits that changed the rarer of the two changed both.
const LEAST_SHARE: f64 = 0.6;
/// And of the other one: a file that changes with everything says nothing about any.
const LEAST_OTHER_SHARE: f64 = 0.3;
const MOST_PAIRS: usize = 20;
/// Lower than the confidence of anything stated or done.
const MOST_CONFIDENCE: f64 = 0.45;
const MOST_PAIRS_OF_A_FILE: usize = 2;
const MOST_RELATED: usize = 5;

/// Two files that change together.
///
/// Its name and title are the same on every run. The counts grow with the history, so they are facts and no part of the title.
pub(super) struct CoChangedPair<'a> {
    /// The one that changes in fewer commits.
    rarer: &'a str,
    other: &'a str,
    /// In how many commits the rarer one changed.
    of: usize,
    /// The commits in which both did, the newest first.
    both: Vec<&'a Commit>,
    /// How strongly they belong together: of the commits that changed either, what share changed both.
    share: f64,
}

/// Returns the pairs that belong together most, of files that are still there.
pub(super) fn pairs(commits: &[Commit], is_there: impl Fn(&str) -> bool) -> Vec<CoChangedPair<'_>> {
    let mut single: HashMap<&str, usize> = HashMap::new();
    let mut both: HashMap<(&str, &str), Vec<&Commit>> = HashMap::new();
    for commit in commits.iter().rev().filter(|commit| commit.file_count <= MOST_FILES) {
        let mut paths: Vec<&str> = commit
            .changes
            .iter()
            .map(|change| change.path.as_str())
            .filter(|path| says_something(path))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        for (at, one) in paths.iter().enumerate() {
            *single.entry(one).or_default() += 1;
            for other in paths.iter().skip(at + 1) {
                both.entry((one, other)).or_default().push(commit);
            }
        }
    }
    let mut pairs: Vec<CoChangedPair<'_>> = both
        .into_iter()
        .filter_map(|(names, both)| CoChangedPair::from_commits(names, both, &single))
        .collect();
    pairs.sort_by(|one, other| {
        let strength = |pair: &CoChangedPair<'_>| pair.share * (pair.both.len() as f64).ln();
        strength(other).total_cmp(&strength(one)).then_with(|| one.name().cmp(&other.name()))
    });
    let mut kept: HashMap<&str, usize> = HashMap::new();
    pairs.retain(|pair| {
        let names = [pair.rarer, pair.other];
        let is_wanted = names
            .iter()
            .all(|name| kept.get(name).is_none_or(|count| *count < MOST_PAIRS_OF_A_FILE) && is_there(name));
        if is_wanted {
            names.iter().for_each(|name| *kept.entry(name).or_default() += 1);
        }
        is_wanted
    });
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// Change logs and lock files change with everything.
fn says_something(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    !is_derived(path) && !["changelog", "changes", "news", "history", "readme", "version"].contains(&stem)
}

impl<'a> CoChangedPair<'a> {
    fn from_commits(
        (one, other): (&'a str, &'a str),
        both: Vec<&'a Commit>,
        single: &HashMap<&str, usize>,
    ) -> Option<CoChangedPair<'a>> {
        let (of_one, of_other) = (*single.get(one)?, *single.get(other)?);
        let (rarer, other, of, of_other) =
            if of_one <= of_other { (one, other, of_one, of_other) } else { (other, one, of_other, of_one) };
        let together = both.len();
        let is_pair = together >= LEAST_COMMITS
            && !are_halves(rarer, other)
            && together as f64 >= LEAST_SHARE * of as f64
            && together as f64 >= LEAST_OTHER_SHARE * of_other as f64;
        let share = together as f64 / (of + of_other - together) as f64;
        is_pair.then_some(CoChangedPair { rarer, other, of, both, share })
    }

    /// Both files, the same way round whichever is the rarer one by now.
    fn files(&self) -> [&'a str; 2] {
        if self.rarer < self.other { [self.rarer, self.other] } else { [self.other, self.rarer] }
    }

    fn name(&self) -> String {
        let [one, other] = self.files();
        format!("together {one} {other}")
    }

    /// Makes a memory of it.
    pub(super) fn memory(&self, root: &Path) -> ImportedMemory {
        let [one, other] = self.files();
        let body = format!("Who changes {one} or {other} mostly has to change both.");
        let mut content = Content::new(Kind::Fact, &self.title(), &body);
        content.facts = vec![format!(
            "In {} of the {} commits that changed {}, {} changed too",
            self.both.len(),
            self.of,
            self.rarer,
            self.other
        )];
        content.category = Some(Category("co-change".to_owned()));
        content.files = vec![one.to_owned(), other.to_owned()];
        // It is a statistic: found by its files, and too weak to be injected at a session start.
        content.importance = Importance::new(1);
        content.confidence = Confidence::new(self.share * MOST_CONFIDENCE);
        // Others' commits count, too.
        content.provenance = Provenance::Repository;
        // The commit that completed the pattern: later ones do not change its date.
        let formed = self.both.iter().rev().nth(LEAST_COMMITS - 1);
        let created_at = formed.map_or(Timestamp(0), |commit| commit.at);
        let project = ImportedProject::Folder(root.to_owned());
        let relates = self.both.iter().take(MOST_RELATED).map(|commit| commit.id.clone()).collect();
        ImportedMemory { relates, ..ImportedMemory::new(self.name(), project, created_at, content) }
    }

    /// Names both files as far as a title has room for them.
    fn title(&self) -> String {
        let [one, other] = self.files();
        let named = [usize::MAX, 2, 1].map(|parts| {
            format!("{} and {} change together", last_parts(one, parts), last_parts(other, parts))
        });
        let fits = |title: &&String| title.chars().count() <= TITLE_CHARS;
        named
            .iter()
            .find(fits)
            .cloned()
            .unwrap_or_else(|| title_from(&format!("{} seldom changes alone", last_parts(one, 1))))
    }
}

/// Returns the end of a path: the file's name with that many of its folders' names less one.
fn last_parts(path: &str, count: usize) -> String {
    let mut parts: Vec<&str> = path.rsplit('/').take(count).collect();
    parts.reverse();
    parts.join("/")
}

/// Whether two files are the two halves of one: everyone who edits a header looks at its source.
fn are_halves(one: &str, other: &str) -> bool {
    let half = |path: &str| {
        let (stem, extension) = path.rsplit_once('.')?;
        let is_c = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "m", "mm"].contains(&extension);
        is_c.then(|| stem.to_owned())
    };
    half(one).is_some_and(|stem| half(other) == Some(stem))
}
