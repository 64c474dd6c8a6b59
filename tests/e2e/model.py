"""A model on the loopback that answers from a script, in whichever dialect a host speaks.

It answers in order from a list that is filled before each prompt, and keeps every request: what a host gave its model is
read from there. Nothing of a prompt has to be written for the model's sake.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dialects

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


class Request:
    """A request of a host to its model: `what` is a turn of the session, its compaction, or an aside such as a title."""

    def __init__(self, dialect, body):
        self.dialect, self.body = dialect, body
        self.tools = dialect.tools(body)
        self.what = "compaction" if dialect.wants_summary(body) else "turn" if self.tools else "aside"


class Listener(ThreadingHTTPServer):
    """An HTTP server on the loopback, in the background. Hosts hang up as they please when they end."""

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Model:
    """Answers the hosts' requests."""

    def __init__(self):
        self.answers = []
        self.requested = []
        self.calls = 0
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                model.reply(self, json.loads(body or b"{}"))

            def do_GET(self):
                listed = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}
                is_list = self.path.split("?")[0].endswith("/models")
                send(self, 200 if is_list else 404, "application/json", json.dumps(listed if is_list else {}))

            def log_message(self, *_):
                pass

        self.url = Listener(Handler).url

    def requests(self, what="turn"):
        """Returns the bodies of the requests, in order."""
        with self.lock:
            return [request.body for request in self.requested if request.what == what]

    def offered(self):
        """Returns the names of the tools the newest turn offered."""
        with self.lock:
            return next((it.tools for it in reversed(self.requested) if it.what == "turn"), [])

    def reply(self, handler, body):
        path = handler.path.split("?")[0]
        dialect = next((it for it in dialects.ALL if it.speaks(path)), None)
        if dialect is None:
            counted = json.dumps({"input_tokens": 1000, "totalTokens": 1000})
            return send(handler, 200 if "oken" in path else 404, "application/json", counted)
        request = Request(dialect, body)
        answer = self.next_answer(request)
        if "fail" in answer:
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": "refused by the script"}}
            return send(handler, answer["fail"], "application/json", json.dumps(error))
        with self.lock:
            self.calls += 1
            number = self.calls
        streamed = body.get("stream") or "stream" in path
        sort = "text/event-stream" if streamed else "application/json"
        return send(handler, 200, sort, dialect.answer(answer, number, body.get("model"), streamed))

    def next_answer(self, request):
        """Titles and the like are asked for without tools, and compaction asks for a summary: neither is scripted."""
        with self.lock:
            self.requested.append(request)
            if request.what == "compaction":
                return say(SUMMARY)
            if request.what == "aside":
                return say("A title")
            return self.answers.pop(0) if self.answers else say("Done.")


def send(handler, status, sort, text, headers=None):
    """Answers an HTTP request."""
    data = text.encode()
    handler.send_response(status)
    for name, value in ({"content-type": sort} | (headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)
