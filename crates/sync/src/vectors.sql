-- What memories mean, where the server has pgvector. Run by the owner after the migrations, once; a server that gets pgvector later is
-- given it by the next `team init`. `{schema}` is where the extension lives.

-- The vectors of what a revision says, as the machine that said it made them: a scale, then a signed byte a number. A revision that goes
-- takes them along.
CREATE TABLE backstory.vectors (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL,
    at_ms bigint NOT NULL,
    state bytea NOT NULL,
    model text NOT NULL CHECK (octet_length(model) <= 200),
    part smallint NOT NULL,
    author name NOT NULL,
    bytes bytea NOT NULL CHECK (octet_length(bytes) = 388),
    meaning {schema}.vector(384) NOT NULL,
    PRIMARY KEY (team, uid, at_ms, state, model, part),
    FOREIGN KEY (team, uid, at_ms, state) REFERENCES backstory.revisions (team, uid, at_ms, state) ON DELETE CASCADE
);
CREATE INDEX vectors_by_meaning ON backstory.vectors USING hnsw (meaning {schema}.vector_cosine_ops);

-- Authorship is who is logged in. The scale does not turn a vector.
CREATE FUNCTION backstory.sign_vector() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.author := session_user;
    NEW.meaning := (
        SELECT ('[' || string_agg((CASE WHEN byte > 127 THEN byte - 256 ELSE byte END)::text, ',' ORDER BY place) || ']')::{schema}.vector
        FROM (SELECT place, get_byte(NEW.bytes, place) AS byte FROM generate_series(4, 387) place) bytes
    );
    RETURN NEW;
END
$$;
CREATE TRIGGER signed BEFORE INSERT ON backstory.vectors FOR EACH ROW EXECUTE FUNCTION backstory.sign_vector();

ALTER TABLE backstory.vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE backstory.vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_team ON backstory.vectors
    USING (team = (SELECT backstory.current_team())) WITH CHECK (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_search ON backstory.vectors FOR SELECT TO backstory_search USING (true);
GRANT SELECT, INSERT ON backstory.vectors TO backstory_member;
GRANT SELECT ON backstory.vectors TO backstory_search;
-- Where that is not ours to give, everybody has it already.
DO $$
BEGIN
    GRANT USAGE ON SCHEMA {schema} TO backstory_member, backstory_search;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'the schema of the extension belongs to others';
END
$$;

-- Returns how near a revision is to what is asked, by the best of its parts.
CREATE FUNCTION backstory.nearness(of_uid text, of_at_ms bigint, of_state bytea, of_model text, asked text) RETURNS double precision
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT max(1 - (v.meaning OPERATOR({schema}.<=>) asked::{schema}.vector)) FROM backstory.vectors v
        WHERE v.team = (SELECT backstory.current_team()) AND v.uid = of_uid AND v.at_ms = of_at_ms AND v.state = of_state
            AND v.model = of_model
    );

-- Returns the memories in force that are nearest to what is asked. It may see every row, for the same reason as `search`, and lets out only
-- those of the team of whoever asks.
GRANT CREATE ON SCHEMA backstory TO backstory_search;
CREATE FUNCTION backstory.search_by_meaning(asked text, of_model text, of_project text, of_kinds text[], most integer)
    RETURNS TABLE (uid text, at_ms bigint, state bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT near.uid, near.at_ms, near.state FROM (
        SELECT v.uid, v.at_ms, v.state, v.meaning OPERATOR({schema}.<=>) asked::{schema}.vector AS distance
        FROM backstory.vectors v JOIN backstory.revisions r ON r.team = v.team AND r.uid = v.uid AND r.at_ms = v.at_ms AND r.state = v.state
        WHERE v.team = (SELECT backstory.current_team()) AND v.model = of_model AND r.superseded_by IS NULL
            AND (of_project IS NULL OR v.project = of_project) AND (of_kinds IS NULL OR r.kind = ANY (of_kinds))
            AND NOT EXISTS (
                SELECT FROM backstory.revisions later
                WHERE later.team = r.team AND later.uid = r.uid AND (later.at_ms, later.state) > (r.at_ms, r.state))
        ORDER BY v.meaning OPERATOR({schema}.<=>) asked::{schema}.vector
        LIMIT most::bigint * 2
    ) near GROUP BY near.uid, near.at_ms, near.state ORDER BY min(near.distance) LIMIT most
$$;
-- Among many teams the nearest of all are not the nearest of one: then the index is asked for more, where it can be.
DO $$
BEGIN
    ALTER FUNCTION backstory.search_by_meaning SET hnsw.iterative_scan = 'strict_order';
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'this pgvector looks once';
END
$$;

REVOKE EXECUTE ON FUNCTION backstory.sign_vector, backstory.nearness, backstory.search_by_meaning FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backstory.nearness, backstory.search_by_meaning TO backstory_member;
DO $$
BEGIN
    EXECUTE format('GRANT backstory_search TO %I', current_user);
    ALTER FUNCTION backstory.search_by_meaning OWNER TO backstory_search;
    EXECUTE format('REVOKE backstory_search FROM %I', current_user);
END
$$;
REVOKE CREATE ON SCHEMA backstory FROM backstory_search;
