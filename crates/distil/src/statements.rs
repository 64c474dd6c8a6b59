//! What was stated: from one prompt or closing message to the decisions, rules, learnings, failures and goals in it.
//!
//! Rules, no model: passages → sentences (`prose`) → silence → cues → title, one file each. Precision first: a
//! sentence that is not clearly a statement yields nothing. What a user simply asserts (`assertion`) counts where nothing is requested.
//! Not here: work done and commands that failed (distilled from events), provenance, and whether a statement is already
//! known (`keep`).

mod assertion;
mod classifier;
mod corrections;
mod ephemeral;
mod reject;
mod title;

use crate::prose::{Passage, Patterns, Token, fold, passages, sentences};
use backstory_memory::{Category, Kind, TITLE_CHARS, first_chars};
pub use corrections::Correction;

/// The most statements one text yields. A text with more is a document someone pasted; its first ones stand for it.
const MOST_STATEMENTS: usize = 12;

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person at the keyboard: what they state counts by itself.
    User,
    /// The agent: its choices count when it gives a reason or calls them a decision.
    Assistant,
}

/// Whether a statement says to do something, or not to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// What is, or is to be done.
    Affirmed,
    /// What is not, or is not to be done.
    Denied,
}

/// One thing a speaker stated that is worth remembering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: Kind,
    /// What sort of its kind: convention, preference, gotcha, architecture, root cause, fact.
    pub category: Option<Category>,
    /// One plain line, at most [`TITLE_CHARS`] characters.
    pub title: String,
    /// The sentence or sentences it stands on, as they were written.
    pub text: String,
    /// Why, where it was said.
    pub reason: Option<String>,
    /// Whether it forbids or denies.
    pub polarity: Polarity,
    /// What it puts in the place of what, where it does.
    pub correction: Option<Correction>,
}

/// Returns what `speaker` states in `text`, in order, without repetitions.
#[must_use]
pub fn statements(text: &str, speaker: Speaker) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let passages = passages(text);
    let own = passages.iter().take_while(|passage| !reject::opens_quotation(passage, speaker));
    let context = SentenceContext {
        speaker,
        only_asserts: speaker == Speaker::User && only_asserts(&passages),
        follows_opinion: false,
    };
    for passage in own.filter(|passage| !reject::is_silent_passage(passage)) {
        for statement in in_passage(passage.text, context) {
            if found.iter().all(|known| known.text != statement.text) {
                found.push(statement);
            }
        }
        if found.len() >= MOST_STATEMENTS {
            break;
        }
    }
    found.truncate(MOST_STATEMENTS);
    found
}

/// Whether a text asks for nothing: what stands beside an order or a question is about the task at hand.
fn only_asserts(passages: &[Passage<'_>]) -> bool {
    let asks = |sentence: &str| {
        let tokens = fold(sentence);
        tokens.iter().any(|token| token.word == "?")
            || reject::opens_as_order(reject::without_fillers(&tokens))
    };
    !passages.iter().flat_map(|passage| sentences(passage.text)).any(asks)
}

fn in_passage(passage: &str, mut context: SentenceContext) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    // Where the sentence of the last statement began, so that a reason that follows can be joined to it.
    let mut open: Option<usize> = None;
    // Where a "No." stands that belongs to the sentence after it.
    let mut no_at: Option<usize> = None;
    for sentence in sentences(passage) {
        let end = offset(passage, sentence) + sentence.len();
        let at = no_at.take().unwrap_or(end - sentence.len());
        let sentence = passage.get(at..end).unwrap_or(sentence);
        let sentence = reject::beside_order(sentence, context.speaker).unwrap_or(sentence);
        if sentence.len() > reject::MOST_BYTES {
            open = None;
            continue;
        }
        let tokens = fold(sentence);
        if is_bare_no(&tokens) {
            no_at = Some(at);
            continue;
        }
        if classifier::is_reason(&tokens)
            && let (Some(start), Some(last)) = (open, found.last_mut())
        {
            last.text = passage.get(start..end).unwrap_or(&last.text).to_owned();
            last.reason.get_or_insert_with(|| sentence.to_owned());
            continue;
        }
        context.follows_opinion |= reject::is_opinion(&tokens);
        let statement = stated(sentence, &tokens, context);
        open = statement.is_some().then_some(at);
        found.extend(statement);
    }
    found
}

static BARE_NO: Patterns = Patterns::new(&["^ no|nope|wrong"]);

fn is_bare_no(tokens: &[Token]) -> bool {
    let tokens = reject::without_fillers(tokens);
    tokens.len() <= 2 && BARE_NO.are_in(tokens)
}

/// Where `part`, a slice of `whole`, begins in it.
fn offset(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// What is known of a sentence before it is read.
#[derive(Clone, Copy)]
struct SentenceContext {
    speaker: Speaker,
    /// Whether its text asks for nothing.
    only_asserts: bool,
    follows_opinion: bool,
}

fn stated(sentence: &str, all: &[Token], context: SentenceContext) -> Option<Statement> {
    let tokens = reject::without_fillers(all);
    let core = without_concession(without_no(tokens));
    let is_momentary = context.speaker == Speaker::User && ephemeral::is_of_the_moment(core);
    if is_momentary || reject::is_silent(sentence, core, context.speaker) {
        return None;
    }
    let correction =
        CONTRADICTIONS.are_in(tokens).then(|| classifier::correction(core, context.speaker)).flatten();
    let meaning = classifier::meaning(core, context.speaker)
        .filter(|meaning| !(meaning.is_weak && context.follows_opinion))
        // "No, it lives in A, not in B" settles where, and does not only describe.
        .filter(|meaning| meaning.kind != Kind::Fact || correction.is_none() || !classifier::sets_right(core))
        .or(correction)
        .or_else(|| classifier::announced(all, core, context.speaker))
        .or_else(|| {
            assertion::meaning(sentence, core).filter(|_| context.only_asserts && !context.follows_opinion)
        })?;
    let title = title::title(sentence, core, meaning.kind);
    if title.split(' ').count() < 2 {
        return None;
    }
    Some(Statement {
        kind: meaning.kind,
        category: meaning.category.map(|category| Category(category.to_owned())),
        title: first_chars(&title, TITLE_CHARS).to_owned(),
        text: sentence.to_owned(),
        reason: classifier::reason(core)
            .and_then(|at| core.get(at))
            .and_then(|token| reason_text(sentence, token)),
        polarity: polarity(core),
        correction: corrections::correction(sentence, tokens),
    })
}

/// How a correction begins: what follows is the statement.
static CONTRADICTIONS: Patterns = Patterns::new(&[
    "^ ~no ~no no|nope|wrong|actually|nah ,|:|.",
    "^ i was wrong|mistaken ,|;|:|.",
    "^ ~a|new|slight change|changes of plan|plans ~,|;|:|.",
    "^ i|we ~have changed my|our mind|minds ~about|on ~* ,|;|:|.",
    "^ on second thought|thoughts ~,|;|:|.",
    "^ scratch|forget that|it ,|;|:|.",
    "^ correction|update ,|:",
    "^ that|this is ~not wrong|incorrect|right|correct|true ,|;|:|.",
]);

/// Said without a pause it contradicts less: "actually the list needs a header" is a wish.
static ACTUALLY: Patterns = Patterns::new(&["^ actually"]);

/// Skips the "no," a correction begins with.
fn without_no(tokens: &[Token]) -> &[Token] {
    let found = CONTRADICTIONS.find(tokens).or_else(|| ACTUALLY.find(tokens));
    reject::without_fillers(found.and_then(|found| tokens.get(found.end..)).unwrap_or(tokens))
}

static CONCESSIONS: Patterns = Patterns::new(&["even though|if", ", although|though|despite"]);

/// Leaves out what a sentence concedes: in "a string, even though it looks like a number" the look is no doubt.
fn without_concession(tokens: &[Token]) -> &[Token] {
    let at = CONCESSIONS.all_in(tokens).map(|found| found.start).min().filter(|at| *at > 2);
    at.and_then(|at| tokens.get(..at)).unwrap_or(tokens)
}

/// Returns what a sentence says, without the words that only announce a change: "change of plan:", "actually".
pub(crate) fn without_turn(text: &str) -> &str {
    let tokens = fold(text);
    let core = without_no(reject::without_fillers(&tokens));
    core.first().and_then(|first| text.get(first.start..)).unwrap_or(text)
}

fn reason_text(sentence: &str, token: &Token) -> Option<String> {
    let reason = sentence.get(token.start..)?.trim_end_matches(['.', '!', ' ', '*', ')']);
    (!reason.is_empty()).then(|| reason.to_owned())
}

fn polarity(tokens: &[Token]) -> Polarity {
    if DENIALS.are_in(tokens) { Polarity::Denied } else { Polarity::Affirmed }
}

/// "Not" after a comma names what was replaced, and denies nothing by itself.
static DENIALS: Patterns = Patterns::new(&[
    "^ never|avoid|stop|no",
    "do|does|did|is|are|was|can|will|must|should|may not|never",
    "we|you|i|they|agents|everyone never",
    "no more|longer",
    "decided|opted|voted|chose against|not",
    "^ let's not",
]);

/// Whether a sentence that is known says to do something, or not to.
pub(crate) fn polarity_of(text: &str) -> Polarity {
    polarity(without_no(&fold(text)))
}
