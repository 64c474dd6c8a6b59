//! What a person can do about a team's hub or git folder that cannot be used.

use super::{AppError, ErrorCode};
use backstory_sync::{HubAddressError, HubError, SyncError};
use std::io::ErrorKind;

impl From<SyncError> for AppError {
    fn from(error: SyncError) -> AppError {
        match error {
            SyncError::Hub(error) => error.into(),
            SyncError::Store(error) => error.into(),
            SyncError::HubSilent => AppError::user(error.to_string())
                .hint("nothing is lost: it is pushed when the hub answers again")
                .hint("`--set team.patience_seconds=SECONDS` waits longer for a slow one")
                .with_code(ErrorCode::HubSilent),
            SyncError::BrokenOff => AppError::internal(error.to_string()),
            SyncError::AnotherHub { ref team } => AppError::user(error.to_string())
                .hint("nothing was pushed or pulled; ask its owner where it is now, and `backstory team join URL` it there")
                .hint(format!("`backstory team leave {team}` leaves the one that is gone"))
                .with_code(ErrorCode::HubUnusable),
            SyncError::SharedThroughHub { .. } => AppError::user(error.to_string())
                .hint("a project is shared one way; `backstory project unshare` ends the other"),
            SyncError::File { act, path, source } if source.kind() == ErrorKind::NotADirectory => {
                let message = format!("cannot {act} `{}`", path.display());
                AppError::user(message).because(&source).hint("name a folder")
            }
            SyncError::File { act, path, source } => AppError::of_path(act, &path, &source),
        }
    }
}

impl From<HubAddressError> for AppError {
    fn from(error: HubAddressError) -> AppError {
        let refused = AppError::usage(error.to_string());
        match error {
            HubAddressError::NotInThisBuild => HubError::NotInThisBuild.into(),
            HubAddressError::HoldsPassword => refused
                .hint("leave it out: others could read it in the list of processes and in the shell's history")
                .hint("put it into `~/.pgpass` (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), or set `PGPASSWORD`"),
            HubAddressError::NoUser | HubAddressError::NotAnAddress(_) => {
                refused.hint("like `postgres://NAME@db.example.org/memories`")
            }
        }
    }
}

impl From<HubError> for AppError {
    fn from(error: HubError) -> AppError {
        if let HubError::NotInThisBuild = error {
            return AppError::user(error.to_string())
                .hint("install a released build (docs/building.md), or build with `cargo install --locked --path crates/cli --features team-hub`")
                .hint("a folder in git works with this build, too: `backstory export --git DIR`, `backstory import --git DIR`")
                .with_code(ErrorCode::HubUnusable);
        }
        match hint(&error) {
            Some(hint) => AppError::user("cannot use the team's hub")
                .because(&error)
                .hint(hint)
                .with_code(ErrorCode::HubUnusable),
            None => AppError::internal("the hub did not do what was asked").because(&error),
        }
    }
}

/// Returns what to do next; none if the error is a bug of ours.
fn hint(error: &HubError) -> Option<String> {
    let hint = match error {
        HubError::Unreachable { .. } => {
            "nothing is lost: everything is here, and is pushed when the hub answers again"
        }
        HubError::AccessDenied { .. } => {
            "put the password into `~/.pgpass` or `PGPASSWORD`; the owner may have revoked you"
        }
        HubError::NotAMember { member, team } => {
            let team = if team.is_empty() { "TEAM" } else { team };
            return Some(format!(
                "its owner lets you in with `backstory team invite {member} --team {team}`"
            ));
        }
        HubError::SeveralTeams { .. } => "say which with `--team TEAM`",
        HubError::BypassesRls { .. } => {
            "row-level security does not hold for this role; members log in with a role of their own"
        }
        HubError::NoSuchTeam { team } => {
            return Some(format!("`backstory team init URL --team {team}` makes it"));
        }
        HubError::NotALogin { .. } => {
            "it was not made for a member, and is left as it is; invite them by another name"
        }
        HubError::SearchRoleExposed { role } => {
            return Some(format!(
                "nothing was touched; a server's hubs have one owner: make it as `{role}`, on a server of its own, or `REVOKE backstory_search FROM {role}`"
            ));
        }
        HubError::OldServer { .. } => "use a newer server; nothing was touched",
        HubError::NoTls { .. } => {
            "turn TLS on there (`ssl = on`); only where nobody else can listen, `sslmode=disable` in the address goes without"
        }
        HubError::UnverifiedServer { .. } => {
            "ask its owner for the certificate of the authority that signed it, and name that file: `?sslrootcert=FILE` in the address"
        }
        HubError::NoHub => "its owner makes it with `backstory team init URL --team TEAM`",
        HubError::ForeignSchema => {
            "nothing was touched; export with the build that made it, make a hub in an empty database, and share again"
        }
        HubError::NotUtf8 { .. } => "make the database with `createdb -E UTF8`; nothing was touched",
        HubError::Newer { .. } => "install a newer version of Backstory; nothing was touched",
        HubError::Older { .. } => {
            "its owner brings it up to date with `backstory team init URL --team TEAM`, with a team it has"
        }
        HubError::NotAllowed { .. } => "only the owner of the hub may do this",
        HubError::Full => "its owner has to make space; nothing is lost, and it is pushed later",
        HubError::Busy { .. } | HubError::Collided { .. } => "try again in a moment; nothing is lost",
        HubError::TooLong { .. } => "nothing of it was kept; whoever runs the hub has to say what is in it",
        HubError::UnusableCertificate { .. } => "check `sslrootcert` in the address",
        HubError::ConnectionLost { .. } => "nothing is lost: try again when the connection is back",
        HubError::NotInThisBuild | HubError::Rejected { .. } | HubError::BadRow(_) | HubError::Sql { .. } => {
            return None;
        }
    };
    Some(hint.to_owned())
}
