//! Asking the hub itself, for what has not been pulled.

use super::hub_error::Doing;
use super::rows::{self, column, revision_columns};
use super::{Hub, HubError, hub_vectors};
use backstory_memory::{Kind, Provenance, SharedRevision, Uid};
use postgres::Row;
use postgres::types::ToSql;
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
    pub first_author: String,
    /// How that was trusted where it was said.
    pub first_provenance: Provenance,
    /// How well its words fit, as PostgreSQL ranks them.
    pub words: f64,
    /// Whether all the words stand in it.
    pub has_all: bool,
    /// How near it is in meaning, as a cosine; nothing where nobody pushed what it means, or the hub goes by words.
    pub meaning: Option<f64>,
}

/// What is asked of a hub.
#[derive(Clone, Copy, Debug, Default)]
pub struct TeamQuery<'a> {
    /// The words.
    pub words: &'a str,
    /// What they mean, for a hub that goes by meaning.
    pub meaning: Option<QueryVector<'a>>,
    /// The project, by what it is recognised by; all the team shares where there is none.
    pub project: Option<&'a str>,
    /// The kinds; all where there is none.
    pub kinds: &'a [Kind],
    /// How many at the most, of each way to find them.
    pub most: u32,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// Where a question points.
#[derive(Clone, Copy, Debug)]
pub struct QueryVector<'a> {
    /// The model that read it: only vectors of the same are compared.
    pub model: &'a str,
    /// The direction.
    pub direction: &'a [f32],
}

/// Reads hits, found by words alone or also by meaning.
macro_rules! hits {
    ($found:literal, $nearness:literal) => {
        concat!(
            "SELECT ",
            revision_columns!(),
            ", r.project_key, f.rank, f.has_all, first.author::text, first.provenance, ",
            $nearness,
            " AS near FROM (",
            $found,
            ") f
             JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = f.uid
                 AND r.revised_at_ms = f.revised_at_ms AND r.content_digest = f.content_digest
             JOIN LATERAL (SELECT said.author, said.provenance FROM backstory.revisions said WHERE said.team = r.team AND said.uid = r.uid
                 AND (said.kind, said.title, said.body, said.facts, said.concepts, said.files)
                     = (r.kind, r.title, r.body, r.facts, r.concepts, r.files)
                 ORDER BY said.revised_at_ms, said.content_digest LIMIT 1) first ON true
             JOIN backstory.memories m ON m.team = r.team AND m.uid = r.uid
             ORDER BY f.has_all DESC, f.rank DESC, near DESC NULLS LAST, f.uid"
        )
    };
}

const BY_WORDS: &str = hits!(
    "SELECT uid, revised_at_ms, content_digest, rank, has_all FROM backstory.search($1, $2, $3, $4)",
    "NULL::double precision"
);
const ALSO_BY_MEANING: &str = hits!(
    "SELECT uid, revised_at_ms, content_digest, max(rank) AS rank, bool_or(has_all) AS has_all FROM (
         SELECT uid, revised_at_ms, content_digest, rank, has_all FROM backstory.search($1, $2, $3, $4)
         UNION ALL SELECT uid, revised_at_ms, content_digest, 0::real, false FROM backstory.search_by_vector($5, $6, $2, $3, $4)
     ) either_way GROUP BY uid, revised_at_ms, content_digest",
    "backstory.cosine_similarity(r.uid, r.revised_at_ms, r.content_digest, $6, $5)"
);

impl Hub {
    /// Finds memories in force, in one project or in all the team shares: by their words, and by what they mean where that was asked and the
    /// hub can. Those that hold all the words come first, then the nearest.
    pub fn search(&mut self, question: &TeamQuery<'_>) -> Result<Vec<TeamHit>, HubError> {
        const DOING: &str = "search";
        let most = i32::try_from(question.most).unwrap_or(i32::MAX);
        let kinds: Vec<&str> = question.kinds.iter().map(|kind| kind.as_str()).collect();
        let kinds = (!kinds.is_empty()).then_some(kinds);
        let mut transaction = self.read()?;
        if let Some(timeout) = question.timeout {
            let set = "SELECT set_config('statement_timeout', $1, true)";
            transaction.execute(set, &[&timeout.as_millis().max(1).to_string()]).doing(DOING)?;
        }
        let by_words: [&(dyn ToSql + Sync); 4] = [&question.words, &question.project, &kinds, &most];
        let found = match question.meaning {
            Some(asked) if hub_vectors::is_there(&mut transaction)? => {
                let direction = format!("{:?}", asked.direction);
                let more: [&(dyn ToSql + Sync); 2] = [&direction, &asked.model];
                transaction.query(ALSO_BY_MEANING, &[by_words.as_slice(), more.as_slice()].concat())
            }
            _ => transaction.query(BY_WORDS, &by_words),
        };
        // What this build cannot read it cannot show either.
        Ok(found.doing(DOING)?.iter().filter_map(|row| hit(row).ok()).collect())
    }
}

fn hit(row: &Row) -> Result<TeamHit, HubError> {
    Ok(TeamHit {
        uid: rows::uid(column(row, 0)?)?,
        revision: rows::revision(row)?,
        project: column(row, 17)?,
        words: f64::from(column::<f32>(row, 18)?),
        has_all: column(row, 19)?,
        first_author: column(row, 20)?,
        first_provenance: rows::code(column(row, 21)?)?,
        meaning: column(row, 22)?,
    })
}
