"""A server and its witnesses: what they sign is kept and can be demanded; one that is killed,
hangs, lies or has seen another history is noticed, and no commit waits for any of them."""
import base64
import http.server
import json
import shutil
import threading
import time

import notes
import postgres
from forger import Forger
from harness import SEED, SOAK, Case, main
from serve import ESCROW, Server
from test_witness import Witness

ORIGIN = "log.example/payments"
LOG_SEED, W_SEED = bytes(range(32)), bytes(range(32, 64))
LOG_KEY = notes.vkey(ORIGIN, 1, notes.public_of(LOG_SEED))


class Answers:
    """A witness of our own: `answer(body)` gives status and text; None: it hangs."""

    def __init__(self, case, answer):
        def post(handler):
            body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
            self.asked.append(body)
            said = self.answer(body)
            if said is None:
                self.held.wait(20)
                return
            text = said[1].encode()
            handler.send_response(said[0])
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)

        kind = type("Handler", (http.server.BaseHTTPRequestHandler,),
                    {"do_POST": post, "log_message": lambda *_: None})
        self.answer, self.asked, self.held = answer, [], threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        case.addCleanup(self.server.server_close)
        case.addCleanup(self.server.shutdown)
        case.addCleanup(self.held.set)


class Served(Case):
    def setUp(self):
        super().setUp()
        for name, seed in (("log", LOG_SEED), ("w", W_SEED)):
            self.write(f"{name}.secret", base64.b64encode(seed)).chmod(0o600)
            self.write(f"{name}.pub", base64.b64encode(notes.public_of(seed)))

    def key(self, name="w.example", seed=W_SEED):
        return notes.vkey(name, 4, notes.public_of(seed))

    def serve(self, witnesses, *options, store="sqlite:serve.db", **more):
        config = {"origin": ORIGIN, "witnesses": witnesses, **more}
        config = {key: value for key, value in config.items() if value is not None}
        server = Server(self.dir, ESCROW, store=store, options=[
            "--config", self.write("motet.json", json.dumps(config)), "--signing-key", "log.secret",
            "--checkpoint-seconds", "1", "--log-level", "info", *options])
        self.addCleanup(server.stop)
        server.start()
        return server

    def create(self, server, name):
        start = time.monotonic()
        answer = server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": name})
        self.assertEqual(answer.status, 201, answer)
        self.assertLess(time.monotonic() - start, 5, "a commit waited for a witness")

    def note(self, server):
        answer = server.get("/v1/ledger/checkpoint.note")
        return notes.read_note(answer.body.decode()) if answer.status == 200 else None

    def metric(self, server, name):
        for line in server.get("/metrics").body.decode().splitlines():
            if line.startswith(f"motet_witness_{name}{{"):
                return int(line.rpartition(" ")[2])
        return None

    def witnessed(self, server, size, seconds=15):
        return server.wait_until(lambda: (self.metric(server, "records") or 0) >= size, seconds)


class Good(Served):
    def test_an_independent_reader_accepts_what_is_served(self):
        """The note, its signatures, the cosignatures, and the tree over the records' hashes."""
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}])
        for n in range(5):
            self.create(server, f"a-{n}")
        self.assertTrue(self.witnessed(server, 7), server.log())
        note = self.note(server)
        self.assertEqual((note.origin, note.size), (ORIGIN, 7))
        self.assertIsNotNone(notes.verify(note, LOG_KEY))
        at = notes.verify(note, self.key())
        self.assertLess(abs(at - time.time()), 60)
        lines = self.holds("ledger", "export", "--store", "sqlite:serve.db").out.splitlines()
        records = [json.loads(line) for line in lines if line.startswith('{"body"')]
        leaves = [notes.leaf(bytes.fromhex(r["hash"])) for r in records]
        self.assertEqual(notes.root_of(leaves[:7]), note.root)
        self.assertEqual((self.metric(server, "behind_records"), self.metric(server, "contradicts")),
                         (0, 0))
        self.assertLess(self.metric(server, "age_seconds"), 60)
        # And it can be demanded, of the store and of a copy.
        said = self.holds("ledger", "verify", "--store", "sqlite:serve.db", "--key", "log.pub",
                          "--witness", self.key()).out
        self.assertIn("witnessed: 7 records by 1 of 1, at ", said)
        self.write("n", self.holds("ledger", "export", "--store", "sqlite:serve.db", "--note").out)
        self.write("l", "\n".join(lines) + "\n")
        answer = json.loads(self.holds("ledger", "verify", "l", "--note", "n", "--witness", "w.pub",
                                       "--key", "log.pub", "--json").out)
        self.assertEqual((answer["witnessed"], answer["witnesses"]), (7, 1))

    def test_a_witness_that_was_away_goes_on(self):
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": "w.pub"}])
        self.assertTrue(self.witnessed(server, 2), server.log())
        w.end(9)
        self.create(server, "a")
        self.assertTrue(server.logs("witness_failed"), server.log())
        self.assertEqual(self.metric(server, "behind_records"), 1)
        self.create(server, "b")
        w.words[w.words.index("127.0.0.1:0")] = f"127.0.0.1:{w.port}"
        w.start()
        self.assertTrue(self.witnessed(server, 4), server.log())
        self.assertTrue(server.logs("witness_again"), server.log())

    def test_an_answer_that_was_lost_is_asked_for_again(self):
        """The witness signed and its answer was not read: it says 409 and is asked from there."""
        seen = []

        def answer(body):
            old, note = body.split("\n", 1)[0], notes.read_note(body.split("\n\n", 1)[1])
            if not seen:
                seen.append(note.size)
                return 500, "lost"
            if old != f"old {seen[-1]}":
                return 409, f"{seen[-1]}\n"
            seen.append(note.size)
            return 200, notes.witness_line("w.example", W_SEED, note.text, int(time.time()))

        a = Answers(self, answer)
        server = self.serve([{"name": "w.example", "url": a.url + "/", "key": self.key()}])
        self.assertTrue(self.witnessed(server, 2), server.log())

    def test_k_of_n(self):
        good = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        other = notes.vkey("gone.example", 4, notes.public_of(b"\3" * 32))
        server = self.serve([{"name": "gone.example", "url": "http://127.0.0.1:1", "key": other},
                             {"name": "w.example", "url": good.url, "key": self.key()}],
                            "--witness-quorum", "1")
        self.assertTrue(server.wait_until(
            lambda: 'motet_witness_records{witness="w.example"} 2' in
            server.get("/metrics").body.decode(), 15))
        words = ["ledger", "verify", "--store", "sqlite:serve.db", "--witness", self.key(),
                 "--witness", other]
        self.assertIn("no checkpoint is co-signed by 2 of these 2", self.fails(1, *words).err)
        self.assertIn("by 1 of 2", self.holds(*words, "--witness-quorum", "1").out)
        for bad in ("0", "3", "x"):
            self.fails(2, *words, "--witness-quorum", bad)
        self.fails(2, *words, "--witness", self.key())

    def test_another_node_was_faster(self):
        """Between our look and its answer the witness signed a later checkpoint of this ledger."""
        ahead = []

        def answer(body):
            old, note = body.split("\n", 1)[0], notes.read_note(body.split("\n\n", 1)[1])
            if not ahead:
                server.post("/v1/contracts/escrow/instances/EscrowAccount")
                if not server.wait_until(lambda: self.note(server).size > note.size, 8):
                    return 500, "the server signed nothing"
                ahead.append(self.note(server).size)
            if old != f"old {ahead[-1]}":
                return 409, f"{ahead[-1]}\n"
            ahead.append(note.size)
            return 200, notes.witness_line("w.example", W_SEED, note.text, int(time.time()))

        a = Answers(self, lambda body: (500, ""))
        server = self.serve([{"name": "w.example", "url": a.url, "key": self.key()}])
        a.answer = answer
        self.assertTrue(self.witnessed(server, 3), server.log())
        self.assertNotIn("witness_contradicts", server.log())


class Receipts(Served):
    """Cosignatures of a real witness in a receipt, demanded offline."""

    def receipt(self, server, number):
        answer = server.get(f"/v1/ledger/{number}/receipt")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def promise(self, server, name):
        answer = server.post("/v1/contracts/escrow/instances/EscrowAccount",
                             {"id": name, "receipt": True})
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def verify(self, receipt, *more, code=0):
        self.write("r.json", json.dumps(receipt))
        said = self.run_motet("receipt", "verify", "r.json", "--key", "log.pub", *more)
        self.assertEqual(said.code, code, (more, repr(said)))
        return said.out + said.err

    def whole(self):
        """A complete receipt with a cosignature; nobody is there any more when it is verified."""
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}],
                            "--witness-quorum", "1")
        given = self.promise(server, "a")
        self.assertTrue(self.witnessed(server, given["record"] + 1), server.log())
        receipt = self.receipt(server, given["record"])
        self.assertEqual({k: receipt[k] for k in given["receipt"]}, given["receipt"])
        server.stop()
        w.end()
        return receipt

    def test_a_receipt_with_a_cosignature_is_verified_offline(self):
        receipt = self.whole()
        self.assertEqual((receipt["origin"], len(receipt["witnesses"])), (ORIGIN, 1))
        for key in (self.key(), "w.pub"):
            self.assertIn("complete", self.verify(receipt, "--witness", key, "--complete"))
        # The independent reader makes the note from the receipt and finds the same.
        head = receipt["checkpoint"]["checkpoint"]
        text = notes.head(ORIGIN, head["size"], bytes.fromhex(head["root"]))
        note = notes.read_note(text + "\n" + "\n".join(receipt["witnesses"]) + "\n")
        self.assertLess(abs(notes.verify(note, self.key()) - time.time()), 60)

    def test_a_receipt_without_the_witness_that_is_demanded_fails(self):
        receipt = self.whole()
        other = notes.vkey("w.example", 4, notes.public_of(b"\3" * 32))
        stranger = notes.vkey("other.example", 4, notes.public_of(W_SEED))
        # What the executor could make up alone: a cosignature by a key of its own.
        head = receipt["checkpoint"]["checkpoint"]
        text = notes.head(ORIGIN, head["size"], bytes.fromhex(head["root"]))
        forged = notes.witness_line("w.example", LOG_SEED, text, int(time.time())).strip()
        elsewhere = notes.head("other.example/log", head["size"], bytes.fromhex(head["root"]))
        of_another = notes.witness_line("w.example", W_SEED, elsewhere, int(time.time())).strip()
        smaller = notes.head(ORIGIN, head["size"] - 1, bytes.fromhex(head["root"]))
        of_fewer = notes.witness_line("w.example", W_SEED, smaller, int(time.time())).strip()
        demands = [(receipt, other), (receipt, stranger), ({**receipt, "witnesses": []}, self.key()),
                   ({**receipt, "origin": "other.example/log"}, self.key()),
                   ({**receipt, "origin": ""}, self.key())]
        demands += [({**receipt, "witnesses": [line]}, self.key())
                    for line in (forged, of_another, of_fewer, "", "x")]
        promise = {k: receipt[k] for k in ("key", "promise", "signature")}
        for bad, key in [*demands, (promise, self.key())]:
            with self.subTest(str(bad.get("witnesses"))):
                self.assertIn("too few of the witnesses", self.verify(bad, "--witness", key, code=1))
        words = ["--witness", self.key(), "--witness", other]
        self.verify(receipt, *words, code=1)
        self.verify(receipt, *words, "--witness-quorum", "1")

    def test_a_cosignature_of_the_future_is_not_counted(self):
        """Up to five minutes ahead it is a clock; beyond that it says nothing yet."""
        receipt = self.whole()
        head = receipt["checkpoint"]["checkpoint"]
        text = notes.head(ORIGIN, head["size"], bytes.fromhex(head["root"]))
        other = b"\7" * 32

        def line(ahead, seed=W_SEED):
            return notes.witness_line("w.example", seed, text, int(time.time()) + ahead).strip()

        one = ["--witness", self.key()]
        self.verify({**receipt, "witnesses": [line(240)]}, *one)
        far = line(400)
        for bad in (far, line(10 ** 12)):
            said = self.verify({**receipt, "witnesses": [bad]}, *one, code=1)
            self.assertIn("at a time that has not come, which does not count", said)
        self.verify({**receipt, "witnesses": [far, line(0)]}, *one)
        both = [*one, "--witness", self.key(seed=other), "--witness-quorum", "1"]
        said = self.verify({**receipt, "witnesses": [far, line(0, other)]}, *both)
        self.assertIn("not counted: 1 cosignature of a time that has not come", said)
        self.assertEqual(json.loads(self.verify({**receipt, "witnesses": [far, line(0, other)]}, *both, "--json"))
                         ["witnesses_ahead"], 1)
        # The same of a note, in a file and in the store.
        log = notes.make_note(ORIGIN, head["size"], bytes.fromhex(head["root"]), LOG_SEED)
        ledger = ["ledger", "verify", "--store", "sqlite:serve.db"]
        self.write("n", log + far + "\n")
        said = self.fails(1, *ledger, "--note", "n", *one).err
        self.assertIn("1 signed at a time that has not come, which does not count", said)
        self.write("n", log + far + "\n" + line(0, other) + "\n")
        self.assertIn("not counted: 1 that signed", self.holds(*ledger, "--note", "n", *both).out)
        with Forger("sqlite:" + str(self.dir / "serve.db")) as f:
            f.store.script([("UPDATE docs SET body = ? WHERE kind = 'ledger.cosignature'",
                             [line(5000) + "\n"])])
        self.assertIn("has not come", self.fails(1, *ledger, *one).err)

    def test_a_witness_whose_clock_is_ahead_is_told_of_and_completes_nothing(self):
        ahead = [900]

        def answer(body):
            note = body.split("\n\n", 1)[1]
            text = note[:note.index("\n\n") + 1]
            return 200, notes.witness_line("w.example", W_SEED, text, int(time.time()) + ahead[0])

        w = Answers(self, answer)
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}],
                            "--witness-quorum", "1")
        given = self.promise(server, "a")
        self.assertTrue(server.logs("it signed at a time that has not come"), server.log())
        self.assertNotIn("checkpoint", self.receipt(server, given["record"]))
        ahead[0] = 0
        server.stop()
        server.start()
        self.assertTrue(self.witnessed(server, given["record"] + 1), server.log())
        self.assertIn("checkpoint", self.receipt(server, given["record"]))
        server.stop()

    def test_a_receipt_of_another_log_by_the_same_key_fails(self):
        """The promise names its log, so what was signed for one is never shown for another."""
        receipt = self.whole()
        promise = {k: receipt[k] for k in ("key", "promise", "signature")}
        for one in (receipt, promise):
            self.verify(one, "--origin", ORIGIN)
            said = self.verify(one, "--origin", "log.example/other", code=1)
            self.assertIn("it is of another log than --origin says", said)
        changed = {**promise, "promise": {**promise["promise"], "origin": "log.example/other"}}
        self.assertIn("the signature is wrong", self.verify(changed, "--origin", "log.example/other", code=1))
        self.assertIn("another log", self.verify({**receipt, "origin": "log.example/other"},
                                                 "--origin", ORIGIN, code=1))
        # One to which nobody gave a name has that of its first record.
        (self.dir / "other.db").unlink(missing_ok=True)
        server = self.serve([], "--signer-memory", "other.memory", store="sqlite:other.db", origin=None)
        given = self.promise(server, "a")["receipt"]
        server.stop()
        self.assertNotIn("origin", given["promise"])
        self.verify(given, "--origin", "motet-ledger/" + given["promise"]["ledger"][:32])
        self.verify(given, "--origin", ORIGIN, code=1)
        self.verify(given, "--origin", "", code=1)

    def test_a_note_of_another_log_by_the_same_key_fails(self):
        self.whole()
        verify = ["ledger", "verify", "--store", "sqlite:serve.db", "--key", "log.pub", "--origin"]
        self.assertIn(f"log: {ORIGIN}\n", self.holds(*verify, ORIGIN).out)
        self.assertEqual(json.loads(self.holds(*verify, ORIGIN, "--json").out)["origin"], ORIGIN)
        said = self.fails(1, *verify, "log.example/other").err
        self.assertIn(f"its note is of the log '{ORIGIN}', not of 'log.example/other'", said)
        # The same key signs another history under another name: each passes under its own alone.
        note = notes.read_note(self.holds("ledger", "export", "--store", "sqlite:serve.db", "--note").out)
        self.write("other", notes.make_note("log.example/other", note.size, note.root, LOG_SEED))
        self.write("l", self.holds("ledger", "export", "--store", "sqlite:serve.db").out)
        copy = ["ledger", "verify", "l", "--note", "other", "--origin"]
        self.holds(*copy, "log.example/other")
        self.assertIn("not of", self.fails(1, *copy, ORIGIN).err)
        # A name that nobody signed under.
        mine = notes.make_note(ORIGIN, note.size, note.root, b"\6" * 32)
        self.write("other", mine)
        self.assertIn("not signed by a key of this ledger", self.fails(1, *copy, ORIGIN).err)
        self.assertIn("--origin needs --note", self.fails(2, "ledger", "verify", "l", "--origin", ORIGIN).err)
        self.write("proof", self.holds("ledger", "prove", "l", "0").out)
        self.fails(2, "ledger", "verify", "--proof", "proof", "--checkpoint", "l", "--origin", ORIGIN)

    def test_every_flipped_byte_of_a_receipt_with_a_cosignature_fails(self):
        """Of the cosignature too, once its witness is demanded: one line each, all at once."""
        receipt = self.whole()
        good = json.dumps(receipt, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
        self.write("good.json", good)
        words = ["receipt", "verify", "--key", "log.pub", "--witness", self.key()]
        self.holds(*words, "good.json")
        step = 1 if SOAK else 17
        start = good.index(b'"witnesses"')  # every one there, some of the rest
        places = [p for p in range(len(good)) if p >= start or p % step == SEED % step]
        for place in places:
            changed = bytearray(good)
            changed[place] ^= 1 << (place % 7)
            self.write("flipped.json", bytes(changed))
            self.fails(1, *words, "flipped.json")

    def test_a_receipt_is_complete_when_so_many_witnesses_have_signed(self):
        """A witness that is gone delays only that."""
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        w.end(9)
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}],
                            "--witness-quorum", "1")
        given = self.promise(server, "a")
        self.assertTrue(server.logs("witness_failed"), server.log())
        self.assertTrue(server.wait_until(lambda: server.get("/v1/ledger/checkpoint").json.get("signed"), 10))
        self.assertEqual(self.receipt(server, given["record"]), given["receipt"])
        self.assertGreater(self.metric(server, "failures_total"), 0)
        w.words[w.words.index("127.0.0.1:0")] = f"127.0.0.1:{w.port}"
        w.start()
        self.assertTrue(self.witnessed(server, given["record"] + 1, 40), server.log())
        receipt = self.receipt(server, given["record"])
        server.stop()
        self.verify(receipt, "--complete", "--witness", self.key())


class Bad(Served):
    def test_one_cannot_spoil_the_signatures_of_others(self):
        """It signs, and adds lines in the name of the log and of another witness."""
        good = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        mine = b"\7" * 32

        def answer(body):
            text = notes.read_note(body.split("\n\n", 1)[1]).text
            line = notes.witness_line("bad.example", mine, text, 5)
            return 200, (notes.witness_line("w.example", W_SEED, text + "x\n", 5) + line * 3 +
                         notes.log_line(ORIGIN, LOG_SEED, text + "x\n"))

        a = Answers(self, answer)
        bad = notes.vkey("bad.example", 4, notes.public_of(mine))
        server = self.serve([{"name": "bad.example", "url": a.url, "key": bad},
                             {"name": "w.example", "url": good.url, "key": self.key()}],
                            "--witness-quorum", "2")
        self.assertTrue(server.wait_until(
            lambda: "checkpoint" in server.get("/v1/ledger/0/receipt").json, 15), server.log())
        note = self.note(server)
        self.assertEqual(len(note.lines), 3)
        for key in (LOG_KEY, bad, self.key()):
            self.assertIsNotNone(notes.verify(note, key))

    def hanging(self, timeout_ms):
        a = Answers(self, lambda body: None)
        return self.serve([{"name": "w.example", "url": a.url, "key": self.key(),
                            "timeout_ms": timeout_ms}])

    def test_one_that_hangs_delays_nobody(self):
        server = self.hanging(30000)
        for n in range(3):
            self.create(server, f"a-{n}")
            time.sleep(0.5)  # a checkpoint is made each second
        start = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - start, 10, "stopping waited for the witness")

    def test_one_that_hangs_is_noticed(self):
        server = self.hanging(500)
        self.create(server, "a")
        self.assertTrue(server.logs("witness_failed"), server.log())
        self.assertEqual(self.metric(server, "age_seconds"), -1)
        self.fails(1, "ledger", "verify", "--store", "sqlite:serve.db", "--witness", self.key())

    def test_one_that_lies_is_not_believed(self):
        def sign(body, seed=W_SEED, name="w.example", change=lambda t: t):
            note = notes.read_note(body.split("\n\n", 1)[1])
            return 200, notes.witness_line(name, seed, change(note.text), int(time.time()))
        lies = [
            ("a signature over another root", lambda b: sign(b, change=lambda t: t.replace(
                "\n", "\nx", 1))),
            ("another key", lambda b: sign(b, seed=b"\5" * 32)),
            ("another name", lambda b: sign(b, name="other.example")),
            ("nothing", lambda b: (200, "")),
            ("nonsense", lambda b: (200, "hello\n")),
            ("a cut line", lambda b: (200, sign(b)[1][:-20])),
            ("too much", lambda b: (200, sign(b)[1] * 3000)),
        ]
        a = Answers(self, lambda body: (500, ""))
        server = self.serve([{"name": "w.example", "url": a.url, "key": self.key()}])
        for name, lie in lies:
            with self.subTest(name):
                a.answer, before = lie, len(a.asked)
                server.stop()  # begin without the pause after a failure
                server.start()
                self.create(server, name.replace(" ", "-"))
                self.assertTrue(server.wait_until(lambda: len(a.asked) > before, 10))
                self.assertTrue(server.wait_until(lambda: self.metric(server, "failures_total"), 10))
                self.assertEqual(self.metric(server, "records"), 0)
        a.answer = sign
        server.stop()
        server.start()
        self.assertTrue(self.witnessed(server, 3), server.log())
        self.assertIn("witness_contradicts", server.log())

    def test_a_witness_that_saw_another_history_raises_an_alarm(self):
        said = [409, "99\n"]
        a = Answers(self, lambda body: tuple(said))
        server = self.serve([{"name": "w.example", "url": a.url, "key": self.key()}])
        self.assertTrue(server.logs("records are missing here, or the ledger was put back"),
                        server.log())
        self.assertEqual(self.metric(server, "contradicts"), 1)
        self.assertEqual(server.get("/readyz").status, 200)  # evidence, not a reason to stop
        for answer, words in (((409, "2\n"), "two histories"), ((422, "no\n"), "do not extend"),
                              ((404, "no\n"), "does not know the log"),
                              ((403, "no\n"), "does not trust the key"),
                              ((409, "x\n"), "not a size")):
            said[:] = answer
            server.stop()
            server.start()
            self.assertTrue(server.logs(words), (words, server.log()))

    def test_a_ledger_that_was_put_back_is_noticed(self):
        """A whole machine is restored from an old copy, the signer's memory too: only the
        witness knows."""
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}])
        self.assertTrue(self.witnessed(server, 2), server.log())
        server.stop()
        for name in ("serve.db", "log.secret.memory"):
            shutil.copy(self.dir / name, self.dir / f"{name}.old")
        server.start()
        for n in range(3):
            self.create(server, f"a-{n}")
        self.assertTrue(self.witnessed(server, 5), server.log())
        self.write("kept", self.holds("ledger", "export", "--store", "sqlite:serve.db", "--note").out)
        server.stop()
        for name in ("serve.db", "log.secret.memory"):
            shutil.copy(self.dir / f"{name}.old", self.dir / name)
        for name in ("serve.db-wal", "serve.db-shm"):
            (self.dir / name).unlink(missing_ok=True)
        (self.dir / "serve.err").unlink()
        server.start()
        for n in range(4):
            self.create(server, f"b-{n}")  # another history, as long and longer
        self.assertTrue(server.logs("witness_contradicts"), server.log())
        self.assertEqual(self.metric(server, "contradicts"), 1)
        server.stop()
        # Offline, with what was kept elsewhere.
        self.assertIn("the records are not those that the signed note is of", self.fails(
            1, "ledger", "verify", "--store", "sqlite:serve.db", "--note", "kept", "--witness",
            self.key(), "--key", "log.pub").err)
        self.assertTrue((self.dir / "state.conflicts").exists())

    def test_a_cosignature_of_another_log_is_worth_nothing(self):
        """The witness signs for a log of the forger's, too; he puts that note into the store."""
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}])
        self.assertTrue(self.witnessed(server, 2), server.log())
        server.stop()
        root, size = self.note_root()
        mine = b"\6" * 32
        text = notes.head("forger.example", size, root)
        note = notes.make_note("forger.example", size, root, mine)
        line = notes.witness_line("w.example", W_SEED, text, int(time.time()))
        with Forger("sqlite:" + str(self.dir / "serve.db")) as f:
            f.store.script([("UPDATE docs SET body = ? WHERE kind = 'ledger.note'", [note]),
                            ("UPDATE docs SET body = ? WHERE kind = 'ledger.cosignature'", [line])])
        self.assertIn("is not signed by a key of this ledger", self.fails(
            1, "ledger", "verify", "--store", "sqlite:serve.db", "--witness", self.key(), "--key",
            "log.pub").err)
        self.fails(1, "ledger", "export", "--store", "sqlite:serve.db", "--note")

    def note_root(self):
        read = notes.read_note(self.holds("ledger", "export", "--store", "sqlite:serve.db",
                                          "--note").out)
        return read.root, read.size

    def test_a_note_of_fewer_or_more_records(self):
        w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
        server = self.serve([{"name": "w.example", "url": w.url, "key": self.key()}])
        self.assertTrue(self.witnessed(server, 2), server.log())
        self.write("n", self.holds("ledger", "export", "--store", "sqlite:serve.db", "--note").out)
        self.create(server, "a")
        self.assertTrue(self.witnessed(server, 3), server.log())
        self.write("more", self.holds("ledger", "export", "--store", "sqlite:serve.db",
                                      "--note").out)
        lines = self.holds("ledger", "export", "--store", "sqlite:serve.db").out.splitlines(True)
        self.write("l", "".join(lines))
        self.write("short", "".join(line for line in lines if '"seq":2' not in line and
                                    '"size":3' not in line))
        self.assertIn("not witnessed yet: the last 1 record", self.holds(
            "ledger", "verify", "l", "--note", "n", "--witness", "w.pub").out)
        self.assertIn("the signed note is of more", self.fails(
            1, "ledger", "verify", "short", "--note", "more", "--witness", "w.pub").err)
        self.fails(2, "ledger", "verify", "l", "--note", "n")
        self.fails(1, "ledger", "verify", "l", "--note", "l", "--witness", "w.pub")

    def test_the_configuration_is_checked(self):
        good = {"name": "w.example", "url": "http://127.0.0.1:1", "key": self.key()}
        rows = [
            ([{**good, "key": LOG_KEY}], "the key of a log"),
            ([{**good, "name": "a b"}], "`name` is text"),
            ([{**good, "name": "other.example"}], "not the name in `key`"),
            ([{**good, "url": "ftp://x"}], "plain http"),
            ([{**good, "url": "http://a:b@x"}], "plain http"),
            ([{**good, "key": "nothing"}], "NAME+ID+KEY"),
            ([{**good, "more": 1}], "more"),
            ([good, good], "another witness has this `name`"),
            ([good, {**good, "name": "v.example", "key": self.key("v.example")}],
             "another witness has this `key`"),
            ([{"name": "w.example"}], "url"),
            ({"a": 1}, "a list of objects"),
            ([good] * 65, "at most 64"),
        ]
        for witnesses, words in rows:
            with self.subTest(words):
                config = self.write("c.json", json.dumps({"witnesses": witnesses}))
                said = self.run_motet("serve", ESCROW, "--config", config, "--signing-key",
                                      "log.secret", "--check-config")
                self.assertNotEqual(said.code, 0, said)
                self.assertIn(words, said.err)
        config = self.write("c.json", json.dumps({"witnesses": [good]}))
        self.holds("serve", ESCROW, "--config", config, "--signing-key", "log.secret",
                   "--check-config", "--witness-quorum", "1")
        for more in (["--signing-key", "log.secret", "--witness-quorum", "2"], [],
                     ["--signing-key", "log.secret", "--origin", "a b"]):
            self.fails(1, "serve", ESCROW, "--config", config, "--check-config", *more)


class Shared(Served):
    def test_two_nodes_on_one_database(self):
        with postgres.Postgres() as database:
            w = Witness(self, name="w.example", logs=[LOG_KEY]).start("--new")
            witness = [{"name": "w.example", "url": w.url, "key": self.key()}]
            one = self.serve(witness, store=database.url())
            two = self.serve(witness, store=database.url())
            for n in range(6):
                self.create((one, two)[n % 2], f"a-{n}")
            for server in (one, two):
                self.assertTrue(self.witnessed(server, 8, 40), server.log())
                self.assertIsNotNone(notes.verify(self.note(server), self.key()))
            self.assertIn("witnessed: 8 records by 1 of 1", self.holds(
                "ledger", "verify", "--store", database.url(), "--witness", self.key()).out)
            one.stop()
            two.stop()


if __name__ == "__main__":
    main()
