//! `search`: finds memories. Three forms: for reading, `--compact` (one padded line each), `--json`.

use crate::app::{App, ProjectArgs};
use crate::args::kinds;
use crate::failure::{Exit, Failure};
use crate::shapes::{self, HitShape};
use crate::times;
use crate::ui::{Tone, one_line};
use backstory_memory::{Kind, Timestamp, clean, first_chars};
use backstory_recall::recall;
use backstory_store::{Filter, LifeFilter, Reach};
use clap::Args;
use serde::Serialize;

/// Arguments of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// What to look for; nothing lists the newest
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// Only these kinds; may be given several times or separated by commas
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds(), ignore_case = true)]
    pub(crate) kinds: Vec<Kind>,
    /// Written at or after: 2026-05-01, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Written before
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
    /// Speaks of this file: its path, or the end of it
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// How many at the most
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// How many to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Also what was superseded
    #[arg(long)]
    pub(crate) superseded: bool,
    /// One line a memory
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Found {
    version: u32,
    hits: Vec<HitShape>,
}

/// Searches.
pub(crate) fn run(args: &SearchArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let question = args.words.join(" ");
    let mut found = Vec::new();
    let mut excerpts = Vec::new();
    if let Some(reach) = app.reach(&store, &args.place)? {
        for hit in recall(&store, &question, &filter(args, reach, app)?)? {
            found.push(shapes::hit(&store, &hit)?);
            excerpts.push(hit.memory.content.body);
        }
    }
    let exit = if found.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        app.ui.json(&Found { version: 1, hits: found })?;
        return Ok(exit);
    }
    if found.is_empty() {
        app.ui.say(&nothing(args));
    }
    for (hit, body) in found.iter().zip(&excerpts) {
        let words = if args.compact { compact_line(hit) } else { verbose_lines(hit, body, app) };
        app.ui.line(&words)?;
    }
    Ok(exit)
}

fn filter(args: &SearchArgs, reach: Reach, app: &App) -> Result<Filter, Failure> {
    let when = |text: &Option<String>| -> Result<Option<Timestamp>, Failure> {
        let Some(text) = text else { return Ok(None) };
        times::parse(text, app.now).map(Some).ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a time")).hint("write 2026-05-01, 36h, 7d or 2w")
        })
    };
    Ok(Filter {
        life: if args.superseded { LifeFilter::Any } else { LifeFilter::Live },
        kinds: args.kinds.clone(),
        since: when(&args.since)?,
        until: when(&args.until)?,
        file: args.file.clone(),
        limit: args.limit.unwrap_or(app.config.search.limit),
        offset: args.offset,
        ..Filter::within(reach)
    })
}

/// The padded line of S0.4, column for column.
fn compact_line(hit: &HitShape) -> String {
    let head = &hit.head;
    let title = one_line(&head.title);
    let title = first_chars(&title, 40);
    let day: String = head.created_at.chars().take(10).collect();
    format!(
        "  [{:<8}] {:<16} | {title:<40} | {:<8} | {day} | {:.2}",
        head.kind,
        head.id,
        one_line(&head.project),
        hit.score
    )
}

fn verbose_lines(hit: &HitShape, body: &str, app: &App) -> String {
    let head = &hit.head;
    let title = app.ui.tone(Tone::Strong, &format!("#{} {}", head.id, one_line(&head.title)));
    let day: String = head.created_at.chars().take(10).collect();
    let superseded = head.superseded_by.map(|by| format!(" · superseded by #{by}")).unwrap_or_default();
    let score = if hit.score == 0.0 { String::new() } else { format!(" · {:.2}", hit.score) };
    let facts = format!("{} · {} · {day}{score}{superseded}", head.kind, one_line(&head.project));
    let excerpt = excerpt(body, &head.title);
    let excerpt = if excerpt.is_empty() { String::new() } else { format!("\n   {excerpt}") };
    format!("{title}\n   {}{excerpt}", app.ui.tone(Tone::Faint, &facts))
}

/// Returns the beginning of a body on one line, without the title it most often begins with.
fn excerpt(body: &str, title: &str) -> String {
    let told = title.trim_end_matches('…');
    let rest = body.trim_start().strip_prefix(told).unwrap_or(body);
    let folded = clean(rest).split_whitespace().collect::<Vec<_>>().join(" ");
    let short = first_chars(&folded, 160);
    if short.len() < folded.len() { format!("{short}…") } else { folded }
}

fn nothing(args: &SearchArgs) -> String {
    let hint = if args.place.all_projects { "" } else { "; `--all-projects` looks everywhere" };
    format!("nothing found{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::HeadShape;

    /// S0.4: printf "  [%-8s] %-16s | %-40s | %-8s | %s | %s\n"
    #[test]
    fn a_compact_line_has_the_columns_people_script_against() {
        let head = HeadShape {
            id: 7,
            uid: "u".into(),
            kind: "pattern".into(),
            title: "Safe bash arithmetic that is longer than forty characters".into(),
            project: "lore".into(),
            created_at: "2026-02-10T08:00:00Z".into(),
            session: None,
            host_session: None,
            trust: "user".into(),
            life: "live",
            superseded_by: None,
            pinned: false,
            importance: 3,
            confidence: 1.0,
            tokens: 1,
        };
        assert_eq!(
            compact_line(&HitShape { head, score: 2.406 }),
            "  [pattern ] 7                | Safe bash arithmetic that is longer than | lore     | 2026-02-10 | 2.41"
        );
    }
}
