-- The first schema. Times are milliseconds since 1970 UTC; enums are text with a CHECK; JSON columns hold only what is never filtered on.
-- Comments stand outside of the statements: SQLite would store them in every database and parse them at every start.

-- Marks the file as ours for `file` and other tools ("BkSt"). Nothing here depends on it.
PRAGMA application_id = 0x426B5374;

CREATE TABLE applied_migrations (
    version INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    applied_at_ms INTEGER NOT NULL
) STRICT;

-- Single values about the store itself, by name.
CREATE TABLE metadata (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `parent_id`: the project that holds this one as a submodule.
CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    parent_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

-- What a project is recognised by: links made by the user, names, remotes, first commits, paths. Two projects may claim the same
-- name or remote; a path and a link belong to one.
CREATE TABLE project_keys (
    key TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (key, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_keys_by_project ON project_keys (project_id);

-- The folders a project was seen in.
CREATE TABLE project_roots (
    path TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_roots_by_project ON project_roots (project_id);

-- `distilled_event_id`: the last event that memories were distilled from.
-- `agent_questioned`: whether its agent was asked to note what nothing recorded: once a session is enough.
-- `written_event_id`: the last event of the record that a model's answer was taken for: the rules leave what it wrote alone until then.
-- `context_started_at_ms`: when the agent's context was last cleared or compacted, and the last injection before that: the agent
-- no longer sees it.
-- `memories_before`: the last memory there was when it began: what came later may be its own.
-- `title`: what the session did or was asked for, made when it is distilled.
-- `captured_by_hooks`: whether hooks captured the session live. Its transcript is not imported then, also long after its events
-- are gone.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    host TEXT NOT NULL,
    host_session TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    last_event_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    title TEXT,
    distilled_event_id INTEGER NOT NULL DEFAULT 0,
    written_event_id INTEGER NOT NULL DEFAULT 0,
    agent_questioned INTEGER NOT NULL DEFAULT 0 CHECK (agent_questioned IN (0, 1)),
    memories_before INTEGER NOT NULL DEFAULT 0,
    context_started_at_ms INTEGER,
    last_injection_before_context INTEGER NOT NULL DEFAULT 0,
    captured_by_hooks INTEGER NOT NULL DEFAULT 0 CHECK (captured_by_hooks IN (0, 1)),
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
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'assistant', 'tool', 'repository', 'web', 'import')
        OR provenance GLOB 'team:?*'),
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session_id, id);
CREATE INDEX events_failed ON events (session_id, id) WHERE kind = 'tool_failure';

-- Which events had arrived when our own clock showed a time: their age is known without trusting the clock of the machine.
CREATE TABLE retention_marks (
    clock_ms INTEGER PRIMARY KEY,
    newest_event_id INTEGER NOT NULL
) STRICT;

-- The kinds of memories, filled when the store is opened from the table in the program: a new kind needs no new schema, and the database
-- refuses every other.
CREATE TABLE kinds (
    kind TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: the id of a forgotten memory is never given to another one.
-- `files`: the files the text names: content, part of the checksum, unchanged until someone revises the memory. `anchors` says
-- where these files are now (they move) and what stood there; a file of `files` may have no anchor any more, and the reverse.
-- `details`: typed facts of the kind: what failed and how it was fixed, where work stands.
-- `superseded_by`: what replaced it. Stored here and not as a link, because every query asks whether a memory is in force and
-- partial indexes can depend on a column only; `all_links` shows it as a link.
-- `standing`: whether it may be injected unasked, and why; of a memory that was replaced, how it stood then.
-- `subject`: what a distilled memory is about: one failure by its signature, one turn, one session. The same subject updates the
-- memory.
-- `writer`: who derived it and may write it anew; NULL where a person or an import wrote it, or a person revised, judged or pinned it.
-- `assertion`: what it asserts, as it was compared with the others; NULL where that was not done since it was written.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    kind TEXT NOT NULL REFERENCES kinds (kind),
    category TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    facts TEXT NOT NULL,
    concepts TEXT NOT NULL,
    files TEXT NOT NULL,
    details TEXT CHECK (details IS NULL OR json_valid(details)),
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'assistant', 'tool', 'repository', 'web', 'import')
        OR provenance GLOB 'team:?*'),
    scope TEXT NOT NULL CHECK (scope IN ('project', 'user')),
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    valid_from_ms INTEGER,
    valid_to_ms INTEGER,
    superseded_by INTEGER REFERENCES memories (id) ON DELETE SET NULL,
    standing TEXT NOT NULL CHECK (standing IN ('proposed', 'confirmed', 'retired')),
    standing_reason TEXT NOT NULL CHECK (standing_reason IN ('user', 'structure', 'repetition', 'use', 'source', 'unproven', 'unclear', 'asks',
        'outside', 'over', 'fixed', 'changed', 'rewritten')),
    times_seen INTEGER NOT NULL,
    times_used INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    tokens INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    checksum BLOB NOT NULL,
    subject BLOB,
    writer TEXT CHECK (writer IN ('rules', 'agent', 'model')),
    assertion TEXT CHECK (assertion IS NULL OR json_valid(assertion))
) STRICT;
CREATE INDEX memories_unreconciled ON memories (kind) WHERE assertion IS NULL AND superseded_by IS NULL AND standing <> 'retired';
CREATE INDEX memories_by_project ON memories (project_id, created_at_ms);
CREATE INDEX memories_by_time ON memories (created_at_ms);
CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_replacement ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
CREATE INDEX memories_pinned ON memories (project_id) WHERE pinned = 1;
-- What was imported from a commit, by the first letters of its hash: a hook looks for it. A damaged row has none.
CREATE INDEX memories_by_imported_commit
    ON memories (project_id, iif(json_valid(details), substr(details ->> '$.commits[0]', 1, 7), NULL))
    WHERE session_id IS NULL AND details IS NOT NULL;
CREATE UNIQUE INDEX memories_by_subject ON memories (project_id, subject) WHERE subject IS NOT NULL;
-- For session starts: the newest of a kind and the most confident of what lasts, at the same cost in a project of any size.
CREATE INDEX memories_by_kind ON memories (project_id, kind, created_at_ms)
    WHERE superseded_by IS NULL AND standing = 'confirmed';
CREATE INDEX memories_by_confidence ON memories (project_id, kind, confidence DESC, times_seen DESC, id DESC)
    WHERE superseded_by IS NULL AND standing = 'confirmed';
CREATE INDEX memories_proposed ON memories (created_at_ms) WHERE standing = 'proposed';
CREATE INDEX memories_of_the_user ON memories (created_at_ms) WHERE scope = 'user';

-- What a memory said before it was revised, whole: the columns of its content, as in `memories`.
-- `replaced_by`: who wrote the words that came next.
-- `author`: the member of the team who wrote it, where it came from one.
CREATE TABLE revisions (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL REFERENCES kinds (kind),
    category TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    facts TEXT NOT NULL,
    concepts TEXT NOT NULL,
    files TEXT NOT NULL,
    details TEXT CHECK (details IS NULL OR json_valid(details)),
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    provenance TEXT NOT NULL CHECK (provenance IN ('user', 'assistant', 'tool', 'repository', 'web', 'import')
        OR provenance GLOB 'team:?*'),
    scope TEXT NOT NULL CHECK (scope IN ('project', 'user')),
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    valid_from_ms INTEGER,
    valid_to_ms INTEGER,
    until_ms INTEGER NOT NULL,
    replaced_by TEXT NOT NULL CHECK (replaced_by IN ('person', 'model')),
    author TEXT,
    PRIMARY KEY (memory_id, revision)
) STRICT, WITHOUT ROWID;

-- The events a memory was distilled from.
CREATE TABLE evidence (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_event ON evidence (event_id);

-- What a writer saw and made no memory of, kept as long as events, so that a person can ask why.
-- `kind`: what it would have become. `detail`: what the reason speaks of, such as a file or a memory that says it already.
-- `clock_ms`: since when by the clock that retention goes by.
CREATE TABLE rejections (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    event_id INTEGER REFERENCES events (id) ON DELETE CASCADE,
    at_ms INTEGER NOT NULL,
    clock_ms INTEGER NOT NULL,
    writer TEXT NOT NULL CHECK (writer IN ('rules', 'agent', 'model')),
    kind TEXT NOT NULL REFERENCES kinds (kind),
    text TEXT NOT NULL,
    reason TEXT NOT NULL CHECK (reason IN ('task_order', 'question', 'pasted', 'of_the_moment', 'proposal', 'overtaken', 'no_error_line',
        'only_claimed', 'contradicted', 'unclear_choice', 'says_nothing', 'in_project_file',
        'already_known', 'taken_back', 'outside', 'asks_for_action', 'not_the_users', 'malformed',
        'no_evidence', 'ungrounded', 'false_quote', 'corrected', 'over_limit')),
    detail TEXT
) STRICT;
CREATE UNIQUE INDEX rejections_once ON rejections (project_id, coalesce(session_id, 0), writer, text);
CREATE INDEX rejections_by_session ON rejections (session_id);
CREATE INDEX rejections_by_event ON rejections (event_id);

-- How memories relate. The replacement in force is `memories.superseded_by`; a `supersedes` row here is an earlier one, kept so
-- that it counts again when the current one is forgotten.
CREATE TABLE links (
    from_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    relation TEXT NOT NULL CHECK (relation IN ('supersedes', 'contradicts', 'derived_from', 'relates')),
    to_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (from_id, relation, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links (to_id);

CREATE VIEW all_links AS
    SELECT from_id, relation, to_id FROM links
    UNION ALL SELECT superseded_by, 'supersedes', id FROM memories WHERE superseded_by IS NOT NULL;

CREATE TRIGGER memory_superseded AFTER UPDATE OF superseded_by ON memories WHEN old.superseded_by IS NOT new.superseded_by BEGIN
    DELETE FROM links WHERE from_id = new.superseded_by AND relation = 'supersedes' AND to_id = new.id;
    INSERT OR IGNORE INTO links (from_id, relation, to_id)
        SELECT id, 'supersedes', new.id FROM memories WHERE id = old.superseded_by;
END;

-- Where in the code a memory holds. `content_hash` is the digest of the symbol's tokens, without a symbol of the file's bytes, when
-- the memory was anchored; NULL where nobody read the file.
CREATE TABLE anchors (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    content_hash BLOB,
    PRIMARY KEY (memory_id, path, symbol)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchors_by_path ON anchors (path);

-- Files whose code map is known, and the digest of the bytes it was made from: an equal digest means the map still holds.
CREATE TABLE mapped_files (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

-- The last known code map, in the order of each file: symbols of one file may share a name.
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

-- Files that have no code map, and why.
CREATE TABLE unmapped_files (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

-- The net of what a session did to a symbol, one row each. `body_before` is its digest before the session. The newest id changed last.
CREATE TABLE code_changes (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    path TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    change TEXT NOT NULL CHECK (change IN ('new', 'modified', 'deleted')),
    signature TEXT NOT NULL,
    body_before BLOB,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX code_changes_by_project ON code_changes (project_id, id);
CREATE INDEX code_changes_by_session ON code_changes (session_id, path, qualified_name);

-- `shingles`: hashes of the text, so that it is recognised when it comes back in an event.
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
    sections TEXT NOT NULL,
    sections_skipped TEXT NOT NULL,
    shingles BLOB NOT NULL
) STRICT;
CREATE INDEX injections_by_session ON injections (session_id, id);
CREATE INDEX injections_by_project ON injections (project_id, id);

-- The text of an injection, word for word. In a table of its own, because it is removed long before the record, and as soon as a
-- memory in it is forgotten.
CREATE TABLE injection_texts (
    injection_id INTEGER PRIMARY KEY REFERENCES injections (id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

-- The memories of an injection.
CREATE TABLE injected (
    injection_id INTEGER NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    section TEXT NOT NULL,
    rank INTEGER NOT NULL,
    score REAL NOT NULL,
    tokens INTEGER NOT NULL,
    reasons TEXT NOT NULL,
    used_at_ms INTEGER,
    used_how TEXT CHECK (used_how IN ('fetched', 'file_edited', 'fix_applied', 'cited')),
    PRIMARY KEY (injection_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_by_memory ON injected (memory_id);

-- What an agent fetched by its number, by the nonce of the answer; the session is known once its hook reports that answer.
CREATE TABLE fetches (
    nonce INTEGER NOT NULL,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (nonce, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fetches_by_session ON fetches (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX fetches_by_memory ON fetches (memory_id);

-- How often a memory was shown, apart from how often it was used: being shown reinforces nothing, and what is injected again and
-- again without use fades out of injections.
CREATE TABLE impressions (
    memory_id INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    total INTEGER NOT NULL,
    injected_since_used INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
) STRICT;

-- One row a hook run: the proof that capture is alive.
-- `missing_fields`: the fields the host's payload should have had and did not, as a JSON array.
CREATE TABLE receipts (
    id INTEGER PRIMARY KEY,
    host TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    missing_fields TEXT NOT NULL CHECK (json_valid(missing_fields))
) STRICT;

-- What was forgotten, without a word of it, so that it cannot come back. One row for each wording the memory ever had.
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

-- The subjects of forgotten memories: distilled again in other words, they stay out too.
CREATE TABLE forgotten_subjects (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    subject BLOB NOT NULL,
    PRIMARY KEY (project_id, subject)
) STRICT, WITHOUT ROWID;

-- Sessions whose notes the background writer is to write, one row a session. `due_at_ms` is when it may be written, or while it runs
-- when its lease ends. What is done is deleted.
CREATE TABLE writer_jobs (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'dead'))
) STRICT;
CREATE INDEX writer_jobs_due ON writer_jobs (due_at_ms) WHERE state <> 'dead';

-- What calls to a model cost, one row a call, written before the call is made: until it ends, the tokens are those it may use.
-- `kept`, `rejected`: what became of the notes it answered with.
CREATE TABLE model_calls (
    id INTEGER PRIMARY KEY,
    session_id INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    provider TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL CHECK (outcome IN ('started', 'used', 'unusable', 'failed'))
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls (at_ms);
CREATE INDEX model_calls_by_session ON model_calls (session_id) WHERE session_id IS NOT NULL;

-- Sessions we started ourselves to ask a model: nothing of them is captured (R23).
CREATE TABLE own_sessions (
    host_session TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Memories whose rows in the vector file are missing or wrong (docs/design/0006-vectors.md). No foreign key: a forgotten memory stays
-- here until its rows are overwritten. `may_have_rows` is 0 as long as the file cannot hold any row of it.
CREATE TABLE stale_vectors (
    memory_id INTEGER PRIMARY KEY,
    may_have_rows INTEGER NOT NULL CHECK (may_have_rows IN (0, 1))
) STRICT;
CREATE INDEX stale_vectors_with_rows ON stale_vectors (memory_id) WHERE may_have_rows = 1;

-- Writes of memories that the mirror lacks (docs/design/0017-mirror.md). A memory may stand here twice: who has copied up to a number
-- removes up to that number, and what was written meanwhile stays. AUTOINCREMENT: no number is used again.
CREATE TABLE mirror_queue (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL
) STRICT;

-- Every write of a memory, by whatever code, makes its vectors stale and its row in the mirror old, in the same transaction.
CREATE TRIGGER memory_written AFTER INSERT ON memories BEGIN
    INSERT INTO stale_vectors (memory_id, may_have_rows) VALUES (new.id, 0) ON CONFLICT DO NOTHING;
    INSERT INTO mirror_queue (memory_id) VALUES (new.id);
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF title, body, facts, concepts, scope, project_id ON memories
WHEN (old.title, old.body, old.facts, old.concepts, old.scope, old.project_id)
    IS NOT (new.title, new.body, new.facts, new.concepts, new.scope, new.project_id)
BEGIN
    INSERT INTO stale_vectors (memory_id, may_have_rows) VALUES (new.id, 1) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER memory_forgotten AFTER DELETE ON memories BEGIN
    INSERT INTO stale_vectors (memory_id, may_have_rows) VALUES (old.id, 1) ON CONFLICT DO NOTHING;
    DELETE FROM stale_vectors WHERE memory_id = old.id AND may_have_rows = 0;
    INSERT INTO mirror_queue (memory_id) VALUES (old.id);
END;
CREATE TRIGGER memory_updated AFTER UPDATE ON memories BEGIN
    INSERT INTO mirror_queue (memory_id) VALUES (new.id);
END;

-- How far an import has read each location: an interrupted one continues there, and the next reads only what has changed.
-- `fingerprint` is what the location looked like, `imported` how many of its items were imported.
CREATE TABLE imports (
    source TEXT NOT NULL,
    location TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    imported INTEGER NOT NULL,
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (source, location)
) STRICT, WITHOUT ROWID;

-- The teams this home has joined. A team may have another name here than on its hub, and two hubs may have teams of one name: `hub_id`
-- tells the hubs apart. A team by `git` has no hub: what it shares is in a folder of the repository.
CREATE TABLE teams (
    name TEXT PRIMARY KEY,
    transport TEXT NOT NULL CHECK (transport IN ('hub', 'git')),
    url TEXT NOT NULL,
    member TEXT NOT NULL,
    hub_team TEXT NOT NULL,
    hub_id TEXT,
    joined_at_ms INTEGER NOT NULL,
    synced_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- `hub_project` is the hub's name for the project, `watermark` the last change that was pulled, and `epoch` the numbering it belongs
-- to: a hub restored from a copy starts another one.
CREATE TABLE shared_projects (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    team TEXT NOT NULL REFERENCES teams (name) ON DELETE CASCADE,
    hub_project TEXT NOT NULL,
    watermark INTEGER NOT NULL,
    epoch TEXT,
    -- The watermark at which an open transaction on the hub holds back changes of others, and since when.
    held_at INTEGER,
    held_since_ms INTEGER
) STRICT;

-- Memories that others forgot and that can be restored for 30 days: the user's own words, and many at once.
CREATE TABLE held_memories (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    held_at_ms INTEGER NOT NULL,
    -- Since when by the clock that retention goes by.
    clock_ms INTEGER NOT NULL
) STRICT;

-- The last revision of each memory the hub is known to have. No foreign key to the memory: a forgotten one stays here until its
-- deletion was pushed.
-- `is_confirmed`: whether the hub was seen to have it since its current epoch began.
-- `vectors_pushed`: whether the vectors of this revision were pushed.
CREATE TABLE synced_memories (
    uid TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    content_digest BLOB NOT NULL,
    revised_at_ms INTEGER NOT NULL,
    superseded_by TEXT,
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    is_confirmed INTEGER NOT NULL DEFAULT 1 CHECK (is_confirmed IN (0, 1)),
    vectors_pushed INTEGER NOT NULL DEFAULT 0 CHECK (vectors_pushed IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX synced_memories_by_replacement ON synced_memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- Memories of shared projects that changed since they were pushed.
CREATE TABLE sync_outbox (
    uid TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Every change of a shared memory, by whatever code, is queued in the same transaction. Whoever writes content writes its checksum too, so
-- that column stands for all of them: a new one needs no new trigger.
CREATE TRIGGER shared_memory_written AFTER INSERT ON memories
WHEN EXISTS (SELECT 1 FROM shared_projects WHERE project_id = new.project_id)
BEGIN
    INSERT INTO sync_outbox (uid, project_id) VALUES (new.uid, new.project_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_changed
AFTER UPDATE OF checksum, superseded_by, pinned, scope, project_id ON memories
WHEN EXISTS (SELECT 1 FROM shared_projects WHERE project_id = new.project_id)
BEGIN
    INSERT INTO sync_outbox (uid, project_id) VALUES (new.uid, new.project_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_forgotten AFTER DELETE ON memories
WHEN EXISTS (SELECT 1 FROM synced_memories WHERE uid = old.uid)
BEGIN
    INSERT INTO sync_outbox (uid, project_id) SELECT uid, project_id FROM synced_memories WHERE uid = old.uid ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_linked AFTER INSERT ON links
WHEN EXISTS (SELECT 1 FROM memories m JOIN shared_projects s USING (project_id) WHERE m.id = new.from_id)
BEGIN
    INSERT INTO sync_outbox (uid, project_id) SELECT uid, project_id FROM memories WHERE id = new.from_id ON CONFLICT DO NOTHING;
END;

-- Links that were pulled before both their ends. The relation may be one that only a newer build knows.
CREATE TABLE pending_links (
    from_uid TEXT NOT NULL,
    relation TEXT NOT NULL,
    to_uid TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    PRIMARY KEY (from_uid, relation, to_uid)
) STRICT, WITHOUT ROWID;

-- Memories that were pulled and could not be read: they are pulled again, since a newer build may read them.
CREATE TABLE unreadable_memories (
    uid TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, uid)
) STRICT, WITHOUT ROWID;

-- The word index: rebuilt from `memories` by one command. It keeps no copy of the text; `identifier_terms` holds the parts of
-- identifiers, `scope` one term for the project, so that a query about a small project need not look at the others.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    title, facts, concepts, files, body, identifier_terms, scope,
    content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
