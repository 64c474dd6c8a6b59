//! Bringing a hub to this build's schema: an ordered list, forward only, in one transaction, by its owner.
//!
//! A migration is never edited once released: a test holds their digests, and so does each hub.

use super::hub_answers::HubMigration;
use super::hub_vectors;
use super::sql_error::Doing;
use crate::HubError;
use backstory_memory::Kind;
use postgres::{Client, GenericClient, Row};

/// The schema this build knows.
pub const CURRENT: i32 = MIGRATIONS.len() as i32;

/// The migrations in order; the first makes schema 1.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_hub.sql")];

/// The advisory lock of migrations: owners who come at the same time migrate one after the other.
pub(crate) const LOCK: i64 = 0x6261_636b_7374_6f72;

/// Brings the hub to [`CURRENT`], and its table of kinds to those of this build. Leaves a hub untouched that a newer build or other
/// migrations have made.
pub(crate) fn run(client: &mut Client, on_progress: &mut dyn FnMut()) -> Result<HubMigration, HubError> {
    let mut transaction = client.transaction().doing("begin")?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).doing("wait for other owners")?;
    let from = version(&mut transaction)?;
    if from > CURRENT {
        return Err(HubError::Newer { found: from, known: CURRENT });
    }
    refuse_other_encoding(&mut transaction)?;
    refuse_exposed_search_role(&mut transaction)?;
    for (version, sql) in (1i32..).zip(MIGRATIONS).filter(|(version, _)| *version > from) {
        transaction.batch_execute(sql).doing("migrate the hub")?;
        let note = "INSERT INTO backstory.applied_migrations (version, digest) VALUES ($1, $2)";
        transaction.execute(note, &[&version, &digest(sql)]).doing("migrate the hub")?;
        on_progress();
    }
    let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::as_str).collect();
    let fill = "INSERT INTO backstory.kinds (kind) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING";
    transaction.execute(fill, &[&kinds]).doing("migrate the hub")?;
    transaction.commit().doing("migrate the hub")?;
    on_progress();
    Ok(HubMigration { from, to: CURRENT, vectors: hub_vectors::add_vectors(client)? })
}

/// Refuses a hub that another build has made.
pub(crate) fn refuse_other_version(client: &mut Client) -> Result<(), HubError> {
    match version(client)? {
        0 => Err(HubError::NoHub),
        CURRENT => Ok(()),
        found if found > CURRENT => Err(HubError::Newer { found, known: CURRENT }),
        found => Err(HubError::Older { found, known: CURRENT }),
    }
}

/// Refuses a database that cannot hold every text: the search splits scripts by their code points.
fn refuse_other_encoding(client: &mut impl GenericClient) -> Result<(), HubError> {
    let sql =
        "SELECT pg_encoding_to_char(encoding)::text FROM pg_database WHERE datname = current_database()";
    let encoding: String = client.query_one(sql, &[]).doing("read the encoding of the database")?.get(0);
    if encoding == "UTF8" { Ok(()) } else { Err(HubError::NotUtf8 { encoding }) }
}

/// Refuses a server where anybody but the owner can become the role that searches, which sees the rows of every team. Superusers see
/// them anyway.
fn refuse_exposed_search_role(client: &mut impl GenericClient) -> Result<(), HubError> {
    let sql = "SELECT other.rolname::text FROM pg_auth_members membership
             JOIN pg_roles searching ON searching.oid = membership.roleid JOIN pg_roles other ON other.oid = membership.member
         WHERE searching.rolname = 'backstory_search' AND other.rolname <> current_user AND NOT other.rolsuper
         ORDER BY 1 LIMIT 1";
    match client.query_opt(sql, &[]).doing("look for members of the search role")? {
        Some(row) => Err(HubError::SearchRoleExposed { role: row.get(0) }),
        None => Ok(()),
    }
}

/// Returns the version of the hub's schema; 0 where there is no hub. A schema whose migrations are not ours is refused.
fn version(client: &mut impl GenericClient) -> Result<i32, HubError> {
    const DOING: &str = "read the version of the hub";
    // Whoever may not even look into the schema gets an error here.
    let there = client.query_one("SELECT to_regclass('backstory.applied_migrations') IS NOT NULL", &[]);
    if !there.doing(DOING)?.get::<_, bool>(0) {
        return Ok(0);
    }
    let sql = "SELECT EXISTS (SELECT FROM pg_attribute
             WHERE attrelid = 'backstory.applied_migrations'::regclass AND attname = 'digest' AND NOT attisdropped)";
    if !client.query_one(sql, &[]).doing(DOING)?.get::<_, bool>(0) {
        return Err(HubError::ForeignSchema);
    }
    let sql = "SELECT version, digest FROM backstory.applied_migrations ORDER BY version";
    let applied = client.query(sql, &[]).doing(DOING)?;
    let newest = applied.last().map_or(0, |row| row.get(0));
    // A newer hub may have migrations this build does not know: those are not compared.
    let is_ours = |(row, sql): (&Row, &&str)| row.get::<_, &str>(1) == digest(sql);
    if !applied.iter().zip(MIGRATIONS).all(is_ours) {
        return Err(HubError::ForeignSchema);
    }
    Ok(newest)
}

fn digest(sql: &str) -> String {
    backstory_memory::digest([sql.as_bytes()]).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_migration_is_never_edited() {
        let digests: Vec<String> = MIGRATIONS.iter().map(|sql| digest(sql)).collect();
        assert_eq!(digests, include_str!("migrations/digests.txt").lines().collect::<Vec<_>>());
    }
}
