-- Whether the hub was told what a memory means, as it is there.
ALTER TABLE synced_memories ADD COLUMN is_meaning_told INTEGER NOT NULL DEFAULT 0 CHECK (is_meaning_told IN (0, 1));
