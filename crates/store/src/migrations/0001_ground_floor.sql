-- The first schema. Times are milliseconds since 1970 UTC; enums are text with a CHECK; JSON columns hold only what is never filtered on.

CREATE TABLE applied_migrations (
    version INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    applied_at_ms INTEGER NOT NULL
) STRICT;

-- Small facts about the store itself.
CREATE TABLE facts_of_the_store (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    parent_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

-- What a project is recognised by; see ProjectKey.
CREATE TABLE project_keys (
    key TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX project_keys_by_project ON project_keys (project_id);

-- The folders a project was met in.
CREATE TABLE project_roots (
    path TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_roots_by_project ON project_roots (project_id);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    host TEXT NOT NULL,
    host_session TEXT NOT NULL,
    parent_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    started_at_ms INTEGER NOT NULL,
    last_event_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    UNIQUE (host, host_session)
) STRICT;
CREATE INDEX sessions_by_project ON sessions (project_id);

-- Raw evidence, kept for a while. The id is the order of arrival; the clock may jump.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    idempotency_key BLOB NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('session_start', 'prompt', 'tool_start', 'tool_use', 'tool_failure', 'turn_end',
        'subagent_start', 'subagent_end', 'compaction', 'session_end', 'other')),
    tool TEXT,
    at_ms INTEGER NOT NULL,
    provenance TEXT NOT NULL,
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session_id, id);

-- Which events had arrived when our own clock showed a time: what is old is known without trusting the clock of the machine.
CREATE TABLE retention_marks (
    clock_ms INTEGER PRIMARY KEY,
    newest_event_id INTEGER NOT NULL
) STRICT;

-- AUTOINCREMENT: an id that was forgotten is never given to another memory.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    kind TEXT NOT NULL CHECK (kind IN ('decision', 'pattern', 'failure', 'handoff', 'learning', 'goal', 'note',
        'feature', 'bugfix', 'refactor', 'change', 'discovery', 'summary')),
    category TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    facts TEXT NOT NULL,
    concepts TEXT NOT NULL,
    files TEXT NOT NULL,
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    provenance TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('project', 'user')),
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    valid_from_ms INTEGER,
    valid_to_ms INTEGER,
    superseded_by INTEGER REFERENCES memories (id) ON DELETE SET NULL,
    times_seen INTEGER NOT NULL,
    times_used INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    tokens INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    checksum BLOB NOT NULL
) STRICT;
CREATE INDEX memories_by_project ON memories (project_id, created_at_ms);
CREATE INDEX memories_by_time ON memories (created_at_ms);
CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_replacement ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_pinned ON memories (project_id) WHERE pinned = 1;

-- What a memory said before it was revised.
CREATE TABLE revisions (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    facts TEXT NOT NULL,
    concepts TEXT NOT NULL,
    files TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_id, revision)
) STRICT, WITHOUT ROWID;

-- The events a memory was distilled from.
CREATE TABLE evidence (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_event ON evidence (event_id);

CREATE TABLE links (
    from_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    relation TEXT NOT NULL CHECK (relation IN ('supersedes', 'contradicts', 'derived_from', 'relates')),
    to_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (from_id, relation, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links (to_id);

-- Where in the code a memory holds.
CREATE TABLE anchors (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    blob_hash TEXT,
    commit_hash TEXT,
    PRIMARY KEY (memory_id, path, symbol)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchors_by_path ON anchors (path);

-- The last known code map.
CREATE TABLE symbols (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    signature TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, path, qualified_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE code_changes (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    change TEXT NOT NULL CHECK (change IN ('new', 'modified', 'deleted')),
    signature TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX code_changes_by_project ON code_changes (project_id, at_ms);

-- The vectors of a memory, one row a chunk. A vector names its model: a mismatch means embed again.
CREATE TABLE vectors (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (memory_id, model, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE injections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    moment TEXT NOT NULL CHECK (moment IN ('session_start', 'prompt', 'tool', 'compaction')),
    at_ms INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    budget INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    build_us INTEGER NOT NULL,
    layers TEXT NOT NULL,
    layers_skipped TEXT NOT NULL
) STRICT;
CREATE INDEX injections_by_session ON injections (session_id, id);

CREATE TABLE injected (
    injection_id INTEGER NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    score REAL NOT NULL,
    tokens INTEGER NOT NULL,
    reasons TEXT NOT NULL,
    used_at_ms INTEGER,
    used_how TEXT,
    PRIMARY KEY (injection_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_by_memory ON injected (memory_id);

-- One row a hook run: the proof that capture is alive.
CREATE TABLE receipts (
    id INTEGER PRIMARY KEY,
    host TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    outcome TEXT NOT NULL
) STRICT;

-- What was forgotten, without a word of it, so that it cannot come back.
-- One row for each wording the memory ever had.
CREATE TABLE tombstones (
    uid TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    forgotten_at_ms INTEGER NOT NULL,
    PRIMARY KEY (uid, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_fingerprint ON tombstones (fingerprint);

-- The events forgotten memories came from: delivered again, they stay out.
CREATE TABLE forgotten_events (
    idempotency_key BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Optional work a model may do.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work TEXT NOT NULL,
    memory_id INTEGER REFERENCES memories (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead'))
) STRICT;
CREATE INDEX jobs_due ON jobs (due_at_ms) WHERE state = 'waiting';

-- The word index: rebuilt from `memories` by one command. It keeps no copy of the text; `identifier_terms` holds the parts of identifiers,
-- `place` the project, so that a question about a small project need not look at the others.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    title, facts, concepts, files, body, identifier_terms, place,
    content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
