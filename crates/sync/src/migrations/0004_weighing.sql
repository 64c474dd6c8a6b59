-- Asking the hub itself, weighing less and missing less.
--
-- What is weighed is read from all over the table, and reading it is what a search costs. So only some hundreds are weighed of each of three:
-- those that hold all the words, all but one of them, some of them; and of the next only where those before may be too few. What is no longer
-- said goes out last, so "too few" allows for four times as many. Without the second, a memory that lacks one word of four stood in line
-- with all that hold any of them, and most of that line is never weighed.

GRANT CREATE ON SCHEMA backstory TO backstory_search;
DROP FUNCTION backstory.search;
CREATE FUNCTION backstory.search(asked text, of_project text, of_kinds text[], most integer, most_weighed integer DEFAULT 300)
    RETURNS TABLE (uid text, at_ms bigint, state bytea, rank real, has_all boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH words AS MATERIALIZED (
        SELECT '''' || replace(replace(word, E'\\', E'\\\\'), '''', '''''') || '''' AS word,
            row_number() OVER (ORDER BY length(word) DESC, word) AS place
        FROM unnest(tsvector_to_array(to_tsvector('english', asked))) word
    ),
    question AS MATERIALIZED (
        SELECT string_agg(word, ' & ')::tsquery AS all_words,
            string_agg(word, ' | ')::tsquery AS some_words,
            -- Of two words all but one are some. Of many the longest count, which tell most: there are too many ways to lack one of all.
            CASE WHEN count(*) > 2 THEN (
                SELECT string_agg((SELECT string_agg(others.word, ' & ') FROM words others
                        WHERE others.place <= 12 AND others.place <> left_out.place), ' | ')::tsquery
                FROM words left_out WHERE left_out.place <= 12
            ) END AS most_words
        FROM words
    ),
    with_all AS MATERIALIZED (
        SELECT r.uid, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.all_words AND r.superseded_by IS NULL
            AND (of_project IS NULL OR r.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
        LIMIT greatest(most_weighed, most)
    ),
    with_most AS MATERIALIZED (
        SELECT r.uid, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE (SELECT count(*) FROM with_all) < most::bigint * 4
            AND r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.most_words AND r.superseded_by IS NULL
            AND NOT r.words @@ question.all_words
            AND (of_project IS NULL OR r.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
        LIMIT greatest(most_weighed, most)
    ),
    with_some AS MATERIALIZED (
        SELECT r.uid, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE (SELECT count(*) FROM with_all) + (SELECT count(*) FROM with_most) < most::bigint * 4
            AND r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.some_words AND r.superseded_by IS NULL
            AND NOT r.words @@ question.all_words AND (r.words @@ question.most_words) IS NOT TRUE
            AND (of_project IS NULL OR r.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
        LIMIT greatest(most_weighed, most)
    ),
    weighed AS MATERIALIZED (
        SELECT f.uid, f.at_ms, f.state, ts_rank(f.words, question.some_words, 1) AS rank, f.has_all
        FROM (
            SELECT *, true AS has_all FROM with_all
            UNION ALL SELECT *, false FROM with_most
            UNION ALL SELECT *, false FROM with_some
        ) f, question
        ORDER BY f.has_all DESC, rank DESC, f.uid
        LIMIT most::bigint * 4
    )
    SELECT w.uid, w.at_ms, w.state, w.rank, w.has_all
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
