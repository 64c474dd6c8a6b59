//! `backstory browse`: the store on one screen of a terminal. Search as you type, read, change, replay, review.
//!
//! A thin way in, as `cli`, `mcp` and `server` are: keys become requests of `app`, answers become a picture. Whoever is not the user at a
//! terminal gets no screen: `cli` prints a list instead. Nothing is written to standard output here.

mod answers;
mod arrivals;
mod clipboard;
mod clock_words;
mod detail_lines;
mod drawing;
mod editing;
mod event_loop;
mod filters;
mod help_lines;
mod keys;
mod memory_detail;
mod overlays;
mod own_editor;
mod palette;
mod replay_lines;
mod requests;
#[cfg(test)]
mod screen_tests;
mod session_replay;
mod state;
mod store_worker;
mod styled_lines;
mod terminal_screen;
mod text_area;
mod text_field;

use crate::clock_words::LocalClock;
use crate::event_loop::EventLoop;
use crate::filters::Filters;
use crate::palette::{ColourDepth, Palette};
use crate::state::State;
use crate::text_field::TextField;
use backstory_app::caller::Caller;
use backstory_app::{App, AppError, ProjectSelector};
use backstory_memory::{Kind, MemoryId};
use std::io::{self, IsTerminal};

/// What to begin with.
#[derive(Clone, Debug, Default)]
pub struct BrowseRequest {
    /// The words that are searched for.
    pub text: String,
    /// Where to look.
    pub projects: ProjectSelector,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// How much colour is wanted.
    pub colour: BrowseColour,
}

/// How much colour is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrowseColour {
    /// As much as the terminal has.
    #[default]
    Auto,
    /// None.
    Never,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BrowseChoice {
    /// The user chose this memory.
    Memory(MemoryId),
    /// The user chose nothing.
    None,
    /// It could not go on; why not.
    Failed(String),
}

/// Whether there is a user at a terminal to browse for. An agent, a script and a terminal without a cursor get a list instead.
#[must_use]
pub fn can_browse(app: &App) -> bool {
    let has_cursor = app.environment.text("TERM").is_some_and(|term| term != "dumb" && !term.is_empty());
    app.caller == Caller::User
        && has_cursor
        && io::stdin().is_terminal()
        && backstory_platform::open_terminal().is_ok()
}

/// Browses until the user ends it; returns what was chosen.
pub fn browse(app: &App, request: BrowseRequest) -> Result<Option<MemoryId>, AppError> {
    app.refuse_agent("browse in a terminal")?;
    let depth = match request.colour {
        BrowseColour::Auto => ColourDepth::detect(&app.environment),
        BrowseColour::Never => ColourDepth::None,
    };
    let clock = LocalClock { now: app.now, offset_minutes: backstory_platform::utc_offset_minutes };
    let mut state = State::new(clock, (80, 24));
    state.search.field = TextField::new(&request.text);
    state.filters = Filters::new(request.kind);
    state.wanted_project = resolved(app, request.projects)?;
    match EventLoop::new(app, state, Palette::new(depth))?.run()? {
        BrowseChoice::Memory(id) => Ok(Some(id)),
        BrowseChoice::None => Ok(None),
        BrowseChoice::Failed(words) => Err(AppError::internal(words)),
    }
}

/// Returns a project that was named by name, number or folder by its number, so that a name nobody has is refused at once.
fn resolved(app: &App, projects: ProjectSelector) -> Result<ProjectSelector, AppError> {
    let ProjectSelector::Named(name) = projects else { return Ok(projects) };
    let store = app.store_to_read()?;
    let id = app.project_called(&store, &name)?;
    let is_here = app.project_here(&store)? == Some(id);
    Ok(if is_here { ProjectSelector::Here } else { ProjectSelector::Named(id.to_string()) })
}
