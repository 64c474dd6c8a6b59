//! The recall engine as every command and hook uses it: with the vectors, synonyms and weights this configuration asks for.

use crate::app::App;
use crate::config::Config;
use crate::env_vars::Environment;
use crate::synonyms::synonyms;
use backstory_memory::{ProjectId, Timestamp};
use backstory_recall::{KeptVectors, Meaning, Question, Recall, Synonyms, Weights};
use backstory_store::{Home, Store};
use clap::ValueEnum;

/// Which column of the table of weights counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// Someone asked: relevance rules
    #[default]
    Search,
    /// Nobody asked: only what is surely right
    Inject,
    /// The six signals of lore, number for number
    SixSignals,
}

/// What recall needs beside a store.
#[derive(Debug)]
pub(crate) struct Engine {
    weights: Weights,
    meaning: Option<Meaning>,
    synonyms: Synonyms,
}

impl Engine {
    /// Opens what there is. What is missing is done without: words alone answer too.
    pub(crate) fn open(
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
    pub(crate) fn of(app: &App, profile: Profile) -> Engine {
        Engine::open(&app.config, &app.environment, &app.home, profile, &app.vectors)
    }

    /// Reads a question that will be asked.
    pub(crate) fn read(&mut self, question: &str) {
        if let Some(meaning) = &mut self.meaning {
            meaning.read(question);
        }
    }

    /// Returns the engine over a store.
    pub(crate) fn over<'a>(&'a self, store: &'a Store) -> Recall<'a> {
        Recall::new(store, &self.weights).by_meaning(self.meaning.as_ref()).with_synonyms(&self.synonyms)
    }

    /// Makes a question of a text.
    pub(crate) fn question<'a>(&self, text: &'a str, at: Timestamp, from: Option<ProjectId>) -> Question<'a> {
        Question { utc_offset_minutes: utc_offset_minutes(at), from, ..Question::new(text, at) }
    }
}

/// Returns how far the clock on the wall is ahead of UTC: "yesterday" is the asker's.
fn utc_offset_minutes(at: Timestamp) -> i32 {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
