//! The four moments: which sections each has, in which order, and how much of the budget each may use.

use crate::assembly::{Section, SectionBuilder, SectionItem, assemble};
use crate::handoff_now::handoff_now;
use crate::render::{IndexLimits, RenderContext};
use crate::{Block, BlockFrame, Candidate, GatherError, GatherResult, Orientation, ResumePoint, render};
use backstory_memory::{ChangedSymbol, Content, Details, Moment, Timestamp, Tokens};

/// A tenth of a session's budget is kept for the frame and estimation error.
const RESERVE: u32 = 10;
/// No more candidates than this are rendered: the budget holds far fewer.
const MOST_ITEMS: usize = 60;
const MOST_WARNINGS: usize = 3;
/// Older work is found by a search when it matters.
const MOST_WORK: usize = 3;
const MOST_WORK_DAYS: i64 = 3;
/// The newest and surest: a project that is talked about much would fill every block with what was decided first.
const MOST_DECISIONS: usize = 5;
/// A prompt's index has room for at least so many lines: no line may cost more than its share.
const LEAST_LINES: usize = 12;
/// With more lines each is its title alone.
const MOST_FULL_LINES: usize = 16;
/// How much of a memory a line of a short index shows, and of one with many lines: twelve stand in 2,000 characters.
const LONG_TEXT: usize = 220;
const SHORT_TEXT: usize = 120;

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
        let limits = IndexLimits {
            line: Tokens(allowance.tokens / u32::try_from(lines).unwrap_or(1)),
            text_chars: match hits.len() {
                few if few < LEAST_LINES => Some(LONG_TEXT),
                more if more <= MOST_FULL_LINES => Some(SHORT_TEXT),
                // Who asks for all of a kind wants to see what there is.
                _ => None,
            },
        };
        Ok(hits.into_iter().map(|it| render::index_line(it, RenderContext::new(frame), limits)).collect())
    };
    assemble(vec![unnamed_section("relevant", Box::new(build))], allowance)
        .finish(|sections| wrapping.around(sections))
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
    assemble(vec![unnamed_section("warnings", Box::new(build))], allowance)
        .finish(|sections| wrapping.around(sections))
}

/// The only section of its block: many items before long ones.
fn unnamed_section<'a>(name: &'static str, build: SectionBuilder<'a>) -> Section<'a> {
    Section { name, heading: String::new(), weight: 1, in_full: 0, rest: None, build }
}

fn in_force(gathered: &GatherResult<Vec<Candidate>>, now: Timestamp) -> Result<Vec<&Candidate>, GatherError> {
    let all = gathered.as_ref().map_err(Clone::clone)?;
    Ok(all.iter().filter(|it| it.is_in_force(now)).collect())
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

/// How a memory is rendered in a section.
type RenderMemory<'a> = fn(&'a Candidate, RenderContext<'a>) -> SectionItem<'a>;

impl<'a> View<'a> {
    fn build(self, moment: Moment, frame: &BlockFrame) -> Block {
        let wrapping = frame.wrapping(moment);
        let allowance = wrapping.allowance(frame, Tokens(frame.budget.0 / RESERVE));
        assemble(self.sections(), allowance).finish(|sections| wrapping.around(sections))
    }

    /// The sections, the most important first. Of 2,000 tokens rules may use 500; what a section leaves, those after it may use.
    fn sections(self) -> Vec<Section<'a>> {
        let parts = self.orientation;
        let rules = self.section(("rules", "Rules of the user"), 600, self.rules());
        vec![
            Section { rest: Some("`backstory rules` lists them"), ..rules },
            self.section(("pinned", "Pinned"), 200, self.each(&parts.pinned, render::with_kind)),
            Section {
                in_full: usize::MAX,
                ..self.section(("handoff", "Where the work stands"), 400, self.handoff())
            },
            self.section(("traps", "Traps and facts"), 350, self.each(&parts.traps, render::trap)),
            self.section(("decisions", "Decisions"), 300, self.decisions()),
            Section {
                in_full: self.context.work_in_full,
                ..self.section(("work", "Recent work"), 250, self.work())
            },
            Section { in_full: usize::MAX, ..self.section(("code", "Changed code"), 150, self.code()) },
        ]
    }

    /// A section whose items are many before they are long.
    fn section(
        self,
        (name, heading): (&'static str, &str),
        weight: u32,
        build: SectionBuilder<'a>,
    ) -> Section<'a> {
        let heading = match self.style {
            HeadingStyle::Markdown => format!("\n## {heading}\n"),
            HeadingStyle::Plain => format!("{heading}:\n"),
        };
        Section { name, heading, weight, in_full: 0, rest: None, build }
    }

    /// A section with one item a memory.
    fn each(
        self,
        gathered: &'a GatherResult<Vec<Candidate>>,
        render: RenderMemory<'a>,
    ) -> SectionBuilder<'a> {
        Box::new(move || {
            let all = in_force(gathered, self.context.now)?.into_iter().filter(|it| self.is_fresh(it));
            Ok(all.take(MOST_ITEMS).map(|it| render(it, self.context)).collect())
        })
    }

    /// All rules: no count cuts them, only the budget does.
    fn rules(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let all = in_force(&self.orientation.rules, self.context.now)?;
            let fresh = all.into_iter().filter(|it| self.is_fresh(it)).enumerate();
            // The others can only be counted: their share holds far fewer.
            let rendered = fresh.map(|(place, it)| match place {
                ..MOST_ITEMS => render::knowledge(it, self.context),
                _ => render::title_alone(it, self.context),
            });
            Ok(rendered.collect())
        })
    }

    fn decisions(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let all = in_force(&self.orientation.decisions, self.context.now)?.into_iter();
            let fresh = all.filter(|it| self.is_fresh(it)).take(MOST_DECISIONS);
            Ok(fresh.map(|it| render::knowledge(it, self.context)).collect())
        })
    }

    fn handoff(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let tree = self.orientation.work_tree.as_ref();
            // A host gives a new session branch and status, or its agent asks git; a compacted context has neither.
            let is_summary = matches!(self.style, HeadingStyle::Plain);
            let state = tree.filter(|_| is_summary).and_then(|tree| render::work_tree(tree, self.context));
            let handoff = self.orientation.handoff.as_ref().map_err(Clone::clone)?.as_ref();
            let handoff = handoff.filter(|it| it.is_in_force(self.context.now) && self.is_fresh(it));
            let is_open =
                |it: &&Candidate| handoff_now(&it.memory, tree).is_none_or(|now| now.leaves_something_open);
            let handoff = handoff.filter(|it| is_summary || is_open(it));
            let handoff = handoff.map(|it| render::handoff(it, tree, self.context));
            Ok(state.into_iter().chain(handoff).collect())
        })
    }

    /// The newest pieces of work that no commit tells, without the one that the handoff above names as last done. Those that are wanted in
    /// full are given in any case.
    fn work(self) -> SectionBuilder<'a> {
        Box::new(move || {
            let handoff = self.orientation.handoff.as_ref().ok().and_then(Option::as_ref);
            let last_done = handoff.and_then(|it| match &it.memory.content.details {
                Some(Details::Handoff(handoff)) => handoff.last_done.as_deref(),
                _ => None,
            });
            let all = in_force(&self.orientation.work, self.context.now)?.into_iter();
            let mut fresh = all.filter(|it| self.is_fresh(it));
            let in_full: Vec<&Candidate> = fresh.by_ref().take(self.context.work_in_full).collect();
            let new = fresh.filter(|it| {
                let content = &it.memory.content;
                let is_recent =
                    it.memory.created_at.plus_ms(MOST_WORK_DAYS * Timestamp::DAY_MS) > self.context.now;
                is_recent && Some(content.title.as_str()) != last_done && !is_in_history(content)
            });
            let in_full = in_full.into_iter().map(|it| render::with_kind(it, self.context));
            Ok(in_full.chain(new.take(MOST_WORK).map(|it| render::work(it, self.context))).collect())
        })
    }

    /// Whether the agent cannot have it from before it was resumed.
    fn is_fresh(self, it: &Candidate) -> bool {
        self.resumed.is_none_or(|resumed| resumed.is_before(&it.memory))
    }

    /// The files changed last, where no handoff says what was done.
    fn code(self) -> SectionBuilder<'a> {
        Box::new(move || {
            if matches!(&self.orientation.handoff, Ok(Some(it)) if it.is_in_force(self.context.now)) {
                return Ok(Vec::new());
            }
            let all = self.orientation.code_changes.as_ref().map_err(Clone::clone)?;
            let fresh = |changed: &&ChangedSymbol| {
                self.resumed.is_none_or(|resumed| resumed.is_before_change(changed))
            };
            let files = by_file(all.iter().filter(fresh).take(MOST_ITEMS));
            Ok(render::changed_files(&files).into_iter().collect())
        })
    }
}

/// Whether git's history says it: the work was committed.
fn is_in_history(content: &Content) -> bool {
    matches!(&content.details, Some(Details::WorkDone(work)) if !work.commits.is_empty())
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
