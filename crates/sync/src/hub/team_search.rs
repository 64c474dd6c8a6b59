//! Searches the hub itself, also what was not pulled yet.

use super::hub_answers::TeamHit;
use super::hub_requests::TeamQuery;
use super::hub_vectors;
use super::rows::{self, column, revision_columns};
use super::sql_error::Doing;
use crate::{Hub, HubError};
use postgres::Row;
use postgres::types::ToSql;

/// The SQL of a search: by words alone, or also by vector.
macro_rules! hits {
    ($found:literal, $nearness:literal) => {
        concat!(
            "SELECT ",
            revision_columns!(),
            ", r.project_key, f.rank, f.has_all, first.author::text AS first_author, first.provenance AS first_provenance, ",
            $nearness,
            " AS near FROM (",
            $found,
            ") f
             JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = f.uid
                 AND r.revised_at_ms = f.revised_at_ms AND r.content_digest = f.content_digest
             JOIN LATERAL (SELECT said.author, said.attributes ->> 'provenance' AS provenance FROM backstory.revisions said WHERE said.team = r.team AND said.uid = r.uid
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
const ALSO_BY_VECTOR: &str = hits!(
    "SELECT uid, revised_at_ms, content_digest, max(rank) AS rank, bool_or(has_all) AS has_all FROM (
         SELECT uid, revised_at_ms, content_digest, rank, has_all FROM backstory.search($1, $2, $3, $4)
         UNION ALL SELECT uid, revised_at_ms, content_digest, 0::real, false FROM backstory.search_by_vector($5, $6, $2, $3, $4)
     ) either_way GROUP BY uid, revised_at_ms, content_digest",
    "backstory.cosine_similarity(r.uid, r.revised_at_ms, r.content_digest, $6, $5)"
);

impl Hub {
    /// Returns the memories in force that fit best, by their words and, where query and hub have vectors, by those too. Memories with all the
    /// words come first, then the nearest.
    pub fn search(&mut self, query: &TeamQuery<'_>) -> Result<Vec<TeamHit>, HubError> {
        const DOING: &str = "search";
        let most = i32::try_from(query.most).unwrap_or(i32::MAX);
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.as_str()).collect();
        let kinds = (!kinds.is_empty()).then_some(kinds);
        let mut transaction = self.read()?;
        if let Some(timeout) = query.timeout {
            let set = "SELECT set_config('statement_timeout', $1, true)";
            // At least 1: to PostgreSQL, 0 means no limit.
            transaction.execute(set, &[&timeout.as_millis().max(1).to_string()]).doing(DOING)?;
        }
        let by_words: [&(dyn ToSql + Sync); 4] = [&query.words, &query.project, &kinds, &most];
        let found = match query.vector {
            Some(vector) if hub_vectors::is_there(&mut transaction)? => {
                // A slice of numbers prints the way pgvector writes a vector: `[0.1, 0.2]`.
                let direction = format!("{:?}", vector.direction);
                let more: [&(dyn ToSql + Sync); 2] = [&direction, &vector.model];
                transaction.query(ALSO_BY_VECTOR, &[by_words.as_slice(), more.as_slice()].concat())
            }
            _ => transaction.query(BY_WORDS, &by_words),
        };
        // A hit that this build cannot read is skipped.
        Ok(found.doing(DOING)?.iter().filter_map(|row| hit(row).ok()).collect())
    }
}

fn hit(row: &Row) -> Result<TeamHit, HubError> {
    Ok(TeamHit {
        uid: rows::uid(column(row, 0)?)?,
        revision: rows::revision(row)?,
        project: column(row, "project_key")?,
        words: f64::from(column::<f32>(row, "rank")?),
        has_all: column(row, "has_all")?,
        first_author: column(row, "first_author")?,
        first_provenance: rows::code(column(row, "first_provenance")?)?,
        cosine: column(row, "near")?,
    })
}
