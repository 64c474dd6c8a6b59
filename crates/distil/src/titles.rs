//! Titles a colleague would write: of a request, a plan, a sentence. Cut at the end of a clause, never inside a word.
//!
//! Not here: the title of a commit (`commit_title`).

use crate::phrases::{FoldedSentence, PhraseGroup, phrases_of};
use crate::plain::{LineShape, lines, list_item, plain};
use crate::sentences::sentences;
use backstory_memory::{TITLE_CHARS, is_stop_word, typed_words, words};

/// Where a long sentence may end, with how much must stand before: the stronger the mark, the less.
const CLAUSE_ENDS: [(usize, &[&str]); 3] = [
    (24, &[". ", "; ", "! ", "? ", ": "]),
    (40, &[", ", " - ", " – ", " — ", " (", " so that ", " because ", " in order to ", " and then "]),
    (48, &[" and ", " but ", " when ", " which ", " while ", " if ", " instead of "]),
];
/// What people say before they say it, beside words of assent and courtesy.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "so", "hmm", "hmmm", "hm", "ah", "ahh", "oh", "well", "also", "now", "then", "and", "but", "can you", "could you", "can we",
    "could we", "would you", "will you", "can i", "let's", "lets", "let us", "i want you to", "i want to", "i want",
    "i would like to", "i'd like to", "i would like you to", "i am thinking", "i'm thinking", "we can", "we could", "i'd like you to", "i need you to", "i think we should", "i think",
    "i believe", "i belive", "we need to", "we should", "you should", "you need to", "go ahead and", "just", "maybe", "actually",
    "one more thing", "dont forget to", "don't forget to", "do not forget to", "remember to", "keep in mind that",
    "is it possible to", "do you want to", "kannst du", "jetzt", "теперь", "давай", "а теперь", "can you please",
    "could you please",
];
/// Words of assent that begin what somebody says, too: "fine tune the model", "do it with pnpm". Only a pause makes them an opening.
const SAYING_TOO: &[&str] = &["fine", "do it", "agree", "y"];
/// Words no title ends with.
#[rustfmt::skip]
const OPEN_ENDS: &[&str] = &[
    "a", "an", "the", "of", "to", "and", "or", "with", "for", "in", "on", "at", "by", "from", "that", "which", "is", "are", "its",
    "into", "as", "but", "not", "now", "if", "when", "because", "so", "we", "i", "it", "be", "can", "will", "this", "my", "our",
    "und", "oder", "der", "die", "das", "mit", "für", "и", "или", "на", "в", "с", "для",
];

/// Returns a sentence as a title: plain, with a capital, at most [`TITLE_CHARS`] characters, ended at a clause.
pub(super) fn title_of(sentence: &str) -> String {
    let text = plain(list_item(sentence).unwrap_or(sentence));
    let text = text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '“' | '”' | '#' | '-' | '*' | '>' | '•' | '–')
    });
    let text = text.trim_end_matches(['.', '!', '?', ':', ',', ';', ' ', '…', '-']);
    let is_long = |text: &str| text.chars().count() > TITLE_CHARS;
    let short = if is_long(text) { without_asides(text) } else { text.to_owned() };
    let cut = if is_long(&short) { clause(&short) } else { short };
    capitalised(&balanced(&cut))
}

/// Returns a sentence as a title that begins with the name of a command, which has no capital.
pub(super) fn title_of_command(sentence: &str) -> String {
    let title = title_of(sentence);
    let Some(first) = sentence.chars().next().filter(char::is_ascii_lowercase) else { return title };
    match title.strip_prefix(first.to_ascii_uppercase()) {
        Some(rest) => format!("{first}{rest}"),
        None => title,
    }
}

/// Drops what stands in brackets: "report it in seconds (as the new meters do) instead of ticks".
fn without_asides(text: &str) -> String {
    let mut kept = text.to_owned();
    while let Some(open) = kept.find(" (") {
        let Some(length) = kept.get(open..).and_then(|rest| rest.find(')')) else { break };
        kept.replace_range(open..=open + length, "");
    }
    kept
}

/// Returns a sentence as a title, unless it is so long that it would have to be cut inside a clause.
pub(super) fn whole_title(sentence: &str) -> Option<String> {
    let text = plain(list_item(sentence).unwrap_or(sentence));
    let text = if text.chars().count() > TITLE_CHARS { without_asides(&text) } else { text };
    let is_whole = text.chars().count() <= TITLE_CHARS || clause_end(&text).is_some();
    is_whole.then(|| title_of(sentence))
}

/// Returns a sentence as a title if all of it fits.
pub(super) fn uncut_title(sentence: &str) -> Option<String> {
    let text = without_asides(&plain(list_item(sentence).unwrap_or(sentence)));
    (text.chars().count() <= TITLE_CHARS).then(|| title_of(sentence))
}

/// Whether a title can be understood without what was said around it: it says enough, and points at nothing.
pub(super) fn stands_alone(title: &str) -> bool {
    let is_reference = |token: &str| token.starts_with(['@', '/']) || token.contains("://");
    let points = words(title).any(|word| POINTING.contains(&word.as_str()));
    weight(title) >= 2 && !points && !title.split_whitespace().any(is_reference)
}

/// Whether a title begins with a word that stands for something said before it.
pub(super) fn begins_pointing(title: &str) -> bool {
    words(title).next().is_some_and(|first| POINTING.contains(&first.as_str()))
}

/// Whether what a title is about stands for something said before it: "Get this in early". Further on it may point at the title itself.
pub(super) fn points_early(title: &str) -> bool {
    words(title).take(FIRST_WORDS).any(|word| POINTING.contains(&word.as_str()))
}

const FIRST_WORDS: usize = 3;

/// Words that stand for something said elsewhere.
#[rustfmt::skip]
const POINTING: &[&str] = &[
    "this", "that", "these", "those", "it", "them", "they", "here", "there", "above", "below", "same", "issue", "issues", "problem", "problems", "changes",
    "chnages", "everything", "something", "stuff", "thing", "things", "das", "dies", "diese", "es", "это", "этот", "эти", "его",
];

/// What a prompt asks for.
pub(super) struct RequestTitle {
    pub(super) title: String,
    /// Whether it asks for something to be done, rather than telling how things are.
    pub(super) is_order: bool,
    /// Whether it names what it is about: nothing was cut off, and it points at nothing outside of itself.
    pub(super) is_whole: bool,
    /// Whether every word of it is there.
    pub(super) is_uncut: bool,
}

/// Returns a request as a title, without what people say before they say it; nothing where it says only to go on.
pub(super) fn title_of_request(prompt: &str) -> Option<String> {
    request_title(prompt).map(|request| request.title)
}

/// Returns what a prompt asks for, and whether it is an order.
pub(super) fn request_title(prompt: &str) -> Option<RequestTitle> {
    if let Some(title) = title_of_plan(prompt) {
        return Some(RequestTitle { title, is_order: true, is_whole: true, is_uncut: true });
    }
    let typed = typed_words(without_command(prompt));
    // "Add a flag to this script:" is a request; "Here is the log:" only leads to a paste.
    let is_lead = |line: &&str| line.trim_end().ends_with(':') && !is_order(line);
    let lines = typed.lines().filter(|line| !is_lead(line));
    let all: Vec<&str> =
        lines.flat_map(sentences).filter(|sentence| weight(without_opening(sentence)) >= 2).collect();
    // The order that says most; where it points at what was said before it ("get that back"), that.
    let orders = all.iter().filter(|sentence| is_order(sentence) && weight(without_opening(sentence)) >= 3);
    let order = orders.rev().max_by_key(|sentence| weight(without_opening(sentence)).min(ENOUGH_WEIGHT));
    let weighty = || all.iter().find(|sentence| weight(without_opening(sentence)) >= 3);
    let best = order.or_else(weighty).or_else(|| all.first())?;
    let request = without_opening(best).trim_end_matches(['.', '!', '?', ' ']);
    let request = with_file_names(request.strip_suffix(" please").unwrap_or(request));
    let title = title_of(&request);
    let is_whole = whole_title(&request).is_some_and(|title| stands_alone(&title));
    let is_uncut = uncut_title(&request).is_some();
    let is_order = is_order(best);
    (weight(&title) >= 2).then_some(RequestTitle { title, is_order, is_whole, is_uncut })
}

/// Names files as people do: `@docs/guide/setup.md` is setup.md. An address of the web stays.
pub(super) fn with_file_names(request: &str) -> String {
    let name = |word: &str| -> String {
        let mentioned = word.strip_prefix('@').filter(|path| path.contains('.'));
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let is_path =
            !word.contains("://") && !word.starts_with('/') && last(word).trim_matches('.').contains('.');
        mentioned.or(Some(word).filter(|_| is_path)).map_or_else(|| word.to_owned(), last)
    };
    request.split(' ').map(name).collect::<Vec<_>>().join(" ")
}

/// Whether a sentence asks for something to be done, rather than telling how things are.
///
/// In English it says so or begins with a verb. What is not English is taken for a request: nothing else can be known of it.
fn is_order(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    // "From now on …" sets a rule.
    if folded.has(PhraseGroup::Standing) || weight(without_opening(sentence)) < 2 {
        return false;
    }
    let rest = without_opening(sentence);
    let is_requested = REQUESTING.iter().any(|opening| folded.0.contains(&format!(" {opening} ")));
    is_requested || !rest.ends_with('?') && begins_with_order(rest) || is_other_script(rest)
}

/// Whether a text is written in another script than the Latin one: of what it says nothing can be known by its words. A unit or an
/// accent does not make it so.
pub(super) fn is_other_script(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, other) =
        letters.fold((0, 0), |(all, other), c| (all + 1, other + usize::from(c as u32 > LAST_LATIN)));
    other * 2 > all
}

/// The last character of the Latin letters with marks.
const LAST_LATIN: u32 = 0x24F;

/// Whether an order asks for a result that can be named, rather than to look, to try or to go on.
pub(super) fn orders_result(title: &str) -> bool {
    let first = words(title).next().unwrap_or_default();
    is_other_script(title) || begins_with_order(title) && !NO_RESULT.contains(&first.as_str())
}

/// Verbs of orders that leave nothing to name.
#[rustfmt::skip]
const NO_RESULT: &[&str] = &[
    "check", "commit", "do", "explain", "find", "get", "give", "investigate", "list", "look", "open", "print", "pull", "push", "read", "report", "resolve",
    "review", "run", "send", "show", "start", "stop", "test", "track", "try", "verify",
];

/// Whether a sentence begins with what is to be done.
pub(super) fn begins_with_order(sentence: &str) -> bool {
    words(sentence).next().is_some_and(|first| VERBS.contains(&first.as_str()))
}

/// What makes a request of a sentence, wherever it stands.
#[rustfmt::skip]
const REQUESTING: &[&str] = &[
    "please", "can you", "could you", "can we", "could we", "would you", "let's", "lets", "i want you to", "i want to", "i'd like to", "i would like to",
    "we need to", "you should", "go ahead and", "need you to",
];
/// What requests in English begin with.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "add", "adjust", "allow", "apply", "build", "bring", "bump", "change", "check", "clean", "close", "combine", "commit", "configure", "connect", "convert",
    "copy", "correct", "create", "cut", "debug", "delete", "deploy", "design", "disable", "do", "document", "drop", "enable", "enforce", "ensure", "explain", "export",
    "extend", "extract", "find", "finish", "fix", "format", "generate", "get", "give", "go", "handle", "hide", "implement", "import", "improve", "include",
    "increase", "inline", "install", "integrate", "investigate", "limit", "list", "load", "look", "make", "merge", "migrate", "mock", "modify", "move", "open",
    "optimise", "optimize", "parse", "port", "prepare", "print", "publish", "pull", "push", "put", "read", "rebase", "rebuild", "reduce", "refactor", "refresh", "release",
    "remove", "rename", "render", "reorder", "replace", "report", "resolve", "restore", "restructure", "retry", "return", "revert", "review", "rewrite", "run",
    "save", "send", "set", "show", "simplify", "skip", "sort", "split", "start", "stop", "store", "support", "switch", "test", "tidy", "track", "translate",
    "try", "turn", "update", "upgrade", "use", "validate", "verify", "wire", "wrap", "write",
];

/// Returns what a closing message says was done, in sentences that begin with it, as a colleague would title them: "Update the tool
/// descriptions".
pub(super) fn claims(message: &str) -> Vec<String> {
    let lines = lines(message);
    let spoken = lines.iter().filter(|line| line.shape == LineShape::Text);
    spoken.flat_map(|line| sentences(&line.text)).filter_map(claim).collect()
}

fn claim(sentence: &str) -> Option<String> {
    // What ends with a colon goes on in a list; "Added the queue to all three senders:" says enough without it.
    if sentence.ends_with('?') || leads_to_list(sentence) {
        return None;
    }
    // "Fixed: uploads wait for the lock" says itself what was done.
    if let Some(said) = sentence.strip_prefix("Fixed: ") {
        return whole_title(said).filter(|title| weight(title) >= 3);
    }
    let said = without_speaker(sentence);
    let (first, rest) = said.split_once(' ')?;
    let verb = infinitive(&first.to_lowercase())?;
    let object = words(rest).next()?;
    let is_addressed = words(rest).any(|word| matches!(word.as_str(), "you" | "your" | "i" | "we"));
    let title = format!("{verb} {rest}");
    // What has to lose its middle to fit is no title.
    let is_long = plain(&title).chars().count() > TITLE_CHARS && clause_end(&plain(&title)).is_none();
    let title = whole_title(&title).filter(|_| !is_long)?;
    (!is_addressed && weight(&title) >= 3 && !PREPOSITIONS.contains(&object.as_str()) && stands_alone(&title))
        .then_some(title)
}

/// Whether a sentence needs the list it leads to: "updated both files to say:", "made the following changes:".
pub(super) fn leads_to_list(sentence: &str) -> bool {
    let Some(lead) = sentence.strip_suffix(':') else { return false };
    let all: Vec<String> = words(lead).collect();
    let last = all.last().map(String::as_str).unwrap_or_default();
    let is_purpose = all.iter().rev().take(FIRST_WORDS).any(|word| word == "to");
    // "A reference that holds:" and "a page containing:" go on, too.
    OPEN_ENDS.contains(&last)
        || last.ends_with("ing")
        || is_purpose
        || all.iter().any(|word| word == "following")
        || weight(lead) < ENOUGH_WEIGHT
}

/// A verb that one of these follows has no object: "Removed from the docs".
const PREPOSITIONS: &[&str] =
    &["from", "in", "on", "to", "by", "with", "for", "at", "as", "and", "via", "into", "of", "or", "but"];

/// Whether a title begins with a preposition: what it says it of was said before.
pub(super) fn lacks_subject(title: &str) -> bool {
    words(title).next().is_some_and(|first| PREPOSITIONS.contains(&first.as_str()))
}

/// Drops what an agent says of itself before it says what it did.
fn without_speaker(sentence: &str) -> &str {
    let speakers = ["I've ", "I’ve ", "I have ", "I ", "We've ", "We "];
    let rest = without_opening(sentence);
    let rest = speakers.iter().find_map(|speaker| rest.strip_prefix(speaker)).unwrap_or(rest);
    ["also ", "successfully ", "now "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest)
}

/// Returns the verb of which a word is the past form: titles of work begin with what was done, as those of commits do.
fn infinitive(form: &str) -> Option<&'static str> {
    let irregular = [
        ("made", "make"),
        ("wrote", "write"),
        ("built", "build"),
        ("rewrote", "rewrite"),
        ("rebuilt", "rebuild"),
    ];
    let is_past = |verb: &&&str| {
        let stem = form.strip_suffix("ed").unwrap_or_default();
        let is_doubled = |stem: &str| {
            let mut ends = stem.chars().rev();
            ends.next() == ends.next() && stem.strip_suffix(|_: char| true) == Some(**verb)
        };
        let is_y = stem.strip_suffix('i').is_some_and(|stem| verb.strip_suffix('y') == Some(stem));
        stem == **verb || verb.strip_suffix('e') == Some(stem) || is_y || is_doubled(stem)
    };
    let regular = || VERBS.iter().find(is_past).copied();
    irregular.iter().find(|(irregular, _)| *irregular == form).map(|(_, verb)| *verb).or_else(regular)
}

/// Returns the verb of which a word is the form that ends with -ing.
pub(super) fn infinitive_of_gerund(form: &str) -> Option<&'static str> {
    let stem = form.strip_suffix("ing").filter(|stem| !stem.is_empty())?;
    infinitive(&format!("{stem}ed"))
        .or_else(|| VERBS.iter().find(|verb| verb.strip_suffix('e') == Some(stem)).copied())
}

/// An order that says so much needs to say no more.
const ENOUGH_WEIGHT: usize = 5;

/// Returns the heading of a plan that is sent as a prompt, or was approved.
pub(super) fn title_of_plan(text: &str) -> Option<String> {
    let is_plan = text.trim_start().to_lowercase().starts_with("implement the following plan");
    let heading = |text: &str| {
        let line = text.lines().map(str::trim).find(|line| line.starts_with("# "))?;
        let line = line.trim_start_matches(['#', ' ']);
        let line = ["Plan: ", "Plan - ", "Plan – ", "Implementation Plan: ", "Implementation plan: "]
            .iter()
            .find_map(|start| line.strip_prefix(start))
            .unwrap_or(line);
        Some(title_of(line)).filter(|title| weight(title) >= 2)
    };
    if is_plan { heading(text) } else { None }
}

/// Returns the heading of a plan that was approved.
pub(super) fn title_of_approved(plan: &str) -> Option<String> {
    title_of_plan(&format!("implement the following plan\n{plan}"))
}

/// A slash command before what was typed.
fn without_command(prompt: &str) -> &str {
    let prompt = prompt.trim_start();
    match prompt.strip_prefix('/') {
        Some(rest) if rest.starts_with(|c: char| c.is_alphabetic()) => {
            rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
        }
        _ => prompt,
    }
}

/// Drops openings, one after the other.
pub(super) fn without_opening(sentence: &str) -> &str {
    let mut rest = sentence.trim();
    loop {
        let lower = rest.to_lowercase();
        let opens = |opening: &str| {
            lower.strip_prefix(opening).is_some_and(|after| after.starts_with(char::is_whitespace))
        };
        let pauses = |opening: &str| {
            lower.strip_prefix(opening).is_some_and(|after| after.starts_with([',', '.', '!']))
        };
        let is_free = |opening: &&str| opens(opening) && !SAYING_TOO.contains(opening) || pauses(opening);
        let free = OPENINGS.iter().copied().chain(kind_words()).filter(is_free);
        // "No, use tabs" opens with a no; "no more deploys" says it.
        let declining = phrases_of(PhraseGroup::Decline).filter(|opening| pauses(opening));
        let longest = free.chain(declining).map(str::len).max();
        // Lower case may have other lengths in some scripts: then nothing is dropped.
        let Some(after) = longest.and_then(|length| rest.get(length..)) else { return rest };
        let after = after.trim_start_matches([' ', ',', '.', '!', '-', '\t']);
        if after.is_empty() {
            return rest;
        }
        rest = after;
    }
}

/// Words of assent and courtesy.
fn kind_words() -> impl Iterator<Item = &'static str> {
    [PhraseGroup::Assent, PhraseGroup::Courtesy].into_iter().flat_map(phrases_of)
}

/// How much a text says: its words that are no small words; scripts without spaces say much in one.
pub(super) fn weight(text: &str) -> usize {
    let says = words(text).filter(|word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        !is_number
            && !is_stop_word(word)
            && !SAYS_NOTHING.contains(&word.as_str())
            && !OPENINGS.contains(&word.as_str())
            && !kind_words().any(|kind| kind == word)
    });
    says.map(|word| if word.chars().all(|c| (c as u32) < 0x2E80) { 1 } else { word.chars().count() }).sum()
}

/// Words of going on.
const SAYS_NOTHING: &[&str] =
    &["go", "ahead", "again", "good", "fine", "done", "correct", "sounds", "looks", "keep", "going"];

/// Cuts a long text at the end of a clause, or between words.
fn clause(text: &str) -> String {
    let trimmed = |text: &str| text.trim_end_matches([' ', ',', ';', ':', '-', '–', '.']).to_owned();
    if let Some(clause) = clause_end(text) {
        return trimmed(clause);
    }
    let head: String = text.chars().take(TITLE_CHARS + 1).collect();
    let mut kept = head.rsplit_once(' ').map_or(head.as_str(), |(before, _)| before);
    while let Some((before, last)) = kept.rsplit_once(' ') {
        if !OPEN_ENDS.contains(&last.to_lowercase().as_str()) {
            break;
        }
        kept = before;
    }
    trimmed(kept)
}

/// Returns as much of a text as fits into a title and ends with a clause.
fn clause_end(text: &str) -> Option<&str> {
    let end = text.char_indices().nth(TITLE_CHARS + 1).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end)?;
    CLAUSE_ENDS.iter().find_map(|(least, ends)| {
        let last = ends.iter().filter_map(|end| head.rfind(end)).filter(|at| at >= least).max();
        last.and_then(|at| head.get(..at))
    })
}

/// Drops a quote or a bracket that has lost its partner.
fn balanced(text: &str) -> String {
    let mut text = text.to_owned();
    for quote in ['"', '`'] {
        if text.matches(quote).count() % 2 == 1 {
            text = text.replace(quote, "");
        }
    }
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
        if text.matches(open).count() == text.matches(close).count() {
            continue;
        }
        // What stands before a bracket that never closes usually says it; without the bracket it would run into what follows.
        match text.rfind(open).filter(|at| *at >= LEAST_BEFORE_BRACKET) {
            Some(at) => text.truncate(at),
            None => text = text.replace([open, close], ""),
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const LEAST_BEFORE_BRACKET: usize = 24;

/// Begins with a capital, unless its first word is a name such as `runMigration` or `user_id`.
pub(super) fn capitalised(title: &str) -> String {
    let word = title.split(' ').next().unwrap_or_default().trim_end_matches([',', '.']);
    let is_plain = word.chars().all(|c| c.is_lowercase() || c == '\'');
    let mut chars = title.chars();
    match chars.next() {
        Some(first) if is_plain => first.to_uppercase().chain(chars).collect(),
        _ => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_becomes_a_title_without_its_politeness() {
        let check = |prompt: &str, title: Option<&str>| {
            assert_eq!(title_of_request(prompt).as_deref(), title, "{prompt}");
        };
        check("ok, can you also add a retry to the uploader please?", Some("Add a retry to the uploader"));
        check(
            "/quick move the toolbar to the bottom of the list",
            Some("Move the toolbar to the bottom of the list"),
        );
        check("/progress", None);
        check("yes, go ahead please", None);
        check("It fails since yesterday. Please repair the login page", Some("Repair the login page"));
        check("Here is the log:\n\n```\nerror\n```\n\nFix the login page.", Some("Fix the login page"));
        check("Implement the following plan:\n\n# Plan: Bounded queues\n\nText", Some("Bounded queues"));
        check("修复登录页面", Some("修复登录页面"));
        check("Давай добавим повтор загрузки", Some("Добавим повтор загрузки"));
    }

    #[test]
    fn a_closing_message_names_the_work_only_in_a_sentence_that_begins_with_it() {
        let check = |message: &str, titles: &[&str]| assert_eq!(claims(message), titles, "{message}");
        check("Done! I've updated the three tool descriptions.", &["Update the three tool descriptions"]);
        check("Copied the index. Dropped the old session table.", &["Drop the old session table"]);
        check("All good now. Would you like me to push?", &[]);
        check("The tests pass and everything is fine.", &[]);
        check("I've updated both settings files to state:\n- one\n- two", &[]);
        check("Removed from docs (not in code). Updated this as well.", &[]);
    }

    #[test]
    fn a_long_sentence_ends_at_a_clause() {
        let title = title_of(
            "Store the session keys in the vault entry that the record points at, so we could drop the whole table and its index",
        );
        assert_eq!(title, "Store the session keys in the vault entry that the record points at");
    }

    proptest! {
        #[test]
        fn a_title_is_short_whole_and_never_cut_with_dots(text in "[a-zA-Zа-я ,.()\"`]{0,300}") {
            let title = title_of(&text);
            prop_assert!(title.chars().count() <= TITLE_CHARS);
            prop_assert!(!title.ends_with('…') && !title.contains('\n'));
        }
    }
}
