"""Agents whose handlers are functions of Python.

    from motet.agent import Agent, Move, Stay

    agent = Agent("greeter", start=["A"])

    @agent.receive("A --[f]--> B")
    def decide(message):
        return Move(data={"was": message.content}) if message.content == "go" else Stay()

    @agent.send("A --[f]--> B", on_actions=["move"])
    def reply(cause):
        return {"you said": cause.data["was"]}

    agent.run("127.0.0.1:8888")

`run` writes the agent file and starts `motet agent run`, which does everything else: routes,
tape, order, connection, state, identity. It starts this script again as the program that its
calls go to (docs/reference/relay.md, "Handlers as programs"); there `run` answers them. Handlers may be
coroutines. What they print goes to standard error. One that raises fails its call, and nothing
else.
"""
from __future__ import annotations

import asyncio
import inspect
import json
import os
import pathlib
import shutil
import signal as signals
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import IO, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .channel import own_output
from .errors import AgentError, UsageError

GROUP = "python"
Function = Callable[..., Any]
Priority = Union[int, Sequence[int]]
# Set by motet.handler: this process answers calls.
answering = False


@dataclass(frozen=True)
class Message:
    """A message as a receiver gets it, and why the receiver runs."""

    payload: Any
    key: Optional[str] = None
    state: Optional[str] = None
    id: Optional[str] = None

    @property
    def content(self) -> Any:
        return self.payload.get("content") if isinstance(self.payload, dict) else self.payload

    @property
    def sender(self) -> Optional[str]:
        """The address it came from."""
        return self.payload.get("remote_addr") if isinstance(self.payload, dict) else None

    @property
    def signer(self) -> Optional[str]:
        return self.payload.get("signer") if isinstance(self.payload, dict) else None


@dataclass(frozen=True)
class Cause:
    """What a sender answers: the outcome of a receiver, or nothing when a clock called."""

    action: Optional[str] = None
    trigger: Optional[str] = None
    data: Any = None
    payload: Any = None
    key: Optional[str] = None


class Outcome:
    """What a receiver says; use Move, Stay or Test."""

    action = ""

    def __init__(self, trigger: Any = "ok", data: Any = None) -> None:
        self.trigger = str(getattr(trigger, "name", trigger))
        self.data = data


class Move(Outcome):
    action = "move"


class Stay(Outcome):
    action = "stay"


class Test(Outcome):
    action = "test"


@dataclass
class Registration:
    """One function: how it is called, and what the agent file says of it."""

    kind: str
    name: str
    function: Function
    settings: Dict[str, Any]


@dataclass
class Asked:
    """What a handler wants besides its answer."""

    quit: bool = False
    travel: Optional[str] = None


@dataclass
class Agent:
    """Registrations, and how they become an agent. `start` is the tape at the beginning;
    `settings` are members of the agent file (docs/reference/agents.md): mode, seed, identity, memory, …"""

    name: str
    start: Optional[Sequence[str]] = None
    tape: Optional[Mapping[str, Any]] = None
    triggers: Optional[Union[Sequence[str], Mapping[str, Any]]] = None
    time_limit_ms: int = 10000
    settings: Dict[str, Any] = field(default_factory=dict)
    registrations: List[Registration] = field(default_factory=list)
    asked: Asked = field(default_factory=Asked)

    # ---- decorators

    def receive(self, route: str, *, priority: Priority = (), name: Optional[str] = None) -> Callable[[Function], Function]:
        """fn(message) answers Move, Stay, Test or None."""
        return self._register("receive", name, {"route": route, "priority": listed(priority)})

    def send(self, route: str, *, on_actions: Optional[Iterable[Any]] = None,
             on_triggers: Optional[Iterable[Any]] = None, multi: bool = False, priority: Priority = (),
             name: Optional[str] = None, **timed: Any) -> Callable[[Function], Function]:
        """fn(cause), or fn(), gives what is sent, or None; a list with `multi`. Timed senders have
        every_ms, after_ms, gated; see docs/reference/agents.md."""
        said = {"route": route, "priority": listed(priority), "multi": multi or None, **timed,
                "on_actions": None if on_actions is None else sorted(word_of(a).lower() for a in on_actions),
                "on_triggers": None if on_triggers is None else sorted(word_of(t) for t in on_triggers)}
        return self._register("send", name, said)

    def hook(self, direction: str = "receive", *, priority: Priority = (),
             name: Optional[str] = None) -> Callable[[Function], Function]:
        """fn(payload) gives the payload that goes on; None drops it."""
        return self._register("hook", name, {"direction": word_of(direction).lower(), "priority": listed(priority)})

    def _register(self, kind: str, name: Optional[str], settings: Dict[str, Any]) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            wanted = name or function.__name__
            taken = {r.name for r in self.registrations}
            own = wanted if wanted not in taken else next(
                f"{wanted}_{i}" for i in range(2, len(taken) + 3) if f"{wanted}_{i}" not in taken)
            self.registrations.append(Registration(kind, own, function, settings))
            return function
        return register

    # ---- what a handler may ask for

    def quit(self) -> None:
        """From inside a handler: the agent ends when its answer is in."""
        self.asked.quit = True

    def travel(self, host: str, port: int) -> None:
        """From inside a handler: the agent goes on at another relay."""
        self.asked.travel = f"{host}:{port}"

    # ---- the agent file

    def document(self, command: Sequence[str]) -> Dict[str, Any]:
        """The agent file; `command` is the program that answers."""
        tape = dict(self.tape or {})
        if self.start is not None:
            tape.setdefault("shape", "many")
            tape["start"] = list(self.start)
        sections: Dict[str, List[Dict[str, Any]]] = {"receive": [], "send": [], "hook": []}
        for r in self.registrations:
            said = {name: value for name, value in r.settings.items() if value is not None and value != []}
            sections[r.kind].append({"name": r.name, "handler": f"{GROUP}.{r.name}", **said})
        document: Dict[str, Any] = {
            "agent": self.name, **self.settings,
            "handlers": {GROUP: {"command": list(command), "time_limit_ms": self.time_limit_ms}},
            "receivers": sections["receive"], "senders": sections["send"], "hooks": sections["hook"]}
        if tape:
            document["tape"] = tape
        if self.triggers is not None:
            document["triggers"] = self.triggers
        return {name: value for name, value in document.items() if value != []}

    def run(self, connect: str = "127.0.0.1:8888", *, options: Sequence[str] = (), motet: Optional[str] = None) -> None:
        """Runs until the agent ends. `options` are those of `motet agent run`."""
        if answering:
            self.serve()
            return
        with tempfile.TemporaryDirectory(prefix="motet-agent-") as directory:
            path = pathlib.Path(directory) / f"{self.name}.json"
            path.write_text(json.dumps(self.document(own_command())))
            run_program([program(motet), "agent", "run", str(path), "--connect", connect, *options])

    # ---- calls

    def serve(self, lines: Optional[IO[str]] = None, out: Optional[IO[str]] = None) -> None:
        """Answers calls, one JSON line each, until they end."""
        out = out or own_output()
        lines = lines or sys.stdin
        loop = asyncio.new_event_loop()
        try:
            for line in lines:
                answer = self.answer(json.loads(line), loop)
                out.write(json.dumps(answer) + "\n")
                out.flush()
        finally:
            loop.close()

    def answer(self, call: Mapping[str, Any], loop: asyncio.AbstractEventLoop) -> Dict[str, Any]:
        """One call; whatever a handler raises is its failure."""
        said: Dict[str, Any] = {"id": call["id"]}
        self.asked = Asked()
        try:
            said.update(self._call(call, loop))
            json.dumps(said)
        except Exception as fault:
            said = {"id": call["id"], "error": f"{type(fault).__name__}: {fault}"}
        if self.asked.quit:
            said["quit"] = True
        if self.asked.travel:
            said["travel"] = self.asked.travel
        return said

    def _call(self, call: Mapping[str, Any], loop: asyncio.AbstractEventLoop) -> Dict[str, Any]:
        found = [r for r in self.registrations if r.name == call["function"] and r.kind == call["call"]]
        if not found:
            raise LookupError(f"there is no {call['call']} handler '{call['function']}'")
        result = self.invoke(found[0], call)
        if inspect.isawaitable(result):
            result = loop.run_until_complete(result)
        if call["call"] != "receive":
            return {} if result is None else {"payload": result}
        if result is None:
            return {}
        if not isinstance(result, Outcome):
            raise TypeError("a receiver answers Move, Stay, Test or None")
        return {"action": result.action, "trigger": result.trigger,
                **({} if result.data is None else {"data": result.data})}

    def invoke(self, r: Registration, call: Mapping[str, Any]) -> Any:
        """Calls the function with what its kind takes."""
        if r.kind == "receive":
            return r.function(Message(call["payload"], call.get("key"), call.get("state"), call.get("message")))
        if r.kind == "hook":
            return r.function(call["payload"])
        if not takes_one(r.function):
            return r.function()
        cause = call.get("cause") or {}
        return r.function(Cause(cause.get("action"), cause.get("trigger"), cause.get("data"), call["payload"],
                                call.get("key")))


def takes_one(function: Function) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return any(p.kind in kinds for p in inspect.signature(function).parameters.values())


def listed(priority: Priority) -> List[int]:
    return [priority] if isinstance(priority, int) else list(priority)


def word_of(value: Any) -> str:
    """The name of an action, a trigger or a direction: text, a class, a signal, an enum's member."""
    return str(value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", value))


def own_command() -> List[str]:
    """How this script is started again, to answer calls."""
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if not script:
        raise UsageError("an agent is a script: its calls come to the same file", "usage")
    return [sys.executable, "-m", "motet.handler", os.getcwd(), str(pathlib.Path(script).resolve()), *sys.argv[1:]]


def program(motet: Optional[str]) -> str:
    found = motet or os.environ.get("MOTET") or shutil.which("motet")
    if not found:
        raise UsageError("the program motet is not found; install it or set MOTET to its file", "usage")
    return found


def run_program(words: Sequence[str]) -> None:
    """Runs it to its end; signals to this process end it, too."""
    # What a script finds beside itself, its handlers find as well.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen(list(words), env=environment, stderr=subprocess.PIPE, text=True, errors="replace")
    before = {number: signals.signal(number, lambda *_: child.terminate())
              for number in (signals.SIGTERM, signals.SIGINT)}
    last: List[str] = []
    try:
        for line in child.stderr or ():
            sys.stderr.write(line)
            last = [*last[-9:], line.rstrip()]
        code = child.wait()
    finally:
        for number, handler in before.items():
            signals.signal(number, handler)
        if child.poll() is None:
            child.kill()
            child.wait()
        if child.stderr:
            child.stderr.close()
    if code:
        said = last or [f"motet agent run ended with status {code}"]
        raise AgentError(said[-1], f"exit_{code}", "", said)


# One agent for scripts that need no more: @receive("A --> B"), @send(…), @hook(), run().
_own = Agent("agent")
receive, send, hook, run, serve = _own.receive, _own.send, _own.hook, _own.run, _own.serve


def configure(name: str, **members: Any) -> Agent:
    """Name and members of the agent that the functions of this module fill."""
    _own.name = name
    for member, value in members.items():
        setattr(_own, member, value)
    return _own
