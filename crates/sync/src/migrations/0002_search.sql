-- Asking the hub itself.
--
-- Under row-level security the index of words cannot be used: matching words is not leakproof, so every row would first have to prove
-- that it may be seen. This function may see every row, and lets out only those of the team of whoever asks. Its role can not log in.

CREATE POLICY of_the_search ON backstory.revisions FOR SELECT TO backstory_search USING (true);
GRANT USAGE, CREATE ON SCHEMA backstory TO backstory_search;
GRANT SELECT ON backstory.revisions TO backstory_search;
GRANT EXECUTE ON FUNCTION backstory.current_team() TO backstory_search;

-- Returns the memories in force that hold the words: all of them first, then some. No more than `most_weighed` are weighed of each: a word
-- that stands everywhere tells nothing, and must not cost everything. Whether a revision is the last one is asked of the best alone.
-- `team || ''` is no key of any index: joined with that of the words, one that holds most of the table would cost more than all the rest.
CREATE FUNCTION backstory.search(asked text, of_project text, most integer, most_weighed integer DEFAULT 1000)
    RETURNS TABLE (uid text, project text, author name, at_ms bigint, state bytea, rank real, has_all boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH question AS (
        SELECT plainto_tsquery('english', asked) AS all_words,
            replace(plainto_tsquery('english', asked)::text, ' & ', ' | ')::tsquery AS some_words
    ),
    with_all AS MATERIALIZED (
        SELECT r.uid, r.project, r.author, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.all_words AND r.superseded_by IS NULL
            AND (of_project IS NULL OR r.project = of_project)
        LIMIT most_weighed
    ),
    with_some AS MATERIALIZED (
        SELECT r.uid, r.project, r.author, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE (SELECT count(*) FROM with_all) < most
            AND r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.some_words AND r.superseded_by IS NULL
            AND NOT r.words @@ question.all_words
            AND (of_project IS NULL OR r.project = of_project)
        LIMIT most_weighed
    ),
    weighed AS MATERIALIZED (
        SELECT f.uid, f.project, f.author, f.at_ms, f.state, ts_rank(f.words, question.some_words, 1) AS rank, f.has_all
        FROM (SELECT *, true AS has_all FROM with_all UNION ALL SELECT *, false FROM with_some) f, question
        ORDER BY f.has_all DESC, rank DESC, f.uid
        LIMIT most * 4
    )
    SELECT w.uid, w.project, w.author, w.at_ms, w.state, w.rank, w.has_all
    FROM weighed w
    WHERE NOT EXISTS (
        SELECT FROM backstory.revisions later
        WHERE later.team = (SELECT backstory.current_team()) AND later.uid = w.uid AND (later.at_ms, later.state) > (w.at_ms, w.state))
    ORDER BY w.has_all DESC, w.rank DESC, w.uid
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
