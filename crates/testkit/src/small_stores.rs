//! Invented stores of a young project: a few memories, most of them about one topic, and questions in the words of those who work there.

/// A store, and questions to it.
#[derive(Clone, Debug)]
pub struct SmallStore {
    /// Its name, which says how many memories it has.
    pub name: String,
    /// What it holds, each a decision.
    pub memories: Vec<String>,
    /// Questions, each with the place of the memory that answers it; of some nothing is known.
    pub questions: Vec<(String, Option<usize>)>,
}

/// Returns the stores of 5, 20 and 100 memories.
#[must_use]
pub fn small_stores() -> [SmallStore; 3] {
    [young(5), young(20), hundred()]
}

fn young(count: usize) -> SmallStore {
    let memories: Vec<String> = DECISIONS.iter().take(count).map(|text| (*text).to_owned()).collect();
    let answered =
        QUESTIONS.iter().filter(|(_, at)| *at < count).map(|(question, at)| (*question, Some(*at)));
    let unanswered = UNANSWERED.iter().map(|question| (*question, None));
    let questions = answered.chain(unanswered).map(|(question, at)| (question.to_owned(), at)).collect();
    SmallStore { name: format!("small-{count}"), memories, questions }
}

/// Every memory shares its part with nine others and its subject with nine.
fn hundred() -> SmallStore {
    let (mut memories, mut questions) = (Vec::new(), Vec::new());
    for (of_part, part) in PARTS.iter().enumerate() {
        for (of_subject, ((says, question), values)) in SUBJECTS.iter().zip(VALUES).enumerate() {
            // Every third: of each part, and of each subject, some.
            if (of_part + of_subject) % 3 == 0 {
                questions.push((question.replace("{}", part), Some(memories.len())));
            }
            let value = values.get((of_part + of_subject) % values.len()).copied().unwrap_or_default();
            memories.push(format!("The search {part} {says} {value}"));
        }
    }
    questions.extend(UNANSWERED.iter().map(|question| ((*question).to_owned(), None)));
    SmallStore { name: "small-100".to_owned(), memories, questions }
}

/// Questions and requests of which none of the stores knows anything.
const UNANSWERED: [&str; 10] = [
    "what is the weather in Lisbon today",
    "translate the welcome page into Finnish",
    "which colour has the logo",
    "why is the sky blue",
    "rename the variable to count and run the formatter",
    "how many legs does a spider have",
    "write a poem about autumn",
    "who is on holiday next week",
    "open a pull request with these commits",
    "explain how a semaphore differs from a mutex",
];

/// Twenty decisions of one project, ten of them about its search.
const DECISIONS: [&str; 20] = [
    "Use SQLite FTS5 for search ranking because it needs no server",
    "Search results are paged by cursor, not by offset",
    "The search box waits 150 ms after the last key before it asks",
    "Search never reads archived orders unless the filter says so",
    "Typos in a search are corrected from the vocabulary of the index",
    "The search index is rebuilt every night by the batch job",
    "Search queries are logged without the name of the customer",
    "Synonyms for search live in a table that support can edit",
    "The search endpoint answers 429 after twenty requests a second",
    "Search highlights are made on the server, so that the app stays small",
    "Change invoices only by a correcting entry, never in place",
    "Payments go through one provider per country",
    "Images are resized when they are uploaded, not when they are shown",
    "Feature flags expire after ninety days",
    "Every background job writes its progress to the jobs table",
    "The mobile app is written in Kotlin and Swift, without a shared core",
    "Logs are kept for thirty days and then deleted",
    "Deploys happen from the main branch, twice a day",
    "Passwords are hashed with Argon2id",
    "The public API is versioned by date in a header",
];

/// A question in the words of somebody who works there, and the decision it is about.
const QUESTIONS: [(&str, usize); 12] = [
    ("how does our search work? I want to change the ranking", 0),
    ("which engine ranks the search results", 0),
    ("how are search results paged", 1),
    ("does search show archived orders", 3),
    ("what happens when a search has a typo", 4),
    ("when is the search index rebuilt", 5),
    ("are customer names in the search logs", 6),
    ("where do I add a synonym for search", 7),
    ("what is the rate limit of the search endpoint", 8),
    ("can I edit an invoice", 10),
    ("how long do we keep logs", 16),
    ("how are passwords stored", 18),
];

/// Ten parts of one search service, and what is settled of each.
const PARTS: [&str; 10] = [
    "indexer",
    "tokenizer",
    "ranker",
    "synonym editor",
    "result cache",
    "highlighter",
    "suggestion box",
    "query log",
    "crawler",
    "facet counter",
];
const SUBJECTS: [(&str, &str); 10] = [
    ("is written in", "which language is the search {} written in"),
    ("gives up after", "how long does the search {} wait before it gives up"),
    ("keeps its data in", "where does the search {} keep its data"),
    ("starts every", "how often does the search {} start"),
    ("is owned by", "who owns the search {}"),
    ("uses at most", "how much memory may the search {} use"),
    ("alerts on", "when does the search {} alert somebody"),
    ("is rolled out to", "where is the search {} rolled out first"),
    ("is tested with", "what is the search {} tested with"),
    ("replaced", "what did the search {} replace"),
];
const VALUES: [[&str; 3]; 10] = [
    ["Rust", "Kotlin", "Go"],
    ["two seconds", "forty milliseconds", "half a minute"],
    ["PostgreSQL", "a Redis cluster", "files on the node"],
    ["night at three", "ten minutes", "Monday"],
    ["the platform group", "Marta's team", "the shop team"],
    ["512 MB of memory", "2 GB of memory", "one percent of the node's memory"],
    ["a queue longer than a thousand", "any error in an hour", "ten failed requests"],
    ["the Lisbon region first", "internal users first", "five percent of the customers first"],
    ["recorded traffic", "a generated catalogue", "property tests"],
    ["a nightly shell script", "the vendor's plugin", "a spreadsheet"],
];
