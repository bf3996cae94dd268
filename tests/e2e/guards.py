"""What tests of the guard share: a contract over files, its map, and a server of our own.

    with Guard(self.dir) as agent:     # an mcp.Agent before wicked.py
        agent.call("write", {"path": "/srv/a", "content": "x"})
"""
import json
import sys

import mcp
from harness import SOURCE, run

CONTRACT = """persona agent
persona owner

entity File {
  states: [open, sealed]
  initial: open
  transitions: [(open, open), (open, sealed)]
}

fact inside { type: Bool source: "arguments.path" default: false }
fact size { type: Int(0, 1000000) source: "arguments.content" default: 0 }
fact wanted { type: Bool source: "result" default: true }

operation read { personas: [agent] require: inside effects: [] }
operation write {
  personas: [agent]
  require: inside and size <= 10 and wanted
  effects: [File: open -> open]
}
operation seal { personas: [agent, owner] require: inside effects: [File: open -> sealed] }
operation purge { personas: [owner] require: inside effects: [File: open -> sealed] }
operation decide {
  personas: [agent]
  require: inside
  outcomes: [kept, closed]
  effects: [File: open -> open -> kept, File: open -> sealed -> closed]
}
"""
INSIDE = "facts: {inside: {from: path, under: [/srv]}}"
FILE = "bindings: {File: {from: path, as: path, create: true}}"
MAP = f"""persona: agent
timeout: 60s
tools:
  read:
    operation: read
    {INSIDE}
  write:
    operation: write
    {FILE}
    facts: {{inside: {{from: path, under: [/srv]}}, size: {{from: content, as: length, otherwise: 0}}}}
  seal:
    operation: seal
    commit: before
    {FILE}
    {INSIDE}
  purge:
    operation: purge
    {FILE}
    {INSIDE}
  decide:
    operation: decide
    {FILE}
    {INSIDE}
    result:
      outcome: {{from: structuredContent.status}}
      on_error: kept
"""
WICKED = [sys.executable, "-u", str(SOURCE / "tests" / "e2e" / "wicked.py")]


def lay_out(directory, contract=CONTRACT, map_text=MAP):
    (directory / "files.tenor").write_text(contract)
    (directory / "map.yaml").write_text(map_text)


def words(*options, command, store="guard.db"):
    return ["guard", "run", "--contract", "files.tenor", "--map", "map.yaml", "--store",
            f"sqlite:{store}", *options, "--", *map(str, command)]


class Guard(mcp.Agent):
    """A client of a guard before a server."""

    def __init__(self, directory, *options, revision=mcp.NEWER, command=None):
        command = command or [*WICKED, str(directory / "calls.log")]
        super().__init__(words(*options, command=command), revision, cwd=directory)

    def words(self, name, **arguments):
        """Is it an error, and the text of the answer."""
        result = self.call(name, arguments)
        return result.get("isError", False), result["content"][0]["text"]


def calls(directory):
    """The marks of the calls that reached the server, in order."""
    path = directory / "calls.log"
    return path.read_text().split() if path.exists() else []


def records(directory, store="guard.db"):
    """The bodies of the ledger's records."""
    out = run("ledger", "show", "--store", f"sqlite:{store}", "--json", cwd=directory)
    assert out.code == 0, out
    return [json.loads(line) for line in out.out.splitlines()]


def pending(directory, store="guard.db"):
    out = run("guard", "pending", "--store", f"sqlite:{store}", "--json", cwd=directory)
    assert out.code == 0, out
    return [json.loads(line) for line in out.out.splitlines()]
