//! What a plan says beside its steps: why it is needed, and which way was taken.
//!
//! Not here: what a plan is called (`titles`), how far it is carried out (`tasks`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{LineShape, MessageLine, lines};
use crate::sentences::sentences;
use crate::titles::{title_of, title_of_approved, title_of_plan, weight, whole_title};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{Activity, EvidenceKind, Kind, Provenance};
use backstory_store::OnRepeat;

/// More of the reason is in the plan.
const MOST_CHARS: usize = 320;

/// Returns the reason a plan gives, in one or two of its sentences.
pub(super) fn why_of_plan(plan: &str) -> Option<String> {
    let lines = lines(plan);
    let is_reason =
        |heading: &str| weight(heading) <= 2 && FoldedSentence::new(heading).has(PhraseGroup::Reason);
    let at = lines.iter().position(|line| line.shape == LineShape::Heading && is_reason(&line.text))?;
    let said = lines.iter().skip(at + 1).take_while(|line| line.shape == LineShape::Text);
    let mut why = String::new();
    // What ends with a colon leads to a list, which stands elsewhere.
    for sentence in said.flat_map(|line| sentences(&line.text)).filter(|sentence| !sentence.ends_with(':')) {
        if why.chars().count() + sentence.chars().count() > MOST_CHARS {
            break;
        }
        why = format!("{why} {sentence}");
    }
    Some(why.trim().to_owned()).filter(|why| weight(why) >= 4)
}

/// More items under a heading of decisions describe steps.
const MOST_DECISIONS: usize = 4;

/// Returns the decisions of the plan a turn carried out: the way its heading names, "Approach: one queue for each sender", or the items
/// under such a heading. That the user approved or sent it, and files changed after it, is what proves them.
pub(super) fn decisions(turn: &Turn<'_>) -> Vec<Finding> {
    let Some((at, entry, plan)) = plan_of(turn) else { return Vec::new() };
    let is_edit = |entry: &TranscriptEntry| matches!(entry.activity(), Activity::Edited { .. });
    if !turn.entries.iter().skip(at).any(is_edit) {
        return Vec::new();
    }
    let goal = title_of_approved(plan).map(|goal| format!("Plan: {goal}"));
    let made = ways(plan).into_iter().map(|(title, said)| {
        let body = [Some(said), goal.clone()].into_iter().flatten().collect::<Vec<_>>().join("\n");
        Finding {
            subject: subject("plan", &[&entry.key.0.0, title.as_bytes()]),
            // The words are the agent's, whoever sent them.
            content: distilled(Kind::Decision, &title, &body, Provenance::Assistant),
            events: evidence([entry].into_iter().chain(turn.last())),
            at: entry.at,
            again: OnRepeat::Replace,
            comparing: Comparing::Not,
            evidence: EvidenceKind::Structure,
            relates_to: Vec::new(),
        }
    });
    made.collect()
}

/// The last plan that was approved in a turn, or sent as its prompt.
fn plan_of<'a>(turn: &Turn<'a>) -> Option<(usize, &'a TranscriptEntry, &'a str)> {
    let approved = turn.entries.iter().enumerate().rev().find_map(|(at, entry)| match entry.activity() {
        Activity::PlanDecided { plan, is_approved: true, .. } => Some((at, entry, plan.as_str())),
        _ => None,
    });
    let sent = || title_of_plan(turn.prompt()).and_then(|_| Some((0, turn.first()?, turn.prompt())));
    approved.or_else(sent)
}

/// The ways a plan takes, with what it says of each.
fn ways(plan: &str) -> Vec<(String, String)> {
    let lines = lines(plan);
    let mut found: Vec<(String, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.shape == LineShape::Heading) {
        let (label, name) = line.text.split_once(": ").unwrap_or((&line.text, ""));
        if weight(label) > 2 || !FoldedSentence::new(label).has(PhraseGroup::Approach) {
            continue;
        }
        let under: Vec<&MessageLine> =
            lines.iter().skip(at + 1).take_while(|line| line.shape != LineShape::Heading).collect();
        if weight(name) >= 3 {
            let said = under.iter().filter(|line| line.shape == LineShape::Text);
            let said = said.flat_map(|line| sentences(&line.text)).filter(|said| !said.ends_with(':'));
            found.push((title_of(name), said.take(2).collect::<Vec<_>>().join(" ")));
        } else {
            let items: Vec<&&MessageLine> = under
                .iter()
                .filter(|line| line.shape == LineShape::Item && weight(&line.text) >= 4)
                .collect();
            let named = |line: &&&MessageLine| Some((whole_title(&line.text)?, line.text.clone()));
            found.extend(items.iter().filter(|_| items.len() <= MOST_DECISIONS).filter_map(named));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_why_in_the_section_that_describes_how_things_are() {
        let plan = "# Plan: Bounded queue\n\n## Context\n\nThe mailer keeps every letter in memory, so a slow server ends in a crash. We need three things:\n\n1. a bound\n\n## Steps\nText";
        let why = "The mailer keeps every letter in memory, so a slow server ends in a crash.";
        assert_eq!(why_of_plan(plan).as_deref(), Some(why));
        assert_eq!(
            why_of_plan("# Plan: Bounded queue\n\n## Steps\n\nAdd a bound to the queue of letters."),
            None
        );
    }

    #[test]
    fn a_plan_names_the_way_it_takes() {
        let plan = "# Plan: Mail relay\n\n## Approach: one queue for each sender\n\nSenders block each other today.\n\n## Key decisions\n- Retry in the worker, not in the page, because pages close\n\n## Verification\n1. `make test`\n2. Open the outbox in the browser and send two letters";
        let ways: Vec<String> = ways(plan).into_iter().map(|(title, _)| title).collect();
        assert_eq!(
            ways,
            ["One queue for each sender", "Retry in the worker, not in the page, because pages close"]
        );
        assert!(super::ways("# Plan: Mail relay\n\n## Steps\n- Add the queue of letters\n").is_empty());
    }
}
