//! The summary a host writes when it compacts its context, read section by section: what failed and how it was fixed, what the user
//! said, what is left.
//!
//! The host's model wrote it: it proposes, and later events count over it. What the user is quoted with is theirs only where an event
//! of the session has it, and was read there; the rest is the assistant's word. Not here: when a context is compacted (`hosts`).

use crate::causes::names_thing;
use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{list_item, plain};
use crate::sentences::sentences;
use crate::titles::{title_of, weight, whole_title};
use crate::transcript::{TranscriptEntry, Turn};
use crate::user_rules;
use backstory_memory::{
    Activity, Details, EvidenceKind, FailureDetails, FixDetails, Kind, Provenance, TITLE_CHARS, WantedWords,
    words,
};
use backstory_store::OnRepeat;

/// So many failures of one summary are kept.
const MOST_FAILURES: usize = 4;
/// A quotation with fewer letters stands in too many messages by chance.
const FEWEST_LETTERS: usize = 12;
/// The name of a problem is no longer than this.
const LONGEST_NAME: usize = 90;

/// One item of a section: its first line, then what stands below it.
type SummaryItem = Vec<String>;

/// The sections of a summary that say something of their own.
#[derive(Debug, Default, PartialEq, Eq)]
struct CompactionSummary {
    failures: Vec<SummaryItem>,
    quotations: Vec<SummaryItem>,
    pending: Vec<SummaryItem>,
}

/// Returns what a summary adds to what the turn's own events say; `known` is what was found there.
pub(super) fn findings(turns: &[Turn<'_>], turn: &Turn<'_>, known: &[Finding]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (entry, text) in turn.entries.iter().filter_map(summary_of) {
        let summary = CompactionSummary::read(text);
        let failures = summary.failures.iter().filter_map(|item| failure(entry, item, known));
        found.extend(failures.take(MOST_FAILURES));
    }
    let quoted = unseen_quotations(turns, turn);
    found.extend(quoted.iter().flat_map(|(entry, said)| user_rules::standing_rules(entry, said)));
    found
}

/// Returns what the summaries of a turn quote the user with and no event has. What an event has was read there, as the user's.
pub(super) fn unseen_quotations<'a>(
    turns: &[Turn<'_>],
    turn: &Turn<'a>,
) -> Vec<(&'a TranscriptEntry, String)> {
    let summaries: Vec<_> = turn.entries.iter().filter_map(summary_of).collect();
    if summaries.is_empty() {
        return Vec::new();
    }
    let typed = letters(&typed_in(turns));
    let is_unseen = |said: &String| is_long(said) && !typed.contains(&letters(said));
    let quoted = summaries.into_iter().flat_map(|(entry, text)| {
        let quotations = CompactionSummary::read(text).quotations;
        quotations.iter().map(quotation).filter(is_unseen).map(|said| (entry, said)).collect::<Vec<_>>()
    });
    quoted.collect()
}

/// Returns what the last summary lists as left, unless a turn has ended since: its end says more.
pub(super) fn pending(turns: &[Turn<'_>]) -> Vec<String> {
    let entries: Vec<&TranscriptEntry> = turns.iter().flat_map(|turn| turn.entries).collect();
    let Some(at) = entries.iter().rposition(|entry| summary_of(entry).is_some()) else { return Vec::new() };
    let since = entries.get(at + 1..).unwrap_or_default();
    let is_end = |entry: &&TranscriptEntry| matches!(entry.activity(), Activity::TurnEnded { .. });
    if since.iter().any(is_end) {
        return Vec::new();
    }
    let text = entries.get(at).and_then(|entry| summary_of(entry)).map(|(_, text)| text).unwrap_or_default();
    let items = CompactionSummary::read(text).pending;
    items.iter().filter_map(|item| step(item.first()?)).collect()
}

fn summary_of(entry: &TranscriptEntry) -> Option<(&TranscriptEntry, &str)> {
    match entry.activity() {
        Activity::Compacted { summary } => Some((entry, summary)),
        _ => None,
    }
}

impl CompactionSummary {
    /// Reads the items below the headings we know.
    fn read(text: &str) -> CompactionSummary {
        let mut summary = CompactionSummary::default();
        let mut group = None;
        let (mut in_code, mut outermost) = (false, usize::MAX);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if let Some(heading) = heading(line).filter(|_| !in_code) {
                (group, outermost) = (group_of(&heading), usize::MAX);
            } else if let Some(items) = group.filter(|_| !in_code).and_then(|group| summary.section(group)) {
                let depth = line.len() - line.trim_start().len();
                let item = list_item(line);
                if item.is_some() && depth <= outermost || items.is_empty() {
                    outermost = depth;
                    items.push(Vec::new());
                }
                items.last_mut().into_iter().for_each(|last| last.push(plain(item.unwrap_or(line))));
            }
        }
        summary
    }

    fn section(&mut self, group: PhraseGroup) -> Option<&mut Vec<SummaryItem>> {
        match group {
            PhraseGroup::Failing => Some(&mut self.failures),
            PhraseGroup::Quoted => Some(&mut self.quotations),
            PhraseGroup::Next => Some(&mut self.pending),
            _ => None,
        }
    }
}

/// "4. Errors and fixes:", "## Next steps", "<current_plan>", "**Pending tasks**": what begins a section, at the left margin.
fn heading(line: &str) -> Option<String> {
    let text = line.trim_end();
    if text.starts_with('#') {
        return Some(plain(text.trim_start_matches(['#', ' '])));
    }
    let tag = text.strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
    if let Some(tag) = tag {
        return Some(tag.trim_start_matches('/').replace('_', " "));
    }
    let is_named = text.ends_with(':') || text.starts_with("**") && text.ends_with("**");
    let is_margin =
        !text.starts_with(char::is_whitespace) && !text.starts_with(['-', '*']) || text.starts_with("**");
    (is_named && is_margin).then(|| plain(list_item(text).unwrap_or(text)))
}

fn group_of(heading: &str) -> Option<PhraseGroup> {
    let folded = FoldedSentence::new(heading);
    [PhraseGroup::Failing, PhraseGroup::Quoted, PhraseGroup::Next]
        .into_iter()
        .find(|group| folded.has(*group))
}

/// A problem and what fixed it, if the item says both and names the thing, and no failure of the session is the same.
fn failure(entry: &TranscriptEntry, item: &SummaryItem, known: &[Finding]) -> Option<Finding> {
    let all: Vec<&str> = item.iter().flat_map(|line| sentences(line)).collect();
    let (said_by_user, described): (Vec<&str>, Vec<&str>) = all
        .into_iter()
        .partition(|sentence| FoldedSentence::new(sentence).begins_with(&["user", "the user"]));
    // What the user put right is no failure of the code, but perhaps a rule, which was read where it was said.
    if said_by_user.iter().any(|sentence| words(sentence).any(|word| word.starts_with("correct"))) {
        return None;
    }
    let problem = described.first().filter(|first| !is_fix(first))?;
    let fix = described.iter().find(|sentence| is_fix(sentence))?;
    let whole = described.join(" ");
    let is_mishap = FoldedSentence::new(&whole).has(PhraseGroup::OwnTool);
    if is_mishap || !names_thing(&whole) || known.iter().any(|finding| is_same(finding, &whole)) {
        return None;
    }
    let name = problem.split_once(": ").map(|(name, _)| name.split(" (").next().unwrap_or(name));
    let name = name.filter(|name| weight(name) >= 3 && name.len() <= LONGEST_NAME);
    let title = title(problem, name, fix)?;
    let fixed = FixDetails { summary: Some((*fix).to_owned()), ..FixDetails::default() };
    let details =
        FailureDetails { error_line: (*problem).to_owned(), fix: Some(fixed), ..FailureDetails::default() };
    let mut content = distilled(Kind::Failure, &title, &described.join("\n"), Provenance::Assistant);
    content.details = Some(Details::Failure(details));
    let spoken = words(&title).collect::<Vec<_>>().join(" ");
    Some(Finding {
        subject: subject("summarised failure", &[spoken.as_bytes()]),
        content,
        events: evidence([entry]),
        at: entry.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Words,
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    })
}

/// What failed and why, where that fits; else what failed and what put it right: a name alone says neither.
fn title(problem: &str, name: Option<&str>, fix: &str) -> Option<String> {
    if names_progress(problem) {
        return None;
    }
    let says_why = problem.split_once(": ").is_some_and(|(_, why)| weight(why) >= 3);
    if says_why && problem.chars().count() <= TITLE_CHARS {
        return Some(title_of(problem));
    }
    let name = name
        .unwrap_or_else(|| problem.trim_end_matches('.'))
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let fix = fix.trim_end_matches('.');
    let fix = fix.strip_prefix("Fixed ").map_or_else(|| fix.to_owned(), |rest| format!("fixed {rest}"));
    let both = format!("{name}: {fix}");
    (both.chars().count() <= TITLE_CHARS)
        .then(|| title_of(&both))
        .or_else(|| whole_title(problem).filter(|_| says_why))
}

/// Whether what is called a problem is how far something was: a share, or a count that has changed since.
fn names_progress(problem: &str) -> bool {
    let name = problem.split_once(": ").map_or(problem, |(name, _)| name);
    name.contains("%)") || name.ends_with('%')
}

/// Whether a sentence says what put it right; "not yet fixed" says the opposite.
fn is_fix(sentence: &str) -> bool {
    FoldedSentence::new(sentence).has(PhraseGroup::Fixed) && !words(sentence).any(|word| word == "not")
}

/// Whether a failure that was found speaks of the same: the words of its error stand in the item.
fn is_same(finding: &Finding, item: &str) -> bool {
    let error =
        finding.content.details.as_ref().and_then(Details::failure).map(|failure| &failure.error_line);
    finding.content.kind == Kind::Failure
        && [Some(&finding.content.title), error]
            .into_iter()
            .flatten()
            .any(|said| WantedWords::new(said).are_in(item))
}

/// What the user is quoted with: what stands between quotation marks, else the whole item.
fn quotation(item: &SummaryItem) -> String {
    let whole = item.join(" ");
    let marks = ['"', '“', '”'];
    let quoted = whole.find(marks).zip(whole.rfind(marks)).and_then(|(begin, end)| whole.get(begin..end));
    let said = quoted.filter(|said| said.len() > 1).unwrap_or(&whole).trim_matches(marks);
    // A quotation that is cut is compared as far as it goes.
    said.split(['…']).next().unwrap_or(said).split("...").next().unwrap_or(said).trim().to_owned()
}

fn is_long(said: &str) -> bool {
    letters(said).chars().count() >= FEWEST_LETTERS
}

/// All the user typed in a session.
fn typed_in(turns: &[Turn<'_>]) -> String {
    let said = turns.iter().flat_map(|turn| turn.entries).filter_map(|entry| match entry.activity() {
        Activity::Prompted { text } | Activity::Interjected { text } => Some(text.as_str()),
        Activity::Rejected { feedback, .. } | Activity::PlanDecided { feedback, .. } => Some(feedback),
        Activity::Answered { answer, .. } => Some(answer),
        _ => None,
    });
    said.collect::<Vec<_>>().join("\n")
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// One thing that is left; nothing where it is done, or nothing is.
fn step(item: &str) -> Option<String> {
    let (mark, rest) = match item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((mark, rest)) => (mark.trim().to_lowercase(), rest.trim_start()),
        None => (String::new(), item),
    };
    let is_done = ["x", "done", "completed"].contains(&mark.as_str());
    let is_none = words(rest).next().is_some_and(|first| ["none", "no", "nothing"].contains(&first.as_str()));
    (!is_done && !is_none && weight(rest) >= 2).then(|| title_of(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_in_the_forms_of_several_hosts() {
        let claude = "Summary:\n1. Primary Request:\n   - Ship it\n\n4. Errors and fixes:\n   - **Port taken**: `bind` failed on 8080.\n     - Fixed by freeing it\n   - Other\n\n\
             6. All user messages:\n   - \"never use npm here\"\n7. Pending Tasks:\n   - Add the page\n\n8. Current Work:\n   Wrote `x`";
        let read = CompactionSummary::read(claude);
        assert_eq!(
            read.failures,
            [vec!["Port taken: bind failed on 8080.", "Fixed by freeing it"], vec!["Other"]]
        );
        assert_eq!(read.quotations, [["\"never use npm here\""]]);
        assert_eq!(read.pending, [["Add the page"]]);
        let gemini = "<overall_goal>\nShip it\n</overall_goal>\n<current_plan>\n1. [DONE] Read the page\n2. [TODO] Write the page\n</current_plan>";
        let steps: Vec<_> =
            CompactionSummary::read(gemini).pending.iter().filter_map(|item| step(&item[0])).collect();
        assert_eq!(steps, ["Write the page"]);
        let markdown = "## Done\n- the list\n\n## Next steps\n- Add the page\n- None of it is tested";
        assert_eq!(CompactionSummary::read(markdown).pending.len(), 2);
    }
}
