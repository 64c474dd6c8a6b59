"""The real Claude Code, driven offline: it talks to a model of ours on the loopback that says what a script tells it to.

Own writing, standard library only. The host runs with an empty environment, a home of its own and a dead proxy, so that
nothing of this machine reaches it and nothing of it leaves this machine.
"""

import json
import os
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

EVENTS = """SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PostToolUse
PostToolUseFailure PostToolBatch Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification
InstructionsLoaded""".split()

SUMMARY = "<analysis>The work so far.</analysis>\n<summary>The parser reads headers; its tests pass.</summary>"


def tool(name, **arguments):
    """An answer that asks for a tool."""
    return {"tool": name, "input": arguments}


def say(text, usage=1000):
    """An answer in words; `usage` is how many tokens the model claims to have read."""
    return {"say": text, "usage": usage}


def fail(status):
    """No answer but an error."""
    return {"fail": status}


class Model:
    """Answers the host's requests, in order, from a list that is filled before each prompt."""

    def __init__(self):
        self.answers = []
        self.offered = []
        self.requests = []
        self.calls = 0
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                model.reply(self, json.loads(body or b"{}"))

            def do_GET(self):
                self.send_error(404)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, request, body):
        if request.path.split("?")[0].endswith("count_tokens"):
            return send(request, 200, "application/json", json.dumps({"input_tokens": 1000}))
        answer = self.next_answer(body)
        if "fail" in answer:
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": "refused by the script"}}
            return send(request, answer["fail"], "application/json", json.dumps(error))
        with self.lock:
            self.calls += 1
            number = self.calls
        message = message_of(answer, number, body.get("model"))
        if body.get("stream"):
            return send(request, 200, "text/event-stream", events_of(message))
        return send(request, 200, "application/json", json.dumps(message))

    def next_answer(self, body):
        """Titles and the like are asked for without tools, and compaction asks for a summary: neither is scripted."""
        if "<analysis>" in json.dumps(body.get("messages", [])[-1:]):
            return say(SUMMARY)
        if not body.get("tools"):
            return say("A title")
        with self.lock:
            self.requests.append(body)
            self.offered = [offered["name"] for offered in body["tools"]]
            return self.answers.pop(0) if self.answers else say("Done.")


def message_of(answer, number, model):
    if "tool" in answer:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": answer["tool"], "input": answer["input"]}
    else:
        block = {"type": "text", "text": answer["say"]}
    usage = {"input_tokens": answer.get("usage", 1000), "output_tokens": 10}
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": "tool_use" if "tool" in answer else "end_turn",
        "stop_sequence": None,
        "usage": usage | {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
    }


def events_of(message):
    block = message["content"][0]
    if block["type"] == "text":
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events = [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def send(request, status, sort, text):
    data = text.encode()
    request.send_response(status)
    request.send_header("content-type", sort)
    request.send_header("content-length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)


class Host:
    """Claude Code in a world of its own, with one command as the hook of every event."""

    def __init__(self, binary, hook, settings=None):
        self.world = Path(tempfile.mkdtemp(prefix="claude-code-")).resolve()
        self.project = self.world / "project"
        self.binary, self.model = binary, Model()
        for name in ("home/.claude", "project", "tmp"):
            (self.world / name).mkdir(parents=True)
        hooks = [{"hooks": [{"type": "command", "command": hook.format(world=self.world), "timeout": 20}]}]
        self.settings = self.world / "settings.json"
        self.settings.write_text(json.dumps({"hooks": {event: hooks for event in EVENTS}} | (settings or {})))

    def environment(self):
        dead = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
        day = {name: "2026-05-01T12:00:00Z" for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")}
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
               for part, value in (("NAME", "Dev"), ("EMAIL", "dev@example.com"))}
        home = self.world / "home"
        return dead | day | who | {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "BACKSTORY_HOME": str(home / "backstory"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "TMPDIR": str(self.world / "tmp"),
            "no_proxy": "127.0.0.1",
            "NO_PROXY": "127.0.0.1",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, *command, **options):
        """Runs a command of the project, as the host would."""
        return subprocess.run(command, cwd=self.project, env=self.environment(), check=True, **options)

    def play(self, turns, *arguments):
        """Plays one session: each turn is a prompt and the model's answers to it. Returns the session's id."""
        command = [self.binary, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command += ["--settings", str(self.settings), "--model", "claude-sonnet-4-5", *arguments]
        process = subprocess.Popen(
            command, cwd=self.project, env=self.environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        results = []

        def listen():
            for line in process.stdout:
                said = json.loads(line)
                if said.get("type") == "result":
                    results.append(said)

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        for number, (prompt, answers) in enumerate(turns, 1):
            self.model.answers = list(answers)
            message = {"type": "user", "message": {"role": "user", "content": prompt}}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            self.wait_for(lambda: len(results) >= number or process.poll() is not None, prompt)
        process.stdin.close()
        process.wait(30)
        listener.join(5)
        return results[-1]["session_id"] if results else None

    @staticmethod
    def wait_for(condition, what):
        patience = time.monotonic() + 60
        while not condition():
            if time.monotonic() > patience:
                raise SystemExit(f"the host did not answer: {what}")
            time.sleep(0.02)


def claude_binary(arguments):
    """The host's program: the first argument, or CLAUDE_BIN."""
    binary = arguments[1] if len(arguments) > 1 else os.environ.get("CLAUDE_BIN")
    if not binary or not os.access(binary, os.X_OK):
        raise SystemExit("usage: give the path of the `claude` program as the first argument or in CLAUDE_BIN")
    return os.path.abspath(binary)
