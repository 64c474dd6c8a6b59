//! What the hooks of a host left in the store: whether they run at all, and whether what they say is still understood.

use super::told::{Finding, by_what};
use crate::commands::hook::LACKING;
use crate::wiring::next_steps;
use backstory_hosts::Host;
use backstory_store::Receipt;

/// So many of the newest receipts of a host are looked at.
pub(crate) const NEWEST: u32 = 50;

/// Of one event so many must agree before the host is said to have changed.
const AGREEING: usize = 2;

/// Whether the newest receipts of a host, newest first, show that something of it does not work any more.
pub(crate) fn is_failing(host: Host, receipts: &[Receipt]) -> bool {
    judge(host, receipts).iter().any(Finding::is_broken)
}

/// Judges the newest receipts of a host, newest first.
pub(super) fn judge(host: Host, receipts: &[Receipt]) -> Vec<Finding> {
    // Who has no hooks leaves no receipts.
    if host.events().is_empty() {
        return Vec::new();
    }
    if receipts.is_empty() {
        let mut steps = next_steps(host);
        steps.push(format!("start a session in {}", host.title()));
        return vec![Finding::note("no hook of it has run yet", Some(steps.join("; then ")))];
    }
    if receipts.len() >= AGREEING && !receipts.iter().any(|receipt| host.has_event(&receipt.event)) {
        let what =
            format!("nothing of its last {} hooks was understood: it speaks differently now", receipts.len());
        return vec![Finding::broken(&what, Some(UPDATE.to_owned()))];
    }
    let events = events_in(receipts);
    let lacking = events.iter().filter_map(|event| Some((*event, lacking_of(event, receipts)?)));
    let changed = by_what(lacking).into_iter().map(|(what, events)| {
        Finding::broken(&format!("its payloads lack the {what} now: {events}"), Some(UPDATE.to_owned()))
    });
    let unknown: Vec<&str> = events.iter().copied().filter(|event| !host.has_event(event)).collect();
    let unknown = (!unknown.is_empty())
        .then(|| Finding::note(&format!("not understood, and kept as it was: {}", unknown.join(", ")), None));
    changed.chain(unknown).collect()
}

/// Returns what the newest receipts of an event say it lacks, if they agree.
fn lacking_of<'a>(event: &str, receipts: &'a [Receipt]) -> Option<&'a str> {
    let of_it: Vec<&Receipt> = receipts.iter().filter(|receipt| receipt.event == event).take(5).collect();
    let lacks: Vec<&str> = of_it.iter().filter_map(|receipt| lacking(receipt)).collect();
    lacks.first().copied().filter(|_| lacks.len() == of_it.len() && of_it.len() >= AGREEING)
}

const UPDATE: &str = "update Backstory; until then part of what happens there is not remembered";

fn events_in(receipts: &[Receipt]) -> Vec<&str> {
    let mut events: Vec<&str> = receipts.iter().map(|receipt| receipt.event.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    events
}

fn lacking(receipt: &Receipt) -> Option<&str> {
    let (_, what) = receipt.outcome.split_once(LACKING)?;
    Some(what.split(", gave ").next().unwrap_or(what))
}

/// Returns how long the hooks of a host take, in the middle.
pub(super) fn usual_ms(receipts: &[Receipt]) -> Option<f64> {
    let mut times: Vec<u32> = receipts.iter().map(|receipt| receipt.duration_us).collect();
    times.sort_unstable();
    times.get(times.len() / 2).map(|middle| f64::from(*middle) / 1000.0)
}
