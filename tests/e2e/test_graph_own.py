"""Primitives of one's own, from a shared object: in check, run, replay, whatif and serve, and the
objects that are refused. The example of the documents is what is built here."""
import hashlib
import json
import os
import shutil
import subprocess

from harness import MOTET, SANITIZED, SOURCE, Case, main
from serve import Server

MANIFEST = ('kind: compute\\nid: %s\\nversion: 1.0.0\\n'
            'inputs: [{name: series, type: series}]\\noutputs: [{name: result, type: number}]\\n')
SOURCE_OF = """
#include <motet.h>
#include <fenv.h>
static bool run(void *user, motet_call *call)
{
    (void)user;
    %s
}
static const motet_own_primitive OWN[] = {%s};
MOTET_OWN_PRIMITIVES(OWN);
"""
GIVES = "motet_call_output(call, 0, (motet_value){.type = MOTET_NUMBER, .number = %s}); return true;"
SLOPE = '{"' + MANIFEST % "slope" + '", run, 0}'


class Own(Case):
    def setUp(self):
        super().setUp()
        for name in ("slope.c", "host.c", "graph.yaml", "adapter.yaml", "readings.jsonl"):
            shutil.copy(SOURCE / "examples" / "slope" / name, self.dir)
        self.build("slope.c")

    def cc(self, *words):
        done = subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I", str(SOURCE / "include"), *map(str, words)],
                              cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def build(self, source, *flags, out=None):
        out = out or source.replace(".c", ".so")
        self.cc("-shared", "-fPIC", "-O2", "-ffp-contract=off", "-o", out, source, *flags)
        os.chmod(self.dir / out, 0o755)
        return out

    def build_text(self, body, entries=SLOPE, *flags, name="x"):
        self.write(f"{name}.c", SOURCE_OF % (body, entries))
        return self.build(f"{name}.c", *flags)

    def graph(self, command, *words, own="slope.so"):
        more = ("--primitives", own) if own else ()
        return self.run_motet("graph", command, *words, "--adapter", "adapter.yaml", *more)

    def run_graph(self, *more, own="slope.so", capture="c.json"):
        return self.graph("run", "graph.yaml", "--ingress", "{type: file, path: readings.jsonl}",
                          "--capture", capture, *more, own=own)

    def refuses(self, code, words, own, command="check"):
        result = self.graph(command, "graph.yaml", own=own)
        self.assertEqual(result.code, code, result)
        self.assertIn("primitives.load_failed", result.err)
        self.assertIn(words, result.err)
        self.assertNotIn("/proc/self", result.err)
        return result

    def test_it_works_in_every_command_that_takes_a_graph(self):
        good = self.graph("check", "graph.yaml")
        self.assertEqual(good.code, 0, good)
        without = self.graph("check", "graph.yaml", own=None)
        self.assertEqual(without.code, 1)
        self.assertIn('there is no primitive "slope"', without.err)
        result = self.run_graph("--json")
        self.assertEqual(result.code, 0, result)
        alarms = [w["value"]["Number"] for line in result.out.splitlines() for e in json.loads(line).get("effects", [])
                  for w in e["writes"] if w["key"] == "alarm"]
        self.assertEqual(alarms, [0.85, 1.0299999999999998, 0.8200000000000003])
        replayed = self.graph("replay", "c.json", "--graph", "graph.yaml")
        self.assertEqual(replayed.code, 0, replayed)
        self.assertIn("events=10", replayed.out)
        self.assertEqual(self.graph("replay", "c.json", "--graph", "graph.yaml", own=None).code, 1)
        what = self.graph("whatif", "c.json", "graph.yaml", "--set", "steepest=0.9")
        self.assertEqual(what.code, 1, what)
        self.assertIn("same=8 changed=2", what.out)
        for words in (("render", "graph.yaml", "--format", "mermaid"), ("explain", "graph.yaml")):
            shown = self.graph(*words)
            self.assertEqual(shown.code, 0, shown)
            self.assertIn("slope", shown.out)
        listed = self.run_motet("graph", "primitives", "slope", "--primitives", "slope.so")
        self.assertIn("slope@1.0.0", listed.out, listed)

    def test_the_journal_names_the_code_and_a_capture_stays_plain_v3(self):
        self.assertEqual(self.run_graph("--journal-only", "--max-events", "4").code, 0)
        head = json.loads((self.dir / "c.json.journal").read_text().splitlines()[0])
        digest = hashlib.sha256((self.dir / "slope.so").read_bytes()).hexdigest()
        self.assertEqual(head["primitives"], f"sha256:{digest}")
        # Other code: a run does not go on with it, though it would come out the same.
        other = self.build("slope.c", "-O0", "-g", out="other.so")
        refused = self.run_graph("--resume", own=other)
        self.assertEqual(refused.code, 1, refused)
        self.assertIn("primitives", refused.err)
        self.assertEqual(self.run_graph("--resume").code, 0)
        capture = json.loads((self.dir / "c.json").read_text())
        self.assertNotIn("primitives", capture)
        # A replay asks what came out, not which bytes computed it.
        self.assertEqual(self.graph("replay", "c.json", "--graph", "graph.yaml", own=other).code, 0)

    def test_code_that_computes_otherwise_is_found_by_replay(self):
        self.assertEqual(self.run_graph().code, 0)
        wrong = self.build_text("(void)call; " + GIVES % "0.25")
        result = self.graph("replay", "c.json", "--graph", "graph.yaml", own=wrong)
        self.assertEqual(result.code, 1, result)
        self.assertIn("replay.effect_mismatch", result.out + result.err)

    def test_what_is_no_shared_object_of_primitives_is_refused_with_a_reason(self):
        self.refuses(3, "cannot read none.so: No such file", "none.so")
        self.write("text.so", "not code\n")
        self.refuses(1, "is not a whole shared object", "text.so")
        self.write("empty.so", "")
        self.refuses(1, "is not a whole shared object", "empty.so")
        whole = (self.dir / "slope.so").read_bytes()
        for part in (3, 4, 63, 64, 100, 1000, 3000, 10000):
            (self.dir / "cut.so").write_bytes(whole[:part])
            self.refuses(1, "is not a whole shared object", "cut.so")
        odd = bytearray(whole)
        odd[18] ^= 0xff  # the machine it is for
        (self.dir / "odd.so").write_bytes(odd)
        self.refuses(1, "cannot load odd.so", "odd.so")
        (self.dir / "d.so").mkdir()
        self.refuses(1, "is not a file", "d.so")
        os.mkfifo(self.dir / "pipe.so", 0o600)
        self.refuses(1, "is not a file", "pipe.so")
        self.write("plain.c", "int nothing = 1;\n")
        self.refuses(1, "MOTET_OWN_PRIMITIVES", self.build("plain.c"))
        self.write("lost.c", "int nowhere(void); int here(void); int here(void) { return nowhere(); }\n")
        self.refuses(1, "nowhere", self.build("lost.c"))

    def test_an_object_of_another_version_is_refused(self):
        self.write("old.c", "#include <motet.h>\nconst motet_own_library motet_own = {2, 1, 0};\n")
        self.refuses(3, "version 2 of the interface; this program has version 1", self.build("old.c"))
        for count in (0, 10001):
            self.write("n.c", f"#include <motet.h>\nconst motet_own_library motet_own = {{1, {count}, 0}};\n")
            self.refuses(1, f"has {count} primitives; 1 to 10000", self.build("n.c"))
        self.write("many.c", '#include <motet.h>\nstatic motet_own_primitive OWN[10000];\n'
                             'MOTET_OWN_PRIMITIVES(OWN);\n')
        result = self.graph("check", "graph.yaml", own=self.build("many.c"))
        self.assertEqual(result.code, 1)
        self.assertNotIn("primitives; 1 to", result.err)  # the count is taken, the manifests are none

    def test_manifests_are_held_to_the_rules_of_all_and_ids_are_nobodys(self):
        body = GIVES % 1
        for entries, words in (
                ('{"' + MANIFEST % "add" + '", run, 0}', "CMP-18"),
                (SLOPE + ", " + SLOPE, "CMP-18"),
                ('{"' + MANIFEST % "Slope" + '", run, 0}', "CMP-1"),
                ('{"' + (MANIFEST % "slope").replace("[{name: series, type: series}]", "[]") + '", run, 0}', "CMP-4"),
                ('{"' + (MANIFEST % "slope") + 'side_effects: true\\n", run, 0}', "CMP-8"),
                ('{"' + (MANIFEST % "slope") + 'state: {allowed: true}\\n", run, 0}', "CMP-9"),
                ('{"' + MANIFEST % "slope" + '", 0, 0}', "manifest.decode"),
                ('{"kind: nothing\\n", run, 0}', "X.1"),
                ("{0, run, 0}", "manifest.decode")):
            result = self.graph("check", "graph.yaml", own=self.build_text(
                body if "run" in entries else "(void)call; return true;", entries,
                *(() if "run" in entries else ("-Wno-unused-function",))))
            self.assertEqual(result.code, 1, result)
            self.assertIn(words, result.err, entries)
            self.assertIn("x.so[", result.err)
        # Two files are one set of names.
        twice = self.graph("check", "graph.yaml", "--primitives", self.build_text(body))
        self.assertIn("CMP-18", twice.err)

    def test_code_that_others_can_write_does_not_run(self):
        marker = self.dir / "ran"
        self.write("x.c", (SOURCE_OF % (GIVES % 1, SLOPE)) + f"""
#include <fcntl.h>
__attribute__((constructor)) static void first(void) {{ (void)!creat("{marker}", 0600); }}
""")
        own = self.build("x.c")
        for mode, ok in ((0o755, True), (0o555, True), (0o775, False), (0o757, False), (0o700, True)):
            os.chmod(self.dir / own, mode)
            marker.unlink(missing_ok=True)
            if ok:
                self.assertEqual(self.graph("check", "graph.yaml", own=own).code, 0)
            else:
                self.refuses(3, "others than its owner may write", own)
            self.assertEqual(marker.exists(), ok, oct(mode))
        if os.geteuid() == 0:
            marker.unlink()
            os.chown(self.dir / own, 4242, -1)
            self.refuses(3, "belongs to user 4242", own)
            self.assertFalse(marker.exists())

    def test_what_a_primitive_gives_is_checked_and_it_cannot_bend_the_arithmetic(self):
        for body, words in ((GIVES % "1e308 * 10", "NUM-FINITE-1"),
                            ("(void)call; return true;", ""),
                            ("motet_call_error(call, \"TooShort\"); return false;", "TooShort"),
                            ("(void)call; return false;", "the primitive refused"),
                            ("fesetround(FE_UPWARD); " + GIVES % 1, "rounding of the processor"),
                            ("motet_call_output(call, 0, (motet_value){.type = MOTET_BOOL}); return true;", "")):
            result = self.run_graph("--json", "--overwrite", own=self.build_text(body, SLOPE, "-lm"))
            self.assertEqual(result.code, 0, result)
            first = json.loads(result.out.splitlines()[0])
            self.assertIn("Failed", first["termination"], body)
            self.assertIn(words, first["fault"])
        # Built for speed alone, its constructor would make small numbers zero in the whole program.
        self.write("graph.yaml", (self.dir / "graph.yaml").read_text().replace("value: 0.5", "value: 0.0"))
        result = self.run_graph("--json", "--overwrite", own=self.build_text(GIVES % "1e-310", SLOPE, "-Ofast"))
        self.assertIn('{"key":"alarm","value":{"Number":1e-310}}', result.out.splitlines()[0])

    def test_a_text_that_is_not_utf8_ends_the_pass_and_not_the_capture(self):
        self.write("graph.yaml", "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n  t: {impl: word@*}\n"
                   "  yes: {impl: const_bool@*, params: {value: true}}\n  each: {impl: emit_if_true@*}\n"
                   "  keep: {impl: context_set_string@*, params: {key: word}}\n"
                   "edges: [yes.value -> each.input, each.event -> keep.event, t.value -> keep.value]\n")
        self.write("adapter.yaml", "kind: adapter\nid: a\nversion: 1.0.0\nruntime_compatibility: 0.1.0\n"
                   "context_keys: [{name: word, type: String, required: false, writable: true}]\n"
                   "event_kinds: [{name: reading, payload_schema: {type: object, properties: {reading: {type: number}, "
                   "word: {type: string}}, additionalProperties: false}}]\n"
                   "accepts: {effects: [{name: set_context, payload_schema: {type: object, additionalProperties: false}}]}\n"
                   "capture: {format_version: \"1\", fields: [event.reading]}\n")
        gives = "motet_call_output(call, 0, (motet_value){.type = MOTET_STRING, .text = %s, .len = 3}); return true;"
        entry = '{"kind: source\\nid: word\\nversion: 1.0.0\\noutputs: [{name: value, type: string}]\\n", run, 0}'
        for body, words in ((gives % r'"ab\xff"', "not UTF-8"), (gives % r'"\xed\xa0\x80"', "not UTF-8"), (gives % '"abc"', None),
                            (r'motet_call_error(call, "\xff"); return false;', "not UTF-8")):
            result = self.run_graph("--json", "--overwrite", own=self.build_text(body, entry))
            self.assertEqual(result.code, 0, result)
            first = json.loads(result.out_bytes.splitlines()[0])
            self.assertIn(words or "", first.get("fault", ""), body)
            self.assertEqual("fault" in first, words is not None, body)
            replayed = self.graph("replay", "c.json", "--graph", "graph.yaml", own="x.so")
            self.assertEqual(replayed.code, 0, replayed)

    def test_a_server_runs_it_and_the_ledger_says_which_code(self):
        self.write("serve.yaml", "graphs:\n  rising: {graph: graph.yaml, adapter: adapter.yaml, primitives: [slope.so]}\n")
        check = self.run_motet("serve", "--config", "serve.yaml", "--check-config")
        self.assertEqual(check.code, 0, check)
        digest = "sha256:" + hashlib.sha256((self.dir / "slope.so").read_bytes()).hexdigest()
        with Server(self.dir, options=("--config", "serve.yaml")) as server:
            # What runs is what was read: overwriting the file in place harms nobody.
            (self.dir / "slope.so").write_bytes(b"x" * (self.dir / "slope.so").stat().st_size)
            for i, line in enumerate((self.dir / "readings.jsonl").read_text().splitlines()):
                answer = server.post("/v1/graphs/rising/events",
                                     {"id": f"e{i}", "semantic_kind": "reading", "payload": json.loads(line)})
                self.assertEqual(answer.status, 200, answer)
            self.assertEqual(server.get("/v1/graphs").json["items"][0]["primitives"], digest)
            context = server.get("/v1/graphs/rising/context").json["context"]
            self.assertEqual(context["alarm"], {"Number": 0.8200000000000003})
            capture = server.get("/v1/graphs/rising/captures").json["items"][0]["id"]
            self.write("c.json", server.get(f"/v1/graphs/rising/captures/{capture}").body)
        self.build("slope.c")
        replayed = self.graph("replay", "c.json", "--graph", "graph.yaml")
        self.assertEqual(replayed.code, 0, replayed)
        ledger = self.run_motet("ledger", "export", "--store", "sqlite:serve.db", "--out", "l.jsonl")
        self.assertEqual(ledger.code, 0, ledger)
        self.assertEqual((self.dir / "l.jsonl").read_text().count(digest), 10)
        checked = self.run_motet("store", "check", "--store", "sqlite:serve.db")
        self.assertEqual(checked.code, 0, checked)
        # Other code under the same graph begins a capture of its own.
        self.build("slope.c", "-O0", "-g")
        with Server(self.dir, options=("--config", "serve.yaml")) as server:
            server.post("/v1/graphs/rising/events", {"id": "late", "semantic_kind": "reading", "payload": {"reading": 1}})
            self.assertEqual(len(server.get("/v1/graphs/rising/captures").json["items"]), 2)

    def test_a_server_does_not_start_with_code_that_cannot_be_trusted(self):
        self.write("serve.yaml", "graphs:\n  rising: {graph: graph.yaml, adapter: adapter.yaml, primitives: [slope.so]}\n")
        os.chmod(self.dir / "slope.so", 0o777)
        for more in (("--check-config",), ("--store", "sqlite:s.db", "--listen", "127.0.0.1:0")):
            result = self.run_motet("serve", "--config", "serve.yaml", *more)
            self.assertNotEqual(result.code, 0)
            self.assertIn("others than its owner may write slope.so", result.err + result.out)
        many = ", ".join(["slope.so"] * 101)
        self.write("serve.yaml", "graphs:\n  rising: {graph: graph.yaml, adapter: adapter.yaml, primitives: [%s]}\n" % many)
        result = self.run_motet("serve", "--config", "serve.yaml", "--check-config")
        self.assertIn("primitives", result.err + result.out)
        self.assertIn("100", result.err + result.out)

    def test_a_program_runs_the_graph_itself(self):
        library = MOTET.parents[1] / "api"
        if not (library / "libmotet.so").exists():
            self.assertTrue(SANITIZED, "libmotet.so is missing")  # is not built with sanitizers
            return
        self.cc("-o", "host", "host.c", "-L", library, "-lmotet")
        done = subprocess.run([str(self.dir / "host"), "graph.yaml", "adapter.yaml", "slope.so"], cwd=self.dir,
                              env={**os.environ, "LD_LIBRARY_PATH": str(library)}, capture_output=True, text=True,
                              input=(self.dir / "readings.jsonl").read_text(), check=False)
        self.assertEqual(done.stdout.splitlines(), ["reading 8 rises by 0.85", "reading 9 rises by 1.03",
                                                    "reading 10 rises by 0.82", "10 events replayed"], done.stderr)
        replayed = self.graph("replay", "capture.json", "--graph", "graph.yaml")
        self.assertEqual(replayed.code, 0, replayed)


main()
