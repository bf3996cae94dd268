"""libmotet through ctypes: where it is found, and what its functions take.

Looked for in this order: the file that MOTET_LIBRARY names, a file beside this package, the
system's libmotet.so.0. One row of FUNCTIONS is one function of motet.h; what an older
library lacks is refused when it is called (`need`), not when it is loaded.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import pathlib
import threading
import weakref
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, cast

from .errors import LibraryError, UsageError


class Str(Structure):
    """Text as (pointer, length), borrowed. Reads as bytes by `text_of`."""

    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]
    _keep: bytes


def str_of(data: bytes) -> Str:
    """Borrows `data`, which must live as long as what it is given to."""
    text = Str(ctypes.cast(c_char_p(data), c_void_p), len(data))
    text._keep = data
    return text


def bytes_of(text: Str) -> bytes:
    return ctypes.string_at(text.ptr, text.len) if text.ptr else b""


def text_of(text: Str) -> str:
    return bytes_of(text).decode("utf-8", "replace")


def utf8(value: Any, what: str = "text") -> bytes:
    """Text or bytes as UTF-8."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if not isinstance(value, str):
        raise UsageError(f"{what} is text, not {type(value).__name__}", "usage")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not valid Unicode", "usage") from None


def no_nul(data: bytes, what: str) -> bytes:
    if b"\0" in data:
        raise UsageError(f"{what} has no NUL character", "usage")
    return data


def name_of(value: Any, what: str = "a name") -> bytes:
    """A C string: valid text without NUL."""
    data = utf8(value, what)
    if isinstance(value, (bytes, bytearray, memoryview)):
        try:
            data.decode()
        except UnicodeDecodeError:
            raise UsageError(f"{what} is not valid Unicode", "usage") from None
    return no_nul(data, what)


def path_of(value: Any) -> bytes:
    """A path of the file system as a C string."""
    try:
        data = os.fsencode(value)
    except (TypeError, UnicodeError):
        raise UsageError(f"a path is text, not {type(value).__name__}", "usage") from None
    return no_nul(data, "a path")


class File(Structure):
    _fields_ = [("path", c_char_p), ("text", Str)]


class Fault(Structure):
    _fields_ = [("kind", c_char_p), ("path", Str), ("rule", Str), ("message", Str)]


class DiagnosticParts(Structure):
    _fields_ = [("size", c_size_t), ("severity", c_char_p), ("code", c_char_p), ("pass_", c_int), ("file", Str),
                ("line", c_uint32), ("column", c_uint32), ("length", c_uint32), ("construct_kind", Str),
                ("construct_id", Str), ("field", Str), ("message", Str), ("hint", Str),
                ("end_line", c_uint32), ("end_column", c_uint32)]


class Change(Structure):
    _fields_ = [("entity", Str), ("instance", Str), ("from_", Str), ("to", Str)]


MAY_ACT = ctypes.CFUNCTYPE(c_bool, c_void_p, Str)
APPLY = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Change), c_size_t)


CHOOSE = ctypes.CFUNCTYPE(c_bool, c_void_p, Str, Str, POINTER(Str))
READ = ctypes.CFUNCTYPE(c_int, c_void_p, Str, POINTER(Str))


class Host(Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("may_act", MAY_ACT), ("apply", APPLY),
                ("choose", c_void_p), ("choose_into", CHOOSE)]


class Provider(Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("read", READ)]


HANDLE = ctypes.CFUNCTYPE(c_bool, c_void_p, Str, POINTER(Str))


class Handlers(Structure):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("call", HANDLE)]


class Value(Structure):
    _fields_ = [("type", c_int), ("number", c_double), ("boolean", c_bool), ("event", c_int),
                ("series", POINTER(c_double)), ("text", c_void_p), ("len", c_size_t)]


PRIMITIVE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p)


class Supervision(Structure):
    _fields_ = [("size", c_size_t), ("max_per_window", c_uint64), ("rate_window_ms", c_uint64), ("deadline_ms", c_uint64),
                ("max_retries", c_uint32), ("skip_duplicates", c_bool)]


class GraphEvent(Structure):
    _fields_ = [("size", c_size_t), ("id", Str), ("kind", c_char_p), ("secs", c_uint64), ("nanos", c_uint32),
                ("semantic_kind", Str), ("payload", Str)]


STATUS = ["ok", "rejected", "limit", "syntax", "type", "range", "overflow", "version", "notfound", "exists",
          "conflict", "denied", "busy", "timeout", "io", "closed", "corrupt", "usage"]
OUT = POINTER(c_void_p)

# name: (result, arguments)
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "motet_version": (c_char_p, []),
    "motet_language_version": (c_char_p, []),
    "motet_status_text": (c_char_p, [c_int]),
    "motet_contract_open": (c_int, [c_char_p, OUT]),
    "motet_contract_load": (c_int, [Str, c_char_p, OUT]),
    "motet_contract_load_files": (c_int, [POINTER(File), c_size_t, OUT]),
    "motet_contract_free": (None, [c_void_p]),
    "motet_contract_message": (Str, [c_void_p, c_size_t]),
    "motet_contract_diagnostic": (c_bool, [c_void_p, c_size_t, POINTER(DiagnosticParts)]),
    "motet_contract_bundle": (Str, [c_void_p]),
    "motet_contract_etag": (Str, [c_void_p]),
    "motet_contract_read": (c_int, [POINTER(Provider), c_char_p, Str, OUT]),
    "motet_contract_ask": (c_int, [c_void_p, c_char_p, Str, OUT]),
    "motet_contract_diff": (c_int, [c_void_p, c_void_p, Str, OUT]),
    "motet_format": (c_int, [Str, c_char_p, OUT]),
    "motet_answer_text": (Str, [c_void_p]),
    "motet_answer_code": (c_int, [c_void_p]),
    "motet_answer_message": (Str, [c_void_p]),
    "motet_answer_warnings": (Str, [c_void_p]),
    "motet_answer_fault": (Str, [c_void_p]),
    "motet_answer_free": (None, [c_void_p]),
    "motet_facts_new": (c_void_p, [c_void_p]),
    "motet_facts_free": (None, [c_void_p]),
    "motet_facts_read": (c_int, [c_void_p, Str, c_bool]),
    "motet_facts_begin": (None, [c_void_p]),
    "motet_facts_name": (c_int, [c_void_p, c_char_p]),
    "motet_put_bool": (c_int, [c_void_p, c_bool]),
    "motet_put_int": (c_int, [c_void_p, c_int64]),
    "motet_put_decimal": (c_int, [c_void_p, c_char_p]),
    "motet_put_money": (c_int, [c_void_p, c_char_p]),
    "motet_put_text": (c_int, [c_void_p, Str]),
    "motet_put_list": (c_int, [c_void_p, c_size_t]),
    "motet_put_record": (c_int, [c_void_p]),
    "motet_put_union": (c_int, [c_void_p, c_char_p]),
    "motet_facts_end": (c_int, [c_void_p]),
    "motet_facts_fault": (Fault, [c_void_p]),
    "motet_facts_warnings": (Str, [c_void_p]),
    "motet_verdicts_new": (c_void_p, [c_void_p]),
    "motet_verdicts_free": (None, [c_void_p]),
    "motet_evaluate": (c_int, [c_void_p, c_void_p]),
    "motet_verdict_present": (c_bool, [c_void_p, c_char_p]),
    "motet_verdicts_json": (Str, [c_void_p]),
    "motet_verdicts_fault": (Fault, [c_void_p]),
    "motet_run_new": (c_void_p, [c_void_p]),
    "motet_run_free": (None, [c_void_p]),
    "motet_run_start": (c_int, [c_void_p, c_void_p, c_void_p, c_char_p, c_char_p, Str, Str, POINTER(Host)]),
    "motet_run_resume": (c_int, [c_void_p, c_void_p, c_void_p, Str, POINTER(Host)]),
    "motet_run_step": (c_int, [c_void_p]),
    "motet_run_set_state": (c_int, [c_void_p, c_char_p, c_char_p]),
    "motet_run_position": (Str, [c_void_p]),
    "motet_run_json": (Str, [c_void_p]),
    "motet_run_message": (Str, [c_void_p]),
    "motet_actions": (c_int, [c_void_p, c_void_p, c_void_p, Str, c_char_p, POINTER(Str)]),
    "motet_call_input": (Value, [c_void_p, c_size_t]),
    "motet_call_param": (Value, [c_void_p, c_size_t]),
    "motet_call_context": (Value, [c_void_p, c_size_t]),
    "motet_call_output": (None, [c_void_p, c_size_t, Value]),
    "motet_call_error": (None, [c_void_p, c_char_p]),
    "motet_primitives_new": (c_void_p, []),
    "motet_primitives_free": (None, [c_void_p]),
    "motet_primitives_add": (c_int, [c_void_p, Str, PRIMITIVE, c_void_p]),
    "motet_primitives_message": (Str, [c_void_p, c_size_t]),
    "motet_primitives_load": (c_int, [c_void_p, c_char_p]),
    "motet_graph_load_files": (c_int, [c_void_p, POINTER(File), c_size_t, OUT]),
    "motet_graph_load_set": (c_int, [c_void_p, POINTER(File), c_size_t, Str, OUT]),
    "motet_graph_free": (None, [c_void_p]),
    "motet_graph_message": (Str, [c_void_p, c_size_t]),
    "motet_graph_adapt": (c_int, [c_void_p, Str, c_char_p]),
    "motet_graph_identity": (Str, [c_void_p]),
    "motet_episode_new": (c_void_p, [c_void_p]),
    "motet_episode_free": (None, [c_void_p]),
    "motet_episode_set": (c_int, [c_void_p, c_char_p, Value]),
    "motet_episode_run": (c_int, [c_void_p, Str]),
    "motet_episode_value": (Value, [c_void_p, c_char_p, c_char_p]),
    "motet_episode_effects": (Str, [c_void_p]),
    "motet_episode_fault": (Str, [c_void_p]),
    "motet_graph_host_open": (c_int, [c_void_p, POINTER(Supervision), c_char_p, c_bool, OUT]),
    "motet_graph_host_free": (None, [c_void_p]),
    "motet_graph_host_step": (c_int, [c_void_p, POINTER(GraphEvent)]),
    "motet_graph_host_decision": (Str, [c_void_p]),
    "motet_graph_host_value": (Value, [c_void_p, c_char_p, c_char_p]),
    "motet_graph_host_context": (Value, [c_void_p, c_char_p]),
    "motet_graph_host_message": (Str, [c_void_p]),
    "motet_graph_host_capture": (c_int, [c_void_p, c_char_p]),
    "motet_agent_load": (c_int, [Str, c_char_p, OUT]),
    "motet_agent_free": (None, [c_void_p]),
    "motet_agent_message": (Str, [c_void_p, c_size_t]),
    "motet_agent_ask": (c_int, [c_void_p, c_char_p, Str, OUT]),
    "motet_agent_trace": (c_int, [POINTER(Provider), c_char_p, Str, OUT]),
    "motet_agent_harness": (c_int, [Str, Str, OUT]),
    "motet_actor_new": (c_int, [c_void_p, POINTER(Handlers), OUT]),
    "motet_actor_free": (None, [c_void_p]),
    "motet_actor_receive": (c_int, [c_void_p, Str, c_int64]),
    "motet_actor_tick": (c_int, [c_void_p, c_int64, POINTER(c_int64)]),
    "motet_actor_sends": (Str, [c_void_p]),
    "motet_actor_trace": (Str, [c_void_p]),
    "motet_actor_tape": (Str, [c_void_p]),
    "motet_actor_state": (Str, [c_void_p]),
    "motet_actor_restore": (c_int, [c_void_p, Str]),
    "motet_actor_message": (Str, [c_void_p]),
    "motet_ledger_verify": (c_int, [Str, Str, OUT]),
    "motet_receipt_verify": (c_int, [Str, Str, OUT]),
    "motet_proof_verify": (c_int, [Str, Str, OUT]),
    "motet_ledger_check_new": (c_int, [Str, OUT]),
    "motet_ledger_check_free": (None, [c_void_p]),
    "motet_ledger_check_feed": (c_int, [c_void_p, Str]),
    "motet_ledger_check_lines": (c_uint64, [c_void_p]),
    "motet_ledger_check_bytes": (c_uint64, [c_void_p]),
    "motet_ledger_check_end": (c_int, [c_void_p, OUT]),
    "motet_graph_ask": (c_int, [c_void_p, c_char_p, Str, Str, OUT]),
    "motet_graph_whatif": (c_int, [c_void_p, c_void_p, Str, OUT]),
    "motet_graph_replay": (c_int, [c_void_p, c_char_p, OUT]),
    "motet_replay_free": (None, [c_void_p]),
    "motet_replay_events": (c_uint64, [c_void_p]),
    "motet_replay_message": (Str, [c_void_p]),
}


def places() -> List[str]:
    """Where the library may be."""
    named = os.environ.get("MOTET_LIBRARY")
    if named:
        return [named]
    beside = sorted(pathlib.Path(__file__).parent.glob("libmotet.so*"))
    found = ctypes.util.find_library("motet")
    return [*map(str, beside), *([found] if found else []), "libmotet.so.0"]


class Library:
    """The loaded library: its functions are members, without `motet_`."""

    def __init__(self) -> None:
        self._functions: Dict[str, Any] = {}
        faults = []
        for place in places():
            try:
                self._open(ctypes.CDLL(place))
                self.path = place
                return
            except OSError as fault:
                faults.append(str(fault))
        raise LibraryError("libmotet is not found; install it or set MOTET_LIBRARY to its file ("
                           + "; ".join(faults) + ")", "no_library")

    def _open(self, loaded: ctypes.CDLL) -> None:
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(loaded, name)
            except AttributeError:
                continue
            function.restype, function.argtypes = result, arguments
            self._functions[name] = function
            setattr(self, name[len("motet_"):], function)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise LibraryError(f"this libmotet has no motet_{name}(); a newer one is needed", "old_library")


_library: Optional[Library] = None
_lock = threading.Lock()


def library() -> Library:
    """Loaded when first needed, once."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = Library()
    return _library


def status_word(status: int) -> str:
    return STATUS[status] if 0 <= status < len(STATUS) else f"status_{status}"


def status_text(status: int) -> str:
    text = library().status_text(status)
    return str(text, "utf-8", "replace") if text else status_word(status)


def texts(ask: Any, handle: Any) -> List[str]:
    """Messages of a handle, up to the first that is empty."""
    found: List[str] = []
    while True:
        text = text_of(ask(handle, len(found)))
        if not text or len(found) >= 10000:
            return found
        found.append(text)


class Core:
    """A handle of the library. It is freed when nobody holds it any more, and holds what it
    was made from; so whatever is closed or forgotten first, the order of freeing is right."""

    def __init__(self, free: Callable[..., None], pointer: Any, *kept: Any) -> None:
        self.pointer, self.kept = pointer, kept
        weakref.finalize(self, free, pointer)


class Handle:
    """An object around a handle. `close()`, or the end of `with`, lets go of it."""

    def __init__(self, core: Core) -> None:
        self._core: Optional[Core] = core

    def close(self) -> None:
        """Lets go of it; what was made from it can still be used."""
        self._core = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    @property
    def core(self) -> Core:
        """Whoever calls the library with it holds it meanwhile (`unfreed`)."""
        core = self._core
        if core is None:
            raise UsageError(f"the {type(self).__name__} is closed", "closed")
        return core

    @property
    def pointer(self) -> Any:
        return self.core.pointer


Method = TypeVar("Method", bound=Callable[..., Any])


def unfreed(method: Method) -> Method:
    """A method of a handle that is not freed while the method runs, though another thread, or
    a function that the library calls back, closes it."""
    @functools.wraps(method)
    def held(self: Any, *words: Any, **named: Any) -> Any:
        core = self.core
        try:
            return method(self, *words, **named)
        finally:
            del core
    return cast(Method, held)
