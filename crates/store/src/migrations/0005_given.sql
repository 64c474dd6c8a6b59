-- What giving memories to hosts needs: what a session's agent still has in view, and what a session begins with, at any size.

-- When the agent's context last began anew (cleared, compacted), and the last injection before that: what came later it still has.
ALTER TABLE sessions ADD COLUMN context_began_at_ms INTEGER;
ALTER TABLE sessions ADD COLUMN given_before INTEGER NOT NULL DEFAULT 0;

-- The newest of a kind, and the surest of what lasts, however many memories a project has.
CREATE INDEX memories_by_kind ON memories (project_id, kind, created_at_ms) WHERE superseded_by IS NULL;
CREATE INDEX memories_by_sureness ON memories (project_id, confidence DESC, times_seen DESC, id DESC)
    WHERE superseded_by IS NULL AND kind IN ('decision', 'pattern', 'failure', 'learning');
CREATE INDEX memories_of_the_user ON memories (created_at_ms) WHERE scope = 'user';
