//! Searching a team's hub itself, also for what was not pulled yet.

use super::{Teams, joined};
use crate::app::ProjectSelector;
use crate::error::AppError;
use crate::explain::SumShape;
use crate::json::{HitDetail, TeamHitShape, TeamSearchShape, rounded_score};
use crate::times;
use backstory_embed::{MiniLm, model_name};
use backstory_memory::{Content, Kind};
use backstory_recall::query_vector;
use backstory_store::{Scope, SharedProject, Store};
use backstory_sync::{QueryVector, TeamHit, TeamQuery, shared_through_hubs};

/// The rank of words, as the hub returns it, that counts for half.
const SATURATION: f64 = 0.1;
/// What holds none of the words is a hit from this cosine on.
const NEAR: f64 = 0.3;

/// What to look for on a hub.
#[derive(Clone, Debug)]
pub struct TeamSearchRequest {
    /// The question.
    pub text: String,
    /// Where to look: a project that is shared, or all that the only team shares.
    pub projects: ProjectSelector,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
    /// How many at the most; without it, as many as are configured.
    pub limit: Option<u32>,
    /// Whether hits come with the sum behind their score.
    pub detail: HitDetail,
}

impl Teams<'_> {
    /// Searches the hub of the chosen project's team; with all projects, that of the only team.
    pub fn search(&self, store: &Store, request: &TeamSearchRequest) -> Result<TeamSearchShape, AppError> {
        let app = self.app;
        let shared = self.project_to_search(store, &request.projects)?;
        let named = shared.as_ref().and_then(|shared| shared.team.parse().ok());
        let team = joined(store, named.as_ref(), "`--project NAME`, of a project that is shared with it")?;
        let (words, kinds) = (request.text.clone(), request.kinds.clone());
        let weight = app.config.search_weights.meaning;
        let uses_meaning = app.config.recall.vectors && weight > 0.0;
        let direction = if uses_meaning { query_vector(&MiniLm::load(), &words) } else { None };
        let most = request.limit.unwrap_or(app.config.search.limit);
        // A hub that answers should be the one to say that it took too long.
        let timeout = app.config.team.patience() * 9 / 10;
        let hits = self.call_hub(&team, move |hub, _| {
            let query_vector = |direction| QueryVector { model: model_name(), direction };
            let query = TeamQuery {
                words: &words,
                vector: direction.as_ref().map(|direction| query_vector(direction.values().as_slice())),
                project: shared.as_ref().map(|shared| shared.hub_project.as_str()),
                kinds: &kinds,
                most,
                timeout: Some(timeout),
            };
            Ok(hub.search(&query)?)
        })?;
        let policy = app.share_policy();
        let mut shapes = Vec::new();
        for (hit, fused) in ranked(hits, weight, most) {
            if !policy.admits(&hit.revision.content) {
                continue;
            }
            let provenances = [&hit.first_provenance, &hit.revision.content.provenance];
            let here = store.memories().by_uid(&hit.uid)?;
            // Words this machine knows are whose they are here, whatever name the hub has for them.
            let is_known = |known: &Content| {
                (&known.title, &known.body) == (&hit.revision.content.title, &hit.revision.content.body)
            };
            let known = here.as_ref().map(|memory| &memory.content).filter(|known| is_known(known));
            let pulled = || policy.provenance(&hit.first_author, provenances);
            let provenance = known.map_or_else(pulled, |known| known.provenance.clone()).to_string();
            let id = here.map(|memory| memory.id.0);
            let explain = (request.detail == HitDetail::Explained).then(|| sum(&hit, fused));
            let content = hit.revision.content;
            shapes.push(TeamHitShape {
                id,
                uid: hit.uid.to_string(),
                kind: content.kind.to_string(),
                title: content.title,
                body: content.body,
                project: hit.project,
                provenance,
                updated_at: times::iso(hit.revision.at),
                score: rounded_score(fused),
                explain,
            });
        }
        Ok(TeamSearchShape { version: 1, team: team.name, hits: shapes })
    }

    /// Returns the shared project to search; none means all of them.
    fn project_to_search(
        &self,
        store: &Store,
        projects: &ProjectSelector,
    ) -> Result<Option<SharedProject>, AppError> {
        let Some(Scope::Project(project)) = self.app.scope(store, projects)? else { return Ok(None) };
        let shared = shared_through_hubs(store)?.into_iter().find(|shared| shared.project == project);
        shared.map(Some).ok_or_else(|| {
            AppError::user("this project is not shared with a team")
                .hint("`backstory project share` shares it; `--all-projects` searches all that a team shares")
        })
    }
}

/// Puts hits in order, each with its relevance, as the local search would: words level off, meaning counts by the cosine. Where there are
/// no vectors, the hub's order stands.
fn ranked(hits: Vec<TeamHit>, weight: f64, most: u32) -> Vec<(TeamHit, f64)> {
    if hits.iter().all(|hit| hit.cosine.is_none()) {
        return hits.into_iter().map(|hit| (hit.words, hit)).map(|(words, hit)| (hit, words)).collect();
    }
    let fused = |hit: &TeamHit| {
        let words = hit.words / (hit.words + SATURATION);
        hit.cosine.map_or(words, |cosine| (1.0 - weight) * words + weight * cosine.max(0.0))
    };
    let is_hit = |hit: &TeamHit| hit.words > 0.0 || hit.cosine.is_some_and(|cosine| cosine >= NEAR);
    let hits = hits.into_iter().filter(is_hit).map(|hit| (fused(&hit), hit));
    let mut ranked: Vec<(TeamHit, f64)> = hits.map(|(fused, hit)| (hit, fused)).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked.truncate(most as usize);
    ranked
}

fn sum(hit: &TeamHit, fused: f64) -> SumShape {
    SumShape {
        words: hit.words,
        meaning: hit.cosine,
        fused,
        boosts: Vec::new(),
        factors: Vec::new(),
        relevance: fused,
        older_than: None,
    }
}
