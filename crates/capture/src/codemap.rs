//! The code map: which functions, methods, types and constants a source file holds, and what changed between two.
//!
//! [`symbols`] reads one file with its tree-sitter grammar; [`changes`] compares two readings. A table
//! (`codemap/table.rs`) says per language what a symbol is; the walk is the same for all. These are pure; [`track`] reads
//! the files a turn edited and keeps their maps, [`anchor`] and [`freshness`] tie memories to what they speak of.
//!
//! Not here: keeping the map (`store`), asking git (`git`), and what lies inside functions: a local function is part of its
//! body. Parsers are made on demand, so whoever does not ask pays nothing.

mod anchors;
mod changes;
mod language;
mod signature;
mod source;
mod table;
mod token_stream;
mod track;
mod undo;
mod walk;

pub use anchors::{FreshnessLimit, anchor, anchor_named, follow_renames, freshness, freshness_of_anchors};
pub use changes::changes;
pub use language::Language;
pub use track::{EditedFile, TrackingContext, edited_files, track};
use undo::undo;

pub(crate) use source::source_text;

use backstory_memory::Symbol;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Longer sources are generated or data; reading them would cost more than they tell.
pub const MOST_SOURCE_BYTES: usize = 1 << 20;
/// How many symbols of one file are kept, the first ones.
pub const MOST_SYMBOLS: usize = 500;

/// Why a source has no code map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeMapError {
    /// It is longer than [`MOST_SOURCE_BYTES`].
    TooLong,
    /// It holds syntax errors and nothing that could be named.
    NotThisLanguage,
    /// Its errors are so tangled that reading on would take too long.
    TooTangled,
}

impl fmt::Display for CodeMapError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            CodeMapError::TooLong => "longer than 1 MB",
            CodeMapError::NotThisLanguage => "does not parse",
            CodeMapError::TooTangled => "takes too long to parse",
        })
    }
}

impl std::error::Error for CodeMapError {}

/// Returns the symbols of a source in the order they stand in, the first [`MOST_SYMBOLS`].
///
/// A source with some syntax errors yields what parses.
///
/// # Errors
///
/// When nothing can be said about the source: see [`CodeMapError`]. An empty source is no error.
pub fn symbols(language: Language, source: &str) -> Result<Vec<Symbol>, CodeMapError> {
    symbols_until(language, source, None)
}

/// Returns the symbols of a source like [`symbols`], unless that takes longer than there is time.
fn symbols_until(
    language: Language,
    source: &str,
    until: Option<Instant>,
) -> Result<Vec<Symbol>, CodeMapError> {
    if source.len() > MOST_SOURCE_BYTES {
        return Err(CodeMapError::TooLong);
    }
    if nests_too_deep(source) || (language == Language::Ruby && names_a_heredoc_too_long(source)) {
        return Err(CodeMapError::TooTangled);
    }
    // The parser takes its own stack apart by recursion: code that opens a hundred thousand expressions ends a process
    // whose stack is of the usual size. Address space is free until it is touched.
    let stack_bytes = source.len() * STACK_PER_SOURCE_BYTE + LEAST_STACK_BYTES;
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(stack_bytes);
        let reader = reader
            .spawn_scoped(scope, || read(language, source, until))
            .map_err(|_| CodeMapError::TooTangled)?;
        reader.join().unwrap_or(Err(CodeMapError::TooTangled))
    })
}

/// Twice what the deepest known source takes for each of its bytes.
const STACK_PER_SOURCE_BYTE: usize = 256;
const LEAST_STACK_BYTES: usize = 1 << 20;

fn read(language: Language, source: &str, until: Option<Instant>) -> Result<Vec<Symbol>, CodeMapError> {
    let tree = parse(language, source, until)?;
    let symbols = walk::symbols(language.rules(), &tree, source);
    // A file that is broken from its first line must not read as one whose symbols were all deleted.
    if symbols.is_empty() && tree.root_node().has_error() {
        return Err(CodeMapError::NotThisLanguage);
    }
    Ok(symbols)
}

/// Code that nests deeper is none: recovering from that many open brackets takes the parser seconds.
const DEEPEST_BRACKETS: usize = 1_000;

/// How far the parser should have come for each of its reports, one for a hundred steps. Ordinary code makes 60 to 110
/// bytes; recovering from errors can make far less. Steps and not a clock, so that the same source always fares the same.
const BYTES_PER_REPORT: usize = 30;
const FREE_REPORTS: usize = 1_000;

fn nests_too_deep(source: &str) -> bool {
    let mut depth = 0_usize;
    source.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST_BRACKETS
    })
}

/// The Ruby grammar keeps the length of a heredoc's word in one byte and ends the process when that does not come out even.
const LONGEST_HEREDOC_WORD: usize = 200;

fn names_a_heredoc_too_long(source: &str) -> bool {
    // Every mark counts, also one that overlaps another; a word in quotes may go on over lines.
    source.match_indices('<').filter_map(|(at, _)| source.get(at..)?.strip_prefix("<<")).any(|rest| {
        let rest = rest.trim_start_matches(['-', '~']);
        let word = match rest.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => rest.get(1..).and_then(|rest| rest.split(quote).next()),
            _ => rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next(),
        };
        word.is_some_and(|word| word.len() > LONGEST_HEREDOC_WORD)
    })
}

fn parse(language: Language, source: &str, until: Option<Instant>) -> Result<Tree, CodeMapError> {
    let mut parser = Parser::new();
    let grammar = language.grammar().ok_or(CodeMapError::NotThisLanguage)?;
    parser.set_language(&grammar).map_err(|_| CodeMapError::NotThisLanguage)?;
    let mut reports = 0;
    let mut progress = |state: &ParseState| {
        reports += 1;
        let in_steps = reports <= FREE_REPORTS + state.current_byte_offset() / BYTES_PER_REPORT;
        let is_late = until.is_some_and(|until| Instant::now() >= until);
        if in_steps && !is_late { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = source.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).ok_or(CodeMapError::TooTangled)
}
