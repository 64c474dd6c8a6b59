//! `search`: finds memories. Three forms: for reading, `--compact` (one padded line each), `--json`; `--explain` shows each sum.

use crate::app::{App, ProjectArgs, noted_if_it_could_be};
use crate::args::{how_many, kinds, profiles};
use crate::commands::team_search;
use crate::engine::{Profile, engine_of, search_query};
use crate::explain::{self, SumShape};
use crate::failure::{Exit, Failure};
use crate::shapes::{self, HitShape};
use crate::times;
use crate::ui::{Tone, one_line};
use backstory_memory::{Kind, MemoryId, Timestamp, clean, first_chars};
use backstory_recall::{Boost, Hit, SearchResults, SearchStrategy, word_query};
use backstory_store::{Filter, ImpressionKind, Scope, StandingFilter, Store};
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
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// How many to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Search the team's hub, also what was not pulled yet
    #[arg(long, conflicts_with_all = ["superseded", "since", "until", "file", "offset"])]
    pub(crate) team: bool,
    /// Also what was superseded
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Show how each score came about
    #[arg(long, conflicts_with = "compact")]
    pub(crate) explain: bool,
    /// Which weights count
    #[arg(long, value_parser = profiles(), default_value = "search")]
    pub(crate) profile: Profile,
    /// One line a memory
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// SearchResults in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was found, for other programs.
#[derive(Serialize)]
pub(crate) struct Found {
    version: u32,
    strategy: &'static str,
    read_as: Vec<ReadAsShape>,
    when: Option<WhenShape>,
    pub(crate) hits: Vec<FoundHit>,
}

/// One of them, with its sum where that was asked for.
#[derive(Serialize)]
pub(crate) struct FoundHit {
    #[serde(flatten)]
    pub(crate) hit: HitShape,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<SumShape>,
    /// The part of the text where the first word was found; only where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet: Option<String>,
}

/// A word nobody ever wrote, and the known word it was read as.
#[derive(Serialize)]
pub(crate) struct ReadAsShape {
    asked: String,
    known: String,
}

/// The time the question names: what lies outside counts less.
#[derive(Serialize)]
pub(crate) struct WhenShape {
    said: String,
    since: Option<String>,
    until: Option<String>,
}

/// Searches.
pub(crate) fn run(args: &SearchArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store_to_read()?;
    if args.team {
        return team_search::run(args, &store, app);
    }
    let answer = answer(args, app, &store)?;
    let exit = if answer.hits.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        app.ui.json(&found(args, &store, &answer)?)?;
    } else {
        tell(args, &store, &answer, app)?;
    }
    note_shown(&mut store, &answer.hits, app)?;
    Ok(exit)
}

fn tell(args: &SearchArgs, store: &Store, answer: &SearchResults, app: &App) -> Result<(), Failure> {
    for read in &answer.read_as {
        app.ui.say(&format!("nothing says `{}`; looked for `{}` too", read.word, read.corrected));
    }
    if is_said_nowhere(args, answer, store, app)? {
        app.ui.say(&format!("nothing says `{}`; what follows is near in meaning only", args.words.join(" ")));
    }
    if let Some(when) = &answer.when {
        app.ui.say(&format!("what was not written `{}` counts less", when.said));
    }
    if answer.hits.is_empty() {
        app.ui.say(&nothing(args));
    }
    for hit in &answer.hits {
        let shape = shapes::hit(store, hit)?;
        app.ui.line(&if args.compact {
            compact_line(&shape)
        } else {
            verbose_lines(&shape, hit, args, app)
        })?;
    }
    Ok(())
}

/// Whether something was found although not one of the words stands anywhere: then the best of it may be far off.
pub(crate) fn is_said_nowhere(
    args: &SearchArgs,
    answer: &SearchResults,
    store: &Store,
    app: &App,
) -> Result<bool, Failure> {
    let is_near_only = |hit: &Hit| {
        hit.reasons.words == 0.0 && !hit.reasons.boosts.iter().any(|(lift, _)| *lift == Boost::Named)
    };
    let is_asked = answer.strategy == SearchStrategy::WordsAndMeaning && !answer.hits.is_empty();
    if !is_asked || !answer.hits.iter().all(is_near_only) {
        return Ok(false);
    }
    // The words may stand in what is on another page.
    let Some(scope) = app.reach(store, &args.place)? else { return Ok(false) };
    let written = WrittenBetween::parse(args, app)?;
    let anywhere = Filter { limit: 1, offset: 0, ..filter(args, app, scope, written) };
    Ok(store.search_exact(&word_query(&args.words.join(" ")), &anywhere)?.is_empty())
}

/// Finds what bears on what was asked. Every door asks through here.
pub(crate) fn answer(args: &SearchArgs, app: &App, store: &Store) -> Result<SearchResults, Failure> {
    // A time that cannot be parsed is an error also in a folder that no project is known for yet.
    let written = WrittenBetween::parse(args, app)?;
    let Some(scope) = app.reach(store, &args.place)? else {
        return Ok(SearchResults {
            hits: Vec::new(),
            strategy: SearchStrategy::Newest,
            read_as: Vec::new(),
            when: None,
        });
    };
    let text = args.words.join(" ");
    let engine = engine_of(app, args.profile);
    let from = if args.place.all_projects { store.find_project(&app.project_ref())? } else { None };
    let query = search_query(&text, app.now, from);
    Ok(engine.searcher(store).search(&query, &filter(args, app, scope, written))?)
}

/// Tells what was found. Every door that speaks JSON tells it through here.
pub(crate) fn found(args: &SearchArgs, store: &Store, answer: &SearchResults) -> Result<Found, Failure> {
    let mut hits = Vec::new();
    for hit in &answer.hits {
        let explain = args.explain.then(|| explain::shape(&hit.reasons));
        hits.push(FoundHit { hit: shapes::hit(store, hit)?, explain, snippet: None });
    }
    let read_as = answer.read_as.iter();
    let read_as = read_as.map(|read| ReadAsShape { asked: read.word.clone(), known: read.corrected.clone() });
    let when = answer.when.as_ref().map(|when| WhenShape {
        said: when.said.clone(),
        since: when.since.map(times::iso),
        until: when.until.map(times::iso),
    });
    Ok(Found { version: 1, strategy: answer.strategy.as_str(), read_as: read_as.collect(), when, hits })
}

/// Notes what was shown. Being shown is not use, and a store that cannot be written is still worth reading.
pub(crate) fn note_shown(store: &mut Store, hits: &[Hit], app: &App) -> Result<(), Failure> {
    let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
    noted_if_it_could_be(store.record_impressions(&ids, ImpressionKind::Listed, app.now))
}

/// The times given with `--since` and `--until`.
#[derive(Clone, Copy)]
struct WrittenBetween {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl WrittenBetween {
    fn parse(args: &SearchArgs, app: &App) -> Result<WrittenBetween, Failure> {
        let when =
            |text: &Option<String>| text.as_deref().map(|text| times::typed(text, app.now)).transpose();
        Ok(WrittenBetween { since: when(&args.since)?, until: when(&args.until)? })
    }
}

fn filter(args: &SearchArgs, app: &App, scope: Scope, written: WrittenBetween) -> Filter {
    Filter {
        standing: if args.superseded { StandingFilter::Any } else { StandingFilter::Confirmed },
        kinds: args.kinds.clone(),
        since: written.since,
        until: written.until,
        file: args.file.clone(),
        limit: args.limit.unwrap_or(app.config.search.limit),
        offset: args.offset,
        ..Filter::within(scope)
    }
}

/// The padded line of `--compact`, column for column.
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

fn verbose_lines(shape: &HitShape, hit: &Hit, args: &SearchArgs, app: &App) -> String {
    let head = &shape.head;
    let title = app.ui.tone(Tone::Strong, &format!("#{} {}", head.id, one_line(&head.title)));
    let day: String = head.created_at.chars().take(10).collect();
    let superseded = head.superseded_by.map(|by| format!(" · superseded by #{by}")).unwrap_or_default();
    let older = hit.reasons.older_than.map(|newer| format!(" · older than #{newer}")).unwrap_or_default();
    let score = if hit.score == 0.0 { String::new() } else { format!(" · {:.2}", hit.score) };
    let facts = format!("{} · {} · {day}{score}{superseded}{older}", head.kind, one_line(&head.project));
    let mut lines = vec![title, format!("   {}", app.ui.tone(Tone::Faint, &facts))];
    let excerpt = excerpt(&hit.memory.content.body, &head.title);
    lines.extend((!excerpt.is_empty()).then(|| format!("   {excerpt}")));
    if args.explain {
        lines.extend(explain::lines(hit).into_iter().map(|line| format!("     {line}")));
    }
    lines.join("\n")
}

/// Returns the beginning of a body on one line, without the title it most often begins with.
pub(crate) fn excerpt(body: &str, title: &str) -> String {
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

    /// As `printf` would write it: "  [%-8s] %-16s | %-40s | %-8s | %s | %s\n"
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
            provenance: "user".into(),
            standing: "live",
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
