"""Graphs in this process, with primitives written in Python.

    primitives = Primitives()

    @primitives.add({"kind": "compute", "id": "slope", "version": "1.0.0",
                     "inputs": [{"name": "series", "type": "series"}],
                     "outputs": [{"name": "result", "type": "number"}]})
    def slope(series): …

    graph = Graph.load(text, primitives=primitives, adapter=adapter)
    with GraphHost(graph, journal="run.journal") as host:
        decision = host.step("e-1", payload={"reading": 20.5}, kind="reading", at=1.0)

A primitive must depend on nothing but its inputs, parameters and context, or captures will
not replay. Inputs are given in the order of the manifest, parameters by name.
"""
from __future__ import annotations

import ctypes
import enum
import json
import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._library import (PRIMITIVE, Core, GraphEvent, Handle, Str, Supervision, Value, bytes_of, library, name_of,
                       path_of, status_text, status_word, str_of, text_of, texts, unfreed, utf8)
from .engine import Answer, answer_of, files_of, json_text, options_text
from .errors import GraphError, MotetError, UsageError

NONE, NUMBER, SERIES, BOOL, STRING, EVENT = range(6)
NO_CODE = ctypes.cast(0, PRIMITIVE)


class Emission(enum.IntEnum):
    """What a Trigger or an Action says: a Trigger the first two, an Action one of the others."""

    NOT_EMITTED = 0
    EMITTED = 1
    ATTEMPTED = 2
    COMPLETED = 3
    REJECTED = 4
    CANCELLED = 5
    FAILED = 6
    SKIPPED = 7


def python_of(value: Value) -> Any:
    """A value of a graph: float, list of floats, bool, str, Emission; None where nothing is."""
    if value.type == NUMBER:
        return value.number
    if value.type == SERIES:
        return value.series[:value.len] if value.len else []
    if value.type == BOOL:
        return value.boolean
    if value.type == STRING:
        return ctypes.string_at(value.text, value.len).decode("utf-8", "replace")
    return Emission(value.event) if value.type == EVENT else None


def value_of(value: Any) -> Value:
    """The other way; the result borrows from what it keeps alive."""
    made: Any = Value()
    if value is None:
        made.type = NONE
    elif isinstance(value, Emission):
        made.type, made.event = EVENT, int(value)
    elif isinstance(value, bool):
        made.type, made.boolean = BOOL, value
    elif isinstance(value, (int, float)):
        made.type, made.number = NUMBER, float(value)
    elif isinstance(value, str):
        made.kept = utf8(value)
        made.type, made.text, made.len = STRING, ctypes.cast(ctypes.c_char_p(made.kept), ctypes.c_void_p), len(made.kept)
    else:
        try:
            numbers = [float(number) for number in value]
        except (TypeError, ValueError):
            raise UsageError(f"{type(value).__name__} is not a value of a graph", "usage") from None
        made.kept = (ctypes.c_double * len(numbers))(*numbers)
        made.type, made.series, made.len = SERIES, ctypes.cast(made.kept, ctypes.POINTER(ctypes.c_double)), len(numbers)
    whole: Value = made
    return whole


def names(manifest: Mapping[str, Any], key: str) -> List[str]:
    return [str(part["name"]) for part in manifest.get(key) or []]


class Primitives(Handle):
    """The standard primitives and what is added. Fill it before graphs are loaded with it."""

    REASONS_MOST = 1000

    def __init__(self) -> None:
        pointer = library().primitives_new()
        self._callbacks: List[Any] = []  # the library calls them as long as it lives
        self._reasons: Dict[bytes, bytes] = {}  # the library keeps no copy of them
        self.raised: Optional[BaseException] = None  # what a primitive raised last
        super().__init__(Core(library().primitives_free, pointer, self._callbacks, self._reasons))

    def load(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """All primitives of a shared object, as `--primitives` takes it."""
        self._check(library().primitives_load(self.pointer, path_of(path)), 0)

    def declare(self, manifest: Union[Mapping[str, Any], str, bytes]) -> None:
        """A primitive whose manifest says itself what it does."""
        before = len(texts(library().primitives_message, self.pointer))
        text = json_text(manifest, "a manifest")
        self._check(library().primitives_add(self.pointer, str_of(text), NO_CODE, None), before)

    def add(self, manifest: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates the function that a primitive is. It returns the output, or a dict or a
        tuple of several; an exception ends the pass."""
        if not isinstance(manifest, Mapping):
            raise UsageError("the manifest of a function is a dict, which says its inputs", "usage")

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            before = len(texts(library().primitives_message, self.pointer))
            callback = PRIMITIVE(self._caller(manifest, function))
            self._callbacks.append(callback)
            text = json_text(manifest, "a manifest")
            self._check(library().primitives_add(self.pointer, str_of(text), callback, None), before)
            return function
        return register

    def _check(self, status: int, before: int) -> None:
        if status:
            said = texts(library().primitives_message, self.pointer)[before:]
            raise GraphError(said[0] if said else status_text(status), status_word(status), messages=said)

    def _caller(self, manifest: Mapping[str, Any], function: Callable[..., Any]) -> Callable[[Any, Any], bool]:
        inputs, params = names(manifest, "inputs"), names(manifest, "parameters") or names(manifest, "params")
        outputs = names(manifest, "outputs")
        context = names((manifest.get("requires") or {}), "context")
        lib = library()

        def call(_: Any, handle: Any) -> bool:
            try:
                words = [python_of(lib.call_input(handle, i)) for i in range(len(inputs))]
                words += [python_of(lib.call_context(handle, i)) for i in range(len(context))]
                named = {name: python_of(lib.call_param(handle, i)) for i, name in enumerate(params)}
                for i, value in enumerate(in_order(function(*words, **named), outputs)):
                    lib.call_output(handle, i, value_of(value))
                return True
            except BaseException as fault:  # nothing may pass through C
                self.raised = fault
                lib.call_error(handle, self._reason(f"{type(fault).__name__}: {fault}"))
                return False
        return call

    def _reason(self, text: str) -> bytes:
        """Text that lives as long as the primitives do."""
        data = text.encode("utf-8", "replace")[:1000].replace(b"\0", b" ")
        if data not in self._reasons and len(self._reasons) >= self.REASONS_MOST:
            data = b"the primitive raised an exception"
        return self._reasons.setdefault(data, data)


def in_order(result: Any, outputs: Sequence[str]) -> List[Any]:
    """What a primitive returned, one value for each output."""
    if len(outputs) < 2 and not isinstance(result, dict):
        return [result]
    if isinstance(result, dict):
        return [result[name] for name in outputs]
    return list(result)


class Graph(Handle):
    """A loaded graph, immutable once it has its adapter."""

    def __init__(self, pointer: int, status: int, primitives: Primitives, name: str) -> None:
        super().__init__(Core(library().graph_free, pointer, primitives.core))
        self.primitives = primitives
        self._check(status, name)

    def _check(self, status: int, name: str) -> None:
        if status:
            said = texts(library().graph_message, self.pointer)
            self.close()
            place = re.match(r"(\S+:\d+:\d+): ", said[0]) if said else None
            raise GraphError(said[0] if said else status_text(status), status_word(status),
                             place[1] if place else name, said)

    @classmethod
    def load(cls, text: Union[str, bytes], *, name: str = "graph.yaml", primitives: Optional[Primitives] = None,
             adapter: Optional[Union[str, bytes]] = None,
             clusters: Optional[Mapping[str, Union[str, bytes]]] = None) -> Graph:
        """From YAML or JSON; `clusters` by the names of their files."""
        primitives = primitives or Primitives()
        files = files_of({name: text, **(clusters or {})})
        out = ctypes.c_void_p()
        status = library().graph_load_files(primitives.pointer, files, len(files), ctypes.byref(out))
        graph = cls(out.value or 0, status, primitives, name)
        if adapter is not None:
            graph._check(library().graph_adapt(graph.pointer, str_of(utf8(adapter)), b"adapter"), "adapter")
        return graph

    @property
    @unfreed
    def identity(self) -> str:
        """rpv1:sha256:…; equal graphs have equal identities."""
        return text_of(library().graph_identity(self.pointer))

    @unfreed
    def ask(self, command: str, input: Union[str, bytes] = b"", **options: Any) -> Answer:
        """What `motet graph COMMAND --json` answers: check, run, replay, draw."""
        return answer_of(graph_error, library().graph_ask, self.pointer, name_of(command, "a command"),
                         str_of(options_text(options)), str_of(utf8(input, "input")))

    @unfreed
    def whatif(self, newer: Graph, capture: Union[str, bytes]) -> Answer:
        """Which decisions of a capture another graph would make otherwise."""
        other = newer.core
        return answer_of(graph_error, library().graph_whatif, self.pointer, other.pointer,
                         str_of(utf8(capture, "a capture")))

    @unfreed
    def replay(self, path: Union[str, "os.PathLike[str]"]) -> int:
        """Runs a capture or journal again and compares; how many events were the same."""
        lib, out = library(), ctypes.c_void_p()
        status = lib.graph_replay(self.pointer, path_of(path), ctypes.byref(out))
        try:
            if status:
                raise GraphError(text_of(lib.replay_message(out)) or status_text(status), status_word(status), str(path))
            return int(lib.replay_events(out))
        finally:
            lib.replay_free(out)


def graph_error(message: str, kind: str, _: bytes) -> MotetError:
    return UsageError(message, kind) if kind == "usage" else GraphError(message, kind, "", message.splitlines())


class Episode(Handle):
    """Room for one pass at a time; belongs to one thread."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        super().__init__(Core(library().episode_free, library().episode_new(graph.pointer), graph.core))

    def set(self, key: str, value: Any) -> None:
        """A context key for the passes to come; None removes it."""
        status = library().episode_set(self.pointer, name_of(key, "a key"), value_of(value))
        if status:
            raise GraphError(f"no Source of the graph reads '{key}'", status_word(status), key)

    @unfreed
    def run(self, event_id: str = "") -> List[Dict[str, Any]]:
        """One pass; its effects, in order. What ended it is raised, with what a primitive of
        Python raised as its cause."""
        lib = library()
        self._graph.primitives.raised = None
        status = lib.episode_run(self.pointer, str_of(utf8(event_id)))
        if status:
            raise GraphError(text_of(lib.episode_fault(self.pointer)) or status_text(status),
                             status_word(status)) from self._graph.primitives.raised
        effects: List[Dict[str, Any]] = json.loads(bytes_of(lib.episode_effects(self.pointer)))
        return effects

    def value(self, node: str, port: str) -> Any:
        """An output of a node, by its place."""
        return python_of(library().episode_value(self.pointer, name_of(node), name_of(port)))


class GraphHost(Handle):
    """Does what `motet graph run` does, one event at a time; belongs to one thread. Intents are
    in the decision, for the caller to send."""

    def __init__(self, graph: Graph, *, journal: Optional[Union[str, "os.PathLike[str]"]] = None, resume: bool = False,
                 max_per_window: int = 0, rate_window_ms: int = 0, deadline_ms: int = 0, max_retries: int = 0,
                 skip_duplicates: bool = False) -> None:
        lib, out = library(), ctypes.c_void_p()
        told = Supervision(ctypes.sizeof(Supervision), max_per_window, rate_window_ms, deadline_ms, max_retries,
                           skip_duplicates)
        path = path_of(journal) if journal is not None else None
        status = lib.graph_host_open(graph.pointer, ctypes.byref(told), path, resume, ctypes.byref(out))
        super().__init__(Core(lib.graph_host_free, out, graph.core))
        self._check(status)

    def _check(self, status: int) -> None:
        if status:
            said = text_of(library().graph_host_message(self.pointer)) or status_text(status)
            raise GraphError(said, status_word(status))

    @unfreed
    def step(self, id: str, *, payload: Optional[Union[Mapping[str, Any], str, bytes]] = None,
             kind: Optional[str] = None, type: str = "DataAvailable", at: float = 0.0) -> Dict[str, Any]:
        """Gives it an event; the decision, as `motet graph run --json` prints it. `kind` is one of the
        adapter's event kinds, `at` seconds since 1970."""
        if not 0 <= at < 2.6e11:
            raise UsageError("the time of an event is not between 1970 and 9999", "usage", "at")
        whole = int(at)
        texts_ = [utf8(id, "an id"), utf8(kind, "a kind") if kind is not None else b"",
                  json_text(payload, "a payload") if payload is not None else b""]
        event = GraphEvent(ctypes.sizeof(GraphEvent), str_of(texts_[0]), name_of(type), whole,
                           min(999999999, round((at - whole) * 1e9)),
                           str_of(texts_[1]) if kind is not None else Str(), str_of(texts_[2]))
        self._check(library().graph_host_step(self.pointer, ctypes.byref(event)))
        decision: Dict[str, Any] = json.loads(bytes_of(library().graph_host_decision(self.pointer)))
        return decision

    def value(self, node: str, port: str) -> Any:
        """Of the last event, if the graph ran."""
        return python_of(library().graph_host_value(self.pointer, name_of(node), name_of(port)))

    def context(self, key: str) -> Any:
        return python_of(library().graph_host_context(self.pointer, name_of(key)))

    def capture(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes what the journal has so far as a capture (v3), with its checksum."""
        self._check(library().graph_host_capture(self.pointer, path_of(path)))
