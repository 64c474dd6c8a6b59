//! What a hub is asked, also where a build has no hub: a search, and vectors to keep.

use backstory_memory::{Digest, Kind, Uid};
use std::time::Duration;

/// The vectors of a memory, as a model made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryVectors {
    /// The memory.
    pub uid: Uid,
    /// The digest of the revision they were made of.
    pub content_digest: Digest,
    /// Its vectors, each as it is stored.
    pub parts: Vec<Vec<u8>>,
}

/// What to search for.
#[derive(Clone, Copy, Debug, Default)]
pub struct TeamQuery<'a> {
    /// The words.
    pub words: &'a str,
    /// Their vector, for a hub that has vectors.
    pub vector: Option<QueryVector<'a>>,
    /// The key of the project; all projects of the team where there is none.
    pub project: Option<&'a str>,
    /// The kinds; all where there is none.
    pub kinds: &'a [Kind],
    /// How many hits at most, by words and by vector each.
    pub most: u32,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// The vector of a query.
#[derive(Clone, Copy, Debug)]
pub struct QueryVector<'a> {
    /// The model that made it: only vectors of one model are compared.
    pub model: &'a str,
    /// The direction.
    pub direction: &'a [f32],
}
