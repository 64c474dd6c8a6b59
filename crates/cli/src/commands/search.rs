//! `search`: finds memories. Three forms: for reading, `--compact` (one padded line each), `--json`; `--explain` shows each sum.

use crate::args::{KindFilter, how_many, kind_filters, profiles};
use crate::commands::team_search;
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::engine::Profile;
use backstory_app::json::{self, HitDetail, HitShape};
use backstory_app::search::SearchRequest;
use backstory_app::{App, AppError, explain, times};
use backstory_memory::{Kind, clean, first_chars};
use backstory_recall::{Hit, SearchResults};
use backstory_store::Store;
use clap::Args;

/// Arguments of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// What to search for; without words, the newest memories
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// Only these kinds; repeatable or separated by commas
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kind_filters(), ignore_case = true)]
    pub(crate) kinds: Vec<KindFilter>,
    /// Written at or after: 2026-05-01, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Written before
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
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
    /// One line per memory
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Searches.
pub(crate) fn run(args: &SearchArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store_to_read()?;
    if args.team {
        return team_search::run(args, &store, app, ui);
    }
    let request = args.request(app)?;
    let answer = app.search(&store, &request)?;
    let exit = if answer.hits.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        let detail = if args.explain { HitDetail::Explained } else { HitDetail::Score };
        ui.json(&json::search(&store, &answer, detail)?)?;
    } else {
        print(args, &request, &store, &answer, app, ui)?;
    }
    app.note_listed(&mut store, &answer.hits)?;
    Ok(exit)
}

impl SearchArgs {
    /// Returns the kinds to search; all where none is named.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.kinds.iter().flat_map(|filter| filter.0.clone()).collect()
    }

    fn request(&self, app: &App) -> Result<SearchRequest, AppError> {
        let when =
            |text: &Option<String>| text.as_deref().map(|text| times::typed(text, app.now)).transpose();
        Ok(SearchRequest {
            text: self.words.join(" "),
            projects: self.place.selector(),
            kinds: self.kinds(),
            since: when(&self.since)?,
            until: when(&self.until)?,
            file: self.file.clone(),
            limit: self.limit,
            offset: self.offset,
            include_superseded: self.superseded,
            standing: None,
            profile: self.profile,
        })
    }
}

fn print(
    args: &SearchArgs,
    request: &SearchRequest,
    store: &Store,
    answer: &SearchResults,
    app: &App,
    ui: &Ui,
) -> Result<(), AppError> {
    for read in &answer.read_as {
        ui.say(&format!("nothing says `{}`; looked for `{}` too", read.word, read.corrected));
    }
    if app.found_by_meaning_alone(store, request, answer)? {
        ui.say(&format!("nothing says `{}`; what follows is near in meaning only", request.text));
    }
    if let Some(when) = &answer.when {
        ui.say(&format!("what was not written `{}` ranks lower", when.said));
    }
    if answer.hits.is_empty() {
        ui.say(&nothing(args));
    }
    for hit in &answer.hits {
        let shape = json::hit(store, hit)?;
        ui.line(&if args.compact { compact_line(&shape) } else { verbose_lines(&shape, hit, args, ui) })?;
    }
    Ok(())
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

fn verbose_lines(shape: &HitShape, hit: &Hit, args: &SearchArgs, ui: &Ui) -> String {
    let head = &shape.head;
    let title = ui.tone(Tone::Strong, &format!("#{} {}", head.id, one_line(&head.title)));
    let day: String = head.created_at.chars().take(10).collect();
    let superseded = head.superseded_by.map(|by| format!(" · superseded by #{by}")).unwrap_or_default();
    let older = hit.reasons.older_than.map(|newer| format!(" · older than #{newer}")).unwrap_or_default();
    let score = if hit.score == 0.0 { String::new() } else { format!(" · {:.2}", hit.score) };
    let state = hit.memory.failure_state().map(|state| format!(" · {state}")).unwrap_or_default();
    let facts =
        format!("{} · {} · {day}{state}{score}{superseded}{older}", head.kind, one_line(&head.project));
    let mut lines = vec![title, format!("   {}", ui.tone(Tone::Faint, &facts))];
    let excerpt = excerpt(&hit.memory.content.body, &head.title);
    lines.extend((!excerpt.is_empty()).then(|| format!("   {excerpt}")));
    if args.explain {
        lines.extend(explain::lines(hit).into_iter().map(|line| format!("     {line}")));
    }
    lines.join("\n")
}

/// Returns the beginning of a body on one line, without the title it most often begins with.
pub(crate) fn excerpt(body: &str, title: &str) -> String {
    let shown = title.trim_end_matches('…');
    let rest = body.trim_start().strip_prefix(shown).unwrap_or(body);
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
}
