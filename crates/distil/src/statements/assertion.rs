//! The last cue: a user who simply says how things are, with none of the words statements are usually made in.
//!
//! "Deploys need the VPN" is worth knowing, "the header needs more padding" is a wish, and "the page shows nothing" a fault. What
//! sets them apart is what the sentence is about: things in general (a bare plural), or one thing and what it is tied to by name.
//! Not here: texts that also ask for something; what they tell is about the task at hand (`statements`).

use super::classifier::{Classification, reason, sets_right};
use crate::prose::{HIDDEN, Patterns, Token};
use backstory_memory::{Kind, is_stop_word};

/// How many words a subject may have.
const LONGEST_SUBJECT: usize = 6;

/// Returns what a user's sentence means that says how things are.
pub(super) fn meaning(sentence: &str, tokens: &[Token]) -> Option<Classification> {
    if follows_from(sentence, tokens) || is_no_longer_so(tokens) || permits(tokens) {
        return Some(Classification { kind: Kind::Fact, category: Some("fact"), is_weak: true });
    }
    if FAULTS.are_in(tokens) {
        return None;
    }
    if SETTLED.are_in(tokens) && !WISHED.are_in(tokens) && !is_report(tokens) {
        return Some(Classification { kind: Kind::Decision, category: Some("convention"), is_weak: true });
    }
    let is_one = || SURROUNDINGS.are_in(tokens) || (STANDARDS.are_in(tokens) && !PARTS.are_in(tokens));
    let is_assertion = !OF_THE_MOMENT.are_in(tokens) && (is_assertion(sentence, tokens) || is_one());
    is_assertion.then_some(Classification { kind: Kind::Fact, category: Some("fact"), is_weak: true })
}

/// "Port 5432 is taken, so dev uses 5433": what follows is a fact, whatever it follows from.
fn follows_from(sentence: &str, tokens: &[Token]) -> bool {
    let at =
        tokens.iter().zip(tokens.iter().skip(1)).position(|(mark, so)| mark.word == "," && so.word == "so");
    let rest = at.and_then(|at| tokens.get(at + 2..)).unwrap_or_default();
    !FAULTS.are_in(rest) && !OF_THE_MOMENT.are_in(rest) && is_assertion(sentence, rest)
}

/// "Deploys don't need the VPN any more": what was needed is not. That something no longer works is a fault.
fn is_no_longer_so(tokens: &[Token]) -> bool {
    let is_of_all =
        || tokens.first().is_some_and(is_plural) || !is_one_of_first(tokens, &["the", "this", "that"]);
    !OF_THE_MOMENT.are_in(tokens) && (NOT_NEEDED.are_in(tokens) || (NOT_SO.are_in(tokens) && is_of_all()))
}

static NOT_NEEDED: Patterns = Patterns::new(&[
    "do|does not need|require|depend * any more",
    "do|does not need|require|depend * anymore",
    "no longer need|needs|require|requires|depend|depends *",
    "only need|needs|require|requires * now $",
]);
static NOT_SO: Patterns = Patterns::new(&[
    "do|does not use|run|go|live|expire|start|belong|come|follow on|in|to|at|with|from|after|through|by * any more|longer",
    "do|does not use|run|go|live|expire|start|belong|come|follow on|in|to|at|with|from|after|through|by * anymore",
    "no longer use|run|go|live|expire|start|belong|come|follow *",
]);

/// "Deploying on Fridays is fine now": what may be done is named by doing it.
fn permits(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| first.word.len() > 5 && first.word.ends_with("ing"))
        && PERMISSIONS.are_in(tokens)
}

static PERMISSIONS: Patterns =
    Patterns::new(&["^ * is fine|ok|okay|allowed now|again $", "^ * is fine|ok|okay|allowed after all $"]);

/// "The default branch is main": of these there is one.
static STANDARDS: Patterns = Patterns::new(&[
    "^ the|our default|minimum|maximum|canonical|official|preferred|primary branch|version|region|language|locale|currency|timezone|port|database|environment|registry|theme|encoding|host|domain is *",
]);
/// "The tests need a running Redis."
static SURROUNDINGS: Patterns = Patterns::new(&[
    "^ ~the|our|all ~unit|integration|e2e tests|suite|app|server|build|worker|api|backend need|needs|require|requires a|an|the running|local|live|seeded *",
]);

/// "We log to stdout, not to files."
static SETTLED: Patterns = Patterns::new(&["^ we * , not|never *"]);
static WISHED: Patterns = Patterns::new(&[
    "^ we ~just|really|only|also need|want|got|get|had|have|should|could|can|will|would|might|were|are|saw|see|tried|did|do|found|lost|made",
]);

/// "We tested it on Chrome, not Safari": what was done once is no rule.
fn is_report(tokens: &[Token]) -> bool {
    let verb = tokens.iter().skip(1).find(|token| !is_one_of(token, &["just", "only", "also", "already"]));
    verb.is_some_and(|verb| is_past(&verb.word))
}

/// Whether a verb says what was.
pub(super) fn is_past(verb: &str) -> bool {
    PAST_VERBS.contains(&verb) || (verb.ends_with("ed") && !PRESENT.contains(&verb))
}

/// Verbs that end like the past and are of the present.
const PRESENT: &[&str] = &["embed", "feed", "seed", "need", "shed", "speed", "proceed"];
const PAST_VERBS: &[&str] = &[
    "ran",
    "met",
    "went",
    "took",
    "wrote",
    "built",
    "sent",
    "spoke",
    "came",
    "gave",
    "told",
    "left",
    "bought",
    "ate",
    "sat",
    "drove",
    "paid",
    "held",
    "hit",
    "understood",
    "knew",
    "thought",
    "saw",
    "felt",
];

/// Words of a fault, a wish, or a state that passes.
static FAULTS: Patterns = Patterns::new(&[
    "fail|fails|failed|failing|broken|break|breaks|broke|crash|crashes|crashed|crashing|hang|hangs|stuck|flaky|leak|leaks|leaking",
    "error|errors|exception|warning|warnings|bug|bugs|issue|issues|problem|problems|conflict|conflicts|complain|complains|wrong|incorrect|weird|strange|odd",
    "blank|empty|missing|slow|slower|twice|off|cut|duplicate|duplicated|undefined|null|nothing|nowhere|nobody|forever",
    "still|again|anymore|sometimes|suddenly|randomly|yet|too|same|instead|only half|but|yesterday|today|tomorrow|morning|usual|other",
    "currently|just|already|later",
    "does|do|did|is|are not",
    "out of",
    "time|times|timing out",
    "500|500s|502|502s|503|503s|404|404s|4xx|5xx",
    "need|needs|has|have to be",
    "should|would|could|might|maybe",
    "is|are now",
    "is|are * now .",
    "looks|look|seems|seem|feels|feel",
]);

/// Subjects that are of this conversation: the speaker, the listener, what they look at.
static OF_THE_MOMENT: Patterns = Patterns::new(&[
    "^ i|we|you|he|she|it|they|my|your|his|her|this|that|these|those|there|here|some|half|most|everything|something|nothing|both|another|what|if|when|after|before|once|while|let|let's|with|to|as|in|on|for|no|not|a|an",
    "^ ~the one|two|three|four|five|first|second|third|last|next|following|new",
    "i|we|you|me|my|your|yours",
    "was|were|has|have|had|been",
]);

/// Verbs that tie a thing to another for good, whatever comes after them.
const TIES: &[(&str, &[&str])] = &[
    ("belongs", &["to"]),
    ("belong", &["to"]),
    ("depends", &["on"]),
    ("depend", &["on"]),
    ("maps", &["to"]),
    ("map", &["to"]),
    ("comes", &["from"]),
    ("come", &["from"]),
    ("inherits", &["from"]),
    ("inherit", &["from"]),
    ("normalises", &["to"]),
    ("normalise", &["to"]),
    ("normalizes", &["to"]),
    ("normalize", &["to"]),
    ("owns", &[]),
    ("extends", &[]),
];

/// Verbs that say how a thing is used, kept or run: of one thing they count with a name, of things in general by themselves.
const STATIVE_VERBS: &[&str] = &[
    "use", "need", "require", "hold", "store", "keep", "contain", "carry", "share", "follow", "read",
    "write", "speak", "listen", "run", "start", "begin", "stop", "end", "restart", "rotate", "retry",
    "expire", "sync", "ship", "build", "deploy", "log", "go", "live", "point", "refer", "resolve", "default",
    "convert", "escape", "encode", "serve", "accept", "own", "extend", "mean", "count", "continue",
];

/// What things in general are said to be, by whom or how they are made.
const MADE: &[&str] = &[
    "written",
    "named",
    "signed",
    "tagged",
    "released",
    "deployed",
    "built",
    "formatted",
    "versioned",
    "reviewed",
    "generated",
    "numbered",
    "encoded",
];

/// What pages and programs are put together from.
static PARTS: Patterns = Patterns::new(&[
    "button|buttons|column|columns|field|fields|link|links|page|pages|tab|tabs|menu|icon|icons|label|labels|section|sections|checkbox|dropdown|tooltip|filter|filters|input|toggle|badge|modal|dialog|form|view|heading|header|footer|banner|logo|spinner",
    "flag|flags|parameter|parameters|param|argument|option|options|endpoint|method|test|tests|property|prop",
]);

/// What may stand between such a verb and what it is about.
const INTO: &[&str] = &[
    "a", "an", "the", "to", "at", "on", "in", "from", "with", "by", "its", "their", "least", "running",
    "every",
];

fn is_assertion(sentence: &str, tokens: &[Token]) -> bool {
    let verbs = tokens.iter().enumerate().skip(1).take(LONGEST_SUBJECT);
    let clauses = verbs.filter_map(|(at, verb)| {
        Some(Clause { sentence, subject: tokens.get(..at)?, verb, rest: tokens.get(at + 1..)? })
    });
    clauses
        .into_iter()
        .filter(|clause| !clause.is_of_an_action() && !clause.is_wish())
        .any(|clause| clause.is_tie() || clause.is_general() || clause.is_named() || clause.is_set_right())
}

/// A sentence cut at what may be its verb.
struct Clause<'a> {
    sentence: &'a str,
    subject: &'a [Token],
    verb: &'a Token,
    rest: &'a [Token],
}

impl Clause<'_> {
    /// "Starts returning", "stop working": something happens, and nothing is stated.
    fn is_of_an_action(&self) -> bool {
        self.rest.first().is_some_and(|next| next.word.ends_with("ing") && next.word != "running")
    }

    /// "Needs a Cancel button", "need more contrast": something is to be built. What is needed to work has a name of its own.
    fn is_wish(&self) -> bool {
        let has_name = || self.rest.iter().any(|token| self.is_name(token));
        is_one_of(self.verb, &["need", "needs"])
            && (PARTS.are_in(self.rest) || !(has_name() || reason(self.rest).is_some()))
    }

    /// "The panel depends on the old cookie."
    fn is_tie(&self) -> bool {
        let follows =
            |words: &[&str]| words.is_empty() || self.rest.first().is_some_and(|next| is_one_of(next, words));
        self.rest.len() > 1 && TIES.iter().any(|(tie, words)| *tie == self.verb.word && follows(words))
    }

    /// "Deploys need the VPN", "amounts are integers": a plural nobody points at, and what holds of all of it.
    fn is_general(&self) -> bool {
        let is_pointed_at = self.subject.first().is_some_and(|first| is_one_of(first, &["the", "our"]));
        let is_made = |next: &Token| is_one_of(next, MADE);
        let is_class = || {
            self.verb.word == "are" && self.rest.first().is_some_and(|next| is_plural(next) || is_made(next))
        };
        let says_more = || {
            self.rest
                .iter()
                .any(|token| token.word.starts_with(char::is_alphanumeric) || token.word == HIDDEN)
        };
        !is_pointed_at
            && self.subject.last().is_some_and(is_plural)
            && (STATIVE_VERBS.contains(&self.verb.word.as_str()) || is_class())
            && says_more()
    }

    /// "The worker needs Redis 7", "the region is `eu-west-1`": one thing, and code, a number or a name near its verb; or a reason.
    fn is_named(&self) -> bool {
        let is_copula = is_one_of(self.verb, &["is", "are"]);
        if !is_copula && self.verb_of_one().is_none() {
            return false;
        }
        let passed_over: &[&str] = if is_copula { &["called", "named"] } else { INTO };
        let after = self.rest.iter().take_while(|token| is_one_of(token, passed_over)).count();
        let next = |further: usize| self.rest.get(after + further);
        // "Needs 4px" is a wish.
        let is_measured = is_one_of(self.verb, &["needs", "requires"]);
        let is_here = next(0).is_some_and(|token| self.is_name(token) || (is_number(token) && !is_measured));
        // "On port 8080": a common word, and which one.
        let is_next = !is_copula && next(1).is_some_and(|token| is_number(token) || token.word == HIDDEN);
        is_here || is_next || (!is_copula && reason(self.rest).is_some())
    }

    /// "Tokens expire after 15 minutes now, not 30."
    fn is_set_right(&self) -> bool {
        let verb = self.verb_of_one().unwrap_or(&self.verb.word);
        STATIVE_VERBS.contains(&verb) && verb != "need" && sets_right(self.rest)
    }

    /// The verb without the ending it has when one thing does it.
    fn verb_of_one(&self) -> Option<&str> {
        if self.verb.word == "goes" {
            return Some("go");
        }
        self.verb.word.strip_suffix('s').filter(|stem| STATIVE_VERBS.contains(stem))
    }

    /// Whether a word is code, or written like a name.
    fn is_name(&self, token: &Token) -> bool {
        let written = self.sentence.get(token.start..token.end).unwrap_or_default();
        token.word == HIDDEN || written.starts_with(char::is_uppercase) || is_identifier(&token.word)
    }
}

fn is_one_of(token: &Token, words: &[&str]) -> bool {
    words.contains(&token.word.as_str())
}

fn is_one_of_first(tokens: &[Token], words: &[&str]) -> bool {
    tokens.first().is_some_and(|first| is_one_of(first, words))
}

/// Whether a word is put together like the name of a machine or a bucket: `acme-eu-west`. "Up-to-date" is none.
fn is_identifier(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    (parts.len() > 2 && !parts.iter().any(|part| is_stop_word(part)))
        || word.contains("://")
        || (word.contains('_') && word.starts_with(char::is_alphanumeric))
}

fn is_number(token: &Token) -> bool {
    token.word.contains(|c: char| c.is_ascii_digit())
}

fn is_plural(token: &Token) -> bool {
    let word = token.word.as_str();
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(|c| c.is_alphanumeric() || c == '-')
}
