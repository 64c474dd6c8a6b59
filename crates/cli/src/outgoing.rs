//! What would leave this machine, every word of it, for people and programs to look at first.

use crate::ui::{Ui, one_line};
use backstory_app::AppError;
use backstory_memory::{Content, SharedMemory, clean};
use serde::Serialize;

/// A memory that would leave.
#[derive(Serialize)]
pub(crate) struct OutgoingMemory {
    uid: String,
    #[serde(flatten)]
    now: OutgoingRevision,
    revisions: usize,
    /// What it said before, of which every word leaves too.
    before: Vec<OutgoingRevision>,
}

/// What a memory says, or said.
#[derive(Serialize)]
struct OutgoingRevision {
    kind: String,
    title: String,
    body: String,
    facts: Vec<String>,
    concepts: Vec<String>,
    files: Vec<String>,
}

impl OutgoingMemory {
    /// Returns what leaves of a memory; nothing where nothing does.
    pub(crate) fn from_shared(mut memory: SharedMemory) -> Option<OutgoingMemory> {
        let revisions = memory.revisions.len();
        let now = OutgoingRevision::from_content(memory.revisions.pop()?.content);
        let before =
            memory.revisions.into_iter().map(|said| OutgoingRevision::from_content(said.content)).collect();
        Some(OutgoingMemory { uid: memory.uid.to_string(), now, revisions, before })
    }

    /// Prints it, what it said before below what it says.
    pub(crate) fn print(&self, ui: &Ui) -> Result<(), AppError> {
        self.now.print("", ui)?;
        self.before.iter().try_for_each(|before| before.print("  before: ", ui))
    }
}

impl OutgoingRevision {
    fn from_content(content: Content) -> OutgoingRevision {
        let Content { kind, title, body, facts, concepts, files, .. } = content;
        OutgoingRevision { kind: kind.to_string(), title, body, facts, concepts, files }
    }

    fn print(&self, lead: &str, ui: &Ui) -> Result<(), AppError> {
        ui.line(&format!("  {lead}{:<9} {}", self.kind, one_line(&self.title)))?;
        let below = " ".repeat(2 + lead.len() + 10);
        if self.body.trim() != self.title.trim() {
            clean(&self.body).lines().try_for_each(|line| ui.line(format!("{below}{line}").trim_end()))?;
        }
        let lists = [("fact", &self.facts), ("concept", &self.concepts), ("file", &self.files)];
        for (label, item) in
            lists.iter().flat_map(|(label, items)| items.iter().map(move |item| (label, item)))
        {
            ui.line(&format!("{below}{label}: {}", one_line(item)))?;
        }
        Ok(())
    }
}
