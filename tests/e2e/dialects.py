"""The four ways hosts talk to a model: Anthropic Messages, OpenAI Chat and Responses, Gemini.

Each says which path is its own, which tools a request offers, whether it asks for a summary, and how an answer is written.
"""

import json


class Messages:
    """Anthropic Messages."""

    @staticmethod
    def speaks(path):
        return path.endswith("/messages")

    @staticmethod
    def tools(body):
        return [offered["name"] for offered in body.get("tools", [])]

    @staticmethod
    def wants_summary(body):
        return "<analysis>" in json.dumps(body.get("messages", [])[-1:])

    @staticmethod
    def answer(answer, number, model, streamed):
        if "tool" in answer:
            block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": answer["tool"], "input": answer["input"]}
        else:
            block = {"type": "text", "text": answer["say"]}
        usage = {"input_tokens": answer.get("usage", 1000), "output_tokens": 10}
        message = {
            "id": f"msg_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": "tool_use" if "tool" in answer else "end_turn",
            "stop_sequence": None,
            "usage": usage | {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
        }
        return Messages.streamed(message) if streamed else json.dumps(message)

    @staticmethod
    def streamed(message):
        block = message["content"][0]
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        return named_events([
            {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}},
            {"type": "message_stop"},
        ])


class Chat:
    """OpenAI Chat Completions."""

    @staticmethod
    def speaks(path):
        return path.endswith("/chat/completions")

    @staticmethod
    def tools(body):
        return [offered.get("function", offered).get("name") for offered in body.get("tools", [])]

    @staticmethod
    def wants_summary(body):
        return False

    @staticmethod
    def answer(answer, number, model, streamed):
        read = answer.get("usage", 1000)
        usage = {"prompt_tokens": read, "completion_tokens": 10, "total_tokens": read + 10}
        said = {"role": "assistant", "content": answer.get("say")}
        if "tool" in answer:
            function = {"name": answer["tool"], "arguments": json.dumps(answer["input"])}
            said["tool_calls"] = [{"index": 0, "id": f"call_{number:04}", "type": "function", "function": function}]
        reason = "tool_calls" if "tool" in answer else "stop"
        base = {"id": f"chatcmpl_{number:04}", "created": 1, "model": model}
        if not streamed:
            choice = {"index": 0, "message": said, "finish_reason": reason}
            return json.dumps(base | {"object": "chat.completion", "choices": [choice], "usage": usage})
        base["object"] = "chat.completion.chunk"
        chunks = [
            base | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


class Responses:
    """OpenAI Responses."""

    @staticmethod
    def speaks(path):
        return path.endswith("/responses")

    @staticmethod
    def tools(body):
        """The tools of a namespace, such as an MCP server's, are named with it."""
        names = []
        for offered in body.get("tools", []):
            if offered.get("type") == "namespace":
                names += [f"{offered['name']}/{inner['name']}" for inner in offered.get("tools", [])]
            else:
                names.append(offered.get("name") or offered.get("type"))
        return names

    @staticmethod
    def wants_summary(body):
        return False

    @staticmethod
    def answer(answer, number, model, streamed):
        item = Responses.item(answer, number)
        read = answer.get("usage", 1000)
        usage = {
            "input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + 10,
        }
        response = {
            "id": f"resp_{number:04}", "object": "response", "created_at": 1, "status": "completed", "model": model,
            "output": [item], "usage": usage,
        }
        if not streamed:
            return json.dumps(response)
        begun = response | {"status": "in_progress", "output": [], "usage": None}
        events = [
            {"type": "response.created", "response": begun},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return named_events([event | {"sequence_number": at} for at, event in enumerate(events)])

    @staticmethod
    def item(answer, number):
        if "tool" not in answer:
            text = {"type": "output_text", "text": answer["say"], "annotations": []}
            return {"type": "message", "id": f"msg_{number:04}", "role": "assistant", "status": "completed", "content": [text]}
        call = {"id": f"fc_{number:04}", "call_id": f"call_{number:04}", "status": "completed"}
        if isinstance(answer["input"].get("free_text"), str):
            return call | {"type": "custom_tool_call", "name": answer["tool"], "input": answer["input"]["free_text"]}
        namespace, _, name = answer["tool"].rpartition("/")
        call |= {"namespace": namespace} if namespace else {}
        return call | {"type": "function_call", "name": name, "arguments": json.dumps(answer["input"])}


class Gemini:
    """Gemini's generateContent."""

    @staticmethod
    def speaks(path):
        return path.endswith((":generateContent", ":streamGenerateContent"))

    @staticmethod
    def tools(body):
        return [function["name"] for offered in body.get("tools", []) for function in offered.get("functionDeclarations", [])]

    @staticmethod
    def wants_summary(body):
        return False

    @staticmethod
    def answer(answer, number, model, streamed):
        if "tool" in answer:
            part = {"functionCall": {"name": answer["tool"], "args": answer["input"]}}
        else:
            part = {"text": answer["say"]}
        read = answer.get("usage", 1000)
        content = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": read, "candidatesTokenCount": 10, "totalTokenCount": read + 10}
        text = json.dumps({"candidates": [content], "usageMetadata": usage, "modelVersion": "scripted"})
        return f"data: {text}\n\n" if streamed else text


ALL = [Messages, Chat, Responses, Gemini]


def named_events(events):
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
