//! Hearing what is new, without missing anything.
//!
//! Numbers from a sequence are given out in one order and committed in another: whoever remembers the highest number seen misses what
//! was still being written. So every row carries the number of the transaction that wrote it, and a pull takes those below the oldest
//! transaction still running: whatever is below is finished, and nothing can join it. The next pull goes on from there.

use crate::error::Doing;
use crate::rows::{self, revision_columns};
use crate::{Hub, HubError};
use backstory_memory::{News, SharedLink, SharedMemory, Timestamp, Uid, Watermark};
use postgres::{Row, Transaction};

/// How many rows are held at once.
const PER_PART: i32 = 1000;

impl Hub {
    /// Gives `each` what is new in a project since the watermark, part by part, and returns the next watermark.
    ///
    /// What is told again because an earlier pull was broken off is told as a whole: each memory comes with all it ever said.
    pub fn pull<E: From<HubError>>(
        &mut self,
        project: &str,
        since: Watermark,
        mut each: impl FnMut(News) -> Result<(), E>,
    ) -> Result<Watermark, E> {
        let mut transaction = self.read()?;
        let horizon = horizon(&mut transaction)?;
        // A hub that was restored elsewhere counts its transactions anew.
        let since = if since > horizon { Watermark::default() } else { since };
        let range = Range { project, since, horizon };
        range.memories(&mut transaction, &mut each)?;
        let rest = News {
            forgotten: range.forgotten(&mut transaction)?,
            links: range.links(&mut transaction)?,
            pins: range.pins(&mut transaction)?,
            ..News::default()
        };
        if !rest.is_empty() {
            each(rest)?;
        }
        transaction.commit().doing("finish a pull")?;
        Ok(horizon)
    }
}

/// Returns the oldest transaction that may still write something.
fn horizon(transaction: &mut Transaction<'_>) -> Result<Watermark, HubError> {
    let sql = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text";
    let row = transaction.query_one(sql, &[]).doing("see how far the hub is")?;
    rows::code::<u64>(row.get(0)).map(Watermark)
}

/// What a pull is about.
struct Range<'a> {
    project: &'a str,
    since: Watermark,
    horizon: Watermark,
}

/// The rows of a table that a pull is about.
macro_rules! in_range {
    () => {
        "team = (SELECT backstory.current_team()) AND project = $1 AND changed >= $2::text::xid8 AND changed < $3::text::xid8"
    };
}

impl Range<'_> {
    fn memories<E: From<HubError>>(
        &self,
        transaction: &mut Transaction<'_>,
        each: &mut impl FnMut(News) -> Result<(), E>,
    ) -> Result<(), E> {
        const DOING: &str = "tell what is new";
        let sql = concat!(
            "SELECT ",
            revision_columns!(),
            " FROM (SELECT DISTINCT uid FROM backstory.revisions WHERE ",
            in_range!(),
            ") touched JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = touched.uid
             JOIN backstory.memories m ON m.team = r.team AND m.uid = r.uid ORDER BY r.uid, r.at_ms, r.state"
        );
        let (since, horizon) = self.bounds();
        let portal = transaction.bind(sql, &[&self.project, &since, &horizon]).doing(DOING)?;
        let mut gathered = Gathered::default();
        loop {
            let rows = transaction.query_portal(&portal, PER_PART).doing(DOING)?;
            for row in &rows {
                gathered.add(row)?;
            }
            let is_last = rows.is_empty();
            let memories = gathered.take(is_last);
            if !memories.is_empty() {
                each(News { memories, ..News::default() })?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn forgotten(&self, transaction: &mut Transaction<'_>) -> Result<Vec<Uid>, HubError> {
        let sql = concat!("SELECT uid FROM backstory.tombstones WHERE ", in_range!(), " ORDER BY uid");
        self.rows(transaction, sql)?.iter().map(|row| rows::uid(row.get(0))).collect()
    }

    fn links(&self, transaction: &mut Transaction<'_>) -> Result<Vec<SharedLink>, HubError> {
        let sql = concat!(
            "SELECT uid, relation, target FROM backstory.links WHERE ",
            in_range!(),
            " ORDER BY uid, relation, target"
        );
        let link = |row: &Row| {
            Ok(SharedLink {
                from: rows::uid(row.get(0))?,
                relation: rows::code(row.get(1))?,
                to: rows::uid(row.get(2))?,
            })
        };
        self.rows(transaction, sql)?.iter().map(link).collect()
    }

    fn pins(&self, transaction: &mut Transaction<'_>) -> Result<Vec<(Uid, bool)>, HubError> {
        let sql = concat!(
            "SELECT DISTINCT ON (uid) uid, pinned FROM backstory.pins WHERE author = session_user AND ",
            in_range!(),
            " ORDER BY uid, changed DESC"
        );
        self.rows(transaction, sql)?.iter().map(|row| Ok((rows::uid(row.get(0))?, row.get(1)))).collect()
    }

    fn rows(&self, transaction: &mut Transaction<'_>, sql: &str) -> Result<Vec<Row>, HubError> {
        let (since, horizon) = self.bounds();
        transaction.query(sql, &[&self.project, &since, &horizon]).doing("tell what is new")
    }

    fn bounds(&self) -> (String, String) {
        (self.since.0.to_string(), self.horizon.0.to_string())
    }
}

/// Puts rows together to memories. The last one may go on in the next part.
#[derive(Default)]
struct Gathered {
    memories: Vec<SharedMemory>,
}

impl Gathered {
    fn add(&mut self, row: &Row) -> Result<(), HubError> {
        let uid = rows::uid(row.get(0))?;
        let revision = rows::revision(row)?;
        match self.memories.last_mut().filter(|memory| memory.uid == uid) {
            Some(memory) => memory.revisions.push(revision),
            None => {
                let created_at = Timestamp(row.get(1));
                self.memories.push(SharedMemory { uid, created_at, revisions: vec![revision] });
            }
        }
        Ok(())
    }

    fn take(&mut self, is_last: bool) -> Vec<SharedMemory> {
        let open = if is_last { None } else { self.memories.pop() };
        std::mem::replace(&mut self.memories, open.into_iter().collect())
    }
}
