//! Pulls what is new, without missing anything.
//!
//! Numbers of a sequence are handed out in one order and committed in another: whoever keeps the highest number seen misses what was still
//! being written. So every row has the number of the transaction that wrote it, and a pull reads those below the oldest running transaction:
//! everything below is finished, and nothing can be added to it. The next pull starts there.
//!
//! A long pull comes in windows with a checkpoint after each: one that is interrupted goes on at the last checkpoint.

use super::hub_answers::Pulled;
use super::rows::{self, column, revision_columns};
use super::sql_error::Doing;
use crate::{Hub, HubError};
use backstory_memory::{SharedLink, SharedMemory, SyncBatch, Timestamp, Watermark};
use postgres::{Row, Transaction};

/// How many rows are fetched at once.
const PER_PART: i32 = 100;
/// How many rows of a table a window holds, about: the rows of one transaction are never split.
const PER_WINDOW: i64 = 2000;

/// The rows of a table that a pull is about.
macro_rules! in_range {
    () => {
        "team = (SELECT backstory.current_team()) AND project_key = $1 AND xact_id >= $2::text::xid8 AND xact_id < $3::text::xid8"
    };
}

impl Hub {
    /// Returns how far the hub is: the oldest transaction that may still write something.
    pub fn horizon(&mut self) -> Result<Watermark, HubError> {
        horizon(&mut self.read()?).map(|(horizon, _)| horizon)
    }

    /// Hands to `each` what is new in a project since a watermark, and the memories in `again` even if they are not new. Returns the next
    /// watermark.
    ///
    /// Each memory comes with all its revisions.
    pub fn pull<E: From<HubError>>(
        &mut self,
        project: &str,
        since: Watermark,
        again: &[String],
        mut each: impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<Watermark, E> {
        let (horizon, next) = horizon(&mut self.read()?)?;
        // A watermark from the future: the hub was restored into another cluster, which numbers its transactions anew.
        let since = if since > horizon { Watermark::default() } else { since };
        if since == Watermark::default() {
            // Rows with a number this cluster has not reached were written before the restore.
            let elsewhere = Range { project, since: next, horizon: Watermark(u64::MAX) };
            self.windows(elsewhere, &[], &mut |pulled| match pulled {
                Pulled::Checkpoint(_) => Ok(()),
                pushed => each(pushed),
            })?;
        }
        self.windows(Range { project, since, horizon }, again, &mut each)?;
        Ok(horizon)
    }

    /// Whether others have committed something that no pull can hand out yet: a transaction that began before is still open, and might
    /// write something older.
    pub fn is_held_back(&mut self, project: &str, horizon: Watermark) -> Result<bool, HubError> {
        const BY_OTHERS: &str = concat!(
            "SELECT EXISTS (SELECT FROM backstory.revisions WHERE author <> session_user AND ",
            in_range!(),
            ") OR EXISTS (SELECT FROM backstory.tombstones WHERE author <> session_user AND ",
            in_range!(),
            ")"
        );
        let mut transaction = self.read()?;
        // Rows with a number this cluster has not reached were written before a restore.
        let (_, next) = self::horizon(&mut transaction)?;
        let (from, to) = Range { project, since: horizon, horizon: next }.bounds();
        Ok(transaction.query_one(BY_OTHERS, &[&project, &from, &to]).doing(DOING)?.get(0))
    }

    fn windows<E: From<HubError>>(
        &mut self,
        mut range: Range<'_>,
        mut again: &[String],
        each: &mut impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let until = self.window(range, again, each)?;
            each(Pulled::Checkpoint(until))?;
            if until >= range.horizon {
                return Ok(());
            }
            (range.since, again) = (until, &[]);
        }
    }

    /// Hands out the first window of a range. Returns where it ends.
    fn window<E: From<HubError>>(
        &mut self,
        range: Range<'_>,
        again: &[String],
        each: &mut impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<Watermark, E> {
        let mut transaction = self.read()?;
        let end = range.end(&mut transaction)?;
        let window = Range { horizon: end, ..range };
        window.memories(&mut transaction, again, each)?;
        window.rest(&mut transaction, each)?;
        transaction.commit().doing("finish a pull")?;
        Ok(end)
    }
}

/// Returns the oldest transaction that may still write something, and the first that is still to come.
fn horizon(transaction: &mut Transaction<'_>) -> Result<(Watermark, Watermark), HubError> {
    let sql =
        "SELECT pg_snapshot_xmin(now)::text, pg_snapshot_xmax(now)::text FROM pg_current_snapshot() now";
    let row = transaction.query_one(sql, &[]).doing("see how far the hub is")?;
    Ok((rows::code::<u64>(row.get(0)).map(Watermark)?, rows::code::<u64>(row.get(1)).map(Watermark)?))
}

/// What a pull is about.
#[derive(Clone, Copy)]
struct Range<'a> {
    project: &'a str,
    since: Watermark,
    horizon: Watermark,
}

const DOING: &str = "read what is new";

/// The transaction of a table's row with which a window is full.
macro_rules! full_with {
    ($table:literal) => {
        concat!(
            "(SELECT xact_id FROM backstory.",
            $table,
            " WHERE ",
            in_range!(),
            " ORDER BY xact_id OFFSET $4 LIMIT 1)"
        )
    };
}

impl Range<'_> {
    /// Returns where a window that begins with the range has to end.
    fn end(&self, transaction: &mut Transaction<'_>) -> Result<Watermark, HubError> {
        let sql = concat!(
            "SELECT min(xact_id)::text FROM (",
            full_with!("revisions"),
            " UNION ALL ",
            full_with!("tombstones"),
            " UNION ALL ",
            full_with!("links"),
            " UNION ALL ",
            full_with!("pins"),
            ") full_with"
        );
        let (since, horizon) = self.bounds();
        let row = transaction.query_one(sql, &[&self.project, &since, &horizon, &PER_WINDOW]).doing(DOING)?;
        match row.get::<_, Option<&str>>(0) {
            None => Ok(self.horizon),
            Some(number) => {
                let full_with: u64 = rows::code(number)?;
                // At least one transaction on: one alone may have written more rows than a window holds.
                Ok(Watermark(full_with.max(self.since.0 + 1).min(self.horizon.0)))
            }
        }
    }

    fn memories<E: From<HubError>>(
        &self,
        transaction: &mut Transaction<'_>,
        again: &[String],
        each: &mut impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = concat!(
            "SELECT ",
            revision_columns!(),
            " FROM (SELECT uid FROM backstory.revisions WHERE ",
            in_range!(),
            " UNION SELECT unnest($4::text[])) touched
             JOIN backstory.revisions r ON r.team = (SELECT backstory.current_team()) AND r.uid = touched.uid
             JOIN backstory.memories m ON m.team = r.team AND m.uid = r.uid ORDER BY r.uid, r.revised_at_ms, r.content_digest"
        );
        let (since, horizon) = self.bounds();
        let portal = transaction.bind(sql, &[&self.project, &since, &horizon, &again]).doing(DOING)?;
        let mut groups = RevisionGroups::default();
        loop {
            let rows = transaction.query_portal(&portal, PER_PART).doing(DOING)?;
            rows.iter().try_for_each(|row| groups.add(row))?;
            let is_last = rows.is_empty();
            let (memories, unreadable) = groups.take(is_last);
            unreadable.into_iter().try_for_each(|uid| each(Pulled::Unreadable(uid)))?;
            if !memories.is_empty() {
                each(Pulled::Batch(SyncBatch { memories, ..SyncBatch::default() }))?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Hands out deletions, links, and the pins of this member.
    fn rest<E: From<HubError>>(
        &self,
        transaction: &mut Transaction<'_>,
        each: &mut impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<(), E> {
        let forgotten = concat!("SELECT uid FROM backstory.tombstones WHERE ", in_range!(), " ORDER BY uid");
        self.parts(transaction, forgotten, each, |rows| SyncBatch {
            forgotten: readable(rows, |row| rows::uid(column(row, 0)?)),
            ..SyncBatch::default()
        })?;
        let links = concat!(
            "SELECT uid, relation, target_uid FROM backstory.links WHERE ",
            in_range!(),
            " ORDER BY uid, relation, target_uid"
        );
        self.parts(transaction, links, each, |rows| SyncBatch {
            links: readable(rows, |row| {
                Ok(SharedLink {
                    from: rows::uid(column(row, 0)?)?,
                    relation: rows::code(column(row, 1)?)?,
                    to: rows::uid(column(row, 2)?)?,
                })
            }),
            ..SyncBatch::default()
        })?;
        let pins = concat!(
            "SELECT DISTINCT ON (uid) uid, is_pinned FROM backstory.pins WHERE author = session_user AND ",
            in_range!(),
            " ORDER BY uid, xact_id DESC"
        );
        self.parts(transaction, pins, each, |rows| SyncBatch {
            pins: readable(rows, |row| Ok((rows::uid(column(row, 0)?)?, column(row, 1)?))),
            ..SyncBatch::default()
        })
    }

    fn parts<E: From<HubError>>(
        &self,
        transaction: &mut Transaction<'_>,
        sql: &str,
        each: &mut impl FnMut(Pulled) -> Result<(), E>,
        batch: impl Fn(&[Row]) -> SyncBatch,
    ) -> Result<(), E> {
        let (since, horizon) = self.bounds();
        let portal = transaction.bind(sql, &[&self.project, &since, &horizon]).doing(DOING)?;
        loop {
            let rows = transaction.query_portal(&portal, PER_PART).doing(DOING)?;
            if rows.is_empty() {
                return Ok(());
            }
            each(Pulled::Batch(batch(&rows)))?;
        }
    }

    fn bounds(&self) -> (String, String) {
        (self.since.0.to_string(), self.horizon.0.to_string())
    }
}

/// Skips rows that cannot be read: a text that is no uid names no memory here.
fn readable<T>(rows: &[Row], read: impl Fn(&Row) -> Result<T, HubError>) -> Vec<T> {
    rows.iter().filter_map(|row| read(row).ok()).collect()
}

/// Groups the rows of revisions into memories. The last one may continue in the next part.
#[derive(Default)]
struct RevisionGroups {
    memories: Vec<(String, Result<SharedMemory, HubError>)>,
}

impl RevisionGroups {
    fn add(&mut self, row: &Row) -> Result<(), HubError> {
        let key: String = column(row, 0)?;
        let revision = rows::revision(row);
        match self.memories.last_mut().filter(|(of, _)| *of == key) {
            Some((_, memory)) => match (memory.as_mut(), revision) {
                (Ok(memory), Ok(revision)) => memory.revisions.push(revision),
                (Ok(_), Err(error)) => *memory = Err(error),
                (Err(_), _) => {}
            },
            None => {
                let memory = revision.and_then(|revision| {
                    let created_at = Timestamp(column(row, 1)?);
                    Ok(SharedMemory { uid: rows::uid(&key)?, created_at, revisions: vec![revision] })
                });
                self.memories.push((key, memory));
            }
        }
        Ok(())
    }

    /// Returns the memories that are complete, and what should be the uids of those that cannot be read.
    fn take(&mut self, is_last: bool) -> (Vec<SharedMemory>, Vec<String>) {
        let open = if is_last { None } else { self.memories.pop() };
        let whole = std::mem::replace(&mut self.memories, open.into_iter().collect());
        let (mut memories, mut unreadable) = (Vec::new(), Vec::new());
        for (key, memory) in whole {
            match memory {
                Ok(memory) => memories.push(memory),
                Err(_) => unreadable.push(key),
            }
        }
        (memories, unreadable)
    }
}
