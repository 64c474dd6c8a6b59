//! What would leave this machine, every word of it, and the files of a git folder that were refused: for people to read.

use crate::ui::{Ui, one_line};
use backstory_app::AppError;
use backstory_app::json::{OutgoingMemoryShape, RefusedFilesShape};
use backstory_memory::{ContentRecord, clean};

/// Prints a memory that would be pushed, what it said before below what it says.
pub(crate) fn print_outgoing(memory: &OutgoingMemoryShape, ui: &Ui) -> Result<(), AppError> {
    print_revision(&memory.now, "", ui)?;
    memory.before.iter().try_for_each(|before| print_revision(before, "  before: ", ui))
}

fn print_revision(revision: &ContentRecord, lead: &str, ui: &Ui) -> Result<(), AppError> {
    let [kind, title, body] =
        [&revision.kind, &revision.title, &revision.body].map(|text| text.as_deref().unwrap_or_default());
    ui.line(&format!("  {lead}{kind:<9} {}", one_line(title)))?;
    let below = " ".repeat(2 + lead.len() + 10);
    if body.trim() != title.trim() {
        clean(body).lines().try_for_each(|line| ui.line(format!("{below}{line}").trim_end()))?;
    }
    let lists = [("fact", &revision.facts), ("concept", &revision.concepts), ("file", &revision.files)];
    for (label, items) in lists {
        items.iter().try_for_each(|item| ui.line(&format!("{below}{label}: {}", one_line(item))))?;
    }
    Ok(())
}

/// Prints which files were refused, and why.
pub(crate) fn print_refused(refused: &RefusedFilesShape, ui: &Ui) {
    for refused in &refused.files {
        ui.say(&format!("refused `{}`: {}", one_line(&refused.file), one_line(&refused.error)));
    }
    let unlisted = refused.count.saturating_sub(refused.files.len() as u64);
    if unlisted > 0 {
        ui.say(&format!("… and {unlisted} more"));
    }
}
