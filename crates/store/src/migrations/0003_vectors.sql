-- Vectors live in the vector file and nowhere else (docs/design/0006-vectors.md).
DROP TABLE vectors;

-- Memories whose rows in the vector file are not what they should be. No foreign key: a forgotten memory stands here until its rows are
-- overwritten. `may_have_rows` is 0 as long as the file cannot hold any row of it.
CREATE TABLE stale_vectors (
    memory_id INTEGER PRIMARY KEY,
    may_have_rows INTEGER NOT NULL CHECK (may_have_rows IN (0, 1))
) STRICT;
CREATE INDEX stale_vectors_with_rows ON stale_vectors (memory_id) WHERE may_have_rows = 1;

-- Whoever writes a memory, however, makes its vectors stale in the same transaction.
CREATE TRIGGER memory_written AFTER INSERT ON memories BEGIN
    INSERT INTO stale_vectors (memory_id, may_have_rows) VALUES (new.id, 0) ON CONFLICT DO NOTHING;
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
END;

INSERT INTO stale_vectors (memory_id, may_have_rows) SELECT id, 0 FROM memories;
