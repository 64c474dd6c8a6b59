-- Vectors of memories, where the server has pgvector. Run by the owner once, after the migrations; on a server that gets pgvector later,
-- by the next `team init`. `{schema}` is where the extension lives.

-- The vectors of a revision, as its author's machine made them: a scale (4 bytes), then one signed byte per dimension. They are deleted
-- with the revision.
CREATE TABLE backstory.vectors (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL,
    revised_at_ms bigint NOT NULL,
    content_digest bytea NOT NULL,
    model text NOT NULL CHECK (octet_length(model) <= 200),
    part_number smallint NOT NULL,
    author name NOT NULL,
    quantised bytea NOT NULL CHECK (octet_length(quantised) = 388),
    embedding {schema}.vector(384) NOT NULL,
    PRIMARY KEY (team, uid, revised_at_ms, content_digest, model, part_number),
    FOREIGN KEY (team, uid, revised_at_ms, content_digest)
        REFERENCES backstory.revisions (team, uid, revised_at_ms, content_digest) ON DELETE CASCADE
);
CREATE INDEX vectors_by_direction ON backstory.vectors USING hnsw (embedding {schema}.vector_cosine_ops);

-- The author is who is logged in. The scale is left out: it does not change a direction.
CREATE FUNCTION backstory.stamp_vector() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.author := session_user;
    NEW.embedding := (
        SELECT ('[' || string_agg((CASE WHEN byte > 127 THEN byte - 256 ELSE byte END)::text, ',' ORDER BY number) || ']')::{schema}.vector
        FROM (SELECT number, get_byte(NEW.quantised, number) AS byte FROM generate_series(4, 387) number) bytes
    );
    RETURN NEW;
END
$$;
CREATE TRIGGER stamp_vector BEFORE INSERT ON backstory.vectors FOR EACH ROW EXECUTE FUNCTION backstory.stamp_vector();

ALTER TABLE backstory.vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE backstory.vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_team ON backstory.vectors
    USING (team = (SELECT backstory.current_team())) WITH CHECK (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_search ON backstory.vectors FOR SELECT TO backstory_search USING (true);
GRANT SELECT, INSERT ON backstory.vectors TO backstory_member;
GRANT SELECT ON backstory.vectors TO backstory_search;
-- Where the schema is not ours, everybody may use it already.
DO $$
BEGIN
    GRANT USAGE ON SCHEMA {schema} TO backstory_member, backstory_search;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'the schema of the extension belongs to others';
END
$$;

-- Returns how near the best part of a revision is to a direction.
CREATE FUNCTION backstory.cosine_similarity(
        of_uid text, of_revised_at_ms bigint, of_digest bytea, wanted_model text, wanted_direction text) RETURNS double precision
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT max(1 - (v.embedding OPERATOR({schema}.<=>) wanted_direction::{schema}.vector)) FROM backstory.vectors v
        WHERE v.team = (SELECT backstory.current_team()) AND v.uid = of_uid AND v.revised_at_ms = of_revised_at_ms
            AND v.content_digest = of_digest AND v.model = wanted_model
    );

-- Returns the memories in force that are nearest to a direction. It sees every row, for the same reason as `search`, and returns only
-- those of the caller's team.
GRANT CREATE ON SCHEMA backstory TO backstory_search;
CREATE FUNCTION backstory.search_by_vector(wanted_direction text, wanted_model text, wanted_project text, wanted_kinds text[], max_hits integer)
    RETURNS TABLE (uid text, revised_at_ms bigint, content_digest bytea)
    LANGUAGE sql STABLE ROWS 20 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT near.uid, near.revised_at_ms, near.content_digest FROM (
        SELECT v.uid, v.revised_at_ms, v.content_digest, v.embedding OPERATOR({schema}.<=>) wanted_direction::{schema}.vector AS distance
        FROM backstory.vectors v JOIN backstory.revisions r
            ON r.team = v.team AND r.uid = v.uid AND r.revised_at_ms = v.revised_at_ms AND r.content_digest = v.content_digest
        WHERE v.team = (SELECT backstory.current_team()) AND v.model = wanted_model AND r.superseded_by IS NULL
            AND (wanted_project IS NULL OR v.project_key = wanted_project) AND (wanted_kinds IS NULL OR r.kind = ANY (wanted_kinds))
            AND NOT EXISTS (
                SELECT FROM backstory.revisions later
                WHERE later.team = r.team AND later.uid = r.uid
                    AND (later.revised_at_ms, later.content_digest) > (r.revised_at_ms, r.content_digest))
        ORDER BY v.embedding OPERATOR({schema}.<=>) wanted_direction::{schema}.vector
        LIMIT max_hits::bigint * 2
    ) near GROUP BY near.uid, near.revised_at_ms, near.content_digest ORDER BY min(near.distance) LIMIT max_hits
$$;
-- The index is approximate: it looks at this many vectors before it takes the nearest. With 40, the default, one search in 300 of 100,000
-- memories misses the very vector it asks for.
ALTER FUNCTION backstory.search_by_vector SET hnsw.ef_search = 200;
-- The nearest of all teams may be none of this one: a pgvector that can goes on until there are enough.
DO $$
BEGIN
    ALTER FUNCTION backstory.search_by_vector SET hnsw.iterative_scan = 'strict_order';
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'this pgvector has no iterative scan';
END
$$;

REVOKE EXECUTE ON FUNCTION backstory.stamp_vector, backstory.cosine_similarity, backstory.search_by_vector FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backstory.cosine_similarity, backstory.search_by_vector TO backstory_member;
DO $$
BEGIN
    EXECUTE format('GRANT backstory_search TO %I', current_user);
    ALTER FUNCTION backstory.search_by_vector OWNER TO backstory_search;
    EXECUTE format('REVOKE backstory_search FROM %I', current_user);
END
$$;
REVOKE CREATE ON SCHEMA backstory FROM backstory_search;
