"""A server of tools (MCP over stdin and stdout) that sends messages nowhere: one tool that changes something, one that looks."""

import json
import sys
from typing import Any

TOOLS = {"send_message": "Sent as https://chat.example/m/7", "list_messages": "none"}
_TEXT = {"type": "object", "properties": {"channel": {"type": "string"}, "text": {"type": "string"}}}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of one request."""
    match method:
        case "initialize":
            about = {"serverInfo": {"name": "chat", "version": "1"}, "capabilities": {"tools": {}}}
            return {"protocolVersion": params["protocolVersion"], **about}
        case "tools/list":
            return {"tools": [{"name": name, "description": name, "inputSchema": _TEXT} for name in TOOLS]}
        case "tools/call" if params["arguments"].get("channel") == "#nowhere":
            return {"content": [{"type": "text", "text": "error: no such channel"}], "isError": True}
        case "tools/call":
            return {"content": [{"type": "text", "text": TOOLS[params["name"]]}]}
        case _:
            return {}


def main() -> None:
    """Answer requests, a line each, until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
