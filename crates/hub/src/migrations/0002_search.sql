-- Asking the hub itself.
--
-- Under row-level security the index of words cannot be used: matching words is not leakproof, so every row would first have to prove
-- that it may be seen. This function may see every row, and lets out only those of the team of whoever asks. Its role can not log in.

CREATE POLICY of_the_search ON backstory.revisions FOR SELECT TO backstory_search USING (true);
GRANT USAGE, CREATE ON SCHEMA backstory TO backstory_search;
GRANT SELECT ON backstory.revisions TO backstory_search;
GRANT EXECUTE ON FUNCTION backstory.current_team() TO backstory_search;

-- Returns the memories in force that hold the words: all of them first, then some. No more than `most_looked_at` are weighed of each:
-- a word that stands everywhere tells nothing, and must not cost everything.
CREATE FUNCTION backstory.search(asked text, of_project text, most integer, most_looked_at integer DEFAULT 2000)
    RETURNS TABLE (uid text, project text, author name, at_ms bigint, state bytea, rank real, has_all boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH question AS (
        SELECT plainto_tsquery('english', asked) AS all_words,
            replace(plainto_tsquery('english', asked)::text, ' & ', ' | ')::tsquery AS some_words
    ),
    with_all AS (
        SELECT r.*, true AS has_all FROM backstory.revisions r, question
        WHERE r.team = (SELECT backstory.current_team()) AND r.words @@ question.all_words
            AND (of_project IS NULL OR r.project = of_project)
        LIMIT most_looked_at
    ),
    with_some AS (
        SELECT r.*, false AS has_all FROM backstory.revisions r, question
        WHERE (SELECT count(*) FROM with_all) < most
            AND r.team = (SELECT backstory.current_team()) AND r.words @@ question.some_words
            AND (of_project IS NULL OR r.project = of_project)
        LIMIT most_looked_at
    ),
    found AS (
        SELECT * FROM with_all
        UNION ALL
        SELECT * FROM with_some s WHERE NOT EXISTS (
            SELECT FROM with_all a WHERE (a.uid, a.at_ms, a.state) = (s.uid, s.at_ms, s.state))
    )
    SELECT f.uid, f.project, f.author, f.at_ms, f.state, ts_rank_cd(f.words, question.some_words, 1) AS rank, f.has_all
    FROM found f, question
    WHERE f.superseded_by IS NULL AND NOT EXISTS (
        SELECT FROM backstory.revisions later
        WHERE later.team = f.team AND later.uid = f.uid AND (later.at_ms, later.state) > (f.at_ms, f.state))
    ORDER BY f.has_all DESC, rank DESC, f.uid
    LIMIT most;
END;

REVOKE EXECUTE ON FUNCTION backstory.search FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backstory.search TO backstory_member;

-- A function runs as its owner: for a moment we must be allowed to give it away.
DO $$
BEGIN
    EXECUTE format('GRANT backstory_search TO %I', current_user);
    ALTER FUNCTION backstory.search OWNER TO backstory_search;
    EXECUTE format('REVOKE backstory_search FROM %I', current_user);
END
$$;
REVOKE CREATE ON SCHEMA backstory FROM backstory_search;
