"""C2SP notes, checkpoints, cosignatures and consistency proofs once more, independent of the
program: written from the specifications (c2sp.org signed-note, tlog-checkpoint,
tlog-cosignature, tlog-witness; RFC 6962; RFC 8032) and from nothing else.

    note = read_note(text)                     # raises Malformed
    verify(note, vkey)                         # None, or the time of a cosignature; raises Forged
    consistent(old_size, old_root, size, root, proof)
"""
import base64
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)


class Malformed(Exception):
    pass


class Forged(Exception):
    pass


# ---- Ed25519, RFC 8032 ----

def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * I % P
    if (x * x - square) % P:
        return None
    return P - x if (x & 1) != sign else x


G = (recover_x(4 * pow(5, P - 2, P) % P, 0), 4 * pow(5, P - 2, P) % P)
G = (G[0], G[1], 1, G[0] * G[1] % P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = add(q, p)
        p = add(p, p)
        n >>= 1
    return q


def same_point(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def compress(p):
    z = pow(p[2], P - 2, P)
    x, y = p[0] * z % P, p[1] * z % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def expand(seed):
    h = hashlib.sha512(seed).digest()
    a = int.from_bytes(h[:32], "little")
    return a & (1 << 254) - 8 | 1 << 254, h[32:]


def public_of(seed):
    return compress(times(expand(seed)[0], G))


def challenge(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L


def ed_sign(seed, message):
    a, prefix = expand(seed)
    public = compress(times(a, G))
    r = challenge(prefix, message)
    start = compress(times(r, G))
    s = (r + challenge(start, public, message) * a) % L
    return start + s.to_bytes(32, "little")


def ed_verify(public, message, signature):
    a, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= L:
        return False
    return same_point(times(s, G), add(r, times(challenge(signature[:32], public, message), a)))


# ---- keys ----

def key_id(name, kind, public):
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def vkey(name, kind, public):
    return f"{name}+{key_id(name, kind, public).hex()}+{b64(bytes([kind]) + public)}"


def read_vkey(text):
    name, identity, key = text.strip().split("+", 2)
    key = unb64(key)
    if key_id(name, key[0], key[1:]).hex() != identity or len(key) != 33:
        raise Malformed("a key's id is another's")
    return name, key[0], key[1:]


# ---- notes ----

def b64(data):
    return base64.b64encode(data).decode()


def unb64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Malformed(str(error)) from error
    if b64(data) != text:
        raise Malformed("base64 in another spelling")
    return data


class Note:
    def __init__(self, text, lines):
        self.text, self.lines = text, lines
        parts = text.split("\n")
        if len(parts) < 4 or parts[-1] or not all(parts[:-1]):
            raise Malformed("three lines at least, none empty")
        self.origin, size, root = parts[:3]
        self.size, self.root = int(size), unb64(root)
        if str(self.size) != size or len(self.root) != 32:
            raise Malformed("size or root")


def read_lines(text):
    lines = []
    for line in text.splitlines():
        dash, name, signature = line.split(" ")
        data = unb64(signature)
        if dash != "—" or not name or "+" in name or len(data) < 5:
            raise Malformed(line)
        lines.append((name, data[:4], data[4:]))
    return lines


def read_note(text):
    body, blank, lines = text.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise Malformed("no signatures")
    return Note(body + "\n", read_lines(lines))


def verify(note, key, lines=None):
    """None: no line by this key. Raises Forged when one is not what it says."""
    name, kind, public = read_vkey(key)
    found = None
    for who, identity, signature in note.lines if lines is None else lines:
        if (who, identity) != (name, key_id(name, kind, public)):
            continue
        message, time = note.text.encode(), 0
        if kind == 4:
            time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = f"cosignature/v1\ntime {time}\n".encode() + message
        if not ed_verify(public, message, signature):
            raise Forged(who)
        found = max(found or 0, time)
    return found


def head(origin, size, root):
    return f"{origin}\n{size}\n{b64(root)}\n"


def log_line(name, seed, text):
    public = public_of(seed)
    return f"— {name} {b64(key_id(name, 1, public) + ed_sign(seed, text.encode()))}\n"


def witness_line(name, seed, text, time):
    public = public_of(seed)
    message = f"cosignature/v1\ntime {time}\n{text}".encode()
    data = key_id(name, 4, public) + time.to_bytes(8, "big") + ed_sign(seed, message)
    return f"— {name} {b64(data)}\n"


def make_note(origin, size, root, seed):
    text = head(origin, size, root)
    return text + "\n" + log_line(origin, seed, text)


# ---- trees, RFC 6962 section 2.1 ----

def leaf(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def split(n):
    half = 1
    while half * 2 < n:
        half *= 2
    return half


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    half = split(len(leaves))
    return node(root_of(leaves[:half]), root_of(leaves[half:]))


def prove(leaves, old):
    """PROOF(m, D[n])."""
    def sub(m, part, whole):
        if m == len(part):
            return [] if whole else [root_of(part)]
        half = split(len(part))
        if m <= half:
            return sub(m, part[:half], whole) + [root_of(part[half:])]
        return sub(m - half, part[half:], False) + [root_of(part[:half])]
    return sub(old, leaves, True) if 0 < old < len(leaves) else []


def consistent(old_size, old_root, size, root, proof):
    """By rebuilding both roots from the proof, in the order SUBPROOF has put it together."""
    if old_size == 0 or old_size == size:
        return not proof and (old_size == 0 or old_root == root)
    proof = list(proof)

    def roots(m, n, whole):
        """The roots of the first m, and of all n leaves, taking hashes in order."""
        if m == n:
            known = old_root if whole else proof.pop(0)
            return known, known
        half = split(n)
        if m <= half:
            old, new = roots(m, half, whole)
            return old, node(new, proof.pop(0))
        old, new = roots(m - half, n - half, False)
        left = proof.pop(0)
        return node(left, old), node(left, new)

    try:
        return roots(old_size, size, True) == (old_root, root) and not proof
    except IndexError:
        return False


def request(old, proof, note):
    return f"old {old}\n" + "".join(b64(h) + "\n" for h in proof) + "\n" + note
