"""A client of the Model Context Protocol that shares no code with the server: a process and
lines of JSON, in either revision.

    with Agent(["mcp", contract, "--persona", "seller"], NEWER, cwd=directory) as agent:
        agent.tools()                       # names
        agent.call("confirm_delivery", {})  # the result
"""
import json
import os
import subprocess

from harness import MOTET

OLDER, NEWER = "2025-11-25", "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
TASKS = {"extensions": {PREFIX + "tasks": {}}}
ASKED = {"elicitation": {"form": {}}}


class Refused(Exception):
    """A JSON-RPC error."""

    def __init__(self, error):
        super().__init__(error)
        self.code, self.error = error["code"], error


def message(revision, number, method, params=None, can=None, meta=None):
    """One request as it is sent in the revision."""
    params = dict(params or {})
    notes = dict(meta or {})
    if revision == NEWER:
        notes[PREFIX + "protocolVersion"] = revision
        notes[PREFIX + "clientCapabilities"] = can or {}
    if notes:
        params["_meta"] = notes
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Agent:
    """One connection over standard input and output."""

    def __init__(self, words, revision, cwd, can=None):
        self.revision, self.can, self.number = revision, can or {}, 0
        self.process = subprocess.Popen([str(MOTET), *map(str, words)], cwd=cwd, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE,
                                        env={**os.environ, "NO_COLOR": "1"})
        self.began = self.begin()

    def begin(self):
        if self.revision == NEWER:
            return self.ask("server/discover")
        result = self.ask("initialize", {"protocolVersion": OLDER, "capabilities": self.can,
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return result

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        assert line, "the server ended: " + self.process.stderr.read()
        return json.loads(line)

    def ask(self, method, params=None, meta=None, number=None):
        """The result; Refused for an error."""
        self.number += 1
        number = self.number if number is None else number
        self.say(json.dumps(message(self.revision, number, method, params, self.can, meta)))
        answer = self.hear()
        assert answer["id"] == number, answer
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def tools(self):
        return [tool["name"] for tool in self.ask("tools/list")["tools"]]

    def call(self, name, arguments=None, meta=None, number=None, **more):
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}, **more}, meta,
                        number)

    def close(self):
        """Ends as a client does: the input is closed. The exit status, and what was logged."""
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        logged = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, logged

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not self.process.stdin.closed:
            self.close()
