"""An MCP server with one tool that says back what it is asked. Standard library only."""

import json
import sys

TOOL = {
    "name": "lookup",
    "description": "Looks something up",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
}


def answer(method, params):
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "echo", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": f"Found: {params['arguments'].get('query')}"}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request["method"], request.get("params", {}))
    error = {"error": {"code": -32601, "message": "no such method"}}
    body = error if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"]} | body), flush=True)
