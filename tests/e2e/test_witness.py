"""motet witness: signs what extends what it has seen, and nothing else, whatever happens to it.
The other side of every conversation is tests/e2e/notes.py, which shares nothing with the
program."""
import hashlib
import http.client
import os
import random
import select
import signal
import subprocess
import time

import base64

import notes
from harness import MOTET, SEED, SOAK, Case, main

ORIGIN = "log.example/payments"
NAME = "witness.example/w1"
LOG = bytes(range(32))


def entries(count, salt=b""):
    return [notes.leaf(hashlib.sha256(salt + n.to_bytes(4, "big")).digest()) for n in range(count)]


class Witness:
    """A `motet witness serve` on a free port."""

    def __init__(self, case, *options, name=NAME, state="state", logs=None):
        self.case = case
        self.words = ["witness", "serve", "--name", name, "--key", "w.secret", "--state", state,
                      "--listen", "127.0.0.1:0", *options]
        for log in logs or [notes.vkey(ORIGIN, 1, notes.public_of(LOG))]:
            self.words += ["--log", log]

    def start(self, *more):
        self.errors = open(self.case.dir / "witness.err", "ab")
        self.process = subprocess.Popen([str(MOTET), *self.words, *more], cwd=self.case.dir,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.case.addCleanup(self.end)
        ready = select.select([self.process.stdout], [], [], 20)[0]  # both lines come at once
        said = [self.process.stdout.readline().decode() for _ in range(2)] if ready else []
        if not said or not said[1].startswith("listening on "):
            raise RuntimeError(f"the witness did not start: {said} "
                               f"{(self.case.dir / 'witness.err').read_text()}")
        self.vkey = said[0].removeprefix("witness ").strip()
        self.url = said[-1].split()[-1]
        self.port = int(self.url.rpartition(":")[2])
        return self

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(20)
        self.process.stdout.close()
        self.errors.close()
        return code

    def ask(self, body, method="POST", path="/add-checkpoint"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers.get("Content-Type")
        finally:
            connection.close()


class Witnessing(Case):
    def setUp(self):
        super().setUp()
        seed = bytes(range(32, 64))
        self.write("w.secret", base64.b64encode(seed)).chmod(0o600)
        self.write("w.pub", base64.b64encode(notes.public_of(seed)))
        self.leaves = entries(40)

    def note(self, size, leaves=None, origin=ORIGIN, seed=LOG):
        return notes.make_note(origin, size, notes.root_of((leaves or self.leaves)[:size]), seed)

    def request(self, old, size, leaves=None, **named):
        proof = notes.prove((leaves or self.leaves)[:size], old)
        return notes.request(old, proof, self.note(size, leaves, **named))

    def signed(self, answer, note, vkey):
        """The answer is a cosignature of the note, by an independent reader."""
        status, body, _ = answer
        self.assertEqual(status, 200, answer)
        read = notes.read_note(note + body)
        at = notes.verify(read, vkey)
        self.assertIsNotNone(at)
        self.assertLess(abs(at - time.time()), 60)
        return at


class Serve(Witnessing):
    def test_a_growing_log_is_signed(self):
        w = Witness(self).start("--new")
        self.assertEqual(w.vkey, notes.vkey(NAME, 4, notes.public_of(bytes(range(32, 64)))))
        old = 0
        for size in (0, 1, 1, 2, 3, 7, 8, 31, 40, 40):
            self.signed(w.ask(self.request(old, size)), self.note(size), w.vkey)
            old = size
        self.assertEqual(w.ask("", "GET", "/")[1], f"{w.vkey}\n{ORIGIN} 40\n")

    def test_what_does_not_extend_is_refused(self):
        w = Witness(self).start("--new")
        other = entries(40, b"x")
        self.signed(w.ask(self.request(0, 20)), self.note(20), w.vkey)
        size = (409, "20\n", "text/x.tlog.size")
        rows = [
            ("shrinks", self.request(19, 19), size),
            ("shrinks, and says so", self.request(20, 20).replace("\n20\n", "\n19\n", 1), 403),
            ("old is larger", notes.request(21, [], self.note(20)), 400),
            ("from the beginning", self.request(0, 25), size),
            ("from a size it has not seen", self.request(21, 25), size),
            ("another root of the same size", self.request(20, 20, other), size),
            ("a fork", self.request(20, 25, other), 422),
            ("no proof", notes.request(20, [], self.note(25)), 422),
            ("a stranger's key", self.request(20, 25, seed=bytes(32)), 403),
            ("an unknown log", self.request(0, 25, origin="other.example"), 404),
            ("nothing", "", 400),
            ("no note", "old 20\n\n", 400),
            ("a huge request", "x" * 200000, 413),
        ]
        for name, body, want in rows:
            with self.subTest(name):
                answer = w.ask(body)
                self.assertEqual(answer if isinstance(want, tuple) else answer[0], want)
        self.signed(w.ask(self.request(20, 25)), self.note(25), w.vkey)
        self.assertEqual(w.ask("", "POST", "/")[0], 405)
        self.assertEqual(w.ask("", "GET", "/add-checkpoint")[0], 405)
        self.assertEqual(w.ask("", "GET", "/else")[0], 404)
        kept = (self.dir / "state.conflicts").read_text()
        self.assertEqual(kept.count("seen: "), 3)  # another root, a fork, no proof
        self.assertIn(self.note(25, other), kept)
        w.end()
        self.assertIn("two histories", (self.dir / "witness.err").read_text())

    def test_logs_are_kept_apart_and_keys_may_change(self):
        seeds = [LOG, bytes([7]) * 32, bytes([8]) * 32]
        w = Witness(self, logs=[notes.vkey(ORIGIN, 1, notes.public_of(seeds[0])),
                                notes.vkey(ORIGIN, 1, notes.public_of(seeds[1])),
                                notes.vkey("b.example", 1, notes.public_of(seeds[2]))]).start("--new")
        self.signed(w.ask(self.request(0, 9)), self.note(9), w.vkey)
        body = self.request(0, 5, origin="b.example", seed=seeds[2])
        self.signed(w.ask(body), self.note(5, origin="b.example", seed=seeds[2]), w.vkey)
        # A key of one log signs nothing of another.
        self.assertEqual(w.ask(self.request(5, 6, origin="b.example", seed=seeds[1]))[0], 403)
        self.signed(w.ask(self.request(9, 12, seed=seeds[1])), self.note(12, seed=seeds[1]), w.vkey)

    def test_it_goes_on_after_every_end(self):
        w = Witness(self).start("--new")
        self.signed(w.ask(self.request(0, 8)), self.note(8), w.vkey)
        self.assertEqual(w.end(), 0)
        w.start()
        self.assertEqual(w.ask(self.request(0, 9))[:2], (409, "8\n"))
        self.signed(w.ask(self.request(8, 9)), self.note(9), w.vkey)
        w.end(signal.SIGKILL)
        w.start()
        self.assertEqual(w.ask(self.request(8, 9))[:2], (409, "9\n"))

    def test_two_processes_do_not_share_a_state(self):
        Witness(self).start("--new")
        result = self.run_motet("witness", "sign", "--name", NAME, "--key", "w.secret", "--state",
                                "state", "--log", notes.vkey(ORIGIN, 1, notes.public_of(LOG)))
        self.assertEqual(result.code, 3)
        self.assertIn("another process", result.err)

    def test_killed_between_any_two_writes_it_never_signs_two_roots(self):
        """Two histories are offered in turn while it is killed at random moments. Whatever it
        signed, also in answers nobody read, is of one history for each size."""
        rng = random.Random(SEED)
        histories = [entries(400), entries(400, b"x")]
        # The histories part at record 10.
        histories[1][:10] = histories[0][:10]
        seen, signed = {}, {}
        w = Witness(self).start("--new")
        for _ in range(100 if SOAK else 12):
            size, deadline = max([0, *signed]), time.monotonic() + rng.random() * 0.15
            while time.monotonic() < deadline:
                leaves = rng.choice(histories)
                new = rng.randrange(size, min(size + 9, 400))
                try:
                    status, body, _ = w.ask(self.request(size, new, leaves))
                except OSError:
                    break
                if status == 200:
                    root = notes.root_of(leaves[:new])
                    self.assertEqual(signed.setdefault(new, root), root, "two roots of one size")
                    size = new
                elif status == 409:
                    size = int(body)
            w.end(signal.SIGKILL)
            w.start()
            answer = w.ask(self.request(400, 400, histories[0]))
            self.assertEqual(answer[0], 409)
            self.assertGreaterEqual(int(answer[1]), max([0, *signed]), "it has forgotten")
        # One history explains all it signed.
        self.assertTrue(any(all(notes.root_of(h[:n]) == r for n, r in signed.items())
                            for h in histories))
        self.assertGreater(len(signed), 10)
        self.assertFalse(seen)

    def test_a_disk_that_is_full_signs_nothing(self):
        w = Witness(self).start("--new")
        self.signed(w.ask(self.request(0, 3)), self.note(3), w.vkey)
        os.chmod(self.dir, 0o500)
        try:
            if os.access(self.dir, os.W_OK):  # root may write anywhere
                (self.dir / "state").unlink()
                (self.dir / "state").mkdir()
            self.assertEqual(w.ask(self.request(3, 4))[0], 500)
            self.signed(w.ask(self.request(3, 3)), self.note(3), w.vkey)
        finally:
            os.chmod(self.dir, 0o700)


class Sign(Witnessing):
    def sign(self, body, *more):
        return self.run_motet("witness", "sign", "--name", NAME, "--key", "w.secret", "--state", "s",
                              "--log", self.write("log.vkey", notes.vkey(
                                  ORIGIN, 1, notes.public_of(LOG)) + "\n"), *more, stdin=body)

    def test_a_file_is_a_witness_too(self):
        vkey = self.holds("witness", "key", "--name", NAME, "--key", "w.pub").out.strip()
        answer = self.sign(self.request(0, 5), "--new")
        self.signed((200, answer.out, None), self.note(5), vkey)
        answer = self.sign(self.request(5, 6))
        self.signed((200, answer.out, None), self.note(6), vkey)
        answer = self.sign(self.request(5, 7))
        self.assertEqual((answer.code, answer.out), (1, "6\n"))
        self.assertIn("refused (409)", answer.err)
        self.assertEqual(self.sign("hello").code, 1)

    def test_a_witness_that_has_forgotten_says_so(self):
        answer = self.sign(self.request(0, 5))
        self.assertEqual(answer.code, 3)
        self.assertIn("could sign a second history", answer.err)
        self.assertEqual(self.sign(self.request(0, 5), "--new").code, 0)
        answer = self.sign(self.request(0, 5), "--new")
        self.assertEqual(answer.code, 1)
        self.assertIn("is there already", answer.err)

    def test_a_state_that_was_changed_is_refused(self):
        self.sign(self.request(0, 5), "--new")
        good = (self.dir / "s").read_text()
        for bad in ("", "{}\n", good[:-1], good + "x\n", good + good.splitlines()[1] + "\n",
                    good.replace('"witness":1', '"witness":2'), good.replace('"size":5', '"size":-5')):
            with self.subTest(bad):
                self.write("s", bad)
                answer = self.sign(self.request(5, 6))
                self.assertEqual(answer.code, 1, answer)
                self.assertIn("is not the file of a witness", answer.err)
        key = notes.public_of(bytes(range(32, 64))).hex()
        self.write("s", good.replace(key, notes.public_of(b"\1" * 32).hex()))
        self.assertIn("what another key has seen", self.sign(self.request(5, 6)).err)

    def test_used_wrongly(self):
        for words in (["witness", "sign"], ["witness", "key"], ["witness", "serve", "--name", "a b"],
                      ["witness", "key", "--name", "a+b", "--key", "w.pub"],
                      ["witness", "sign", "--name", "a", "--state", "s", "--key", "w.secret"],
                      ["witness", "sign", "--name", "a", "--state", "s", "--key", "w.secret",
                       "--log", "nothing"]):
            self.assertEqual(self.run_motet(*words).code, 2, words)

    def test_a_secret_key_is_never_shown(self):
        self.assertNotIn((self.dir / "w.secret").read_text()[:20],
                         self.holds("witness", "key", "--name", NAME, "--key", "w.secret").out)


if __name__ == "__main__":
    main()
