"""A model of ours on the loopback that says what a script tells it to, in the words of three interfaces: OpenAI's Responses
(Codex), OpenAI's chat completions (Copilot) and Gemini's.

Own writing, standard library only. `claude_code_host` has one of its own for Claude Code.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tool(name, /, **arguments):
    """An answer that asks for a tool."""
    return {"tool": name, "input": arguments}


def say(text, usage=1000):
    """An answer in words; `usage` is how many tokens the model claims to have read."""
    return {"say": text, "usage": usage}


def to(prompt, answer):
    """An answer only to who sent this: two agents send at once."""
    return answer | {"to": json.dumps(prompt)}


class Model:
    """Answers the host's requests, in order, from a list that is filled before each prompt."""

    def __init__(self):
        self.answers, self.requests, self.offered, self.calls = [], [], [], 0
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
        path = request.path.split("?")[0]
        if path.endswith("countTokens"):
            return send(request, "application/json", json.dumps({"totalTokens": 1000}))
        dialect = next(dialect for end, dialect in DIALECTS.items() if path.lower().endswith(end))
        offered = dialect.offered(body)
        with self.lock:
            self.calls += 1
            self.requests.append(body)
            # Titles and summaries are requested without tools: they are not scripted.
            answer = say("A summary of the work so far.")
            if offered:
                self.offered = offered
                answer = self.next_answer(json.dumps(body))
        if "tool" in answer:
            answer = answer | {"tool": called(answer["tool"], offered)}
        chunks = dialect.chunks(answer, f"{self.calls:04}", body)
        if body.get("stream") or "stream" in path:
            return send(request, "text/event-stream", "".join(chunks))
        return send(request, "application/json", dialect.whole(answer, f"{self.calls:04}", body))

    def next_answer(self, request):
        mine = [one for one in self.answers if "to" in one and f'"text": {one["to"]}' in request]
        mine = mine or [one for one in self.answers if "to" not in one]
        if not mine:
            return say("Done.")
        self.answers.remove(mine[0])
        return mine[0]


def called(name, offered):
    """Tools of an MCP server are called by the end of their names, whatever the host puts before."""
    exactly = [known for known in offered if known == name]
    return next(iter(exactly + [known for known in offered if known.endswith(name)]), name)


class Responses:
    """Codex. A tool of an MCP server stands in the namespace of its server."""

    @staticmethod
    def tools(body):
        """The tools of a request by name, also those the newest models find in its input."""
        lists = [body.get("tools", [])] + [one["tools"] for one in body["input"] if one.get("type") == "additional_tools"]
        found = {}
        for tool in (tool for tools in lists for tool in tools):
            if tool["type"] == "namespace":
                found |= {f"{tool['name']}\0{one['name']}": one["type"] for one in tool["tools"]}
            else:
                found[tool.get("name", tool["type"])] = tool["type"]
        return found

    @classmethod
    def offered(cls, body):
        return list(cls.tools(body))

    @classmethod
    def response(cls, answer, number, body):
        if "tool" in answer:
            space, _, name = answer["tool"].rpartition("\0")
            custom = cls.tools(body).get(answer["tool"]) == "custom"
            item = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": name, "status": "completed"}
            if custom:
                item |= {"type": "custom_tool_call", "input": answer["input"]["input"]}
            else:
                item |= {"type": "function_call", "arguments": json.dumps(answer["input"])}
            item |= {"namespace": space} if space else {}
        else:
            content = [{"type": "output_text", "text": answer["say"], "annotations": []}]
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        read = answer.get("usage", 1000)
        usage = {"input_tokens": read, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + 10}
        return {"id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed",
                "model": body.get("model"), "output": [item], "usage": usage}

    @classmethod
    def chunks(cls, answer, number, body):
        response = cls.response(answer, number, body)
        item = response["output"][0]
        begun = response | {"status": "in_progress", "output": [], "usage": None}
        events = [
            {"type": "response.created", "response": begun},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]

    @classmethod
    def whole(cls, *args):
        return json.dumps(cls.response(*args))


class Chat:
    """Copilot."""

    @staticmethod
    def offered(body):
        return [tool["function"]["name"] for tool in body.get("tools", []) if "function" in tool]

    @staticmethod
    def message(answer, number):
        if "tool" not in answer:
            return {"role": "assistant", "content": answer["say"]}, "stop"
        function = {"name": answer["tool"], "arguments": json.dumps(answer["input"])}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        return {"role": "assistant", "tool_calls": [call]}, "tool_calls"

    @staticmethod
    def usage(answer):
        read = answer.get("usage", 1000)
        return {"prompt_tokens": read, "completion_tokens": 10, "total_tokens": read + 10}

    @classmethod
    def chunks(cls, answer, number, body):
        message, reason = cls.message(answer, number)
        base = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
        parts = [
            base | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": cls.usage(answer)},
        ]
        return [f"data: {json.dumps(part)}\n\n" for part in parts] + ["data: [DONE]\n\n"]

    @classmethod
    def whole(cls, answer, number, body):
        message, reason = cls.message(answer, number)
        return json.dumps({"id": f"chat_{number}", "object": "chat.completion", "created": 1, "model": body.get("model"),
                           "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": cls.usage(answer)})


class Gemini:
    """Gemini CLI."""

    @staticmethod
    def offered(body):
        return [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]

    @staticmethod
    def whole(answer, _number, _body):
        part = {"functionCall": {"name": answer["tool"], "args": answer["input"]}} if "tool" in answer else {"text": answer["say"]}
        read = answer.get("usage", 1000)
        usage = {"promptTokenCount": read, "candidatesTokenCount": 10, "totalTokenCount": read + 10}
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        return json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stub"})

    @classmethod
    def chunks(cls, *args):
        return [f"data: {cls.whole(*args)}\n\n"]


DIALECTS = {"/responses": Responses, "/chat/completions": Chat, "generatecontent": Gemini}


def send(request, sort, text):
    data = text.encode()
    request.send_response(200)
    request.send_header("content-type", sort)
    request.send_header("content-length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)
