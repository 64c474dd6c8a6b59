-- What distillation needs: how far a session has been read, and what a distilled memory is about, so that reading the same events
-- again changes nothing.

-- The last event of the session that memories were made from.
ALTER TABLE sessions ADD COLUMN distilled_event_id INTEGER NOT NULL DEFAULT 0;

-- What a distilled memory is about: one failure by its signature, one turn, one session. Written again, the memory is brought up to date.
ALTER TABLE memories ADD COLUMN subject BLOB;
CREATE UNIQUE INDEX memories_by_subject ON memories (project_id, subject) WHERE subject IS NOT NULL;

-- What was forgotten by its subject stays out too, however it would be worded now.
CREATE TABLE forgotten_subjects (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    subject BLOB NOT NULL,
    PRIMARY KEY (project_id, subject)
) STRICT, WITHOUT ROWID;

-- Hashes of what was given to a host, so that it is known when it comes back.
ALTER TABLE injections ADD COLUMN shingles BLOB NOT NULL DEFAULT x'';
CREATE INDEX injections_by_project ON injections (project_id, id);

-- The digest of a symbol's tokens when the memory was anchored in it; without a symbol, of the file's.
ALTER TABLE anchors ADD COLUMN body_hash BLOB;

-- Files whose code map is known, and the digest of the bytes it was read from: as long as they are the same, so is the map.
CREATE TABLE mapped_files (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

-- The last known code map, in the order of each file: symbols of one file may share a name.
DROP TABLE symbols;
CREATE TABLE symbols (
    project_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    qualified_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    PRIMARY KEY (project_id, path, position),
    FOREIGN KEY (project_id, path) REFERENCES mapped_files (project_id, path) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

-- What a session did to a symbol, one row all in all: `body_before` is the digest it had before the session. The newest id changed last.
ALTER TABLE code_changes ADD COLUMN kind TEXT NOT NULL DEFAULT 'function';
ALTER TABLE code_changes ADD COLUMN body_before BLOB;
CREATE INDEX code_changes_by_session ON code_changes (session_id, path, qualified_name);
DROP INDEX code_changes_by_project;
CREATE INDEX code_changes_by_project ON code_changes (project_id, id);

-- Files that have no code map, and why.
CREATE TABLE unmapped_files (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

-- A model may word a memory better. This is the fingerprint of the wording the rules had made: as long as they make the same again,
-- the better one stays.
ALTER TABLE memories ADD COLUMN polished_from BLOB;
-- Whose words took the place of these.
ALTER TABLE revisions ADD COLUMN replaced_by TEXT NOT NULL DEFAULT 'person' CHECK (replaced_by IN ('person', 'model'));

-- A memory waits for a model once. While a job runs, `due_at_ms` is when its lease ends.
CREATE UNIQUE INDEX jobs_one_waiting ON jobs (work, memory_id) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (due_at_ms) WHERE state = 'running';

-- What optional model work has cost, one row a call, written before the call is made.
CREATE TABLE model_calls (
    id INTEGER PRIMARY KEY,
    job_id INTEGER REFERENCES jobs (id) ON DELETE SET NULL,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    provider TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'used', 'rubbish', 'failed'))
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls (at_ms);
CREATE INDEX model_calls_by_session ON model_calls (session_id) WHERE session_id IS NOT NULL;

-- Sessions that hosts held because we asked them to: nothing of them is captured (R23).
CREATE TABLE own_sessions (
    host_session TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
