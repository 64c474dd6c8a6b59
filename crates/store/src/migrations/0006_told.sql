-- What hosts were told, word for word, so that it can be looked at, and said again to a host that does not keep it.
-- Kept apart from the record, which outlives it, and no longer than every memory in it.
CREATE TABLE injection_texts (
    injection_id INTEGER PRIMARY KEY REFERENCES injections (id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

-- The layer a memory was in.
ALTER TABLE injected ADD COLUMN layer TEXT NOT NULL DEFAULT '';
UPDATE injected SET layer = (
    SELECT CASE i.moment WHEN 'prompt' THEN 'relevant' WHEN 'tool' THEN 'warnings' ELSE i.moment END
    FROM injections i WHERE i.id = injected.injection_id
);
