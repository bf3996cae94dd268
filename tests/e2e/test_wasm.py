"""The engine in WebAssembly says what the native one says, byte for byte; and its JavaScript."""
import functools
import gzip
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from harness import MOTET, SANITIZED, SOAK, SOURCE, Case, main
from serve import ESCROW, Server

sys.path.insert(0, str(SOURCE / "tests" / "wasm"))
import cases  # noqa: E402

WASM, SDK, NPM = SOURCE / "build-wasm", SOURCE / "sdk" / "js", SOURCE / "tests" / "npm"
SEED = int(os.environ.get("MOTET_SEED", "17"))
RANDOM = 5000 if SOAK else 200
EVALUATIONS = 1000000 if SOAK else 20000
MODULES = {"motet.wasm": 450_000, "motet-graph.wasm": 450_000, "motet-all.wasm": 710_000}  # bytes, gzipped, at most
PATIENCE = 120  # seconds for one session on a busy machine


def call(*words, **named):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **named)
    if done.returncode:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


class Served(http.server.SimpleHTTPRequestHandler):
    """The package, the walk and the cases; nothing else."""
    extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html",
                      ".wasm": "application/wasm", ".json": "application/json"}

    def translate_path(self, path):
        name = pathlib.PurePosixPath(path.split("?")[0]).name
        folder = {"/dist": SDK / "dist", "/wasm": SOURCE / "tests" / "wasm"}.get(str(pathlib.PurePosixPath(path).parent))
        return str((folder or pathlib.Path(self.directory)) / name)

    def log_message(self, *_):
        pass


class Passing(Served):
    """The same, and a server behind it: what a page may ask is on its own origin."""

    def do_GET(self):
        if self.path.startswith("/away/"):
            self.send_response(302)
            self.send_header("Location", "/v1/health")
            self.end_headers()
        elif self.path.startswith("/slow/"):
            time.sleep(1)
        elif self.path.startswith(("/v1/", "/health")):
            self.do_POST()
        else:
            super().do_GET()

    def do_POST(self):
        behind = http.client.HTTPConnection("127.0.0.1", self.server.behind)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        behind.request(self.command, self.path, body, {name: self.headers[name] for name in (
            "Accept", "Content-Type", "Idempotency-Key", "Last-Event-ID") if name in self.headers})
        answer = behind.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.end_headers()
        try:
            while piece := answer.read1():
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass  # the page has enough
        behind.close()


CLIENT_PAGE = """<!doctype html><meta charset="utf-8"><script type="module">
  import { Client } from "/dist/client.js";
  const client = new Client(location.origin);
  const told = async (work) => { try { return await work; } catch (fault) { return [fault.name, fault.kind, fault.attempts]; } };
  window.walked = async () => {
    const made = await client.createInstance("escrow", "EscrowAccount", { id: "acc-1" });
    const events = [];
    for await (const event of client.events({ from: 0 })) { events.push(event.id); break; }
    const far = (path, more) => new Client(location.origin + path, { attempts: 1, ...more });
    return [made.state, events, await told(client.getInstance("escrow", "EscrowAccount", "nobody")),
      await told(far("/away").health()), await told(far("/slow", { timeout: 200 }).health())];
  };
</script>"""


class Wasm(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if SANITIZED:
            return
        call(SOURCE / "tools" / "wasm")
        call("node", NPM / "node_modules" / "typescript" / "bin" / "tsc", "-p", SDK)
        for module in MODULES:
            shutil.copy(WASM / module, SDK / "dist")

    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("the modules are compared with a release build")

    def node(self, script, *words):
        path = self.write("run.mjs", f'import * as motet from "{(SDK / "dist/index.js").as_uri()}";\n{script}')
        return call("node", "--expose-gc", path, *words)

    def native(self, asked):
        """What the library says, where no solver can be loaded: so it is in the modules."""
        self.write("broken/libz3.so.4", "not a library")
        self.write("cases.json", json.dumps(asked))
        call(sys.executable, SOURCE / "tests/wasm/native.py", self.dir / "cases.json", self.dir / "native.json",
             env={**os.environ, "MOTET": str(MOTET), "LD_LIBRARY_PATH": str(self.dir / "broken")})
        return json.loads((self.dir / "native.json").read_text())

    def compare(self, asked, native, wasm):
        self.assertEqual(len(native), len(wasm))
        for case, ours, theirs in zip(asked, native, wasm):
            if ours != theirs:
                self.fail(f"{case['op']} {case['about']} (MOTET_SEED={SEED})\nnative {ours[:3000]}\nwasm   {theirs[:3000]}")

    def test_wasm_and_native_print_the_same_bytes_in_node_and_chromium(self):
        asked = cases.everything(SEED, RANDOM)
        native = self.native(asked)
        self.assertGreater(sum(said.startswith("0\n") for said in native), len(native) // 4)
        call("node", SOURCE / "tests/wasm/node.mjs", SDK / "dist/index.js", self.dir / "cases.json", self.dir / "node.json")
        self.compare(asked, native, json.loads((self.dir / "node.json").read_text()))
        self.compare(asked, [hashlib.sha256(said.encode()).hexdigest() for said in native], self.chromium())

    def test_the_client_works_in_chromium(self):
        self.write("page.html", CLIENT_PAGE)
        with Server(self.dir, ESCROW) as behind:
            said = self.chromium(Passing, int(behind.url.rpartition(":")[2]))
        self.assertEqual(said, ["held", [0], ["Problem", "unknown_instance", 1], ["Redirected", "redirected", 1],
                                ["TimedOut", "timeout", 1]])

    def chromium(self, kind=Served, behind=0):
        if kind is Served:
            shutil.copy(SOURCE / "tests/wasm/page.html", self.dir)
        handler = functools.partial(kind, directory=str(self.dir))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.behind = behind
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            call("node", NPM / "browser" / "walk.mjs", shutil.which("chromium"),
                 f"http://127.0.0.1:{server.server_address[1]}/page.html", self.dir / "profile", self.dir / "page.json",
                 env={**os.environ, "HOME": str(self.dir)}, timeout=600)
        finally:
            server.shutdown()
            server.server_close()
        return json.loads((self.dir / "page.json").read_text())

    def test_a_module_is_small_enough_to_be_fetched(self):
        for module, most in MODULES.items():
            with self.subTest(module):
                self.assertLessEqual(len(gzip.compress((WASM / module).read_bytes(), 9)), most)

    def test_the_language_server_in_node_sends_the_same_bytes_as_motet_lsp(self):
        call("node", SOURCE / "tests/wasm/language.mjs", SDK / "dist/index.js", self.dir / "sessions.json")
        self.write("broken/libz3.so.4", "not a library")
        sessions = json.loads((self.dir / "sessions.json").read_text())
        self.assertGreater(sum(map(len, sessions)), 5000)
        for session in sessions:
            self.play_natively(session, {**os.environ, "LD_LIBRARY_PATH": str(self.dir / "broken")})

    def play_natively(self, session, env):
        """Each message, and then as many as the module answered; one too many is seen at the next."""
        about = "\n".join(message[:300] for message, _ in session[:3])
        with subprocess.Popen([str(MOTET), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as native:
            late = threading.Timer(PATIENCE, native.kill)
            late.start()
            try:
                for message, wasm in session:
                    body = message.encode()
                    native.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                    native.stdin.flush()
                    said = [self.take(native.stdout) for _ in wasm]
                    if list(map(cases.solver, said)) != list(map(cases.solver, wasm)):
                        self.fail(f"{about}\n{message[:3000]}\nnative {said}\nwasm   {wasm}"[:20000])
                self.assertEqual(native.stdout.read(), b"", about)
                self.assertEqual(native.wait(30), 0)
            finally:
                late.cancel()
                native.kill()

    def take(self, pipe):
        """The next message, as text."""
        head = pipe.readline()
        if not head.startswith(b"Content-Length: ") or pipe.readline() != b"\r\n":
            return f"not a message: {head!r}"
        return pipe.read(int(head[16:])).decode()

    def test_memory_stays_flat_over_evaluations_contracts_and_refusals(self):
        facts = (SOURCE / "tests/data/escrow.facts.json").read_text()
        source = (SOURCE / "examples/escrow/escrow.tenor").read_text()
        said = json.loads(self.node("""
            const [source, facts, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
            const engine = await motet.load();
            const contract = engine.contract({ "escrow.tenor": source });
            const round = (n) => {
              for (let i = 0; i < n; i++) contract.evaluateText(facts);
              for (let i = 0; i < n / 100; i++) {
                engine.contract({ "a.tenor": source }).free();
                try { contract.evaluate({}); } catch {}
                try { engine.contract("fact"); } catch {}
                contract.actions("buyer", { facts });
              }
            };
            round(2000);
            const before = engine.memory;
            round(count);
            console.log(JSON.stringify([before, engine.memory]));""", source, facts, EVALUATIONS))
        self.assertEqual(said[0], said[1])

    def test_what_is_forgotten_is_freed(self):
        source = (SOURCE / "examples/escrow/escrow.tenor").read_text()
        said = json.loads(self.node("""
            const engine = await motet.load();
            const round = async (n) => {
              for (let i = 0; i < n; i++) {
                const contract = engine.contract({ "a.tenor": process.argv[2] });
                contract.facts('{"delivery_status":"confirmed","line_items":[],"escrow_amount":{"amount":"1.00","currency":"USD"},' +
                  '"compliance_threshold":{"amount":"1.00","currency":"USD"},"buyer_requested_refund":false}');
                if (i % 20 === 0) { globalThis.gc(); await new Promise((done) => setTimeout(done, 0)); }
              }
            };
            await round(200);
            const before = engine.memory;
            await round(600);
            console.log(JSON.stringify([before, engine.memory]));""", source))
        self.assertLessEqual(said[1], said[0] * 1.5, said)

    def test_handles_are_freed_by_free_and_dispose_and_say_so(self):
        said = self.node("""
            const engine = await motet.load();
            const contract = engine.contract("persona p\\nfact f { type: Bool source: \\"a\\" default: true }\\n" +
              "rule r { stratum: 0 when: f = true produce: v(true) }");
            const facts = contract.facts();
            contract[Symbol.dispose]();
            contract.free();                       // twice does no harm
            console.log(facts.has("v"), facts.has("w"), facts.verdictsText().length > 10);
            facts.free();
            for (const late of [() => contract.bundle, () => facts.verdictsText()]) {
              try { late(); } catch (fault) { console.log(fault.name, fault.kind); }
            }""")
        self.assertEqual(said.split("\n"), ["true false true", "EngineError freed", "EngineError freed", ""])

    def test_bad_input_is_a_typed_error_with_kind_path_and_message(self):
        said = self.node("""
            const engine = await motet.load(), graphs = await motet.loadGraphs();
            const contract = engine.contract("persona p\\nfact n { type: Int(min: 0, max: 9) source: \\"a\\" }\\n" +
              "rule r { stratum: 0 when: n > 3 produce: v(true) }");
            const tries = {
              source: () => engine.contract({ "x.tenor": "fact" }),
              none: () => engine.contract({}),
              number: () => engine.contract({ "x.tenor": 7 }),
              zeros: () => engine.contract("persona p\\0q"),
              surrogate: () => engine.contract("persona \\ud800"),
              bundle: () => engine.contract('{"kind":"Bundle"}'),
              missing: () => contract.evaluate({}),
              mismatch: () => contract.evaluate({ n: "x" }),
              range: () => contract.evaluate({ n: 10 }),
              json: () => contract.evaluate('{"n":'),
              strict: () => contract.evaluate({ n: 1, m: 2 }, true),
              command: () => contract.ask("nothing"),
              option: () => contract.ask("eval", { fact: {} }),
              persona: () => contract.actions("nobody", { facts: { n: 1 } }),
              flow: () => contract.run().start("f", "p", contract.facts({ n: 1 })),
              solver: () => { const said = contract.ask("ask", { question: "when is v" });
                              throw new motet.EngineError(said.text, "answered"); },
              ledger: () => engine.verifyLedger("{", { keys: ["zz"] }),
              receipt: () => engine.verifyReceipt("{", { keys: [] }),
              graph: () => graphs.graph("nodes: ["),
              agent: () => graphs.agent("{", "a.json"),
              manifest: () => graphs.primitives().add("id: [") };
            for (const [name, run] of Object.entries(tries)) {
              try { run(); console.log(name, "passed"); } catch (fault) {
                console.log(name, fault instanceof motet.EngineError, fault.kind !== "", fault.message !== "", fault.kind, fault.path);
              }
            }
            console.log(engine.core.broken ?? "whole", graphs.core.broken ?? "whole");""")
        lines = said.strip().split("\n")
        self.assertEqual(lines[-1], "whole whole")
        told = {line.split(" ")[0]: line.split(" ") for line in lines[:-1]}
        self.assertEqual([name for name, words in told.items() if words[1:4] != ["true"] * 3], [], said)
        for name, kind, path in (("missing", "missing_fact", "n"), ("mismatch", "type_mismatch", "n"),
                                 ("none", "usage", ""), ("solver", "answered", "")):
            with self.subTest(name):
                self.assertEqual(told[name][4:6], [kind, path], said)

    def test_questions_that_need_the_solver_say_so(self):
        said = self.node("""
            const engine = await motet.load();
            const contract = engine.contract("persona p\\nfact n { type: Int(min: 0, max: 9) source: \\"a\\" }\\n" +
              "rule r { stratum: 0 when: n > 3 produce: v(true) }");
            const { text, code } = contract.ask("ask", { question: "when is v" });
            console.log(code, text);""")
        self.assertIn("the solver Z3 is not in WebAssembly", said)
        self.assertTrue(said.startswith("1 "), said)

    def test_a_host_applies_refuses_chooses_and_throws(self):
        said = self.node("""
            const engine = await motet.load();
            const contract = engine.contract(`persona p
              entity E { states: [a, b] initial: a transitions: [(a, b)] }
              operation go { personas: [p] require: true effects: [(E, a, b)] }
              flow f { snapshot: at_initiation entry: s steps: {
                s: OperationStep { op: go persona: p outcomes: { success: Terminal(success) }
                                   on_failure: Terminate(outcome: failure) } } }`);
            const facts = contract.facts();
            const run = contract.run();
            const seen = [];
            run.start("f", "p", facts, { host: { apply: (changes) => { seen.push(...changes); return true; } } });
            console.log(run.finish(), JSON.stringify(seen));
            run.start("f", "p", facts, { host: { mayAct: () => false } });
            console.log(run.step());
            run.start("f", "p", facts, { host: { apply: () => false } });
            console.log(run.finish(), run.result.flow_outcome);
            run.start("f", "p", facts, { host: { apply: () => { throw new TypeError("mine"); } } });
            try { run.step(); } catch (fault) { console.log(fault.name, fault.message); }
            console.log(contract.flow("f", "p").flow_outcome);""")
        self.assertEqual(said.split("\n")[:2], [
            'done [{"entity":"E","instance":"_default","from":"a","to":"b"}]', "waiting"])
        self.assertEqual(said.split("\n")[2:], ["done failure", "TypeError mine", "success", ""], said)

    def test_what_is_of_others_freed_or_cut_is_refused(self):
        """Addresses of another engine, facts that were freed, a run that its host frees, facts that go on as
        options, half characters: each would be read as something else."""
        said = self.node("""
            const engine = await motet.load(), other = await motet.load();
            const source = `persona p
              fact n { type: Int(0, 9) source: "a" default: 1 }
              fact t { type: Text(max_length: 9) source: "b" default: "" }
              entity E { states: [a, b] initial: a transitions: [(a, b)] }
              rule r { stratum: 0 when: n > 3 and t != "x" produce: v(true) }
              operation go { personas: [p] require: true effects: [(E, a, b)] }
              flow f { snapshot: at_initiation entry: s steps: {
                s: OperationStep { op: go persona: p outcomes: { success: Terminal(success) }
                                   on_failure: Terminate(outcome: failure) } } }`;
            const contract = engine.contract(source), elsewhere = other.contract(source);
            const told = (run) => { try { return run(); } catch (fault) { return `${fault.kind}: ${fault.message}`; } };
            console.log(told(() => contract.run().start("f", "p", elsewhere.facts())));
            console.log(told(() => engine.diffText(contract, elsewhere).text));
            const facts = contract.facts(), run = contract.run().start("f", "p", facts);
            run.finish();
            facts.free();
            console.log(told(() => run.result), "|", told(() => run.position));
            const again = contract.run(), lent = contract.facts();
            again.start("f", "p", lent, { host: { apply: () => { again.free(); lent.free(); contract.facts({ n: 9 }); return true; } } });
            console.log(told(() => again.step()), "|", told(() => again.step()));
            const states = '{"n":1},"states":{"E":{"_default":"b"}}';
            console.log(told(() => contract.operation("go", "p", { facts: states }).outcome));
            console.log(told(() => contract.evaluateText('{"t":"\\ud800"}')), "|", told(() => contract.run().start("\\udfff", "p", contract.facts())));
            console.log(contract.operation("go", "p", { facts: '{"n":1}' }).outcome, engine.core.broken ?? "whole");""")
        freed, utf = "freed: it was freed", "usage: the text is not valid Unicode"
        self.assertEqual(said.splitlines(), [
            "usage: it is of another engine", "usage: it is of another engine", f"{freed} | {freed}", f"done | {freed}",
            said.splitlines()[4], f"{utf} | {utf}", "success whole"])
        self.assertRegex(said.splitlines()[4], "^syntax: the facts are not JSON: ")

    def test_engines_load_where_crypto_is_not_global(self):
        """As in Node 18."""
        said = self.node("""
            Object.defineProperty(globalThis, "crypto", { value: undefined });
            console.log((await motet.load()).contract("persona p").ok, (await motet.loadGraphs()).version !== "");""")
        self.assertEqual(said, "true true\n")

    def test_readme_examples_run(self):
        text = (SDK / "README.md").read_text()
        blocks = [b.split("```")[0] for b in text.split("```js\n")[1:]]
        self.assertGreater(len(blocks), 1)
        script = "\n".join(b.replace('from "motet"', f'from "{(SDK / "dist/index.js").as_uri()}"') for b in blocks if "motet/client" not in b)
        call("node", self.write("readme.mjs", script), cwd=SOURCE)

    def test_the_package_packs_and_installs_without_a_network(self):
        call("npm", "pack", "--ignore-scripts", "--pack-destination", self.dir, cwd=SDK, env={**os.environ, "HOME": str(self.dir)})
        self.write("app/package.json", '{"name":"app","type":"module"}')
        call("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", self.dir / "motet-0.1.0.tgz",
             cwd=self.dir / "app", env={**os.environ, "HOME": str(self.dir)})
        self.write("app/a.mjs", 'import { load } from "motet";\nconsole.log((await load()).contract("persona p").ok);\n')
        self.assertEqual(call("node", self.dir / "app/a.mjs"), "true\n")


main()
