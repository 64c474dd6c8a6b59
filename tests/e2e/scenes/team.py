"""Two people with a home each, one hub: what one of them decides in a session, the other's session is given, with its author."""

import re

import bugfix_session
import postgres
from hosts.claude_code import ClaudeCode
from injected import blocks
from model import say
from world import World, wait_for

DECIDED = "pytest-style asserts"
# A line of what a session is given: the decision, and whose it is.
GIVEN = re.compile(rf"^.*\bteam ann\b.*{DECIDED}.*$", re.MULTILINE)
ASKED = "How do we write asserts in our tests?"


def play(setting, checks):
    """Plays both sessions, with Claude Code."""
    programs = postgres.programs()
    if programs is None:
        print("SKIPPED: the scene of a team was NOT played: no PostgreSQL server was found", flush=True)
        return
    hub = postgres.Postgres(programs)
    worlds = [World("team-ann"), World("team-bob"), World("team-owner")]
    ann, bob, owner = worlds
    try:
        setting.backstory(owner, "team", "init", hub.url("owner"))
        hosts = [joined(setting, world, owner, name, hub) for world, name in ((ann, "ann"), (bob, "bob"))]
        decides(setting, checks, hosts[0], hub)
        is_given(setting, checks, hosts[1])
        for world in worlds:
            checks.that(not world.left_behind(), "no process is left", world.processes())
    finally:
        for world in worlds:
            world.close(setting.keep)
        hub.close()


def joined(setting, world, owner, name, hub):
    """Puts a person with a host into a world, in a clone of what both work on, and into the team."""
    passfile = world.home / ".pgpass"
    setting.backstory(owner, "team", "invite", name, "--passfile", passfile)
    host = setting.host(ClaudeCode, world)
    host.configure()
    bugfix_session.prepare(host)
    world.run("git", "remote", "add", "origin", "https://git.example.org/team/pager.git")
    setting.backstory(world, "install", host.name, "--yes", environment=host.environment())
    setting.backstory(world, "team", "join", hub.url(name))
    setting.backstory(world, "project", "share")
    return host


def decides(setting, checks, host, hub):
    """The first of them works, and puts the agent right. Nobody says `sync`: the end of the session does."""
    checks.about("a team, one decides")
    host.play(bugfix_session.turns(host))
    told = f"SELECT count(*) FROM backstory.revisions WHERE author = 'ann' AND title LIKE '%{DECIDED}%'"
    wait_for(lambda: hub.psql("memories", told) != "0", "the end of the session tells the hub")
    checks.that(True, "the end of the session tells the hub what was decided")


def is_given(setting, checks, host):
    """The other begins to work, and has never heard of it."""
    checks.about("a team, the other is given it")
    checks.equal(setting.ask(host.world, "search", DECIDED)["hits"], [], "nothing is known of it before a sync")
    setting.backstory(host.world, "sync")
    [hit] = [hit for hit in setting.ask(host.world, "search", DECIDED)["hits"] if DECIDED in hit["title"]]
    checks.equal(hit["provenance"], "team:ann", "after it, it is known as the other's word")
    host.play([(ASKED, [say("With plain asserts.")])])
    [request] = host.model.requests()
    given = [block for block in blocks(request) if DECIDED in block]
    checks.that(any(GIVEN.search(block) for block in given), "the session's model gets the line, with its author beside it", given)
