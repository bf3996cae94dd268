"""motet backup and restore: copies beside a running server, checked before they count."""
import time

import turnstile
from fleet import Node
from harness import SEED, Case, main
from load import Load
from postgres import Postgres


class Backup(Case):
    def serve(self, store, name="node"):
        contract = self.write("turnstile.tenor", turnstile.CONTRACT)
        node = Node(self.dir, store, [contract], name=name)
        self.addCleanup(node.close)
        return node.start()

    def fill(self, node, count, seed):
        for entity, letter in (("Gate", "g"), ("Seal", "s")):
            for n in range(4):
                node.post(f"/v1/contracts/turnstile/instances/{entity}", {"id": f"{letter}{n}"})
        load = Load("turnstile", [node.port], 4, count, 4, seed, self.dir / "answers",
                    seconds=60).start()
        load.join()
        self.assertEqual(load.unanswered, 0)

    def everything(self, node):
        records = [{k: v for k, v in item.items() if k != "queued"}  # of a shared store only
                   for item in node.pages("/v1/ledger")]
        return (records, node.pages("/v1/flows"),
                node.pages("/v1/contracts/turnstile/instances/Gate"),
                node.pages("/v1/contracts/turnstile/instances/Seal"))

    def there_and_back(self, source, target):
        node = self.serve(source)
        self.fill(node, 200, SEED)
        result = self.holds("backup", "--store", source, "--out", "copy.backup")
        self.assertIn("all verified", result.out)
        self.assertEqual((self.dir / "copy.backup").stat().st_mode & 0o777, 0o600)
        before = self.everything(node)
        self.fill(node, 50, SEED + 1)  # after the copy: not in it
        node.stop()
        self.holds("restore", "copy.backup", "--store", target)
        again = self.serve(target, "again")
        self.assertEqual(self.everything(again), before)
        self.fill(again, 50, SEED + 2)  # and it goes on from there
        self.assertEqual(again.stop(), 0)
        self.holds("ledger", "verify", "--store", target)
        self.assertIn("not empty", self.fails(3, "restore", "copy.backup", "--store",
                                              target).err)

    def test_from_sqlite_to_sqlite(self):
        self.there_and_back(f"sqlite:{self.dir}/a.db", f"sqlite:{self.dir}/b.db")

    def test_from_sqlite_to_postgresql_and_back(self):
        with Postgres() as server:
            self.there_and_back(f"sqlite:{self.dir}/a.db", server.url())
            self.holds("backup", "--store", server.url(), "--out", "second.backup")
            self.holds("restore", "second.backup", "--store", f"sqlite:{self.dir}/c.db")
            self.holds("ledger", "verify", "--store", f"sqlite:{self.dir}/c.db")

    def test_a_directory_of_copies_gives_points_in_time(self):
        store = f"sqlite:{self.dir}/a.db"
        node = self.serve(store)
        points = []
        (self.dir / "copies").mkdir()
        for step in range(3):
            self.fill(node, 30, SEED + step)
            self.holds("backup", "--store", store, "--dir", "copies")
            points.append((self.everything(node), time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                                                time.gmtime(time.time() + 1))))
            time.sleep(1.1)
        node.stop()
        for step, (state, moment) in enumerate(points):
            target = f"sqlite:{self.dir}/time{step}.db"
            self.holds("restore", "copies", "--to", moment, "--store", target)
            again = self.serve(target, f"time{step}")
            self.assertEqual(self.everything(again), state)
            again.stop()
            target = f"sqlite:{self.dir}/length{step}.db"
            self.holds("restore", "copies", "--to", len(state[0]), "--store", target)
        self.fails(3, "restore", "copies", "--to", "2001-01-01T00:00:00Z", "--store", "x.db")
        self.fails(3, "restore", "copies", "--to", "0", "--store", "x.db")
        self.fails(2, "restore", "copies", "--to", "yesterday", "--store", "x.db")
        self.assertFalse((self.dir / "x.db").exists())

    def test_a_copy_that_was_touched_is_refused_and_nothing_is_written(self):
        store = f"sqlite:{self.dir}/a.db"
        node = self.serve(store)
        self.fill(node, 20, SEED)
        node.stop()
        self.holds("backup", "--store", store, "--out", "good.backup")
        good = (self.dir / "good.backup").read_bytes()
        lines = good.splitlines(keepends=True)
        ledger = [i for i, l in enumerate(lines) if b'"table":"ledger"' in l]
        first, second = ledger[3], ledger[4]
        bad = {
            "empty": b"",
            "cut": good[:len(good) // 2],
            "no end": b"".join(lines[:-1]),
            "more": good + lines[1],
            "a row less": b"".join(lines[:first] + lines[first + 1:]),
            "two rows swapped": b"".join(lines[:first] + [lines[second], lines[first]] +
                                         lines[second + 1:]),
            "a state changed": good.replace(b'"shut"', b'"open"', 1),
            "no JSON": b"{" * 1000,
            "other JSON": b'{"a":1}\n',
        }
        for name, text in bad.items():
            with self.subTest(name):
                self.write("bad.backup", text)
                self.fails(1, "restore", "bad.backup", "--store", f"sqlite:{self.dir}/n.db")
                self.fails(1, "backup", "--check", "bad.backup")
                self.assertFalse((self.dir / "n.db").exists())

    def test_it_says_what_is_missing(self):
        self.fails(2, "backup")
        self.fails(2, "backup", "--out", "a", "--dir", "b")
        self.fails(3, "backup", "--store", "sqlite:nowhere.db", "--out", "a")
        self.fails(3, "restore", "nowhere.backup", "--store", "sqlite:a.db")
        self.fails(2, "restore", "nowhere.backup", "--to", "5", "--store", "sqlite:a.db")
        node = self.serve(f"sqlite:{self.dir}/a.db")
        node.stop()
        self.write("taken", "mine")
        self.fails(3, "backup", "--store", f"sqlite:{self.dir}/a.db", "--out", "taken")
        self.assertEqual((self.dir / "taken").read_text(), "mine")
        self.assertEqual([p.name for p in self.dir.glob("*.tmp-*")], [])


main()
