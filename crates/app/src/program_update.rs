//! Whether there is a newer release. It only tells: nothing is downloaded or replaced, and nobody asks but the user.

use crate::error::AppError;
use backstory_provider::{ModelError, newest_release};
use serde::Serialize;
use std::time::Duration;

/// How long the answer is waited for.
const DEADLINE: Duration = Duration::from_secs(10);

/// Where the releases of this build are, if the build named the place.
const RELEASES: Option<&str> = option_env!("BACKSTORY_RELEASES");

/// What the newest release is.
#[derive(Debug, Serialize)]
pub struct UpdateShape {
    version: u32,
    /// The version that runs.
    pub running: String,
    /// The newest version there is.
    pub newest: String,
    /// Whether that is newer.
    pub is_newer: bool,
    /// Where it is.
    pub releases: String,
}

/// Asks where the releases are, or at `from`, what the newest one is.
pub fn check(running: &str, from: Option<&str>) -> Result<UpdateShape, AppError> {
    let releases = from.or(RELEASES).ok_or_else(|| {
        AppError::user("this build does not know where releases are").hint(
            "`--from URL` names the place; builds of your own are updated by `git pull` and a new build",
        )
    })?;
    let releases = releases.trim_end_matches('/');
    let newest = newest_release(&format!("{releases}/latest.json"), DEADLINE).map_err(|error| {
        let why = match error {
            ModelError::Refused(status) => format!("{releases} answers with status {status}"),
            ModelError::Unreadable => format!("{releases} names no release"),
            other => other.to_string(),
        };
        AppError::user(format!("cannot ask what the newest release is: {why}"))
            .hint("nothing else needs the network: try again later")
    })?;
    Ok(UpdateShape {
        version: 1,
        running: running.to_owned(),
        is_newer: parts(&newest) > parts(running),
        newest,
        releases: releases.to_owned(),
    })
}

/// Returns a version's numbers, and whether it is a final one. `false` sorts first, so `1.0.0-rc.1` comes before `1.0.0`.
fn parts(version: &str) -> (Vec<u64>, bool) {
    let (numbers, is_whole) = match version.split_once('-') {
        Some((numbers, _)) => (numbers, false),
        None => (version.split('+').next().unwrap_or(version), true),
    };
    (numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect(), is_whole)
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (older, newer) in
            [("0.1.0", "0.2.0"), ("0.9.0", "0.10.0"), ("1.0.0-rc.1", "1.0.0"), ("1.0.0", "1.0.1-rc.1")]
        {
            assert!(parts(older) < parts(newer), "{older} {newer}");
        }
        assert_eq!(parts("1.0.0+build"), parts("1.0.0"));
    }
}
