//! Opens the recall engine every use case searches with: the vectors, synonyms and weights this configuration names.

use crate::app::App;
use crate::config::Config;
use crate::env_vars::Environment;
use crate::synonyms::synonyms;
use backstory_memory::{ProjectId, Timestamp};
use backstory_recall::{
    RankingWeights, RecallEngine, RelevanceFormula, SearchQuery, SemanticIndex, VectorCache,
};
use backstory_store::Home;
use std::str::FromStr;
use thiserror::Error;

/// Which table of weights ranks the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// For searches: relevance decides.
    #[default]
    Search,
    /// For injections: precision decides.
    Inject,
    /// The six signals of lore, number for number.
    SixSignals,
}

/// A text that names no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a profile: search, inject or six-signals")]
pub struct UnknownProfile(String);

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 3] = [Profile::Search, Profile::Inject, Profile::SixSignals];

    /// Returns the profile's name, as it is typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Profile::Search => "search",
            Profile::Inject => "inject",
            Profile::SixSignals => "six-signals",
        }
    }

    /// Returns one line of help.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Profile::Search => "For searches: relevance decides",
            Profile::Inject => "For injections: precision decides",
            Profile::SixSignals => "The six signals of lore, number for number",
        }
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        let named = Profile::ALL.into_iter().find(|profile| profile.as_str() == text);
        named.ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// Opens the engine. What is missing is done without: words alone find memories too.
#[must_use]
pub fn open_engine(
    config: &Config,
    environment: &Environment,
    home: &Home,
    profile: Profile,
    cache: &VectorCache,
) -> RecallEngine {
    let weights = match profile {
        Profile::Search => config.recall.turned(RankingWeights::SEARCH),
        Profile::Inject => config.recall.turned(RankingWeights::INJECT),
        Profile::SixSignals => RankingWeights::SIX_SIGNALS,
    };
    let uses_vectors = config.recall.vectors && weights.relevance == RelevanceFormula::Calibrated;
    let index = if uses_vectors { SemanticIndex::open(&home.vectors(), cache) } else { None };
    RecallEngine::new(weights, index, synonyms(environment).0)
}

/// Opens the engine of a use case.
#[must_use]
pub fn engine_of(app: &App, profile: Profile) -> RecallEngine {
    open_engine(&app.config, &app.environment, &app.home, profile, &app.vectors)
}

/// Makes a query of a text, in the user's time zone.
#[must_use]
pub fn search_query(text: &str, at: Timestamp, from: Option<ProjectId>) -> SearchQuery<'_> {
    SearchQuery { utc_offset_minutes: utc_offset_minutes(at), from, ..SearchQuery::new(text, at) }
}

/// Returns how far the local clock is ahead of UTC, so that "yesterday" is the user's.
#[must_use]
pub fn utc_offset_minutes(at: Timestamp) -> i32 {
    backstory_platform::utc_offset_minutes(at.0)
}
