//! Asking the hub itself, for what has not been pulled.

use crate::error::Doing;
use crate::rows::{self, column, revision_columns};
use crate::{Hub, HubError};
use backstory_memory::{Kind, SharedRevision, Trust, Uid, companion};
use std::time::Duration;

/// One memory the hub has found.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamHit {
    /// Its global name.
    pub uid: Uid,
    /// The project it belongs to, by what that is recognised by.
    pub project: String,
    /// What it says now, and who said so.
    pub revision: SharedRevision,
    /// Who first said what it says now.
    pub said_by: String,
    /// How that was trusted where it was said.
    pub said_as: Trust,
    /// How well its words fit, as PostgreSQL ranks them.
    pub words: f64,
    /// Whether all the words stand in it.
    pub has_all: bool,
}

/// What is asked of a hub.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The words.
    pub words: &'a str,
    /// The project, by what it is recognised by; all the team shares where there is none.
    pub project: Option<&'a str>,
    /// The kinds; all where there is none.
    pub kinds: &'a [Kind],
    /// How many at the most.
    pub most: u32,
    /// How long it may take.
    pub patience: Option<Duration>,
}

impl Hub {
    /// Finds memories in force by their words, in one project or in all the team shares.
    pub fn search(&mut self, question: &Question<'_>) -> Result<Vec<TeamHit>, HubError> {
        const DOING: &str = "search";
        let sql = concat!(
            "SELECT ",
            revision_columns!(),
            ", f.project, f.rank, f.has_all, first.author::text, first.trust FROM backstory.search($1, $2, $3, $4) f
             JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = f.uid
                 AND r.at_ms = f.at_ms AND r.state = f.state
             JOIN LATERAL (SELECT said.author, said.trust FROM backstory.revisions said WHERE said.team = r.team AND said.uid = r.uid
                 AND (said.kind, said.title, said.body, said.facts, said.concepts, said.files)
                     = (r.kind, r.title, r.body, r.facts, r.concepts, r.files)
                 ORDER BY said.at_ms, said.state LIMIT 1) first ON true
             JOIN backstory.memories m ON m.team = r.team AND m.uid = r.uid
             ORDER BY f.has_all DESC, f.rank DESC, f.uid"
        );
        let asked = format!("{} {}", question.words, companion(question.words));
        let most = i32::try_from(question.most).unwrap_or(i32::MAX);
        let kinds: Vec<&str> = question.kinds.iter().map(|kind| kind.as_str()).collect();
        let kinds = (!kinds.is_empty()).then_some(kinds);
        let mut transaction = self.read()?;
        if let Some(patience) = question.patience {
            let set = "SELECT set_config('statement_timeout', $1, true)";
            transaction.execute(set, &[&patience.as_millis().max(1).to_string()]).doing(DOING)?;
        }
        let found = transaction.query(sql, &[&asked, &question.project, &kinds, &most]).doing(DOING)?;
        let hit = |row: &postgres::Row| {
            Ok::<TeamHit, HubError>(TeamHit {
                uid: rows::uid(column(row, 0)?)?,
                revision: rows::revision(row)?,
                project: column(row, 17)?,
                words: f64::from(column::<f32>(row, 18)?),
                has_all: column(row, 19)?,
                said_by: column(row, 20)?,
                said_as: rows::code(column(row, 21)?)?,
            })
        };
        // What this build cannot read it cannot show either.
        Ok(found.iter().filter_map(|row| hit(row).ok()).collect())
    }
}
