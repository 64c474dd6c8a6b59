//! What a hub answers, also where a build has no hub: the values that requests return.

use backstory_memory::{Provenance, SharedRevision, SyncBatch, Uid, Watermark};

/// What came of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invitation {
    /// They had no login. Now they have one, with the new password.
    Made,
    /// They had a login already, and are now in the team too.
    Added,
}

/// What came of a revocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// They were not a member.
    NotAMember,
    /// They are out of this team, and still in others of this hub.
    Out,
    /// They are out, and their login was closed.
    LoginClosed,
    /// They are out. Their login was not made for this hub alone, and stays open.
    LoginStays,
}

/// What came of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubMigration {
    /// The schema it had; 0 where there was no hub.
    pub from: i32,
    /// The schema it has now.
    pub to: i32,
    /// Whether it also has vectors.
    pub vectors: VectorSupport,
}

/// Whether a hub has vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorSupport {
    /// It has vectors, and is searched by them.
    Used,
    /// The server has pgvector, and only a superuser may make the extension.
    NotAllowed,
    /// The server has no pgvector.
    Absent,
    /// The server's pgvector is older than 0.5, and has no index for them.
    TooOld,
}

/// What a pull hands out.
#[derive(Clone, Debug, PartialEq)]
pub enum Pulled {
    /// Changes.
    Batch(SyncBatch),
    /// A memory that this build cannot read, by what should be its uid.
    Unreadable(String),
    /// Everything before this was handed out.
    Checkpoint(Watermark),
}

/// What came of a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// What the hub rejects. It has taken the rest.
    pub rejected: Vec<RejectedMemory>,
    /// Memories that belong to another project of the team on the hub. They stay there, and their new revisions were written there.
    pub in_other_project: Vec<Uid>,
}

/// A memory the hub rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedMemory {
    /// The memory.
    pub uid: Uid,
    /// Why.
    pub reason: String,
}

/// One memory the hub has found.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamHit {
    /// Its global name.
    pub uid: Uid,
    /// The key of its project.
    pub project: String,
    /// Its latest revision.
    pub revision: SharedRevision,
    /// Who first wrote what it says now.
    pub first_author: String,
    /// The provenance that author claimed.
    pub first_provenance: Provenance,
    /// The rank of its words, from PostgreSQL.
    pub words: f64,
    /// Whether it holds all the words.
    pub has_all: bool,
    /// The cosine of its vector and the query's; nothing where there are no vectors.
    pub cosine: Option<f64>,
}
