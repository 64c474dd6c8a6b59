-- How far each place on this machine has been read by an import: one that was broken off goes on where it stopped, and the next
-- reads only what has changed. `stamp` is what the place looked like, `taken` how many things of it were taken in so far.
CREATE TABLE imports (
    source TEXT NOT NULL,
    place TEXT NOT NULL,
    stamp TEXT NOT NULL,
    taken INTEGER NOT NULL,
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (source, place)
) STRICT, WITHOUT ROWID;
