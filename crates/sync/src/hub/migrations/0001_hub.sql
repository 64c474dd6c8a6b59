-- A hub: what teams share, in a schema of its own. Run as its owner, in one transaction.
--
-- Three things decide who may see what, and the client has a say in none of them:
--   the team is the one the transaction chose (`backstory.team`), and `session_user` is a member of it;
--   every table is under forced row-level security, so that no grant reaches another team;
--   members may SELECT and INSERT, nothing else: a row stays as it was written, until its memory is forgotten.

CREATE SCHEMA backstory;

-- Roles belong to the whole cluster: another database of it may have them already.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['backstory_member', 'backstory_search'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = wanted AND (rolsuper OR rolbypassrls OR rolcanlogin)) THEN
                RAISE EXCEPTION 'the role % exists and may do too much', wanted;
            END IF;
        END;
    END LOOP;
END
$$;

-- Which migrations made this schema, each with the digest of its text: a build that has another text refuses the hub.
CREATE TABLE backstory.applied_migrations (
    version integer PRIMARY KEY,
    digest text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- The name of this hub, as two may have teams of one name. It is a function so that a moved or restored hub keeps it.
DO $$
BEGIN
    EXECUTE format('CREATE FUNCTION backstory.hub_id() RETURNS text LANGUAGE sql IMMUTABLE RETURN %L::text', gen_random_uuid());
END
$$;

-- Names the sequence of transaction numbers in use. A hub restored into another cluster or database, or to an earlier moment, starts
-- another one, and watermarks of members mean nothing in it.
CREATE FUNCTION backstory.epoch() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    database_oid text := (SELECT oid::text FROM pg_database WHERE datname = current_database());
BEGIN
    RETURN (SELECT system_identifier FROM pg_control_system()) || '-' || (SELECT timeline_id FROM pg_control_checkpoint()) || '-' || database_oid;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN database_oid;
END
$$;

CREATE TABLE backstory.teams (
    team text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- A member is a role that logs in.
CREATE TABLE backstory.members (
    team text NOT NULL REFERENCES backstory.teams (team),
    member name NOT NULL,
    invited_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, member)
);

-- The logins that were created for members. No other login is ever closed or opened.
CREATE TABLE backstory.created_logins (
    member name PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Returns the team of this transaction. It is NULL, and no row is visible, for whoever chose none or is not a member of it.
CREATE FUNCTION backstory.current_team() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT team FROM backstory.members
        WHERE team = current_setting('backstory.team', true) AND member = session_user
    );

-- The key of a project is what every clone of it is recognised by: its remote's address, or the name it was given.
CREATE TABLE backstory.projects (
    team text NOT NULL REFERENCES backstory.teams (team),
    project_key text NOT NULL CHECK (octet_length(project_key) <= 2048),
    name text NOT NULL CHECK (octet_length(name) <= 2048),
    author name NOT NULL,
    PRIMARY KEY (team, project_key)
);

CREATE TABLE backstory.memories (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL CHECK (octet_length(uid) <= 128),
    created_at_ms bigint NOT NULL,
    author name NOT NULL,
    PRIMARY KEY (team, uid),
    UNIQUE (team, project_key, uid),
    FOREIGN KEY (team, project_key) REFERENCES backstory.projects (team, project_key)
);

-- Whether a list is under the caps of a memory: 128 items of 2 KiB, none of them NULL.
CREATE FUNCTION backstory.is_list_capped(items text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN cardinality(items) <= 128 AND NOT EXISTS (
        SELECT FROM unnest(items) item WHERE item IS NULL OR octet_length(item) > 2048
    );

-- Whether the rest of a memory's content is under its cap and says how much it matters, how sure it is and who said it. Numbers are
-- compared as JSON: other types sort before or after every number, and no cast can fail.
CREATE FUNCTION backstory.are_attributes_valid(attributes jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN jsonb_typeof(attributes) = 'object' AND octet_length(attributes::text) <= 131072
        AND coalesce(attributes -> 'importance' BETWEEN '1' AND '5', false)
        AND coalesce(attributes -> 'confidence' BETWEEN '0' AND '1', false)
        AND coalesce(attributes ->> 'provenance' IN ('user', 'assistant', 'tool', 'repository', 'web', 'import')
            OR attributes ->> 'provenance' LIKE 'team:_%', false)
        AND octet_length(attributes ->> 'provenance') <= 256
        AND octet_length(coalesce(attributes ->> 'category', '')) <= 2048;

-- The kinds of memories, filled by the owner's build from the table in the program: a new kind needs no new schema, and the hub refuses
-- every other.
CREATE TABLE backstory.kinds (
    kind text PRIMARY KEY
);

-- Every wording of a memory. The last one by (revised_at_ms, content_digest) counts; the others are its history, with their authors.
CREATE TABLE backstory.revisions (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL,
    revised_at_ms bigint NOT NULL,
    -- The digest of everything that is shared of the revision.
    content_digest bytea NOT NULL CHECK (octet_length(content_digest) = 16),
    author name NOT NULL,
    -- The transaction that wrote the row: it orders what is pulled.
    xact_id xid8 NOT NULL,
    kind text NOT NULL REFERENCES backstory.kinds (kind),
    title text NOT NULL CHECK (char_length(title) <= 100),
    body text NOT NULL CHECK (octet_length(body) <= 65536),
    facts text[] NOT NULL CHECK (backstory.is_list_capped(facts)),
    concepts text[] NOT NULL CHECK (backstory.is_list_capped(concepts)),
    files text[] NOT NULL CHECK (backstory.is_list_capped(files)),
    -- The rest of the content: everything neither searched nor compared. A new field of a memory needs no column here.
    attributes jsonb NOT NULL CHECK (backstory.are_attributes_valid(attributes)),
    superseded_by text CHECK (octet_length(superseded_by) <= 128),
    -- The time the author's clock claimed, where that was in the future. It recognises a revision that is pushed twice.
    claimed_at_ms bigint,
    search_vector tsvector NOT NULL,
    PRIMARY KEY (team, uid, revised_at_ms, content_digest),
    FOREIGN KEY (team, project_key, uid) REFERENCES backstory.memories (team, project_key, uid)
);
CREATE INDEX revisions_by_xact ON backstory.revisions (team, project_key, xact_id);
CREATE INDEX revisions_by_words ON backstory.revisions USING gin (search_vector);
CREATE UNIQUE INDEX revisions_as_pushed ON backstory.revisions (team, uid, author, (coalesce(claimed_at_ms, revised_at_ms)), content_digest);

-- Forgotten memories: nothing else is left of them, and they do not come back.
CREATE TABLE backstory.tombstones (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL,
    author name NOT NULL,
    xact_id xid8 NOT NULL,
    PRIMARY KEY (team, uid),
    FOREIGN KEY (team, project_key, uid) REFERENCES backstory.memories (team, project_key, uid)
);
CREATE INDEX tombstones_by_xact ON backstory.tombstones (team, project_key, xact_id);

CREATE TABLE backstory.links (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL,
    relation text NOT NULL CHECK (relation IN ('supersedes', 'contradicts', 'derived_from', 'relates')),
    target_uid text NOT NULL,
    author name NOT NULL,
    xact_id xid8 NOT NULL,
    PRIMARY KEY (team, uid, relation, target_uid),
    FOREIGN KEY (team, project_key, uid) REFERENCES backstory.memories (team, project_key, uid),
    FOREIGN KEY (team, target_uid) REFERENCES backstory.memories (team, uid)
);
CREATE INDEX links_by_xact ON backstory.links (team, project_key, xact_id);
CREATE INDEX links_by_target ON backstory.links (team, target_uid);

-- What a member pinned, for this member's other machines alone. The newest row counts.
CREATE TABLE backstory.pins (
    team text NOT NULL,
    project_key text NOT NULL,
    uid text NOT NULL,
    author name NOT NULL,
    xact_id xid8 NOT NULL,
    is_pinned boolean NOT NULL,
    PRIMARY KEY (team, uid, author, xact_id),
    FOREIGN KEY (team, project_key, uid) REFERENCES backstory.memories (team, project_key, uid)
);
CREATE INDEX pins_by_xact ON backstory.pins (team, project_key, author, xact_id);

-- Triggers of a table fire in the order of their names.

-- The author is who is logged in, whatever the row says.
CREATE FUNCTION backstory.stamp_author() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.author := session_user;
    RETURN NEW;
END
$$;

-- Stamps author and transaction. A forgotten memory takes nothing any more: whoever is forgetting it now holds its row, so this waits for
-- them before it looks.
CREATE FUNCTION backstory.stamp_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM backstory.memories WHERE team = NEW.team AND uid = NEW.uid FOR KEY SHARE;
    IF EXISTS (SELECT FROM backstory.tombstones WHERE team = NEW.team AND uid = NEW.uid) THEN
        RETURN NULL;
    END IF;
    NEW.author := session_user;
    NEW.xact_id := pg_current_xact_id();
    RETURN NEW;
END
$$;

-- Moves a revision from the future to now: a clock that is ahead must not win for ever. Several revisions of such a clock keep their order.
CREATE FUNCTION backstory.clamp_future_time() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_ms bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
    NEW.claimed_at_ms := NULL;
    IF NEW.revised_at_ms > now_ms THEN
        NEW.claimed_at_ms := NEW.revised_at_ms;
        NEW.revised_at_ms := least(NEW.revised_at_ms, greatest(now_ms, 1 + (
            SELECT max(revised_at_ms) FROM backstory.revisions WHERE team = NEW.team AND uid = NEW.uid)));
    END IF;
    RETURN NEW;
END
$$;

-- Waits for whoever writes about the memory now, and keeps others from it until it is gone.
CREATE FUNCTION backstory.stamp_tombstone() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM backstory.memories WHERE team = NEW.team AND uid = NEW.uid FOR UPDATE;
    NEW.author := session_user;
    NEW.xact_id := pg_current_xact_id();
    RETURN NEW;
END
$$;

-- Removes everything but the tombstone of a forgotten memory.
CREATE FUNCTION backstory.purge() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM backstory.revisions WHERE team = NEW.team AND uid = NEW.uid;
    DELETE FROM backstory.links WHERE team = NEW.team AND (uid = NEW.uid OR target_uid = NEW.uid);
    DELETE FROM backstory.pins WHERE team = NEW.team AND uid = NEW.uid;
    RETURN NULL;
END
$$;

-- Returns the parts of the identifiers in a text and each identifier written together, so that `runMigration`, `run_migration` and "run
-- migration" meet. Scripts without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer) become pairs of characters. Index and query
-- both go through here. Character classes are spelt out: those of PostgreSQL depend on the database's locale.
CREATE FUNCTION backstory.identifier_terms(source text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    unspaced CONSTANT text := '\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f';
    word text;
    run text;
    humps text;
    parts text[];
    is_mixed boolean;
    terms text[] := '{}';
BEGIN
    FOR word IN
        SELECT matched[1] FROM regexp_matches(source, '[^\s\u0021-\u002c\u002e\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u007f]+', 'g') matched
        -- Most words have no inner structure.
        WHERE matched[1] !~ '^[A-Za-z]?[a-z]*$'
    LOOP
        is_mixed := word ~ ('[' || unspaced || ']') AND word ~ ('[^' || unspaced || ']');
        FOR run IN SELECT matched[1] FROM regexp_matches(word, '([' || unspaced || ']+|[^' || unspaced || ']+)', 'g') matched LOOP
            IF run ~ ('^[' || unspaced || ']') THEN
                terms := terms || CASE WHEN char_length(run) = 1 THEN ARRAY[run]
                    ELSE ARRAY(SELECT substr(run, number, 2) FROM generate_series(1, char_length(run) - 1) number) END;
            ELSE
                -- `HTTPServer2` becomes `HTTP Server 2`.
                humps := regexp_replace(run, '([A-Z])(?=[A-Z][a-z])', '\1 ', 'g');
                humps := regexp_replace(humps, '([^A-Z\s])(?=[A-Z])', '\1 ', 'g');
                humps := regexp_replace(humps, '([0-9])(?=[^0-9\s])', '\1 ', 'g');
                humps := regexp_replace(humps, '([^0-9\s])(?=[0-9])', '\1 ', 'g');
                parts := array_remove(regexp_split_to_array(lower(humps), '[\s_-]+'), '');
                IF cardinality(parts) > 1 THEN
                    terms := terms || parts || array_to_string(parts, '');
                -- Beside a script without spaces the parser does not see a plain word.
                ELSIF is_mixed THEN
                    terms := terms || parts;
                END IF;
            END IF;
        END LOOP;
    END LOOP;
    RETURN array_to_string(terms, ' ');
END
$$;

-- Makes the search index of a revision from its text: the title weighs most, then the lists, the body, and the parts of identifiers.
-- Each part is cut, as a tsvector has a maximal size.
CREATE FUNCTION backstory.index_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    lists text := left(array_to_string(NEW.facts || NEW.concepts || NEW.files, E'\n'), 60000);
    identifiers text := left(concat_ws(E'\n', NEW.title, array_to_string(NEW.facts || NEW.files, E'\n'), NEW.body), 60000);
BEGIN
    NEW.search_vector := setweight(to_tsvector('english', NEW.title), 'A')
        || setweight(to_tsvector('english', lists), 'B')
        || setweight(to_tsvector('english', left(NEW.body, 60000)), 'C')
        || setweight(to_tsvector('english', left(backstory.identifier_terms(identifiers), 60000)), 'D');
    RETURN NEW;
END
$$;

CREATE TRIGGER stamp_author BEFORE INSERT ON backstory.projects FOR EACH ROW EXECUTE FUNCTION backstory.stamp_author();
CREATE TRIGGER stamp_author BEFORE INSERT ON backstory.memories FOR EACH ROW EXECUTE FUNCTION backstory.stamp_author();
CREATE TRIGGER clamp_future_time BEFORE INSERT ON backstory.revisions FOR EACH ROW EXECUTE FUNCTION backstory.clamp_future_time();
CREATE TRIGGER index_words BEFORE INSERT ON backstory.revisions FOR EACH ROW EXECUTE FUNCTION backstory.index_words();
CREATE TRIGGER stamp_change BEFORE INSERT ON backstory.revisions FOR EACH ROW EXECUTE FUNCTION backstory.stamp_change();
CREATE TRIGGER stamp_tombstone BEFORE INSERT ON backstory.tombstones FOR EACH ROW EXECUTE FUNCTION backstory.stamp_tombstone();
CREATE TRIGGER stamp_change BEFORE INSERT ON backstory.links FOR EACH ROW EXECUTE FUNCTION backstory.stamp_change();
CREATE TRIGGER stamp_change BEFORE INSERT ON backstory.pins FOR EACH ROW EXECUTE FUNCTION backstory.stamp_change();
CREATE TRIGGER purge AFTER INSERT ON backstory.tombstones FOR EACH ROW EXECUTE FUNCTION backstory.purge();

DO $$
DECLARE
    shared text;
BEGIN
    FOREACH shared IN ARRAY ARRAY['projects', 'memories', 'revisions', 'tombstones', 'links'] LOOP
        EXECUTE format('CREATE POLICY of_the_team ON backstory.%I
            USING (team = (SELECT backstory.current_team())) WITH CHECK (team = (SELECT backstory.current_team()))', shared);
    END LOOP;
    FOREACH shared IN ARRAY ARRAY['teams', 'members', 'created_logins', 'projects', 'memories', 'revisions', 'tombstones', 'links', 'pins'] LOOP
        EXECUTE format('ALTER TABLE backstory.%I ENABLE ROW LEVEL SECURITY', shared);
        EXECUTE format('ALTER TABLE backstory.%I FORCE ROW LEVEL SECURITY', shared);
    END LOOP;
END
$$;

CREATE POLICY of_the_member ON backstory.pins
    USING (team = (SELECT backstory.current_team()) AND author = session_user)
    WITH CHECK (team = (SELECT backstory.current_team()) AND author = session_user);
-- When a memory is forgotten, everybody's pins of it are deleted.
CREATE POLICY of_the_owner ON backstory.pins FOR DELETE TO CURRENT_USER USING (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_owner_to_find ON backstory.pins FOR SELECT TO CURRENT_USER USING (team = (SELECT backstory.current_team()));

-- The owner keeps the lists of teams, members and logins; members see those of their team.
CREATE POLICY of_the_owner ON backstory.teams TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY of_the_owner ON backstory.members TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY of_the_owner ON backstory.created_logins TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY of_the_team ON backstory.teams FOR SELECT TO backstory_member USING (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_team ON backstory.members FOR SELECT TO backstory_member
    USING (member = session_user OR team = (SELECT backstory.current_team()));
-- Under row-level security the index of words cannot be used: matching words is not leakproof, so every row would first have to be proved
-- visible. `search` runs as this role, which sees every row and cannot log in, and returns only rows of the caller's team.
CREATE POLICY of_the_search ON backstory.revisions FOR SELECT TO backstory_search USING (true);

-- Whether a revision is the one that counts of its memory.
CREATE FUNCTION backstory.is_latest(of_uid text, of_revised_at_ms bigint, of_digest bytea) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN NOT EXISTS (
        SELECT FROM backstory.revisions later WHERE later.team = (SELECT backstory.current_team()) AND later.uid = of_uid
            AND (later.revised_at_ms, later.content_digest) > (of_revised_at_ms, of_digest)
    );

-- Returns the best matches of `matching` among memories in force, beside those known already, until there are `max_hits` with these. How
-- many of `any_word` a match holds, and where, is its rank. All matches are ranked before they are cut.
--
-- `OFFSET 0` keeps the planner from asking of every match whether it is known or the latest: that is asked best first, until there are
-- enough. `IS NOT DISTINCT FROM` goes by no index: combined with the index of words, one that holds most of the table would cost more than
-- all the rest.
CREATE FUNCTION backstory.best_matches(
        matching tsquery, any_word tsquery, wanted_project text, wanted_kinds text[], known_uids text[], max_hits integer)
    RETURNS TABLE (uid text, revised_at_ms bigint, content_digest bytea, rank real)
    LANGUAGE sql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT ranked.uid, ranked.revised_at_ms, ranked.content_digest, ranked.rank
    FROM (
        SELECT r.uid, r.revised_at_ms, r.content_digest, ts_rank(r.search_vector, any_word, 1) AS rank
        FROM backstory.revisions r
        WHERE r.search_vector @@ matching AND r.team IS NOT DISTINCT FROM (SELECT backstory.current_team()) AND r.superseded_by IS NULL
            AND (wanted_project IS NULL OR r.project_key = wanted_project) AND (wanted_kinds IS NULL OR r.kind = ANY (wanted_kinds))
        ORDER BY rank DESC, r.uid OFFSET 0
    ) ranked
    WHERE ranked.uid <> ALL (known_uids) AND backstory.is_latest(ranked.uid, ranked.revised_at_ms, ranked.content_digest)
    ORDER BY ranked.rank DESC, ranked.uid LIMIT max_hits - cardinality(known_uids);
END;

-- Returns the best matches among memories in force: first those with all words, then those that lack one, then those with any. The next
-- group is looked at only if those before are too few. Without the second group, a memory that lacks one word of four would rank among all
-- that hold any of them.
--
-- `ROWS` tells the planner that they are few: who joins a thousand would read every memory of the team.
CREATE FUNCTION backstory.search(wanted_text text, wanted_project text, wanted_kinds text[], max_hits integer)
    RETURNS TABLE (uid text, revised_at_ms bigint, content_digest bytea, rank real, has_all boolean)
    LANGUAGE sql STABLE ROWS 20 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH words AS MATERIALIZED (
        SELECT '''' || replace(replace(word, E'\\', E'\\\\'), '''', '''''') || '''' AS word,
            row_number() OVER (ORDER BY length(word) DESC, word) AS number
        FROM unnest(tsvector_to_array(to_tsvector('english', wanted_text || ' ' || backstory.identifier_terms(wanted_text)))) word
    ),
    question AS MATERIALIZED (
        SELECT string_agg(word, ' & ')::tsquery AS all_words,
            -- A rank sorts the words, for each match anew: in this order they are sorted already.
            string_agg(word, ' | ' ORDER BY word COLLATE "C" DESC)::tsquery AS any_word,
            -- Of two words, all but one is any. Of many, only the twelve longest count: there are too many ways to lack one.
            CASE WHEN count(*) > 2 THEN (
                SELECT string_agg((SELECT string_agg(others.word, ' & ') FROM words others
                        WHERE others.number <= 12 AND others.number <> left_out.number), ' | ')::tsquery
                FROM words left_out WHERE left_out.number <= 12
            ) END AS all_but_one
        FROM words
    ),
    with_all AS MATERIALIZED (
        SELECT hit.* FROM question, backstory.best_matches(all_words, any_word, wanted_project, wanted_kinds, '{}', max_hits) hit
    ),
    with_most AS MATERIALIZED (
        SELECT hit.* FROM question, backstory.best_matches(all_but_one, any_word, wanted_project, wanted_kinds,
            ARRAY(SELECT with_all.uid FROM with_all), max_hits) hit
    ),
    with_any AS MATERIALIZED (
        SELECT hit.* FROM question, backstory.best_matches(any_word, any_word, wanted_project, wanted_kinds,
            ARRAY(SELECT with_all.uid FROM with_all UNION ALL SELECT with_most.uid FROM with_most), max_hits) hit
    )
    SELECT hit.uid, hit.revised_at_ms, hit.content_digest, hit.rank, hit.has_all
    FROM (
        SELECT *, true AS has_all FROM with_all
        UNION ALL SELECT *, false FROM with_most
        UNION ALL SELECT *, false FROM with_any
    ) hit
    ORDER BY hit.has_all DESC, hit.rank DESC, hit.uid;
END;

GRANT USAGE ON SCHEMA backstory TO backstory_member, backstory_search;
GRANT SELECT ON backstory.applied_migrations, backstory.teams, backstory.members TO backstory_member;
GRANT SELECT, INSERT ON backstory.projects, backstory.memories, backstory.revisions, backstory.tombstones,
    backstory.links, backstory.pins TO backstory_member;
GRANT SELECT ON backstory.revisions TO backstory_search;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA backstory FROM PUBLIC;
-- What a CHECK calls, whoever inserts calls.
GRANT EXECUTE ON FUNCTION backstory.current_team, backstory.hub_id, backstory.epoch, backstory.is_list_capped,
    backstory.are_attributes_valid, backstory.search TO backstory_member;
GRANT EXECUTE ON FUNCTION backstory.current_team, backstory.identifier_terms, backstory.is_latest, backstory.best_matches
    TO backstory_search;

-- `search` runs as its owner. To give it away, the owner of the hub must be a member of that role, and that role able to create.
GRANT CREATE ON SCHEMA backstory TO backstory_search;
DO $$
BEGIN
    EXECUTE format('GRANT backstory_search TO %I', current_user);
    ALTER FUNCTION backstory.search OWNER TO backstory_search;
    EXECUTE format('REVOKE backstory_search FROM %I', current_user);
END
$$;
REVOKE CREATE ON SCHEMA backstory FROM backstory_search;
