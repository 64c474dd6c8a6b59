//! `search --team`: searches the hub itself, also what was not pulled yet.

use crate::commands::search::{SearchArgs, excerpt};
use crate::exit::Exit;
use crate::teams;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::explain::SumShape;
use backstory_app::{App, AppError, times};
use backstory_embed::{MiniLm, model_name};
use backstory_memory::{Provenance, first_chars};
use backstory_recall::query_vector;
use backstory_store::{Scope, SharedProject, Store};
use backstory_sync::{QueryVector, TeamHit, TeamQuery, shared_through_hubs};
use serde::Serialize;

/// The rank of words, as the hub gives it, that counts for half.
const SATURATION: f64 = 0.1;
/// What holds none of the words is a hit from this cosine on.
const NEAR: f64 = 0.3;

/// What the hub found, for other programs.
#[derive(Serialize)]
struct TeamSearchAnswer {
    version: u32,
    team: String,
    hits: Vec<TeamHitJson>,
}

#[derive(Serialize)]
struct TeamHitJson {
    /// Its number here, where it was pulled.
    id: Option<i64>,
    uid: String,
    kind: String,
    title: String,
    body: String,
    project: String,
    provenance: String,
    updated_at: String,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<SumShape>,
}

/// Searches the hub of the chosen project's team; with all projects, that of the only team.
pub(crate) fn run(args: &SearchArgs, store: &Store, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shared = project_to_search(args, store, app)?;
    let named = shared.as_ref().and_then(|shared| shared.team.parse().ok());
    let team = teams::joined(store, named.as_ref(), "`--project NAME`, of a project that is shared with it")?;
    let words = args.words.join(" ");
    let weight = app.config.search_weights.meaning;
    let asks_meaning = app.config.recall.vectors && weight > 0.0;
    let direction = if asks_meaning { query_vector(&MiniLm::load(), &words) } else { None };
    let (kinds, most) = (args.kinds(), args.limit.unwrap_or(app.config.search.limit));
    // A hub that answers should be the one to say that it took too long.
    let timeout = app.config.team.patience() * 9 / 10;
    let (found, member) = teams::ask(&team, app, ui, move |hub, _| {
        let query_vector = |direction| QueryVector { model: model_name(), direction };
        let query = TeamQuery {
            words: &words,
            vector: direction.as_ref().map(|direction| query_vector(direction.values().as_slice())),
            project: shared.as_ref().map(|shared| shared.hub_project.as_str()),
            kinds: &kinds,
            most,
            timeout: Some(timeout),
        };
        Ok((hub.search(&query)?, hub.member().to_owned()))
    })?;
    let found = ranked(found, weight, most);
    let policy = teams::share_policy(app);
    let provenance = |hit: &TeamHit| {
        policy.provenance(
            Some(&member),
            &hit.first_author,
            [&hit.first_provenance, &hit.revision.content.provenance],
        )
    };
    let hits: Result<Vec<TeamHitJson>, AppError> =
        found.iter().map(|(hit, fused)| shape(hit, *fused, &provenance(hit), args, store)).collect();
    let hits = hits?;
    let exit = if hits.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&TeamSearchAnswer { version: 1, team: team.name, hits })?;
        return Ok(exit);
    }
    if hits.is_empty() {
        ui.say("nothing found");
    }
    hits.iter().try_for_each(|hit| ui.line(&lines(hit, args, ui)))?;
    Ok(exit)
}

/// Returns the shared project to search; none means all of them.
fn project_to_search(args: &SearchArgs, store: &Store, app: &App) -> Result<Option<SharedProject>, AppError> {
    let Some(Scope::Project(project)) = app.scope(store, &args.place.selector())? else { return Ok(None) };
    let shared = shared_through_hubs(store)?.into_iter().find(|shared| shared.project == project);
    let failure = || {
        AppError::user("this project is not shared with a team")
            .hint("`backstory project share` shares it; `--all-projects` asks for all that a team shares")
    };
    shared.map(Some).ok_or_else(failure)
}

/// Puts hits in order, each with its relevance, as the local search would: words level off, meaning counts by the cosine. Where there are
/// no vectors, the hub's order stands.
fn ranked(found: Vec<TeamHit>, weight: f64, most: u32) -> Vec<(TeamHit, f64)> {
    if found.iter().all(|hit| hit.cosine.is_none()) {
        return found.into_iter().map(|hit| (hit.words, hit)).map(|(words, hit)| (hit, words)).collect();
    }
    let fused = |hit: &TeamHit| {
        let words = hit.words / (hit.words + SATURATION);
        hit.cosine.map_or(words, |cosine| (1.0 - weight) * words + weight * cosine.max(0.0))
    };
    let is_hit = |hit: &TeamHit| hit.words > 0.0 || hit.cosine.is_some_and(|cosine| cosine >= NEAR);
    let mut ranked: Vec<(TeamHit, f64)> = found
        .into_iter()
        .filter(is_hit)
        .map(|hit| (fused(&hit), hit))
        .map(|(fused, hit)| (hit, fused))
        .collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked.truncate(most as usize);
    ranked
}

fn shape(
    hit: &TeamHit,
    fused: f64,
    provenance: &Provenance,
    args: &SearchArgs,
    store: &Store,
) -> Result<TeamHitJson, AppError> {
    let content = &hit.revision.content;
    let explain = args.explain.then(|| SumShape {
        words: hit.words,
        meaning: hit.cosine,
        fused,
        boosts: Vec::new(),
        factors: Vec::new(),
        relevance: fused,
        older_than: None,
    });
    Ok(TeamHitJson {
        id: store.memories().by_uid(&hit.uid)?.map(|memory| memory.id.0),
        uid: hit.uid.to_string(),
        kind: content.kind.to_string(),
        title: content.title.clone(),
        body: content.body.clone(),
        project: hit.project.clone(),
        provenance: provenance.to_string(),
        updated_at: times::iso(hit.revision.at),
        score: (fused * 10_000.0).round() / 10_000.0,
        explain,
    })
}

fn lines(hit: &TeamHitJson, args: &SearchArgs, ui: &Ui) -> String {
    let title = one_line(&hit.title);
    let day = first_chars(&hit.updated_at, 10);
    let id = hit.id.map_or_else(|| "not pulled yet".to_owned(), |id| format!("#{id}"));
    if args.compact {
        let title = first_chars(&title, 40);
        let project = one_line(&hit.project);
        return format!(
            "  [{:<8}] {id:<16} | {title:<40} | {project:<8} | {day} | {:.2}",
            hit.kind, hit.score
        );
    }
    let facts = format!(
        "{} · {} · {} · {day} · {:.2}",
        hit.kind,
        one_line(&hit.project),
        one_line(&hit.provenance),
        hit.score
    );
    let mut lines =
        vec![ui.tone(Tone::Strong, &format!("{id} {title}")), format!("   {}", ui.tone(Tone::Faint, &facts))];
    let excerpt = excerpt(&hit.body, &hit.title);
    lines.extend((!excerpt.is_empty()).then(|| format!("   {excerpt}")));
    if let Some(sum) = &hit.explain {
        let meaning = sum.meaning.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.2}"));
        let words = sum.words;
        lines.push(format!(
            "       {:.3}  words {words:.3} (as the hub ranks them), meaning {meaning} (cosine)",
            sum.fused
        ));
    }
    lines.join("\n")
}
