"""What is really injected into Claude Code from a big store: at the start, at a prompt, beside a tool, across compaction.

Everything is read from the requests the model got. A block counts as arrived when it is whole and stands there once.
"""

import json

import memories
from hosts.claude_code import ClaudeCode
from injected import PLAIN, blocks, lines, opened, texts, without_nonce
from model import say
from world import World

CEILING = 9_500
PROMPT = "Why does the locker-gateway still trip over clock drift?"
NEXT_PROMPT = "And what about clock drift in the door-controller?"


def play(setting, checks):
    """Plays the whole scene in one world."""
    world = World("injection")
    try:
        host = setting.host(ClaudeCode, world)
        failed = prepare(setting, world)
        host.configure()
        setting.backstory(world, "install", host.name, "--yes", environment=host.environment())
        first_session(setting, checks, host)
        newest_model(checks, host)
        long_session(checks, host, failed)
        checks.that(not world.left_behind(), "no process is left", world.processes())
    finally:
        world.close(setting.keep)


def prepare(setting, world):
    """Fills the store, and returns a command that has failed lately."""
    world.run("git", "init", "-q", "-b", "main")
    (world.project / "Makefile").write_text("test-%:\n\t@echo tested $*\n")
    file = world.root / "memories.jsonl"
    memories.write(file, setting.memories, world.project)
    report = json.loads(setting.backstory(world, "import", "--trust", "user", file, "--json", deadline=900))
    assert report["imported"] == setting.memories, report
    failures = [memory for memory in map(json.loads, file.read_text().splitlines()) if memory["kind"] == "failure"]
    # Old enough not to stand in the session's first block, which would be all the warning there is.
    return failures[-30]["body"].split("`")[1]


def first_session(setting, checks, host):
    """One prompt: both blocks arrive as they were printed, and as `backstory context` shows them."""
    checks.about("claude-code, a session begins")
    expected = setting.ask(host.world, "context")["context"]
    session = host.play([(PROMPT, [say("The gateway trusts the door's clock.")])])
    [request] = host.model.requests()
    start, index = blocks(request, "session start"), blocks(request, "prompt")
    checks.equal((len(start), len(index), opened(request)), (1, 1, 2), "its text and the prompt's arrive once each")
    checks.equal(without_nonce(start[0]), without_nonce(expected), "its text is the one `backstory context` shows")
    receipts = {it["event"]: it["bytes_out"] for it in setting.ask(host.world, "status")["hooks"]}
    for event, block in (("SessionStart", start[0]), ("UserPromptSubmit", index[0])):
        checks.equal(len(block.encode()), receipts.get(event), f"what {event} said arrives whole")
    # A smaller store holds fewer that bear on it.
    enough = min(12, setting.memories // 500)
    checks.that(len(lines(index[0])) >= enough, f"a prompt that {enough} memories bear on gets as many", index[0])
    checks.that(all("locker-gateway" in title or "clock drift" in title for title in lines(index[0]).values()),
                "each has to do with the prompt", index[0])
    within_bounds(checks, [request])

    checks.about("claude-code, it is resumed")
    host.play([("Go on.", [say("Done.")])], "--resume", session)
    again = host.model.requests()[1]
    checks.equal(blocks(again, "session start"), start, "its first text is there as it was, and not twice")
    checks.equal(blocks(again, "prompt"), index, "so is the prompt's")


def newest_model(checks, host):
    """Claude Code puts hook context into another place for newer models."""
    checks.about("claude-code, the newest models")
    before = len(host.model.requests())
    host.play([(PROMPT, [say("Done.")])], "--model", "claude-opus-5-5")
    [request] = host.model.requests()[before:]
    found = len(blocks(request, "session start")), len(blocks(request, "prompt")), opened(request)
    checks.equal(found, (1, 1, 2), "both texts arrive, once each")


def long_session(checks, host, failed):
    """A session that runs a risky command, is compacted and cleared."""
    before = len(host.model.requests())
    host.play([
        (PROMPT, [host.shell(failed, "Run the tests"), say("They pass.")]),
        (NEXT_PROMPT, [say("It has a clock of its own.")]),
        (PROMPT, [say("As I said.")]),
        ("/compact keep the open questions", []),
        (PROMPT, [say("As I said.")]),
        ("/clear", []),
        (PROMPT, [say("The gateway trusts the door's clock.")]),
    ])
    turns = host.model.requests()[before:]
    first, tested, _, third, compacted, cleared = turns

    checks.about("claude-code, a command that failed before")
    warned = blocks(tested, "tool")
    checks.equal(len(warned), 1, "the warning arrives once")
    fix = failed.replace("test-", "reset-")
    checks.that(warned and f"`{fix}`" in warned[0], "it says what fixed it", warned)
    checks.that("tested" in json.dumps(tested), "the command ran all the same")

    checks.about("claude-code, further prompts")
    indexes = blocks(third, "prompt")
    checks.equal(len(blocks(third, "session start")), 1, "the session's text stands there once")
    checks.equal(indexes[:1], blocks(first, "prompt"), "the first prompt's text is as it was")
    injected = [number for index in indexes for number in lines(index)]
    checks.that(len(indexes) >= 2 and len(injected) == len(set(injected)), "no memory is injected a second time", indexes)
    start = blocks(first, "session start")[0]

    checks.about("claude-code, compaction")
    [compaction] = host.model.requests("compaction")
    plain = [match.group(0) for text in texts(compaction["messages"][-1:]) for match in PLAIN.finditer(text)]
    checks.equal(len(plain), 1, "what is known stands in the compaction's instructions")
    checks.that(plain and len(plain[0].encode()) <= CEILING, "within the ceiling")
    check_injected_again(checks, compacted, start)

    checks.about("claude-code, the context is cleared")
    check_injected_again(checks, cleared, start)
    within_bounds(checks, turns)


def check_injected_again(checks, request, start):
    """Checks that a session whose context is gone gets everything again."""
    again = blocks(request, "session start")
    checks.equal(len(again), 1, "the session's text arrives again, once")
    checks.that(again and again[0] != start and "## Decisions" in again[0], "a new one, and whole", again)
    checks.equal(len(blocks(request, "prompt")), 1, "and a prompt is answered with what was known before")


def within_bounds(checks, requests):
    sizes = [len(block.encode()) for request in requests for block in blocks(request)]
    checks.that(sizes and max(sizes) <= CEILING, f"no text is longer than {CEILING} bytes", sizes)
