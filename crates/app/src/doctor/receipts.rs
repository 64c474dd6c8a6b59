//! What a host's hooks left in the store: whether they run at all, and whether their payloads are still understood.

use super::report::{Finding, group_by_problem};
use crate::connection::next_steps;
use backstory_hosts::Host;
use backstory_store::Receipt;

/// How many of the newest receipts of a host are looked at.
pub const NEWEST: u32 = 50;

/// How many receipts of one event must agree before the host is said to have changed.
const AGREEING: usize = 2;

/// As many hooks in a row that were not understood mean a change, whatever worked before.
const IN_A_ROW: usize = 5;

/// Whether the newest receipts of a host, newest first, show that something of it does not work any more.
pub fn is_failing(host: Host, receipts: &[Receipt]) -> bool {
    findings(host, receipts).iter().any(Finding::is_broken)
}

/// Returns what the newest receipts of a host show, newest first.
pub(super) fn findings(host: Host, receipts: &[Receipt]) -> Vec<Finding> {
    // A host without hooks leaves no receipts.
    if host.events().is_empty() {
        return Vec::new();
    }
    if receipts.is_empty() {
        let mut steps = next_steps(host);
        steps.push(format!("start a session in {}", host.title()));
        return vec![Finding::note("no hook of it has run yet", Some(steps.join("; then ")))];
    }
    let not_understood = receipts.iter().take_while(|receipt| !host.has_event(&receipt.event)).count();
    if not_understood >= IN_A_ROW || (not_understood >= AGREEING && not_understood == receipts.len()) {
        let what =
            format!("nothing of its last {not_understood} hooks was understood: its payloads have changed");
        return vec![Finding::broken(&what, Some(UPDATE.to_owned()))];
    }
    let events = events_in(receipts);
    let lacking: Vec<(&str, String)> = events
        .iter()
        .filter_map(|event| Some((*event, agreed_missing_fields(event, receipts)?.join(", "))))
        .collect();
    let lacking = lacking.iter().map(|(event, fields)| (*event, fields.as_str()));
    let changed = group_by_problem(lacking).into_iter().map(|(what, events)| {
        Finding::broken(&format!("its payloads lack the {what} now: {events}"), Some(UPDATE.to_owned()))
    });
    let unknown: Vec<&str> = events.iter().copied().filter(|event| !host.has_event(event)).collect();
    let unknown = (!unknown.is_empty())
        .then(|| Finding::note(&format!("not understood, and kept as it was: {}", unknown.join(", ")), None));
    changed.chain(unknown).collect()
}

/// Returns which fields the newest payload of an event lacks, if the few before it lack some too.
fn agreed_missing_fields<'a>(event: &str, receipts: &'a [Receipt]) -> Option<&'a [String]> {
    // Only the newest few: older ones may come from an older version of the host.
    let of_event: Vec<&Receipt> = receipts.iter().filter(|receipt| *receipt.event == event).take(5).collect();
    let all_lack_some = of_event.iter().all(|receipt| !receipt.missing_fields.is_empty());
    let newest = of_event.first().filter(|_| all_lack_some && of_event.len() >= AGREEING)?;
    Some(&newest.missing_fields)
}

const UPDATE: &str = "update Backstory; until then part of what happens there is not remembered";

fn events_in(receipts: &[Receipt]) -> Vec<&str> {
    let mut events: Vec<&str> = receipts.iter().map(|receipt| receipt.event.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    events
}

/// Says what became of a hook run, and which fields its payload lacked.
pub fn outcome_words(receipt: &Receipt) -> String {
    if receipt.missing_fields.is_empty() {
        return receipt.outcome.clone();
    }
    format!("{}, lacking {}", receipt.outcome, receipt.missing_fields.join(", "))
}

/// Returns the median time of a host's hooks.
pub(super) fn usual_ms(receipts: &[Receipt]) -> Option<f64> {
    let mut times: Vec<u32> = receipts.iter().map(|receipt| receipt.duration_us).collect();
    times.sort_unstable();
    times.get(times.len() / 2).map(|middle| f64::from(*middle) / 1000.0)
}
