//! Exporting memories to a file or a folder that an import takes back. Nobody is locked in.

pub use backstory_exchange::MarkdownExportReport;

use crate::app::App;
use crate::error::AppError;
use crate::progress::{OnProgress, count};
use backstory_exchange::{
    ExportSelection, MarkdownExportOptions, export_jsonl, export_jsonl_file, export_markdown,
};
use backstory_memory::{Kind, Timestamp};
use backstory_store::Store;
use std::io::Write;
use std::path::Path;

/// Which memories are exported.
#[derive(Clone, Debug, Default)]
pub struct ExportRequest {
    /// Only this project.
    pub project: Option<String>,
    /// Only what was written or changed since.
    pub since: Option<Timestamp>,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
}

/// Where JSON lines are written.
pub enum JsonlTarget<'a> {
    /// Standard output.
    Stdout(&'a mut dyn Write),
    /// A file: it is replaced whole or stays as it was.
    File(&'a Path),
}

impl App {
    /// Exports memories as JSON lines, and returns how many.
    pub fn export_jsonl(
        &self,
        store: &Store,
        request: &ExportRequest,
        target: JsonlTarget<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<u64, AppError> {
        let selection = self.export_selection(store, request)?;
        let mut on_done = count(on_progress, "memories", store.memories().count()?);
        Ok(match target {
            JsonlTarget::Stdout(out) => {
                export_jsonl(store, &selection, ("to standard output", out), &mut on_done)?
            }
            JsonlTarget::File(path) => export_jsonl_file(store, &selection, path, &mut on_done)?,
        })
    }

    /// Exports memories as Markdown: one folder a project, one document a memory.
    pub fn export_markdown(
        &self,
        store: &Store,
        request: &ExportRequest,
        root: &Path,
        on_progress: OnProgress<'_>,
    ) -> Result<MarkdownExportReport, AppError> {
        let selection = self.export_selection(store, request)?;
        let redactor = self.redactor();
        let options = MarkdownExportOptions { root, redactor: &redactor, now: self.now };
        let mut on_done = count(on_progress, "memories", store.memories().count()?);
        Ok(export_markdown(store, &selection, &options, &mut on_done)?)
    }

    fn export_selection(&self, store: &Store, request: &ExportRequest) -> Result<ExportSelection, AppError> {
        let project =
            request.project.as_deref().map(|wanted| self.project_called(store, wanted)).transpose()?;
        Ok(ExportSelection { project, since: request.since, kinds: request.kinds.clone() })
    }
}
