//! Who said it. Trust is stamped by code at capture and never rises by being summarised (law 6, SEC-1).
//!
//! Not here: what may be injected at which trust (`context`).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Where a memory's content came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Content fetched from outside: the web, an MCP server, a downloaded file.
    External,
    /// A member of the team, through the hub.
    Team(String),
    /// Read from another program's history or an export file.
    Import,
    /// Output of a program run on this machine.
    Tool,
    /// The agent's own words.
    Assistant,
    /// The user's own words.
    User,
}

/// A text that names no trust.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a trust: user, assistant, tool, import, team:NAME or external")]
pub struct UnknownTrust(pub String);

impl Trust {
    /// Returns the lower of two trusts: what is derived from both can claim no more.
    #[must_use]
    pub fn min(self, other: Trust) -> Trust {
        if other.rank() < self.rank() { other } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Trust::External => 0,
            Trust::Team(_) => 1,
            Trust::Import => 2,
            Trust::Tool => 3,
            Trust::Assistant => 4,
            Trust::User => 5,
        }
    }
}

impl PartialOrd for Trust {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Trust {
    fn cmp(&self, other: &Self) -> Ordering {
        let name = |trust: &Trust| match trust {
            Trust::Team(member) => member.clone(),
            _ => String::new(),
        };
        self.rank().cmp(&other.rank()).then_with(|| name(self).cmp(&name(other)))
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trust::External => f.write_str("external"),
            Trust::Team(member) => write!(f, "team:{member}"),
            Trust::Import => f.write_str("import"),
            Trust::Tool => f.write_str("tool"),
            Trust::Assistant => f.write_str("assistant"),
            Trust::User => f.write_str("user"),
        }
    }
}

impl FromStr for Trust {
    type Err = UnknownTrust;

    fn from_str(text: &str) -> Result<Self, UnknownTrust> {
        match text {
            "external" => Ok(Trust::External),
            "import" => Ok(Trust::Import),
            "tool" => Ok(Trust::Tool),
            "assistant" => Ok(Trust::Assistant),
            "user" => Ok(Trust::User),
            _ => match text.strip_prefix("team:") {
                Some(member) if !member.is_empty() => Ok(Trust::Team(member.to_owned())),
                _ => Err(UnknownTrust(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_trust() -> impl Strategy<Value = Trust> {
        prop_oneof![
            Just(Trust::External),
            "[a-z]{1,8}".prop_map(Trust::Team),
            Just(Trust::Import),
            Just(Trust::Tool),
            Just(Trust::Assistant),
            Just(Trust::User),
        ]
    }

    proptest! {
        #[test]
        fn what_is_derived_never_claims_more_than_its_weakest_source(sources in prop::collection::vec(any_trust(), 1..8)) {
            let derived = sources.iter().cloned().reduce(Trust::min).unwrap();
            prop_assert!(sources.iter().all(|source| derived.rank() <= source.rank()));
        }

        #[test]
        fn a_trust_is_read_back_from_its_name(trust in any_trust()) {
            prop_assert_eq!(trust.to_string().parse::<Trust>(), Ok(trust));
        }
    }

    /// S06: each row is derived of some before it, the first ones of nothing; whatever the way, trust never rises.
    #[test]
    fn no_derivation_however_deep_claims_more_than_its_weakest_ancestor() {
        let graphs = u32::try_from(backstory_testkit::size(500, 10_000)).unwrap();
        let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..4);
        let graph = (prop::collection::vec(any_trust(), 1..6), prop::collection::vec(parents, 0..24));
        proptest!(ProptestConfig::with_cases(graphs), |((roots, derived) in graph)| {
            // What a row claims, and the weakest of all it comes from.
            let mut rows: Vec<(Trust, u8)> = roots.into_iter().map(|trust| (trust.clone(), trust.rank())).collect();
            for parents in derived {
                let parents: Vec<(Trust, u8)> = parents.iter().map(|at| at.get(&rows).clone()).collect();
                let trust = parents.iter().map(|(trust, _)| trust.clone()).reduce(Trust::min).unwrap();
                let weakest = parents.iter().map(|(_, weakest)| *weakest).min().unwrap();
                prop_assert!(trust.rank() <= weakest, "{:?} of {:?}", trust, parents);
                rows.push((trust, weakest));
            }
        });
        backstory_testkit::bar("S06", format_args!("0 violations in {graphs} random derivation graphs"));
    }
}
