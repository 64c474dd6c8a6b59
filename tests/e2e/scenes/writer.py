"""Every host: a session ends, the background writer runs through that host's own program, and is killed half-way. A later run writes
what it did not: its notes arrive once, and the next session is given them. None of the writer's own sessions is recorded, and no
process is left.
"""

import json
import os
import signal
import time

import bugfix_session
from injected import blocks
from model import say
from world import World, wait_for

FIRST_LINE = "[backstory asks for the notes"
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini", "opencode": "opencode", "copilot-cli": "copilot"}
# Tools that cannot be turned off, and can neither run a command nor reach the network.
HARMLESS = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "request_user_input", "apply_patch",
            "view_image", "tool_search"}
TITLE = "Tests in this repository use pytest-style asserts, not assertEqual"
ACCOUNT = {
    "summary": {"title": "page_count counts the last page", "request": "Fix the failing test", "done": "page_count rounds up."},
    "handoff": {"state": "done", "where": "page_count is fixed and committed.", "next_steps": [], "open_questions": []},
    "add": [], "change": [],
}
NOTE = {"kind": "constraint", "title": TITLE, "body": "The user corrected the agent.",
        "quote": "we use pytest-style asserts here, not assertEqual", "needed_when": "writing a test", "files": []}


def scene_for(sort):
    """Returns the scene for a host."""

    def play(setting, checks):
        world = World(f"writer-{sort.name}", [setting.node])
        try:
            host = setting.host(sort, world)
            host.configure()
            prepare(setting, host)
            bugfix_session.prepare(host)
            checks.about(f"{sort.name}, writer")
            writer_requests = answer_writer(host.model, lambda: kill_writer(host.world))
            host.play(bugfix_session.turns(host))
            check_written(setting, checks, host, writer_requests)
            check_next_session(checks, host)
        finally:
            world.close(setting.keep)

    return play


def prepare(setting, host):
    """Connects the host, puts its program on the path as its user has it, and makes it the writer."""
    folder = host.world.root / "bin"
    folder.mkdir()
    program = folder / PROGRAMS[host.name]
    command = f"node '{host.program}'" if str(host.program).endswith(".js") else f"'{host.program}'"
    known = host.environment()
    # Copilot CLI keeps these from the hooks it runs, and so from what they start; a user who logged in does not need them.
    kept_back = [name for name in known if host.name == "copilot-cli" and name.startswith("COPILOT_") and name != "COPILOT_HOME"]
    exports = "".join(f"export {name}='{known[name]}'\n" for name in kept_back)
    program.write_text(f'#!/bin/sh\n{exports}exec {command} "$@"\n')
    program.chmod(0o755)
    host.world.path.insert(0, str(folder))
    config = host.world.home / ".config/backstory/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[writer]\nprovider = "{host.name}"\n')
    if host.name == "gemini-cli":
        # It keeps its key from the hooks it runs, and so from what they start; a user of a key has it in this file.
        keys = ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")
        (host.world.home / ".gemini/.env").write_text("".join(f"{key}={known[key]}\n" for key in keys))
    host.world.run(setting.binary, "install", host.name, "--yes", environment=host.environment())


def kill_writer(world):
    """Kills the process that waits for the model's answer."""
    for process, command in world.processes().items():
        if command.strip().endswith("write-notes"):
            os.kill(process, signal.SIGKILL)


def answer_writer(model, on_first):
    """Lets the model answer the writer with notes on what it was sent, after `on_first` for the first time. Returns the list its
    requests go to.
    """
    writer_requests, scripted = [], model.next_answer

    def next_answer(request):
        sent = json.dumps(request.body, ensure_ascii=False)
        if FIRST_LINE not in sent:
            return scripted(request)
        writer_requests.append(request)
        if len(writer_requests) == 1:
            on_first()
        said_in = next((turn for turn in ("t2", "t1") if f"{turn} U: No, we use pytest" in sent), None)
        return say(json.dumps(ACCOUNT | ({"add": [NOTE | {"evidence": [said_in]}]} if said_in else {})))

    model.next_answer = next_answer
    return writer_requests


def check_written(setting, checks, host, writer_requests):
    """Waits for the writer, which the end of the session has started, or half an hour of silence starts."""
    wait_for(lambda: not host.world.processes(), "the writer ends", 90)
    before = memories(setting, host.world)
    # The first run was killed, at the session's end or in the first of these; its claim ends before the next. The last finds nothing.
    for minutes in (40, 80, 120):
        later = str(int(time.time() * 1000) + minutes * 60_000)
        environment = host.environment() | {"BACKSTORY_NOW_MS": later}
        host.world.run(setting.binary, "write-notes", environment=environment, check=False)
        left = host.world.left_behind()
        checks.that(not left, f"no process is left after {minutes} minutes", left)
    checks.that(2 <= len(writer_requests) <= 4, "its session is written after the kill, or again after new words", len(writer_requests))
    tools = {tool for request in writer_requests for tool in request.tools} - HARMLESS
    checks.that(not tools, "the writer's model has no tool that runs or fetches anything", tools)
    writer = setting.ask(host.world, "status")["writer"]
    checks.equal((writer["provider"], writer["stored"]["calls"]), (host.name, len(writer_requests)), "`status` counts its calls")
    checks.that(writer["stored"]["kept"] >= 1, "a note is kept", writer)
    hits = setting.ask(host.world, "search", "pytest-style asserts")["hits"]
    checks.equal([hit["title"] for hit in hits].count(TITLE), 1, "the note is there, and once")
    check_kept_once(checks, before, memories(setting, host.world))
    sessions = setting.ask(host.world, "sessions")["sessions"]
    checks.equal(len(sessions), 1, "none of the writer's own sessions is recorded")


def memories(setting, world):
    """Returns every memory, also what no longer holds, by its name."""
    hits = setting.ask(world, "search", "--all-projects", "--superseded", "-n", "1000")["hits"]
    return {hit["uid"]: hit for hit in hits}


def check_kept_once(checks, before, after):
    """Looks at all that the rules and the writer made of the one session."""
    lost = [hit["title"] for uid, hit in before.items() if uid not in after]
    checks.equal(lost, [], "no memory is lost to the kill")
    live = [hit for hit in after.values() if hit["standing"] != "retired"]
    for kind in ("handoff", "summary"):
        checks.equal([hit["kind"] for hit in live].count(kind), 1, f"there is one {kind}")
    said = [(hit["kind"], hit["title"]) for hit in live]
    checks.equal([one for one in said if said.count(one) > 1], [], "no memory is there twice")
    # Work and failures are the rules' own, whatever a model makes of the rest.
    gone = [hit["title"] for uid, hit in before.items()
            if hit["kind"] in ("feature", "bugfix", "change", "refactor", "failure") and hit["standing"] != after[uid]["standing"]]
    checks.equal(gone, [], "the work and the failures of the rules stay")


def check_next_session(checks, host):
    """Plays the next session, and looks for the note in what its model gets."""
    before = len(host.model.requests())
    host.play([("How do we write tests here?", [say("With plain asserts.")])])
    requests = host.model.requests()[before:]
    start = blocks(requests[0], "session start") if requests else []
    checks.that(start and TITLE in start[0], "the next session is given the note", start)
