"""Claude Code asks, is refused, and is spoken to while it works: each thing the user said ends where it belongs.

The dialogs are answered over the host's own protocol for programs that drive it. Its dialogs at a terminal cannot be played offline:
what they tell the model is taken from the program itself.
"""

import mmap

import dialog_session
from hosts.claude_code import REFUSED, ClaudeCode
from world import World


def play(setting, checks):
    """Plays the session, then looks where everything went."""
    world = World("dialogs", [setting.node])
    try:
        host = setting.host(ClaudeCode, world)
        host.configure()
        checks.about("dialogs")
        world.run("git", "init", "-q", "-b", "main")
        world.run("git", "commit", "-q", "--allow-empty", "-m", "Begin the ferry")
        setting.backstory(world, "install", host.name, "--yes", environment=host.environment())
        host.play(dialog_session.turns(host), person=dialog_session.person(host))
        check_program(checks, host)
        check_memories(setting, checks, world)
        check_handoff(setting, checks, world)
        check_steps(setting, checks, world)
    finally:
        world.close(setting.keep)


def check_program(checks, host):
    with open(host.program, "rb") as program, mmap.mmap(program.fileno(), 0, access=mmap.ACCESS_READ) as text:
        parts = [REFUSED.partition(" (eg.")[0], "To tell you how to proceed, the user said:"]
        checks.that(all(text.find(part.encode()) >= 0 for part in parts), "the refusal is worded as the host words it")


def check_memories(setting, checks, world):
    hits = setting.ask(world, "search")["hits"]
    found = {(hit["kind"], hit["title"].lower().rstrip(".")): hit["standing"] for hit in hits}

    def about(kind, words):
        return [standing for (of, title), standing in found.items() if of == kind and words.lower() in title]

    checks.equal(about("decision", dialog_session.CHOSEN), ["confirmed"], "the answer to the question is a decision")
    checks.that(not any(dialog_session.LEFT.lower() in title for _, title in found), "and not the other option", found)
    checks.equal(len(about("rule", dialog_session.REFUSAL)), 1, "the words of the refusal are a rule, or proposed as one")
    checks.equal(about("rule", dialog_session.TYPED), ["confirmed"], "what was typed while the agent worked is a rule")
    work = [title for kind, title in found if kind in ("feature", "change", "bugfix", "refactor")]
    checks.that(not any("settings.yaml" in title for title in work), "the refused file is no work that was done", work)


def check_handoff(setting, checks, world):
    handoffs = [hit for hit in setting.ask(world, "search", "--kind", "handoff")["hits"]]
    if not checks.equal(len(handoffs), 1, "there is one handoff"):
        return
    details = setting.ask(world, "show", str(handoffs[0]["id"]))["memories"][0]["details"]
    done, begun, left = dialog_session.TASKS
    checks.equal(details.get("in_flight"), [begun], "the task that was begun is in flight")
    checks.equal(details.get("next_steps"), [left], "the open task is next")
    checks.that(done not in str(details.get("in_flight")) + str(details.get("next_steps")), "the finished task is neither")


def check_steps(setting, checks, world):
    """What was typed in mid-turn is said once, within the turn."""
    steps = setting.ask(world, "sessions", "show", "last")["steps"]
    texts = [(step["what"], step.get("text", "")) for step in steps]
    typed = [at for at, (_, text) in enumerate(texts) if dialog_session.TYPED in text]
    checks.equal(len(typed), 1, "what was typed while the agent worked stands once in the session")
    said = [at for at, (what, _) in enumerate(texts) if what == "said"]
    checks.that(typed and said and typed[0] < said[0] == max(said), "within the turn, which ends once", texts)
