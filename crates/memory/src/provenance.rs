//! Who said it. Provenance is stamped by code at capture and never rises by being summarised (law 6, SEC-1).
//!
//! Not here: what may be injected at which provenance (`inject`).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Where a memory's content came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// Content from another machine: a web page, an MCP server, a forge.
    Web,
    /// Content a repository carries: its files, commits by others, stores and transcripts that lie in it.
    Repository,
    /// A member of the team.
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

/// A text that names no provenance.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a provenance: user, assistant, tool, repository, web, import or team:NAME")]
pub struct UnknownProvenance(pub String);

impl Provenance {
    /// Returns the lower of two provenances: what is derived from both can claim no more.
    #[must_use]
    pub fn min(self, other: Provenance) -> Provenance {
        if other.rank() < self.rank() { other } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Provenance::Web => 0,
            Provenance::Repository => 1,
            Provenance::Team(_) => 2,
            Provenance::Import => 3,
            Provenance::Tool => 4,
            Provenance::Assistant => 5,
            Provenance::User => 6,
        }
    }

    /// Whether strangers may have written it: neither the user, nor an agent or a program that works for them, nor a team.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(self, Provenance::Web | Provenance::Repository)
    }
}

impl PartialOrd for Provenance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Provenance {
    fn cmp(&self, other: &Self) -> Ordering {
        let name = |provenance: &Provenance| match provenance {
            Provenance::Team(member) => member.clone(),
            _ => String::new(),
        };
        self.rank().cmp(&other.rank()).then_with(|| name(self).cmp(&name(other)))
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Provenance::Web => f.write_str("web"),
            Provenance::Repository => f.write_str("repository"),
            Provenance::Team(member) => write!(f, "team:{member}"),
            Provenance::Import => f.write_str("import"),
            Provenance::Tool => f.write_str("tool"),
            Provenance::Assistant => f.write_str("assistant"),
            Provenance::User => f.write_str("user"),
        }
    }
}

impl FromStr for Provenance {
    type Err = UnknownProvenance;

    fn from_str(text: &str) -> Result<Self, UnknownProvenance> {
        match text {
            "web" => Ok(Provenance::Web),
            "repository" => Ok(Provenance::Repository),
            "import" => Ok(Provenance::Import),
            "tool" => Ok(Provenance::Tool),
            "assistant" => Ok(Provenance::Assistant),
            "user" => Ok(Provenance::User),
            _ => match text.strip_prefix("team:") {
                Some(member) if !member.is_empty() => Ok(Provenance::Team(member.to_owned())),
                _ => Err(UnknownProvenance(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_provenance() -> impl Strategy<Value = Provenance> {
        prop_oneof![
            Just(Provenance::Web),
            Just(Provenance::Repository),
            "[a-z]{1,8}".prop_map(Provenance::Team),
            Just(Provenance::Import),
            Just(Provenance::Tool),
            Just(Provenance::Assistant),
            Just(Provenance::User),
        ]
    }

    proptest! {
        #[test]
        fn what_is_derived_never_claims_more_than_its_weakest_source(sources in prop::collection::vec(any_provenance(), 1..8)) {
            let derived = sources.iter().cloned().reduce(Provenance::min).unwrap();
            prop_assert!(sources.iter().all(|source| derived.rank() <= source.rank()));
        }

        #[test]
        fn a_provenance_is_read_back_from_its_name(provenance in any_provenance()) {
            prop_assert_eq!(provenance.to_string().parse::<Provenance>(), Ok(provenance));
        }
    }

    /// S06: each row is derived from some before it, the first ones from nothing. However rows are derived, provenance never rises.
    #[test]
    fn no_derivation_however_deep_claims_more_than_its_weakest_ancestor() {
        let graphs = u32::try_from(backstory_testkit::size(500, 10_000)).unwrap();
        let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..4);
        let graph = (prop::collection::vec(any_provenance(), 1..6), prop::collection::vec(parents, 0..24));
        proptest!(ProptestConfig::with_cases(graphs), |((roots, derived) in graph)| {
            // The provenance of a row, and the rank of its weakest ancestor.
            let mut rows: Vec<(Provenance, u8)> = roots.into_iter().map(|provenance| (provenance.clone(), provenance.rank())).collect();
            for parents in derived {
                let parents: Vec<(Provenance, u8)> = parents.iter().map(|at| at.get(&rows).clone()).collect();
                let provenance = parents.iter().map(|(provenance, _)| provenance.clone()).reduce(Provenance::min).unwrap();
                let weakest = parents.iter().map(|(_, weakest)| *weakest).min().unwrap();
                prop_assert!(provenance.rank() <= weakest, "{:?} of {:?}", provenance, parents);
                rows.push((provenance, weakest));
            }
        });
        backstory_testkit::bar("S06", format_args!("0 violations in {graphs} random derivation graphs"));
    }
}
