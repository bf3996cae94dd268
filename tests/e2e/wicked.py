"""An MCP server that does what its callers' arguments say, wicked things too.

    python3 wicked.py LOG [die-at-start]

Every call that reaches it is a line of LOG, on disk before anything else happens: the mark of
the call. `do` of the arguments: die, hang, twice, unknown (an id that nobody used), other (the
id of another call), late (after 300 ms), error, fault (of the protocol), both, garbage, long,
ask (asks the client first; with `_meta`, too), relist (lists other tools from then on), big, meta (with this `_meta`), raw (this result).
"""
import io
import json
import os
import sys
import time

LOG = sys.argv[1]
TOOLS = ["read", "write", "seal", "purge", "decide", "spare"]
changed = False
last = []
lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8")  # a carriage return ends a line, too


def say(**members):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")
    sys.stdout.flush()


def note(mark):
    with open(LOG, "a") as log:
        log.write(mark + "\n")
        log.flush()
        os.fsync(log.fileno())


def tool(name):
    words = "It does something else now." if changed else f"The tool {name}."
    return {"name": name, "description": words, "inputSchema": {"type": "object"}}


def result(text, **more):
    return {"content": [{"type": "text", "text": text}], "resultType": "complete", **more}


def call(number, params):
    global changed
    given = params.get("arguments", {})
    do = given.get("do", "")
    note(given.get("mark", "?"))
    last.append(number)
    good = result("done " + given.get("mark", "?"), structuredContent={"status": given.get("status", "")})
    if do == "die":
        os._exit(7)
    elif do == "hang":
        return
    elif do == "late":
        time.sleep(0.4)
        say(id=number, result=good)
    elif do == "twice":
        say(id=number, result=good)
        say(id=number, result=result("a second answer"))
    elif do == "unknown":
        say(id=987654321, result=result("nobody asked"))
        say(id="motet-1", result=result("nobody asked"))
        say(id=number, result=good)
    elif do == "other":
        say(id=last[0], result=result("this is another's"))
        say(id=number, result=good)
    elif do == "meta":
        say(id=number, result={**good, "_meta": json.loads(given["meta"])})
    elif do == "raw":
        sys.stdout.write('{"result": %s,"extra":1.50, "jsonrpc":"2.0","id":%s}\n' % (given["raw"], number))
        sys.stdout.flush()
    elif do == "error":
        say(id=number, result=result("no such file", isError=True))
    elif do == "fault":
        say(id=number, error={"code": -32603, "message": "broken"})
    elif do == "both":
        say(id=number, result=good, error={"code": 1, "message": "x"})
        say(id=number, result=good)
    elif do == "garbage":
        sys.stdout.write("this is no JSON\n[1,2]\n{\"id\": {}}\n" + "[" * 5000 + "\n\xff\n")
        say(id=number, result=good)
    elif do == "long":
        sys.stdout.write("x" * 3_000_000)
        sys.stdout.flush()
        time.sleep(30)
    elif do == "big":
        say(id=number, result=result("y" * 1_000_000))
    elif do == "ask":
        say(id=number, method="roots/list")  # its own id, which the client may use, too
        answer = json.loads(lines.readline())
        say(id=number, result=result(json.dumps(answer), _meta=json.loads(given.get("meta", "{}"))))
    elif do == "withdraw":  # a question, which nobody needs to answer any more
        say(id="q", method="roots/list")
        say(method="notifications/cancelled", params={"requestId": "q"})
        say(id=number, result=result(lines.readline()))
    elif do == "relist":
        changed = True
        say(method="notifications/tools/list_changed")
        say(id=number, result=good)
    else:
        say(id=number, result=good)


def main():
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            continue  # as most servers: the next line may be one
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            say(id=number, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                   "serverInfo": {"name": "wicked", "version": "1"}})
        elif method == "server/discover":
            say(id=number, result={"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                                   "resultType": "complete"})
        elif method == "tools/list":
            say(id=number, result={"tools": [tool(name) for name in TOOLS], "resultType": "complete"})
        elif method == "tools/call":
            call(number, message["params"])
        elif method == "echo/never":
            pass
        elif method == "echo/it":
            say(id=number, result={"heard": message})
        elif number is not None and method:
            say(id=number, error={"code": -32601, "message": "no such method"})


with open(LOG + ".pid", "w") as own:
    own.write(str(os.getpid()))
if len(sys.argv) > 2:
    sys.exit(3)
main()
