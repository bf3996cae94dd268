"""Agents of the Summoner SDK, on Motet. Change the import, and nothing else:

    from motet.summoner import SummonerClient, Action, Direction, Move, Stay, Test

    client = SummonerClient(name="MyAgent")
    flow = client.flow().activate()
    flow.add_arrow_style(stem="-", brackets=("[", "]"), separator=",", tip=">")
    Trigger = flow.triggers()

    @client.receive(route="A --[f]--> B")
    async def on_f(msg): return Move(Trigger.ok)

    @client.send(route="A --[f]--> B", on_actions={Action.MOVE}, on_triggers={Trigger.ok})
    async def said(): return "moved"

    client.run(host="127.0.0.1", port=8888)

The agent runs in compat mode. What differs, because the runtime is another (docs/how-to/sdks.md): the
tape is the runtime's, so `upload_states` is asked once, at the start, and an empty tape begins
anew; `download_states` is told the tape before the next call; a handler that raises fails alone;
senders without filters run once per message, not all the time.
"""
from __future__ import annotations

import asyncio
import enum
import inspect
import json
import logging
import os
import pathlib
import re
import sys
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import agent as base
from .agent import Agent, Function, Move, Outcome, Registration, Stay, Test, own_command, program, run_program
from .errors import UsageError

__all__ = ["SummonerClient", "Action", "Direction", "Move", "Outcome", "Stay", "Test", "Signal"]


class Direction(enum.Enum):
    SEND = "send"
    RECEIVE = "receive"


class Action:
    MOVE, STAY, TEST = Move, Stay, Test


class Signal:
    """A trigger: its name and its path in the tree."""

    def __init__(self, name: str, path: Tuple[int, ...]) -> None:
        self.name, self.path = name, path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signal) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Trigger.{self.name}"


class Triggers:
    """Signals by name."""

    def __init__(self, signals: Mapping[str, Signal]) -> None:
        self._signals = dict(signals)

    def __getattr__(self, name: str) -> Signal:
        try:
            return self._signals[name]
        except KeyError:
            raise AttributeError(f"there is no trigger '{name}'") from None


def read_triggers(text: str) -> Tuple[Dict[str, Any], Dict[str, Signal]]:
    """The tree and the signals of a TRIGGERS file: one name per line, children indented."""
    tree: Dict[str, Any] = {}
    signals: Dict[str, Signal] = {}
    open_: List[Tuple[int, Dict[str, Any], Tuple[int, ...]]] = [(-1, tree, ())]
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split("#")[0].rstrip().expandtabs(8)
        name = bare.strip()
        if not name:
            continue
        depth = len(bare) - len(name)
        while open_[-1][0] >= depth:
            open_.pop()
        _, siblings, path = open_[-1]
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in siblings:
            raise UsageError(f"'{name}' is not a name, or is there twice", "usage", f"TRIGGERS:{number}")
        own = (*path, len(siblings))
        siblings[name] = {}
        signals[name] = Signal(name, own)
        open_.append((depth, siblings[name], own))
    return tree, signals


class ClientFlow:
    """What `client.flow()` gives: arrow styles, triggers, the switch."""

    def __init__(self, client: SummonerClient) -> None:
        self._client = client

    def activate(self) -> ClientFlow:
        self._client.settings["flow"] = True
        return self

    def deactivate(self) -> ClientFlow:
        self._client.settings["flow"] = False
        return self

    def add_arrow_style(self, stem: str, brackets: Tuple[str, str], separator: str, tip: str) -> None:
        self._client.settings.setdefault("styles", []).append(
            {"stem": stem, "left": brackets[0], "right": brackets[1], "separator": separator, "tip": tip})

    def triggers(self, file_name: str = "TRIGGERS", json_dict: Optional[Mapping[str, Any]] = None) -> Triggers:
        """From the file beside the script, or a tree."""
        if json_dict is None:
            script = pathlib.Path(getattr(sys.modules["__main__"], "__file__", None) or ".")
            tree, signals = read_triggers((script.resolve().parent / file_name).read_text())
        else:
            tree, signals = read_triggers("\n".join(indented(json_dict)))
        self._client.triggers = leaves(tree)
        return Triggers(signals)

    def compile_arrow_patterns(self) -> None:
        """The runtime reads routes itself."""

    ready = compile_arrow_patterns


def indented(tree: Mapping[str, Any], depth: int = 0) -> List[str]:
    lines: List[str] = []
    for name, below in tree.items():
        lines += [" " * depth + name, *indented(below or {}, depth + 1)]
    return lines


def leaves(tree: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: leaves(below) if below else None for name, below in tree.items()}


class SummonerClient(Agent):
    """`name`, and what `Agent` takes."""

    def __init__(self, name: Optional[str] = None, **members: Any) -> None:
        super().__init__(name or "agent", **members)
        self.settings = {"mode": "compat", "flow": False, **self.settings}
        self.logger = logging.getLogger(self.name)
        self.loop: Optional[asyncio.AbstractEventLoop] = None
        self._upload: Optional[Function] = None
        self._download: Optional[Function] = None
        self._seen: Optional[bytes] = None  # the tape that download was told last
        self._flow = ClientFlow(self)

    def flow(self) -> ClientFlow:
        return self._flow

    # ---- decorators, with the words of the SDK

    def receive(self, route: str, priority: base.Priority = (), **more: Any) -> Callable[[Function], Function]:
        return super().receive(route, priority=priority, **more)

    def send(self, route: str, multi: bool = False, on_triggers: Any = None, on_actions: Any = None, *,
             use_data: bool = False, data_mode: str = "live", every: Optional[float] = None, run_while: Any = None,
             when_data: Any = None, **more: Any) -> Callable[[Function], Function]:
        timed: Dict[str, Any] = {"every_ms": None if every is None else max(1, round(every * 1000)), "use_data": use_data or None,
                 "data_mode": data_mode if use_data else None}

        def register(function: Function) -> Function:
            guarded = guard(function, use_data, run_while, when_data)
            super(SummonerClient, self).send(route, multi=multi, on_triggers=on_triggers or None,
                                             on_actions=on_actions or None, name=function.__name__,
                                             **timed, **more)(guarded)
            return function
        return register

    def hook(self, direction: Any = Direction.RECEIVE, priority: base.Priority = (), **more: Any) -> Callable[[Function], Function]:
        return super().hook(direction, priority=priority, **more)

    def upload_states(self) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            self._upload = function
            return function
        return register

    def download_states(self) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            self._download = function
            return function
        return register

    async def travel_to(self, host: str, port: int) -> None:
        self.travel(host, port)

    async def quit(self) -> None:  # type: ignore[override]
        self.asked.quit = True

    # ---- running

    def run(self, host: str = "127.0.0.1", port: int = 8888, config_path: Optional[str] = None,
            config_dict: Optional[Mapping[str, Any]] = None, *, options: Sequence[str] = (),
            motet: Optional[str] = None) -> None:
        """Runs until the agent ends; `host` and `port` of the configuration win."""
        if base.answering:
            self.serve()
            return
        config = dict(config_dict or {})
        if config_path and pathlib.Path(config_path).is_file():
            config = {**json.loads(pathlib.Path(config_path).read_text()), **config}
        self._begin()
        with tempfile.TemporaryDirectory(prefix="motet-agent-") as directory:
            path, tape = pathlib.Path(directory) / "agent.json", pathlib.Path(directory) / "tape.json"
            path.write_text(json.dumps(self.document(own_command())))
            more = ["--download", str(tape)] if self._download else []
            os.environ["MOTET_TAPE"] = str(tape)
            run_program([program(motet), "agent", "run", str(path), "--connect",
                         f"{config.get('host') or host}:{config.get('port') or port}", *more, *options])

    def _begin(self) -> None:
        """The tape at the start, from `upload_states`."""
        if not self._upload or self.tape is not None or not self.settings["flow"]:
            return
        loop = asyncio.new_event_loop()
        try:
            given = loop.run_until_complete(self._upload(None))
        except Exception as fault:
            raise UsageError(f"upload_states(None) has to give the tape at the start ({fault}); or give "
                             "SummonerClient a `tape`", "usage", "upload_states") from fault
        finally:
            loop.close()
        self.tape = {**tape_of(given), "when_empty": "start"}

    def invoke(self, r: Registration, call: Mapping[str, Any]) -> Any:
        async def work() -> Any:
            await self._tell_tape()
            if r.kind == "send":
                return await r.function((call.get("cause") or {}).get("data"))
            return await r.function(call["payload"])
        return work()

    async def _tell_tape(self) -> None:
        """The tape as the runtime wrote it, if it has changed."""
        path = pathlib.Path(os.environ.get("MOTET_TAPE", ""))
        if not self._download or not path.is_file():
            return
        text = path.read_bytes()
        if text != self._seen:
            self._seen = text
            await self._download(states_of(json.loads(text)))


def guard(function: Function, use_data: bool, run_while: Any, when_data: Any) -> Function:
    """A sender that looks at its conditions first."""
    async def asked(data: Any) -> Any:
        if when_data is not None and not when_data(data):
            return None
        go = run_while() if callable(run_while) else run_while
        if inspect.isawaitable(go):
            go = await go
        if go is False:
            return None
        return await (function(data) if use_data else function())
    return asked


def tape_of(given: Any) -> Dict[str, Any]:
    """The tape of an agent file for what `upload_states` returned."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {"shape": "single", "start": given}
    if isinstance(given, Mapping):
        many = any(not isinstance(value, str) for value in given.values())
        return {"shape": "index-many" if many else "index-single",
                "start": {key: value if isinstance(value, str) else [str(v) for v in value] for key, value in given.items()}}
    return {"shape": "many", "start": [str(state) for state in given]}


def states_of(tape: Any) -> Union[List[str], Dict[Optional[str], List[str]]]:
    """A tape as `download_states` is told it."""
    if isinstance(tape, str):
        return [tape]
    if isinstance(tape, Mapping):
        return {key: [states] if isinstance(states, str) else list(states) for key, states in tape.items()}
    return list(tape)
