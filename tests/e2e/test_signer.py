"""What a key signs: only a ledger that goes on from what it signed before, whatever the owner
of the database did to it, and whatever happened to files, disks and nodes. The tampering is a
table; then come the ways back: restored copies, failovers, several nodes, lost disks."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import tempfile
import time

import ledgers
from forger import Forger
from harness import SANITIZED, Case, main, run
from postgres import Postgres
from serve import ESCROW, Server

MIDDLE = 15  # a record well inside of the signed part


def fill(server, count, letter="e"):
    for n in range(count):
        answer = server.post("/v1/contracts/escrow/instances/EscrowAccount", {"id": f"{letter}{n}"})
        assert answer.status == 201, answer


def serve(directory, store, *options, key="a", files=(ESCROW,), every=20):
    return Server(directory, *files, store=store,
                  options=("--signing-key", f"{key}.secret", "--trust-domain", "acme.test",
                           "--checkpoint-every", every, *options))


class Signer(Case):
    """A store with a signed ledger of about 60 records; keys a (its own), b and f (foreign)."""

    def setUp(self):
        super().setUp()
        for name in "abf":
            self.holds("keygen", "--prefix", name)

    def make(self, store, count=60):
        with serve(self.dir, store) as server:
            fill(server, count)
        return store

    def file(self):
        return f"sqlite:{self.dir}/s.db"

    def verify(self, store, *more):
        return self.run_motet("ledger", "verify", "--store", store, "--key", "a.pub", *more)

    def accept(self, store, *more, code=0):
        result = self.run_motet("ledger", "accept", "--store", store, "--signing-key", "a.secret",
                                "--reason", "as decided", *more)
        self.assertEqual(result.code, code, repr(result))
        return result

    def checkpoints(self, store):
        f = Forger(store)
        f.store.close()
        return f.checkpoints

    def refused(self, store, *options, says="sign"):
        """Nothing is signed, and readiness says why; or it does not even start."""
        before = self.checkpoints(store)
        server = serve(self.dir, store, *options)
        try:
            server.start()
        except RuntimeError as error:
            self.assertIn("sign", str(error))
        else:
            answer = server.get("/readyz")
            self.assertEqual(answer.status, 503, answer)
            self.assertIn(says, answer.body.decode())
        finally:
            server.stop()
        after = self.checkpoints(store)
        self.assertEqual({s: t for s, t in after.items() if before.get(s) != t}, {},
                         "something was signed")

    def signs(self, store, *options, **named):
        """It is ready, and what it writes is signed for in the end."""
        with serve(self.dir, store, *options, **named) as server:
            self.assertEqual(server.get("/readyz").json, {"status": "ready"}, server.log())
            fill(server, 1, f"x{time.monotonic_ns()}-")
        result = self.verify(store)
        self.assertEqual(result.code, 0, repr(result))
        self.assertNotIn("not signed for", result.out)


# ---- The table -----------------------------------------------------------------------


def newest(f):
    return max(f.checkpoints)


def kept(f):
    """The newest checkpoint with some records behind it."""
    return max(size for size in f.checkpoints if size < len(f.records) - 8)


def earlier(f):
    """One of the first, but for the one over the first record."""
    return sorted(f.checkpoints)[1]


def changed(f):
    f.change(MIDDLE, instance="somebody else's")


def changed_alone(f):
    """Its hash fits, but the next record's does not follow."""
    hashes = [r["hash"] for r in f.records[MIDDLE + 1:]]
    changed(f)
    f.chain(MIDDLE)
    for record, digest in zip(f.records[MIDDLE + 1:], hashes):
        record["hash"] = digest


def rechained(f):
    changed(f)
    f.chain(MIDDLE)
    f.fix_head()


def rewritten(f):
    """From behind a checkpoint on, as if it had been so from the beginning."""
    signed = kept(f)
    f.change(signed + 5, instance="somebody else's")
    f.chain(signed + 5)
    f.fix_head()
    f.drop_checkpoints(signed)


def deleted(f, *seqs):
    for seq in sorted(seqs, reverse=True):
        del f.records[seq]


def renumbered(f, start=MIDDLE):
    f.number()
    f.chain(start)
    f.fix_head()


def truncated(f):
    del f.records[kept(f):]


def cut_short(f):
    """An older state of the store, whole in itself."""
    truncated(f)
    f.fix_head()
    f.drop_checkpoints(len(f.records))


def swapped(f, first=MIDDLE, second=MIDDLE + 3):
    r = f.records
    r[first]["seq"], r[second]["seq"] = second, first
    r[first], r[second] = r[second], r[first]


def swapped_bodies(f):
    one, other = f.records[5], f.records[9]
    one["body"], other["body"] = other["body"], one["body"]


def appended(f):
    f.insert(len(f.records), instance="made up")
    f.chain(len(f.records) - 1)


def before_the_first(f):
    f.records.insert(0, dict(f.records[0], seq=-1, id=0))


def foreign_signed(f):
    """Chained anew, the real checkpoints gone, a stranger's in their place."""
    rechained(f)
    sizes = list(f.checkpoints)
    f.drop_checkpoints(0)
    for size in sizes:
        f.sign(size, "f")


def foreign_ledger(f):
    """All of it anew, with the stranger's key announced in it."""
    stranger = base64.b64decode(pathlib.Path("f.pub").read_bytes()).hex()
    f.change(0, key=stranger)
    f.chain()
    f.fix_head()
    sizes = list(f.checkpoints)
    f.drop_checkpoints(0)
    for size in sizes:
        f.sign(size, "f")


def point(f, at, **members):
    """Changes what a checkpoint says."""
    line = json.loads(f.checkpoints[at])
    line["checkpoint"].update(members)
    f.checkpoints[at] = ledgers.compact(line) + "\n"


def swap_points(f, one, other):
    f.checkpoints[one], f.checkpoints[other] = f.checkpoints[other], f.checkpoints[one]


def move_point(f, size, to):
    f.checkpoints[to] = f.checkpoints.pop(size)


def far_behind(f):
    last = max(r["id"] for r in f.records)
    f.records.append(dict(f.records[-1], id=last + 1, seq=2**63 - 1))


def no_points(f, fix):
    f.checkpoints = {}
    if fix:
        f.fix_count()


def head(f, number=0, text=None):
    size, tail = f.meta["ledger"]
    f.meta["ledger"] = (size + number, tail if text is None else text)


def older_head(f):
    """As it was 20 records ago, in agreement with them."""
    rest = f.records[kept(f):]
    truncated(f)
    f.fix_head()
    f.records += rest


def tail_text(f):
    return f.meta["ledger"][1]


def flipped(text, at):
    return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1:]


V, S, NOTHING = "verify", "start", ""
TABLE = [
    # records
    ("records: change", changed, V + S),
    ("records: change, with its own hash", changed_alone, V + S),
    ("records: change, chained anew", rechained, V + S),
    ("records: change, chained anew, checkpoints dropped", rewritten, S),
    ("records: change, chained anew, signed by a foreign key", foreign_signed, V + S),
    ("records: all anew, with a foreign key announced", foreign_ledger, V + S),
    ("records: delete", lambda f: deleted(f, MIDDLE), V + S),
    ("records: delete the first", lambda f: deleted(f, 0), V + S),
    ("records: delete several", lambda f: deleted(f, MIDDLE, MIDDLE + 7), V + S),
    ("records: delete, numbered anew", lambda f: (deleted(f, MIDDLE), f.number()), V + S),
    ("records: delete, chained anew", lambda f: (deleted(f, MIDDLE), renumbered(f)), V + S),
    ("records: insert", lambda f: f.insert(MIDDLE, instance="more"), V + S),
    ("records: insert, chained anew", lambda f: (f.insert(MIDDLE, instance="more"), renumbered(f)), V + S),
    ("records: insert before the first", before_the_first, V + S),
    ("records: insert far behind the last", far_behind, V + S),
    ("records: cut off a hash", lambda f: f.records[MIDDLE].update(hash=b"\0"), V + S),
    ("records: insert at the end", appended, V + S),
    ("records: reorder", swapped, V + S),
    ("records: reorder, chained anew", lambda f: (swapped(f), renumbered(f)), V + S),
    ("records: swap bodies", swapped_bodies, V + S),
    ("records: swap the last two, chained anew", lambda f: (
        swapped(f, len(f.records) - 2, len(f.records) - 1), renumbered(f, len(f.records) - 2)), V + S),
    ("records: truncate", truncated, V + S),
    ("records: truncate, head fixed", lambda f: (truncated(f), f.fix_head()), V + S),
    ("records: truncate, head fixed, checkpoints dropped", cut_short, S),
    ("records: truncate to nothing", lambda f: f.records.clear(), V + S),
    ("records: truncate to nothing, head fixed, checkpoints dropped", lambda f: (
        f.records.clear(), f.fix_head(), no_points(f, True)), V + S),
    # checkpoints
    ("checkpoints: delete one", lambda f: f.checkpoints.pop(earlier(f)), V),
    ("checkpoints: delete one, count fixed", lambda f: (f.checkpoints.pop(earlier(f)), f.fix_count()),
     NOTHING),  # the next one says the same
    ("checkpoints: delete the newest", lambda f: f.checkpoints.pop(newest(f)), V),
    ("checkpoints: delete all", lambda f: no_points(f, False), V),
    ("checkpoints: delete all, count fixed", lambda f: no_points(f, True), V),
    ("checkpoints: change the root", lambda f: point(f, newest(f), root="0" * 64), V + S),
    ("checkpoints: change an earlier root", lambda f: point(f, earlier(f), root="0" * 64), V),
    ("checkpoints: change the size", lambda f: point(f, newest(f), size=newest(f) - 1), V + S),
    ("checkpoints: change the domain", lambda f: point(f, newest(f), domain="acme.prod"), V + S),
    ("checkpoints: insert words", lambda f: f.checkpoints.update({MIDDLE: "{}\n"}), V),
    ("checkpoints: insert one by a foreign key", lambda f: f.sign(MIDDLE, "f"), V),
    ("checkpoints: replace the newest by a foreign key's", lambda f: f.sign(newest(f), "f"), V + S),
    ("checkpoints: insert one over nothing", lambda f: f.checkpoints.update(
        {0: f.checkpoints[earlier(f)]}), V),
    ("checkpoints: insert one beyond the end", lambda f: f.checkpoints.update(
        {newest(f) + 9: f.checkpoints[newest(f)]}), V + S),
    ("checkpoints: reorder", lambda f: move_point(f, earlier(f), earlier(f) + 1), V),
    ("checkpoints: swap", lambda f: swap_points(f, earlier(f), newest(f)), V + S),
    ("checkpoints: swap two earlier ones", lambda f: swap_points(f, 1, earlier(f)), V),
    ("checkpoints: truncate", lambda f: [f.checkpoints.pop(s) for s in sorted(f.checkpoints)[2:]],
     V),
    # the head of the chain
    ("head: delete", lambda f: f.meta.pop("ledger"), V + S),
    ("head: change the number up", lambda f: head(f, 1), V + S),
    ("head: change the number down", lambda f: head(f, -1), V + S),
    ("head: change the hash", lambda f: head(f, text=flipped(tail_text(f), 3)), V + S),
    ("head: change a root", lambda f: head(f, text=flipped(tail_text(f), 70)), V + S),
    ("head: truncate", lambda f: head(f, text=tail_text(f)[:-65]), V + S),
    ("head: insert a root", lambda f: head(f, text=tail_text(f) + " " + "0" * 64), V + S),
    ("head: reorder", lambda f: head(f, text=" ".join(reversed(tail_text(f).split()))), V + S),
    ("head: swap with an older one", older_head, V + S),
]
POSTGRES = ["records: change, chained anew", "records: change, chained anew, checkpoints dropped",
            "records: truncate", "checkpoints: insert one by a foreign key",
            "head: change the number up"]


class Tampering(Signer):
    """Each row is found by `ledger verify --store`, or refused at the start, or both, as the
    table says. The one row that is not takes nothing away."""

    def setUp(self):
        super().setUp()
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        os.chdir(self.dir)  # the forger looks for his key

    def check_row(self, store, name, tamper, found):
        with Forger(store) as f:
            tamper(f)
        result = self.verify(store)
        self.assertEqual(result.code, 1 if V in found else 0, f"{name}: {result!r}")
        if S in found and (V not in found or not SANITIZED):  # or it takes too long
            self.refused(store)
        if not found:
            self.signs(store)

    def test_every_row_on_sqlite(self):
        self.make(self.file())
        for name in ("s.db", "a.secret.memory"):
            shutil.copy(name, f"{name}.good")
        for name, tamper, found in TABLE:
            with self.subTest(name):
                for old in self.dir.glob("s.db*"):
                    if not old.name.endswith(".good"):
                        old.unlink()
                for kept in ("s.db", "a.secret.memory"):
                    shutil.copy(f"{kept}.good", kept)
                self.check_row(self.file(), name, tamper, found)

    def test_some_rows_on_postgresql(self):
        rows = {name: (tamper, found) for name, tamper, found in TABLE}
        with Postgres() as server:
            store = self.make(server.url())
            good, memory = Forger(store), (self.dir / "a.secret.memory").read_text()
            for name in POSTGRES:
                with self.subTest(name):
                    good.write()
                    (self.dir / "a.secret.memory").write_text(memory)
                    self.check_row(store, name, *rows[name])

    def test_what_only_the_memory_finds(self):
        """A tail rewritten by the owner of the database, in whose hands nothing is left that
        contradicts it: whoever kept a checkpoint finds it, and the signer kept one."""
        store = self.make(self.file())
        with Forger(store) as f:
            rewritten(f)
        self.assertEqual(self.verify(store).code, 0)
        self.write("kept.json", (self.dir / "a.secret.memory").read_text().splitlines()[0])
        found = self.verify(store, "--checkpoint", "kept.json")
        self.assertEqual(found.code, 1, repr(found))
        self.assertIn("do not agree with the trusted checkpoint", found.err)
        self.refused(store, says="not those this key signed")
        (self.dir / "a.secret.memory").unlink()
        self.refused(store, says="its memory is not there")

    def test_a_revocation_by_somebody_else_does_not_silence_the_signer(self):
        """While it runs: it says that it signs no more, and that nobody else does."""
        with serve(self.dir, self.file(), "--checkpoint-seconds", "1") as server:
            fill(server, 5)
            own = base64.b64decode((self.dir / "a.pub").read_bytes()).hex()
            with Forger(self.file()) as f:
                f.insert(len(f.records))
                f.records[-1].update(kind="key_revoked", body=ledgers.compact(
                    ledgers.key_event("key_revoked", own)))
                f.chain(len(f.records) - 1)
                f.fix_head()
            fill(server, 1, "more")
            said = lambda: "revokes this key" in server.get("/readyz").body.decode()
            self.assertTrue(server.wait_until(said, 20), server.log())

    def add_key(self, f, kind, name):
        key = base64.b64decode((self.dir / f"{name}.pub").read_bytes()).hex()
        f.insert(len(f.records))
        f.records[-1].update(kind=kind, body=ledgers.compact(ledgers.key_event(kind, key)))
        f.chain(len(f.records) - 1)
        f.fix_head()

    def test_a_key_that_somebody_else_adds_is_not_vouched_for(self):
        """Who signs for the record vouches for the key, and for all that it signs."""
        store = self.make(self.file())
        with Forger(store) as f:
            self.add_key(f, "key_added", "f")
        self.refused(store, says="adds a key that nobody hands over to")
        result = self.fails(1, "ledger", "export", "--store", store, "--sign", "a.secret")
        self.assertIn("a key is added that nobody has signed for", result.err)
        with Forger(store) as f:
            f.sign(len(f.records), "f")
        self.assertIn("no trusted key vouches for", self.verify(store).err)
        with Forger(store) as f:
            del f.checkpoints[newest(f)]
            f.fix_count()
        result = self.run_motet("ledger", "accept", "--store", store, "--signing-key", "a.secret",
                                "--reason", "looked at it")
        self.assertIn("revoked: 1 key that nobody handed over to", result.out)
        self.signs(store)
        with Forger(store) as f:
            f.sign(len(f.records), "f")
        self.assertIn("by a key that was revoked before", self.verify(store).err)

    def test_a_stranger_does_not_take_over_from_a_signer_that_runs(self):
        """Neither a record that revokes the key nor a checkpoint behind it make a hand-over."""
        for announced in (False, True):
            with self.subTest(announced), serve(self.dir, f"sqlite:{self.dir}/{announced}.db",
                                                "--signer-memory", f"{announced}.memory",
                                                "--checkpoint-seconds", "1") as server:
                fill(server, 5)
                with Forger(server.store) as f:
                    if announced:
                        self.add_key(f, "key_added", "f")
                    self.add_key(f, "key_revoked", "a")
                    f.sign(len(f.records), "f")
                fill(server, 1, "more")
                said = lambda: "did not hand over to" in server.get("/readyz").body.decode()
                self.assertTrue(server.wait_until(said, 20), server.log())

    def test_what_nobody_finds(self):
        """A record that the owner of the database chains behind the last signature is signed
        like any other: a signature says since when a record is there, not who wrote it."""
        store = self.make(self.file())
        with Forger(store) as f:
            appended(f)
            f.fix_head()
        self.assertIn("not signed for yet: the last 1 record", self.verify(store).out)
        self.signs(store)


class Findings(Signer):
    def test_FS4_records_that_are_missing_at_the_end_are_found(self):
        store = self.make(self.file())
        with Forger(store) as f:
            truncated(f)
        result = self.verify(store)
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("records are missing at the end", result.err)
        self.fails(1, "ledger", "export", "--store", store, "--out", "copy.jsonl")
        self.fails(1, "backup", "--store", store, "--out", "copy")
        self.refused(store)

    def test_no_copy_is_called_verified_when_checkpoints_or_head_say_otherwise(self):
        for tamper, says in ((lambda f: (truncated(f), f.fix_head()), "a checkpoint is over more"),
                             (lambda f: f.meta.pop("ledger"), "the head of the chain is missing")):
            with self.subTest(says):
                for old in (*self.dir.glob("s.db*"), *self.dir.glob("copy*"),
                            *self.dir.glob("*.memory")):
                    old.unlink()
                store = self.make(self.file())
                with Forger(store) as f:
                    tamper(f)
                self.assertIn(says, self.fails(1, "backup", "--store", store, "--out", "copy").err)

    def test_FS5_a_forged_ledger_is_not_signed(self):
        store = self.make(self.file())
        with Forger(store) as f:
            rewritten(f)
            last = newest(f)
        with serve(self.dir, store) as server:
            fill(server, 45, "more")  # many more than it takes for a checkpoint
        self.assertEqual(max(self.checkpoints(store)), last, "the forgery was signed")
        self.refused(store)

    def test_an_exported_forgery_is_not_signed_either(self):
        store = self.make(self.file())
        self.holds("ledger", "export", "--store", store, "--sign", "a.secret", "--out", "good.jsonl")
        for tamper, says in ((rewritten, "do not agree with the trusted checkpoint"),
                             (cut_short, "records are missing at the end")):
            with Forger(store) as f:
                tamper(f)
            result = self.fails(1, "ledger", "export", "--store", store, "--sign", "a.secret")
            self.assertIn(says, result.err)
            self.assertEqual(result.out, "")
        (self.dir / "a.secret.memory").write_text("x")
        self.assertIn("a.secret.memory", self.fails(
            1, "ledger", "export", "good.jsonl", "--sign", "a.secret").err)

    def second(self, name):
        server = serve(self.dir, f"sqlite:{self.dir}/{name}")
        told = len(server.log())
        try:
            server.start()
        except RuntimeError:
            server.stop()
            self.assertIn("is in use by another server", server.log()[told:])
        else:
            server.stop(signal.SIGKILL)
            self.fail(f"a second server serves {name}")

    def test_FS9_one_server_per_file_whatever_its_name(self):
        store = self.file()
        with serve(self.dir, store) as server:
            (self.dir / "link.db").symlink_to("s.db")
            os.link(self.dir / "s.db", self.dir / "hard.db")
            os.mkdir(self.dir / "under")
            for name in ("link.db", "hard.db", "under/../s.db", "s.db"):
                with self.subTest(name):
                    self.second(name)
            (self.dir / "s.db.lock").unlink()
            self.second("s.db")
            # Who only reads, or works beside the server, is not kept out.
            self.holds("ledger", "verify", "--store", store)
            self.holds("backup", "--store", store, "--out", "copy")
            server.token("--name", "t", "--persona", "seller")
            self.assertEqual(server.stop(signal.SIGKILL), -signal.SIGKILL)
        with serve(self.dir, "sqlite:" + str(self.dir / "link.db")) as again:
            self.assertEqual(again.get("/healthz").status, 200)


# ---- By time, and after a crash -------------------------------------------------------


class When(Signer):
    def test_a_record_is_signed_for_after_a_while(self):
        with serve(self.dir, self.file(), "--checkpoint-seconds", "1") as server:
            for n in range(2):
                fill(server, 3, "ab"[n])
                signed = lambda: "not signed for" not in self.verify(self.file()).out
                self.assertTrue(server.wait_until(signed, 20), server.log())

    def test_the_pause_has_a_least_and_a_most(self):
        for good in ("1", "86400"):
            self.holds("serve", "--check-config", "--checkpoint-seconds", good)
        for bad in ("0", "86401", "-1", "x"):
            self.fails(2, "serve", "--check-config", "--checkpoint-seconds", bad)

    def test_a_checkpoint_that_is_missing_is_put_back(self):
        """As after a crash between the memory and the store."""
        store = self.make(self.file())
        with Forger(store) as f:
            last = newest(f)
            lost = f.checkpoints.pop(last)
            f.fix_count()
        with serve(self.dir, store) as server:
            self.assertEqual(server.get("/readyz").status, 200)
            self.assertTrue(server.logs("checkpoint_put_back"), server.log())
        self.assertEqual(self.checkpoints(store)[last], lost)
        self.assertEqual(self.verify(store).code, 0)

    def test_killed_at_any_moment_it_goes_on(self):
        store = self.file()
        for n in range(8):
            with serve(self.dir, store, "--checkpoint-every", "1") as server:
                fill(server, 3, f"k{n}-")
                time.sleep(n / 400)
                server.stop(signal.SIGKILL)
        self.signs(store)

    def test_a_memory_that_cannot_be_written_is_said(self):
        result = self.fails(3, "serve", ESCROW, "--store", self.file(), "--listen", "127.0.0.1:0",
                            "--signing-key", "a.secret", "--signer-memory", "no/such/dir/m")
        self.assertIn("no/such/dir/m", result.err)
        self.assertIn("--signer-memory", result.err)

    def test_a_memory_that_cannot_be_read_or_written_makes_the_node_unready(self):
        (self.dir / "keys").mkdir()
        for name in ("a.secret", "a.pub"):
            shutil.copy(self.dir / name, self.dir / "keys" / name)
        memory = self.dir / "keys" / "a.secret.memory"
        says = lambda server, text: server.wait_until(
            lambda: text in server.get("/readyz").body.decode(), 20)
        with serve(self.dir, self.file(), "--checkpoint-seconds", "1", key="keys/a") as server:
            fill(server, 3)
            memory.rename(self.dir / "away")
            memory.mkdir()
            fill(server, 1, "more")
            self.assertTrue(says(server, "memory cannot be read"), server.log())
            memory.rmdir()
            (self.dir / "away").rename(memory)
            self.assertTrue(says(server, '"ready"'), server.log())
        long = "n" * 250  # a name that leaves no room for a temporary one beside it
        shutil.copy(memory, self.dir / long)
        with serve(self.dir, self.file(), "--checkpoint-seconds", "1", "--signer-memory", long,
                   key="keys/a") as server:
            fill(server, 1, "last")
            self.assertTrue(says(server, "cannot be written"), server.log())
            self.assertNotIn(long, server.get("/readyz").body.decode())
            self.assertTrue(server.logs(long), server.log())

    def test_accepting_replaces_no_file_but_a_memory_of_the_key(self):
        store = self.make(self.file())
        with serve(self.dir, f"sqlite:{self.dir}/b.db", key="b") as server:
            fill(server, 1)
        for name in ("a.secret", "b.secret.memory", "s.db"):
            before = (self.dir / name).read_bytes()
            result = self.accept(store, "--signer-memory", name, code=1)
            self.assertIn(f"{name} is not replaced", result.err)
            self.assertEqual((self.dir / name).read_bytes(), before, name)
        self.signs(store)

    def test_a_memory_that_was_changed_is_no_memory(self):
        store = self.make(self.file())
        memory = self.dir / "a.secret.memory"
        good = memory.read_text()
        for bad in ("", "x", good.replace('"size":', '"size":1'), good.splitlines()[1],
                    good[:-2] + "\n", good + "x"):
            memory.write_text(bad)
            with self.subTest(bad[:60]):
                self.refused(store)
                self.assertEqual(memory.read_text(), bad, "it was replaced")
        memory.write_text(ledgers.checkpoint([], self.dir / "a") + "\n")  # as on the first day
        self.refused(store, says="this key has signed nothing, but the ledger has a checkpoint")
        memory.write_text(good)
        self.signs(store)


# ---- What an operator decides -----------------------------------------------------------


class Ways(Signer):
    """A documented way back for each case (docs/reference/ledger.md)."""

    def record(self, store):
        out = self.holds("ledger", "show", "--store", store, "--kind", "ledger_accepted",
                         "--json").out
        return json.loads(out.splitlines()[-1])["body"]

    def test_a_restored_copy_is_accepted_by_an_operator(self):
        store = self.make(self.file(), 30)
        self.holds("backup", "--store", store, "--out", "copy")
        remembered = json.loads((self.dir / "a.secret.memory").read_text().splitlines()[0])
        with serve(self.dir, store) as server:
            fill(server, 30, "later")
        again = f"sqlite:{self.dir}/again.db"
        self.holds("restore", "copy", "--store", again)
        self.refused(again, says="and record")
        self.assertEqual(self.verify(again).code, 0)
        result = self.accept(again)
        self.assertIn("accepted: 32 records, as record 32 says", result.out)
        body = self.record(again)
        self.assertEqual((body["reason"], body["accepted"]["size"]), ("as decided", 32))
        self.assertGreater(body["remembered"]["checkpoint"]["size"],
                           remembered["checkpoint"]["size"])
        self.signs(again)

    def test_accepting_helps_a_server_that_runs(self):
        store = self.make(self.file(), 30)
        (self.dir / "a.secret.memory").unlink()
        with serve(self.dir, store) as server:
            self.assertEqual(server.get("/readyz").status, 503)
            fill(server, 2, "meanwhile")  # it is not ready, but it serves
            self.accept(store)
            fill(server, 2, "after")
            self.assertTrue(server.wait_until(lambda: server.get("/readyz").status == 200, 20),
                            server.log())
            self.assertTrue(server.logs("signing_again"), server.log())
        self.assertNotIn("not signed for", self.verify(store).out)

    def test_a_store_from_before_the_memory_is_accepted_once(self):
        store = self.make(self.file(), 30)
        (self.dir / "a.secret.memory").unlink()
        with Forger(store) as f:
            f.meta.pop("checkpoints")  # neither were they counted
        self.refused(store, says="motet ledger accept")
        self.accept(store)
        self.signs(store)
        again = self.accept(store)
        self.assertIn("nothing to accept", again.out)

    def test_a_forged_ledger_can_be_accepted_and_says_so(self):
        store = self.make(self.file())
        with Forger(store) as f:
            truncated(f)  # head and checkpoints say otherwise
            # How many it is depends on how far apart the signer's looks were, so we count.
            beyond = sum(size > len(f.records) for size in f.checkpoints)
        self.assertGreater(beyond, 0)
        result = self.accept(store)
        self.assertIn(f"dropped: {beyond} checkpoint", result.out)
        self.assertEqual(self.record(store)["dropped"]["count"], beyond)
        self.signs(store)
        proof = self.run_motet("ledger", "prove", "--store", store, "3", "--out", "p.json")
        self.assertEqual(proof.code, 0, repr(proof))

    def test_a_broken_chain_cannot_be_accepted(self):
        store = self.make(self.file())
        with Forger(store) as f:
            changed(f)
        result = self.accept(store, code=1)
        self.assertIn(f"record {MIDDLE} is missing or not as it was written", result.err)
        self.refused(store)

    def test_only_the_key_that_signs_accepts(self):
        store = self.make(self.file())
        result = self.fails(1, "ledger", "accept", "--store", store, "--signing-key", "b.secret",
                            "--reason", "r")
        self.assertIn("this key does not sign this ledger", result.err)
        for wrong in (["--reason", "r"], ["--reason", ""], ["--reason", "x" * 1001], []):
            self.fails(2, "ledger", "accept", *wrong, "--store", store, "--signing-key",
                       *(["a.secret"] if wrong != ["--reason", "r"] else ["", "--nothing"]))
        (self.dir / "a.secret.memory").unlink()
        self.accept(store, "--reason", "x" * 1000)
        with Forger(store) as f:
            f.insert(len(f.records))
            f.records[-1].update(kind="key_revoked", body=ledgers.compact(ledgers.key_event(
                "key_revoked", base64.b64decode((self.dir / "a.pub").read_bytes()).hex())))
            f.chain(len(f.records) - 1)
            f.fix_head()
        self.assertIn("revokes this key; if nobody handed over, restore a copy",
                      self.accept(store, code=1).err)

    def test_a_failover_to_a_standby_that_lagged_behind(self):
        with Postgres() as server:
            store = self.make(server.url(), 40)
            behind = Forger(store)
            with serve(self.dir, store) as node:
                fill(node, 25, "lost")
            behind.write()  # what the standby had got
            self.refused(store, says="and record")
            self.accept(store)
            self.signs(store)

    def test_several_nodes_with_one_key(self):
        """Each has its memory. A new node gets a copy, or an operator accepts; one that is
        behind goes on by itself."""
        other = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        for name in ("a.secret", "a.pub"):
            shutil.copy(self.dir / name, other / name)
        with Postgres() as database:
            store = self.make(database.url(), 30)
            with serve(self.dir, store) as first, serve(other, store) as second:
                self.assertEqual(second.get("/readyz").status, 503)
                self.assertIn("is not there", second.get("/readyz").body.decode())
                shutil.copy(self.dir / "a.secret.memory", other)
                ready = lambda: second.get("/readyz").status == 200
                self.assertTrue(second.wait_until(ready, 20), second.log())
                fill(first, 45, "first")
                fill(second, 45, "second")
            with serve(self.dir, store, every=1) as first, \
                    serve(other, store, "--checkpoint-seconds", "1") as second:
                fill(first, 45, "seen")  # the second only looks on, and keeps up
                last = lambda d: json.loads((d / "a.secret.memory").read_text().splitlines()[0])
                size = last(self.dir)["checkpoint"]["size"]
                self.assertTrue(second.wait_until(
                    lambda: last(other)["checkpoint"]["size"] >= size, 20), second.log())
            sizes = [json.loads((d / "a.secret.memory").read_text().splitlines()[0])
                     ["checkpoint"]["size"] for d in (self.dir, other)]
            self.assertGreater(min(sizes), 32)
            shutil.copy(self.dir / "a.secret.memory", other / "kept")
            with serve(self.dir, store) as first:
                fill(first, 45, "third")
            shutil.copy(other / "kept", other / "a.secret.memory")  # long behind
            with serve(other, store) as second:
                self.assertEqual(second.get("/readyz").status, 200, second.log())
                fill(second, 1, "fourth")
            (other / "a.secret.memory").unlink()
            result = run("ledger", "accept", "--store", store, "--signing-key", "a.secret",
                         "--reason", "a new node", cwd=other)
            self.assertEqual(result.code, 0, repr(result))
            with serve(other, store) as second:
                self.assertEqual(second.get("/readyz").status, 200, second.log())
            self.signs(store)

    def test_disks_that_do_not_last(self):
        """The memory has a place that does, or comes from where checkpoints are kept."""
        store = self.file()
        (self.dir / "volume").mkdir()
        lasting = ("--signer-memory", "volume/memory")
        with serve(self.dir, store, *lasting) as server:
            fill(server, 30)
        self.assertFalse((self.dir / "a.secret.memory").exists())
        self.signs(store, *lasting)
        self.refused(store, says="is not there")
        size = earlier(Forger(store))
        self.holds("ledger", "export", "--store", store, "--checkpoint", size, "--out",
                   "a.secret.memory")
        self.signs(store)
        with Forger(store) as f:
            rewritten(f)
        self.refused(store)

    def test_a_memory_that_is_behind_believes_no_checkpoint_without_its_records(self):
        """Another node signed for records that are gone: that is not to go on from."""
        store = self.make(self.file())
        f = Forger(store)
        (self.dir / "a.secret.memory").write_text(f.checkpoints[earlier(f)])
        with f:
            truncated(f)
            f.fix_head()
        self.refused(store, says="a checkpoint is over")
        self.assertEqual((self.dir / "a.secret.memory").read_text(), f.checkpoints[earlier(f)])

    def test_one_key_two_ledgers(self):
        """Each needs a memory of its own."""
        self.make(self.file())
        other = f"sqlite:{self.dir}/other.db"
        with serve(self.dir, other) as server:
            answer = server.get("/readyz")
            self.assertEqual(answer.status, 503, answer)
            self.assertIn("this key has signed for 62 records", answer.body.decode())
        self.assertEqual(self.checkpoints(other), {})
        self.signs(other, "--signer-memory", "other.memory")
        self.signs(self.file())


class HandOver(Signer):
    """From key a to key b, stopped at every step."""

    def options(self):
        return ("--previous-signing-key", "a.secret")

    def finish(self, store):
        with serve(self.dir, store, *self.options(), key="b") as server:
            self.assertEqual(server.get("/readyz").status, 200, server.log())
            fill(server, 1, f"x{time.monotonic_ns()}-")
        for key in ("a.pub", "b.pub"):
            result = self.holds("ledger", "verify", "--store", store, "--key", key)
            self.assertNotIn("not signed for", result.out)
        return self.holds("ledger", "show", "--store", store, "--json").out

    def memory(self, key, text=None):
        path = self.dir / f"{key}.secret.memory"
        if text is None:
            return path.read_text() if path.exists() else None
        return path.write_text(text)

    def test_E19_a_hand_over_that_was_interrupted_goes_on(self):
        store = self.make(self.file(), 10)
        before = self.memory("a")
        self.finish(store)
        done, after = Forger(store), self.memory("a")
        added = next(r["seq"] for r in done.records if '"handed over"' in r["body"])
        empty = ledgers.checkpoint([], self.dir / "b") + "\n"
        # records, checkpoints up to, memory of a, memory of b
        steps = [(added, added, before, None), (added + 1, added, before, None),
                 (added + 1, added, after, None), (added + 1, added + 1, after, None),
                 (added + 1, added + 1, after, empty), (added + 2, added + 1, after, empty)]
        for records, points, a, b in steps:
            with self.subTest(f"{records} {points} {b is not None}"):
                f = Forger(store)
                f.records = [dict(r) for r in done.records[:records]]
                f.checkpoints = {s: t for s, t in done.checkpoints.items() if s <= points}
                f.fix_head()
                f.fix_count()
                f.write()
                (self.dir / "b.secret.memory").unlink(missing_ok=True)
                self.memory("a", a)
                if b:
                    self.memory("b", b)
                shown = self.finish(store)
                self.assertEqual(shown.count('"key_added"'), 2)
                self.assertEqual(shown.count('"key_revoked"'), 1)

    def test_nodes_with_an_older_key_see_that_others_took_over(self):
        """From a to b and on to c, while two nodes with a look on: a vouched for b, and b for c.
        One of them remembers that a signed for b, the other comes from before."""
        self.holds("keygen", "--prefix", "c")
        others = [pathlib.Path(tempfile.mkdtemp(dir=self.dir)) for _ in range(2)]
        with Postgres() as database, contextlib.ExitStack() as end:
            store = self.make(database.url(), 10)
            for other in others:
                for name in ("a.secret", "a.pub", "a.secret.memory"):
                    shutil.copy(self.dir / name, other / name)
            nodes = [end.enter_context(serve(other, store, "--checkpoint-seconds", "86400"))
                     for other in others]
            for old, new in ("ab", "bc"):
                with serve(self.dir, store, "--previous-signing-key", f"{old}.secret",
                           key=new) as server:
                    self.assertEqual(server.get("/readyz").status, 200, server.log())
            shutil.copy(self.dir / "a.secret.memory", others[0])
            for node in nodes:
                replaced = lambda: fill(node, 5, f"x{time.monotonic_ns()}-") or \
                    "key_replaced" in node.log()  # they look after so many records
                self.assertTrue(node.wait_until(replaced, 20), node.log())
                self.assertEqual(node.get("/readyz").status, 200, node.log())
                self.assertNotIn("signing_refused", node.log())
            with serve(self.dir, store, key="c"):
                pass
            points = self.checkpoints(store)
            last = json.loads(points[max(points)])
            self.assertEqual(last["key"], base64.b64decode((self.dir / "c.pub").read_bytes()).hex())
            self.assertEqual(self.verify(store).code, 0)

    def test_the_old_key_does_not_vouch_for_a_forgery(self):
        store = self.make(self.file())
        with Forger(store) as f:
            rewritten(f)
            last = newest(f)
        result = self.fails(3, "serve", "--store", store, "--listen", "127.0.0.1:0",
                            "--trust-domain", "acme.test", "--signing-key", "b.secret",
                            *self.options(), timeout=20)
        self.assertIn("the previous key signs no more: the first", result.err)
        self.assertEqual(max(self.checkpoints(store)), last)

    def test_one_named_memory_is_handed_over_too(self):
        store = self.file()
        named = ("--signer-memory", "memory")
        with serve(self.dir, store, *named) as server:
            fill(server, 5)
        for _ in range(2):
            with serve(self.dir, store, *named, *self.options(), key="b") as server:
                self.assertEqual(server.get("/readyz").status, 200, server.log())
                fill(server, 1, f"x{time.monotonic_ns()}-")
        key = json.loads((self.dir / "memory").read_text().splitlines()[0])["key"]
        self.assertEqual(key, base64.b64decode((self.dir / "b.pub").read_bytes()).hex())


if __name__ == "__main__":  # its tables are read by others, too
    main()
