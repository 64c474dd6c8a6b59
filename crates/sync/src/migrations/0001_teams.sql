-- A hub: what teams share, in a schema of its own. Run as its owner, in one transaction.
--
-- Who may see what rests on three things, and none of them is the client's to say:
--   the team is the one the transaction chose (`backstory.team`) AND `session_user` is a member of;
--   every table is under forced row-level security, so that no right however granted reaches another team;
--   members may SELECT and INSERT and nothing else: what is written stays as it was, until it is forgotten.

CREATE SCHEMA backstory;

-- Roles belong to the whole cluster: another database of it may have made them already.
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

CREATE TABLE backstory.applied_migrations (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);

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

-- The team of this transaction; NULL, and with it not a single row, for whoever chose none or is no member of it.
CREATE FUNCTION backstory.current_team() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT team FROM backstory.members
        WHERE team = current_setting('backstory.team', true) AND member = session_user
    );

-- A project is named by what every clone of it is recognised by: its remote's address, or the name it was given.
CREATE TABLE backstory.projects (
    team text NOT NULL REFERENCES backstory.teams (team),
    project text NOT NULL,
    name text NOT NULL,
    author name NOT NULL,
    PRIMARY KEY (team, project)
);

CREATE TABLE backstory.memories (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL CHECK (octet_length(uid) <= 128),
    created_at_ms bigint NOT NULL,
    author name NOT NULL,
    PRIMARY KEY (team, uid),
    UNIQUE (team, project, uid),
    FOREIGN KEY (team, project) REFERENCES backstory.projects (team, project)
);

-- Everything a memory ever said. The last by (at_ms, state) counts; the others are its history, with their authors.
-- `state` is the digest of all that is shared, `changed` the transaction that wrote the row.
CREATE TABLE backstory.revisions (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL,
    at_ms bigint NOT NULL,
    state bytea NOT NULL CHECK (octet_length(state) = 16),
    author name NOT NULL,
    changed xid8 NOT NULL,
    kind text NOT NULL,
    category text,
    title text NOT NULL,
    body text NOT NULL,
    facts text[] NOT NULL,
    concepts text[] NOT NULL,
    files text[] NOT NULL,
    importance smallint NOT NULL CHECK (importance BETWEEN 1 AND 5),
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    provenance text NOT NULL,
    valid_from_ms bigint,
    valid_to_ms bigint,
    superseded_by text,
    words tsvector NOT NULL,
    PRIMARY KEY (team, uid, at_ms, state),
    FOREIGN KEY (team, project, uid) REFERENCES backstory.memories (team, project, uid)
);
CREATE INDEX revisions_by_change ON backstory.revisions (team, project, changed);
CREATE INDEX revisions_by_words ON backstory.revisions USING gin (words);

-- What was forgotten: not a word of it is left, and none comes back.
CREATE TABLE backstory.tombstones (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL,
    author name NOT NULL,
    changed xid8 NOT NULL,
    PRIMARY KEY (team, uid),
    FOREIGN KEY (team, project, uid) REFERENCES backstory.memories (team, project, uid)
);
CREATE INDEX tombstones_by_change ON backstory.tombstones (team, project, changed);

CREATE TABLE backstory.links (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL,
    relation text NOT NULL CHECK (relation IN ('supersedes', 'contradicts', 'derived_from', 'relates')),
    target text NOT NULL,
    author name NOT NULL,
    changed xid8 NOT NULL,
    PRIMARY KEY (team, uid, relation, target),
    FOREIGN KEY (team, project, uid) REFERENCES backstory.memories (team, project, uid),
    FOREIGN KEY (team, target) REFERENCES backstory.memories (team, uid)
);
CREATE INDEX links_by_change ON backstory.links (team, project, changed);
CREATE INDEX links_by_target ON backstory.links (team, target);

-- What a member keeps in view, for this member's other machines alone. The newest row counts.
CREATE TABLE backstory.pins (
    team text NOT NULL,
    project text NOT NULL,
    uid text NOT NULL,
    author name NOT NULL,
    changed xid8 NOT NULL,
    pinned boolean NOT NULL,
    PRIMARY KEY (team, uid, author, changed),
    FOREIGN KEY (team, project, uid) REFERENCES backstory.memories (team, project, uid)
);
CREATE INDEX pins_by_change ON backstory.pins (team, project, author, changed);

-- Authorship is who is logged in, whatever the row says.
CREATE FUNCTION backstory.sign() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.author := session_user;
    RETURN NEW;
END
$$;

-- The same, and by which transaction: its number orders what is pulled. A memory that was forgotten takes nothing any more; whoever is
-- just forgetting it holds its row, so this waits, and then looks.
CREATE FUNCTION backstory.sign_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM backstory.memories WHERE team = NEW.team AND uid = NEW.uid FOR KEY SHARE;
    IF EXISTS (SELECT FROM backstory.tombstones WHERE team = NEW.team AND uid = NEW.uid) THEN
        RETURN NULL;
    END IF;
    NEW.author := session_user;
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END
$$;

-- A clock that is ahead must not win for ever.
CREATE FUNCTION backstory.not_from_the_future() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.at_ms := least(NEW.at_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    RETURN NEW;
END
$$;

-- Waits for whoever is just writing about the memory, and keeps others from it until it is gone.
CREATE FUNCTION backstory.sign_tombstone() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM backstory.memories WHERE team = NEW.team AND uid = NEW.uid FOR UPDATE;
    NEW.author := session_user;
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END
$$;

CREATE FUNCTION backstory.bury() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM backstory.revisions WHERE team = NEW.team AND uid = NEW.uid;
    DELETE FROM backstory.links WHERE team = NEW.team AND (uid = NEW.uid OR target = NEW.uid);
    DELETE FROM backstory.pins WHERE team = NEW.team AND uid = NEW.uid;
    RETURN NULL;
END
$$;

CREATE TRIGGER signed BEFORE INSERT ON backstory.projects FOR EACH ROW EXECUTE FUNCTION backstory.sign();
CREATE TRIGGER signed BEFORE INSERT ON backstory.memories FOR EACH ROW EXECUTE FUNCTION backstory.sign();
CREATE TRIGGER signed BEFORE INSERT ON backstory.revisions FOR EACH ROW EXECUTE FUNCTION backstory.sign_change();
CREATE TRIGGER dated BEFORE INSERT ON backstory.revisions FOR EACH ROW EXECUTE FUNCTION backstory.not_from_the_future();
CREATE TRIGGER signed BEFORE INSERT ON backstory.tombstones FOR EACH ROW EXECUTE FUNCTION backstory.sign_tombstone();
CREATE TRIGGER signed BEFORE INSERT ON backstory.links FOR EACH ROW EXECUTE FUNCTION backstory.sign_change();
CREATE TRIGGER signed BEFORE INSERT ON backstory.pins FOR EACH ROW EXECUTE FUNCTION backstory.sign_change();
CREATE TRIGGER buried AFTER INSERT ON backstory.tombstones FOR EACH ROW EXECUTE FUNCTION backstory.bury();

DO $$
DECLARE
    shared text;
BEGIN
    FOREACH shared IN ARRAY ARRAY['projects', 'memories', 'revisions', 'tombstones', 'links'] LOOP
        EXECUTE format('CREATE POLICY of_the_team ON backstory.%I
            USING (team = (SELECT backstory.current_team())) WITH CHECK (team = (SELECT backstory.current_team()))', shared);
    END LOOP;
    FOREACH shared IN ARRAY ARRAY['teams', 'members', 'projects', 'memories', 'revisions', 'tombstones', 'links', 'pins'] LOOP
        EXECUTE format('ALTER TABLE backstory.%I ENABLE ROW LEVEL SECURITY', shared);
        EXECUTE format('ALTER TABLE backstory.%I FORCE ROW LEVEL SECURITY', shared);
    END LOOP;
END
$$;

CREATE POLICY of_the_member ON backstory.pins
    USING (team = (SELECT backstory.current_team()) AND author = session_user)
    WITH CHECK (team = (SELECT backstory.current_team()) AND author = session_user);
-- When a memory is forgotten everybody's pins of it go.
CREATE POLICY of_the_owner ON backstory.pins FOR DELETE TO CURRENT_USER USING (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_owner_to_find ON backstory.pins FOR SELECT TO CURRENT_USER USING (team = (SELECT backstory.current_team()));

-- The owner keeps the lists of teams and members; members see their own.
CREATE POLICY of_the_owner ON backstory.teams TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY of_the_owner ON backstory.members TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY of_the_team ON backstory.teams FOR SELECT TO backstory_member USING (team = (SELECT backstory.current_team()));
CREATE POLICY of_the_team ON backstory.members FOR SELECT TO backstory_member
    USING (member = session_user OR team = (SELECT backstory.current_team()));

GRANT USAGE ON SCHEMA backstory TO backstory_member;
GRANT SELECT ON backstory.applied_migrations, backstory.teams, backstory.members TO backstory_member;
GRANT SELECT, INSERT ON backstory.projects, backstory.memories, backstory.revisions, backstory.tombstones,
    backstory.links, backstory.pins TO backstory_member;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA backstory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backstory.current_team() TO backstory_member;
