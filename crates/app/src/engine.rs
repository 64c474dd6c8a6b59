//! The recall engine as every command and hook uses it: with the vectors, synonyms and weights this configuration asks for.

use crate::app::App;
use crate::config::Config;
use crate::env_vars::Environment;
use crate::synonyms::synonyms;
use backstory_memory::{ProjectId, Timestamp};
use backstory_recall::{KeptVectors, Meaning, Question, Recall, Synonyms, Weights};
use backstory_store::{Home, Store};
use std::str::FromStr;
use thiserror::Error;

/// Which table of weights ranks the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Someone asked: relevance rules.
    #[default]
    Search,
    /// Nobody asked: only what is surely right.
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
            Profile::Search => "Someone asked: relevance rules",
            Profile::Inject => "Nobody asked: only what is surely right",
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

/// What recall needs beside a store.
#[derive(Debug)]
pub struct Engine {
    weights: Weights,
    meaning: Option<Meaning>,
    synonyms: Synonyms,
}

impl Engine {
    /// Opens what there is. What is missing is done without: words alone answer too.
    pub fn open(
        config: &Config,
        environment: &Environment,
        home: &Home,
        profile: Profile,
        kept: &KeptVectors,
    ) -> Engine {
        let weights = match profile {
            Profile::Search => config.search_weights,
            Profile::Inject => config.inject_weights,
            Profile::SixSignals => Weights::SIX_SIGNALS,
        };
        let asks_meaning = config.recall.vectors && weights.meaning > 0.0;
        let meaning = if asks_meaning { Meaning::open_again(&home.vectors(), kept) } else { None };
        Engine { weights, meaning, synonyms: synonyms(environment).0 }
    }

    /// Opens what a command needs.
    pub fn of(app: &App, profile: Profile) -> Engine {
        Engine::open(&app.config, &app.environment, &app.home, profile, &app.vectors)
    }

    /// Reads a question that will be asked.
    pub fn read(&mut self, question: &str) {
        if let Some(meaning) = &mut self.meaning {
            meaning.read(question);
        }
    }

    /// Returns the engine over a store.
    pub fn over<'a>(&'a self, store: &'a Store) -> Recall<'a> {
        Recall::new(store, &self.weights).by_meaning(self.meaning.as_ref()).with_synonyms(&self.synonyms)
    }

    /// Makes a question of a text.
    pub fn question<'a>(&self, text: &'a str, at: Timestamp, from: Option<ProjectId>) -> Question<'a> {
        Question { utc_offset_minutes: utc_offset_minutes(at), from, ..Question::new(text, at) }
    }
}

/// Returns how far the clock on the wall is ahead of UTC: "yesterday" is the asker's.
fn utc_offset_minutes(at: Timestamp) -> i32 {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
