-- What is shared with a team, and what the team's hub is known to have of it.

CREATE TABLE teams (
    name TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    member TEXT NOT NULL,
    joined_at_ms INTEGER NOT NULL,
    synced_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- `hub_project` is what the hub calls the project, `watermark` how far its news have been read.
CREATE TABLE shared_projects (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    team TEXT NOT NULL REFERENCES teams (name) ON DELETE CASCADE,
    hub_project TEXT NOT NULL,
    watermark INTEGER NOT NULL
) STRICT;

-- What the hub is known to have of a memory: its last revision. No foreign key to the memory: one that was forgotten stands here until
-- the hub knows.
CREATE TABLE synced_memories (
    uid TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    state BLOB NOT NULL,
    at_ms INTEGER NOT NULL,
    superseded_by TEXT,
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX synced_memories_by_replacement ON synced_memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- Memories of shared projects that changed since the hub was told.
CREATE TABLE untold_memories (
    uid TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Whoever changes a memory, however, has something to tell, from the same transaction on.
CREATE TRIGGER shared_memory_written AFTER INSERT ON memories
WHEN EXISTS (SELECT 1 FROM shared_projects WHERE project_id = new.project_id)
BEGIN
    INSERT INTO untold_memories (uid, project_id) VALUES (new.uid, new.project_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_changed
AFTER UPDATE OF kind, category, title, body, facts, concepts, files, importance, valid_from_ms, valid_to_ms, superseded_by, pinned, scope, project_id
ON memories WHEN EXISTS (SELECT 1 FROM shared_projects WHERE project_id = new.project_id)
BEGIN
    INSERT INTO untold_memories (uid, project_id) VALUES (new.uid, new.project_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_forgotten AFTER DELETE ON memories
WHEN EXISTS (SELECT 1 FROM synced_memories WHERE uid = old.uid)
BEGIN
    INSERT INTO untold_memories (uid, project_id) SELECT uid, project_id FROM synced_memories WHERE uid = old.uid ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER shared_memory_linked AFTER INSERT ON links
WHEN EXISTS (SELECT 1 FROM memories m JOIN shared_projects s USING (project_id) WHERE m.id = new.from_id)
BEGIN
    INSERT INTO untold_memories (uid, project_id) SELECT uid, project_id FROM memories WHERE id = new.from_id ON CONFLICT DO NOTHING;
END;

-- Who said it before, where that was another member.
ALTER TABLE revisions ADD COLUMN author TEXT;
