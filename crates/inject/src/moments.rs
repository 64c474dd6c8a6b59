//! The four moments: which layers each has, in which order, and how much of the budget each may use.

use crate::assemble::{Build, Item, Layer, assemble};
use crate::{
    Block, Compaction, Frame, Known, Orientation, Prompt, Relevant, SessionStart, Source, Tool, layers,
};
use backstory_memory::{ChangedSymbol, Moment, Provenance, Timestamp, Tokens};

/// Of a session's budget a tenth is kept for the frame, the hint, and what an estimate misses.
const RESERVE: u32 = 10;
/// However many are known, no more are looked at: the budget holds far fewer.
const MOST_ITEMS: usize = 60;
const MOST_WARNINGS: usize = 3;
/// An index holds at least so many where so many are relevant: no line may take more than its part.
const LEAST_LINES: usize = 12;

/// Builds the block a session begins with; on resume, only of what changed.
#[must_use]
pub fn session_start(given: &SessionStart, frame: &Frame) -> Block {
    let wrapping = frame.wrapping(Moment::SessionStart);
    let room = wrapping.room(frame, Tokens(frame.budget.0 / RESERVE));
    let view = View { known: &given.known, source: given.source, now: frame.now, style: Style::Headings };
    assemble(view.layers(), room).finish(|layers| wrapping.around(layers))
}

/// Builds the text that goes into the instructions a host compacts its context by: the same layers, as plain text.
#[must_use]
pub fn compaction(given: &Compaction, frame: &Frame) -> Block {
    let wrapping = frame.wrapping(Moment::Compaction);
    let room = wrapping.room(frame, Tokens(frame.budget.0 / RESERVE));
    let view = View { known: &given.known, source: Source::Compact, now: frame.now, style: Style::Plain };
    assemble(view.layers(), room).finish(|layers| wrapping.around(layers))
}

/// Builds the index of what bears on a prompt: one line a memory.
#[must_use]
pub fn prompt(given: &Prompt, frame: &Frame) -> Block {
    let wrapping = frame.wrapping(Moment::Prompt);
    let room = wrapping.room(frame, Tokens(0));
    let build = || {
        let hits = layers::without_echoes(in_force(&given.hits, frame.now)?);
        let lines = hits.len().clamp(1, LEAST_LINES);
        let most = Tokens(room.tokens / u32::try_from(lines).unwrap_or(1));
        Ok(hits.into_iter().map(|it| layers::index_line(it, frame.now, most)).collect())
    };
    let layer =
        Layer { name: "relevant", heading: String::new(), weight: 1, in_full: 0, build: Box::new(build) };
    assemble(vec![layer], room).finish(|layers| wrapping.around(layers))
}

/// Builds what to know before a tool runs: one to three lines.
#[must_use]
pub fn tool(given: &Tool, frame: &Frame) -> Block {
    let wrapping = frame.wrapping(Moment::Tool);
    let room = wrapping.room(frame, Tokens(0));
    let build = || {
        // What came from outside could only be pointed at, and that warns of nothing.
        let own = |it: &&Relevant| it.memory.content.provenance != Provenance::External;
        let hits = in_force(&given.hits, frame.now)?.into_iter().filter(own).take(MOST_WARNINGS);
        Ok(hits.map(|it| layers::warning(it, frame.now)).collect())
    };
    // A failure with its fix is worth more than the titles of three.
    let in_full = MOST_WARNINGS;
    let layer =
        Layer { name: "warnings", heading: String::new(), weight: 1, in_full, build: Box::new(build) };
    assemble(vec![layer], room).finish(|layers| wrapping.around(layers))
}

fn in_force(known: &Known<Vec<Relevant>>, now: Timestamp) -> Result<Vec<&Relevant>, String> {
    let all = known.as_ref().map_err(Clone::clone)?;
    Ok(all.iter().filter(|it| it.is_in_force(now)).take(MOST_ITEMS).collect())
}

/// How the line above a layer is written.
#[derive(Clone, Copy)]
enum Style {
    Headings,
    Plain,
}

/// What is known, as one session is to see it.
#[derive(Clone, Copy)]
struct View<'a> {
    known: &'a Orientation,
    source: Source,
    now: Timestamp,
    style: Style,
}

impl<'a> View<'a> {
    /// The layers, the most important first. Where nothing stands above them, sessions, code, knowledge and work have 400, 500,
    /// 300 and 600 of 2,000 tokens; what does stand above takes from them in proportion.
    fn layers(self) -> Vec<Layer<'a>> {
        let known = self.known;
        let all = usize::MAX;
        vec![
            self.layer(("pinned", "Pinned"), 250, 0, self.each(&known.pinned, layers::knowledge)),
            self.layer(("handoff", "Where the work stands"), 400, all, self.handoff()),
            self.layer(("last_summary", "Last session"), 300, all, self.last_summary()),
            self.layer(
                ("sessions", "Recent sessions"),
                400,
                all,
                self.each(&known.sessions, layers::session),
            ),
            self.layer(("code", "Recently changed code"), 500, all, self.code()),
            self.layer(
                ("knowledge", "Project knowledge"),
                300,
                3,
                self.each(&known.knowledge, layers::knowledge),
            ),
            self.layer(("work", "Recent work"), 600, 3, self.each(&known.work, layers::knowledge)),
        ]
    }

    fn layer(
        self,
        (name, heading): (&'static str, &str),
        weight: u32,
        in_full: usize,
        build: Build<'a>,
    ) -> Layer<'a> {
        let heading = match self.style {
            Style::Headings => format!("\n## {heading}\n"),
            Style::Plain => format!("{heading}:\n"),
        };
        Layer { name, heading, weight, in_full, build }
    }

    /// A layer that tells memories, each for itself.
    fn each(self, known: &'a Known<Vec<Relevant>>, tell: fn(&Relevant, Timestamp) -> Item) -> Build<'a> {
        Box::new(move || {
            let all = in_force(known, self.now)?.into_iter().filter(|it| self.source.is_news(&it.memory));
            Ok(all.map(|it| tell(it, self.now)).collect())
        })
    }

    fn handoff(self) -> Build<'a> {
        Box::new(move || {
            let standing = layers::standing(&self.known.standing);
            let said = standing.iter().cloned().chain(self.done_last()).collect::<Vec<_>>();
            let handoff = self.one(&self.known.handoff)?.map(|it| layers::account(it, &said, self.now));
            let standing = (!standing.is_empty()).then(|| layers::standing_item(&standing));
            Ok(standing.into_iter().chain(handoff).collect())
        })
    }

    fn last_summary(self) -> Build<'a> {
        Box::new(move || {
            let said = match &self.known.handoff {
                Ok(Some(handoff)) => layers::account_lines(&handoff.memory),
                _ => Vec::new(),
            };
            let summary = self.one(&self.known.last_summary)?;
            Ok(summary.map(|it| layers::account(it, &said, self.now)).into_iter().collect())
        })
    }

    /// What the handoff would say was done last, where the summary below says it among the rest.
    fn done_last(self) -> Option<String> {
        let summary = self.one(&self.known.last_summary).ok()??;
        let lines = layers::account_lines(&summary.memory);
        let completed = lines.iter().find_map(|line| line.strip_prefix("Completed: "))?;
        Some(format!("Last done: {completed}"))
    }

    fn one(self, known: &'a Known<Option<Relevant>>) -> Result<Option<&'a Relevant>, String> {
        let one = known.as_ref().map_err(Clone::clone)?.as_ref();
        Ok(one.filter(|it| it.is_in_force(self.now) && self.source.is_news(&it.memory)))
    }

    fn code(self) -> Build<'a> {
        Box::new(move || {
            let all = self.known.code_changes.as_ref().map_err(Clone::clone)?;
            let news = all.iter().filter(|changed| self.source.is_news_of_code(changed)).take(MOST_ITEMS);
            Ok(by_file(news).iter().map(|(path, changes)| layers::file(path, changes)).collect())
        })
    }
}

/// Groups changes by their file, both in the order they come in; of one symbol the newest counts.
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
