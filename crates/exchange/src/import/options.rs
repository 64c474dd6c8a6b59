//! What may be imported: from when, of which projects, believed how far.

use backstory_capture::Redactor;
use backstory_memory::{ProjectId, ProjectKey, ProjectRef, Provenance, Redacted, Timestamp};
use std::collections::BTreeMap;
use std::path::Path;

/// What is imported of what is on this machine.
pub struct ImportOptions<'a> {
    /// Takes out secrets.
    pub redactor: &'a Redactor,
    /// The longest an event may be, in bytes.
    pub max_event_bytes: usize,
    /// What time it is.
    pub now: Timestamp,
    /// No memory that is older, and no session that ended before.
    pub since: Option<Timestamp>,
    /// Nothing of another project.
    pub project_filter: Option<ProjectFilter>,
    /// Whether nothing that happened in a folder may be stored.
    pub excludes_folder: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Whether nothing may be stored of a project of which only the name is known.
    pub excludes_name: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether a prompt is one of our own to a model: such a session is not remembered.
    pub is_own_prompt: fn(&str) -> bool,
}

/// The one project that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFilter {
    /// What it is called.
    pub name: String,
    /// What it is recognised by.
    pub keys: Vec<ProjectKey>,
}

/// How a file of memories is imported.
pub struct FileImportOptions<'a> {
    /// Takes out secrets.
    pub redactor: &'a Redactor,
    /// What time it is.
    pub now: Timestamp,
    /// How far it is believed.
    pub trust: FileTrust,
    /// The project of records that name none.
    pub default_project: DefaultProject,
}

/// How far a file of memories is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileTrust {
    /// As what somebody else says: whoever wrote the file may have claimed anything.
    #[default]
    Import,
    /// As the user's own export: provenance, scope and pins are as it says.
    User,
}

impl FileTrust {
    /// Returns the highest provenance a record may have.
    pub(crate) fn max_provenance(self) -> Provenance {
        match self {
            FileTrust::Import => Provenance::Import,
            FileTrust::User => Provenance::User,
        }
    }
}

/// The project of records that name none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultProject {
    /// One that is known.
    Known(ProjectId),
    /// The one of a folder; it is made when the first record needs it.
    At(Redacted<ProjectRef>),
}

/// How many things were skipped, by the reason.
pub type SkipCounts = BTreeMap<&'static str, u64>;

/// The reason for skipping what another import may want: it is not marked as read.
pub(crate) const EXCLUDED: &str = "left out";

impl ImportOptions<'_> {
    /// Whether a project that is recognised by these keys is wanted.
    pub(crate) fn wants_keys(&self, keys: &[ProjectKey]) -> bool {
        let is_it = |filter: &ProjectFilter| keys.iter().any(|key| filter.keys.contains(key));
        self.project_filter.as_ref().is_none_or(is_it)
    }

    /// Whether a project of which only the name is known is wanted.
    pub(crate) fn wants_name(&self, name: &str) -> bool {
        self.project_filter.as_ref().is_none_or(|filter| filter.name == name) && !(self.excludes_name)(name)
    }

    /// Whether something is too old to be wanted.
    pub(crate) fn is_too_old(&self, at: Timestamp) -> bool {
        self.since.is_some_and(|since| at < since)
    }

    /// Whether something can have happened then.
    pub(crate) fn is_possible(&self, at: Timestamp) -> bool {
        at >= backstory_memory::FIRST_MOMENT && at <= self.now.plus_ms(Timestamp::DAY_MS)
    }

    /// Whether only a part is imported: what is skipped now may be wanted later.
    pub(crate) fn is_partial(&self) -> bool {
        self.since.is_some() || self.project_filter.is_some()
    }
}

/// Adds counts to others.
pub(crate) fn add_counts(to: &mut SkipCounts, from: &SkipCounts) {
    for (reason, count) in from {
        *to.entry(reason).or_default() += count;
    }
}
