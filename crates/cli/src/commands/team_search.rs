//! `search --team`: searches the hub itself, also what was not pulled yet.

use crate::commands::search::{SearchArgs, excerpt};
use crate::exit::Exit;
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
    if args.json {
        ui.json(&answer)?;
        return Ok(exit);
    }
    if answer.hits.is_empty() {
        ui.say("nothing found");
    }
    answer.hits.iter().try_for_each(|hit| ui.line(&lines(hit, args, ui)))?;
    Ok(exit)
}

fn lines(hit: &TeamHitShape, args: &SearchArgs, ui: &Ui) -> String {
    let title = one_line(&hit.title);
    let day = first_chars(&hit.updated_at, 10);
    let id = hit.id.map_or_else(|| "not pulled yet".to_owned(), |id| format!("#{id}"));
    let (kind, project, score) = (&hit.kind, one_line(&hit.project), hit.score);
    if args.compact {
        let title = first_chars(&title, 40);
        return format!("  [{kind:<8}] {id:<16} | {title:<40} | {project:<8} | {day} | {score:.2}");
    }
    let facts = format!("{kind} · {project} · {} · {day} · {score:.2}", one_line(&hit.provenance));
    let mut lines =
        vec![ui.tone(Tone::Strong, &format!("{id} {title}")), format!("   {}", ui.tone(Tone::Faint, &facts))];
    let excerpt = excerpt(&hit.body, &hit.title);
    lines.extend((!excerpt.is_empty()).then(|| format!("   {excerpt}")));
    if let Some(sum) = &hit.explain {
        let meaning = sum.meaning.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.2}"));
        let (words, fused) = (sum.words, sum.fused);
        lines.push(format!(
            "       {fused:.3}  words {words:.3} (as the hub ranks them), meaning {meaning} (cosine)"
        ));
    }
    lines.join("\n")
}
