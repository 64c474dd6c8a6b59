//! What an import brought: told to a person, and to other programs.

use crate::app::{App, project_name};
use crate::commands::context::injecting;
use crate::failure::Failure;
use crate::injecting::Recipient;
use crate::ui::{Tone, counted, memories, one_line};
use backstory_exchange::{ImportSource, MemoryImportReport, SkipCounts, TranscriptImportReport};
use backstory_hosts::InjectionPoint;
use backstory_memory::{Kind, MemoryId, Moment, ProjectId, StartReason};
use backstory_store::{ContextWindow, Store};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// How many projects, and how many files of each, are told.
const MOST_PROJECTS: usize = 8;
const MOST_FILES: usize = 4;
/// How much of what the next session will see is shown.
const SAMPLE_LINES: usize = 14;
/// How many memories are looked at together.
const AT_ONCE: usize = 500;

/// What an import brought.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    bytes: u64,
    pub(super) seconds: f64,
    records: TranscriptImportReport,
    sources: BTreeMap<ImportSource, FromSource>,
    refused: Vec<String>,
}

/// What one source brought.
#[derive(Debug, Default)]
struct FromSource {
    finds: u64,
    unchanged: u64,
    known: u64,
    forgotten: u64,
    memories: Vec<MemoryId>,
    skipped: SkipCounts,
}

/// What is new in a project.
#[derive(Debug, Default, Serialize)]
struct InProject {
    project: String,
    memories: u64,
    kinds: BTreeMap<&'static str, u64>,
    files: Vec<String>,
    #[serde(skip)]
    id: Option<ProjectId>,
}

/// What an import brought, for other programs.
#[derive(Serialize)]
pub(crate) struct LearntShape {
    version: u32,
    bytes: u64,
    seconds: f64,
    records: u64,
    unchanged: u64,
    sessions: u64,
    events: u64,
    memories: u64,
    known: u64,
    forgotten: u64,
    skipped: BTreeMap<&'static str, u64>,
    refused: Vec<String>,
    sources: BTreeMap<&'static str, u64>,
    projects: Vec<InProject>,
}

impl Learnt {
    pub(super) fn of_bytes(bytes: u64) -> Learnt {
        Learnt { bytes, ..Learnt::default() }
    }

    pub(super) fn records(&mut self, report: TranscriptImportReport) {
        self.records = report;
    }

    pub(super) fn find(&mut self, source: ImportSource, report: MemoryImportReport, path: &Path) {
        let from = self.sources.entry(source).or_default();
        from.finds += 1;
        from.unchanged += u64::from(report.is_unchanged);
        from.known += report.known;
        from.forgotten += report.forgotten;
        from.memories.extend(report.memories);
        for (why, count) in report.skipped {
            *from.skipped.entry(why).or_default() += count;
        }
        if let Some(why) = report.unreadable {
            self.refused.push(format!("{source} at `{}`: {why}", path.display()));
        }
    }

    fn ids(&self) -> Vec<MemoryId> {
        let sources = self.sources.values().flat_map(|from| &from.memories);
        self.records.memories.iter().chain(sources).copied().collect()
    }

    fn skipped(&self) -> BTreeMap<&'static str, u64> {
        let mut all = self.records.skipped.clone();
        for (why, count) in self.sources.values().flat_map(|from| &from.skipped) {
            *all.entry(why).or_default() += count;
        }
        all
    }

    /// Says what was learnt, where, and what the next session will see of it.
    pub(crate) fn say(&self, store: &Store, app: &App) -> Result<(), Failure> {
        for refused in &self.refused {
            app.ui.say(&format!("cannot read {refused}"));
        }
        if self.has_found_nothing() {
            return app.ui.line("nothing was found on this machine that could be taken in");
        }
        self.say_read(app)?;
        let skipped: Vec<String> =
            self.skipped().iter().map(|(why, count)| format!("{count} {why}")).collect();
        if !skipped.is_empty() {
            app.ui.line(&format!("skipped: {}", skipped.join(", ")))?;
        }
        let ids = self.ids();
        if ids.is_empty() {
            return app.ui.line("nothing new was learnt");
        }
        let projects = by_project(store, &ids)?;
        let many =
            if projects.len() == 1 { "1 project".to_owned() } else { format!("{} projects", projects.len()) };
        let learnt = format!("learnt {} in {many}", memories(ids.len() as u64));
        app.ui.line(&app.ui.tone(Tone::Good, &learnt))?;
        for project in projects.iter().take(MOST_PROJECTS) {
            project.say(app)?;
        }
        if projects.len() > MOST_PROJECTS {
            app.ui.line(&format!("  … and {} more projects", projects.len() - MOST_PROJECTS))?;
        }
        sample(store, &projects, app)
    }

    /// Whether there was nothing to read.
    pub(crate) fn has_found_nothing(&self) -> bool {
        self.records.read + self.records.unchanged == 0 && self.sources.is_empty()
    }

    fn say_read(&self, app: &App) -> Result<(), Failure> {
        let records = &self.records;
        if records.read == 0 && records.unchanged > 0 {
            let unchanged = counted(records.unchanged, "record");
            app.ui.line(&format!("{unchanged} of hosts unchanged since last time"))?;
        } else if records.read > 0 {
            let rate = self.bytes as f64 / 1e6 / self.seconds.max(0.001);
            app.ui.line(&format!(
                "read {} of hosts ({:.1} MB in {:.1} s, {rate:.0} MB/s; {} unchanged since last time): {} with something new",
                counted(records.read, "record"),
                self.bytes as f64 / 1e6,
                self.seconds,
                records.unchanged,
                counted(records.sessions.len() as u64, "session"),
            ))?;
        }
        for (source, from) in &self.sources {
            let unchanged = if from.unchanged == from.finds { ", unchanged since last time" } else { "" };
            app.ui.line(&format!(
                "read {source} ({}{unchanged}): {} new, {} known already, {} forgotten before",
                counted(from.finds, "place"),
                from.memories.len(),
                from.known,
                from.forgotten
            ))?;
        }
        Ok(())
    }

    /// Tells other programs.
    pub(crate) fn shape(&self, store: &Store) -> Result<LearntShape, Failure> {
        let sources = &self.sources;
        Ok(LearntShape {
            version: 1,
            bytes: self.bytes,
            seconds: self.seconds,
            records: self.records.read,
            unchanged: self.records.unchanged + sources.values().map(|from| from.unchanged).sum::<u64>(),
            sessions: self.records.sessions.len() as u64,
            events: self.records.new,
            memories: self.ids().len() as u64,
            known: self.records.known + sources.values().map(|from| from.known).sum::<u64>(),
            forgotten: sources.values().map(|from| from.forgotten).sum(),
            skipped: self.skipped(),
            refused: self.refused.clone(),
            sources: sources
                .iter()
                .map(|(source, from)| (source.as_str(), from.memories.len() as u64))
                .collect(),
            projects: by_project(store, &self.ids())?,
        })
    }
}

impl InProject {
    fn say(&self, app: &App) -> Result<(), Failure> {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let name = app.ui.tone(Tone::Strong, &one_line(&self.project));
        app.ui.line(&format!("  {name}: {} ({})", memories(self.memories), kinds.join(", ")))?;
        if !self.files.is_empty() {
            app.ui.line(&format!("    most about {}", one_line(&self.files.join(", "))))?;
        }
        Ok(())
    }
}

/// Tells new memories apart by project, the one with most of them first.
fn by_project(store: &Store, ids: &[MemoryId]) -> Result<Vec<InProject>, Failure> {
    let mut kinds: HashMap<ProjectId, BTreeMap<Kind, u64>> = HashMap::new();
    let mut files: HashMap<ProjectId, HashMap<String, u64>> = HashMap::new();
    for ids in ids.chunks(AT_ONCE) {
        for memory in store.memories(ids)? {
            *kinds.entry(memory.project).or_default().entry(memory.content.kind).or_default() += 1;
            let of_project = files.entry(memory.project).or_default();
            memory.content.files.into_iter().for_each(|file| *of_project.entry(file).or_default() += 1);
        }
    }
    let mut projects = Vec::new();
    for (id, kinds) in kinds {
        let mut files: Vec<(String, u64)> = files.remove(&id).unwrap_or_default().into_iter().collect();
        files.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
        projects.push(InProject {
            project: project_name(store, id)?,
            memories: kinds.values().sum(),
            kinds: kinds.into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
            files: files.into_iter().map(|(file, _)| file).take(MOST_FILES).collect(),
            id: Some(id),
        });
    }
    projects.sort_by(|one, other| (other.memories, &one.project).cmp(&(one.memories, &other.project)));
    Ok(projects)
}

/// Shows how the next session begins: in the project of this folder if something was learnt there, else where most was.
fn sample(store: &Store, projects: &[InProject], app: &App) -> Result<(), Failure> {
    let here = store.find_project(&app.project_ref())?;
    let chosen = projects.iter().find(|project| project.id.is_some() && project.id == here);
    let Some((project, id)) = chosen.or(projects.first()).and_then(|it| Some((it, it.id?))) else {
        return Ok(());
    };
    let budget =
        app.config.inject.budget(Moment::SessionStart, &app.cwd, app.environment.user_home().as_deref());
    let in_view = ContextWindow { started_at: Some(app.now), ..ContextWindow::default() };
    let to = Recipient { project: id, session: None, in_view, root: None };
    let opening = InjectionPoint::SessionStart { reason: StartReason::Startup };
    let built = injecting(store, app, to).build(&opening, None, budget);
    if built.block.is_empty() {
        return Ok(());
    }
    let tokens = built.block.tokens.0;
    app.ui.line(&format!(
        "the next session in {} begins with ({tokens} tokens):",
        one_line(&project.project)
    ))?;
    let text = &built.block.text;
    for line in text.lines().take(SAMPLE_LINES) {
        app.ui.line(&format!("    {line}"))?;
    }
    if text.lines().count() > SAMPLE_LINES {
        app.ui.line("    … (`backstory context` in its folder shows all of it)")?;
    }
    Ok(())
}
