//! What the store knows of a session, in the order a writer reads it: the user's words, what was done, the closing messages, the state at
//! the end, and the memories that are known already.
//!
//! Nothing is shortened here: an answer is checked against the whole record, whatever part of it the digest had room for. Not here: how a
//! line of work is worded (`work_lines`), what the digest leaves out (`digest`).

use super::shorten::one_line;
use super::work_lines;
use crate::compaction;
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::remote::remote_state;
use crate::tasks::SessionTasks;
use crate::transcript::{TranscriptEntry, Turn};
use backstory_capture::Redactor;
use backstory_memory::{
    Activity, Details, EventId, HandoffDetails, Kind, Memory, MemoryId, Provenance, Timestamp, on_one_line,
    typed_words,
};

/// Who wrote a passage, the least believed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// The agent.
    Agent,
    /// The user, as the summary of a host quotes them where no event has their words.
    Summarised,
    /// A text the user pasted: whoever wrote it.
    Pasted,
    /// A program.
    Tool,
    /// The agent, in words the user accepted: an approved plan, an option that was picked.
    Accepted,
    /// The agent, in a commit that was made.
    Commit,
    /// The user, in words they typed.
    User,
}

/// A piece of text of one voice.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    pub(super) voice: Voice,
    pub(super) text: String,
}

/// One line of the record: what the digest shows, and who wrote which part of it.
#[derive(Clone, Debug)]
pub(super) struct RecordLine {
    /// What stands before the text: `U`, `U mid-turn`, ` -`, `A`.
    pub(super) label: &'static str,
    pub(super) text: String,
    /// How much a line of work matters, in tenths.
    pub(super) rank: u32,
    pub(super) passages: Vec<Passage>,
    pub(super) event: Option<EventId>,
    /// Where the event came from.
    pub(super) provenance: Option<Provenance>,
}

impl RecordLine {
    pub(super) fn new(label: &'static str, voice: Voice, text: String) -> RecordLine {
        let passages = vec![Passage { voice, text: text.clone() }];
        RecordLine { label, text, rank: 0, passages, event: None, provenance: None }
    }

    pub(super) fn of_rank(self, rank: u32) -> RecordLine {
        RecordLine { rank, ..self }
    }

    pub(super) fn at(self, entry: &TranscriptEntry) -> RecordLine {
        RecordLine { event: Some(entry.id), provenance: Some(entry.provenance.clone()), ..self }
    }

    /// Adds what somebody else wrote of it.
    pub(super) fn with(mut self, voice: Voice, text: &str) -> RecordLine {
        self.passages.push(Passage { voice, text: text.to_owned() });
        self
    }
}

/// One prompt and what follows.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordTurn {
    /// What the user wrote, in order.
    pub(super) user: Vec<RecordLine>,
    /// What was done.
    pub(super) work: Vec<RecordLine>,
    /// The message that closed it.
    pub(super) closing: Option<RecordLine>,
    /// Whether the user put something right in it.
    pub(super) corrects: bool,
    /// Whether something failed in it.
    pub(super) failed: bool,
    /// Whether something was edited or committed, or succeeded, in it.
    pub(super) succeeded: bool,
}

impl RecordTurn {
    pub(super) fn lines(&self) -> impl Iterator<Item = &RecordLine> {
        self.user.iter().chain(&self.work).chain(&self.closing)
    }

    /// Everything in it, as one text.
    pub(super) fn text(&self) -> String {
        let passages = self.lines().flat_map(|line| &line.passages).map(|passage| passage.text.as_str());
        self.lines().map(|line| line.text.as_str()).chain(passages).collect::<Vec<_>>().join("\n")
    }

    /// What the user typed in it.
    pub(super) fn typed(&self) -> String {
        let passages = self.lines().flat_map(|line| &line.passages);
        let typed = passages.filter(|passage| passage.voice == Voice::User);
        typed.map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// How things stand when the record ends.
#[derive(Clone, Debug, Default)]
pub(super) struct EndState {
    pub(super) tasks: SessionTasks,
    /// Pull requests, and whether the last commit was pushed.
    pub(super) remote: Vec<String>,
    /// Tool calls without a result.
    pub(super) running: Vec<String>,
    /// Files edited after the last commit.
    pub(super) edited_since_commit: Vec<String>,
    /// What the rules found at the end: branch, uncommitted files, failing tests.
    pub(super) found: HandoffDetails,
}

/// A memory that is known already, and the name an answer calls it by.
#[derive(Clone, Debug)]
pub(super) struct KnownMemory {
    pub(super) name: String,
    pub(super) memory: Memory,
}

/// The record of a session.
#[derive(Clone, Debug)]
pub(super) struct SessionRecord {
    pub(super) project: String,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    pub(super) branches: Vec<String>,
    pub(super) turns: Vec<RecordTurn>,
    pub(super) end: EndState,
    pub(super) known: Vec<KnownMemory>,
}

/// What the record is made from beside the turns.
pub(super) struct RecordSource<'a> {
    pub(super) project: String,
    /// Memories a writer is to know of, the newest first.
    pub(super) known: Vec<Memory>,
    /// The handoff the rules made of this session.
    pub(super) handoff: Option<Memory>,
    pub(super) redactor: &'a Redactor,
}

impl SessionRecord {
    pub(super) fn read(turns: &[Turn<'_>], source: RecordSource<'_>) -> SessionRecord {
        let moments = || turns.iter().flat_map(|turn| turn.entries).map(|entry| entry.at);
        let found = match source.handoff.and_then(|memory| memory.content.details) {
            Some(Details::Handoff(details)) => details,
            _ => HandoffDetails::default(),
        };
        let running = turns.last().map(Turn::still_running).unwrap_or_default();
        let mut record = SessionRecord {
            project: source.project,
            from: moments().next().unwrap_or_default(),
            to: moments().max().unwrap_or_default(),
            branches: branches(turns, &found),
            turns: turns.iter().map(|turn| read_turn(turns, turn)).collect(),
            end: EndState {
                tasks: SessionTasks::follow(turns),
                remote: remote_state(turns),
                running: running.iter().map(|(_, call)| call.clone()).collect(),
                edited_since_commit: work_lines::edited_since_commit(turns),
                found,
            },
            known: named(source.known),
        };
        if let Some(last) = record.turns.last_mut() {
            last.work.extend(work_lines::still_running(&running));
        }
        record.redact(source.redactor);
        record
    }

    /// Takes out secrets, once more: the rules may know more shapes than when it was captured.
    fn redact(&mut self, redactor: &Redactor) {
        let scrub = |text: &mut String| *text = redactor.scrub(text).into_inner();
        for turn in &mut self.turns {
            for line in turn.user.iter_mut().chain(&mut turn.work).chain(&mut turn.closing) {
                scrub(&mut line.text);
                line.passages.iter_mut().for_each(|passage| scrub(&mut passage.text));
            }
        }
        scrub(&mut self.project);
        let end = &mut self.end;
        let tasks = end.tasks.done.iter_mut().chain(&mut end.tasks.started).chain(&mut end.tasks.open);
        let lists = self.branches.iter_mut().chain(&mut end.remote).chain(&mut end.edited_since_commit);
        let lists = lists.chain(&mut end.running);
        tasks.chain(lists).for_each(scrub);
        self.known.iter_mut().for_each(|known| scrub(&mut known.memory.content.title));
    }

    /// Returns the memory an answer calls by a name; nothing where two have it.
    pub(super) fn known(&self, name: &str) -> Option<MemoryId> {
        let mut found = self.known.iter().filter(|known| known.name == name.trim());
        let only = found.next()?;
        found.next().is_none().then_some(only.memory.id)
    }
}

fn read_turn(turns: &[Turn<'_>], turn: &Turn<'_>) -> RecordTurn {
    let mut user = user_lines(turn);
    let rejected = turn.entries.iter().any(|entry| {
        matches!(
            entry.activity(),
            Activity::Rejected { .. } | Activity::PlanDecided { is_approved: false, .. }
        )
    });
    let closings: Vec<(&TranscriptEntry, &str)> = turn
        .entries
        .iter()
        .filter(|entry| entry.body.subagent.is_none())
        .filter_map(|entry| match entry.activity() {
            Activity::TurnEnded { message } if !message.trim().is_empty() => Some((entry, message.as_str())),
            _ => None,
        })
        .collect();
    let chosen = main_message(&closings);
    let mut work = work_lines::work_lines(turn);
    let others = closings.iter().enumerate().filter(|(at, _)| Some(*at) != chosen);
    work.extend(others.map(|(_, (entry, message))| work_lines::earlier_message(message).at(entry)));
    let corrects = rejected || user.iter().any(|line| corrects(&line.text));
    user.extend(summarised_lines(turns, turn));
    RecordTurn {
        corrects,
        failed: turn.commands().any(|(_, ran)| ran.failed())
            || turn.entries.iter().any(|entry| matches!(entry.activity(), Activity::ToolFailed { .. })),
        succeeded: !turn.edited().is_empty()
            || turn.commands().any(|(_, ran)| ran.succeeded() && !ran.failed()),
        closing: chosen.and_then(|at| closings.get(at)).map(|(entry, message)| {
            RecordLine::new("A", Voice::Agent, super::shorten::plain_message(message)).at(entry)
        }),
        user,
        work,
    }
}

/// Chooses the message that says what the turn came to: the last, unless it is a stub beside a longer one.
fn main_message(closings: &[(&TranscriptEntry, &str)]) -> Option<usize> {
    const STUB_CHARS: usize = 300;
    let length = |at: &usize| closings.get(*at).map_or(0, |(_, message)| message.chars().count());
    let last = closings.len().checked_sub(1)?;
    let longest = (0..closings.len()).max_by_key(|at| (length(at), *at))?;
    let is_stub = length(&last) < STUB_CHARS && length(&longest) > 2 * length(&last);
    Some(if is_stub { longest } else { last })
}

/// The user's words of a turn: the prompt, what was said in mid-turn, what was answered.
fn user_lines(turn: &Turn<'_>) -> Vec<RecordLine> {
    let prompt = turn.first().filter(|_| !turn.prompt().trim().is_empty()).map(|entry| {
        let text = turn.prompt().trim();
        let (label, rest) = if text.starts_with(APPROVED_PLAN) {
            ("U approved plan", Voice::Accepted)
        } else {
            ("U", Voice::Pasted)
        };
        RecordLine::new(label, rest, text.to_owned()).with(Voice::User, &typed_words(text)).at(entry)
    });
    let beside = turn.entries.iter().filter(|entry| entry.body.subagent.is_none()).filter_map(|entry| {
        let line = match entry.activity() {
            Activity::Interjected { text } => {
                RecordLine::new("U mid-turn", Voice::Pasted, text.trim().to_owned())
                    .with(Voice::User, &typed_words(text))
            }
            Activity::Answered { question, options, answer, .. } if !answer.trim().is_empty() => {
                // An option is the agent's words; that it was picked is what counts.
                let voice = if options.contains(answer) { Voice::Accepted } else { Voice::User };
                let text = format!("\"{}\"=\"{}\"", on_one_line(question), on_one_line(answer));
                RecordLine::new("U answered", Voice::Agent, text).with(voice, answer)
            }
            _ => return None,
        };
        Some(line.at(entry))
    });
    prompt.into_iter().chain(beside).collect()
}

/// What the user said before the host compacted, where only its summary still has it.
fn summarised_lines(turns: &[Turn<'_>], turn: &Turn<'_>) -> Vec<RecordLine> {
    const MOST: usize = 12;
    let mut said: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for (entry, quotation) in compaction::unseen_quotations(turns, turn) {
        let text = one_line(&quotation, 400);
        if !said.contains(&text) && lines.len() < MOST {
            lines.push(RecordLine::new("U (from the compaction)", Voice::Summarised, text.clone()).at(entry));
            said.push(text);
        }
    }
    lines
}

/// How Claude Code begins the prompt that carries out a plan the user approved.
const APPROVED_PLAN: &str = "Implement the following plan";

/// Whether the user puts something right: says no, wants it otherwise, or says that it is still so.
fn corrects(text: &str) -> bool {
    let folded = FoldedSentence::new(text);
    let has = |word: &str| folded.0.contains(word);
    folded.begins_with(&["no", "nope", "nein", "нет", "wrong", "stop", "wait"])
        || folded.has(PhraseGroup::Correction)
        || [" instead ", " still ", " revert ", " undo "].into_iter().any(has)
}

fn branches(turns: &[Turn<'_>], found: &HandoffDetails) -> Vec<String> {
    let mut branches: Vec<String> = Vec::new();
    let committed =
        turns.iter().flat_map(|turn| turn.commands().filter_map(|(_, ran)| ran.commit()?.branch.clone()));
    for branch in committed.chain(found.branch.clone()) {
        if !branches.contains(&branch) {
            branches.push(branch);
        }
    }
    branches
}

/// Names known memories by their kind and words, so that an answer taken later, or in another store, never means another one.
fn named(known: Vec<Memory>) -> Vec<KnownMemory> {
    let name = |memory: &Memory| {
        let words = format!("{} {}", memory.content.kind, memory.content.title);
        let hash = blake3::hash(words.as_bytes());
        let number =
            hash.as_bytes().iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        format!("k{}", number % 100_000)
    };
    known.into_iter().map(|memory| KnownMemory { name: name(&memory), memory }).collect()
}

/// The word the digest and the contract use for a kind.
pub(super) fn contract_word(memory: &Memory) -> &'static str {
    let is_unfixed =
        matches!(&memory.content.details, Some(Details::Failure(failure)) if failure.fix.is_none());
    match memory.content.kind {
        Kind::Rule => "constraint",
        Kind::Goal => "open",
        Kind::Failure if is_unfixed => "open",
        kind => kind.as_str(),
    }
}
