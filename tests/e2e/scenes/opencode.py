"""What OpenCode's plugin puts where: into the one system prompt, always the same bytes, into no request of OpenCode's own,
and into the instructions it compacts by.
"""

from hosts.opencode import OpenCode
from injected import PLAIN, blocks, opened, texts
from model import say
from world import World

KNOWN = ["Refunds are paid in cents, never in euros", "The refund job runs at night because the bank is closed by day"]


def play(setting, checks):
    """Plays a session with injections that continues in a second process and is compacted there."""
    world = World("opencode", [setting.node])
    try:
        host = setting.host(OpenCode, world)
        host.configure()
        world.run("git", "init", "-q", "-b", "main")
        setting.backstory(world, "install", host.name, "--yes", environment=host.environment())
        for known in KNOWN:
            setting.backstory(world, "remember", "--kind", "decision", known)
        host.play([
            ("Hello, who is there?", [host.shell("echo one", "Print a word"), say("An agent.")]),
            ("Read all of it.", [say("That was a lot.", usage=60_000)]),
            ("And now?", [say("Now it is short.")]),
        ])
        check_system_prompt(checks, host.model)
        check_compaction(checks, host.model)
    finally:
        world.close(setting.keep)


def check_system_prompt(checks, model):
    """Checks where the block of the session start stands."""
    checks.about("opencode, its system prompt")
    before = model.requests()[:3]
    systems = [[it["content"] for it in request["messages"] if it["role"] == "system"] for request in before]
    checks.equal([len(system) for system in systems], [1, 1, 1], "there is one, in two processes")
    checks.that(all(system == systems[0] for system in systems), "it is the same in every byte", systems)
    checks.equal(len(blocks(systems[0], "session start")), 1, "what is known stands in it, once")
    title = model.requests("aside")[0]
    checks.equal(opened(title), 0, "nothing of it stands in the request for a title")


def check_compaction(checks, model):
    """Checks what a compaction gets, and the session after it."""
    checks.about("opencode, compaction")
    asides = model.requests("aside")[1:]
    plain = [match.group(0) for aside in asides for text in texts(aside) for match in PLAIN.finditer(text)]
    checks.equal(len(plain), 1, "what is known stands in its instructions")
    checks.that(plain and all(known in plain[0] for known in KNOWN), "all of it", plain)
    last = model.requests()[-1]
    checks.equal(len(blocks(last, "session start")), 1, "the session's text is there after it, once")
