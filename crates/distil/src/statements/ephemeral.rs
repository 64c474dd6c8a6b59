//! What a user says of the moment: what lies on the screen, what they have just done, what they saw happen, what they would like to
//! have. None of it holds tomorrow.
//!
//! Not here: orders for the task at hand (`reject`).

use super::assertion::is_past;
use crate::prose::{Patterns, Token};

/// Whether a user's sentence is about the moment. A reason makes a report more than that, and "every" or "never" a wish.
pub(super) fn is_of_the_moment(tokens: &[Token]) -> bool {
    let is_any = |tables: &[&Patterns]| tables.iter().any(|table| table.are_in(tokens));
    is_any(&[&POINTING, &COURTESIES])
        || names_an_option(tokens)
        || (!LASTING.are_in(tokens) && is_any(&[&PLACES, &LIKINGS, &LOOKS, &TASKS, &COUNTED]))
        || (!SETTLED.are_in(tokens) && DAYS.are_in(tokens))
        || (!REASONS.are_in(tokens) && is_any(&[&DEEDS, &SEEN, &GONE_WRONG]))
        || (!REASONS.are_in(tokens) && !CHOICES.are_in(tokens) && STATES.are_in(tokens))
        || is_about_the_past(tokens)
}

/// What is pointed at is gone with the screen it was on.
static POINTING: Patterns = Patterns::new(&[
    "the other|first|second|third|last|latter|former one|file|way|branch|approach|option|version",
    "the big|small|old|new|left|right|top|bottom|blue|red|green|long|short one",
    "this|that one",
    "for now",
    "for testing",
    "for me $",
    "try|run|do it ~once again",
    "try again",
    "ignore|revert|undo|skip it|that|this",
    "next task|item|ticket|step",
    "to|on|at the left|right|top|bottom $",
    "on my machine|laptop|computer|phone only",
    "the next sprint|topic|phase|page",
    "^ log in|into to|as|with|on|the|again",
    "^ you should|must ~not use|touch|edit|modify|call|add|write|change a|an|this|that|it|them",
    "the wrong file|one|branch|folder|line|version|directory",
    "my changes",
    "be quick",
    "^ let's ~just ~not do|keep|leave|take|skip|call|try|drop it|that|this",
    "^ let's * for|in|on|with this|that|it $",
    "^ it|this is ~just|only a|an|the|my ~rough|quick|first draft|sketch|test|try|start|mess|joke|hack|placeholder|experiment|mistake|copy",
]);

/// Where something stands on the screen, unless it is said of all such: "always keep the first line short".
static PLACES: Patterns =
    Patterns::new(&["the other|first|second|third|last|latter|former column|row|line|tab|part"]);

/// What is said to be polite, to sigh or to pass the time.
static COURTESIES: Patterns = Patterns::new(&[
    "^ whenever you are|have|want|like|can|feel|get",
    "^ always|never ~a|an|the pleasure|dull|good|nice|fun",
    "^ you|he|she|they must be tired|joking|kidding|right|busy|bored|hungry|new",
    "we ~always|never|just|still end|ended up here|there",
    "we ~just|only|always use|run|do|take|write|ship|keep ~with what|whatever we|you|there|is|it|works|fits|comes",
    "we keep getting|having|seeing|going|hitting|losing|missing|coming|ending|talking|waiting|forgetting",
    "^ we are ~still|now|already on slide|page|step|track|time|it|hold|line|item|question",
    "^ it is fine|ok|okay to be|stop|wait|leave|go",
    "it|that looks|is|feels great|good|nice|awesome $",
    "^ it is fine|ok|okay to * this|that|it|these|now",
    "^ no need for|to ~a|an reply|answer|response|apology|apologise|apologize|meeting|worry|hurry|thank",
    "no need for|to * here|now|yet",
    "we do not want to wait|stop|go|leave|rush|argue|talk",
    "i am on holiday|vacation|leave|it|my",
    "i am out|off|away|back|late|sick|tired|done",
    "have|had|need|get|grab ~a|some|my coffee|tea|lunch|dinner|breakfast|pizza",
]);

/// What somebody likes, wants or does not of what they look at: "I hate this bug", and not "I hate long functions".
static LIKINGS: Patterns = Patterns::new(&[
    "^ i ~really|just|also|do|would ~not ~really like|love|hate|dislike|want|need the|this|that|it|these|those|how|what|your|them",
    "^ we ~also|just|do|did ~not need|want|put|test|try|write it|that|this|them",
]);

/// How something should look.
static LOOKS: Patterns = Patterns::new(&[
    "should|to be ~a ~bit ~more bold|italic|underlined|wide|wider|narrower|bigger|smaller|larger|taller|darker|lighter|brighter|centered|centred|aligned|rounded|blue|red|green|grey|gray|black|white|visible $",
    "should|to be ~a ~bit ~more bold|italic|underlined|wide|wider|narrower|bigger|smaller|larger|taller|darker|lighter|brighter|centered|centred|aligned|rounded|blue|red|green|grey|gray|black|white|visible ,",
]);

/// What the task at hand is called, and who has to do with it.
static TASKS: Patterns = Patterns::new(&[
    "^ the|my|our|your ticket|issue|pr|mr|branch|commit|sha|story|task|card|reviewer|assignee|customer|screenshot|diff|patch|error|exception|typo|line|question|answer|meeting|call|demo ~code|number|id|name is|was|are",
    "^ the|my|our|your pull|merge request ~number|id is|was",
]);

/// So many of what was just spoken of.
static COUNTED: Patterns = Patterns::new(&[
    "^ only one|two|three|four|five|a|half|some|you|i|this|that",
    "^ only the * is|are missing|left|broken|wrong|off|open|failing",
    "^ all|both|most|some|none|half|each of them|these|those|this|that|it",
    "^ all ~the two|three|four|five|six",
]);

static DAYS: Patterns = Patterns::new(&[
    "today|tonight|tomorrow|yesterday",
    "this morning|afternoon|evening",
    "right now",
    "at the moment",
]);

/// A day says when something was settled, or until when it is promised.
static SETTLED: Patterns = Patterns::new(&[
    "decided|agreed|chose|settled|switched|dropped|adopted|moved|migrated|replaced|promised",
    "from|since|starting|starts|begins|of|by|until|before|after today|tonight|tomorrow|yesterday",
    "^ i|we will",
    "deadline|due|release|freeze",
]);

static LASTING: Patterns =
    Patterns::new(&["always|never|every|each|whenever|must|everywhere", "from now on", "by default"]);

/// What somebody did with their own hands is a report.
static DEEDS: Patterns = Patterns::new(&[
    "^ i ~have ~just|already added|moved|set|changed|updated|removed|deleted|renamed|pushed|committed|restarted|copied|installed|reverted|merged|rebased|tried|tested|checked|opened|closed|edited|put|pasted|saved",
    "^ i am ~just keeping|leaving|going|taking|moving|heading|trying|testing|looking",
    "^ we are ~just moving|going on|back|ahead",
]);

/// What somebody saw a program do is an observation: "always returns null for me".
static SEEN: Patterns = Patterns::new(&[
    "^ always|never|sometimes|still returns|fails|throws|crashes|gives|shows|prints|hangs|happens|works|says|breaks",
    "^ it|this|that ~still|now|only|always|never works|fails|crashes|hangs|returns|throws|breaks|happens",
]);

/// What worked once and does not: a fault to be mended, whatever it is "any more".
static GONE_WRONG: Patterns = Patterns::new(&[
    "do|does|is|are not work|working|load|loading|open|render|compile|build|start|show|pass|respond ~* any more",
    "do|does|is|are not work|working|load|loading|open|render|compile|build|start|show|pass|respond ~* anymore",
    "no longer work|works|working|load|loads|loading|open|opens|render|renders|compile|compiles|builds|starts|shows|pass|passes|responds",
]);

/// How something is today.
static STATES: Patterns = Patterns::new(&[
    "is|are ~still|now|almost|finally|all|so|very|really slow|down|up|ready|happy|back|broken|fine|done|green|red|late|offline|online|busy|gone|stuck|dead ~again $",
    "is|are ~now|almost|finally|all|very ready|happy|fine|done for|with|to|by",
    "every|each|all|the * has|have|gets|shows * now $",
]);

/// How something is may stand beside what is chosen: "let's not use it after all, the other is fine".
static CHOICES: Patterns = Patterns::new(&[
    "^ let's ~not use|go|stick|keep|drop|switch|move",
    "^ we ~have|just moved|switched|migrated",
    "^ we are standardising|standardizing|switching|migrating|dropping",
    "^ it is fine|ok|okay to * in|on|for|when|during *",
    "from now on",
    "going forward",
]);

static REASONS: Patterns = Patterns::new(&["because", "since", "so that", "otherwise"]);

/// "We always watched it": what somebody always or never did is a story of theirs.
fn is_about_the_past(tokens: &[Token]) -> bool {
    PAST_HABITS.all_in(tokens).filter_map(|found| tokens.get(found.end)).any(|verb| is_past(&verb.word))
}

static PAST_HABITS: Patterns = Patterns::new(&["i|we|they always|never", "i|we|they have always|never"]);

/// "Option 2", "option B": which one that is stands in a list that nobody will see again.
fn names_an_option(tokens: &[Token]) -> bool {
    let is_letter = |word: &str| word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_name = |word: &str| is_letter(word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs.any(|(one, two)| one.word == "option" && is_name(&two.word))
}
