"""Streamable HTTP before an MCP server that speaks over standard input and output: the conformance suite asks over HTTP only.

A server a session, as the protocol has it with a handshake. Whoever is not of this machine is turned away, as a server of
HTTP has to.
"""

import json
import re
import subprocess
import threading
import uuid
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from model import Listener, send

OURS = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")


class Server:
    """One server process; requests are answered one after the other, so the next line is the answer."""

    def __init__(self, world, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process, self.lock = world.start(*command, **pipes), threading.Lock()

    def ask(self, message):
        """Says a message to it, and returns the answer where there is one."""
        with self.lock:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
            if "method" not in message or "id" not in message:
                return None
            # A server may ask back in between, for the roots: this client has none.
            while answer := json.loads(self.process.stdout.readline()):
                if "method" not in answer:
                    return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


class Bridge:
    """The HTTP side; `close` ends every server."""

    def __init__(self, world, command):
        self.sessions = {}
        bridge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                if not bridge.is_of_this_machine(self.headers):
                    return self.answer(403, refusal("another machine's"))
                message, session = json.loads(body), self.headers.get("mcp-session-id")
                if message.get("method") == "initialize":
                    session = str(uuid.uuid4())
                    bridge.sessions[session] = Server(world, command)
                if session not in bridge.sessions:
                    return self.answer(404, refusal("no such session"))
                answer = bridge.sessions[session].ask(message)
                return self.answer(200 if answer else 202, answer, session)

            def do_GET(self):
                self.answer(405, None)

            def do_DELETE(self):
                self.answer(200, None)

            def answer(self, status, message, session=None):
                text = json.dumps(message) if message else ""
                send(self, status, "application/json", text, {"mcp-session-id": session} if session else {})

            def log_message(self, *_):
                pass

        self.server = Listener(Handler)
        self.url = f"{self.server.url}/mcp"

    @staticmethod
    def is_of_this_machine(headers):
        origin = headers.get("origin")
        named = [headers.get("host", "")] + ([urlsplit(origin).netloc] if origin else [])
        return all(OURS.fullmatch(name) for name in named)

    def close(self):
        """Ends the servers and the HTTP side."""
        self.server.shutdown()
        for session in self.sessions.values():
            session.close()


def refusal(why):
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": why}}
