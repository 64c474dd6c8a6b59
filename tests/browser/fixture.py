#!/usr/bin/env python3
"""Serves the viewer's files under the worker's own policy and answers its API from a made-up month of work.

    tests/browser/fixture.py [--port N] [--memories N] [--hostile FILE]

Prints `ready PORT`. The browser tests use it where a store cannot be made to say what they need: a hundred thousand memories,
an empty store, or a list of hostile lines in every text there is. Routes under /test/ steer it.
"""

import argparse
import json
import queue
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

sys.dont_write_bytecode = True

from month import Month

VIEWER = Path(__file__).resolve().parents[2] / "crates/server/viewer"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
)
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
KEY = "once"


class Refusal(Exception):
    def __init__(self, status, code, message, hint=None):
        super().__init__(message)
        self.status, self.body = status, {"error": {"code": code, "message": message, "hint": hint}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    month = None
    listeners = []
    signed_out = False

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer()

    do_POST = do_PATCH = do_DELETE = do_GET

    def answer(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or "{}") if length else {}
        try:
            if url.path == "/api/events":
                return self.stream()
            if url.path.startswith(("/api/", "/test/")):
                return self.reply(200, "application/json", json.dumps(self.routed(url.path, query, body)))
            self.asset("index.html" if url.path == "/" else unquote(url.path).removeprefix("/assets/"))
        except Refusal as refusal:
            self.reply(refusal.status, "application/json", json.dumps(refusal.body))

    def routed(self, path, query, body):
        for method, pattern, name in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == self.command:
                if Handler.signed_out and not name.startswith("test_") and name != "login":
                    raise Refusal(401, "not_signed_in", "A token is needed")
                return getattr(self, name)(*map(int, found.groups()), query=query, body=body)
        raise Refusal(404, "no_route", f"There is no {path}")

    def asset(self, name):
        path = (VIEWER / name).resolve()
        if VIEWER not in path.parents or not path.is_file():
            raise Refusal(404, "no_file", f"There is no {name}")
        self.reply(200, f"{TYPES[path.suffix]}; charset=utf-8", path.read_text())

    def reply(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": len(data), "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-cache"}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def stream(self):
        events = queue.Queue()
        Handler.listeners.append(events)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-store")
        self.end_headers()
        self.close_connection = True
        try:
            self.wfile.write(b": hello\n\n")
            self.wfile.flush()
            while True:
                try:
                    kind, number = events.get(timeout=15)
                    self.wfile.write(f"event: {kind}\ndata: {json.dumps({'id': number})}\n\n".encode())
                except queue.Empty:
                    self.wfile.write(b": still here\n\n")
                self.wfile.flush()
        except OSError:
            Handler.listeners.remove(events)

    # The API

    def login(self, body, **_):
        if body.get("key") != KEY:
            raise Refusal(401, "bad_key", "The link was used already, or is too old")
        Handler.signed_out = False
        return {}

    def status(self, **_):
        return self.month.status()

    def stats(self, **_):
        return {**self.month.status(), "by_project": [{"id": each["id"], "name": each["name"], "memories": each["memories"]} for each in self.month.projects]}

    def hooks(self, **_):
        return self.month.hooks()

    def overview(self, query, **_):
        return self.month.overview(query)

    def rules(self, query, **_):
        return {"version": 1, "rules": self.month.rule_rows(query)}

    def files(self, number, **_):
        return self.found(self.month.files(number), f"project {number}")

    def relations(self, number, **_):
        return self.found(self.month.relations(number), f"memory #{number}")

    def preview(self, query, **_):
        return self.month.preview(query)

    def remember(self, body, **_):
        number = self.month.write(body["text"].splitlines()[0][:80], body.get("kind", "note"))
        self.month.change(number, standing="confirmed", scope=body.get("scope", "project"))
        return {"ok": True, "id": number, "kind": body.get("kind", "note"), "uid": f"{number:032x}"}

    def merge(self, body, **_):
        return self.month.merge(body)

    def projects(self, **_):
        return {"version": 1, "projects": self.month.projects}

    def project(self, number, **_):
        return self.found(self.month.project(number), f"project {number}")

    def memories(self, query, **_):
        return self.month.page_of_memories(query)

    def memory(self, number, **_):
        return self.found(self.month.memory(number), f"memory #{number}")

    def revise(self, number, body, **_):
        if body.get("title") == self.month.row(number - 1)["title"]:
            raise Refusal(409, "known", f"memory #{number - 1} says the same", "Supersede one of them.")
        return self.month.revise(number, body)

    def pin(self, number, body, **_):
        return self.month.pin(number, body["pinned"])

    def review(self, query, **_):
        return self.month.review(query)

    def confirm(self, number, **_):
        return self.month.judge(number, "confirmed")

    def retire(self, number, **_):
        return self.month.judge(number, "retired")

    def supersede(self, number, body, **_):
        return self.month.supersede(number, body["text"])

    def forget(self, number, **_):
        return self.month.forget(number)

    def search(self, query, **_):
        return self.month.search(query)

    def timeline(self, query, **_):
        return self.month.timeline(int(query["id"]), int(query.get("before", 5)), int(query.get("after", 5)))

    def sessions(self, query, **_):
        return self.month.page_of_sessions(query)

    def session(self, number, **_):
        return self.found(self.month.session(number), f"session {number}")

    def injections(self, query, **_):
        return self.month.page_of_injections(query)

    def injection(self, number, **_):
        return self.found(self.month.injection(number), f"injection {number}")

    @staticmethod
    def found(thing, name):
        if thing is None:
            raise Refusal(404, "not_found", f"There is no {name}", "It may have been forgotten.")
        return thing

    # What only the tests ask

    def test_write(self, body, **_):
        number = self.month.write(body.get("title", "A memory written just now"), body.get("kind", "note"))
        self.publish("memory", number)
        return {"id": number}

    def test_work(self, body, **_):
        """Something happens in a session: a step, a memory or an injection, and the run of a hook."""
        self.month.work(body["session"], body["text"])
        self.publish("event", self.month.status()["events"])
        return {}

    def test_sign_out(self, **_):
        Handler.signed_out = True
        return {}

    def test_empty(self, **_):
        Handler.month = Month(memories=0)
        return {}

    def test_refill(self, body, **_):
        Handler.month = Month(**body)
        return {}

    @staticmethod
    def publish(kind, number):
        for events in list(Handler.listeners):
            events.put((kind, number))


ROUTES = [
    ("POST", "/api/login", "login"),
    ("GET", "/api/status", "status"),
    ("GET", "/api/stats", "stats"),
    ("GET", "/api/hooks", "hooks"),
    ("GET", "/api/overview", "overview"),
    ("GET", "/api/rules", "rules"),
    ("GET", r"/api/projects/(\d+)/files", "files"),
    ("GET", r"/api/memories/(\d+)/relations", "relations"),
    ("GET", "/api/context", "preview"),
    ("POST", "/api/memories", "remember"),
    ("POST", "/api/memories/merge", "merge"),
    ("GET", "/api/projects", "projects"),
    ("GET", r"/api/projects/(\d+)", "project"),
    ("GET", "/api/memories", "memories"),
    ("GET", r"/api/memories/(\d+)", "memory"),
    ("PATCH", r"/api/memories/(\d+)", "revise"),
    ("POST", r"/api/memories/(\d+)/pin", "pin"),
    ("POST", r"/api/memories/(\d+)/supersede", "supersede"),
    ("POST", r"/api/memories/(\d+)/confirm", "confirm"),
    ("POST", r"/api/memories/(\d+)/retire", "retire"),
    ("GET", "/api/review", "review"),
    ("DELETE", r"/api/memories/(\d+)", "forget"),
    ("GET", "/api/search", "search"),
    ("GET", "/api/timeline", "timeline"),
    ("GET", "/api/sessions", "sessions"),
    ("GET", r"/api/sessions/(\d+)", "session"),
    ("GET", "/api/injections", "injections"),
    ("GET", r"/api/injections/(\d+)", "injection"),
    ("POST", "/test/write", "test_write"),
    ("POST", "/test/work", "test_work"),
    ("POST", "/test/sign-out", "test_sign_out"),
    ("POST", "/test/empty", "test_empty"),
    ("POST", "/test/refill", "test_refill"),
]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        # A browser that gave up a question hangs up in the middle of the answer.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--memories", type=int, default=640)
    options.add_argument("--hostile", type=Path)
    arguments = options.parse_args()
    hostile = arguments.hostile.read_text(errors="replace").splitlines() if arguments.hostile else None
    Handler.month = Month(memories=arguments.memories, hostile=hostile)
    server = Server(("127.0.0.1", arguments.port), Handler)
    print("ready", server.server_address[1], flush=True)
    # Ends with the test run that started it, however that ends.
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
