"""The engine in other languages: the same cases as everywhere, byte for byte; bad input, memory.

MOTET_UPDATE_GOLDEN=1 rewrites what is expected (sdk/fixtures/expected/engine.jsonl) from the
engine; read the diff. MOTET_SOAK=1: 1,000,000 evaluations, and valgrind."""
import json
import os
import re
import shutil
import subprocess
import unittest

import sdks
from harness import SANITIZED, SOAK, SOURCE, Case, main, run

UPDATE = bool(os.environ.get("MOTET_UPDATE_GOLDEN"))
CASES = json.loads((sdks.FIXTURES / "engine.json").read_text())
EXPECTED = sdks.FIXTURES / "expected" / "engine.jsonl"
FACTS = ('{"escrow_amount":{"amount":"5000.00","currency":"USD"},"delivery_status":"confirmed","line_items":'
         '[{"id":"i-1","description":"Widget","valid":true,"amount":{"amount":"5000.00","currency":"USD"}}]}')

# Memory stays flat: (resident KiB after a tenth, at the end).
FLAT = """
import motet, resource, sys
contract = motet.Contract.open(sys.argv[1])
facts, count = sys.argv[2].encode(), int(sys.argv[3])
for i in range(count):
    contract.evaluate_json(facts)
    if i % 50 == 0:
        try: contract.evaluate_json(b'{"delivery_status": 5}')
        except motet.FactsError: pass
    if i % 500 == 0:
        contract.evaluate({"delivery_status": "confirmed", "escrow_amount": {"amount": "1.00", "currency": "USD"},
                           "line_items": []})
        contract.flow("standard_release", "escrow_agent", facts).finish()
        try: contract.ask("eval", facts={})
        except motet.FactsError: pass
        try: motet.Contract.load("persona {")
        except motet.ContractError: pass
    if i == count // 10:
        early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(early, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

# Whatever is thrown at it: an exception of the package, nothing else, and the process lives.
HOSTILE = """
import decimal, itertools, math, motet, random, sys
random.seed(int(sys.argv[2]))
contract = motet.Contract.open(sys.argv[1])
class Odd: pass
loop = []; loop.append(loop)
things = [None, 0, -1, 2**70, 1.5, math.nan, math.inf, "", "x", "\\0", "\\ud800", b"", b"\\xff", b"{", [], {}, loop,
          {"a": loop}, Odd(), {1: 2}, {"delivery_status": Odd()}, decimal.Decimal("NaN"), "[" * 100000, "{" * 300,
          bytearray(b"{}"), memoryview(b"{}"), object, lambda: 1, {"line_items": [{}] * 5000}, '{"a":' * 199 + "1"]
def tries():
    for a in things:
        yield lambda: contract.evaluate(a)
        yield lambda: contract.evaluate_json(a)
        yield lambda: contract.evaluate(a, strict=True)
        yield lambda: contract.facts(a)
        yield lambda: motet.Contract.load(a)
        yield lambda: motet.Contract.load("persona x", a)
        yield lambda: motet.Contract.load_files(a)
        yield lambda: motet.Contract.load_files({"a.tenor": a})
        yield lambda: motet.Contract.load_files({a if isinstance(a, (str, bytes)) else "b": "persona x"})
        yield lambda: motet.Contract.open(a)
        yield lambda: motet.Contract.read(lambda path: a, "a.tenor")
        yield lambda: contract.ask(a)
        yield lambda: contract.ask("eval", facts=a)
        yield lambda: contract.ask("explain", verdict=a)
        yield lambda: contract.question(a)
        yield lambda: contract.flow(a, a, "{}")
        yield lambda: contract.flow("standard_release", "escrow_agent", a, states=a, bindings=a)
        yield lambda: contract.resume(a, sys.argv[3])
        yield lambda: contract.actions(a, sys.argv[3])
        yield lambda: contract.actions("buyer", sys.argv[3], states=a)
        yield lambda: motet.format_source(a)
        yield lambda: motet.Graph.load(a)
        yield lambda: motet.Graph.load("kind: cluster", adapter=a)
        yield lambda: motet.Primitives().declare(a)
        yield lambda: motet.Primitives().add(a)(len)
        yield lambda: motet.Primitives().load(a)
        yield lambda: motet.verify_receipt(a, ["x"])
        yield lambda: motet.verify_receipt({}, a)
count = 0
for attempt in tries():
    count += 1
    try:
        attempt()
    except motet.MotetError as fault:
        assert isinstance(fault.kind, str) and fault.kind and isinstance(fault.path, str) and fault.message, repr(fault)
    except (TypeError, AttributeError) as fault:
        print("not typed:", type(fault).__name__, fault)
        raise
print(count, "tried")
# Bytes cut and changed anywhere.
text = open(sys.argv[1], "rb").read()
for _ in range(int(sys.argv[4])):
    data = bytearray(text)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data))
        data[at:at + random.choice((0, 1, 30))] = bytes(random.choices(b"{}[]()\\"\\n x0\\xff\\x00", k=random.randint(0, 3)))
    try:
        motet.Contract.load(bytes(data)).evaluate(sys.argv[3])
    except motet.MotetError as fault:
        assert fault.kind and fault.message
print("done")
"""

CLOSED = """
import gc, motet, sys
contract = motet.Contract.open(sys.argv[1])
facts = contract.facts(sys.argv[2])
flow = contract.flow("standard_release", "escrow_agent", facts)
contract.close()
facts_again = facts.verdicts
facts.close()
print(flow.finish()["flow_outcome"], len(facts_again))
for work in (lambda: contract.evaluate("{}"), lambda: contract.bundle, lambda: facts.verdicts,
             lambda: contract.flow("a", "b", "{}")):
    try:
        work()
    except motet.UsageError as fault:
        print(fault.kind)
del flow, facts, contract
gc.collect()
"""

CLOSING = """
import decimal, motet, sys, threading
class Closing(motet.FlowHost):
    def apply(self, changes):
        self.flow.close()
contract, host = motet.Contract.open(sys.argv[1]), Closing()
host.flow = contract.flow("standard_release", "escrow_agent", sys.argv[2], host=host)
try:
    print(host.flow.finish())
except motet.UsageError as fault:
    print(fault.kind)
for _ in range(40):
    contract, wrong = motet.Contract.open(sys.argv[1]), []
    def ask():
        try:
            assert contract.ask("analyze").holds
        except motet.UsageError:
            pass  # closed before it began
        except BaseException as fault:
            wrong.append(fault)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for t in threads: t.start()
    contract.close()
    for t in threads: t.join()
    assert not wrong, wrong
contract = motet.Contract.load('fact d { type: Decimal(9, 2) source: "x" } rule r { stratum: 0 when: d > 1 produce: v(true) }')
for number in ("1E+3", "1E+999999999", "-1E-999999999", "NaN"):
    try:
        print(len(contract.evaluate({"d": decimal.Decimal(number)})))
    except motet.FactsError as fault:
        print(fault.kind)
"""

JS_VERIFIES = """
import { readFileSync } from "node:fs";
const [, , dist, receipts] = process.argv;
const { load } = await import(dist + "/engine.js");
const { Client } = await import(dist + "/client.js");
const [client, engine] = [new Client("http://127.0.0.1:1"), await load()];
const read = (name) => readFileSync(receipts + "/" + name, "utf8");
const keys = [read("executor.pub").trim()];
const told = (receipt, demand) => {
  try {
    const found = client.verify(engine, JSON.parse(receipt), { keys, ...demand });
    console.log(found.complete, found.record);
  } catch (fault) { console.log(fault.name, fault.message); }
};
told(read("released.json"), { domain: "acme.test.eu", complete: true });
told(read("refused.json"), { complete: true });
told(read("refused.json").replace("precondition_failed", "persona_rejected"), {});
"""

LEAKS = """
import ctypes, motet, sys
from motet._library import library
library().contract_open(sys.argv[1].encode(), ctypes.byref(ctypes.c_void_p()))
"""

THREADS = """
import motet, sys, threading
contract = motet.Contract.open(sys.argv[1])
facts = sys.argv[2].encode()
want, wrong = contract.evaluate_json(facts), []
def work():
    for _ in range(2000):
        if contract.evaluate_json(facts) != want:
            wrong.append(1)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(len(wrong))
"""


class Engine(Case):
    def python(self, code, *words, before=(), timeout=300):
        done = subprocess.run([*before, sdks.PYTHON, "-c", code, *map(str, words)], env=sdks.ENV, cwd=self.dir,
                              capture_output=True, text=True, timeout=timeout)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        return done.stdout.strip(), done.stderr

    ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"

    def cases(self):
        """What every case comes to, by Python."""
        done = subprocess.run([sdks.PYTHON, str(sdks.FIXTURES / "run_python.py"), "--engine",
                               str(sdks.FIXTURES / "engine.json")], env=sdks.ENV, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_every_case_gives_the_expected_bytes(self):
        got = self.cases()
        if UPDATE:
            EXPECTED.write_text("".join(json.dumps(said, ensure_ascii=False) + "\n" for said in got))
        wanted = [json.loads(line) for line in EXPECTED.read_text().splitlines()]
        self.assertEqual([said["case"] for said in got], [case["name"] for case in CASES])
        for said, want in zip(got, wanted):
            with self.subTest(want["case"]):
                self.assertEqual(said, want)
        self.assertEqual(len(got), len(wanted))

    def javascript(self):
        """The package with its modules, built from the tree."""
        build = sdks.Build()
        self.addCleanup(build.close)
        place = self.dir / "js"
        shutil.copytree(build.js(), place)
        self.assertEqual(subprocess.run([str(SOURCE / "tools" / "wasm")], capture_output=True).returncode, 0)
        for module in ("motet.wasm", "motet-graph.wasm"):
            shutil.copy(SOURCE / "build-wasm" / module, place)
        return place

    @unittest.skipUnless((sdks.SDK / "js" / "src" / "engine.ts").exists(), "this tree has no engine in JavaScript")
    def test_the_javascript_engine_gives_the_same(self):
        """Byte for byte; of a fault everything but the name of its class."""
        done = subprocess.run(["node", str(sdks.FIXTURES / "run_js_engine.mjs"), str(sdks.FIXTURES / "engine.json")],
                              env={**sdks.ENV, "MOTET_JS": str(self.javascript())}, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        got = [json.loads(line) for line in done.stdout.splitlines()]
        wanted = [json.loads(line) for line in EXPECTED.read_text().splitlines()]
        self.assertEqual(len(got), len(wanted))
        for said, want in zip(got, wanted):
            with self.subTest(want["case"]):
                fault = json.loads(want["text"]) if '"error": "' in want["text"] else None
                if isinstance(fault, dict) and "kind" in fault:
                    del fault["error"]
                    if not fault.get("diagnostics", True):
                        del fault["diagnostics"]
                    self.assertEqual(json.loads(said["text"]), fault)
                else:
                    self.assertEqual(said, want)

    @unittest.skipUnless((sdks.SDK / "js" / "src" / "engine.ts").exists(), "this tree has no engine in JavaScript")
    def test_javascript_verifies_receipts_by_its_engine(self):
        place = self.javascript()
        self.write("verify.mjs", JS_VERIFIES)
        done = subprocess.run(["node", "verify.mjs", str(place), str(SOURCE / "examples" / "receipts")], cwd=self.dir,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.splitlines(), ["true 6", "VerificationError it is a promise, and not complete",
                                                    "VerificationError the signature is wrong"], done.stderr)

    def test_the_command_line_says_the_same(self):
        """What is expected comes from the library; the program is the other witness."""
        expected = {said["case"]: said["text"] for said in map(json.loads, EXPECTED.read_text().splitlines())}
        compared = 0
        for case in CASES:
            files = list(case.get("files", {}).values())
            text = expected[case["name"]]
            if case["do"] == "elaborate" and files and not text.startswith('{"diagnostics"'):
                result = run("elaborate", SOURCE / files[0])
                self.assertEqual(json.loads(result.out), json.loads(text), case["name"])
                compared += 1
            if case["do"] == "evaluate" and "facts" in case and '"error"' not in text:
                facts = self.write("facts.json", json.dumps(case["facts"]))
                result = run("eval", SOURCE / files[0], "--facts", facts, "--json")
                self.assertEqual(json.loads(result.out)["verdicts"], json.loads(text)["verdicts"], case["name"])
                compared += 1
        self.assertGreater(compared, 12)

    def test_bad_input_is_a_typed_exception(self):
        said, _ = self.python(HOSTILE, self.ESCROW, 7, FACTS, 20000 if SOAK else 300)
        self.assertRegex(said, r"^\d{3,} tried\ndone$")

    def test_closed_handles_are_refused_and_nothing_is_freed_twice(self):
        said, _ = self.python(CLOSED, self.ESCROW, FACTS)
        self.assertEqual(said, "success 4\n" + "\n".join(["closed"] * 4))

    def test_what_is_closed_meanwhile_lives_until_the_call_ends(self):
        said, _ = self.python(CLOSING, self.ESCROW, FACTS)
        self.assertEqual(said.split(), ["closed", "1"] + ["type_mismatch"] * 3)

    def test_threads_share_a_contract(self):
        self.assertEqual(self.python(THREADS, self.ESCROW, FACTS)[0], "0")

    def test_memory_stays_flat(self):
        count = 1000000 if SOAK else 20000
        early, late = map(int, self.python(FLAT, self.ESCROW, FACTS, count)[0].split())
        self.assertLess(late - early, 1500, f"{early} KiB after a tenth of {count}, {late} at the end")

    def test_valgrind_finds_nothing(self):
        if not SOAK or SANITIZED:
            self.skipTest("long form only")
        for code, words in ((CLOSED, (FACTS,)), (HOSTILE, (3, FACTS, 20))):
            self.assertEqual(self.leaks(code, *words), [])
        self.assertTrue(self.leaks(LEAKS), "the tool finds nothing at all")

    def leaks(self, code, *words):
        """Blocks that the library lost, as valgrind tells them; other faults end the program."""
        tool = ("env", "PYTHONMALLOC=malloc", "valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
                "--show-leak-kinds=definite", "--errors-for-leak-kinds=none")
        _, said = self.python(code, self.ESCROW, *words, before=tool, timeout=1200)
        return [block for block in re.split(r"==\d+== *\n", said)
                if "definitely lost" in block and "libmotet" in block]

    def test_no_library_is_told_plainly(self):
        env = {**sdks.ENV, "MOTET_LIBRARY": "/nowhere/libmotet.so"}
        done = subprocess.run([sdks.PYTHON, "-c", "import motet\ntry: motet.version()\n"
                               "except motet.LibraryError as e: print(e.kind, '|', e)"], env=env,
                              capture_output=True, text=True)
        self.assertRegex(done.stdout, r"^no_library \| libmotet is not found; install it or set MOTET_LIBRARY")


main()
