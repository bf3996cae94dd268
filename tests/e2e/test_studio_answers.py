"""The page says what the command line says, byte for byte: verdicts, actions, diagnostics and what verification finds,
asked of the worker that the page's views ask, in Debian's Chromium. The solver Z3 is not in the page, which says so: the command
line is asked where none can be loaded. MOTET_SOAK=1: 500 random contracts."""
import base64
import copy
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import ledgers
import test_generate_c
import test_signer
from forger import Forger, tail
from harness import MOTET, SEED, SOAK, SOURCE, Case, main
from serve import ESCROW, Server

sys.path.insert(0, str(SOURCE / "tests" / "wasm"))
import cases  # noqa: E402

RANDOM = os.environ.get("MOTET_RANDOM") or str(MOTET.parent / "tests" / "e2e" / "random_contracts")
WARNED = re.compile(r"^motet \w+: warning: (.*)$", re.M)
CONTRACTS, SETS = (500, 3) if SOAK else (40, 1)
# As the page names them, and as the command line does.
MEMBERS = {"severity": "severity", "code": "code", "pass": "pass", "file": "file", "line": "line", "column": "column",
           "length": "length", "constructKind": "construct_kind", "constructId": "construct_id", "field": "field",
           "message": "message", "hint": "hint", "endLine": "end_line", "endColumn": "end_column"}


class Answers(Case):
    """Runs commands side by side, and asks the page the same in one visit."""

    def setUp(self):
        super().setUp()
        self.told = {}
        self.write("broken/libz3.so.4", "not a library")

    def commands(self, asked):
        """What each of [words, stdin] came to, in order."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda a: self.alone(*a[0], stdin=a[1]), asked))

    def alone(self, *words, stdin=b""):
        """Without a solver; what was asked before is not asked again."""
        key = (*words, stdin)
        if key not in self.told:
            self.told[key] = self.run_motet(*words, stdin=stdin, env={"LD_LIBRARY_PATH": str(self.dir / "broken")})
        return self.told[key]

    def page(self, calls, view=None):
        with tempfile.TemporaryDirectory() as folder, Server(folder, ESCROW) as server:
            given, out = self.write("given.json", json.dumps({"calls": calls, "page": view})), self.dir / "said.json"
            done = subprocess.run(["node", SOURCE / "studio/tests/answers.mjs", shutil.which("chromium"), server.url, folder, given, out],
                                  env={**os.environ, "HOME": folder}, capture_output=True, text=True, timeout=3000)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = json.loads(out.read_text())
        return said["calls"], said["page"]


class Contracts(Answers):
    """Every example with the facts of its scenarios, and random contracts with random facts."""

    def examples(self):
        for root in sorted(cases.EXAMPLES.rglob("*.tenor")):
            facts = [*dict.fromkeys(cases.facts_of(root.parent))][:6]
            yield root.parent, root.name, cases.files_of(root), [*facts, "{}", '{"nothing": 1}', "["]

    def random(self):
        written = subprocess.run([RANDOM, str(SEED), str(CONTRACTS), str(SETS)], check=True, capture_output=True).stdout
        for i, line in enumerate(written.splitlines()):
            one = json.loads(line)
            bundle = test_generate_c.completed(one["bundle"])
            acts = any(c["kind"] == "Operation" for c in bundle["constructs"])
            text = json.dumps(bundle if acts or i % 2 else test_generate_c.with_acts(bundle, random.Random(SEED + i)))
            if i % 10 == 9:  # one that is refused
                text = text.replace('"kind"', '"kinds"', 2)
            self.write(f"r{i}.json", text)
            yield self.dir, f"r{i}.json", [[f"r{i}.json", text]], one["facts"]

    def asked(self, folder, name, files, facts):
        """[what the page is asked, what the command line is, how they are compared]"""
        at = folder / name
        yield {"kind": "check", "ask": {"files": files}}, (["check", at, "--json"], b""), self.same_diagnostics
        if self.alone("check", at, "--json").code:
            return
        bundle = json.loads(self.run_motet("elaborate", at).out) if name.endswith(".tenor") else json.loads(files[0][1])
        yield {"kind": "ask", "ask": {"command": "check", "options": {}}}, (["check", at, "--json"], b""), self.same_text
        personas = sorted(c["id"] for c in bundle["constructs"] if c["kind"] == "Persona")
        for n, given in enumerate(facts):
            ask = {"facts": given}
            yield ({"kind": "ask", "ask": {"command": "eval", "options": ask}},
                   (["eval", at, "--facts", "-", "--json"], given), self.same_text)
            if personas:
                who = personas[n % len(personas)]
                yield ({"kind": "ask", "ask": {"command": "actions", "options": {**ask, "persona": who}}},
                       (["actions", at, "--facts", "-", "--persona", who, "--json"], given), self.same_text)

    def same_diagnostics(self, page, result, root):
        listed = json.loads(cases.solver(result.out.replace(root, "")))["diagnostics"]
        mine = [{theirs: d[ours] or None for ours, theirs in MEMBERS.items()} for d in page["answer"]["diagnostics"]]
        mine = json.loads(cases.solver(json.dumps(mine)))
        theirs = [{key: d[key] or None for key in MEMBERS.values()} for d in listed]
        for one in mine + theirs:
            one["pass"] = one["pass"] if (one["pass"] or -1) >= 0 else None
        self.assertEqual(mine, theirs)
        self.assertEqual(page["answer"]["good"] is None, result.code != 0)

    def same_text(self, page, result, root):
        """The bytes; of what is refused, kind, path and sentence."""
        if "fault" not in page:
            text = cases.solver(page["answer"]["text"])
            self.assertEqual((text, page["answer"]["code"]), (cases.solver(result.out.replace(root, "")), result.code))
            self.assertEqual(page["answer"].get("warnings", []), WARNED.findall(result.err))
            return
        self.assertNotEqual(result.code, 0)
        fault = page["fault"]
        if fault["kind"] == "syntax":
            return  # what is no JSON is refused before it is asked: it could go on as options
        told = json.loads(result.out) if result.out else None
        sentences = [f["error"] for f in [told, *told.get("further", [])]] if told else [
            line.removeprefix("motet actions: ").removeprefix("evaluation error: ") for line in result.err.splitlines()
            if not WARNED.match(line)]
        self.assertEqual([line.removeprefix("evaluation error: ") for line in fault["message"].splitlines()], sentences)
        if told:
            self.assertEqual((fault["kind"], fault["path"]), (told["details"]["type"], told["details"].get("path", "")))

    def compare(self, contracts):
        rows = [(f"{name}", f"{folder}/", *row) for folder, name, files, facts in contracts
                for row in self.asked(folder, name, files, facts)]
        results = self.commands([(words, stdin) for _, _, _, (words, stdin), _ in rows])
        said, _ = self.page([call for _, _, call, _, _ in rows])
        for (name, root, call, (words, _), same), page, result in zip(rows, said, results):
            with self.subTest(name, words=words[0]):
                same(page, result, root)
        return said

    def test_every_example_says_what_the_command_line_says(self):
        said = self.compare(self.examples())
        self.assertGreater(sum("answer" in s for s in said), 40)
        self.assertGreater(sum("fault" in s for s in said), 20)

    def test_random_contracts_say_what_the_command_line_says(self):
        said = self.compare(self.random())
        print(f"{CONTRACTS} random contracts, seed {SEED}: {len(said)} answers, {sum('fault' in s for s in said)} of them faults")
        self.assertGreater(len(said), CONTRACTS * 2.5)


class Copy(Forger):
    """A store's ledger in memory; what is done to it is seen in the copy that would be exported."""

    def __init__(self, records, checkpoints, meta):  # pylint: disable=super-init-not-called
        self.records, self.checkpoints, self.meta = records, checkpoints, meta

    def lines(self):
        points, out, before = dict(self.checkpoints), [], bytes(32)
        for count, r in enumerate([None, *sorted(self.records, key=lambda r: r["seq"])]):
            if r:
                out.append(f'{{"body":{r["body"]},"hash":"{r["hash"].hex()}","prev":"{before.hex()}","seq":{r["seq"]}}}')
                before = r["hash"]
            out += [points.pop(count).rstrip("\n")] if count in points else []
        return [*out, *(t.rstrip("\n") for t in points.values())]


class Tampering(Answers):
    """Each row as bytes in a file, verified by the command line and by the page."""

    COUNT, EVERY = 60, 20

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)  # the forger looks for his key
        for name in "abcf":
            self.holds("keygen", "--prefix", name)
        self.keys = {name: base64.b64decode((self.dir / f"{name}.pub").read_bytes()).hex() for name in "abcf"}

    def store(self):
        bodies = [ledgers.key_event("key_added", self.keys["a"]), *(ledgers.operation(n, instance=f"e{n}") for n in range(self.COUNT))]
        lines = ledgers.records(bodies)
        records = [dict(seq=n, id=n + 1, kind="operation", contract="escrow", flow="", subject="", time_ms=n, body=ledgers.compact(body),
                        hash=bytes.fromhex(json.loads(line)["hash"])) for n, (body, line) in enumerate(zip(bodies, lines))]
        points = {size: ledgers.checkpoint(lines[:size], "a") + "\n" for size in (1, *range(self.EVERY, len(lines), self.EVERY), len(lines))}
        return Copy(records, points, {"ledger": (len(lines), tail([r["hash"] for r in records])), "checkpoints": (len(points), "")})

    def table(self):
        """The rows of the table of test_signer.py: what the owner of a database can do to it."""
        good = self.store()
        for name, tamper, _ in test_signer.TABLE:
            f = copy.deepcopy(good)
            tamper(f)
            yield name, ledgers.text(f.lines()).encode()
        yield "nothing", ledgers.text(good.lines()).encode()

    def grow(self, parts):
        lines, bodies = [], []
        for part in parts:
            if isinstance(part, dict):
                bodies.append(part)
                lines.append(ledgers.records(bodies)[-1])
            else:
                lines.append(ledgers.checkpoint(lines, part))
        return lines

    def lines_of(self, lines):
        """Every line removed, repeated, swapped with every other, and changed."""
        for at, line in enumerate(lines):
            yield f"line {at} removed", lines[:at] + lines[at + 1:]
            yield f"line {at} twice", lines[:at + 1] + lines[at:]
            yield f"line {at} changed", [*lines[:at], line.replace("released", "refunded", 1).replace('"size":', '"size":1'), *lines[at + 1:]]
            yield f"cut after line {at}", lines[:at]
            for other in range(at + 1, len(lines), 1 if SOAK else 4):
                yield f"{at} and {other} swapped", [*lines[:at], lines[other], *lines[at + 1:other], line, *lines[other + 1:]]

    def chains(self):
        """Chains that are whole in themselves, and keys that come and go."""
        op, key = ledgers.operation, ledgers.key_event
        rotation = [key("key_added", self.keys["a"]), op(1), "a", op(2), key("key_added", self.keys["b"]), "a", op(3), "b",
                    key("key_revoked", self.keys["a"]), op(4), "b"]
        stolen = rotation[:3] + [key("key_added", self.keys["c"]), "c"]
        for name, parts in (("rotation", rotation), ("revoked", [*rotation, op(6), "a"]), ("added again", [*rotation, key("key_added", self.keys["a"])]),
                            ("stolen", stolen), ("stolen, vouched for", [*stolen, "a"]), ("never added", [op(1), "a", op(2), "b"]), ("unsigned", [op(1)]),
                            ("another's", [op(1), "f"]), ("domain named late", [{"kind": "k"}, op(1), "a"]), ("domain lost", [op(1), {"kind": "k"}]),
                            ("other domain", [op(1), {"kind": "k", "trust_domain": "other"}]), ("domain no text", [{"kind": "k", "trust_domain": 7}]),
                            ("no key", [key("key_added", "zz" * 32)])):
            yield name, self.grow(parts)

    def broken(self, text):
        """Bytes: flipped, cut, and what is no ledger at all."""
        for body in ('{"b":1,"a":2}', '{"a":1,"a":2}', '{"a": 1}', '{"a":"\\u0041"}', "[1]", '{"a":"\\/"}', '{"a":01}', '{"\\u0001":1,"a":2}', "{" * 300):
            digest = hashlib.sha256(bytes(32) + body.encode()).hexdigest()
            yield f"body {body[:20]}", f'{{"body":{body},"hash":"{digest}","prev":"{"0" * 64}","seq":0}}\n'.encode()
        for data in (b"", b"\n", b"\0\n", b"{}\n", b"\xff\xfe\n", b"x" * 100000 + b"\n", b'{"body":{},"hash":"","prev":"","seq":0}\n'):
            yield f"{data[:20]}", data
        for cut in (1, 2, 40, 300):
            yield f"{cut} bytes cut off", text[:-cut]
        step = 23 if SOAK else 401
        for at in range(SEED % step, len(text), step):
            yield f"byte {at} flipped", text[:at] + bytes([text[at] ^ 1]) + text[at + 1:]

    def verified(self, rows, demands, view=None):
        """rows: (name, bytes). demands: (options of the command, what the page is asked beside the file)."""
        paths = [self.write(f"row-{n}.jsonl", data) for n, (_, data) in enumerate(rows)]
        asked = [(name, path, data, words, demand) for (name, data), path in zip(rows, paths) for words, demand in demands]
        results = self.commands([(["ledger", "verify", path, "--json", *words], b"") for _, path, _, words, _ in asked])
        said, shown = self.page([{"kind": "ledger", "ask": {"file": base64.b64encode(data).decode(), "demand": demand}}
                                 for _, _, data, _, demand in asked], view and {**view, "files": list(map(str, paths))})
        for (name, _, _, words, _), page, result in zip(asked, said, results):
            with self.subTest(name, words=words):
                told = page["answer"]["told"]
                self.assertEqual((told["text"], told["code"]), (result.out, result.code))
        return [json.loads(r.out) for r in results], shown

    def test_every_row_of_the_tampering_table_is_found(self):
        """What is only in a store (its head, how many checkpoints it counts) is not in a copy: those rows leave
        the copy as it was, or with fewer checkpoints, and all there is still holds. A record behind the last
        signature is not said to be signed."""
        rows = list(self.table())
        kept = self.store().checkpoints[self.COUNT + 1]
        (self.dir / "kept.json").write_text(kept)
        found, shown = self.verified(rows, [(["--key", "a.pub", "--checkpoint", "kept.json"], {"keys": [self.keys["a"]], "checkpoint": kept})],
                                     {"keys": self.keys["a"], "kept": [["kept.json", kept]]})
        holds = {name: f for (name, _), f in zip(rows, found) if f["holds"]}
        self.assertEqual([(name, f["records"] - f["attested"]) for name, f in holds.items() if name.startswith("records")], [("records: insert at the end", 1)])
        self.assertEqual({name for name in holds if name.startswith("checkpoints")}, {f"checkpoints: {what}" for what in (
            "delete one", "delete one, count fixed", "delete the newest", "delete all", "delete all, count fixed", "truncate",
            "insert one beyond the end")})  # which stands twice at the end, and is true
        self.assertIn("nothing", holds)
        for (name, _), f, sentence in zip(rows, found, shown):
            with self.subTest(name):  # as a person reads it
                place = "".join(f", {what} {f[what]:,}" for what in ("line", "record") if f.get(what, 0) or what == "record" and what in f)
                want = f"It does not hold: {f['problem']}{place}." if not f["holds"] else f"{f['records']} records are consistent, {f['attested']} of them signed by a key that you trust"
                self.assertTrue(sentence.startswith(want), f"{sentence}\n{want}")

    def test_every_other_tampering_is_found_as_the_command_line_finds_it(self):
        bodies = [ledgers.operation(n) for n in range(8)]
        lines = self.grow([*bodies[:5], "a", *bodies[5:], "a"])
        text = ledgers.text(lines).encode()
        rows = [(name, ledgers.text(x).encode()) for name, x in (*self.lines_of(lines), *self.chains())] + list(self.broken(text))
        (self.dir / "kept.json").write_text(lines[5])
        demands = [(["--key", "a.pub"], {"keys": [self.keys["a"]]})]
        found, _ = self.verified(rows, demands)
        self.assertLess(sum(f["holds"] for f in found), len(rows) // 8)
        some = rows if SOAK else rows[::9]
        self.verified(some, [([], {}), (["--checkpoint", "kept.json"], {"checkpoint": lines[5]}), (["--domain", "acme.prod"], {"domain": "acme.prod"})])


if __name__ == "__main__":
    main()
