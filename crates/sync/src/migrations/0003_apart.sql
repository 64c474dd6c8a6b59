-- What a hub is called, how it counts, which logins are its own, and which kinds a search is after.

-- Two hubs may have teams of one name. A hub that is moved or restored keeps its own.
DO $$
BEGIN
    EXECUTE format('CREATE FUNCTION backstory.hub_id() RETURNS text LANGUAGE sql IMMUTABLE RETURN %L::text', gen_random_uuid());
END
$$;

-- Which counting of transactions this is: restored into another cluster or database, or to an earlier moment, a hub counts anew.
CREATE FUNCTION backstory.epoch() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT oid::text FROM pg_database WHERE datname = current_database());
BEGIN
    RETURN (SELECT system_identifier FROM pg_control_system()) || '-' || (SELECT timeline_id FROM pg_control_checkpoint()) || '-' || place;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN place;
END
$$;

-- The logins that were made for members. No other is ever closed or opened.
CREATE TABLE backstory.made_logins (
    member name PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE backstory.made_logins ENABLE ROW LEVEL SECURITY;
ALTER TABLE backstory.made_logins FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_owner ON backstory.made_logins TO CURRENT_USER USING (true) WITH CHECK (true);

-- When a revision was said to be from, where that lay in the future. Telling it again is nothing, whatever the clocks say meanwhile.
ALTER TABLE backstory.revisions ADD COLUMN told_at_ms bigint;
CREATE UNIQUE INDEX revisions_as_told ON backstory.revisions (team, uid, author, (coalesce(told_at_ms, at_ms)), state);

-- A clock that is ahead must not win for ever. What it tells one after the other stays in that order all the same.
CREATE OR REPLACE FUNCTION backstory.not_from_the_future() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_ms bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
    NEW.told_at_ms := NULL;
    IF NEW.at_ms > now_ms THEN
        NEW.told_at_ms := NEW.at_ms;
        NEW.at_ms := least(NEW.at_ms, greatest(now_ms, 1 + (
            SELECT max(at_ms) FROM backstory.revisions WHERE team = NEW.team AND uid = NEW.uid)));
    END IF;
    RETURN NEW;
END
$$;

-- As before, and only of some kinds where that is asked.
DROP FUNCTION backstory.search;
GRANT CREATE ON SCHEMA backstory TO backstory_search;
CREATE FUNCTION backstory.search(asked text, of_project text, of_kinds text[], most integer, most_weighed integer DEFAULT 1000)
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
            AND (of_project IS NULL OR r.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
        LIMIT most_weighed
    ),
    with_some AS MATERIALIZED (
        SELECT r.uid, r.project, r.author, r.at_ms, r.state, r.words FROM backstory.revisions r, question
        WHERE (SELECT count(*) FROM with_all) < most
            AND r.team || '' = (SELECT backstory.current_team()) AND r.words @@ question.some_words AND r.superseded_by IS NULL
            AND NOT r.words @@ question.all_words
            AND (of_project IS NULL OR r.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
        LIMIT most_weighed
    ),
    weighed AS MATERIALIZED (
        SELECT f.uid, f.project, f.author, f.at_ms, f.state, ts_rank(f.words, question.some_words, 1) AS rank, f.has_all
        FROM (SELECT *, true AS has_all FROM with_all UNION ALL SELECT *, false FROM with_some) f, question
        ORDER BY f.has_all DESC, rank DESC, f.uid
        LIMIT most::bigint * 4
    )
    SELECT w.uid, w.project, w.author, w.at_ms, w.state, w.rank, w.has_all
    FROM weighed w
    WHERE NOT EXISTS (
        SELECT FROM backstory.revisions later
        WHERE later.team = (SELECT backstory.current_team()) AND later.uid = w.uid AND (later.at_ms, later.state) > (w.at_ms, w.state))
    ORDER BY w.has_all DESC, w.rank DESC, w.uid
    LIMIT most;
END;

REVOKE EXECUTE ON FUNCTION backstory.search, backstory.hub_id, backstory.epoch FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backstory.search, backstory.hub_id, backstory.epoch TO backstory_member;

-- A function runs as its owner: for a moment we must be allowed to give it away.
DO $$
BEGIN
    EXECUTE format('GRANT backstory_search TO %I', current_user);
    ALTER FUNCTION backstory.search OWNER TO backstory_search;
    EXECUTE format('REVOKE backstory_search FROM %I', current_user);
END
$$;
REVOKE CREATE ON SCHEMA backstory FROM backstory_search;
