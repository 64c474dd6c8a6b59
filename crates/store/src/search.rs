//! Finding memories by words and by what they are. Every question carries its reach (law 8).
//!
//! Not here: which words a question becomes, and what else counts beside them (`recall`).

use crate::judging::Judge;
use crate::open::Stop;
use crate::ranking::{self, Ranked, WordHit};
use crate::spelling::{ReadAs, Spelling};
use crate::words::{Term, in_place};
use crate::{Store, StoreError, WordQuery, repair, rows};
use backstory_memory::{Kind, MemoryId, ProjectId, Timestamp};
use rusqlite::{Connection, ErrorCode, Statement, named_params, params};

/// Which projects a question may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One project, and what holds for the user everywhere.
    Project(ProjectId),
    /// Every project; only when asked for.
    Everywhere,
}

/// Which lives a question may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingFilter {
    /// What is in force.
    Confirmed,
    /// What was replaced, too.
    Any,
}

/// What else must hold of a memory.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Which projects.
    pub reach: Scope,
    /// Which lives.
    pub standing: StandingFilter,
    /// Which kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Written at or after.
    pub since: Option<Timestamp>,
    /// Written before.
    pub until: Option<Timestamp>,
    /// Speaks of this file: its whole path, or the end of it.
    pub file: Option<String>,
    /// How many at the most.
    pub limit: u32,
    /// How many to pass over.
    pub offset: u32,
}

impl Filter {
    /// Everything in force within reach.
    #[must_use]
    pub fn within(reach: Scope) -> Filter {
        Filter {
            reach,
            standing: StandingFilter::Confirmed,
            kinds: Vec::new(),
            since: None,
            until: None,
            file: None,
            limit: 20,
            offset: 0,
        }
    }

    fn project(&self) -> Option<i64> {
        match self.reach {
            Scope::Project(id) => Some(id.0),
            Scope::Everywhere => None,
        }
    }

    fn kinds_text(&self) -> Option<String> {
        let names: Vec<String> = self.kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
        (!names.is_empty()).then(|| format!("[{}]", names.join(",")))
    }

    /// Gives a statement the values [`fitting!`] asks for.
    pub(crate) fn bind(&self, statement: &mut Statement<'_>) -> rusqlite::Result<()> {
        let values = named_params! {
            ":project": self.project(),
            ":any_standing": self.standing == StandingFilter::Any,
            ":kinds": self.kinds_text(),
            ":since": self.since.map(|time| time.0),
            ":until": self.until.map(|time| time.0),
            ":file": self.file,
            ":file_end": self.file.as_deref().map(|file| format!("/{file}")),
        };
        values.iter().try_for_each(|(name, value)| statement.raw_bind_parameter(*name, value))
    }
}

/// What a row must be, whatever the question.
macro_rules! fitting {
    ($before:expr, $after:literal) => {
        concat!(
            $before,
            " (:project IS NULL OR m.project_id = :project OR m.scope = 'user')
              AND (:any_standing OR m.superseded_by IS NULL)
              AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
              AND (:since IS NULL OR m.created_at_ms >= :since) AND (:until IS NULL OR m.created_at_ms < :until)
              AND (:file IS NULL OR EXISTS (SELECT 1 FROM anchors a WHERE a.memory_id = m.id
                   AND (a.path = :file OR substr(a.path, -length(:file_end)) = :file_end))) ",
            $after
        )
    };
}

pub(crate) use fitting;

const NEWEST: &str = fitting!(
    "SELECT m.id FROM memories m WHERE",
    "ORDER BY m.created_at_ms DESC, m.id DESC LIMIT :limit OFFSET :offset"
);

const NEWEST_WITH_WORDS: &str = fitting!(
    "SELECT m.id FROM memory_words CROSS JOIN memories m ON m.id = memory_words.rowid
     WHERE memory_words MATCH :words AND",
    "AND memory_words.rowid >= :oldest ORDER BY memory_words.rowid DESC LIMIT :limit OFFSET :offset"
);

/// Of memories that hold common words, the newest this many are asked whether they fit.
const MOST_ASKED: u32 = 20_000;

/// What words found.
#[derive(Clone, Debug, PartialEq)]
pub struct WordAnswer {
    /// The memories, best first.
    pub hits: Vec<WordHit>,
    /// How they were found.
    pub strategy: WordStrategy,
    /// The words no memory holds, and the known ones that were looked for in their place.
    pub read_as: Vec<ReadAs>,
    /// The words no memory holds, and nothing known is near to; nothing where the rows themselves were looked through.
    pub unheard: Vec<String>,
}

/// How words were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordStrategy {
    /// In the word index, ranked by BM25.
    Index,
    /// In the rows themselves: there is no index, or it is damaged.
    Rows,
}

impl WordAnswer {
    /// What was found for the words as they were asked.
    fn of(hits: Vec<WordHit>, strategy: WordStrategy) -> WordAnswer {
        WordAnswer { hits, strategy, read_as: Vec::new(), unheard: Vec::new() }
    }
}

impl Store {
    /// Finds memories that hold any of the words, best first. Only what was asked counts: nothing is guessed.
    pub fn search_words(&self, query: &WordQuery, filter: &Filter) -> Result<Vec<WordHit>, StoreError> {
        self.ask(query, filter, Spelling::AsAsked).map(|answer| answer.hits)
    }

    /// Finds memories for somebody who may have misspelt a word, and says how: a word nobody holds is read as the known words
    /// nearest to it.
    pub fn find_words(&self, query: &WordQuery, filter: &Filter) -> Result<WordAnswer, StoreError> {
        self.ask(query, filter, Spelling::Forgiving)
    }

    /// Asks the word index; without one, the rows themselves.
    fn ask(&self, query: &WordQuery, filter: &Filter, spelling: Spelling) -> Result<WordAnswer, StoreError> {
        if query.is_empty() {
            return Ok(WordAnswer::of(Vec::new(), WordStrategy::Index));
        }
        self.snapshot(|| match ask_index(&self.db, query, filter, spelling) {
            Ok(answer) if answer.hits.is_empty() && self.has_empty_index() => self.search_rows(query, filter),
            Ok(answer) => Ok(answer),
            Err(Stop::Sql(error)) if is_of_the_index(&error) => {
                self.note_lost_index(&error);
                self.search_rows(query, filter)
            }
            Err(stop) => self.read("search the memories", |_| Err(stop)),
        })
    }

    fn search_rows(&self, query: &WordQuery, filter: &Filter) -> Result<WordAnswer, StoreError> {
        let hits = self.read("search the memories", |db| rows::search(db, query, filter))?;
        Ok(WordAnswer::of(hits, WordStrategy::Rows))
    }

    /// Whether the index holds nothing although there are memories.
    fn has_empty_index(&self) -> bool {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM memories) AND NOT EXISTS (SELECT 1 FROM memory_words_docsize)";
        self.db.query_row(sql, [], |row| row.get(0)).unwrap_or(true)
    }

    /// Notes that the index must be made anew.
    fn note_lost_index(&self, error: &rusqlite::Error) {
        if self.is_the_database() {
            let damaged = StoreError::Damaged { path: self.path.clone(), detail: error.to_string() };
            repair::note_damage(&self.home, &damaged);
        }
    }

    /// Returns those of the memories that fit, in the order they were given.
    pub fn fitting(&self, ids: &[MemoryId], filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.read("look at memories", |db| {
            let mut judge = Judge::of(db, filter)?;
            let mut fitting = Vec::new();
            for id in ids {
                if judge.fits(*id)? {
                    fitting.push(*id);
                }
            }
            Ok(fitting)
        })
    }

    /// Lists memories by what they are, newest first, when there is no question.
    pub fn list(&self, filter: &Filter) -> Result<Vec<MemoryId>, StoreError> {
        self.read("list the memories", |db| {
            let mut statement = db.prepare_cached(NEWEST)?;
            filter.bind(&mut statement)?;
            statement.raw_bind_parameter(c":limit", filter.limit)?;
            statement.raw_bind_parameter(c":offset", filter.offset)?;
            let rows = statement.raw_query().mapped(|row| row.get(0).map(MemoryId));
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the memories written just before and just after one, in the same project, oldest first.
    pub fn around(&self, anchor: MemoryId, before: u32, after: u32) -> Result<Vec<MemoryId>, StoreError> {
        let anchored = self.memory(anchor)?.ok_or(StoreError::NoSuchMemory(anchor))?;
        let (project, at) = (anchored.project.0, anchored.created_at.0);
        let read = |sql: &str, count: u32| -> Result<Vec<MemoryId>, StoreError> {
            self.read("read the timeline", |db| {
                let mut statement = db.prepare_cached(sql)?;
                let values = params![project, at, anchor.0, count];
                let rows = statement.query_map(values, |row| row.get(0).map(MemoryId))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
        };
        let mut ids = read(
            "SELECT id FROM memories WHERE project_id = ?1 AND (created_at_ms, id) < (?2, ?3)
             ORDER BY created_at_ms DESC, id DESC LIMIT ?4",
            before,
        )?;
        ids.reverse();
        ids.push(anchor);
        ids.extend(read(
            "SELECT id FROM memories WHERE project_id = ?1 AND (created_at_ms, id) > (?2, ?3)
             ORDER BY created_at_ms, id LIMIT ?4",
            after,
        )?);
        Ok(ids)
    }
}

/// Asks the index. It ranks; the rows are asked one by one until enough fit, so that a filter costs a look at the best few. Of
/// common words it ranks only the newest memories: if none of them fits, those that do are looked for among many more.
fn ask_index(
    db: &Connection,
    query: &WordQuery,
    filter: &Filter,
    spelling: Spelling,
) -> Result<WordAnswer, Stop> {
    let Ranked { hits: ranked, read_as, unheard } = ranking::rank(db, query, filter.reach, spelling)?;
    let mut judge = Judge::of(db, filter)?;
    let (mut hits, mut passed_over) = (Vec::new(), 0);
    for hit in ranked {
        if hits.len() >= filter.limit as usize {
            break;
        }
        if !judge.fits(hit.memory)? {
            continue;
        }
        if passed_over < filter.offset {
            passed_over += 1;
        } else {
            hits.push(hit);
        }
    }
    if hits.is_empty() && passed_over == 0 {
        hits = newest_with_words(db, query, filter)?;
    }
    Ok(WordAnswer { read_as, unheard, ..WordAnswer::of(hits, WordStrategy::Index) })
}

/// Whether an error says that there is no usable index. Where the whole file is damaged, reading the rows says so again.
pub(crate) fn is_of_the_index(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::NotFound)
    )
}

/// What holding only common words is worth. BM25 would say little more, and count every holder of each to say it.
const COMMON: f64 = 1.0;

/// Returns the newest memories that hold any of the words and fit.
fn newest_with_words(db: &Connection, query: &WordQuery, filter: &Filter) -> rusqlite::Result<Vec<WordHit>> {
    let whole = query.terms().filter(|term| !term.is_beginning);
    let words = whole.map(Term::expression).collect::<Vec<_>>().join(" OR ");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let words = match filter.reach {
        Scope::Project(id) => format!("{} AND ({words})", in_place(id)),
        Scope::Everywhere => words,
    };
    let oldest: i64 = db
        .prepare_cached(
            "SELECT coalesce(min(rowid), 0) FROM
             (SELECT rowid FROM memory_words WHERE memory_words MATCH ?1 ORDER BY rowid DESC LIMIT ?2)",
        )?
        .query_row((&words, MOST_ASKED), |row| row.get(0))?;
    let mut statement = db.prepare_cached(NEWEST_WITH_WORDS)?;
    filter.bind(&mut statement)?;
    statement.raw_bind_parameter(c":words", words)?;
    statement.raw_bind_parameter(c":oldest", oldest)?;
    statement.raw_bind_parameter(c":limit", filter.limit)?;
    statement.raw_bind_parameter(c":offset", filter.offset)?;
    let rows =
        statement.raw_query().mapped(|row| Ok(WordHit { memory: MemoryId(row.get(0)?), bm25: COMMON }));
    rows.collect()
}
