-- How far each place on this machine has been read by an import: one that was broken off goes on where it stopped, and the next
-- reads only what has changed. `stamp` is what the place looked like, `taken` how many things of it were taken in so far.
CREATE TABLE imports (
    source TEXT NOT NULL,
    location TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    imported INTEGER NOT NULL,
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (source, location)
) STRICT, WITHOUT ROWID;

-- Whether hooks heard of a session themselves: then its host's record is not taken in, also long after its events are gone.
ALTER TABLE sessions ADD COLUMN is_heard INTEGER NOT NULL DEFAULT 0 CHECK (is_heard IN (0, 1));
UPDATE sessions SET is_heard = 1 WHERE host <> 'import';
