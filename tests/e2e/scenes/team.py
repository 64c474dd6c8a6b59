"""Two people with a home each, one hub: a decision of one is injected into the session of the other, with its author."""

import re

import bugfix_session
import postgres
from hosts.claude_code import ClaudeCode
from injected import blocks
from model import say
from world import World, wait_for

DECIDED = "counts pages from one"
# An injected line: the decision and its author.
INJECTED_LINE = re.compile(rf"^.*{DECIDED}.*\bteam ann\b.*$", re.MULTILINE)
PROMPT = "From which number does the pager count pages?"


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
        check_pushed(setting, checks, hosts[0], hub)
        check_injected(setting, checks, hosts[1])
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


def check_pushed(setting, checks, host, hub):
    """The first of them decides something, and works. Nobody runs `sync`: the end of the session does.

    What a colleague decided is told as history; a rule of theirs would wait for the user.
    """
    checks.about("a team, one decides")
    setting.backstory(host.world, "remember", "--kind", "decision", f"The pager {DECIDED}, as the archive does")
    host.play(bugfix_session.turns(host))
    pushed = f"SELECT count(*) FROM backstory.revisions WHERE author = 'ann' AND title LIKE '%{DECIDED}%'"
    wait_for(lambda: hub.psql("memories", pushed) != "0", "the end of the session pushes to the hub")
    checks.that(True, "the end of the session pushes the decision to the hub")


def check_injected(setting, checks, host):
    """The other begins to work, and does not know it yet."""
    checks.about("a team, the other pulls it")
    checks.equal(setting.ask(host.world, "search", DECIDED)["hits"], [], "nothing is known of it before a sync")
    setting.backstory(host.world, "sync")
    [hit] = [hit for hit in setting.ask(host.world, "search", DECIDED)["hits"] if DECIDED in hit["title"]]
    checks.equal(hit["provenance"], "team:ann", "after it, it has the other's provenance")
    host.play([(PROMPT, [say("With plain asserts.")])])
    [request] = host.model.requests()
    injected = [block for block in blocks(request) if DECIDED in block]
    checks.that(any(INJECTED_LINE.search(block) for block in injected), "the session's model gets the line, with its author beside it", injected)
