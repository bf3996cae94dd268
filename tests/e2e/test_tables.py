"""What commands print for people: tables that fit, and words that say what happened (FU21)."""
import json
import os
import pty
import re
import subprocess

from harness import MOTET, SOURCE, Case, main
from serve import ESCROW, FACTS, Server

C = "/v1/contracts/escrow"
BOUND = ("--bind", "EscrowAccount=acc-1", "--bind", "DeliveryRecord=del-1")
LONG = "acc-" + "long-" * 30 + "ü" * 20
STATES = """
persona clerk
fact ok {{ type: Bool source: "desk.ok" }}
entity Doc {{ states: [{states}] initial: draft transitions: [{moves}] }}
rule r {{ stratum: 0 when: ok = true produce: fine(true) }}
operation send {{ allowed_personas: [clerk] precondition: fine present effects: [(Doc, draft, {to})] }}
flow go {{ snapshot: at_initiation entry: a steps: {{ a: OperationStep {{ op: send persona: clerk
  outcomes: {{ success: Terminal(success) }} on_failure: Terminate(outcome: failure) }} }} }}
"""


class Served(Case):
    def setUp(self):
        super().setUp()
        self.server = Server(self.dir, ESCROW)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.env = {"MOTET_SERVER": self.server.url}

    def motet(self, *words, columns=None, code=0):
        env = {**self.env, **({"COLUMNS": str(columns)} if columns else {})}
        result = self.run_motet(*words, env=env)
        self.assertEqual(result.code, code, repr(result))
        return result

    def fits(self, text, width):
        for line in text.splitlines():
            self.assertLessEqual(len(line), width, line)
            self.assertEqual(line, line.rstrip())

    def walk(self):
        for entity, id in (("EscrowAccount", "acc-1"), ("EscrowAccount", LONG), ("DeliveryRecord", "del-1")):
            self.motet("instance", "create", "escrow", entity, id)
        facts = self.write("facts.json", json.dumps(FACTS))
        return json.loads(self.motet("flow", "start", "escrow", "standard_release", "--persona", "escrow_agent", *BOUND,
                                     "--facts", facts, "--json").out)["id"]


class Lists(Served):
    def test_nothing_a_terminal_would_obey_is_printed(self):
        """C1 controls (U+009B begins a sequence), DEL, and marks that turn the direction of text."""
        evil = "a\u009b31mb\u202ecf\u2066g\u2028h\ufeffi"
        answer = self.server.post(f"{C}/instances/EscrowAccount", {"id": evil})
        self.assertEqual(answer.status, 201, answer)
        self.server.post(f"{C}/operations/release_escrow", {
            "persona": "buyer\u009b", "facts": FACTS, "bindings": {"EscrowAccount": evil}})
        store = ("--store", "sqlite:serve.db")
        self.holds("ledger", "export", *store, "--with-contracts", "--out", "l")
        for words in (("instance", "list", "escrow"), ("ledger", "show", *store), ("audit", "l"),
                      ("ledger", "show", *store, "2"), ("ledger", "show", *store, "2", "--explain")):
            with self.subTest(words):
                said = self.motet(*words).out
                self.assertEqual(re.findall("[^\n -~\u00a0-\u2027\u202f-\u2065\u206a-\ufefe]", said), [])
                self.assertIn("31mb", said)

    def test_FU21_lists_are_tables_that_fit_and_lose_nothing(self):
        flow = self.walk()
        lists = {("instance", "list", "escrow"): ("EscrowAccount", "acc-1", "released", "del-1"),
                 ("flow", "list"): (flow, "standard_release", "done", "success")}
        for words, wanted in lists.items():
            written = set()
            for columns in (None, 100, 80, 60):
                with self.subTest(f"{words} {columns}"):
                    text = self.motet(*words, columns=columns).out
                    self.fits(text, columns or 100)
                    for word in wanted if columns in (None, 100) else ():
                        self.assertIn(word, text)
                    written.add("".join(sorted(text.replace(" ", "").replace("\n", ""))))
            self.assertEqual(len(written), 1, "every character stands there at every width")
            rows = json.loads(self.motet(*words, "--json").out)["items"]
            self.assertGreaterEqual(len(rows), 1)
        self.assertIn(flow, self.motet("flow", "list", columns=80).out, "ids stay whole, to be copied")

    def test_FU21_empty_lists_and_further_pages_are_told(self):
        self.assertEqual(self.motet("flow", "list").out, "no flow executions\n")
        self.assertEqual(self.motet("instance", "list", "escrow").out, "no instances\n")
        self.walk()
        text = self.motet("instance", "list", "escrow", "--rows", "1").out
        after = re.search(r"^more: --after '(.*)'$", text, re.M).group(1)
        self.assertIn("acc-1", self.motet("instance", "list", "escrow", "--rows", "1", "--after", after).out)

    def test_FU21_on_a_terminal_its_width_is_used(self):
        self.walk()
        for columns in (70, 120):
            mine, its = pty.openpty()
            import fcntl
            import struct
            import termios
            fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            done = subprocess.run([str(MOTET), "instance", "list", "escrow"], stdout=its, cwd=self.dir,
                                  env={**os.environ, **self.env}, timeout=60)
            os.close(its)
            text = os.read(mine, 65536).decode().replace("\r\n", "\n")
            os.close(mine)
            self.assertEqual(done.returncode, 0)
            self.fits(text, columns)
            self.assertGreater(max(map(len, text.splitlines())), columns - 12)

    def test_FU21_a_name_cannot_speak_to_the_terminal(self):
        self.server.stop()
        evil = "\x1b[31mred\x07"
        self.holds("token", "create", "--store", "sqlite:serve.db", "--name", evil, "--right", "admin")
        text = self.holds("token", "list", "--store", "sqlite:serve.db").out
        self.assertNotIn("\x1b", text)
        self.assertIn("[31mred", text)

    def test_FU21_token_list_fits_and_shows_when_it_ends(self):
        self.server.stop()
        store = ("--store", "sqlite:serve.db")
        rights = [word for i in range(12) for word in ("--right", f"facts:fact_number_{i}")]
        self.holds("token", "create", *store, "--name", "many", *rights, "--persona", "buyer", "--expires", "90d")
        for columns in ("100", "80"):
            text = self.holds("token", "list", *store, env={"COLUMNS": columns}).out
            self.fits(text, int(columns))
            self.assertIn("EXPIRES", text)
            self.assertIn("facts:fact_number_11", text)
        self.assertIn("tokens", json.loads(self.holds("token", "list", *store, "--json").out))


class Ledger(Served):
    def test_FU21_ledger_show_is_a_table_and_one_record_is_explained(self):
        self.walk()
        self.server.stop()
        store = ("--store", "sqlite:serve.db")
        for columns in ("100", "80"):
            text = self.holds("ledger", "show", *store, env={"COLUMNS": columns}).out
            self.fits(text, int(columns))
        self.assertIn("release_escrow", text)
        records = [json.loads(line) for line in self.holds("ledger", "show", *store, "--json").out.splitlines()]
        number = next(r["seq"] for r in records if r["body"]["kind"] == "operation"
                      and r["body"]["provenance"]["op"] == "release_escrow")
        told = self.holds("ledger", "show", str(number), "--explain", *store).out
        for words in (f"record {number}, ", "release_escrow: EscrowAccount acc-1 held -> released (released)",
                      "by escrow_agent", "because", "verdict release_approved was present"):
            self.assertIn(words, told)
        started = next(r["seq"] for r in records if r["body"]["kind"] == "flow_started")
        told = self.holds("ledger", "show", str(started), "--explain", *store).out
        self.assertIn("fact escrow_amount was 5000.00 USD, given with the call", told)
        self.assertIn("fact compliance_threshold was 10000.00 USD, the contract's default", told)
        self.holds("ledger", "export", "--out", "l.jsonl", *store)
        self.assertEqual(self.holds("ledger", "show", "l.jsonl", str(started), "--explain").out, told)
        missing = self.fails(1, "ledger", "show", "l.jsonl", "999", "--explain")
        self.assertIn("no record 999", missing.err)


    def test_FU21_a_refusal_is_told_in_words(self):
        """An operation, a flow and a resumption that were refused: what, by whom, why."""
        self.walk()
        ask = {"persona": "escrow_agent", "facts": {**FACTS, "delivery_status": "pending"},
               "bindings": {"EscrowAccount": LONG, "DeliveryRecord": "del-1"}}
        refused = self.server.post(f"{C}/operations/release_escrow", ask)
        self.assertEqual(refused.status, 422, refused)
        other = self.server.post(f"{C}/flows/standard_release", {**ask, "persona": "nobody"})
        self.assertEqual(other.status, 422, other)
        self.server.stop()
        store = ("--store", "sqlite:serve.db")
        for columns in ("100", "80"):
            text = self.holds("ledger", "show", *store, "--kind", "refusal", env={"COLUMNS": columns}).out
            self.fits(text, int(columns))
            for words in ("release_escrow:", "standard_release:", "refused,", "precondition_failed", "unknown_persona"):
                self.assertIn(words, text)
            self.assertNotIn('"', text, "no JSON")
        told = self.holds("ledger", "show", str(refused.json["record"]), "--explain", *store).out
        for words in (f"record {refused.json['record']}, ", ": refusal, contract escrow (version ", "by escrow_agent",
                      "release_escrow: refused, precondition_failed", "because\n",
                      "verdict_present(release_approved) did not hold, which rests on delivery_status\n"):
            self.assertIn(words, told)
        self.assertNotIn("{", told)
        told = self.holds("ledger", "show", str(other.json["record"]), "--explain", *store).out
        self.assertIn("standard_release: refused, ", told)
        self.assertIn("by nobody", told)
        self.assertNotIn("the record gives no reason", told)


class Deployed(Served):
    def version(self, **changes):
        text = ESCROW.read_text()
        for old, new in changes.values():
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write("v2.tenor", text)

    def test_FU17_a_dry_run_says_what_it_would_do(self):
        path = self.version(initial=("initial: held", "initial: disputed"))
        text = self.motet("deploy", path, "--dry-run").out
        self.assertIn("would add the contract 'v2', which is not served yet; nothing was changed", text)
        self.assertIn("--contract ID", text)
        self.assertNotIn("v2", str(self.server.get("/v1/contracts").json))
        text = self.motet("deploy", path, "--contract", "escrow", "--dry-run", "--policy", "blue_green").out
        self.assertIn("would deploy a new version of 'escrow'", text)
        self.assertIn("held -> disputed", text)
        self.fits(text, 100)
        self.assertEqual(len(self.server.get(f"{C}/versions").json["items"]), 1)

    def test_FU17_a_refusal_for_want_of_a_policy_shows_the_difference(self):
        path = self.version(initial=("initial: held", "initial: disputed"))
        result = self.motet("deploy", path, "--contract", "escrow", code=1)
        self.assertIn("migration_policy_required", result.err)
        self.assertRegex(result.out, r"Entity +EscrowAccount +initial +held -> disputed +BREAKING")
        self.fits(result.out, 100)

    def test_FU17_what_was_done_is_told(self):
        path = self.version(initial=("initial: held", "initial: disputed"))
        done = self.motet("deploy", path, "--contract", "escrow", "--policy", "blue_green")
        self.assertIn("deployed 'escrow' as version 2", done.out)
        again = self.motet("deploy", path, "--contract", "escrow")
        self.assertIn("is served like this already", again.out)

    def test_a_dry_run_of_a_first_version_is_200(self):
        body = {"contract": "fresh", "source": "persona clerk", "dry_run": True}
        answer = self.server.post("/v1/contracts", body)
        self.assertEqual((answer.status, answer.json["simulation"]), (200, True), answer)

    def test_a_state_map_is_checked_for_a_first_version_too(self):
        for bad in ({"Doc": "x"}, {"Doc": {"a": 1}}):
            answer = self.server.post("/v1/contracts", {"contract": "fresh", "source": "persona clerk", "state_map": bad})
            self.assertEqual((answer.status, answer.code), (422, "invalid_state_map"), answer)


class Removed(Served):
    def test_FS20_an_instance_in_a_removed_state_is_told_so(self):
        first = STATES.format(states="draft, review, sent", moves="(draft, review), (draft, sent)", to="review")
        second = STATES.format(states="draft, sent", moves="(draft, sent)", to="sent")
        ask = {"persona": "clerk", "facts": {"ok": True}, "bindings": {"Doc": "d1"}}
        self.server.post("/v1/contracts", {"contract": "office", "source": first})
        self.server.post("/v1/contracts/office/instances/Doc", {"id": "d1"})
        self.assertEqual(self.server.post("/v1/contracts/office/operations/send", ask).status, 200)
        moved = self.server.post("/v1/contracts", {"contract": "office", "source": second, "policy": "blue_green"})
        self.assertEqual(moved.status, 200, moved)
        self.assertEqual(self.server.get("/v1/contracts/office/instances/Doc/d1").json["state"], "review")
        for path, body in (("operations/send", ask), ("operations/send", {**ask, "dry_run": True}),
                           ("flows/go", ask), ("actions", ask),
                           ("explain", {**ask, "flow": "go"})):
            with self.subTest(path):
                answer = self.server.post(f"/v1/contracts/office/{path}", body)
                self.assertEqual((answer.status, answer.code), (409, "removed_state"), answer)
                self.assertEqual((answer.json["instance"], answer.json["state"]), ("d1", "review"))
        other = self.server.post("/v1/contracts/office/operations/send", {**ask, "bindings": {"Doc": "nobody"}})
        self.assertEqual((other.status, other.code), (404, "unknown_instance"), other)


class Stores(Case):
    def test_FU18_an_unknown_kind_of_store_is_refused(self):
        for url, words in (("sqlte:x.db", "did you mean 'sqlite:'"), ("postgressql://h/x", "did you mean 'postgresql:'"),
                           ("mysql://h/x", "is not a kind of store")):
            with self.subTest(url):
                result = self.fails(3, "token", "list", "--store", url)
                self.assertIn(words, result.err)
                self.assertEqual(list(self.dir.iterdir()), [])
        for url in ("sqlite:a.db", "b.db", "./c:d.db", "sqlite:e:f.db"):
            self.holds("token", "create", "--store", url, "--right", "admin")
        self.assertTrue((self.dir / "c:d.db").exists() and (self.dir / "e:f.db").exists())


class Pages(Case):
    def test_FU22_the_page_lists_every_command(self):
        text = self.holds("help").out
        commands = re.findall(r"^  (\w+)(?: \S.*?)?  +\S", text, re.M)
        self.assertGreater(len(commands), 25)
        page = (SOURCE / "docs" / "man" / "motet.1").read_text()
        self.assertEqual(re.findall(r"^\.It Cm (\w+)$", page, re.M), commands)

    def test_FU22_a_store_is_copied_by_a_command(self):
        """The page about stores names commands, and they do it."""
        page = (SOURCE / "docs" / "internals" / "store.md").read_text()
        section = page[page.index("## Copies"):].split("\n## ")[0]
        self.assertIn("`motet backup`", section)
        self.assertIn("`motet restore`", section)
        with Server(self.dir, ESCROW) as server:
            server.post(f"{C}/instances/EscrowAccount", {"id": "acc-1"})
        self.holds("backup", "--store", "sqlite:serve.db", "--out", "copy")
        self.holds("restore", "copy", "--store", "sqlite:again.db")
        self.holds("backup", "--store", "sqlite:again.db", "--out", "twice")
        self.assertEqual((self.dir / "copy").read_bytes(), (self.dir / "twice").read_bytes())


main()
