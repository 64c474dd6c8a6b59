//! Searching a team's hub itself, also for what was not pulled yet.

use super::{Teams, joined};
use crate::app::ProjectSelector;
use crate::error::AppError;
use crate::explain::SumShape;
use crate::json::{HitDetail, TeamHitShape, TeamSearchShape, rounded_score};
use crate::times;
use backstory_embed::{MiniLm, model_name};
use backstory_memory::{Kind, Memory, Provenance};
use backstory_recall::query_vector;
use backstory_store::{Scope, SharedProject, Store};
use backstory_sync::{QueryVector, SharePolicy, TeamHit, TeamQuery, shared_through_hubs};

/// The hub's rank of words at which words count for half.
const SATURATION: f64 = 0.1;
/// The least cosine of a hit that holds none of the words.
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
        let direction = if app.config.recall.vectors { query_vector(&MiniLm::load(), &words) } else { None };
        let most = request.limit.unwrap_or(app.config.search.limit);
        // The hub's own limit is a little shorter than ours, so that a busy hub reports that itself and does not count as silent.
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
        for (fused, hit) in ranked(hits, most) {
            if !policy.admits(&hit.revision.content) {
                continue;
            }
            let here = store.memories().by_uid(&hit.uid)?;
            let provenance = provenance(&policy, &hit, here.as_ref()).to_string();
            let explain = (request.detail == HitDetail::Explained).then(|| sum(&hit, fused));
            let content = hit.revision.content;
            shapes.push(TeamHitShape {
                id: here.map(|memory| memory.id.0),
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

/// Returns who said a hit. Words that this machine knows keep the provenance they have here, whatever the hub says.
fn provenance(policy: &SharePolicy, hit: &TeamHit, here: Option<&Memory>) -> Provenance {
    let found = &hit.revision.content;
    match here.map(|memory| &memory.content) {
        Some(known) if (&known.title, &known.body) == (&found.title, &found.body) => known.provenance.clone(),
        _ => policy.provenance(&hit.first_author, [&hit.first_provenance, &found.provenance]),
    }
}

/// Ranks hits by relevance as the local search does: the weight of words levels off, meaning counts by the cosine. Without vectors, the
/// hub's order stays.
fn ranked(hits: Vec<TeamHit>, most: u32) -> Vec<(f64, TeamHit)> {
    if hits.iter().all(|hit| hit.cosine.is_none()) {
        return hits.into_iter().map(|hit| (hit.words, hit)).collect();
    }
    let fused = |hit: &TeamHit| {
        let words = hit.words / (hit.words + SATURATION);
        hit.cosine.map_or(words, |cosine| f64::midpoint(words, cosine.max(0.0)))
    };
    let is_hit = |hit: &TeamHit| hit.words > 0.0 || hit.cosine.is_some_and(|cosine| cosine >= NEAR);
    let mut ranked: Vec<(f64, TeamHit)> =
        hits.into_iter().filter(is_hit).map(|hit| (fused(&hit), hit)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
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
