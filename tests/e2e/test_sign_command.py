"""`signer` in the configuration: a program signs. What it does wrong is said and tried again, and
no commit waits for it."""
import base64
import concurrent.futures
import json
import sys
import time

import notes
from harness import Case, main
from serve import ESCROW, FACTS, Server

SEED = bytes(range(32))
PROGRAM = """#!{python}
import base64, os, pathlib, sys, time
sys.path.insert(0, {here!r})
import notes
mode = pathlib.Path({mode!r}).read_text()
message = sys.stdin.buffer.read()
with open({log!r}, "ab") as log:
    log.write(len(message).to_bytes(4, "big") + message)
if mode == "hangs":
    time.sleep(60)
if mode == "fails":
    sys.exit("the key service says no")
if mode == "dies":
    os.kill(os.getpid(), 9)
signature = notes.ed_sign(bytes(range(32)), message)
if mode == "other":
    signature = notes.ed_sign(bytes(32), message)
if mode == "long":
    signature = b"x" * 100000
if mode == "short":
    signature = signature[:-1]
if mode == "raw":
    sys.stdout.buffer.write(signature)
elif mode == "hex":
    print(signature.hex())
else:
    sys.stdout.buffer.write(base64.b64encode(signature) + b"\\n" if len(signature) == 64 else signature)
"""


class SignCommand(Case):
    def setUp(self):
        super().setUp()
        here = str(__import__("pathlib").Path(__file__).parent)
        self.write("signer", PROGRAM.format(python=sys.executable, here=here, log=str(self.dir / "asked"),
                                            mode=str(self.dir / "mode"))).chmod(0o755)
        self.mode("base64")
        self.write("open.pub", base64.b64encode(notes.public_of(SEED)))

    def mode(self, name):
        self.write("mode", name)

    def server(self, **signer):
        config = {"signer": {"command": [str(self.dir / "signer")], "key": str(self.dir / "open.pub"),
                             **signer}, "origin": "log.example"}
        server = Server(self.dir, ESCROW, options=[
            "--config", self.write("c.json", json.dumps(config)), "--signer-memory",
            self.dir / "memory", "--checkpoint-seconds", "1"])
        self.addCleanup(server.stop)
        return server

    def create(self, server, name):
        start = time.monotonic()
        answer = server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": name})
        self.assertEqual(answer.status, 201, answer)
        self.assertLess(time.monotonic() - start, 2.8, "a commit waited for the signer")

    def signed(self, server, size):
        def is_signed():
            point = server.get("/v1/ledger/checkpoint").json.get("signed")
            return point and point["checkpoint"]["size"] >= size
        return server.wait_until(is_signed, 25)

    def test_a_program_signs(self):
        for mode in ("base64", "raw", "hex"):
            with self.subTest(mode):
                self.mode(mode)
                server = self.server()
                server.start()
                self.create(server, mode)
                size = server.get("/v1/ledger/checkpoint").json["size"]
                self.assertTrue(self.signed(server, size), server.log())
                server.stop()
        self.holds("ledger", "verify", "--store", "sqlite:serve.db", "--key", "open.pub")
        note = notes.read_note(self.holds("ledger", "export", "--store", "sqlite:serve.db",
                                          "--note").out)
        self.assertIsNotNone(notes.verify(note, notes.vkey("log.example", 1, notes.public_of(SEED))))
        manifest = self.dir / "manifest"
        with self.server() as server:
            manifest.write_bytes(server.get("/.well-known/tenor").body)
        self.holds("verify", manifest, "--pubkey", "open.pub")

    def test_what_goes_wrong_is_said_and_tried_again(self):
        server = self.server(timeout_ms=3000)
        server.start()
        self.create(server, "first")
        self.assertTrue(self.signed(server, 3), server.log())
        size = 3
        for mode, words in (("hangs", "did not sign within 3000 ms"), ("fails", "the key service says no"),
                            ("dies", "ended with status 137"),
                            ("other", "not by the public key"), ("long", "too long"),
                            ("short", "something else than a signature")):
            with self.subTest(mode):
                self.mode(mode)
                self.create(server, mode)
                size += 1
                self.assertTrue(server.logs(words, 20), server.log()[-1500:])
                self.assertFalse(server.get("/v1/ledger/checkpoint").json["signed"]["checkpoint"]["size"]
                                 >= size)
                self.mode("base64")
                self.assertTrue(self.signed(server, size), server.log()[-1500:])
        self.mode("hangs")
        self.create(server, "last")
        self.assertEqual(server.stop(), 0)
        self.holds("ledger", "verify", "--store", "sqlite:serve.db", "--key", "open.pub")

    def test_a_second_reason_is_said_though_nothing_was_signed_between(self):
        with self.server() as server:
            self.assertTrue(self.signed(server, 2), server.log())
            for mode, words in (("fails", "the key service says no"),
                                ("other", "not by the public key"),
                                ("short", "something else than a signature")):
                self.mode(mode)
                self.create(server, mode)
                self.assertTrue(server.logs(words, 20), server.log()[-1500:])
            self.assertNotIn("signing_again", server.log())
            self.mode("base64")
            self.assertTrue(server.logs("signing_again", 20), server.log()[-1500:])

    def ask(self, server, name, facts=None):
        """With a receipt: an instance, or an operation that is refused."""
        if facts is None:
            return server.post("/v1/contracts/escrow/instances/EscrowAccount",
                               {"id": name, "receipt": True})
        return server.post("/v1/contracts/escrow/operations/release_escrow", {
            "persona": "escrow_agent", "facts": facts, "receipt": True,
            "bindings": {"EscrowAccount": name}})

    def asked(self):
        """Everything that the program was given to sign."""
        data, out = (self.dir / "asked").read_bytes(), []
        while data:
            size = int.from_bytes(data[:4], "big")
            out.append(data[4:4 + size])
            data = data[4 + size:]
        return out

    def test_a_receipt_is_signed_by_the_program(self):
        """Done and refused, promised and complete: verified offline with the public key alone."""
        with self.server() as server:
            done = self.ask(server, "a").json
            refused = self.ask(server, "a", {**FACTS, "delivery_status": "pending"}).json
            self.assertEqual(refused["receipt"]["promise"]["decision"]["refusal"]["code"],
                             "precondition_failed")
            self.assertTrue(self.signed(server, refused["record"] + 1), server.log())
            whole = [server.get(f"/v1/ledger/{one['record']}/receipt").json for one in (done, refused)]
        for one, complete in zip((done, refused), whole):
            self.assertEqual({k: complete[k] for k in one["receipt"]}, one["receipt"])
            # What was signed are the bytes of the promise, by the key that is in no file of ours.
            text = json.dumps(one["receipt"]["promise"], separators=(",", ":"), sort_keys=True,
                              ensure_ascii=False).encode()
            self.assertIn(text, self.asked())
            self.assertTrue(notes.ed_verify(notes.public_of(SEED), text,
                                            bytes.fromhex(one["receipt"]["signature"])))
        self.write("promises", "".join(json.dumps(one["receipt"]) + "\n" for one in (done, refused)))
        self.write("whole", "".join(json.dumps(one) + "\n" for one in whole))
        self.assertIn("2 promises", self.holds("receipt", "verify", "promises", "--key", "open.pub").out)
        self.holds("receipt", "verify", "whole", "--key", "open.pub", "--complete")
        self.holds("keygen", "--prefix", "other")
        self.assertIn("another key", self.fails(1, "receipt", "verify", "whole", "--key",
                                                "other.pub").err)

    def receipt(self, server, number):
        """Once there is one: the program that hangs holds the next call for its three seconds."""
        for _ in range(150):
            answer = server.get(f"/v1/ledger/{number}/receipt")
            if answer.status == 200:
                return answer
            self.assertEqual(answer.status, 503, answer)
            time.sleep(0.1)
        self.fail(f"no receipt of {number}: {answer}")

    def test_a_program_that_hangs_costs_receipts_and_nobody_waits_in_line(self):
        """Six at once: one waits for the program, the others for two seconds at most; whoever
        asks for something else is answered meanwhile."""
        with self.server(timeout_ms=3000) as server, concurrent.futures.ThreadPoolExecutor(12) as pool:
            first = self.ask(server, "first").json
            self.assertTrue(self.signed(server, first["record"] + 1), server.log())
            self.mode("hangs")
            began = time.monotonic()
            asking = [pool.submit(self.ask, server, f"h{n}") for n in range(6)]
            fetching = [pool.submit(server.get, f"/v1/ledger/{first['record']}/receipt")
                        for _ in range(3)]
            for _ in range(20):
                start = time.monotonic()
                self.assertEqual(server.get("/healthz").status, 200)
                self.assertLess(time.monotonic() - start, 1, "the program held up everybody")
                time.sleep(0.05)
            answers = [one.result() for one in asking]
            self.assertLess(time.monotonic() - began, 3 + 2 + 3)
            self.assertEqual([a.status for a in answers], [201] * 6)
            self.assertEqual([a.json["receipt"] for a in answers], [None] * 6)
            self.assertEqual({one.result().status for one in fetching}, {503})
            page = server.get("/metrics").body.decode()
            self.assertIn("\nmotet_receipts_late_total 6\n", page)
            self.assertIn("\nmotet_receipts_total 1\n", page)
            self.mode("base64")
            records = [a.json["record"] for a in answers]
            self.assertTrue(self.signed(server, max(records) + 1), server.log()[-1500:])
            whole = [self.receipt(server, n) for n in records]
        self.write("whole", "".join(json.dumps(one.json) + "\n" for one in whole))
        self.assertIn("6 complete", self.holds("receipt", "verify", "whole", "--key", "open.pub",
                                               "--complete").out)

    def test_a_key_remembers_what_the_program_signed(self):
        with self.server() as server:
            self.assertTrue(self.signed(server, 2), server.log())
        (self.dir / "memory").unlink()
        with self.server() as server:
            self.assertTrue(server.logs("signing_refused"), server.log())

    def test_the_configuration_is_checked(self):
        self.holds("keygen", "--prefix", "k")
        good = {"command": ["true"], "key": "open.pub"}
        rows = [({"key": "open.pub"}, ["--signer-memory", "m"], "command"),
                ({**good, "command": []}, ["--signer-memory", "m"], "command"),
                ({**good, "key": "nothing"}, ["--signer-memory", "m"], "signer.key"),
                ({**good, "timeout_ms": 0}, ["--signer-memory", "m"], "timeout_ms"),
                ({**good, "more": 1}, ["--signer-memory", "m"], "more"),
                (good, [], "signer_memory"),
                (good, ["--signer-memory", "m", "--signing-key", "k.secret"], "exclude")]
        for signer, words, said in rows:
            with self.subTest(said):
                config = self.write("c.json", json.dumps({"signer": signer}))
                result = self.fails(1, "serve", ESCROW, "--config", config, "--check-config", *words)
                self.assertIn(said, result.err)
        config = self.write("c.json", json.dumps({"signer": good}))
        self.holds("serve", ESCROW, "--config", config, "--check-config", "--signer-memory", "m")
        # A program that never signed cannot be begun with.
        result = self.fails(3, "serve", ESCROW, "--config", config, "--store", "sqlite:x.db",
                            "--listen", "127.0.0.1:0", "--signer-memory", "m")
        self.assertIn("the signer did not sign: ", result.err)


if __name__ == "__main__":
    main()
