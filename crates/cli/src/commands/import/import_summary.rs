//! What an import brought: in words for a person, in JSON for other programs.

use crate::ui::{Tone, Ui, counted, memories, one_line};
use backstory_app::injection::preview_injection;
use backstory_app::{App, AppError};
use backstory_exchange::{ImportedIntoProject, MachineImportReport};
use backstory_inject::{InjectionRequest, Recipient};
use backstory_memory::{InjectionPoint, Moment, StartReason};
use backstory_store::{ContextWindow, Store};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many projects, and how many files of each, are named.
const MOST_PROJECTS: usize = 8;
const MOST_FILES: usize = 4;
/// How much of what the next session will see is shown.
const SAMPLE_LINES: usize = 14;

/// What an import brought, and how long it took.
#[derive(Debug)]
pub(crate) struct ImportSummary {
    pub(super) report: MachineImportReport,
    pub(super) seconds: f64,
}

/// What is new in a project, for other programs.
#[derive(Debug, Serialize)]
struct ProjectJson {
    project: String,
    memories: u64,
    kinds: BTreeMap<&'static str, u64>,
    files: Vec<String>,
}

/// What an import brought, for other programs.
#[derive(Serialize)]
pub(crate) struct ImportJson {
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
    projects: Vec<ProjectJson>,
}

impl ImportSummary {
    /// Whether there was nothing to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.report.is_empty()
    }

    /// Says what was imported, where, and what the next session will see of it.
    pub(crate) fn say(&self, store: &Store, app: &App, ui: &Ui) -> Result<(), AppError> {
        for unreadable in &self.report.unreadable {
            ui.say(&format!("cannot read {unreadable}"));
        }
        if self.is_empty() {
            return ui.line("nothing was found on this machine that could be imported");
        }
        self.say_read(ui)?;
        let skipped: Vec<String> =
            self.report.skipped().iter().map(|(why, count)| format!("{count} {why}")).collect();
        if !skipped.is_empty() {
            ui.line(&format!("skipped: {}", skipped.join(", ")))?;
        }
        let ids = self.report.memories();
        if ids.is_empty() {
            return ui.line("nothing new");
        }
        let projects = self.report.by_project(store)?;
        let many =
            if projects.len() == 1 { "1 project".to_owned() } else { format!("{} projects", projects.len()) };
        let imported = format!("imported {} in {many}", memories(ids.len() as u64));
        ui.line(&ui.tone(Tone::Good, &imported))?;
        for project in projects.iter().take(MOST_PROJECTS) {
            say_project(project, ui)?;
        }
        if projects.len() > MOST_PROJECTS {
            ui.line(&format!("  … and {} more projects", projects.len() - MOST_PROJECTS))?;
        }
        sample(store, &projects, app, ui)
    }

    fn say_read(&self, ui: &Ui) -> Result<(), AppError> {
        let transcripts = &self.report.transcripts;
        if transcripts.read == 0 && transcripts.unchanged > 0 {
            let unchanged = counted(transcripts.unchanged, "transcript");
            ui.line(&format!("{unchanged} of hosts unchanged since last time"))?;
        } else if transcripts.read > 0 {
            let rate = self.report.bytes as f64 / 1e6 / self.seconds.max(0.001);
            ui.line(&format!(
                "read {} of hosts ({:.1} MB in {:.1} s, {rate:.0} MB/s; {} unchanged since last time): {} with something new",
                counted(transcripts.read, "transcript"),
                self.report.bytes as f64 / 1e6,
                self.seconds,
                transcripts.unchanged,
                counted(transcripts.sessions.len() as u64, "session"),
            ))?;
        }
        for (source, report) in &self.report.sources {
            let unchanged =
                if report.unchanged == report.instances { ", unchanged since last time" } else { "" };
            ui.line(&format!(
                "read {source} ({}{unchanged}): {} new, {} known already, {} forgotten before",
                counted(report.instances, "place"),
                report.memories.len(),
                report.known,
                report.forgotten
            ))?;
        }
        Ok(())
    }

    /// Returns it for other programs.
    pub(crate) fn json(&self, store: &Store) -> Result<ImportJson, AppError> {
        let MachineImportReport { bytes, transcripts, sources, unreadable } = &self.report;
        let projects = self.report.by_project(store)?;
        Ok(ImportJson {
            version: 1,
            bytes: *bytes,
            seconds: self.seconds,
            records: transcripts.read,
            unchanged: transcripts.unchanged + sources.values().map(|report| report.unchanged).sum::<u64>(),
            sessions: transcripts.sessions.len() as u64,
            events: transcripts.new,
            memories: self.report.memories().len() as u64,
            known: transcripts.known + sources.values().map(|report| report.known).sum::<u64>(),
            forgotten: sources.values().map(|report| report.forgotten).sum(),
            skipped: self.report.skipped(),
            refused: unreadable.clone(),
            sources: sources
                .iter()
                .map(|(source, report)| (source.as_str(), report.memories.len() as u64))
                .collect(),
            projects: projects.into_iter().map(project_json).collect(),
        })
    }
}

fn project_json(project: ImportedIntoProject) -> ProjectJson {
    ProjectJson {
        memories: project.memories(),
        project: project.name,
        kinds: project.kinds.into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
        files: project.files.into_iter().take(MOST_FILES).collect(),
    }
}

fn say_project(project: &ImportedIntoProject, ui: &Ui) -> Result<(), AppError> {
    // By name, as in JSON.
    let kinds: BTreeMap<&str, u64> =
        project.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let name = ui.tone(Tone::Strong, &one_line(&project.name));
    ui.line(&format!("  {name}: {} ({})", memories(project.memories()), kinds.join(", ")))?;
    let files: Vec<&str> = project.files.iter().take(MOST_FILES).map(String::as_str).collect();
    if !files.is_empty() {
        ui.line(&format!("    most about {}", one_line(&files.join(", "))))?;
    }
    Ok(())
}

/// Shows how the next session begins: in the project of this folder if something is new there, else in the one with most that is new.
fn sample(store: &Store, projects: &[ImportedIntoProject], app: &App, ui: &Ui) -> Result<(), AppError> {
    let here = store.projects().find(&app.project_ref())?;
    let chosen = projects.iter().find(|project| Some(project.id) == here);
    let Some(project) = chosen.or(projects.first()) else { return Ok(()) };
    let budget =
        app.config.inject.budget(Moment::SessionStart, &app.cwd, app.environment.user_home().as_deref());
    let context = ContextWindow { started_at: Some(app.now), ..ContextWindow::default() };
    let recipient = Recipient { project: project.id, session: None, context, root: None };
    let point = InjectionPoint::SessionStart { reason: StartReason::Startup };
    let built = preview_injection(app, store, recipient, &InjectionRequest { point, budget });
    if built.block.is_empty() {
        return Ok(());
    }
    let tokens = built.block.tokens.0;
    ui.line(&format!("the next session in {} begins with ({tokens} tokens):", one_line(&project.name)))?;
    let text = &built.block.text;
    for line in text.lines().take(SAMPLE_LINES) {
        ui.line(&format!("    {line}"))?;
    }
    if text.lines().count() > SAMPLE_LINES {
        ui.line("    … (`backstory context` in its folder shows all of it)")?;
    }
    Ok(())
}
