"""Ledgers made by hand: the format once more, independent of the program, for tests.

A record's hash is SHA-256 of the hash before it (32 bytes) and its body; the tree is that of
RFC 6962 over the hashes; signatures are made by openssl.
"""
import base64
import hashlib
import json
import pathlib
import subprocess
import tempfile


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def records(bodies):
    """The lines of a chain of these bodies."""
    lines, previous = [], bytes(32)
    for seq, body in enumerate(bodies):
        text = compact(body)
        digest = hashlib.sha256(previous + text.encode()).digest()
        lines.append(f'{{"body":{text},"hash":"{digest.hex()}","prev":"{previous.hex()}",'
                     f'"seq":{seq}}}')
        previous = digest
    return lines


def root(lines):
    """The root of the tree over the records among these lines, from the definition."""
    leaves = [hashlib.sha256(b"\0" + bytes.fromhex(json.loads(line)["hash"])).digest()
              for line in lines if line.startswith('{"body"')]

    def of(part):
        if len(part) < 2:
            return part[0] if part else hashlib.sha256(b"").digest()
        half = 1
        while half * 2 < len(part):
            half *= 2
        return hashlib.sha256(b"\1" + of(part[:half]) + of(part[half:])).digest()

    return of(leaves).hex()


PKCS8 = bytes.fromhex("302e020100300506032b657004220420")  # an Ed25519 seed follows
SPKI = bytes.fromhex("302a300506032b6570032100")  # an Ed25519 public key follows


def openssl(key, message, *words):
    """Runs `openssl pkeyutl` with a DER key on a message; returns the process."""
    with tempfile.TemporaryDirectory(prefix="motet-") as name:
        directory = pathlib.Path(name)
        (directory / "key").write_bytes(key)
        (directory / "message").write_bytes(message)
        return subprocess.run(["openssl", "pkeyutl", "-rawin", "-keyform", "DER", "-inkey", "key",
                               "-in", "message", *words], cwd=directory, capture_output=True)


def sign(secret_file, message):
    """The signature of a message by the key in a file of `motet keygen`."""
    done = openssl(PKCS8 + base64.b64decode(secret_file.read_bytes()), message, "-sign")
    assert done.returncode == 0, done.stderr
    return done.stdout


def checkpoint(lines, prefix, domain="acme.test"):
    """A checkpoint over the records among these lines, by the key PREFIX.secret, PREFIX.pub."""
    kept = [json.loads(line) for line in lines if line.startswith('{"body"')]
    statement = compact({"domain": domain, "head": kept[-1]["hash"] if kept else "0" * 64,
                         "root": root(lines), "size": len(kept)})
    secret, public = pathlib.Path(f"{prefix}.secret"), pathlib.Path(f"{prefix}.pub")
    return (f'{{"checkpoint":{statement},"key":"{base64.b64decode(public.read_bytes()).hex()}",'
            f'"signature":"{sign(secret, statement.encode()).hex()}"}}')


def operation(n, **more):
    """A body as an executed operation leaves it."""
    return {"contract": "escrow", "etag": "e" * 64, "flow": f"flow-{n // 2}", "kind": "operation",
            "instance_binding": {"EscrowAccount": f"acc-{n % 3}"}, "op": "release_escrow",
            "outcome": "released", "persona": "escrow_agent", "time": f"2026-01-01T00:00:{n:02}Z",
            "trust_domain": "acme.test", **more}


def key_event(kind, key, **more):
    return {"key": key, "kind": kind, "time": "2026-01-01T00:00:00Z", "trust_domain": "acme.test",
            **more}


def text(lines):
    return "".join(line + "\n" for line in lines)
