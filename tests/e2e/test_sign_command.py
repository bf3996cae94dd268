"""`signer` in the configuration: a program signs. What it does wrong is said and tried again, and
no commit waits for it."""
import base64
import json
import sys
import time

import notes
from harness import Case, main
from serve import ESCROW, Server

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
        self.assertIn("the signer did not sign", result.err)


if __name__ == "__main__":
    main()
