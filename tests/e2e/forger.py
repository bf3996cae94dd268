"""A database owner with bad intentions: reads and rewrites the ledger of a store, chains it
anew, fixes the head, signs with a key of his own. He has everything but the signing key and
what the signer remembers. The format once more, independent of the program.

    with Forger("sqlite:store.db") as f:
        f.records[7]["body"] = ...
        f.chain(7)
        f.fix_head()
"""
import contextlib
import hashlib
import json
import sqlite3
import subprocess

import ledgers

COLUMNS = ("seq", "id", "kind", "contract", "flow", "subject", "time_ms", "body", "hash")


def leaf(digest):
    return hashlib.sha256(b"\0" + digest).digest()


def tail(hashes):
    """What a store keeps of the end of a chain: the head, and the roots of full subtrees."""
    roots = {}
    for digest in hashes:
        node, level = leaf(digest), 0
        while level in roots:
            node = hashlib.sha256(b"\1" + roots.pop(level) + node).digest()
            level += 1
        roots[level] = node
    parts = [hashes[-1]] if hashes else []
    return " ".join(part.hex() for part in [*parts, *(roots[n] for n in sorted(roots))])


class File:
    """Rows of a SQLite file."""

    def __init__(self, url):
        self.db = sqlite3.connect(url.removeprefix("sqlite:"), isolation_level=None)

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def script(self, statements):
        self.db.execute("BEGIN IMMEDIATE")
        for sql, values in statements:
            self.db.execute(sql, values)
        self.db.execute("COMMIT")

    def close(self):
        self.db.close()


def quoted(value):
    if isinstance(value, bytes):
        return f"decode('{value.hex()}', 'hex')"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


class Database:
    """Rows of a PostgreSQL database, by psql."""

    def __init__(self, url):
        self.url = url

    def psql(self, text):
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url],
                              input="SET search_path TO motet;\n" + text, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, sql):
        out = self.psql(f"SELECT row_to_json(r) FROM ({sql}) AS r;")
        rows = [list(json.loads(line).values()) for line in out.splitlines()]
        return [tuple(bytes.fromhex(v[2:]) if isinstance(v, str) and v.startswith("\\x") else v
                      for v in row) for row in rows]

    def script(self, statements):
        text = ["BEGIN;"]
        for sql, values in statements:
            parts = sql.split("?")
            text.append("".join(p + (quoted(values[n]) if n < len(values) else "")
                                for n, p in enumerate(parts)) + ";")
        self.psql("\n".join([*text, "COMMIT;"]))

    def close(self):
        pass


class Forger:
    def __init__(self, url):
        self.store = (File if url.startswith("sqlite:") else Database)(url)
        listed = self.store.rows(f"SELECT {', '.join(COLUMNS)} FROM ledger ORDER BY seq")
        self.records = [dict(zip(COLUMNS, row)) for row in listed]
        self.checkpoints = dict(self.store.rows("SELECT size, text FROM checkpoints ORDER BY size"))
        self.meta = {name: (number, text) for name, number, text in
                     self.store.rows("SELECT name, number, text FROM meta")}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        with contextlib.closing(self.store):
            if kind is None:
                self.write()

    def write(self):
        places = ", ".join("?" * len(COLUMNS))
        todo = [("DELETE FROM ledger", ()), ("DELETE FROM checkpoints", ()),
                ("DELETE FROM meta WHERE name <> 'schema'", ())]
        todo += [(f"INSERT INTO ledger ({', '.join(COLUMNS)}) VALUES ({places})",
                  tuple(r[c] for c in COLUMNS)) for r in self.records]
        todo += [("INSERT INTO checkpoints (size, text) VALUES (?, ?)", pair)
                 for pair in self.checkpoints.items()]
        todo += [("INSERT INTO meta (name, number, text) VALUES (?, ?, ?)", (name, *rest))
                 for name, rest in self.meta.items() if name != "schema"]
        self.store.script(todo)

    # ---- what he does ----

    def change(self, seq, **members):
        body = {**json.loads(self.records[seq]["body"]), **members}
        self.records[seq]["body"] = ledgers.compact(body)

    def insert(self, at, **members):
        """A record more, with the numbers behind it shifted."""
        copy = dict(self.records[at - 1], id=max(r["id"] for r in self.records) + 1)
        self.records.insert(at, copy)
        self.number(at)
        self.change(at, **members)

    def number(self, start=0):
        for seq in range(start, len(self.records)):
            self.records[seq]["seq"] = seq

    def chain(self, start=0):
        """New hashes from this record on."""
        before = self.records[start - 1]["hash"] if start else bytes(32)
        for record in self.records[start:]:
            before = hashlib.sha256(before + record["body"].encode()).digest()
            record["hash"] = before

    def fix_head(self):
        self.meta["ledger"] = (len(self.records), tail([r["hash"] for r in self.records]))

    def fix_count(self):
        if "checkpoints" in self.meta:
            self.meta["checkpoints"] = (len(self.checkpoints), "")

    def drop_checkpoints(self, beyond):
        self.checkpoints = {s: t for s, t in self.checkpoints.items() if s <= beyond}
        self.fix_count()

    def sign(self, size, prefix):
        """A checkpoint over the first records, by a key of his own."""
        lines = ledgers.records([json.loads(r["body"]) for r in self.records[:size]])
        self.checkpoints[size] = ledgers.checkpoint(lines, prefix) + "\n"
        self.fix_count()
