//! Telling the hub what is new here. Telling it twice changes nothing.

use crate::error::Doing;
use crate::{Hub, HubError};
use backstory_memory::{Draft, News, SharedMemory, SharedRevision, companion};
use postgres::{Statement, Transaction};

/// How much of a text is indexed: a vector of words has a limit, and so has patience.
const INDEXED_CHARS: usize = 60_000;

impl Hub {
    /// Tells the team what is new in a project.
    ///
    /// What is said and what is forgotten are two transactions, each in the order of uids: members who push at the same time wait for each
    /// other, and never in a circle.
    pub fn push(&mut self, project: &str, news: &News) -> Result<(), HubError> {
        self.say(project, news)?;
        self.forget(project, news)
    }

    fn say(&mut self, project: &str, news: &News) -> Result<(), HubError> {
        const DOING: &str = "take what is new";
        let team = self.team.to_string();
        let mut transaction = self.write()?;
        let memory = "INSERT INTO backstory.memories (team, project, uid, created_at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        let memory = transaction.prepare(memory).doing(DOING)?;
        let revision = transaction.prepare(REVISION).doing(DOING)?;
        let mut memories: Vec<&SharedMemory> = news.memories.iter().collect();
        memories.sort_by(|a, b| a.uid.cmp(&b.uid));
        for shared in &memories {
            let values: [&(dyn postgres::types::ToSql + Sync); 4] =
                [&team, &project, &shared.uid.as_str(), &shared.created_at.0];
            transaction.execute(&memory, &values).doing(DOING)?;
        }
        for shared in &memories {
            for said in &shared.revisions {
                insert(&mut transaction, &revision, (&team, project, shared.uid.as_str()), said)?;
            }
        }
        // Only between memories the hub has: others were not shared, or are forgotten.
        let link = "INSERT INTO backstory.links (team, project, uid, relation, target) SELECT $1, $2, $3, $4, $5
             WHERE EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND project = $2 AND uid = $3)
                 AND EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND uid = $5) ON CONFLICT DO NOTHING";
        for shared in &news.links {
            let (from, to) = (shared.from.as_str(), shared.to.as_str());
            transaction
                .execute(link, &[&team, &project, &from, &shared.relation.as_str(), &to])
                .doing(DOING)?;
        }
        let pin = "INSERT INTO backstory.pins (team, project, uid, pinned) SELECT $1, $2, $3, $4
             WHERE EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND project = $2 AND uid = $3) ON CONFLICT DO NOTHING";
        for (uid, pinned) in &news.pins {
            transaction.execute(pin, &[&team, &project, &uid.as_str(), pinned]).doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }

    fn forget(&mut self, project: &str, news: &News) -> Result<(), HubError> {
        const DOING: &str = "forget";
        if news.forgotten.is_empty() {
            return Ok(());
        }
        let team = self.team.to_string();
        let mut uids: Vec<&str> = news.forgotten.iter().map(backstory_memory::Uid::as_str).collect();
        uids.sort_unstable();
        let mut transaction = self.write()?;
        let sql = "INSERT INTO backstory.tombstones (team, project, uid) SELECT $1, $2, $3
             WHERE EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND project = $2 AND uid = $3) ON CONFLICT DO NOTHING";
        for uid in uids {
            transaction.execute(sql, &[&team, &project, &uid]).doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }
}

/// Titles count most, then what was picked out, then the text; the parts of identifiers least.
const REVISION: &str = "INSERT INTO backstory.revisions (team, project, uid, at_ms, state, kind, category, title, body, facts, concepts,
        files, importance, confidence, trust, valid_from_ms, valid_to_ms, superseded_by, words)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        setweight(to_tsvector('english', $8), 'A') || setweight(to_tsvector('english', $19), 'B')
        || setweight(to_tsvector('english', $20), 'C') || setweight(to_tsvector('english', $21), 'D')
     WHERE EXISTS (SELECT FROM backstory.memories WHERE team = $1 AND project = $2 AND uid = $3) ON CONFLICT DO NOTHING";

fn insert(
    transaction: &mut Transaction<'_>,
    statement: &Statement,
    (team, project, uid): (&str, &str, &str),
    said: &SharedRevision,
) -> Result<(), HubError> {
    let content = &said.content;
    let state = said.state();
    let time = |time: Option<backstory_memory::Timestamp>| time.map(|time| time.0);
    let (valid_from, valid_to) = (time(content.valid_from), time(content.valid_to));
    let picked: Vec<&str> =
        content.facts.iter().chain(&content.concepts).chain(&content.files).map(String::as_str).collect();
    let picked = picked.join("\n");
    transaction
        .execute(
            statement,
            &[
                &team,
                &project,
                &uid,
                &said.at.0,
                &state.0.as_slice(),
                &content.kind.as_str(),
                &content.category.as_ref().map(|category| category.0.as_str()),
                &content.title,
                &content.body,
                &content.facts,
                &content.concepts,
                &content.files,
                &i16::from(content.importance.get()),
                &content.confidence.get(),
                &content.trust.to_string(),
                &valid_from,
                &valid_to,
                &said.superseded_by.as_ref().map(backstory_memory::Uid::as_str),
                &first(&picked),
                &first(&content.body),
                &first(&parts(content)),
            ],
        )
        .doing("take what is new")
        .map(drop)
}

/// Returns the parts of the identifiers a memory speaks of, so that `run_migration` is found by "migration".
fn parts(content: &Draft) -> String {
    let texts = [&content.title, &content.body].into_iter().chain(&content.facts).chain(&content.files);
    texts.map(|text| companion(text)).collect::<Vec<_>>().join(" ")
}

fn first(text: &str) -> &str {
    backstory_memory::first_chars(text, INDEXED_CHARS)
}
