//! `import --dry-run`: what would be taken in, from when and of which projects. Nothing is written.

use super::ImportArgs;
use super::machine::{Wanted, only};
use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::times;
use crate::ui::one_line;
use backstory_capture::{Redactor, safe_project_ref};
use backstory_exchange::{ForeignDatabases, ImportItem, ImportedProject, ProjectFilter, SourceInstance};
use backstory_hosts::{Host, HostTranscript, TranscriptItem};
use backstory_memory::{ProjectKey, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How far a record is read to learn where it was made.
const FIRST_ENTRIES: usize = 50;
/// How many projects of a source are named.
const MOST_NAMES: usize = 6;

/// What one source would bring.
#[derive(Debug, Default, Serialize)]
struct Preview {
    source: String,
    /// Sessions or memories.
    what: &'static str,
    count: u64,
    bytes: u64,
    from: Option<String>,
    to: Option<String>,
    projects: Vec<String>,
    #[serde(skip)]
    span: Option<(Timestamp, Timestamp)>,
    #[serde(skip)]
    names: BTreeSet<String>,
    skipped: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct PreviewShape {
    version: u32,
    found: Vec<Preview>,
}

/// Shows what would be taken in.
pub(super) fn run(
    wanted: &Wanted,
    since: Option<Timestamp>,
    args: &ImportArgs,
    app: &App,
) -> Result<Exit, Failure> {
    let places = app.places()?;
    let store = app.home.database().exists().then(|| app.store_to_read()).transpose()?;
    let only = match (&args.project, &store) {
        (Some(wanted), Some(store)) => self::only(store, Some(wanted), app)?,
        (Some(folder), None) => {
            let project_ref = app.project_ref_of(Path::new(folder));
            Some(ProjectFilter { name: project_ref.name, keys: project_ref.keys })
        }
        (None, _) => None,
    };
    let looking = Looking { app, redactor: app.redactor(), since, only };
    let mut folders = BTreeSet::from([PathBuf::from(app.project_ref().root)]);
    let records = wanted.records(&places).into_iter();
    let mut found: Vec<Preview> =
        records.map(|(host, records)| looking.records(host, &records, &mut folders)).collect();
    for summary in store.iter().flat_map(|store| store.projects().unwrap_or_default()) {
        folders.extend(summary.project.roots.iter().map(PathBuf::from));
    }
    let search = app.whereabouts(places, folders.into_iter().collect());
    found.extend(wanted.finds(&search).iter().map(|instance| looking.find(instance)));
    found.retain(|preview| preview.count > 0 || !preview.skipped.is_empty());
    found.iter_mut().for_each(Preview::settle);
    let exit = if found.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        app.ui.json(&PreviewShape { version: 1, found })?;
        return Ok(exit);
    }
    for preview in &found {
        preview.say(app)?;
    }
    if found.is_empty() {
        app.ui.line("nothing was found on this machine that could be taken in")?;
    } else {
        app.ui.line("nothing is taken in yet: run it without `--dry-run`")?;
    }
    Ok(exit)
}

struct Looking<'a> {
    app: &'a App,
    redactor: Redactor,
    since: Option<Timestamp>,
    only: Option<ProjectFilter>,
}

impl Looking<'_> {
    fn records(&self, host: Host, records: &[HostTranscript], folders: &mut BTreeSet<PathBuf>) -> Preview {
        let mut preview =
            Preview { source: host.as_str().to_owned(), what: "sessions", ..Preview::default() };
        for record in records {
            if self.since.is_some_and(|since| record.modified < since) {
                continue;
            }
            let Some(folder) = folder_of(record) else {
                preview.skip("of no folder");
                continue;
            };
            let project_ref = safe_project_ref(&folder, &self.redactor);
            if !self.is_wanted(&project_ref.name, &project_ref.keys) || self.is_left_out(&folder) {
                continue;
            }
            preview.count += 1;
            preview.bytes += record.bytes;
            preview.spans(record.began.unwrap_or(record.modified), record.modified);
            preview.names.insert(project_ref.name);
            folders.insert(PathBuf::from(project_ref.root));
        }
        preview
    }

    fn find(&self, instance: &SourceInstance) -> Preview {
        let mut preview =
            Preview { source: instance.source.to_string(), what: "memories", ..Preview::default() };
        preview.bytes = instance.bytes;
        let read = instance.read(&mut |found| match found {
            ImportItem::Skipped(why) => preview.skip(why),
            ImportItem::Memory(memory) => {
                let (name, keys) = match &memory.project {
                    ImportedProject::Folder(folder) if self.is_left_out(folder) => return,
                    ImportedProject::Folder(folder) => {
                        let project_ref = safe_project_ref(folder, &self.redactor);
                        (project_ref.name, project_ref.keys)
                    }
                    ImportedProject::Named(name) => (name.clone(), vec![ProjectKey::Named(name.clone())]),
                };
                let is_old = self.since.is_some_and(|since| memory.created_at < since);
                if !is_old && self.is_wanted(&name, &keys) {
                    preview.count += 1;
                    preview.spans(memory.created_at, memory.created_at);
                    preview.names.insert(name);
                }
            }
        });
        if read.is_err() {
            preview.skip("cannot be read");
        }
        preview
    }

    fn is_wanted(&self, name: &str, keys: &[ProjectKey]) -> bool {
        let is_named = |only: &ProjectFilter| only.name == name && matches!(keys, [ProjectKey::Named(_)]);
        let is_it = |only: &ProjectFilter| is_named(only) || keys.iter().any(|key| only.keys.contains(key));
        self.only.as_ref().is_none_or(is_it)
    }

    fn is_left_out(&self, folder: &Path) -> bool {
        self.app.config.capture.leaves_out(folder, self.app.environment.user_home().as_deref())
    }
}

/// Returns where a record was made, from its beginning.
fn folder_of(record: &HostTranscript) -> Option<PathBuf> {
    let entries = record.read(&ForeignDatabases).ok()?;
    entries.take(FIRST_ENTRIES).find_map(|reading| match reading {
        TranscriptItem::Entry(entry) => entry.cwd.map(PathBuf::from),
        TranscriptItem::Unreadable(_) => None,
    })
}

impl Preview {
    fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    fn spans(&mut self, from: Timestamp, to: Timestamp) {
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
    }

    fn settle(&mut self) {
        self.from = self.span.map(|(from, _)| times::iso(from));
        self.to = self.span.map(|(_, to)| times::iso(to));
        self.projects = self.names.iter().cloned().collect();
    }

    /// Returns what a single one is called.
    fn what_one(&self) -> &'static str {
        if self.what == "sessions" { "session" } else { "memory" }
    }

    fn say(&self, app: &App) -> Result<(), Failure> {
        let day = |time: &Option<String>| {
            time.as_deref().map_or(String::new(), |time| time.chars().take(10).collect())
        };
        let size =
            if self.bytes > 0 { format!(", {:.1} MB", self.bytes as f64 / 1e6) } else { String::new() };
        app.ui.line(&format!(
            "{:<16} {:>6} {}{size}, {} to {}",
            self.source,
            self.count,
            if self.count == 1 { self.what_one() } else { self.what },
            day(&self.from),
            day(&self.to)
        ))?;
        let mut names: Vec<String> =
            self.projects.iter().take(MOST_NAMES).map(|name| one_line(name)).collect();
        if self.projects.len() > MOST_NAMES {
            names.push(format!("{} more", self.projects.len() - MOST_NAMES));
        }
        if !names.is_empty() {
            app.ui.line(&format!("{:<16} in {}", "", names.join(", ")))?;
        }
        let skipped: Vec<String> = self.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        if !skipped.is_empty() {
            app.ui.line(&format!("{:<16} skipped: {}", "", skipped.join(", ")))?;
        }
        Ok(())
    }
}
