//! Imports in JSON: what was found on this machine, what a file held, and what an import would bring.

use crate::import::MachineImportResponse;
use crate::times;
use backstory_exchange::{FileImportReport, ImportedIntoProject, PreviewUnit, SourcePreview};
use backstory_memory::ProjectId;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How many files of a project are named.
const MOST_FILES: usize = 4;

/// What an import of this machine brought.
#[derive(Debug, Serialize)]
pub struct MachineImportShape<'a> {
    pub version: u32,
    pub bytes: u64,
    pub seconds: f64,
    pub records: u64,
    pub unchanged: u64,
    pub sessions: u64,
    pub events: u64,
    pub memories: u64,
    pub known: u64,
    pub forgotten: u64,
    pub skipped: BTreeMap<&'static str, u64>,
    pub refused: &'a [String],
    pub sources: BTreeMap<&'static str, u64>,
    pub projects: &'a [ImportedProjectShape],
}

/// What is new in a project.
#[derive(Debug, Serialize)]
pub struct ImportedProjectShape {
    #[serde(skip)]
    pub id: ProjectId,
    pub project: String,
    pub memories: u64,
    pub kinds: BTreeMap<&'static str, u64>,
    pub files: Vec<String>,
}

/// What became of the entries of a file.
#[derive(Debug, Serialize)]
pub struct FileImportShape {
    pub version: u32,
    pub imported: u64,
    pub known: u64,
    pub revised: u64,
    pub forgotten: u64,
    pub bad: u64,
    pub bad_lines: Vec<BadLineShape>,
    pub seconds: f64,
    /// What an entry of the file is called, in the plural.
    #[serde(skip)]
    pub entries: &'static str,
}

/// A line or a document that is no memory.
#[derive(Debug, Serialize)]
pub struct BadLineShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub line: u64,
    pub error: String,
}

/// What an import of this machine would bring.
#[derive(Debug, Serialize)]
pub struct ImportPreviewShape {
    pub version: u32,
    pub found: Vec<SourcePreviewShape>,
}

/// What one source would bring.
#[derive(Debug, Serialize)]
pub struct SourcePreviewShape {
    pub source: String,
    /// Sessions or memories.
    pub what: &'static str,
    pub count: u64,
    pub bytes: u64,
    pub from: Option<String>,
    pub to: Option<String>,
    pub projects: BTreeSet<String>,
    pub skipped: BTreeMap<&'static str, u64>,
}

/// Returns what an import of this machine brought.
pub fn machine_import(response: &MachineImportResponse) -> MachineImportShape<'_> {
    let report = &response.report;
    let (transcripts, sources) = (&report.transcripts, &report.sources);
    MachineImportShape {
        version: 1,
        bytes: report.bytes,
        seconds: response.seconds,
        records: transcripts.read,
        unchanged: transcripts.unchanged + sources.values().map(|report| report.unchanged).sum::<u64>(),
        sessions: transcripts.sessions.len() as u64,
        events: transcripts.new,
        memories: report.memories().len() as u64,
        known: transcripts.known + sources.values().map(|report| report.known).sum::<u64>(),
        forgotten: sources.values().map(|report| report.forgotten).sum(),
        skipped: report.skipped(),
        refused: &report.unreadable,
        sources: sources
            .iter()
            .map(|(source, report)| (source.as_str(), report.memories.len() as u64))
            .collect(),
        projects: &response.projects,
    }
}

impl ImportedProjectShape {
    pub(crate) fn new(project: ImportedIntoProject) -> ImportedProjectShape {
        ImportedProjectShape {
            id: project.id,
            memories: project.memories(),
            project: project.name,
            kinds: project.kinds.into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
            files: project.files.into_iter().take(MOST_FILES).collect(),
        }
    }
}

impl FileImportShape {
    pub(crate) fn new(report: FileImportReport, entries: &'static str, seconds: f64) -> FileImportShape {
        let bad_lines = report.bad_entries.into_iter().map(|bad| BadLineShape {
            file: bad.file.map(|file| file.display().to_string()),
            line: bad.line,
            error: bad.error,
        });
        FileImportShape {
            version: 1,
            imported: report.imported,
            known: report.known,
            revised: report.revised,
            forgotten: report.forgotten,
            bad: report.bad,
            bad_lines: bad_lines.collect(),
            seconds,
            entries,
        }
    }
}

impl ImportPreviewShape {
    pub(crate) fn new(previews: Vec<SourcePreview>) -> ImportPreviewShape {
        let found = previews.into_iter().map(|preview| SourcePreviewShape {
            source: preview.source,
            what: match preview.unit {
                PreviewUnit::Sessions => "sessions",
                PreviewUnit::Memories => "memories",
            },
            count: preview.count,
            bytes: preview.bytes,
            from: preview.span.map(|(from, _)| times::iso(from)),
            to: preview.span.map(|(_, to)| times::iso(to)),
            projects: preview.projects,
            skipped: preview.skipped,
        });
        ImportPreviewShape { version: 1, found: found.collect() }
    }
}
