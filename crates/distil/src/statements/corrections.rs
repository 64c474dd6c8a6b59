//! Who replaced what: the new and the old value in "no, we use X here, not Y".
//!
//! Not here: whether the sentence is worth keeping (`reject`, `classifier`).

use crate::prose::{Patterns, Token};

/// What the speaker puts right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    /// What it is about, where the sentence says so: "for tests", "in the API".
    pub subject: Option<String>,
    /// What holds.
    pub new: Option<String>,
    /// What does not hold, or no longer.
    pub old: Option<String>,
}

#[derive(Clone, Copy)]
enum CorrectedValue {
    New,
    Old,
}
use CorrectedValue::{New, Old};

/// Each `*` of a pattern stands for the value named at its place. A closing `.` is on every sentence.
static PATTERNS: [(Patterns, &[CorrectedValue]); 27] = [
    (
        Patterns::new(&[
            "moved|switched|migrated|went ~* to|with * ,|;|. ~and|so|please forget|drop|ditch|goodbye|no ~about|more * .",
        ]),
        &[New, Old],
    ),
    (
        Patterns::new(&[
            ", ~and ~the|that|our * rule|policy|requirement|restriction|limit|thing is|are gone|dead|history|dropped|lifted|over .",
        ]),
        &[Old],
    ),
    (Patterns::new(&[", ~and ~the|that|our * is|are gone|dead|history|dropped|retired ."]), &[Old]),
    (
        Patterns::new(&[
            "^ forget|ditch|scrap|drop ~about * ,|;|. ~and|just we ~are ~now|all on|using|use|run|write|deploy ~to|with * .",
        ]),
        &[Old, New],
    ),
    (
        Patterns::new(&[
            "^ we ~have|just|finally dropped|retired|abandoned|deprecated|ditched|killed ~support ~for * .",
        ]),
        &[Old],
    ),
    (Patterns::new(&["^ ~no ~no ~no ~, it is * not * ."]), &[New, Old]),
    (
        Patterns::new(&[
            "we ~only|always use|run|write|deploy|target|are ~using|on|with * ~here|now ,|; ~and not|never * .",
        ]),
        &[New, Old],
    ),
    (Patterns::new(&["we do not use|run|write|want|do * ,|;|.|: we use|run|write|want|do * ."]), &[Old, New]),
    (
        Patterns::new(&[
            "do not|no ~longer use|run|write|want * ,|;|.|: ~and|please|just use|run|write|want * .",
        ]),
        &[Old, New],
    ),
    (Patterns::new(&["no longer use|run|write|want|need * ,|;|.|: ~we * ."]), &[Old, New]),
    (Patterns::new(&["not * ,|;|. ~but we use|want|run * ."]), &[Old, New]),
    (Patterns::new(&["^ not * ,|; ~but|use * ."]), &[Old, New]),
    (Patterns::new(&["stop using * ,|;|. ~and use * ."]), &[Old, New]),
    (
        Patterns::new(&[
            "use|uses|using|call|prefer|want|run|runs|write * instead of|over|rather|not ~than * .",
        ]),
        &[New, Old],
    ),
    (Patterns::new(&["use|using|call|run|write * , ~and not|never * ."]), &[New, Old]),
    (Patterns::new(&["should|must be * ,|; not|never * ."]), &[New, Old]),
    (Patterns::new(&["is * , not * ."]), &[New, Old]),
    (Patterns::new(&["go|goes|belong|belongs ~to|in * , not * ."]), &[New, Old]),
    (Patterns::new(&["prefers|prefer * over|to|not|, ~not * ."]), &[New, Old]),
    (Patterns::new(&["chose|picked|chosen|selected * over|instead ~of * ."]), &[New, Old]),
    (
        Patterns::new(&[
            "switching|switched|switch|migrating|migrated|migrate|moving|moved|move ~* from * to * .",
        ]),
        &[Old, New],
    ),
    (Patterns::new(&["replacing|replaced|replace * with|by * ."]), &[Old, New]),
    (Patterns::new(&["decided on|for * over|instead ~of * ."]), &[New, Old]),
    (
        Patterns::new(&[
            "^ no|nope|wrong|actually ,|. ~actually we use|run|want|write|deploy|are ~using|on * .",
        ]),
        &[New],
    ),
    (Patterns::new(&["^ no|nope|wrong|actually ,|. ~actually ~please|just use|run|call * ."]), &[New]),
    (Patterns::new(&["we use|run|write * ~here ,|; not * ."]), &[New, Old]),
    // However it is said: what stands last is what does not hold.
    (Patterns::new(&["^ * , ~and not|never * ."]), &[New, Old]),
];

/// Where a value ends although its sentence goes on.
const VALUE_ENDS: &[&str] = &[
    ",",
    ";",
    ":",
    ".",
    "because",
    "for",
    "in",
    "since",
    "so",
    "when",
    "here",
    "as",
    "due",
    "on",
    "everywhere",
    "anymore",
    "and",
    "at",
    "now",
    "from",
    "even",
    "if",
    "unless",
    "to",
    "throughout",
    "across",
];

const INNER_VALUE_ENDS: &[&str] = &["because", "since", "so", "here", "now", "anymore", ",", ";", ":"];

const MOST_VALUE_WORDS: usize = 8;

/// Returns what a sentence puts right, if it does. `tokens` include the sentence's opening "no,".
pub(super) fn correction(sentence: &str, tokens: &[Token]) -> Option<Correction> {
    let mut closed = tokens.to_vec();
    if closed.last().is_none_or(|last| last.word != ".") {
        closed.push(Token::new(".".to_owned(), sentence.len(), sentence.len()));
    }
    let (found, values) =
        PATTERNS.iter().find_map(|(pattern, values)| Some((pattern.find(&closed)?, *values)))?;
    // The gap of an optional word is not a value: the values are the last gaps.
    let gaps = found.gaps.get(found.gaps.len().checked_sub(values.len())?..)?;
    let mut correction = Correction::default();
    for (place, (value, gap)) in values.iter().zip(gaps).enumerate() {
        // Only the last value runs into the rest of the sentence; the others end where the pattern says.
        let ends = if place + 1 == values.len() { VALUE_ENDS } else { INNER_VALUE_ENDS };
        let words = value_words(closed.get(gap.0..gap.1)?, ends);
        let slice = words.first().zip(words.last()).and_then(|(a, b)| sentence.get(a.start..b.end));
        let plain = slice.map(|slice| slice.trim_matches(['`', '"', '*', ' ']).to_owned());
        match value {
            New => correction.new = plain,
            Old => correction.old = plain,
        }
    }
    correction.subject = subject(sentence, &closed);
    (correction.new.is_some() || correction.old.is_some()).then_some(correction)
}

/// The words of a gap up to where its value ends.
fn value_words<'a>(gap: &'a [Token], ends: &[&str]) -> &'a [Token] {
    let end = gap.iter().position(|token| ends.contains(&token.word.as_str())).unwrap_or(gap.len());
    gap.get(..end.min(MOST_VALUE_WORDS)).unwrap_or_default()
}

static SUBJECT: Patterns = Patterns::new(&["for|in *"]);

/// What follows "for" or "in": the part of the work a correction is about.
fn subject(sentence: &str, tokens: &[Token]) -> Option<String> {
    let found = SUBJECT.find(tokens)?;
    let words = value_words(tokens.get(found.start + 1..)?, VALUE_ENDS);
    let slice = sentence.get(words.first()?.start..words.last()?.end)?;
    Some(slice.trim_matches(['`', '"', '*', ' ']).to_owned())
}
