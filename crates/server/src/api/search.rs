//! Search by words and meaning, the timeline around a memory, and why something became none.

use super::json;
use crate::{ApiReply, ApiRequest};
use backstory_app::json::{self as shapes, HitDetail, SearchShape};
use backstory_app::missing::MissingRequest;
use backstory_app::search::SearchRequest;
use backstory_app::timeline::TimelineRequest;
use backstory_app::{App, AppError};
use backstory_memory::MemoryId;
use backstory_store::Store;
use serde::Serialize;
use std::time::Instant;

/// The most hits of one search, and the most memories before or after another.
const MAX_HITS: u32 = 200;
/// How long a snippet is, in characters, and how much of it stands before the word that was found.
const SNIPPET: usize = 240;
const BEFORE_THE_WORD: usize = 60;
/// A word that the cut goes through is left out, unless it is longer than this: some languages have no spaces.
const LONGEST_WORD: usize = 24;

#[derive(Serialize)]
struct TimedSearchShape {
    #[serde(flatten)]
    hits: SearchShape,
    ms: f64,
}

pub(super) fn search(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let started = Instant::now();
    let words = request.query.get("q").unwrap_or_default().to_owned();
    let search_request = SearchRequest {
        text: words.clone(),
        projects: request.projects(store)?,
        kinds: request.kinds()?,
        since: request.time("since", app.now)?,
        until: request.time("until", app.now)?,
        file: request.query.get("file").map(str::to_owned),
        limit: request.limit(MAX_HITS)?,
        offset: request.count("offset")?.unwrap_or(0),
        include_superseded: request.flag("superseded"),
        ..SearchRequest::default()
    };
    let detail = if request.flag("explain") { HitDetail::Explained } else { HitDetail::Score };
    let answered = app.search(store, &search_request)?;
    let fit = app.fit(store, &search_request, &answered)?;
    let mut hits = shapes::search(store, &answered, fit, detail)?;
    for (shape, hit) in hits.hits.iter_mut().zip(&answered.hits) {
        shape.snippet = Some(snippet(&hit.memory.content.body, &words));
    }
    let ms = (started.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
    json(&TimedSearchShape { hits, ms })
}

pub(super) fn timeline(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let timeline_request = TimelineRequest {
        anchor: request.count("id")?.map(|id| MemoryId(id.into())),
        before: request.count("before")?.unwrap_or(5).min(MAX_HITS),
        after: request.count("after")?.unwrap_or(5).min(MAX_HITS),
        projects: request.projects(store)?,
        limit: request.limit(MAX_HITS)?,
        ..TimelineRequest::default()
    };
    json(&shapes::timeline(store, timeline_request.anchor, &app.timeline(store, &timeline_request)?)?)
}

pub(super) fn missing(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let words = request.query.get("q").unwrap_or_default().to_owned();
    let missing = MissingRequest { words, projects: request.projects(store)? };
    json(&shapes::missing(store, &missing.words, &app.missing(store, &missing)?)?)
}

/// Cuts the part of a text where the first of the words stands, at spaces, and says where there is more.
fn snippet(text: &str, words: &str) -> String {
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let starts_with_a_word = |(at, _): &(usize, char)| {
        let mut rest = text.get(*at..).unwrap_or_default().chars().flat_map(char::to_lowercase);
        words.iter().any(|word| rest.clone().take(word.chars().count()).eq(word.chars()))
            && rest.next().is_some()
    };
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let at = letters.iter().position(starts_with_a_word).unwrap_or(0).saturating_sub(BEFORE_THE_WORD);
    // Two of the characters say that there is more.
    let cut: Vec<char> = letters.iter().skip(at).take(SNIPPET - 2).map(|(_, letter)| *letter).collect();
    let (is_begun, is_broken_off) = (at > 0, at + cut.len() < letters.len());
    let half_a_word = |letters: &mut dyn Iterator<Item = &char>| {
        letters.take(LONGEST_WORD).position(|letter| letter.is_whitespace()).unwrap_or(0)
    };
    let first = if is_begun { half_a_word(&mut cut.iter()) } else { 0 };
    let last = cut.len() - if is_broken_off { half_a_word(&mut cut.iter().rev()) } else { 0 };
    let cut: String = cut.iter().take(last).skip(first).collect();
    let cut = cut.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = |is_there: bool| if is_there { "…" } else { "" };
    format!("{}{cut}{}", more(is_begun), more(is_broken_off))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_stands_where_the_first_word_is() {
        let text = format!("{} The Zürich Gateway needs {}", "filler ".repeat(100), "more ".repeat(100));
        let cut = snippet(&text, "gateway");
        assert!(cut.contains("Zürich Gateway needs") && cut.chars().count() <= SNIPPET, "{cut}");
        assert_eq!(snippet("short\ntext", "nowhere"), "short text");
        assert!(cut.starts_with("…filler ") && cut.ends_with("more…"), "no word is cut in two: {cut}");
        let unspaced = "記憶".repeat(200);
        assert_eq!(snippet(&unspaced, "nowhere").chars().count(), SNIPPET - 1);
        assert_eq!(snippet("", "x"), "");
    }
}
