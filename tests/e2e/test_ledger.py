"""motet ledger: every tampering is found, proofs travel, keys come and go."""
import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
import time
import urllib.request

import ledgers
from harness import MOTET, SEED, SOAK, SOURCE, Case, main

RECORDS = 8


class Ledgers(Case):
    """Keys a, b, c; a ledger of RECORDS records, signed by a after the fifth and at the end."""

    def setUp(self):
        super().setUp()
        self.keys = {}
        for name in "abc":
            self.holds("keygen", "--prefix", name)
            self.keys[name] = base64.b64decode((self.dir / f"{name}.pub").read_bytes()).hex()

    def put(self, lines, name="x.jsonl"):
        return self.write(name, ledgers.text(lines))

    def sign(self, lines, key):
        """The lines with a checkpoint by this key at the end."""
        named = [line for line in lines if '"trust_domain":"acme.test"' in line]
        return [*lines, ledgers.checkpoint(lines, self.dir / key, "acme.test" if named else "")]

    def grow(self, parts):
        """Bodies and names of keys that sign, in order, to the lines of a ledger. The program
        has no part in it."""
        lines, bodies = [], []
        for part in parts:
            if isinstance(part, dict):
                bodies.append(part)
                lines.append(ledgers.records(bodies)[-1])
            else:
                lines = self.sign(lines, part)
        return lines

    def ledger(self):
        bodies = [ledgers.operation(n) for n in range(RECORDS)]
        return self.grow([*bodies[:5], "a", *bodies[5:], "a"])

    def verify(self, lines, *more):
        return self.run_motet("ledger", "verify", self.put(lines), *more)

    def good(self, lines, *more):
        result = self.verify(lines, *more)
        self.assertEqual(result.code, 0, repr(result))
        return result

    def bad(self, lines, reason, *more):
        result = self.verify(lines, *more)
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn(reason, result.err)
        return result


class Verify(Ledgers):
    def test_E19_a_good_ledger_verifies(self):
        lines = self.ledger()
        result = self.good(lines, "--key", "a.pub")
        self.assertTrue(result.out.startswith("verified: 8 records, 2 checkpoints\nsigned by: "))
        self.assertEqual(result.err, "")
        answer = json.loads(self.good(lines, "--json").out)
        self.assertEqual(answer["root"], ledgers.root(lines))
        self.assertEqual((answer["attested"], answer["believed_key"]), (8, True))
        self.assertIn("--key says whose it must be", self.good(lines).err)
        self.good(lines, "--key", self.keys["a"], "--domain", "acme.test")

    def test_E19_it_reads_pipes(self):
        text = ledgers.text(self.ledger())
        self.holds("ledger", "verify", "-", "--key", "a.pub", stdin=text)

    def test_E19_unsigned_records_are_valid_but_unattested(self):
        bodies = [ledgers.operation(n) for n in range(4)]
        self.assertIn("consistent, signed by nobody: 4 records",
                      self.good(self.grow(bodies)).out)
        lines = self.grow([*bodies[:3], "a", *bodies[3:]])
        self.assertIn("not signed for yet: the last 1 record\n", self.good(lines).out)
        self.bad(self.grow(bodies), "no checkpoint is signed by a trusted key", "--key", "a.pub")

    def test_E19_every_flipped_byte_is_found(self):
        """In C this is done for all bits of every byte; here for every byte of a short file."""
        bodies = [{"kind": "k", "n": 1}, {"kind": "k", "n": 2}]
        data = bytearray(ledgers.text(self.grow([*bodies, "a"])).encode())
        step = 1 if SOAK else 5
        for at in range(SEED % step, len(data), step):
            wounded = bytearray(data)
            wounded[at] ^= 1
            result = self.run_motet("ledger", "verify", self.write("w", bytes(wounded)),
                                    "--key", "a.pub")
            self.assertEqual(result.code, 1, f"byte {at}: {result!r}")

    def test_E19_a_changed_record_is_named(self):
        for seq in range(RECORDS):
            lines = self.ledger() if seq == 0 else lines
            at = seq if seq < 5 else seq + 1
            wounded = list(lines)
            wounded[at] = wounded[at].replace("released", "refunded", 1)
            result = self.bad(wounded, f", line {at + 1}, record {seq}: a record was changed")
            answer = json.loads(self.verify(wounded, "--json").out)
            self.assertEqual((answer["holds"], answer["record"], answer["line"]), (False, seq, at + 1))
            self.assertEqual(result.out, "")

    def test_E19_a_record_changed_with_its_hash_breaks_the_next(self):
        lines = self.ledger()
        body = json.loads(lines[2])["body"]
        again = ledgers.records([json.loads(line)["body"] for line in lines[:2]]
                                + [{**body, "outcome": "refunded"}])
        self.bad([*lines[:2], again[2], *lines[3:]], ", line 4, record 3: a record does not follow")

    def test_E19_a_chain_made_anew_disagrees_with_the_checkpoint(self):
        lines = self.ledger()
        bodies = [ledgers.operation(n, outcome="refunded") for n in range(RECORDS)]
        forged = ledgers.records(bodies)
        self.bad([*forged[:5], lines[5], *forged[5:], lines[-1]],
                 ", line 6: the records do not agree with a checkpoint")
        self.bad(self.sign(forged, "b"), "a checkpoint is signed by another key", "--key", "a.pub")

    def test_E19_every_removed_line_is_found(self):
        lines = self.ledger()
        for at, line in enumerate(lines):
            rest = lines[:at] + lines[at + 1:]
            if line.startswith('{"body"'):
                self.assertEqual(self.verify(rest).code, 1, f"line {at + 1}")
        self.write("last.json", lines[-1] + "\n")
        self.good(lines[:-1], "--checkpoint", "last.json")

    def test_E19_every_swap_is_found(self):
        lines = self.ledger()
        for first in range(len(lines)):
            for second in range(first + 1, len(lines)):
                swapped = list(lines)
                swapped[first], swapped[second] = lines[second], lines[first]
                self.assertEqual(self.verify(swapped).code, 1, f"{first} and {second}")

    def test_E19_every_repeated_line_is_found(self):
        lines = self.ledger()
        for at, line in enumerate(lines):
            doubled = lines[:at + 1] + lines[at:]
            wanted = 1 if line.startswith('{"body"') else 0
            self.assertEqual(self.verify(doubled).code, wanted, f"line {at + 1}")

    def test_E19_truncation_behind_a_checkpoint_is_found(self):
        lines = self.ledger()
        self.write("kept.json", lines[-1] + "\n")
        for count in range(len(lines) - 1):
            result = self.verify(lines[:count], "--checkpoint", "kept.json", "--key", "a.pub")
            wanted = 0 if count >= RECORDS + 1 else 1
            self.assertEqual(result.code, wanted, repr(result))
        self.bad(lines[:4], "records are missing at the end", "--checkpoint", "kept.json")
        text = ledgers.text(lines)
        for cut in (1, 2, 40, len(lines[-1])):
            self.write("x.jsonl", text[:-cut])
            result = self.fails(1, "ledger", "verify", "x.jsonl")
            self.assertIn("cut off", result.err)

    def test_a_checkpoint_from_another_ledger_is_refused(self):
        other = self.sign(ledgers.records([ledgers.operation(9)] * 3), "a")
        self.write("other.json", other[-1])
        self.bad(self.ledger(), "do not agree with the trusted checkpoint",
                 "--checkpoint", "other.json")
        self.write("forged.json", other[-1].replace('"size":3', '"size":4'))
        self.assertIn("signature is wrong",
                      self.fails(1, "ledger", "verify", self.put(self.ledger()),
                                 "--checkpoint", "forged.json").err)
        self.write("none.json", "{}")
        self.fails(1, "ledger", "verify", self.put(self.ledger()), "--checkpoint", "none.json")

    def test_E20_the_trust_domain_is_in_every_record_and_stays(self):
        good = [ledgers.operation(n) for n in range(3)]
        bare = {"kind": "k"}
        self.good(self.grow([bare, *good, "a"]))
        self.bad(ledgers.records([*good, bare]), "record 3: a record names no trust domain")
        self.bad(ledgers.records([*good, {**bare, "trust_domain": "other"}]),
                 "record 3: a record is of another trust domain")
        self.bad(ledgers.records([{**bare, "trust_domain": 7}]), "is not text")
        self.bad(ledgers.records([{**bare, "trust_domain": ""}]), "is not text")
        self.bad(self.ledger(), "another trust domain than expected", "--domain", "acme.prod")

    def test_bodies_are_canonical(self):
        for body in ('{"b":1,"a":2}', '{"a":1,"a":2}', '{"a": 1}', '{"a":"\\u0041"}', '[1]', '1',
                     '{"a":"\\/"}', '{"a":01}', '{}x', '{"a":"\ufffe"', "{" * 300):
            digest = hashlib.sha256(bytes(32) + body.encode()).hexdigest()
            line = f'{{"body":{body},"hash":"{digest}","prev":"{"0" * 64}","seq":0}}'
            self.bad([line], "not canonical JSON")

    def test_broken_files(self):
        for data in (b"\n", b"\0\n", b"{}\n", b'{"body":{},"hash":"","prev":"","seq":0}\n',
                     b"\xff\xfe\n", b"[]\n", b"x" * 100000 + b"\n"):
            result = self.fails(1, "ledger", "verify", self.write("x", data))
            self.assertIn("line 1", result.err)
        self.holds("ledger", "verify", self.write("empty", b""))
        self.fails(3, "ledger", "verify", "nowhere")
        self.fails(3, "ledger", "verify", ".")
        self.fails(2, "ledger", "verify")
        self.fails(2, "ledger", "verify", "x", "--key", "nokey")

    def test_a_line_has_a_limit(self):
        line = ledgers.records([{"kind": "x" * 5000}])
        self.good(line)
        result = self.fails(1, "ledger", "verify", self.put(line), "--limit",
                            "ledger_line_bytes=4000")
        self.assertIn("limit ledger_line_bytes", result.err)

    def test_memory_stays_the_same_however_long_it_is(self):
        """24 MB of records, and one line of 9 MB, in a process that may have 200 MB."""
        lines = ledgers.records([ledgers.operation(n % 60, pad="x" * 2000) for n in range(9000)])
        self.put(lines)
        script = f"ulimit -v 200000; exec {MOTET} ledger verify x.jsonl"
        if "asan" not in str(MOTET):  # a sanitizer cannot live with the limit
            done = subprocess.run(["bash", "-c", script], cwd=self.dir, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.good(ledgers.records([{"kind": "x" * 9000000}]))


class Keys(Ledgers):
    def rotation(self):
        """a signs, adds b; b signs, revokes a."""
        op = ledgers.operation
        return [ledgers.key_event("key_added", self.keys["a"]), op(1), "a", op(2),
                ledgers.key_event("key_added", self.keys["b"]), "a", op(3), "b",
                ledgers.key_event("key_revoked", self.keys["a"]), op(4), "b", op(5), "b"]

    def test_E19_rotation_keeps_old_records_verifiable(self):
        lines = self.grow(self.rotation())
        for key in ("a.pub", "b.pub"):
            self.good(lines, "--key", key)
        self.good(lines)
        self.bad(lines, "signed by a key that no trusted key vouches for", "--key", "c.pub")
        for count in (3, 6, 8):
            self.good(lines[:count], "--key", "a.pub")

    def test_E19_a_revoked_key_signs_nothing_more(self):
        self.bad(self.grow([*self.rotation(), ledgers.operation(6), "a"]),
                 "signed by a key that was revoked before", "--key", "a.pub")
        # Not even the record that revokes it.
        op = ledgers.operation
        self.bad(self.grow([op(1), "a", ledgers.key_event("key_revoked", self.keys["a"]), "a"]),
                 "signed by a key that was revoked before")

    def test_E19_a_revoked_key_never_comes_back(self):
        self.bad(self.grow([*self.rotation(), ledgers.key_event("key_added", self.keys["a"])]),
                 "a revoked key is added again")

    def test_E19_a_key_cannot_add_itself(self):
        """A thief who appends his own key must have it vouched for by a key that counts."""
        stolen = self.rotation()[:3] + [ledgers.key_event("key_added", self.keys["c"]), "c"]
        self.bad(self.grow(stolen), "no trusted key vouches for", "--key", "a.pub")
        self.bad(self.grow([*stolen, ledgers.operation(3), "c"]), "no trusted key vouches for")
        # Vouched for later: everything is covered by the key that counts.
        self.good(self.grow([*stolen, "a"]), "--key", "a.pub")

    def test_E19_a_key_that_was_never_added_is_refused(self):
        op = ledgers.operation
        self.bad(self.grow([op(1), "a", op(2), "b"]), "signed by another key")
        self.good(self.grow([op(1), "a", op(2), "b"]), "--key", "a.pub", "--key", "b.pub")

    def test_a_stolen_old_key_does_not_convince_who_knows_the_new_one(self):
        forged = self.grow([ledgers.key_event("key_added", self.keys["a"]),
                            ledgers.operation(7), "a"])
        self.good(forged, "--key", "a.pub")
        self.bad(forged, "no trusted key vouches for", "--key", "b.pub")

    def test_key_records_name_a_key(self):
        for key in ("", "00", "zz" * 32, "AB" * 32, 7):
            self.bad(ledgers.records([ledgers.key_event("key_added", key)]),
                     "a key record names no key")

    def test_exports_are_signed_only_by_keys_that_may(self):
        lines = self.put(self.grow(self.rotation()))
        self.holds("ledger", "export", lines, "--sign", "b.secret", "--out", "copy")
        self.holds("ledger", "verify", "copy", "--key", "a.pub")
        for key in ("a.secret", "c.secret"):
            self.fails(1, "ledger", "export", lines, "--sign", key, "--out", "no")
            self.assertFalse((self.dir / "no").exists())


class Prove(Ledgers):
    def setUp(self):
        super().setUp()
        self.lines = self.ledger()
        self.put(self.lines)
        self.holds("ledger", "export", "x.jsonl", "--checkpoint", "last", "--out", "c8.json")
        self.holds("ledger", "export", "x.jsonl", "--checkpoint", "5", "--out", "c5.json")

    def proof(self, *words, name="p.json"):
        self.holds("ledger", "prove", "x.jsonl", *words, "--out", name)
        return json.loads((self.dir / name).read_text())

    def check(self, code, *more, checkpoint="c8.json"):
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        for name in ("p.json", "c8.json", "c5.json", "a.pub"):
            shutil.copy(self.dir / name, elsewhere / name)
        result = self.run_motet("ledger", "verify", "--proof", "p.json", "--checkpoint", checkpoint,
                                "--key", "a.pub", *more, cwd=elsewhere)
        self.assertEqual(result.code, code, repr(result))
        return result

    def test_E19_every_record_can_be_proven_without_the_ledger(self):
        for seq in range(RECORDS):
            proof = self.proof(seq)
            self.assertEqual(proof["record"], json.loads(self.lines[seq if seq < 5 else seq + 1]))
            self.assertLessEqual(len(proof["hashes"]), 3)
            self.assertEqual(self.check(0).out,
                             f"verified: record {seq} is in the ledger of 8 records\n")
            self.check(1, checkpoint="c5.json")

    def test_E19_an_earlier_size_can_be_proven_too(self):
        self.proof(2, "--size", 5)
        self.check(0, checkpoint="c5.json")

    def test_E19_consistency_of_two_checkpoints(self):
        self.proof("--from", 5)
        result = self.check(0, "--checkpoint", "c5.json")
        self.assertEqual(result.out, "verified: the ledger of 8 records begins with the one of 5\n")
        self.check(1)  # only one of the two was given
        self.assertTrue(json.loads(self.check(0, "--checkpoint", "c5.json", "--json").out)["holds"])

    def test_E19_forged_proofs_fail(self):
        rng = random.Random(SEED)
        proof = self.proof(3)
        text = (self.dir / "p.json").read_text()
        forgeries = []
        for _ in range(40):
            at = rng.randrange(len(text) - 1)
            forgeries.append(text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1:])
        for change in ({"size": 7}, {"hashes": proof["hashes"][::-1]}, {"hashes": []},
                       {"hashes": proof["hashes"] + proof["hashes"]}, {"proof": "consistency"},
                       {"record": json.loads(self.lines[4])}, {"extra": 1}):
            forgeries.append(json.dumps({**proof, **change}))
        for forgery in forgeries:
            self.write("p.json", forgery)
            self.check(1)

    def test_a_proof_can_be_laid_out_as_anyone_likes(self):
        self.write("p.json", json.dumps(self.proof(3), indent=4))
        self.check(0)

    def test_the_checkpoint_is_by_the_key_that_counts(self):
        self.proof(3)
        result = self.fails(1, "ledger", "verify", "--proof", "p.json", "--checkpoint", "c8.json",
                            "--key", "b.pub")
        self.assertIn("signed by another key", result.err)
        self.fails(2, "ledger", "verify", "--proof", "p.json")

    def test_what_cannot_be_proven_is_said(self):
        self.assertIn("no record 8", self.fails(1, "ledger", "prove", "x.jsonl", 8).err)
        self.assertIn("only 8 records", self.fails(1, "ledger", "prove", "x.jsonl", 1,
                                                    "--size", 9).err)
        self.fails(2, "ledger", "prove", "x.jsonl")
        self.fails(2, "ledger", "prove", "x.jsonl", "-1")
        self.fails(2, "ledger", "prove", "x.jsonl", "one")
        self.fails(2, "ledger", "prove", "x.jsonl", "1", "--from", "1")
        self.put(self.lines[:8], "tail.jsonl")
        self.assertIn("not covered by a checkpoint",
                      self.fails(1, "ledger", "prove", "tail.jsonl", 6).err)
        self.put(self.lines[:2] + self.lines[3:], "bad.jsonl")
        self.fails(1, "ledger", "prove", "bad.jsonl", 1)
        self.fails(3, "ledger", "prove", "-", 1, stdin=ledgers.text(self.lines))


class Show(Ledgers):
    def seqs(self, *filters):
        out = self.holds("ledger", "show", "x.jsonl", "--json", *filters).out
        return [json.loads(line)["seq"] for line in out.splitlines()]

    def setUp(self):
        super().setUp()
        bodies = [ledgers.operation(n) for n in range(6)]
        bodies.append({"contract": "other", "entity": "Door", "flow": "flow-1", "instance": "acc-0",
                       "kind": "instance_created", "text": "two words \x1b[31m", "trust_domain": "acme.test"})
        self.put(self.grow([*bodies, "a"]))

    def test_filters(self):
        self.assertEqual(self.seqs(), [0, 1, 2, 3, 4, 5, 6])
        self.assertEqual(self.seqs("--from", 2, "--to", 4), [2, 3])
        self.assertEqual(self.seqs("--most", 2), [0, 1])
        self.assertEqual(self.seqs("--kind", "operation", "--from", 4), [4, 5])
        self.assertEqual(self.seqs("--contract", "other"), [6])
        self.assertEqual(self.seqs("--flow", "flow-1"), [2, 3, 6])
        self.assertEqual(self.seqs("--instance", "acc-0"), [0, 3, 6])
        self.assertEqual(self.seqs("--instance", "EscrowAccount/acc-0"), [0, 3])
        self.assertEqual(self.seqs("--instance", "Door/acc-0"), [6])
        self.assertEqual(self.seqs("--kind", "nothing"), [])
        self.fails(2, "ledger", "show", "x.jsonl", "--from", "x")

    def test_text_is_a_row_per_record(self):
        out = self.holds("ledger", "show", "x.jsonl").out.splitlines()
        self.assertEqual(out[0].split(), ["N", "TIME", "KIND", "CONTRACT", "WHAT", "WHO"])
        self.assertEqual(out[1].split()[:5], ["0", "2026-01-01", "00:00:00", "operation", "escrow"])
        self.assertEqual(len([line for line in out if re.match(r"\d", line)]), 7)
        self.assertIn("released", "".join(out))
        self.assertIn("checkpoint: 7 records", out[-1])
        self.assertNotIn("\x1b", "".join(out))

    def test_json_lines_are_the_records_themselves(self):
        text = (self.dir / "x.jsonl").read_text().splitlines()
        self.assertEqual(self.holds("ledger", "show", "x.jsonl", "--json").out.splitlines(), text[:-1])

    def test_what_is_no_ledger_is_refused(self):
        self.assertIn("line 1", self.fails(1, "ledger", "show", self.write("y", "{}\n")).err)
        self.fails(1, "ledger", "show", self.write("y", "{}"))
        self.fails(3, "ledger", "show", "nowhere")


class Served(Ledgers):
    """The ledger of a running service, its proofs, and a key handed over."""

    def serve(self, *words):
        (self.dir / "ready").unlink(missing_ok=True)
        server = subprocess.Popen(
            [str(MOTET), "serve", *map(str, words), "--store", "sqlite:s.db", "--listen",
             "127.0.0.1:0", "--ready-file", "ready", "--trust-domain", "acme.test"],
            cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for _ in range(600):
            if (self.dir / "ready").exists() and (self.dir / "ready").read_text().strip():
                return server, (self.dir / "ready").read_text().strip()
            self.assertIsNone(server.poll(), "the service ended")
            time.sleep(0.05)
        self.fail("the service does not start")

    def stop(self, server):
        server.terminate()
        self.assertEqual(server.wait(30), 0)

    def get(self, url, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()

    def test_E19_what_a_service_did_is_verified_and_proven_elsewhere(self):
        escrow = SOURCE / "examples" / "escrow" / "escrow.tenor"
        server, url = self.serve(escrow, "--signing-key", "a.secret")
        made = json.loads(self.get(f"{url}/v1/contracts/escrow/instances/EscrowAccount",
                                   {"id": "e1"}))
        out = self.holds("ledger", "show", "--store", "sqlite:s.db", "--instance", "e1").out
        self.assertIn("instance_created", out)
        self.assertIn("not signed for yet", self.holds("ledger", "verify", "--store", "sqlite:s.db",
                                                       "--key", "a.pub").out)
        self.stop(server)
        server, url = self.serve("--signing-key", "b.secret", "--previous-signing-key", "a.secret")
        proof = self.get(f"{url}/v1/ledger/{made['record']}/proof?size=5")
        self.stop(server)
        for key in ("a.pub", "b.pub"):
            self.holds("ledger", "verify", "--store", "sqlite:s.db", "--key", key)
        self.holds("ledger", "export", "--store", "sqlite:s.db", "--out", "copy.jsonl")
        self.holds("ledger", "verify", "copy.jsonl", "--key", "b.pub", "--domain", "acme.test")
        self.holds("ledger", "export", "copy.jsonl", "--checkpoint", "5", "--out", "c.json")
        self.write("p.json", proof)
        self.holds("ledger", "verify", "--proof", "p.json", "--checkpoint", "c.json", "--key", "b.pub")
        own = json.loads(self.holds("ledger", "prove", "--store", "sqlite:s.db", "2").out)
        self.assertEqual(own["record"], json.loads(proof)["record"])

    def test_a_store_that_is_not_there_is_said(self):
        self.fails(3, "ledger", "verify", "--store", "sqlite:nowhere.db")
        self.assertFalse((self.dir / "nowhere.db").exists())


class Export(Ledgers):
    def test_a_copy_is_the_same_bytes(self):
        path = self.put(self.ledger())
        self.assertEqual(self.holds("ledger", "export", path).out_bytes, path.read_bytes())
        self.holds("ledger", "export", path, "--out", "copy")
        self.assertEqual((self.dir / "copy").read_bytes(), path.read_bytes())

    def test_nothing_broken_is_exported(self):
        lines = self.ledger()
        path = self.put(lines[1:])
        self.write("copy", "old")
        self.fails(1, "ledger", "export", path, "--out", "copy")
        self.assertEqual((self.dir / "copy").read_text(), "old")
        self.assertEqual([p.name for p in self.dir.glob("copy.tmp*")], [])

    def test_checkpoints_are_taken_out(self):
        lines = self.ledger()
        path = self.put(lines)
        self.assertEqual(self.holds("ledger", "export", path, "--checkpoint", "5").out,
                         lines[5] + "\n")
        self.assertEqual(self.holds("ledger", "export", path, "--checkpoint", "last").out,
                         lines[-1] + "\n")
        self.fails(1, "ledger", "export", path, "--checkpoint", "6")

    def test_a_signed_copy_has_a_checkpoint_more(self):
        path = self.put(ledgers.records([ledgers.operation(1)]))
        lines = self.holds("ledger", "export", path, "--sign", "a.secret").out.splitlines()
        self.assertEqual(lines[-1], ledgers.checkpoint(lines, self.dir / "a"))
        point = json.loads(lines[-1])
        self.assertEqual(point["key"], self.keys["a"])
        self.assertEqual(point["checkpoint"]["domain"], "acme.test")
        self.assertEqual(point["checkpoint"]["root"], ledgers.root(lines))
        self.assertEqual(point["checkpoint"]["head"], json.loads(lines[0])["hash"])


main()
