"""Claude Code: many turns over its stream of JSON lines, so that it can be compacted, cleared and resumed."""

import json
import os
import subprocess
import threading

from model import tool
from world import end, wait_for

EVENTS = """SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PostToolUse
PostToolUseFailure PostToolBatch Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification
InstructionsLoaded""".split()

class ClaudeCode:
    """Claude Code in a world, with a model of ours."""

    name = "claude-code"
    path = "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    search = "mcp__backstory__search"

    def __init__(self, world, model, program):
        self.world, self.model, self.program = world, model, program
        self.project, self.run = world.project, world.run
        self.config = world.home / ".claude"
        self.config.mkdir(exist_ok=True)
        self.arguments = ["--model", "claude-sonnet-4-5"]

    def configure(self):
        """Writes what a user has: settings, a hook and an MCP server of their own."""
        (self.config / "settings.json").write_text(f"""{{
  "permissions": {{"allow": ["Bash", "Read", "Edit", "{self.search}"]}},
  "hooks": {{
    "Stop": [{{"hooks": [{{"type": "command", "command": "true", "timeout": 5}}]}}]
  }},
  "cleanupPeriodDays": 30
}}
""")
        (self.config / ".claude.json").write_text('{\n  "hasCompletedOnboarding": true,\n  "mcpServers": {}\n}\n')

    def environment(self):
        return self.world.environment(
            CLAUDE_CONFIG_DIR=str(self.config),
            ANTHROPIC_BASE_URL=self.model.url,
            ANTHROPIC_API_KEY="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000",
        )

    def connect(self, hook, settings=None):
        """Makes one command the hook of every event, from the next session on."""
        hooks = [{"hooks": [{"type": "command", "command": hook, "timeout": 20}]}]
        file = self.world.root / "settings.json"
        file.write_text(json.dumps({"hooks": {event: hooks for event in EVENTS}} | (settings or {})))
        self.arguments += ["--settings", str(file)]

    def play(self, turns, *arguments):
        """Plays one session: each turn is a prompt and the model's answers to it. Returns the session's id."""
        command = [self.program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command += [*self.arguments, *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = self.world.start(*command, environment=self.environment(), **pipes)
        results = []

        def listen():
            for line in process.stdout:
                said = json.loads(line)
                if said.get("type") == "result":
                    results.append(said)

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            for number, (prompt, answers) in enumerate(turns, 1):
                self.model.answers = list(answers)
                message = {"type": "user", "message": {"role": "user", "content": prompt}}
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
                wait_for(lambda: len(results) >= number or process.poll() is not None, f"the answer to {prompt!r}")
            process.stdin.close()
            process.wait(30)
            listener.join(5)
        finally:
            end(process)
        return results[-1]["session_id"] if results else None

    @staticmethod
    def shell(command, description):
        return tool("Bash", command=command, description=description)

    @staticmethod
    def look(file):
        return tool("Read", file_path=str(file))

    @staticmethod
    def edit(file, old, new):
        return tool("Edit", file_path=str(file), old_string=old, new_string=new)


def from_arguments(arguments):
    """The host's program for a script: its first argument, or CLAUDE_BIN."""
    program = arguments[1] if len(arguments) > 1 else os.environ.get("CLAUDE_BIN")
    if not program or not os.access(program, os.X_OK):
        raise SystemExit("usage: give the path of the `claude` program as the first argument or in CLAUDE_BIN")
    return os.path.abspath(program)
