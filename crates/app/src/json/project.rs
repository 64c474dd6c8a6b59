//! Projects in JSON.

use crate::times;
use backstory_store::ProjectSummary;
use serde::Serialize;

/// Projects of `project --json`.
#[derive(Debug, Serialize)]
pub struct ProjectListShape {
    pub version: u32,
    pub projects: Vec<ProjectShape>,
}

/// One project.
#[derive(Debug, Serialize)]
pub struct ProjectShape {
    pub id: i64,
    pub name: String,
    pub parent: Option<i64>,
    pub keys: Vec<String>,
    pub roots: Vec<String>,
    pub memories: u64,
    pub sessions: u64,
    pub last_active_at: Option<String>,
}

/// Returns projects.
pub fn projects(summaries: impl IntoIterator<Item = ProjectSummary>) -> ProjectListShape {
    ProjectListShape { version: 1, projects: summaries.into_iter().map(project).collect() }
}

/// Returns a project.
pub fn project(summary: ProjectSummary) -> ProjectShape {
    ProjectShape {
        id: summary.project.id.0,
        name: summary.project.name,
        parent: summary.project.parent.map(|id| id.0),
        keys: summary.project.keys.iter().map(ToString::to_string).collect(),
        roots: summary.project.roots,
        memories: summary.memories,
        sessions: summary.sessions,
        last_active_at: summary.last_active_at.map(times::iso),
    }
}
