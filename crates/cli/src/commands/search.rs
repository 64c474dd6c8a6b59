//! `search`: finds memories. Three forms: for reading, a padded table for scripts (`--compact`), and JSON; `--explain` shows each sum.

use crate::args::{how_many, profiles};
use crate::commands::team_search;
use crate::exit::Exit;
use crate::filter_args::{KindArgs, TimeArgs};
use crate::layout::{columns, fit};
use crate::palette::QueryWords;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::engine::Profile;
use backstory_app::json::{self, HitDetail, HitShape};
use backstory_app::search::{Fit, SearchRequest};
use backstory_app::{App, AppError, explain};
use backstory_memory::{Kind, first_chars};
use backstory_recall::{Hit, SearchResults};
use clap::{Args, ValueEnum};

/// Arguments of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// What to search for; without words, the newest memories
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    #[command(flatten)]
    pub(crate) kind: KindArgs,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
    /// Only memories about this file: its path, or the end of it
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Maximum number of hits
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// Number of hits to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Search the team's hub, including what was not pulled yet
    #[arg(long, conflicts_with_all = ["superseded", "since", "until", "file", "offset"])]
    pub(crate) team: bool,
    /// Include superseded memories
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Show how each score adds up
    #[arg(long, conflicts_with = "compact")]
    pub(crate) explain: bool,
    /// Which ranking weights to use
    #[arg(long, value_parser = profiles(), default_value = "search")]
    pub(crate) profile: Profile,
    /// How to print the hits
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["compact", "json"])]
    pub(crate) format: Option<SearchFormat>,
    /// Output as a padded table, like `--format table`
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// Output as JSON, like `--format json`
    #[arg(long)]
    pub(crate) json: bool,
}

/// A way to print hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFormat {
    /// For reading, as wide as the screen
    Text,
    /// One padded line each, for scripts
    Table,
    /// As documented in docs/json.md
    Json,
}

/// So many hits are shown of what only lies nearest to a question.
const NEAREST: usize = 3;

/// Searches.
pub(crate) fn run(args: &SearchArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store_to_read()?;
    if args.team {
        return team_search::run(args, &store, app, ui);
    }
    let request = args.request(app)?;
    let mut answer = app.search(&store, &request)?;
    let fit = app.fit(&store, &request, &answer)?;
    let exit = if answer.hits.is_empty() { Exit::No } else { Exit::Done };
    if args.format() == SearchFormat::Json {
        let detail = if args.explain { HitDetail::Explained } else { HitDetail::Score };
        ui.json(&json::search(&store, &answer, fit, detail)?)?;
    } else {
        if fit == Fit::NearestOnly && args.limit.is_none() {
            answer.hits.truncate(NEAREST);
        }
        say_how(args, &request, &answer, fit, ui);
        let printer = HitPrinter { args, query: QueryWords::new(&request.text), app, ui };
        for hit in &answer.hits {
            printer.print(&json::hit(&store, hit)?, hit)?;
        }
    }
    app.note_listed(&mut store, &answer.hits)?;
    Ok(exit)
}

impl SearchArgs {
    /// Returns the kinds to search; all where none is named.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.kind.kinds()
    }

    /// Returns how hits are printed.
    pub(crate) fn format(&self) -> SearchFormat {
        match self.format {
            Some(format) => format,
            None if self.json => SearchFormat::Json,
            None if self.compact => SearchFormat::Table,
            None => SearchFormat::Text,
        }
    }

    fn request(&self, app: &App) -> Result<SearchRequest, AppError> {
        Ok(SearchRequest {
            text: self.words.join(" "),
            projects: self.place.selector(),
            kinds: self.kinds(),
            since: self.time.since(app)?,
            until: self.time.until(app)?,
            file: self.file.clone(),
            limit: self.limit,
            offset: self.offset,
            include_superseded: self.superseded,
            standing: None,
            profile: self.profile,
        })
    }
}

/// Says how the question was understood, and whether anything fits it at all.
fn say_how(args: &SearchArgs, request: &SearchRequest, answer: &SearchResults, fit: Fit, ui: &Ui) {
    for read in &answer.read_as {
        ui.say(&format!("nothing says `{}`; looked for `{}` too", read.word, read.corrected));
    }
    if let Some(when) = &answer.when {
        ui.say(&format!("what was not written `{}` ranks lower", when.said));
    }
    let elsewhere = if args.place.all_projects { "" } else { "; `--all-projects` looks everywhere" };
    match fit {
        Fit::Fits => {}
        Fit::NearestOnly => {
            let text = one_line(&request.text);
            ui.say(&format!("nothing fits: no memory says `{text}`{elsewhere}. The nearest in meaning:"));
        }
        Fit::Nothing => ui.say(&format!("nothing found{elsewhere}")),
    }
}

/// Prints hits, one after the other.
struct HitPrinter<'a> {
    args: &'a SearchArgs,
    query: QueryWords,
    app: &'a App,
    ui: &'a Ui,
}

impl HitPrinter<'_> {
    fn print(&self, shape: &HitShape, hit: &Hit) -> Result<(), AppError> {
        let ui = self.ui;
        let head = &shape.head;
        if self.args.format() == SearchFormat::Table {
            return ui.line(&compact_line(shape));
        }
        let title = ui.highlight(&one_line(&head.title), &self.query, Some(Tone::Strong));
        let number = format!("#{}", head.id);
        ui.wrapped(&format!("{} ", ui.tone(Tone::Faint, &number)), &title, number.len() + 1)?;
        ui.wrapped("   ", &self.facts(shape, hit), 3)?;
        let room = ui.width() * 2;
        let snippet = snippet(&hit.memory.content.body, &head.title, &self.query, room);
        if !snippet.is_empty() {
            ui.excerpt(&ui.highlight(&snippet, &self.query, None))?;
        }
        if self.args.explain {
            explain::lines(hit).iter().try_for_each(|line| ui.line(&format!("     {line}")))?;
        }
        Ok(())
    }

    fn facts(&self, shape: &HitShape, hit: &Hit) -> String {
        let ui = self.ui;
        let head = &shape.head;
        let mut facts = vec![one_line(&head.project), ui.ago(hit.memory.created_at, self.app.now)];
        facts.extend(hit.memory.failure_state().map(str::to_owned));
        facts.extend((hit.score != 0.0).then(|| format!("{:.2}", hit.score)));
        facts.extend(head.superseded_by.map(|by| format!("superseded by #{by}")));
        facts.extend(hit.reasons.older_than.map(|newer| format!("older than #{newer}")));
        let rest = format!("· {}", facts.join(" · "));
        format!("{} {}", ui.kind(&head.kind), ui.tone(Tone::Faint, &rest))
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

/// Returns the part of a body that says most about a question, on one line and without the title it most often begins with.
pub(crate) fn snippet(body: &str, title: &str, query: &QueryWords, room: usize) -> String {
    /// So much stands before the word that was found.
    const BEFORE: usize = 40;
    let folded = one_line(after_title(body, title));
    if columns(&folded) <= room {
        return folded;
    }
    let found = query.first_in(&folded).unwrap_or(0);
    let from = folded.floor_char_boundary(found.saturating_sub(BEFORE));
    let (_, tail) = folded.split_at_checked(from).unwrap_or(("", &folded));
    // The first word may be cut through.
    let tail = if from == 0 { tail } else { tail.split_once(' ').map_or(tail, |(_, rest)| rest) };
    let fits_from_start = columns(folded.get(..found).unwrap_or_default()) + BEFORE <= room;
    if from == 0 || fits_from_start { fit(&folded, room) } else { fit(&format!("…{tail}"), room) }
}

/// Returns what a body says behind its title, where it begins with that: signs and capitals may differ.
fn after_title<'a>(body: &'a str, title: &str) -> &'a str {
    let same = |one: char, other: char| one.to_lowercase().eq(other.to_lowercase());
    let mut said = body.char_indices().filter(|(_, letter)| letter.is_alphanumeric());
    let mut end = 0;
    for wanted in title.chars().filter(|letter| letter.is_alphanumeric()) {
        match said.next() {
            Some((at, letter)) if same(letter, wanted) => end = at + letter.len_utf8(),
            _ => return body,
        }
    }
    let rest = body.get(end..).unwrap_or_default();
    // The title may end within a word of the body, which then says something else.
    if rest.starts_with(char::is_alphanumeric) {
        return body;
    }
    let rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    if rest.contains(char::is_alphanumeric) { rest } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_app::json::HeadShape;

    /// As `printf` would write it: "  [%-8s] %-16s | %-40s | %-8s | %s | %s\n"
    #[test]
    fn a_compact_line_has_the_columns_people_script_against() {
        let head = HeadShape {
            id: 7,
            uid: "u".into(),
            kind: "rule".into(),
            title: "Safe bash arithmetic that is longer than forty characters".into(),
            project: "lore".into(),
            created_at: "2026-02-10T08:00:00Z".into(),
            session: None,
            host_session: None,
            provenance: "user".into(),
            standing: "confirmed",
            standing_reason: "user",
            superseded_by: None,
            pinned: false,
            importance: 3,
            confidence: 1.0,
            tokens: 1,
        };
        assert_eq!(
            compact_line(&HitShape { head, score: 2.406 }),
            "  [rule    ] 7                | Safe bash arithmetic that is longer than | lore     | 2026-02-10 | 2.41"
        );
    }

    #[test]
    fn a_snippet_shows_where_the_words_stand() {
        let body =
            format!("A title {} the quick fox sits here {}", "before ".repeat(40), "after ".repeat(40));
        let shown = |room| snippet(&body, "A title", &QueryWords::new("foxes"), room);
        assert!(shown(60).starts_with("…before") && shown(60).contains("fox sits"), "{}", shown(60));
        assert!(shown(60).ends_with('…') && columns(&shown(60)) <= 60);
        assert!(snippet(&body, "A title", &QueryWords::new("zebra"), 60).starts_with("before"));
        let plain = |body, title| snippet(body, title, &QueryWords::default(), 60);
        assert_eq!(plain("A title", "A title"), "");
        assert_eq!(plain("Writes go through `Batch`.", "Writes go through Batch"), "");
        assert_eq!(plain("A title. `More` of it", "A title"), "`More` of it");
        assert_eq!(plain("A titled thing", "A title"), "A titled thing");
    }
}
