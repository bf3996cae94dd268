"""A small MCP server over standard input and output: files below the current directory. It
refuses nothing; that is what the guard before it is for."""
import json
import pathlib
import sys

PATH = {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}
TEXT = {"type": "object", "required": ["path", "content"],
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
TOOLS = {"read_file": (PATH, True), "write_file": (TEXT, False), "freeze_file": (PATH, False),
         "thaw_file": (PATH, False), "delete_file": (PATH, False)}


def call(name, given):
    path = pathlib.Path(given["path"])
    if name == "read_file":
        return path.read_text()
    if name == "write_file":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(given["content"])
    elif name == "delete_file":
        path.unlink()
    return f"{name} {path}: done"


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "files", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}
                          for name, (schema, reads) in TOOLS.items()]}
    try:
        text, failed = call(params["name"], params["arguments"]), False
    except (KeyError, OSError) as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
