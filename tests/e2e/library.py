"""libmotet through ctypes: as little as the tests need.

    from library import Contract, Library

    contract, status = Contract.read({"a.tenor": text}, "a.tenor")
    answer = contract.ask("check", strict=True)
    answer.status, answer.code, answer.text, answer.message, answer.fault

The library is that of MOTET_LIBRARY, or the one built beside the binary.
"""
import ctypes
import json
import os
import pathlib

from harness import MOTET

PATH = pathlib.Path(os.environ.get("MOTET_LIBRARY") or
                    MOTET.parent.parent / "api" / "libmotet.so.0")
OK, REJECTED, LIMIT, NOTFOUND, VERSION, USAGE = 0, 1, 2, 8, 7, 17


class Str(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_void_p), ("len", ctypes.c_size_t)]

    @classmethod
    def of(cls, text):
        raw = text if isinstance(text, bytes) else text.encode()
        held = ctypes.create_string_buffer(raw, len(raw) + 1)
        made = cls(ctypes.cast(held, ctypes.c_void_p), len(raw))
        made.held = held
        return made

    @property
    def bytes(self):
        return ctypes.string_at(self.ptr, self.len) if self.len else b""


class File(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("text", Str)]


READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, Str, ctypes.POINTER(Str))


class Provider(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("read", READ)]


def load():
    lib = ctypes.CDLL(str(PATH))
    handle = ctypes.c_void_p
    text = ctypes.c_char_p
    out = ctypes.POINTER(handle)
    for name, result, arguments in (
            ("motet_version", text, []),
            ("motet_contract_read", ctypes.c_int, [ctypes.POINTER(Provider), text, Str, out]),
            ("motet_contract_load", ctypes.c_int, [Str, text, out]),
            ("motet_contract_open", ctypes.c_int, [text, out]),
            ("motet_contract_free", None, [handle]),
            ("motet_contract_message", Str, [handle, ctypes.c_size_t]),
            ("motet_contract_bundle", Str, [handle]),
            ("motet_contract_etag", Str, [handle]),
            ("motet_contract_ask", ctypes.c_int, [handle, text, Str, out]),
            ("motet_contract_diff", ctypes.c_int, [handle, handle, Str, out]),
            ("motet_format", ctypes.c_int, [Str, text, out]),
            ("motet_graph_ask", ctypes.c_int, [handle, text, Str, Str, out]),
            ("motet_graph_whatif", ctypes.c_int, [handle, handle, Str, out]),
            ("motet_primitives_new", handle, []),
            ("motet_primitives_free", None, [handle]),
            ("motet_primitives_add", ctypes.c_int, [handle, Str, handle, handle]),
            ("motet_graph_load", ctypes.c_int, [handle, Str, text, out]),
            ("motet_graph_load_set", ctypes.c_int, [handle, ctypes.POINTER(File), ctypes.c_size_t, Str, out]),
            ("motet_graph_adapt", ctypes.c_int, [handle, Str, text]),
            ("motet_graph_message", Str, [handle, ctypes.c_size_t]),
            ("motet_graph_free", None, [handle]),
            ("motet_agent_load", ctypes.c_int, [Str, text, out]),
            ("motet_agent_free", None, [handle]),
            ("motet_agent_message", Str, [handle, ctypes.c_size_t]),
            ("motet_agent_ask", ctypes.c_int, [handle, text, Str, out]),
            ("motet_agent_trace", ctypes.c_int, [ctypes.POINTER(Provider), text, Str, out]),
            ("motet_agent_harness", ctypes.c_int, [Str, Str, out]),
            ("motet_actor_new", ctypes.c_int, [handle, handle, out]),
            ("motet_actor_free", None, [handle]),
            ("motet_actor_receive", ctypes.c_int, [handle, Str, ctypes.c_int64]),
            ("motet_actor_tick", ctypes.c_int, [handle, ctypes.c_int64,
                                                ctypes.POINTER(ctypes.c_int64)]),
            ("motet_actor_sends", Str, [handle]),
            ("motet_actor_trace", Str, [handle]),
            ("motet_actor_tape", Str, [handle]),
            ("motet_actor_state", Str, [handle]),
            ("motet_actor_restore", ctypes.c_int, [handle, Str]),
            ("motet_actor_message", Str, [handle]),
            ("motet_ledger_verify", ctypes.c_int, [Str, Str, out]),
            ("motet_receipt_verify", ctypes.c_int, [Str, Str, out]),
            ("motet_answer_text", Str, [handle]),
            ("motet_answer_message", Str, [handle]),
            ("motet_answer_fault", Str, [handle]),
            ("motet_answer_code", ctypes.c_int, [handle]),
            ("motet_answer_free", None, [handle])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


Library = load() if PATH.exists() else None


class Answer:
    """What was asked came to this; nothing of it is held any more."""

    def __init__(self, status, handle):
        self.status = status
        self.code = Library.motet_answer_code(handle)
        self.text = Library.motet_answer_text(handle).bytes
        self.message = Library.motet_answer_message(handle).bytes.decode("utf-8", "replace")
        self.fault = Library.motet_answer_fault(handle).bytes
        Library.motet_answer_free(handle)


def answer(function, *arguments):
    """Calls a function whose last argument is where the answer goes."""
    handle = ctypes.c_void_p()
    return Answer(function(*arguments, ctypes.byref(handle)), handle)


def options(given):
    return Str.of(json.dumps(given)) if given else Str(None, 0)


def provider_of(files):
    """A provider over texts by path; hold it as long as it is used."""
    kept = {path: Str.of(text) for path, text in files.items()}

    @READ
    def read(_, path, out):
        found = kept.get(path.bytes.decode())
        if not found:
            return NOTFOUND
        out[0].ptr, out[0].len = found.ptr, found.len
        return OK

    made = Provider(ctypes.sizeof(Provider), None, read)
    made.kept = kept
    return made


CALL = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Str, ctypes.POINTER(Str))


class Handlers(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("call", CALL)]


def handlers_of(function):
    """Handlers whose calls a function of Python answers: dict in, dict out."""
    def call(_, question, out):
        call.said = Str.of(json.dumps(function(json.loads(question.bytes))))
        out[0].ptr, out[0].len = call.said.ptr, call.said.len
        return True

    made = Handlers(ctypes.sizeof(Handlers), None, CALL(call))
    made.held = call
    return made


class Contract:
    def __init__(self, handle):
        self.handle = handle

    @classmethod
    def read(cls, files, root, **given):
        """From texts by path, through a callback; and the status."""
        handle = ctypes.c_void_p()
        provider = provider_of(files)
        status = Library.motet_contract_read(ctypes.byref(provider), str(root).encode(),
                                             options(given), ctypes.byref(handle))
        return cls(handle), status

    @classmethod
    def open(cls, path):
        handle = ctypes.c_void_p()
        status = Library.motet_contract_open(str(path).encode(), ctypes.byref(handle))
        return cls(handle), status

    def messages(self):
        found = []
        while (text := Library.motet_contract_message(self.handle, len(found)).bytes):
            found.append(text.decode("utf-8", "replace"))
        return found

    def ask(self, command, **given):
        return answer(Library.motet_contract_ask, self.handle, command.encode(), options(given))

    def diff(self, newer, **given):
        return answer(Library.motet_contract_diff, self.handle, newer.handle, options(given))

    def free(self):
        Library.motet_contract_free(self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()
