//! `search --team`: searches the hub itself, also what was not pulled yet.

use crate::clock::Clock;
use crate::commands::search::{SearchArgs, SearchFormat, snippet};
use crate::exit::Exit;
use crate::palette::QueryWords;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::json::{HitDetail, TeamHitShape};
use backstory_app::teams::TeamSearchRequest;
use backstory_app::{App, AppError};
use backstory_memory::first_chars;
use backstory_store::Store;

/// Searches the hub of the chosen project's team; with all projects, that of the only team.
pub(crate) fn run(args: &SearchArgs, store: &Store, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let request = TeamSearchRequest {
        text: args.words.join(" "),
        projects: args.place.selector(),
        kinds: args.kinds(),
        limit: args.limit,
        detail: if args.explain { HitDetail::Explained } else { HitDetail::Score },
    };
    let answer = app.teams(&|note| ui.say(note)).search(store, &request)?;
    let exit = if answer.hits.is_empty() { Exit::No } else { Exit::Done };
    if args.format() == SearchFormat::Json {
        ui.json(&answer)?;
        return Ok(exit);
    }
    if answer.hits.is_empty() {
        ui.say("nothing found");
    }
    answer.hits.iter().try_for_each(|hit| print(hit, args, app, ui))?;
    Ok(exit)
}

fn print(hit: &TeamHitShape, args: &SearchArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    let title = one_line(&hit.title);
    let id = hit.id.map_or_else(|| "not pulled yet".to_owned(), |id| format!("#{id}"));
    let (kind, project, score) = (&hit.kind, one_line(&hit.project), hit.score);
    if args.format() == SearchFormat::Table {
        let (title, day) = (first_chars(&title, 40), first_chars(&hit.updated_at, 10));
        return ui.line(&format!("  [{kind:<8}] {id:<16} | {title:<40} | {project:<8} | {day} | {score:.2}"));
    }
    let query = QueryWords::new(&args.words.join(" "));
    let first = format!("{} ", ui.tone(Tone::Faint, &id));
    ui.wrapped(&first, &ui.highlight(&title, &query, Some(Tone::Strong)), 3)?;
    let age = ui.ago(Clock::read(&hit.updated_at), app.now);
    let facts = format!("· {project} · {} · {age} · {score:.2}", one_line(&hit.provenance));
    ui.wrapped("   ", &format!("{} {}", ui.kind(kind), ui.tone(Tone::Faint, &facts)), 3)?;
    let snippet = snippet(&hit.body, &hit.title, &query, ui.width() * 2);
    if !snippet.is_empty() {
        ui.excerpt(&ui.highlight(&snippet, &query, None))?;
    }
    if let Some(sum) = &hit.explain {
        let meaning = sum.meaning.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.2}"));
        let (words, fused) = (sum.words, sum.fused);
        ui.line(&format!(
            "       {fused:.3}  words {words:.3} (as the hub ranks them), meaning {meaning} (cosine)"
        ))?;
    }
    Ok(())
}
