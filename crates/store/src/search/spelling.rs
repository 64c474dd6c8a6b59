//! What a word that no memory holds may stand for: the known words nearest to it.
//!
//! The vocabulary of a large store has millions of words, so it is not read but walked: each look lands on the next known word, and
//! from there the walk jumps to the next string that could still be near. The number of looks is bounded. Words with digits in
//! them are not guessed at: the neighbour of a version or an error code is another one.

use crate::db::open::TxError;
use crate::memories;
use crate::search::words;
use backstory_memory::{MemoryId, words as words_of};
use rusqlite::{Connection, OptionalExtension};

/// A word of the question that no memory holds, and the known word that was looked for beside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpellingCorrection {
    /// What was asked.
    pub word: String,
    /// What it was read as.
    pub corrected: String,
}

/// Whether a word nobody holds may be read as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// It finds nothing.
    Exact,
    /// It is read as what it may stand for.
    Forgiving,
}

/// Shorter words have too many neighbours.
const SHORTEST: usize = 4;
/// From this length on a word may be wrong in two places, as long as it begins right.
const LONG: usize = 8;
/// How many known words one unknown word may become.
const MOST_READINGS: usize = 3;
/// How often the vocabulary is looked into for one word.
const MOST_LOOKS: usize = 64;
/// How many places a known word is looked up in, to see how it is written there.
const MOST_PLACES: u32 = 8;
/// Longer endings than this were not mistyped but are another word.
const LONGEST_ENDING: usize = 3;

/// The words the index knows, in order. They are stems: `migrat` stands for every migration.
pub(crate) struct Vocabulary<'db> {
    db: &'db Connection,
}

/// Where a known word stands.
struct TermPosition {
    memory: MemoryId,
    column: String,
    position: usize,
}

impl<'db> Vocabulary<'db> {
    pub(crate) fn new(db: &'db Connection) -> rusqlite::Result<Vocabulary<'db>> {
        // The tokenizer must be the one of the index. Both tables live as long as the connection, in memory.
        db.execute_batch(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.known_places USING fts5vocab (main, memory_words, instance);
             CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed_word USING fts5 (
                 word, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
             CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed_stem USING fts5vocab (temp, typed_word, instance)",
        )?;
        Ok(Vocabulary { db })
    }

    /// Returns known words that begin with what was asked, as they are written, at most a few.
    pub(crate) fn completions(&self, beginning: &str) -> Result<Vec<String>, TxError> {
        let beginning = beginning.to_lowercase();
        let (mut found, mut from) = (Vec::new(), beginning.clone());
        while found.len() < MOST_READINGS {
            let Some(term) = self.at_or_after(&from)?.filter(|term| term.starts_with(&beginning)) else {
                break;
            };
            found.extend(self.written(&term, |_| true)?);
            from = after(&term);
        }
        Ok(found)
    }

    /// Returns the known words an unknown one may stand for, nearest first, as they are written.
    pub(crate) fn corrections(&self, typed: &str) -> Result<Vec<String>, TxError> {
        let typed: Vec<char> = typed.to_lowercase().chars().collect();
        if typed.len() < SHORTEST || !typed.iter().all(|c| c.is_alphabetic()) {
            return Ok(Vec::new());
        }
        let Some(stem) = self.stem(&typed.iter().collect::<String>())? else { return Ok(Vec::new()) };
        let stem: Vec<char> = stem.chars().collect();
        let mut near = self.near(&stem, 1)?;
        let most_slips = if typed.len() >= LONG { 2 } else { 1 };
        if near.is_empty() && most_slips > 1 {
            near = self.near(&stem, most_slips)?;
        }
        near.sort();
        if near.first().is_some_and(|(slips, _)| *slips == 0) {
            // It is spelt right: memories hold it, but none in scope.
            return Ok(Vec::new());
        }
        let mut readings = Vec::new();
        for (_, term) in near.into_iter().take(MOST_READINGS) {
            readings.extend(self.written(&term, |_| true)?);
        }
        if readings.is_empty() {
            readings.extend(self.with_another_ending(&typed, most_slips)?);
        }
        Ok(readings)
    }

    /// Finds a word that was mistyped in its ending. The stemmer then leaves the wrong ending on, and the stems do not compare.
    fn with_another_ending(&self, typed: &[char], most_slips: usize) -> Result<Option<String>, TxError> {
        for kept in (typed.len().saturating_sub(LONGEST_ENDING).max(LONG - 3)..typed.len()).rev() {
            let stem: String = typed.iter().take(kept).collect();
            if self.at_or_after(&stem)?.is_some_and(|term| term == stem) {
                let is_near = |word: &str| distance(typed, word) <= most_slips;
                if let Some(word) = self.written(&stem, is_near)? {
                    return Ok(Some(word));
                }
            }
        }
        Ok(None)
    }

    /// Returns the known terms at most so many slips away from a stem, with the number of slips.
    fn near(&self, stem: &[char], most: usize) -> Result<Vec<(usize, String)>, TxError> {
        // The first letters are seldom wrong, and leaving them open would cost a walk through everything.
        let mut from: String = stem.iter().take(most).collect();
        let (mut near, first) = (Vec::new(), from.clone());
        for _ in 0..MOST_LOOKS {
            let Some(term) = self.at_or_after(&from)?.filter(|term| term.starts_with(&first)) else { break };
            let letters: Vec<char> = term.chars().collect();
            let walk = SpellingWalk::along(stem, &letters, most);
            if let Some(slips) = walk.slips().filter(|_| letters.iter().all(|c| c.is_alphabetic())) {
                near.push((slips, term.clone()));
            }
            let Some(next) = walk.next(&letters, most) else { break };
            from = next;
        }
        Ok(near)
    }

    fn at_or_after(&self, text: &str) -> Result<Option<String>, TxError> {
        let sql = "SELECT term FROM temp.known_places WHERE term >= ?1 LIMIT 1";
        Ok(self.db.prepare_cached(sql)?.query_row([text], |row| row.get(0)).optional()?)
    }

    /// Returns what the index makes of a word.
    fn stem(&self, word: &str) -> Result<Option<String>, TxError> {
        self.db
            .prepare_cached("INSERT INTO temp.typed_word (rowid, word) VALUES (1, ?1)")?
            .execute([word])?;
        let sql = "SELECT term FROM temp.typed_stem LIMIT 1";
        let stem = self.db.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        let clear = "INSERT INTO temp.typed_word (typed_word) VALUES ('delete-all')";
        self.db.prepare_cached(clear)?.execute([])?;
        Ok(stem)
    }

    /// Returns how some memory writes a known term, if that spelling `fits`. A stem is no word to search for: stemmed again, it may
    /// become another one.
    fn written(&self, term: &str, fits: impl Fn(&str) -> bool) -> Result<Option<String>, TxError> {
        let sql = "SELECT doc, col, offset FROM temp.known_places WHERE term = ?1 LIMIT ?2";
        let mut statement = self.db.prepare_cached(sql)?;
        let places = statement.query_map((term, MOST_PLACES), |row| {
            Ok(TermPosition { memory: MemoryId(row.get(0)?), column: row.get(1)?, position: row.get(2)? })
        })?;
        for place in places {
            if let Some(word) = self.word_at(&place?)?.filter(|word| fits(word)) {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    /// Returns how a memory that holds a word, in whichever form, writes it.
    pub(crate) fn written_in(&self, memory: MemoryId, known: &str) -> Result<Option<String>, TxError> {
        let memory = memories::read(self.db, memory)?;
        let (stem, begins) = (self.stem(known)?, known.chars().next());
        let columns = words::columns(memory.project, &memory.content);
        for word in columns.iter().flat_map(|text| words_of(text)) {
            // Forms of one word begin with the same letter. Comparing it first saves most of the stemming, which is a write to FTS5.
            if word == known || (word.chars().next() == begins && self.stem(&word)? == stem) {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    fn word_at(&self, place: &TermPosition) -> Result<Option<String>, TxError> {
        let memory = memories::read(self.db, place.memory)?;
        let text = words::column(memory.project, &memory.content, &place.column);
        Ok(text.and_then(|text| words_of(&text).nth(place.position)))
    }
}

/// Returns the smallest string after a term and before everything that does not begin with it.
fn after(term: &str) -> String {
    format!("{term}\u{1}")
}

/// How many slips (a letter wrong, missing, too many, or two exchanged) are between two words.
fn distance(typed: &[char], word: &str) -> usize {
    let letters: Vec<char> = word.chars().collect();
    SpellingWalk::along(typed, &letters, usize::MAX).slips().unwrap_or(usize::MAX)
}

/// How a term compares with a stem, letter by letter, as far as it can still be near.
struct SpellingWalk<'s> {
    stem: &'s [char],
    /// After each letter of the term: the slips between it so far and each beginning of the stem.
    rows: Vec<Vec<usize>>,
    /// Whether the whole term could be near.
    is_whole: bool,
    most: usize,
}

impl<'s> SpellingWalk<'s> {
    fn along(stem: &'s [char], term: &[char], most: usize) -> SpellingWalk<'s> {
        let mut walk = SpellingWalk { stem, rows: vec![(0..=stem.len()).collect()], is_whole: true, most };
        for (at, letter) in term.iter().enumerate() {
            let row = walk.row(term, at, *letter);
            if !walk.is_viable(&row) {
                walk.is_whole = false;
                break;
            }
            walk.rows.push(row);
        }
        walk
    }

    fn slips(&self) -> Option<usize> {
        let last = self.rows.last().and_then(|row| row.last()).copied()?;
        (self.is_whole && last <= self.most).then_some(last)
    }

    /// Returns the row that follows when the term goes on with `letter` after its first `at` letters.
    fn row(&self, term: &[char], at: usize, letter: char) -> Vec<usize> {
        let of = |row: usize, column: usize| {
            self.rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or(usize::MAX / 2)
        };
        let mut row = vec![of(at, 0) + 1];
        for (column, wanted) in self.stem.iter().enumerate() {
            let left = row.last().copied().unwrap_or_default() + 1;
            let kept = of(at, column) + usize::from(*wanted != letter);
            let mut slips = left.min(kept).min(of(at, column + 1) + 1);
            // Two neighbouring letters exchanged are one slip, not two.
            if let (Some(earlier), Some(before)) = (at.checked_sub(1), column.checked_sub(1))
                && term.get(earlier) == Some(wanted)
                && self.stem.get(before) == Some(&letter)
            {
                slips = slips.min(of(earlier, before) + 1);
            }
            row.push(slips);
        }
        row
    }

    fn is_viable(&self, row: &[usize]) -> bool {
        row.iter().any(|slips| *slips <= self.most)
    }

    /// Returns the smallest string after the term that could begin something near; its first `kept` letters stay.
    fn next(&self, term: &[char], kept: usize) -> Option<String> {
        if self.is_whole {
            return Some(after(&term.iter().collect::<String>()));
        }
        let mut wanted = self.stem.to_vec();
        wanted.sort_unstable();
        // `rows` ends where the term went astray: its letter there, or one before it, must become a greater one.
        for at in (kept..self.rows.len()).rev() {
            let begun: String = term.iter().take(at).collect();
            let here = *term.get(at)?;
            let viable = |letter: char| self.is_viable(&self.row(term, at, letter));
            // `\0` stands for a letter that the stem does not have: if even that can be near, the next greater letter can.
            if viable('\0') {
                return Some(format!("{begun}{}", greater(here)));
            }
            if let Some(letter) = wanted.iter().find(|letter| **letter > here && viable(**letter)) {
                return Some(format!("{begun}{letter}"));
            }
        }
        None
    }
}

fn greater(letter: char) -> char {
    char::from_u32(u32::from(letter) + 1).unwrap_or(char::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slips(one: &str, other: &str) -> usize {
        distance(&one.chars().collect::<Vec<_>>(), other)
    }

    #[test]
    fn slips_are_counted() {
        assert_eq!(slips("migration", "migration"), 0);
        assert_eq!(slips("migartion", "migration"), 1, "exchanged");
        assert_eq!(slips("migraton", "migration"), 1, "missing");
        assert_eq!(slips("miigration", "migration"), 1, "too many");
        assert_eq!(slips("nigration", "migration"), 1, "wrong");
        assert_eq!(slips("", "abc"), 3);
    }

    proptest! {
        /// The walk leaves out nothing a reading of the whole vocabulary would find.
        #[test]
        fn the_walk_finds_what_is_near(
            words in prop::collection::btree_set("[a-d]{1,6}", 1..60), stem in "[a-d]{3,6}", most in 1usize..3,
        ) {
            let stem: Vec<char> = stem.chars().collect();
            let first: String = stem.iter().take(most).collect();
            let (mut from, mut found) = (first.clone(), Vec::new());
            while let Some(word) = words.range(from.clone()..).next().filter(|word| word.starts_with(&first)) {
                let letters: Vec<char> = word.chars().collect();
                let walk = SpellingWalk::along(&stem, &letters, most);
                found.extend(walk.slips().map(|_| word.clone()));
                let Some(next) = walk.next(&letters, most) else { break };
                prop_assert!(next > *word, "it goes on");
                from = next;
            }
            let all = words.iter().filter(|word| word.starts_with(&first) && distance(&stem, word) <= most);
            prop_assert_eq!(found, all.cloned().collect::<Vec<_>>());
        }
    }
}
