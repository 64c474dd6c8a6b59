//! What code can verify of a note: its form, its evidence, its quote and who said that, its names and numbers, and what it claims to be.
//!
//! Strict: what does not hold is turned down with its reason, what only lacks proof is proposed. The user's words are those the user typed;
//! a note that cites them and says something else is not the user's (law 6). Not here: handoff and summary (`account`), what is written
//! (`notebook`).

use super::grounding::{HardWord, Haystack, QuotePlace, hard_words, place_of};
use super::model_answer::AnswerNote;
use super::session_record::{RecordTurn, SessionRecord, Voice};
use crate::finding::distilled;
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::project_files::{FileAnswer, ProjectFiles};
use crate::sentences::sentences;
use backstory_memory::{
    Action, Content, EventId, EvidenceKind, Kind, OwnAddresses, Provenance, RejectionReason, TITLE_CHARS,
    first_chars, requested_action,
};

/// The longest body an answer may give.
const MOST_BODY_CHARS: usize = 400;
/// The longest situation in which a note is needed: what overruns it goes, a word at a time.
const MOST_NEEDED_WHEN_CHARS: usize = 60;
/// More than this share of names that stand nowhere, in hundredths, and the note is of another session.
const MOST_MISSING: usize = 34;
/// A message of the user that is no longer may answer the one before it.
const REPLY_CHARS: usize = 60;
/// A note that is the user's shares so many words with what the user typed.
const FEWEST_SHARED_WORDS: usize = 3;
/// So much of the words of its title are the user's, and of a sentence that asks for something, in hundredths.
const LEAST_OF_TITLE: usize = 25;
const LEAST_OF_ORDER: usize = 50;

/// What notes are checked against.
pub(super) struct CheckContext<'a> {
    pub(super) record: &'a SessionRecord,
    /// Addresses the project may name.
    pub(super) own: &'a OwnAddresses,
    /// What the files say that a host gives to its agent by itself.
    pub(super) project_files: &'a ProjectFiles<'a>,
}

/// A note that passed.
#[derive(Clone, Debug)]
pub(super) struct CheckedNote {
    pub(super) content: Content,
    /// The event with the quote first, then the prompts of the cited turns.
    pub(super) events: Vec<EventId>,
    pub(super) evidence: EvidenceKind,
    /// Why it is only proposed.
    pub(super) demoted: Option<RejectionReason>,
    /// Whether nobody but the agent speaks for it.
    pub(super) is_claim: bool,
}

/// Why a note was turned down, and what the reason speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoteFault {
    pub(super) reason: RejectionReason,
    pub(super) detail: Option<String>,
}

impl From<RejectionReason> for NoteFault {
    fn from(reason: RejectionReason) -> NoteFault {
        NoteFault { reason, detail: None }
    }
}

/// Checks one note.
pub(super) fn check(note: &AnswerNote, context: &CheckContext<'_>) -> Result<CheckedNote, NoteFault> {
    let kind = kind_of(&note.kind).ok_or(RejectionReason::Malformed)?;
    let body = whole_sentences(&note.body);
    let is_formed = !note.title.is_empty()
        // Who cannot say when it helps writes for nobody.
        && !note.needed_when.is_empty()
        && note.title.chars().count() <= TITLE_CHARS
        && !note.title.contains('…')
        && body.chars().count() <= MOST_BODY_CHARS;
    if !is_formed {
        return Err(RejectionReason::Malformed.into());
    }
    let cited = cited_turns(&note.turns, context.record)?;
    let place = place_of(&note.quote, &cited).ok_or(RejectionReason::FalseQuote)?;
    refuse_momentary(note)?;
    let whole = body;
    let body = grounded_body(&note.title, &whole, &near_text(&note.turns, context.record), context)?;
    let typed = Haystack::new(&cited.iter().map(|turn| turn.typed()).collect::<Vec<_>>().join("\n"));
    let body = if place.voice == Voice::User { wanted_body(&body, &typed, context.own) } else { body };
    let text = format!("{}\n{body}", note.title);
    let source = Source::derive((&place, kind), (&note.title, &text), &typed, context.own)?;
    refuse_unaccepted(kind, note, &source)?;
    refuse_proposal(kind, &note.title, &whole, source.voice)?;
    let body = without_orders((&note.title, &body), source.voice, context.own)?;
    let asks = source.voice != Voice::User
        && requested_action(&note.title, context.own)
            .is_some_and(|action| action.is_grave() || source.voice == Voice::Tool);
    if kind == Kind::Failure {
        refuse_unmended(note, &cited, context.record)?;
    }
    refuse_project_file(&note.title, context)?;
    let is_corrected = is_corrected_later(&note.turns, context.record);
    // A host's summary is the agent's word for what the user said.
    let is_claim = matches!(source.voice, Voice::Agent | Voice::Summarised);
    let demoted = match () {
        () if is_claim => Some(RejectionReason::OnlyClaimed),
        () if is_corrected => Some(RejectionReason::Corrected),
        () if asks => Some(RejectionReason::AsksForAction),
        () => None,
    };
    let mut content = distilled(kind, &note.title, &body, source.provenance);
    content.files.clone_from(&note.files);
    content.files.retain(|file| context.record.turns.iter().any(|turn| turn.text().contains(file.as_str())));
    content.concepts.push(whole_words(&note.needed_when, MOST_NEEDED_WHEN_CHARS));
    let evidence = match (demoted, source.voice) {
        (Some(_), Voice::User) => EvidenceKind::Hint,
        (Some(_), _) | (None, Voice::Agent | Voice::Summarised | Voice::Pasted | Voice::User) => {
            EvidenceKind::Words
        }
        (None, Voice::Tool | Voice::Accepted | Voice::Commit) => EvidenceKind::Structure,
    };
    let prompts = cited.iter().filter_map(|turn| turn.user.first().and_then(|line| line.event));
    let mut events: Vec<EventId> = place.line.event.into_iter().collect();
    events.extend(prompts.filter(|event| Some(*event) != place.line.event));
    Ok(CheckedNote { content, events, evidence, demoted, is_claim })
}

/// The kind a word of the contract stands for.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    Some(match word {
        "constraint" | "rule" | "preference" | "correction" => Kind::Rule,
        "decision" => Kind::Decision,
        "failure" => Kind::Failure,
        "fact" => Kind::Fact,
        _ => return None,
    })
}

/// A body within its length: what overruns it goes, a sentence at a time.
fn whole_sentences(body: &str) -> String {
    let mut kept = String::new();
    for sentence in body.lines().flat_map(sentences) {
        let is_first = kept.is_empty();
        if !is_first && kept.chars().count() + sentence.chars().count() + 1 > MOST_BODY_CHARS {
            break;
        }
        if !is_first {
            kept.push(' ');
        }
        kept.push_str(sentence);
    }
    kept
}

/// As many words from the beginning of a text as fit; of one word that does not, its beginning.
fn whole_words(text: &str, most: usize) -> String {
    let head = first_chars(text, most);
    let is_whole = text.get(head.len()..).is_none_or(|rest| rest.is_empty() || rest.starts_with(' '));
    let end = if is_whole { None } else { head.rfind(' ') };
    head.get(..end.unwrap_or(head.len())).unwrap_or(head).trim_end_matches([' ', ',', ';']).to_owned()
}

/// The cited turns. A turn that does not exist was invented, and so may be the rest.
pub(super) fn cited_turns<'a>(
    turns: &[usize],
    record: &'a SessionRecord,
) -> Result<Vec<&'a RecordTurn>, NoteFault> {
    let cited: Option<Vec<&RecordTurn>> =
        turns.iter().map(|turn| record.turns.get(turn.checked_sub(1)?)).collect();
    cited.filter(|cited| !cited.is_empty()).ok_or_else(|| RejectionReason::NoEvidence.into())
}

/// What the cited turns say, and the message that a short reply in them answers.
fn near_text(turns: &[usize], record: &SessionRecord) -> String {
    let mut texts = Vec::new();
    for at in turns.iter().filter_map(|turn| turn.checked_sub(1)) {
        let Some(turn) = record.turns.get(at) else { continue };
        texts.push(turn.text());
        let before = at.checked_sub(1).and_then(|before| record.turns.get(before));
        let is_reply = turn.user.first().is_some_and(|line| line.text.chars().count() <= REPLY_CHARS);
        texts.extend(
            before.filter(|_| is_reply).and_then(|before| Some(before.closing.as_ref()?.text.clone())),
        );
    }
    texts.join("\n")
}

/// Who says a note.
struct Source {
    voice: Voice,
    provenance: Provenance,
    /// Whether the passage of the quote asks something.
    is_question: bool,
    /// Whether the user said something of the kind, though it takes a person to see that it is this.
    is_hinted: bool,
}

impl Source {
    fn derive(
        (place, kind): (&QuotePlace<'_>, Kind),
        (title, text): (&str, &str),
        typed: &Haystack,
        own: &OwnAddresses,
    ) -> Result<Source, NoteFault> {
        let orders_nothing_else = place.voice == Voice::User && is_wanted(text, typed, own);
        let is_users = orders_nothing_else && is_said(text, typed) && rests_on(title, typed, LEAST_OF_TITLE);
        let is_hinted = orders_nothing_else && Haystack::new(&place.passage.text).shared_words(text) > 0;
        let action = requested_action(text, own);
        if !is_users && matches!(action, Some(Action::Override | Action::Address)) {
            return Err(RejectionReason::AsksForAction.into());
        }
        // "Yes" and "2" decide for what the agent said; longer words of the user that say something else prove nothing.
        let is_reply = kind == Kind::Decision && place.passage.text.chars().count() <= REPLY_CHARS;
        let voice = match place.voice {
            Voice::User if is_users => Voice::User,
            Voice::User if is_reply => Voice::Accepted,
            Voice::User => Voice::Agent,
            voice => voice,
        };
        let provenance = match voice {
            Voice::User => Provenance::User,
            Voice::Tool | Voice::Pasted => Provenance::Tool,
            Voice::Agent | Voice::Summarised | Voice::Accepted | Voice::Commit => Provenance::Assistant,
        };
        // A transcript that a repository carries, or a page, is believed no more for being quoted.
        let from = place.line.provenance.clone().filter(|from| *from < Provenance::Tool);
        let provenance = from.map_or(provenance.clone(), |from| from.min(provenance));
        let is_question = place.passage.text.trim_end().ends_with('?');
        Ok(Source { voice, provenance, is_question, is_hinted })
    }
}

/// Whether a note says what the user said: their words, or their names.
fn is_said(text: &str, typed: &Haystack) -> bool {
    hard_words(text).iter().any(|name| typed.holds(&name.text))
        || typed.shared_words(text) >= FEWEST_SHARED_WORDS
        || typed.is_of_other_script()
}

/// Whether a share of what a text says, in hundredths, are words of the user, or a name in it is. A true body makes a title no truer.
fn rests_on(text: &str, typed: &Haystack, least: usize) -> bool {
    let all = Haystack::new(text).shared_words(text);
    typed.shared_words(text) * 100 >= all * least
        || typed.is_of_other_script()
        || least == LEAST_OF_TITLE && hard_words(text).iter().any(|name| typed.holds(&name.text))
}

/// Whether the user asked for whatever a note asks for.
fn is_wanted(text: &str, typed: &Haystack, own: &OwnAddresses) -> bool {
    text.lines().flat_map(sentences).all(|sentence| {
        let action = requested_action(sentence, own).filter(|action| action.is_grave());
        let holds_names =
            || hard_words(sentence).iter().all(|name| !name.is_strong || typed.holds(&name.text));
        match action {
            None => true,
            Some(Action::Override) => typed.shared_words(sentence) >= FEWEST_SHARED_WORDS && holds_names(),
            Some(_) => holds_names(),
        }
    })
}

/// Returns a body without the sentences that ask for what the user did not: the rest may still be what they said.
fn wanted_body(body: &str, typed: &Haystack, own: &OwnAddresses) -> String {
    let is_theirs = |sentence: &&str| {
        let asks = requested_action(sentence, own).is_some();
        !asks || is_wanted(sentence, typed, own) && rests_on(sentence, typed, LEAST_OF_ORDER)
    };
    sentences(body).into_iter().filter(is_theirs).collect::<Vec<_>>().join(" ")
}

/// Turns down a title that orders something the user did not say, and returns the body without sentences that do.
///
/// Work that was accepted or committed may be titled by its verb, as commits are. What a tool showed to fail may say what to run
/// instead ("psql fails here; use sudo -u db psql"): that waits for the user.
fn without_orders(
    (title, body): (&str, &str),
    voice: Voice,
    own: &OwnAddresses,
) -> Result<String, NoteFault> {
    if voice == Voice::User {
        return Ok(body.to_owned());
    }
    let is_work = matches!(voice, Voice::Accepted | Voice::Commit);
    let orders = |text: &str| requested_action(text, own).is_some_and(|action| action.is_grave() || !is_work);
    // So may what the user accepted.
    let is_shown = matches!(voice, Voice::Tool | Voice::Accepted | Voice::Commit);
    if orders(title) && !is_shown {
        return Err(RejectionReason::AsksForAction.into());
    }
    Ok(sentences(body).into_iter().filter(|sentence| !orders(sentence)).collect::<Vec<_>>().join(" "))
}

/// What a user has not said is no rule, and what nobody accepted is no decision.
fn refuse_unaccepted(kind: Kind, note: &AnswerNote, source: &Source) -> Result<(), NoteFault> {
    let is_question = source.is_question || note.quote.trim_end().ends_with('?');
    match (kind, source.voice) {
        (Kind::Rule, Voice::User) => Ok(()),
        // It is only proposed: as everything that rests on the model's reading alone.
        (Kind::Rule, Voice::Agent) if source.is_hinted => Ok(()),
        (Kind::Rule, Voice::Summarised) => Ok(()),
        (Kind::Rule, _) => Err(RejectionReason::NotTheUsers.into()),
        (Kind::Decision, Voice::User | Voice::Commit | Voice::Accepted) if !is_question => Ok(()),
        (Kind::Decision, _) => Err(RejectionReason::Proposal.into()),
        _ => Ok(()),
    }
}

/// Facts of the moment are no knowledge.
fn refuse_momentary(note: &AnswerNote) -> Result<(), NoteFault> {
    if is_of_the_moment(&note.title) {
        return Err(RejectionReason::OfTheMoment.into());
    }
    Ok(())
}

/// What the user or a commit carries may speak of what was recommended; else such a word says that nobody decided.
fn refuse_proposal(kind: Kind, title: &str, body: &str, voice: Voice) -> Result<(), NoteFault> {
    match proposes(kind, (title, body), matches!(voice, Voice::User | Voice::Commit)) {
        true => Err(RejectionReason::Proposal.into()),
        false => Ok(()),
    }
}

/// Whether a note says what somebody would like. What the user or a commit said may be so worded and yet be decided.
pub(crate) fn proposes(kind: Kind, (title, body): (&str, &str), is_accepted: bool) -> bool {
    let is_carried = kind == Kind::Decision && is_accepted;
    let proposes = |text: &str| {
        let folded = FoldedSentence::new(text);
        folded.has(PhraseGroup::Proposal) || !is_carried && folded.has(PhraseGroup::Suggestion)
    };
    let first = sentences(body).into_iter().next().unwrap_or_default();
    proposes(title) || kind == Kind::Decision && proposes(first)
}

/// Whether a title says how things stood that day: counts of tests, what is not committed, which pull request is open.
pub(crate) fn is_of_the_moment(title: &str) -> bool {
    let folded = FoldedSentence::new(title);
    let words: Vec<&str> = folded.0.split_whitespace().collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let counts = words.windows(3).any(|window| {
        let &[count, thing, state] = window else { return false };
        let is_counted =
            ["test", "tests", "file", "files", "warning", "warnings", "error", "errors"].contains(&thing);
        let is_state =
            ["pass", "fail", "chang", "remain", "are", "still"].iter().any(|word| state.starts_with(word));
        is_number(&count) && is_counted && is_state
    });
    let pull_request = words.windows(3).any(|window| {
        let &[pr, number, verb] = window else { return false };
        pr == "pr" && is_number(&number) && ["is", "was", "open", "merged"].contains(&verb)
    });
    let done = words.windows(2).any(|window| {
        let &[share, thing] = window else { return false };
        is_number(&share) && ["coverage", "complete"].contains(&thing) && title.contains('%')
    });
    counts || pull_request || done || folded.has(PhraseGroup::Momentary)
}

/// Returns the body without sentences that name what the record does not hold.
///
/// A title with such a name, or a note most of whose names stand nowhere near its evidence, is turned down.
fn grounded_body(
    title: &str,
    body: &str,
    near: &str,
    context: &CheckContext<'_>,
) -> Result<String, NoteFault> {
    let record = context.record;
    let near = Haystack::new(near);
    let known = record.known.iter().map(|known| known.memory.content.title.clone());
    let all = record.turns.iter().map(RecordTurn::text).chain(known).chain(record.branches.iter().cloned());
    let all = Haystack::new(&all.collect::<Vec<_>>().join("\n"));
    let is_foreign = near.is_of_other_script();
    // Of another language only identifiers and numbers are the same in English.
    let names = |text: &str| -> Vec<HardWord> {
        hard_words(text).into_iter().filter(|name| name.is_strong || !is_foreign).collect()
    };
    let is_missing = |name: &HardWord| !near.holds(&name.text) && !all.holds(&name.text);
    let ungrounded =
        |name: &str| Err(NoteFault { reason: RejectionReason::Ungrounded, detail: Some(name.to_owned()) });
    if let Some(name) = names(title).into_iter().find(|name| name.is_strong && is_missing(name)) {
        return ungrounded(&name.text);
    }
    let every = names(&format!("{title}. {body}"));
    let missing: Vec<&HardWord> = every.iter().filter(|name| is_missing(name)).collect();
    let in_near = every.iter().filter(|name| near.holds(&name.text)).count();
    let elsewhere = every.len() - in_near - missing.len();
    let is_far = every.len() >= 2 && 2 * in_near + elsewhere < every.len();
    if missing.len() * 100 > every.len() * MOST_MISSING || is_far {
        let name = missing.first().copied().or_else(|| every.iter().find(|name| !near.holds(&name.text)));
        return ungrounded(name.map_or("", |name| &name.text));
    }
    let holds = |sentence: &&str| !names(sentence).iter().any(|name| name.is_strong && is_missing(name));
    Ok(sentences(body).into_iter().filter(holds).collect::<Vec<_>>().join(" "))
}

/// A failure is one that happened, and that something done later mended.
fn refuse_unmended(
    note: &AnswerNote,
    cited: &[&RecordTurn],
    record: &SessionRecord,
) -> Result<(), NoteFault> {
    let speaks_of_failure = |turn: &&&RecordTurn| {
        turn.failed || Kind::infer(&turn.text(), &Provenance::User) == Kind::Failure || turn.corrects
    };
    let first = note.turns.iter().zip(cited).find(|(_, turn)| speaks_of_failure(turn)).map(|(at, _)| *at);
    let Some(first) = first else { return Err(RejectionReason::NoErrorLine.into()) };
    let is_mended = record.turns.iter().skip(first.saturating_sub(1)).any(|turn| turn.succeeded);
    if is_mended { Ok(()) } else { Err(RejectionReason::OnlyClaimed.into()) }
}

/// Whether the user put something right in the turn after the last cited one.
fn is_corrected_later(turns: &[usize], record: &SessionRecord) -> bool {
    turns.last().and_then(|last| record.turns.get(*last)).is_some_and(|next| next.corrects)
}

/// The agent reads these files anyway.
fn refuse_project_file(title: &str, context: &CheckContext<'_>) -> Result<(), NoteFault> {
    match context.project_files.answer(title) {
        FileAnswer::Says(file) => {
            Err(NoteFault { reason: RejectionReason::InProjectFile, detail: Some(file) })
        }
        FileAnswer::Contradicts(_) | FileAnswer::Silent => Ok(()),
    }
}
