//! Shows what would change in hosts' files, and what could not be changed.

use crate::ui::{Tone, Ui};
use backstory_app::AppError;
use backstory_app::connection::{ConnectionPlan, verb};
use backstory_app::diff::{Fate, diff};
use backstory_hosts::FileChange;

/// How much of a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanDetail {
    /// The files.
    Files,
    /// The files, and each line that changes.
    Diffs,
}

/// Shows which files would change.
pub(crate) fn show_plan(plan_of_all: &ConnectionPlan, detail: PlanDetail, ui: &Ui) -> Result<(), AppError> {
    for plan in plan_of_all.plans.iter().filter(|plan| !plan.changes.is_empty()) {
        ui.line(&ui.tone(Tone::Strong, plan.host.title()))?;
        for change in &plan.changes {
            ui.line(&format!("  {:<7} {}  ({})", verb(change), path_of(change, ui), change.what))?;
            if detail == PlanDetail::Diffs {
                show_diff(change, ui)?;
            }
        }
    }
    Ok(())
}

/// Says which hosts were left as they are, and why.
pub(crate) fn say_refused(plan_of_all: &ConnectionPlan, ui: &Ui) {
    for (host, plugin) in &plan_of_all.plugged {
        ui.say(&format!(
            "note: {} is connected by its plugin `{plugin}`; its settings stay as they are",
            host.title()
        ));
    }
    for (_, failure) in &plan_of_all.refused {
        ui.fail(failure);
    }
}

fn path_of(change: &FileChange, ui: &Ui) -> String {
    let path = ui.tone(Tone::Path, &change.path.display().to_string());
    if change.target() == change.path { path } else { format!("{path} -> {}", change.target().display()) }
}

fn show_diff(change: &FileChange, ui: &Ui) -> Result<(), AppError> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    show_change(&text(change.before()), &text(change.after.as_deref()), ui)
}

/// Shows what a change does to a text, line by line.
pub(crate) fn show_change(before: &str, after: &str, ui: &Ui) -> Result<(), AppError> {
    for line in diff(before, after) {
        let line = match line {
            None => ui.tone(Tone::Faint, "      ..."),
            Some((Fate::Stays, line)) => format!("      {}", backstory_memory::clean(&line)),
            Some((Fate::Goes, line)) => format!("    - {}", backstory_memory::clean(&line)),
            Some((Fate::Comes, line)) => {
                ui.tone(Tone::Good, &format!("    + {}", backstory_memory::clean(&line)))
            }
        };
        ui.line(line.trim_end())?;
    }
    Ok(())
}
