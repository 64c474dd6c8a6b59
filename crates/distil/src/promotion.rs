//! Makes a lesson of a failure that keeps coming back.

use crate::finding::{distilled, subject};
use crate::{DistilReport, should_promote};
use backstory_capture::{Redactor, prepare};
use backstory_memory::{Category, Kind, Link, Memory, Relation};
use backstory_store::{DistilOutcome, DistilledMemory, NewMemory, OnRepeat, Session, Store, StoreError};

/// A failure met three times becomes a fact to know beforehand, with its fix.
pub(super) fn promote(
    store: &mut Store,
    session: &Session,
    written: &[(&DistilledMemory, DistilOutcome)],
    redactor: &Redactor,
    report: &mut DistilReport,
) -> Result<(), StoreError> {
    for (item, outcome) in written {
        let Some(id) = outcome.memory().filter(|_| item.memory.content.kind == Kind::Failure) else {
            continue;
        };
        let Some(failure) = store.memories().get(id)?.filter(|failure| should_promote(failure.times_seen))
        else {
            continue;
        };
        let pattern = pattern(item, &failure, redactor);
        let outcomes = store.memories_mut().write_distilled(
            session.id,
            session.distilled_to,
            std::slice::from_ref(&pattern),
        )?;
        if let Some(pattern) = report.note(std::slice::from_ref(&pattern), &outcomes).into_values().next() {
            store.memories_mut().link(Link { from: pattern, relation: Relation::DerivedFrom, to: id })?;
        }
    }
    Ok(())
}

fn pattern(item: &DistilledMemory, failure: &Memory, redactor: &Redactor) -> DistilledMemory {
    let known = &failure.content;
    let body = format!("Met {} times. {}", failure.times_seen, known.body);
    let mut content = distilled(Kind::Fact, &known.title, &body, known.provenance.clone());
    content.category = Some(Category("anti-pattern".to_owned()));
    content.facts.clone_from(&known.facts);
    content.files.clone_from(&known.files);
    content.details.clone_from(&known.details);
    DistilledMemory {
        subject: subject("pattern", &[&item.subject.0]),
        memory: NewMemory { content: prepare(content, redactor), ..item.memory.clone() },
        on_repeat: OnRepeat::Replace,
        same_as: None,
        replaces: Vec::new(),
        contradicts: Vec::new(),
    }
}
