//! How things are taken in, whatever they are: what may be kept, of when, of which project.

use backstory_capture::{Redactor, safe_project_ref};
use backstory_memory::{ProjectKey, ProjectRef, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How things are taken in.
pub struct ImportOptions<'a> {
    /// Takes out secrets.
    pub redactor: &'a Redactor,
    /// The most an event may be long, in bytes.
    pub most_event_bytes: usize,
    /// What time it is.
    pub now: Timestamp,
    /// No memory that is older, and no session that ended before.
    pub since: Option<Timestamp>,
    /// Nothing of another project.
    pub only: Option<ProjectFilter>,
    /// Whether nothing that happened in a folder is to be kept.
    pub leaves_out: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Whether nothing of a project that is known by its name only is to be kept.
    pub leaves_out_name: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether a prompt is one of our own to a model: such a session is not to be remembered.
    pub is_our_prompt: fn(&str) -> bool,
}

/// The one project that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFilter {
    /// What it is called.
    pub name: String,
    /// What it is recognised by.
    pub keys: Vec<ProjectKey>,
}

/// How often something was, by what it was.
pub type SkipCounts = BTreeMap<&'static str, u64>;

/// Which project a folder belongs to, looked up once for each folder.
pub(crate) struct Folders<'a> {
    options: &'a ImportOptions<'a>,
    known: HashMap<PathBuf, Option<ProjectRef>>,
}

impl<'a> Folders<'a> {
    pub(crate) fn new(options: &'a ImportOptions<'a>) -> Folders<'a> {
        Folders { options, known: HashMap::new() }
    }

    /// Returns what a folder tells about its project; nothing where nothing of it is wanted.
    pub(crate) fn project_ref(&mut self, folder: &Path) -> Option<ProjectRef> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let options = self.options;
        // A path of another system, or of nobody knows where, is no folder here.
        let project_ref =
            folder.is_absolute().then(|| safe_project_ref(folder, options.redactor)).filter(|project_ref| {
                let is_wanted =
                    |only: &ProjectFilter| project_ref.keys.iter().any(|key| only.keys.contains(key));
                !(options.leaves_out)(folder) && options.only.as_ref().is_none_or(is_wanted)
            });
        self.known.insert(folder.to_owned(), project_ref.clone());
        project_ref
    }
}

impl ImportOptions<'_> {
    /// Whether something can have happened then.
    pub(crate) fn is_possible(&self, at: Timestamp) -> bool {
        at >= FIRST_MOMENT && at <= self.now.plus_ms(Timestamp::DAY_MS)
    }

    /// Whether only a part of what there is is wanted: what is skipped now may be wanted later.
    pub(crate) fn is_partial(&self) -> bool {
        self.since.is_some() || self.only.is_some()
    }
}

/// Why something is skipped that may be wanted another time.
pub(crate) const LEFT_OUT: &str = "left out";

/// 2000-01-01: nothing here is older.
pub(crate) const FIRST_MOMENT: Timestamp = Timestamp(946_684_800_000);

/// Adds a tally to another.
pub(crate) fn add(to: &mut SkipCounts, from: &SkipCounts) {
    for (what, count) in from {
        *to.entry(what).or_default() += count;
    }
}
