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

# What the host's own dialog tells the model, in front of the words of the user.
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was "
    "NOT written to the file). To tell you how to proceed, the user said:\n"
)


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

    def play(self, turns, *arguments, person=None):
        """Plays one session: each turn is a prompt and the model's answers to it. Returns the session's id.

        Whatever the host asks about a tool goes to `person`, who is given its name and its input and a way to type something meanwhile,
        and returns how it goes on (`allowed`, `refused`). Without one the host asks nobody.
        """
        command = [self.program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command += ["--permission-prompt-tool", "stdio"] if person else []
        command += [*self.arguments, *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = self.world.start(*command, environment=self.environment(), **pipes)
        results = []

        def send(message):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()

        def types(text):
            send({"type": "user", "message": {"role": "user", "content": text}})

        def listen():
            for line in process.stdout:
                said = json.loads(line)
                if said.get("type") == "result":
                    results.append(said)
                if said.get("type") == "control_request":
                    request = said["request"]
                    answer = person(request["tool_name"], request["input"], types)
                    response = {"subtype": "success", "request_id": said["request_id"], "response": answer}
                    send({"type": "control_response", "response": response})

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            for number, (prompt, answers) in enumerate(turns, 1):
                self.model.answers = list(answers)
                types(prompt)
                wait_for(lambda: len(results) >= number or process.poll() is not None, f"the answer to {prompt!r}")
            process.stdin.close()
            process.wait(30)
            listener.join(5)
        finally:
            end(process)
        return results[-1]["session_id"] if results else None

    @staticmethod
    def allowed(tool_input, **more):
        """A person's answer that lets a tool run, with what they chose."""
        return {"behavior": "allow", "updatedInput": tool_input | more}

    @staticmethod
    def refused(words):
        """A person's refusal, worded as the host's own dialog words it."""
        return {"behavior": "deny", "message": f"{REFUSED}{words}"}

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
