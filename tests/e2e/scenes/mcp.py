"""The MCP server under the validators of others and in a host; and what is left when its host dies."""

import json
import os
import signal
import subprocess

from bridge import Bridge
from hosts.claude_code import ClaudeCode
from injected import texts
from model import say, tool
from world import World, end

TITLE = "Refunds are paid in cents, never in euros"
# Those about what this server offers. The others ask for resources, prompts or tools of certain names, or about HTTP.
SCENARIOS = ["server-initialize", "ping", "tools-list"]
# Without `forget`: an agent forgets only if the user lets it.
TOOLS = ["search", "about", "timeline", "get", "remember", "revise", "handoff"]
# Starts a server, says that it runs, and waits to be killed.
HOST = "import subprocess, sys; server = subprocess.Popen(sys.argv[1:], stdin=0); print('started', flush=True); server.wait()"


def play(setting, checks):
    """Plays all of it in one world."""
    world = World("mcp", [setting.node])
    try:
        world.run("git", "init", "-q", "-b", "main")
        setting.backstory(world, "remember", TITLE)
        inspector(setting, checks, world)
        conformance(setting, checks, world)
        called_by_claude_code(setting, checks, world)
        killed(setting, checks, world)
    finally:
        world.close(setting.keep)


def inspector(setting, checks, world):
    """Lists and calls the tools in both eras of the protocol."""
    program = setting.hosts / "mcp/node_modules/.bin/mcp-inspector"

    def inspect(era, method, *more):
        command = [program, "--cli", setting.binary, "mcp", "--protocol-era", era, "--method", method, "--format", "json"]
        return world.run(*command, *more, check=False)

    def call(era, name, **arguments):
        return inspect(era, "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))

    for era in ("legacy", "modern"):
        checks.about(f"MCP Inspector, {era}")
        listed = inspect(era, "tools/list", "--strict")
        if checks.that(listed.returncode == 0, "tools/list --strict", listed):
            names = [it["name"] for it in json.loads(listed.stdout)["result"]["tools"]]
            checks.equal(names, TOOLS, "the tools are listed")
        found = call(era, "search", query="refunds")
        checks.that(found.returncode == 0 and TITLE in found.stdout, "`search` finds", found)
        missing = call(era, "get", ids=[4711])
        checks.that('"isError":true' in missing.stdout, "what is not there is an error of the tool", missing)


def conformance(setting, checks, world):
    """The scenarios of the conformance suite that apply."""
    checks.about("MCP conformance")
    bridge = Bridge(world, [setting.binary, "mcp"])
    try:
        for scenario in SCENARIOS:
            program = setting.hosts / "mcp/node_modules/.bin/conformance"
            done = world.run(program, "server", "--url", bridge.url, "--scenario", scenario, check=False)
            checks.that(done.returncode == 0, scenario, done.stdout + done.stderr)
    finally:
        bridge.close()


def called_by_claude_code(setting, checks, world):
    """The agent of a real host searches."""
    checks.about("MCP in claude-code")
    host = setting.host(ClaudeCode, world)
    file = world.root / "mcp.json"
    server = {"command": str(setting.binary), "args": ["mcp"], "alwaysLoad": True}
    file.write_text(json.dumps({"mcpServers": {"backstory": server}}))
    answers = [tool("mcp__backstory__search", query="refunds"), say("In cents.")]
    host.play([("How are refunds paid?", answers)], "--mcp-config", str(file), "--strict-mcp-config",
              "--allowedTools", "mcp__backstory")
    named = [name for name in host.model.offered() if name.startswith("mcp__backstory__")]
    checks.equal(sorted(named), sorted(f"mcp__backstory__{name}" for name in TOOLS), "the tools are offered")
    results = [text for text in texts(host.model.requests()[-1]["messages"]) if TITLE in text]
    checks.that(len(results) == 1 and "<backstory-" in results[0], "what `search` found reaches the agent", results)


def killed(setting, checks, world):
    """Hosts die in the middle of a session, of half of them someone else holds the pipe."""
    checks.about("MCP, twenty hosts killed")
    held = []
    for number in range(20):
        ours, theirs = os.pipe()
        pipes = {"stdin": ours, "stdout": subprocess.PIPE}
        host = world.start("python3", "-c", HOST, setting.binary, "mcp", **pipes)
        os.close(ours)
        os.write(theirs, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        printed = [host.stdout.readline(), host.stdout.readline()]
        assert any("started" in line for line in printed) and any('"tools"' in line for line in printed), printed
        held.append((host, theirs))
    checks.that(len(world.processes()) >= 40, "they run", world.processes())
    for number, (host, theirs) in enumerate(held):
        os.kill(host.pid, signal.SIGKILL)
        host.wait()
        if number % 2:
            os.close(theirs)
    left = world.left_behind(10)
    checks.equal(len(left), 0, "no server is left")
    for number, (host, theirs) in enumerate(held):
        if not number % 2:
            os.close(theirs)
        end(host)
