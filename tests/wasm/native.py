"""native.py CASES OUT: asks the native library what walk.mjs asks the modules."""
import ctypes
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import library  # noqa: E402
from library import File, Library as lib, Str  # noqa: E402

VOID = ctypes.c_void_p


class Fault(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("path", Str), ("rule", Str), ("message", Str)]


for name, result, arguments in (
        ("motet_contract_load_files", ctypes.c_int, [VOID, ctypes.c_size_t, VOID]),
        ("motet_graph_load_files", ctypes.c_int, [VOID, VOID, ctypes.c_size_t, VOID]),
        ("motet_graph_identity", Str, [VOID]),
        ("motet_facts_new", VOID, [VOID]), ("motet_facts_free", None, [VOID]),
        ("motet_facts_read", ctypes.c_int, [VOID, Str, ctypes.c_bool]),
        ("motet_facts_fault", Fault, [VOID]),
        ("motet_verdicts_new", VOID, [VOID]), ("motet_verdicts_free", None, [VOID]),
        ("motet_evaluate", ctypes.c_int, [VOID, VOID]),
        ("motet_verdicts_json", Str, [VOID]), ("motet_verdicts_fault", Fault, [VOID])):
    getattr(lib, name).restype, getattr(lib, name).argtypes = result, arguments


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def taken(function, *arguments):
    a = library.answer(function, *arguments)
    return dump([a.status, a.code, a.text.decode(), a.message, a.fault.decode()])


def files_of(pairs):
    made = (File * len(pairs))(*[File(path.encode(), Str.of(text)) for path, text in pairs])
    made.held = [f.text for f in made]
    made.texts = [Str.of(text) for _, text in pairs]
    for f, text in zip(made, made.texts):
        f.text = text
    return made


def all_of(function, handle):
    found = []
    while (text := function(handle, len(found)).bytes):
        found.append(text.decode())
    return found


def load(pairs):
    handle = VOID()
    if len(pairs) == 1 and re.match(r"[ \t\r\n]*\{", pairs[0][1]):
        status = lib.motet_contract_load(Str.of(pairs[0][1]), pairs[0][0].encode(), ctypes.byref(handle))
    else:
        files = files_of(pairs)
        status = lib.motet_contract_load_files(files, len(pairs), ctypes.byref(handle))
    return status, handle


def fault_text(fault):
    return dump([fault.kind.decode(), *(part.bytes.decode() for part in (fault.path, fault.rule, fault.message))])


def evaluated(facts, verdicts, text):
    given = Str.of(text)
    if lib.motet_facts_read(facts, given, False):
        return fault_text(lib.motet_facts_fault(facts))
    if lib.motet_evaluate(facts, verdicts):
        return fault_text(lib.motet_verdicts_fault(verdicts))
    return lib.motet_verdicts_json(verdicts).bytes.decode()


def contract(c):
    status, handle = load(c["files"])
    said = [str(status), *all_of(lib.motet_contract_message, handle),
            lib.motet_contract_bundle(handle).bytes.decode(), lib.motet_contract_etag(handle).bytes.decode()]
    for command, options in c["ask"]:
        said.append(taken(lib.motet_contract_ask, handle, command.encode(), Str.of(options)))
    if status == 0 and c["evaluate"]:
        facts, verdicts = lib.motet_facts_new(handle), lib.motet_verdicts_new(handle)
        said += [evaluated(facts, verdicts, text) for text in c["evaluate"]]
        lib.motet_facts_free(facts)
        lib.motet_verdicts_free(verdicts)
    lib.motet_contract_free(handle)
    return said


def diff(c):
    (_, a), (_, b) = load(c["older"]), load(c["newer"])
    said = taken(lib.motet_contract_diff, a, b, Str.of("{}"))
    lib.motet_contract_free(a)
    lib.motet_contract_free(b)
    return [said]


def graph(c):
    primitives, handle = lib.motet_primitives_new(), VOID()
    for manifest in c["manifests"]:
        assert lib.motet_primitives_add(primitives, Str.of(manifest), None, None) == 0, manifest
    files = files_of(c["files"])
    status = lib.motet_graph_load_files(primitives, files, len(files), ctypes.byref(handle))
    if not status and c["adapter"]:
        status = lib.motet_graph_adapt(handle, Str.of(c["adapter"]), b"adapter.yaml")
    if status:
        said = all_of(lib.motet_graph_message, handle)
    else:
        said = [lib.motet_graph_identity(handle).bytes.decode()]
        said += [taken(lib.motet_graph_ask, handle, command.encode(), Str.of(options), Str.of(text))
                 for command, options, text in c["ask"]]
    lib.motet_graph_free(handle)
    lib.motet_primitives_free(primitives)
    return said


def trace(c):
    provider = library.provider_of(dict(c["files"]))
    a = library.answer(lib.motet_agent_trace, ctypes.byref(provider), c["files"][0][0].encode(),
                       Str.of(dump(c["options"])))
    return [a.text.decode(), str(a.code)] if a.status == 0 else [a.message or a.text.decode()]


def agent(c):
    handle = VOID()
    status = lib.motet_agent_load(Str.of(c["text"]), c["name"].encode(), ctypes.byref(handle))
    said = all_of(lib.motet_agent_message, handle) if status else [
        taken(lib.motet_agent_ask, handle, command.encode(), Str.of(options)) for command, options in c["ask"]]
    lib.motet_agent_free(handle)
    return said


OPS = {
    "contract": contract, "diff": diff, "graph": graph, "trace": trace, "agent": agent,
    "format": lambda c: [taken(lib.motet_format, Str.of(c["text"]), c["name"].encode())],
    "ledger": lambda c: [taken(lib.motet_ledger_verify, Str.of(c["text"]), Str.of(c["options"]))],
    "receipt": lambda c: [taken(lib.motet_receipt_verify, Str.of(c["text"]), Str.of(c["options"]))],
}
# Why the solver is not there is said in other words.
NO_SOLVER = re.compile(r"libz3\.so\.\S+ cannot be loaded: install package \S+ \([^)]*\)")


def main():
    cases = json.loads(pathlib.Path(sys.argv[1]).read_text())
    said = [NO_SOLVER.sub("NO SOLVER", "\n".join(OPS[c["op"]](c))) for c in cases]
    pathlib.Path(sys.argv[2]).write_text(json.dumps(said))


main()
