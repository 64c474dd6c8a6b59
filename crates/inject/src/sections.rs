//! The four moments: which sections each has, in which order, and how much of the budget each may use.

use crate::assembly::{Section, SectionBuilder, SectionItem, assemble};
use crate::encode::encode;
use crate::render::RenderContext;
use crate::snippet::LINE_CHARS;
use crate::{Block, BlockFrame, Candidate, GatherError, GatherResult, Orientation, ResumePoint, render};
use backstory_memory::{ChangedSymbol, Details, Moment, Timestamp, Tokens};

/// A tenth of a session's budget is kept for the frame, the hint, and estimation error.
const RESERVE: u32 = 10;
/// No more candidates than this are rendered: the budget holds far fewer.
const MOST_ITEMS: usize = 60;
const MOST_WARNINGS: usize = 3;
/// A prompt's index has room for at least so many lines: no line may cost more than its share.
const LEAST_LINES: usize = 12;

/// Builds the block a session starts with; of a resumed session, only what changed.
#[must_use]
pub fn session_start(orientation: &Orientation, resumed: Option<ResumePoint>, frame: &BlockFrame) -> Block {
    let view =
        View { orientation, resumed, context: RenderContext::new(frame), style: HeadingStyle::Markdown };
    view.build(Moment::SessionStart, frame)
}

/// Builds the text for the instructions a host compacts its context by: the same sections, as plain text.
#[must_use]
pub fn compaction(orientation: &Orientation, frame: &BlockFrame) -> Block {
    let view =
        View { orientation, resumed: None, context: RenderContext::new(frame), style: HeadingStyle::Plain };
    view.build(Moment::Compaction, frame)
}

/// Builds the index of what bears on a prompt: one line a memory.
#[must_use]
pub fn prompt(hits: &GatherResult<Vec<Candidate>>, frame: &BlockFrame) -> Block {
    let wrapping = frame.wrapping(Moment::Prompt);
    let allowance = wrapping.allowance(frame, Tokens(0));
    let build = || {
        let hits = render::without_echoes(in_force(hits, frame.now)?);
        let lines = hits.len().clamp(1, LEAST_LINES);
        let most = Tokens(allowance.tokens / u32::try_from(lines).unwrap_or(1));
        Ok(hits.into_iter().map(|it| render::index_line(it, RenderContext::new(frame), most)).collect())
    };
    let section =
        Section { name: "relevant", heading: String::new(), weight: 1, in_full: 0, build: Box::new(build) };
    assemble(vec![section], allowance).finish(|sections| wrapping.around(sections))
}

/// Builds what to know before a tool runs: one to three lines.
#[must_use]
pub fn tool(hits: &GatherResult<Vec<Candidate>>, frame: &BlockFrame) -> Block {
    let wrapping = frame.wrapping(Moment::Tool);
    let allowance = wrapping.allowance(frame, Tokens(0));
    let build = || {
        let hits = in_force(hits, frame.now)?.into_iter().take(MOST_WARNINGS);
        Ok(hits.map(|it| render::warning(it, RenderContext::new(frame))).collect())
    };
    // A failure with its fix is worth more than the titles of three.
    let in_full = MOST_WARNINGS;
    let section =
        Section { name: "warnings", heading: String::new(), weight: 1, in_full, build: Box::new(build) };
    assemble(vec![section], allowance).finish(|sections| wrapping.around(sections))
}

fn in_force(gathered: &GatherResult<Vec<Candidate>>, now: Timestamp) -> Result<Vec<&Candidate>, GatherError> {
    let all = gathered.as_ref().map_err(Clone::clone)?;
    Ok(all.iter().filter(|it| it.is_in_force(now)).take(MOST_ITEMS).collect())
}

/// How the heading of a section is written.
#[derive(Clone, Copy)]
enum HeadingStyle {
    Markdown,
    Plain,
}

/// What was gathered, as one session is to see it.
#[derive(Clone, Copy)]
struct View<'a> {
    orientation: &'a Orientation,
    resumed: Option<ResumePoint>,
    context: RenderContext<'a>,
    style: HeadingStyle,
}

impl<'a> View<'a> {
    fn build(self, moment: Moment, frame: &BlockFrame) -> Block {
        let wrapping = frame.wrapping(moment);
        let allowance = wrapping.allowance(frame, Tokens(frame.budget.0 / RESERVE));
        assemble(self.sections(), allowance).finish(|sections| wrapping.around(sections))
    }

    /// The sections, the most important first. Without the first three, sessions, code, knowledge and work have 400, 500, 300 and
    /// 600 of 2,000 tokens; the first three take from them in proportion.
    fn sections(self) -> Vec<Section<'a>> {
        let parts = self.orientation;
        let all = usize::MAX;
        vec![
            self.section(("pinned", "Pinned"), 250, 0, self.each(&parts.pinned, render::knowledge)),
            self.section(("handoff", "Where the work stands"), 400, all, self.handoff()),
            self.section(("last_summary", "Last session"), 300, all, self.last_summary()),
            self.section(
                ("sessions", "Recent sessions"),
                400,
                all,
                self.each(&parts.sessions, render::session),
            ),
            self.section(("code", "Recently changed code"), 500, all, self.code()),
            self.section(
                ("knowledge", "Project knowledge"),
                300,
                3,
                self.each(&parts.knowledge, render::knowledge),
            ),
            self.section(("work", "Recent work"), 600, 3, self.each(&parts.work, render::knowledge)),
        ]
    }

    fn section(
        self,
        (name, heading): (&'static str, &str),
        weight: u32,
        in_full: usize,
        build: SectionBuilder<'a>,
    ) -> Section<'a> {
        let heading = match self.style {
            HeadingStyle::Markdown => format!("\n## {heading}\n"),
            HeadingStyle::Plain => format!("{heading}:\n"),
        };
        Section { name, heading, weight, in_full, build }
    }

    /// A section with one item a memory.
    fn each(
        self,
        gathered: &'a GatherResult<Vec<Candidate>>,
        render: fn(&'a Candidate, RenderContext<'a>) -> SectionItem<'a>,
    ) -> SectionBuilder<'a> {
        Box::new(move || {
            let all = in_force(gathered, self.context.now)?.into_iter().filter(|it| self.is_fresh(it));
            Ok(all.map(|it| render(it, self.context)).collect())
        })
    }

    fn handoff(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let state = render::work_tree(&self.orientation.work_tree, self.context);
            let said = state.iter().cloned().chain(self.done_last()).collect::<Vec<_>>();
            let handoff = self
                .one(&self.orientation.handoff)?
                .map(|it| render::session_report(it, &said, self.context));
            let state = (!state.is_empty()).then(|| render::work_tree_item(&state));
            Ok(state.into_iter().chain(handoff).collect())
        })
    }

    fn last_summary(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let said = match &self.orientation.handoff {
                Ok(Some(handoff)) => render::report_lines(&handoff.memory).collect(),
                _ => Vec::new(),
            };
            let summary = self.one(&self.orientation.last_summary)?;
            Ok(summary.map(|it| render::session_report(it, &said, self.context)).into_iter().collect())
        })
    }

    /// The line of the handoff about what was done last, if the summary below says it too.
    fn done_last(self) -> Option<String> {
        let summary = self.one(&self.orientation.last_summary).ok()??;
        let completed = summary.memory.content.details.as_ref().and_then(Details::completed)?;
        Some(encode(&format!("Last done: {completed}"), LINE_CHARS))
    }

    fn one(
        self,
        gathered: &'a GatherResult<Option<Candidate>>,
    ) -> Result<Option<&'a Candidate>, GatherError> {
        let one = gathered.as_ref().map_err(Clone::clone)?.as_ref();
        Ok(one.filter(|it| it.is_in_force(self.context.now) && self.is_fresh(it)))
    }

    /// Whether the agent cannot have it from before it was resumed.
    fn is_fresh(self, it: &Candidate) -> bool {
        self.resumed.is_none_or(|resumed| resumed.is_before(&it.memory))
    }

    fn code(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let all = self.orientation.code_changes.as_ref().map_err(Clone::clone)?;
            let fresh = |changed: &&ChangedSymbol| {
                self.resumed.is_none_or(|resumed| resumed.is_before_change(changed))
            };
            Ok(by_file(all.iter().filter(fresh).take(MOST_ITEMS))
                .iter()
                .filter_map(|(path, changes)| render::file(path, changes))
                .collect())
        })
    }
}

/// Groups changes by file, in the order they come; of one symbol the newest counts.
fn by_file<'a>(all: impl Iterator<Item = &'a ChangedSymbol>) -> Vec<(&'a str, Vec<&'a ChangedSymbol>)> {
    let mut files: Vec<(&str, Vec<&ChangedSymbol>)> = Vec::new();
    for changed in all {
        match files.iter_mut().find(|(path, _)| *path == changed.path) {
            Some((_, known)) if known.iter().any(|it| it.qualified_name == changed.qualified_name) => {}
            Some((_, known)) => known.push(changed),
            None => files.push((&changed.path, vec![changed])),
        }
    }
    files
}
