-- What keeps teams apart, and what must not be lost between here and a hub.

-- A team may be called otherwise here than on its hub, and `hub_id` is what the hub calls itself: two hubs may have teams of one name.
ALTER TABLE teams ADD COLUMN hub_team TEXT;
ALTER TABLE teams ADD COLUMN hub_id TEXT;

-- Which counting of the hub the watermark belongs to: one that was restored elsewhere counts anew.
ALTER TABLE shared_projects ADD COLUMN epoch TEXT;
-- Whether the hub was seen to have it since it counts as it does.
ALTER TABLE synced_memories ADD COLUMN is_confirmed INTEGER NOT NULL DEFAULT 1 CHECK (is_confirmed IN (0, 1));

-- Whom a wording was for: what was of the user alone does not leave with what came after it. Of older wordings nobody knows.
ALTER TABLE revisions ADD COLUMN scope TEXT;

-- Links that were heard before both their ends.
CREATE TABLE heard_links (
    from_uid TEXT NOT NULL,
    relation TEXT NOT NULL,
    to_uid TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    PRIMARY KEY (from_uid, relation, to_uid)
) STRICT, WITHOUT ROWID;

-- Memories the hub told of in a way that could not be read: asked for again, since a later build may read them.
CREATE TABLE unreadable_memories (
    uid TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES shared_projects (project_id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, uid)
) STRICT, WITHOUT ROWID;
