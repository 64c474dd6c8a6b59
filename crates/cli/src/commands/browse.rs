//! `browse`: the store on one screen; where nobody sits at a terminal, a plain list.

use crate::args::{how_many, kind_names};
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Colour, Ui, one_line};
use backstory_app::search::{Fit, SearchRequest};
use backstory_app::{App, AppError, times};
use backstory_memory::{Kind, clean};
use backstory_tui::{BrowseColour, BrowseRequest, browse, can_browse};
use clap::Args;

/// Arguments of `browse`.
#[derive(Args, Debug)]
pub(crate) struct BrowseArgs {
    /// What to search for at first
    pub(crate) words: Vec<String>,
    /// Only this kind
    #[arg(long, value_parser = kind_names(), value_name = "KIND")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// Print the text of the chosen memory instead of its number
    #[arg(long)]
    pub(crate) text: bool,
    /// Print a plain list, as without a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// How many a plain list holds at the most
    #[arg(short = 'n', long, value_parser = how_many)]
    pub(crate) limit: Option<u32>,
}

/// Browses, and prints what was chosen.
pub(crate) fn run(args: &BrowseArgs, app: &App, (ui, colour): (&Ui, Colour)) -> Result<Exit, AppError> {
    if args.plain || !can_browse(app) {
        return list(args, app, ui);
    }
    let request = BrowseRequest {
        text: args.words.join(" "),
        projects: args.place.selector(),
        kind: kinds(args).first().copied(),
        colour: if colour == Colour::Never { BrowseColour::Never } else { BrowseColour::Auto },
    };
    let Some(id) = browse(app, request)? else { return Ok(Exit::No) };
    if args.text {
        let memory = app.memory(&app.store_to_read()?, id)?;
        ui.line(clean(memory.content.body.trim_end()).as_ref())?;
    } else {
        ui.line(&id.to_string())?;
    }
    Ok(Exit::Done)
}

/// Prints one memory a line: number, kind, day, title, with tabs between them.
fn list(args: &BrowseArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let request = SearchRequest {
        text: args.words.join(" "),
        projects: args.place.selector(),
        kinds: kinds(args),
        limit: args.limit,
        ..SearchRequest::default()
    };
    let answer = app.search(&store, &request)?;
    if app.fit(&store, &request, &answer)? == Fit::NearestOnly {
        ui.say("nothing fits; these are only the nearest in meaning");
    }
    let hits = answer.hits;
    for hit in &hits {
        let (memory, content) = (&hit.memory, &hit.memory.content);
        let written = times::iso(memory.created_at);
        let day = written.split('T').next().unwrap_or_default();
        ui.line(&format!("{}\t{}\t{day}\t{}", memory.id, content.kind, one_line(&content.title)))?;
    }
    Ok(if hits.is_empty() { Exit::No } else { Exit::Done })
}

fn kinds(args: &BrowseArgs) -> Vec<Kind> {
    args.kind.as_deref().and_then(|name| Kind::parse_alias(name).ok()).unwrap_or_default()
}
