//! Sheets for a judge: memories drawn by lot, every handoff, every block of a session start, a prompt and a tool. One JSON line an item to
//! fill in, and Markdown to read.

use super::figures::put;
use super::project_run::{ProjectRun, RunInjection, RunMemory};
use crate::{TaskResult, say};
use backstory_memory::{digest, estimate};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// One item to judge. What is `None` is for the judge to fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SheetItem {
    pub(crate) item: String,
    pub(crate) sheet: String,
    pub(crate) project: String,
    pub(crate) session: String,
    pub(crate) kind: String,
    /// Whether it may be injected: the judge need not look at it.
    pub(crate) standing: String,
    pub(crate) title: String,
    pub(crate) body: String,
    /// useful, neutral, junk or wrong.
    pub(crate) content: Option<String>,
    /// good, ok or bad.
    pub(crate) title_quality: Option<String>,
    /// Of a block: each line, to be judged like a content, or as unreadable; of a prompt or a tool, by whether it helped.
    pub(crate) lines: Vec<SheetLine>,
    /// Of a block: yes or no.
    pub(crate) worth_its_tokens: Option<String>,
}

/// One line of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SheetLine {
    pub(crate) text: String,
    pub(crate) content: Option<String>,
    /// What the line costs.
    pub(crate) tokens: u32,
}

/// Memories drawn, handoffs apart.
const SAMPLE: usize = 160;
const SEED: &[u8] = b"1";

const RUBRIC: &str = "# Sheets for a judge

Read the session first (its view), then the item; judge by the end of the session. Fill `sheets.jsonl` in: one line an item.

- `content`: **useful**: a developer on this project would be glad to read this weeks later; true at the end of the session;
  self-contained. **neutral**: true, dull or derivable. **junk**: torn, chatter, of the moment, not self-contained. **wrong**: false,
  refuted, only proposed, or attributed to somebody who did not say it.
- `title_quality`: **good**: a colleague would write it; **ok**: understandable; **bad**: cut, agent-speak, debris, the prompt itself,
  says nothing.
- Blocks of a session start: `content` of every line, also **unreadable**; `worth_its_tokens`: yes or no.
- Blocks of a prompt or a tool (the title is the prompt of that turn): `content` of every line: **helped**: whoever works at this prompt
  or tool call does better for it; **on topic**: about the same thing, and changes nothing; **noise**: about something else.
";

/// The blocks that are judged, and the hook of each.
const BLOCKS: [(&str, &str); 3] =
    [("start", "SessionStart"), ("prompt", "UserPromptSubmit"), ("tool", "PreToolUse")];

/// Writes the sheets of all projects into a folder.
pub(crate) fn write(runs: &[ProjectRun], folder: &Path) -> TaskResult {
    write_items(items_of(runs), folder)
}

/// Returns what is to be judged of a run.
pub(crate) fn items_of(runs: &[ProjectRun]) -> Vec<SheetItem> {
    let mut items = draw(runs);
    for run in runs {
        let handoffs = run.sessions.iter().filter_map(|it| it.handoff.as_ref());
        items.extend(handoffs.map(|it| memory_item("handoff", &run.project, it)));
        for (sheet, event) in BLOCKS {
            let blocks = run.injections.iter().filter(|it| it.event == event);
            items.extend(blocks.map(|it| block_item(sheet, run, it)));
        }
    }
    items
}

/// Numbers items, and writes them with the rubric into a folder.
pub(crate) fn write_items(mut items: Vec<SheetItem>, folder: &Path) -> TaskResult {
    let mut lines = String::new();
    let mut readable = RUBRIC.to_owned();
    for (at, item) in items.iter_mut().enumerate() {
        item.item = number(at);
        lines.push_str(&(serde_json::to_string(item)? + "\n"));
        put(
            &mut readable,
            format_args!("\n## {} {} {} {}\n\n", item.item, item.project, item.session, item.kind),
        );
        put(
            &mut readable,
            format_args!("{}\n\n```text\n{}\n```\n", item.title, item.body.replace("```", "'''")),
        );
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("sheets.jsonl"), lines)?;
    fs::write(folder.join("sheets.md"), readable)?;
    say(&format!("{} items for a judge: {}", items.len(), folder.display()));
    Ok(())
}

/// Returns the name of an item by its place.
pub(crate) fn number(at: usize) -> String {
    format!("{:03}", at + 1)
}

/// Draws memories over all projects: always the same of the same memories.
fn draw(runs: &[ProjectRun]) -> Vec<SheetItem> {
    let all = runs.iter().flat_map(|run| run.memories.iter().map(move |memory| (run, memory)));
    let mut drawn: Vec<_> = all.filter(|(_, memory)| memory.kind != "handoff" && memory.is_live()).collect();
    drawn.sort_by_cached_key(|(run, memory)| lot(&run.project, memory));
    drawn.into_iter().take(SAMPLE).map(|(run, memory)| memory_item("memory", &run.project, memory)).collect()
}

fn lot(project: &str, memory: &RunMemory) -> String {
    let fields =
        [project.as_bytes(), memory.kind.as_bytes(), memory.title.as_bytes(), memory.body.as_bytes(), SEED];
    digest(fields).to_string()
}

fn block_item(sheet: &str, run: &ProjectRun, block: &RunInjection) -> SheetItem {
    let session = run.sessions.iter().find(|it| it.session == block.session);
    let prompt = session.and_then(|it| it.prompts.get(block.turn.checked_sub(1)?));
    let line = |text: String| SheetLine { tokens: estimate(&text).0, text, content: None };
    SheetItem {
        sheet: sheet.to_owned(),
        project: run.project.clone(),
        session: block.session.clone(),
        title: prompt.filter(|_| sheet != "start").cloned().unwrap_or_default(),
        body: block.text.clone(),
        lines: block.lines().into_iter().map(line).collect(),
        ..SheetItem::default()
    }
}

fn memory_item(sheet: &str, project: &str, memory: &RunMemory) -> SheetItem {
    SheetItem {
        sheet: sheet.to_owned(),
        project: project.to_owned(),
        session: memory.session.clone().unwrap_or_default(),
        kind: memory.kind.clone(),
        standing: memory.standing.clone(),
        title: memory.title.clone(),
        body: memory.body.clone(),
        ..SheetItem::default()
    }
}
