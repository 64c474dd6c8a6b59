//! The arguments that narrow a list by time and kind: the same words for every command that lists something.

use crate::args::{KindFilter, kind_filters};
use backstory_app::{App, AppError, times};
use backstory_memory::{Kind, Timestamp};
use clap::Args;

/// Only these kinds.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KindArgs {
    /// Only these kinds; repeatable or separated by commas
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kind_filters(), ignore_case = true)]
    pub(crate) kinds: Vec<KindFilter>,
}

impl KindArgs {
    /// Returns the kinds; all where none is named.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.kinds.iter().flat_map(|filter| filter.0.clone()).collect()
    }
}

/// Only what was written in this time.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TimeArgs {
    /// At or after: 2026-05-01, yesterday, monday, "last week", 36h, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Before
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
}

impl TimeArgs {
    /// Returns the first moment that counts.
    pub(crate) fn since(&self, app: &App) -> Result<Option<Timestamp>, AppError> {
        self.since.as_deref().map(|text| times::typed(text, app.now)).transpose()
    }

    /// Returns the moment before which something counts.
    pub(crate) fn until(&self, app: &App) -> Result<Option<Timestamp>, AppError> {
        self.until.as_deref().map(|text| times::typed(text, app.now)).transpose()
    }
}
