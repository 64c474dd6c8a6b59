//! Asking the hub itself, for what has not been pulled.

use crate::error::Doing;
use crate::rows::{self, revision_columns};
use crate::{Hub, HubError};
use backstory_memory::{SharedRevision, Uid, companion};

/// One memory the hub has found.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamHit {
    /// Its global name.
    pub uid: Uid,
    /// The project it belongs to, by what that is recognised by.
    pub project: String,
    /// What it says now, and who said so.
    pub revision: SharedRevision,
    /// How well its words fit, as PostgreSQL ranks them.
    pub words: f64,
    /// Whether all the words stand in it.
    pub has_all: bool,
}

impl Hub {
    /// Finds memories in force by their words, in one project or in all the team shares.
    pub fn search(
        &mut self,
        question: &str,
        project: Option<&str>,
        most: u32,
    ) -> Result<Vec<TeamHit>, HubError> {
        let sql = concat!(
            "SELECT ",
            revision_columns!(),
            ", f.project, f.rank, f.has_all FROM backstory.search($1, $2, $3) f
             JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = f.uid
                 AND r.at_ms = f.at_ms AND r.state = f.state
             JOIN backstory.memories m ON m.team = r.team AND m.uid = r.uid
             ORDER BY f.has_all DESC, f.rank DESC, f.uid"
        );
        let asked = format!("{question} {}", companion(question));
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let mut transaction = self.read()?;
        let found = transaction.query(sql, &[&asked, &project, &most]).doing("search")?;
        let hit = |row: &postgres::Row| {
            Ok(TeamHit {
                uid: rows::uid(row.get(0))?,
                revision: rows::revision(row)?,
                project: row.get(17),
                words: f64::from(row.get::<_, f32>(18)),
                has_all: row.get(19),
            })
        };
        found.iter().map(hit).collect()
    }
}
