"""Contracts in this process, by libmotet.

    contract = Contract.open("escrow.tenor")
    verdicts = contract.evaluate({"delivery_status": "confirmed", …})
    "delivery_confirmed" in verdicts, verdicts.json

A contract may be shared by threads. Facts are a dict, or JSON as text or bytes, which is
quicker; numbers that must be exact are texts or `decimal.Decimal`.

Handles are freed with their objects, or earlier by `close()` (or `with`).
"""
from __future__ import annotations

import ctypes
import datetime
import decimal
import json
import os
import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._library import (APPLY, CHOOSE, MAY_ACT, READ, Core, DiagnosticParts, File, Handle, Host, Provider, Str,
                       bytes_of, library, name_of, path_of, status_text, status_word, str_of, text_of, texts, unfreed, utf8)
from .errors import (ContractError, Diagnostic, EngineError, EvaluationError, FactsError, FlowError, MotetError,
                     UsageError)

FactValues = Union[Mapping[str, Any], str, bytes]
REJECTED, NOTFOUND, CONFLICT, IO = 1, 8, 10, 14
DIGITS_MOST = 1000
STATES = ("more", "done", "failed", "waiting", "stopped")


def plain(value: Any) -> Any:
    """Values of Python that JSON has not, as facts write them."""
    if isinstance(value, decimal.Decimal):
        short = value.is_finite() and abs(value.adjusted()) < DIGITS_MOST
        return format(value, "f") if short else str(value)  # 1E+999999999 is refused as it is
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not a value of a fact")


def json_text(value: Any, what: str) -> bytes:
    """JSON as it is, or made from a value."""
    if isinstance(value, (str, bytes)):
        return utf8(value, what)
    try:
        return json.dumps(value, default=plain, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as fault:
        raise UsageError(f"{what}: {fault}", "usage") from None


class Room:
    """A fact set and a verdict set: working room for one evaluation at a time."""

    __slots__ = ("facts", "verdicts", "held")

    def __init__(self, contract: int) -> None:
        lib = library()
        self.facts, self.verdicts = lib.facts_new(contract), lib.verdicts_new(contract)
        self.held: bytes = b""

    def free(self) -> None:
        library().verdicts_free(self.verdicts)
        library().facts_free(self.facts)


class Loaded:
    """A contract of the library, and the rooms that wait for the next evaluation."""

    __slots__ = ("contract", "rooms")

    def __init__(self, contract: int) -> None:
        self.contract = contract
        self.rooms: List[Room] = []

    def free(self) -> None:
        while self.rooms:
            self.rooms.pop().free()
        library().contract_free(self.contract)

    def take(self) -> Room:
        try:
            return self.rooms.pop()
        except IndexError:
            return Room(self.contract)


class Verdicts(Mapping[str, Any]):
    """What an evaluation came to: verdicts by name, `json` as the engine printed it."""

    __slots__ = ("json", "_items")

    def __init__(self, text: bytes) -> None:
        self.json = text
        self._items: Optional[Dict[str, Any]] = None

    def _all(self) -> Dict[str, Any]:
        if self._items is None:
            self._items = {verdict["type"]: verdict for verdict in json.loads(self.json)["verdicts"]}
        return self._items

    def __getitem__(self, name: str) -> Any:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Verdicts({', '.join(self)})"


class Answer:
    """What a command of `motet` prints: `text`, as bytes; `value`, if it is JSON; `holds` is
    false where the command says that something does not."""

    __slots__ = ("text", "holds")

    def __init__(self, text: bytes, holds: bool) -> None:
        self.text, self.holds = text, holds

    @property
    def value(self) -> Any:
        return json.loads(self.text)

    @property
    def lines(self) -> List[Any]:
        """JSON lines, one value each."""
        return [json.loads(line) for line in self.text.splitlines() if line]

    def __str__(self) -> str:
        return self.text.decode("utf-8", "replace")


def options_text(options: Mapping[str, Any]) -> bytes:
    given = {name: value for name, value in options.items() if value is not None}
    return json_text(given, "options") if given else b""


def answer_of(refuse: Callable[[str, str, bytes], MotetError], function: Any, *words: Any) -> Answer:
    """Calls a function whose last argument is where the answer goes; raises what `refuse`
    makes of a message, the status and the fault of facts."""
    lib, out = library(), ctypes.c_void_p()
    status = function(*words, ctypes.byref(out))
    try:
        if status:
            said = text_of(lib.answer_message(out)) or text_of(lib.answer_text(out)) or status_text(status)
            raise refuse(said.strip(), status_word(status), bytes_of(lib.answer_fault(out)))
        return Answer(bytes_of(lib.answer_text(out)), lib.answer_code(out) == 0)
    finally:
        lib.answer_free(out)


def engine_error(message: str, kind: str, fault: bytes) -> MotetError:
    """Facts at fault have a kind and a path of their own."""
    if kind == "usage":
        return UsageError(message, kind)
    if not fault:
        return EngineError(message, kind)
    told = json.loads(fault)
    details = told.get("details", {})
    return FactsError(told.get("error", message), details.get("type", kind), details.get("path") or "")


def format_source(text: Union[str, bytes], name: str = "contract.tenor") -> str:
    """Contract source in its canonical layout."""
    def refuse(message: str, kind: str, _: bytes) -> MotetError:
        found = re.match(r"(.+?:\d+:\d+): \w+ (\w+): (.*)", message)
        return ContractError(found[3], found[2], found[1]) if found else ContractError(message, kind, name)
    return str(answer_of(refuse, library().format, str_of(utf8(text)), name_of(name)))


class Contract(Handle):
    """A loaded contract, immutable. Made by `open`, `load` or `load_files`."""

    def __init__(self, pointer: int, status: int, name: str) -> None:
        super().__init__(Core(Loaded.free, Loaded(pointer)))
        self.diagnostics = diagnostics_of(pointer)
        if status:
            self._refuse(status, name)
        lib = library()
        self._read, self._evaluate, self._print = lib.facts_read, lib.evaluate, lib.verdicts_json

    def _refuse(self, status: int, name: str) -> None:
        messages = texts(library().contract_message, self.pointer.contract)
        first = next((d for d in self.diagnostics if d.severity == "error"), None)
        self.close()
        path = f"{first.file}:{first.line}:{first.column}" if first else name
        said = first.message if first else messages[0] if messages else status_text(status)
        raise ContractError(said, first.code if first else status_word(status), path, self.diagnostics)

    @classmethod
    def open(cls, path: Union[str, "os.PathLike[str]"]) -> Contract:
        """From a file, imports and all: source or an interchange bundle."""
        out = ctypes.c_void_p()
        status = library().contract_open(path_of(path), ctypes.byref(out))
        return cls(out.value or 0, status, str(path))

    @classmethod
    def load(cls, text: Union[str, bytes], name: str = "contract.tenor") -> Contract:
        """From text that imports nothing; `name` is what faults call it."""
        out = ctypes.c_void_p()
        status = library().contract_load(str_of(utf8(text)), name_of(name), ctypes.byref(out))
        return cls(out.value or 0, status, name)

    @classmethod
    def load_files(cls, files: Mapping[str, Union[str, bytes]]) -> Contract:
        """From several texts: the first is the root, the others are what is imported."""
        if not isinstance(files, Mapping) or not files:
            raise UsageError("files are a dict of texts by path, and at least one", "usage")
        root = next(iter(files))
        if len(files) == 1 and utf8(files[root], root).lstrip()[:1] == b"{":
            return cls.load(files[root], root)  # a bundle
        array = files_of(files)
        out = ctypes.c_void_p()
        status = library().contract_load_files(array, len(array), ctypes.byref(out))
        return cls(out.value or 0, status, root)

    @classmethod
    def read(cls, read: Callable[[str], Optional[Union[str, bytes]]], root: str, *, strict: Optional[bool] = None,
             allow: Optional[List[str]] = None, warn: Optional[List[str]] = None,
             deny: Optional[List[str]] = None, limits: Optional[Mapping[str, int]] = None) -> Contract:
        """From texts that are asked for: `read(path)` gives one, or None if there is none. What
        it raises is raised. `allow`, `warn` and `deny` are levels of diagnostics."""
        raised: List[BaseException] = []
        out, provider = ctypes.c_void_p(), provider_of(read, raised)
        options = options_text({"strict": strict, "allow": allow, "warn": warn, "deny": deny, "limits": limits})
        status = library().contract_read(ctypes.byref(provider), name_of(root, "a path"), str_of(options),
                                         ctypes.byref(out))
        if raised:
            library().contract_free(out)
            raise raised[0]
        return cls(out.value or 0, status, root)

    @property
    @unfreed
    def etag(self) -> str:
        """SHA-256 of the bundle: what tells versions apart."""
        return text_of(library().contract_etag(self.pointer.contract))

    @property
    def warnings(self) -> List[Diagnostic]:
        return [d for d in self.diagnostics if d.severity != "error"]

    @property
    @unfreed
    def bundle_json(self) -> bytes:
        """The interchange bundle, compact."""
        return bytes_of(library().contract_bundle(self.pointer.contract))

    @property
    def bundle(self) -> Dict[str, Any]:
        bundle: Dict[str, Any] = json.loads(self.bundle_json)
        return bundle

    # ---- evaluation

    def evaluate_json(self, facts: bytes, strict: bool = False) -> bytes:
        """JSON in, JSON out: the quick way."""
        core = self.core
        text = facts if type(facts) is bytes else utf8(facts, "facts")
        room = core.pointer.take()
        room.held = text
        try:
            if self._read(room.facts, str_of(text), strict):
                raise facts_error(room.facts)
            if self._evaluate(room.facts, room.verdicts):
                raise evaluation_error(room.verdicts)
            said = self._print(room.verdicts)
            return ctypes.string_at(said.ptr, said.len)
        finally:
            core.pointer.rooms.append(room)

    def evaluate(self, facts: FactValues, strict: bool = False) -> Verdicts:
        """Which verdicts these facts give. `strict` refuses what is not declared."""
        return Verdicts(self.evaluate_json(json_text(facts, "facts"), strict))

    @unfreed
    def facts(self, values: FactValues, strict: bool = False) -> Facts:
        """Facts that are read once and used several times."""
        return Facts(self, json_text(values, "facts"), strict)

    # ---- flows

    @unfreed
    def flow(self, flow: str, persona: str, facts: Union[FactValues, Facts], *,
             states: Optional[Mapping[str, Mapping[str, str]]] = None,
             bindings: Optional[Mapping[str, str]] = None, host: Optional[FlowHost] = None) -> Flow:
        """A flow that has started and is driven step by step."""
        run = Flow(self, self._facts(facts), host)
        run.start(flow, persona, states, bindings)
        return run

    @unfreed
    def resume(self, position: Union[str, bytes], facts: Union[FactValues, Facts], *,
               host: Optional[FlowHost] = None) -> Flow:
        """A flow that goes on from its `position`, with the facts it began with."""
        run = Flow(self, self._facts(facts), host)
        run.take_up(position)
        return run

    @unfreed
    def actions_json(self, persona: str, facts: Union[FactValues, Facts], *,
                     states: Optional[Mapping[str, Mapping[str, str]]] = None) -> bytes:
        given = self._facts(facts)
        with Flow(self, given, None) as run:
            out, lib = Str(), library()
            text = states_text(states)
            status = lib.actions(run.pointer, given.pointer.facts, given.pointer.verdicts, str_of(text),
                                 name_of(persona, "a persona"), ctypes.byref(out))
            if status:
                raise FlowError(text_of(lib.run_message(run.pointer)) or status_text(status), status_word(status))
            return bytes_of(out)

    def actions(self, persona: str, facts: Union[FactValues, Facts], *,
                states: Optional[Mapping[str, Mapping[str, str]]] = None) -> Dict[str, Any]:
        """What a persona can do now, and what blocks the rest."""
        answer: Dict[str, Any] = json.loads(self.actions_json(persona, facts, states=states))
        return answer

    # ---- questions

    @unfreed
    def ask(self, command: str, **options: Any) -> Answer:
        """What `motet COMMAND --json` answers: elaborate, check, eval, partial, act, actions,
        explain, analyze, draw, ask; options as motet.h lists them."""
        return answer_of(engine_error, library().contract_ask, self.pointer.contract,
                         name_of(command, "a command"), str_of(options_text(options)))

    def partial(self, facts: Mapping[str, Any], unknown: Optional[List[str]] = None) -> Dict[str, Any]:
        """What is left to decide where facts are not known; without `unknown` all that nobody gives."""
        said = self.ask("partial", facts=facts, unknown=unknown, partial=None if unknown else True).value
        return dict(said)

    def explain(self, facts: Mapping[str, Any], *, verdict: Optional[str] = None, operation: Optional[str] = None,
                flow: Optional[str] = None, persona: Optional[str] = None, **options: Any) -> Dict[str, Any]:
        """Why a verdict, an operation or a flow is as it is, down to facts."""
        said = self.ask("explain", facts=facts, verdict=verdict, operation=operation, flow=flow, persona=persona,
                        format="json", **options).value
        return dict(said)

    def analyze(self, **options: Any) -> Dict[str, Any]:
        """What the contract can do, derived without running it."""
        return dict(self.ask("analyze", **options).value)

    def question(self, question: str, **options: Any) -> Answer:
        """Yes, no or unknown, with what shows it; `holds` is true for yes."""
        return self.ask("ask", question=question, format="json", **options)

    def draw(self, format: str = "mermaid", parts: Optional[str] = None) -> str:
        """Its picture: json, dot or mermaid."""
        return str(self.ask("draw", format=format, parts=parts))

    @unfreed
    def diff(self, newer: Contract, **options: Any) -> Answer:
        """What changed in `newer`; `holds` is false where a migration policy must be declared."""
        other = newer.core
        return answer_of(engine_error, library().contract_diff, self.pointer.contract, other.pointer.contract,
                         str_of(options_text(options)))

    def _facts(self, facts: Union[FactValues, Facts]) -> Facts:
        if isinstance(facts, Facts):
            if facts.contract is not self:
                raise UsageError("the facts were read for another contract", "usage")
            return facts
        return self.facts(facts)


class Facts(Handle):
    """Facts that were read and evaluated for a contract."""

    def __init__(self, contract: Contract, text: bytes, strict: bool) -> None:
        self.contract = contract
        room = Room(contract.pointer.contract)
        room.held = text
        super().__init__(Core(Room.free, room, contract.core))
        if library().facts_read(room.facts, str_of(text), strict):
            raise facts_error(room.facts)
        if library().evaluate(room.facts, room.verdicts):
            raise evaluation_error(room.verdicts)

    @property
    @unfreed
    def verdicts(self) -> Verdicts:
        return Verdicts(bytes_of(library().verdicts_json(self.pointer.verdicts)))

    @property
    @unfreed
    def warnings(self) -> List[str]:
        """Facts and fields that were given and the contract does not declare, a sentence each."""
        return text_of(library().facts_warnings(self.pointer.facts)).splitlines()

    @unfreed
    def present(self, name: str) -> bool:
        """Is this verdict there?"""
        there: bool = library().verdict_present(self.pointer.verdicts, name_of(name))
        return there


class Conflict(Exception):
    """Raised by `FlowHost.apply`: a source state had moved, so the operation fails."""


class FlowHost:
    """What a flow asks of its surroundings. As it is, everybody may act and changes stay in
    memory. An exception in here stops the flow before the step and is raised by `step`."""

    def may_act(self, persona: str) -> bool:
        return True

    def apply(self, changes: List[Tuple[str, str, str, str]]) -> None:
        """All or none of (entity, instance, from, to)."""

    def choose(self, step: str, operation: str) -> Optional[str]:
        """The outcome to take where several match; None: that is an error of the step."""
        return None


class Flow(Handle):
    """A flow under way. Belongs to one thread."""

    def __init__(self, contract: Contract, facts: Facts, host: Optional[FlowHost]) -> None:
        self._facts = facts
        self.state = "more"
        self._raised: List[BaseException] = []
        self._host = host_of(host, self._raised) if host else None
        pointer = library().run_new(contract.pointer.contract)
        if not pointer:
            raise FlowError("the flows of this contract cannot be compiled", "rejected")
        super().__init__(Core(library().run_free, pointer, contract.core, facts.core, self._host))

    def _host_pointer(self) -> Any:
        return ctypes.byref(self._host) if self._host else None

    @unfreed
    def start(self, flow: str, persona: str, states: Optional[Mapping[str, Mapping[str, str]]],
              bindings: Optional[Mapping[str, str]]) -> None:
        self._held = (states_text(states), json_text(bindings, "bindings") if bindings else b"",
                      name_of(flow, "a flow"), name_of(persona, "a persona"))
        room = self._facts.pointer
        self._check(library().run_start(self.pointer, room.facts, room.verdicts, self._held[2], self._held[3],
                                        str_of(self._held[0]), str_of(self._held[1]), self._host_pointer()))

    @unfreed
    def take_up(self, position: Union[str, bytes]) -> None:
        self._text = utf8(position, "a position")
        room = self._facts.pointer
        self._check(library().run_resume(self.pointer, room.facts, room.verdicts, str_of(self._text),
                                         self._host_pointer()))

    def _check(self, status: int) -> None:
        if status:
            said = text_of(library().run_message(self.pointer)) or status_text(status)
            self.close()
            raise FlowError(said, status_word(status))

    @unfreed
    def step(self) -> str:
        """One step: more, done, waiting (for a persona) or stopped (the host said no)."""
        self._raised.clear()
        self.state = STATES[library().run_step(self.pointer)]
        if self._raised:
            raise self._raised[0]
        if self.state == "failed":
            raise FlowError(text_of(library().run_message(self.pointer)), "failed")
        return self.state

    def finish(self) -> Dict[str, Any]:
        """Steps until it is done, waits or stops; its result so far."""
        while self.step() == "more":
            pass
        return self.result

    @unfreed
    def set_state(self, entity: str, state: str) -> None:
        """What the host read: the state of the instance bound to `entity`."""
        status = library().run_set_state(self.pointer, name_of(entity), name_of(state))
        if status:
            raise FlowError(f"there is no state {state} of {entity}", status_word(status), entity)

    @property
    def position(self) -> bytes:
        """Where it is, for `Contract.resume`."""
        return bytes_of(library().run_position(self.pointer))

    @property
    def json(self) -> bytes:
        return bytes_of(library().run_json(self.pointer))

    @property
    def result(self) -> Dict[str, Any]:
        result: Dict[str, Any] = json.loads(self.json)
        return result


def host_of(host: FlowHost, raised: List[BaseException]) -> Host:
    """Callbacks of the library; what they raise waits until the library has returned."""
    def may_act(_: Any, persona: Str) -> bool:
        try:
            return bool(host.may_act(text_of(persona)))
        except BaseException as fault:  # nothing may pass through C
            raised.append(fault)
            return False

    def apply(_: Any, changes: Any, count: int) -> int:
        try:
            host.apply([(text_of(c.entity), text_of(c.instance), text_of(c.from_), text_of(c.to))
                        for c in changes[:count]])
            return 0
        except Conflict:
            return CONFLICT
        except BaseException as fault:
            raised.append(fault)
            return IO

    def choose(_: Any, step: Str, operation: Str, out: Any) -> bool:
        try:
            chosen = host.choose(text_of(step), text_of(operation))
            if chosen is None:
                return False
            kept[:] = [utf8(chosen, "an outcome")]
            out[0] = str_of(kept[0])
            return True
        except BaseException as fault:
            raised.append(fault)
            return False

    kept: List[bytes] = []  # the outcome chosen last
    return Host(ctypes.sizeof(Host), None, MAY_ACT(may_act), APPLY(apply), None, CHOOSE(choose))


def provider_of(read: Callable[[str], Optional[Union[str, bytes]]], raised: List[BaseException]) -> Provider:
    """A callback for texts by path; what `read` raises waits in `raised`."""
    kept: List[bytes] = []

    def answer(_: Any, path: Str, out: Any) -> int:
        try:
            text = read(text_of(path))
            if text is None:
                return NOTFOUND
            kept.append(utf8(text, "a file"))
            out[0] = str_of(kept[-1])
            return 0
        except BaseException as fault:  # nothing may pass through C
            raised.append(fault)
            return IO

    return Provider(ctypes.sizeof(Provider), None, READ(answer))


def states_text(states: Optional[Mapping[str, Mapping[str, str]]]) -> bytes:
    return json_text(states, "states") if states else b""


def files_of(files: Mapping[str, Union[str, bytes]]) -> Any:
    array: Any = (File * len(files))()
    kept = []
    for i, (path, text) in enumerate(files.items()):
        data = utf8(text, path)
        kept.append(data)
        array[i].path, array[i].text = name_of(path, "a path"), str_of(data)
    array._kept = kept
    return array


def facts_error(facts: int) -> FactsError:
    fault = library().facts_fault(facts)
    return FactsError(text_of(fault.message), (fault.kind or b"").decode(), text_of(fault.path))


def evaluation_error(verdicts: int) -> EvaluationError:
    fault = library().verdicts_fault(verdicts)
    return EvaluationError(text_of(fault.message), (fault.kind or b"").decode(), text_of(fault.path),
                           text_of(fault.rule))


def diagnostics_of(contract: int) -> List[Diagnostic]:
    found: List[Diagnostic] = []
    parts = DiagnosticParts(ctypes.sizeof(DiagnosticParts))
    while library().contract_diagnostic(contract, len(found), ctypes.byref(parts)):
        found.append(Diagnostic(
            (parts.severity or b"").decode(), (parts.code or b"").decode(), text_of(parts.message),
            text_of(parts.file), parts.line, parts.column, parts.length, parts.pass_,
            text_of(parts.construct_kind), text_of(parts.construct_id), text_of(parts.field), text_of(parts.hint),
            parts.end_line, parts.end_column))
    return found


def version() -> Tuple[str, str]:
    """Of the library and of the contract language."""
    lib = library()
    return lib.version().decode(), lib.language_version().decode()


__all__ = ["Answer", "Contract", "Facts", "Verdicts", "Flow", "FlowHost", "Conflict", "EngineError", "MotetError", "format_source", "version"]
