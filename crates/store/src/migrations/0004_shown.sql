-- How often a memory was shown, apart from how often it was used: being shown reinforces nothing, and what is shown again and again
-- without use fades out of what is given unasked.
CREATE TABLE shown (
    memory_id INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    times INTEGER NOT NULL,
    times_since_used INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
) STRICT;
