//! Before a memory is written: take out what must not be stored, bring every field under its cap, and look whether we have it already.
//!
//! Every way of writing a memory goes through here.

use crate::Redactor;
use backstory_memory::{
    Category, Content, MemoryId, Redacted, SyncBatch, cap, jaccard, keywords, says_the_same, title_from,
};
use backstory_store::{Attachments, Filter, Scope, Store, StoreError, WordQuery};

/// The longest body, in bytes.
pub const MOST_BODY_BYTES: usize = 64 * 1024;
const MOST_ITEM_BYTES: usize = 2 * 1024;
const MOST_ITEMS: usize = 128;
/// How many of the closest by words are compared in full.
const COMPARED: u32 = 12;
/// More words than this do not tell texts apart any better.
const MOST_WORDS: usize = 48;

/// Makes a memory fit to be stored: without secrets and private parts, every field under its cap.
#[must_use]
pub fn prepare(draft: Content, redactor: &Redactor) -> Redacted<Content> {
    Redacted::vouch(scrubbed(draft, redactor))
}

/// Makes the changes of a team fit to be stored or sent: every revision as [`prepare`] does it.
#[must_use]
pub fn prepare_batch(mut batch: SyncBatch, redactor: &Redactor) -> Redacted<SyncBatch> {
    for revision in batch.memories.iter_mut().flat_map(|memory| &mut memory.revisions) {
        revision.content = scrubbed(revision.content.clone(), redactor);
    }
    Redacted::vouch(batch)
}

/// Makes what a memory carries from another store fit to be stored.
#[must_use]
pub fn prepare_attachments(mut attachments: Attachments, redactor: &Redactor) -> Redacted<Attachments> {
    for revision in &mut attachments.revisions {
        revision.content = scrubbed(revision.content.clone(), redactor);
    }
    for anchor in &mut attachments.anchors {
        for text in std::iter::once(&mut anchor.path).chain(&mut anchor.symbol) {
            *text = redactor.scrub(text).into_inner();
        }
    }
    Redacted::vouch(attachments)
}

fn scrubbed(draft: Content, redactor: &Redactor) -> Content {
    let scrub = |text: &str| redactor.scrub(text).into_inner();
    let list = |items: Vec<String>| -> Vec<String> {
        let items = items.iter().map(|item| cap(&scrub(item), MOST_ITEM_BYTES).text);
        items.filter(|item| !item.trim().is_empty()).take(MOST_ITEMS).collect()
    };
    let details = draft.details.map(|mut details| {
        for text in details.texts_mut() {
            *text = cap(&scrub(text), MOST_ITEM_BYTES).text;
        }
        details
    });
    Content {
        details,
        title: title_from(&scrub(&draft.title)),
        body: cap(&scrub(&draft.body), MOST_BODY_BYTES).text,
        category: draft.category.map(|category| Category(scrub(&category.0))),
        facts: list(draft.facts),
        concepts: list(draft.concepts),
        files: list(draft.files),
        ..draft
    }
}

/// Returns the memory within a scope that says the same in the most alike words, and how alike they are, 0 to 1.
pub fn most_similar(
    store: &Store,
    draft: &Content,
    scope: Scope,
) -> Result<Option<(MemoryId, f64)>, StoreError> {
    let text = whole_text(draft);
    let mut query = WordQuery::default();
    keywords(&text).iter().take(MOST_WORDS).for_each(|word| query.word(word));
    let found = store.search().exact(&query, &Filter { limit: COMPARED, ..Filter::within(scope) })?;
    let ids: Vec<MemoryId> = found.iter().map(|hit| hit.memory).collect();
    let memories = store.memories().get_many(&ids)?.into_iter();
    let alike = memories
        .map(|memory| (memory.id, whole_text(&memory.content)))
        .filter(|(_, known)| says_the_same(&text, known))
        .map(|(id, known)| (id, jaccard(&text, &known)));
    Ok(alike.max_by(|one, other| one.1.total_cmp(&other.1)))
}

/// Returns title and body as one text, for comparisons.
#[must_use]
pub fn whole_text(content: &Content) -> String {
    format!("{}\n{}", content.title, content.body)
}
