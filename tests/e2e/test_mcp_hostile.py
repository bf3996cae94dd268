"""Hostile messages to the tools of a contract, and a model of the protocol that shares nothing with
the program: what is answered, with which code and id, is worked out here from the text alone. 5,000
messages over standard input and 500 over HTTP; 50,000 and 5,000 with MOTET_SOAK."""
import json
import random
import re
import subprocess

from harness import MOTET, SEED, SOAK, SOURCE, Case, main
from mcp import NEWER, OLDER, PREFIX, TASKS
from serve import Server

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
SELLER = ["confirm_delivery", "flag_dispute", "standard_release", "actions", "why", "dry_run", "ask",
          "explain", "resume", "cancel"]
RESOURCES = ["manifest", "states", "instances", "flows", "instances/EscrowAccount",
             "instances/DeliveryRecord/d1", "instances/DeliveryRecord/d1/history"]
BYTES, DEPTH = 20000, 200
NAMED = {"tools/call": "name", "resources/read": "uri", "tasks/get": "taskId", "tasks/cancel": "taskId",
         "tasks/update": "taskId"}
METHODS = {OLDER: {"initialize", "notifications/initialized", "notifications/cancelled", "ping", "tools/list",
                   "tools/call", "resources/list", "resources/templates/list", "resources/read"},
           NEWER: {"notifications/cancelled", "server/discover", "tools/list", "tools/call",
                   "resources/list", "resources/templates/list", "resources/read", "tasks/get",
                   "tasks/update", "tasks/cancel"}}


# ---- the model ----------------------------------------------------------------------------------

class Bad(Exception):
    """Not JSON, as the program takes it: no two members of one name, no half characters."""


class Number(str):
    """A number as it was written."""


def members(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise Bad("two members of one name")
    return dict(pairs)


def whole_texts(value):
    """No text has half a pair of surrogates."""
    if isinstance(value, str):
        value.encode()
    for part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
            value, list) else ():
        whole_texts(part[0])
        whole_texts(part[1])


def too_deep_at(text):
    """Where it is deeper than the limit, by its brackets; a string hides what is in it."""
    depth = 0
    for at in re.finditer(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', text, re.S):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(at[0], 0)
        if depth > DEPTH:
            return at.start()
    return len(text) + 1


def read(line):
    """The value, or the code it is refused with: ("value", x) or ("code", n)."""
    if len(line) > BYTES:
        return "code", -32600
    try:
        text = line.decode()
    except UnicodeDecodeError as bad:
        text = line[:bad.start].decode() + "\0"
    deep = too_deep_at(text)
    try:
        value = json.loads(text, object_pairs_hook=members, parse_int=Number, parse_float=Number,
                           parse_constant=lambda name: (_ for _ in ()).throw(Bad(name)))
        whole_texts(value)
    except json.JSONDecodeError as bad:
        return "code", -32600 if deep < bad.pos else -32700
    except RecursionError:
        return "code", -32600
    except (Bad, UnicodeEncodeError):
        return "code", -32600 if deep <= len(text) else -32700
    return ("code", -32600) if deep <= len(text) else ("value", value)


def is_id(value):
    return isinstance(value, str) and (not isinstance(value, Number) or re.fullmatch(r"-?\d+", value))


def text(value, least, most):
    return (isinstance(value, str) and not isinstance(value, Number) and
            least <= len(value.encode()) <= most)


class Refuse(Exception):
    """With a code, and over HTTP a status."""

    def __init__(self, code, status=200):
        super().__init__(code)
        self.code, self.status = code, status


class Model:
    """What a server answers. `began`: `initialize` was answered on this connection."""

    def __init__(self):
        self.began = False

    def hear(self, line, headers=None):
        """None where nothing is answered, else (id or None, code or None, HTTP status)."""
        kind, value = read(line)
        if kind == "code":
            return None, value, 400
        number = None
        if isinstance(value, dict) and is_id(value.get("id")):
            number = value["id"]
        try:
            answered = self.envelope(value, headers)
        except Refuse as refused:
            if isinstance(value, dict) and value.get("jsonrpc") == "2.0" and "id" not in value and plain(
                    value.get("method")):
                return None  # a notification, whatever is wrong with it
            return number, refused.code, refused.status
        return (number, None, 200) if answered else None

    def envelope(self, value, headers):
        if not isinstance(value, dict):
            raise Refuse(-32600, 400)
        if "id" in value and not is_id(value["id"]):
            raise Refuse(-32600, 400)
        if not plain(value.get("jsonrpc")) or value["jsonrpc"] != "2.0":
            raise Refuse(-32600, 400)
        if "method" not in value and ("result" in value or "error" in value):
            return False
        method = value.get("method")
        if not plain(method):
            raise Refuse(-32600, 400)
        params = value.get("params", {})
        if not isinstance(params, dict):
            raise Refuse(-32602)
        meta = params.get("_meta", {})
        if not isinstance(meta, dict):
            raise Refuse(-32602, 400)
        if "id" not in value:
            return False
        revision = self.revision(method, meta, headers)
        if headers is not None and revision == NEWER:
            self.headers(method, params, headers)
        self.method(method, revision, meta, params)
        return True

    def revision(self, method, meta, headers):
        version = None if headers is None else headers.get("MCP-Protocol-Version")
        if PREFIX + "protocolVersion" in meta or version == NEWER:
            return self.newer(meta, headers, version)
        if version is not None and version != OLDER and method != "initialize":
            raise Refuse(-32022, 400)
        if method not in ("initialize", "ping"):
            if headers is None and not self.began:
                raise Refuse(-32602)
            if headers is not None and version is None:
                raise Refuse(-32020, 400)
        return OLDER

    def newer(self, meta, headers, version):
        asked = meta.get(PREFIX + "protocolVersion")
        if not plain(asked):
            raise Refuse(-32602, 400)
        if headers is not None and version != asked:
            raise Refuse(-32020, 400)
        if asked != NEWER:
            raise Refuse(-32022, 400)
        if not isinstance(meta.get(PREFIX + "clientCapabilities"), dict) or not isinstance(
                meta.get(PREFIX + "clientInfo", {}), dict):
            raise Refuse(-32602, 400)
        return NEWER

    def headers(self, method, params, headers):
        if headers.get("Mcp-Method") != method:
            raise Refuse(-32020, 400)
        key = NAMED.get(method)
        if key and ("Mcp-Name" not in headers or
                    (plain(params.get(key)) and headers["Mcp-Name"] != params[key])):
            raise Refuse(-32020, 400)

    def method(self, method, revision, meta, params):
        if method not in METHODS[revision]:
            raise Refuse(-32601, 404 if revision == NEWER else 200)
        if method.startswith("notifications/"):
            raise Refuse(-32600, 400)
        if method.startswith("tasks/"):
            more = meta[PREFIX + "clientCapabilities"].get("extensions")
            if not isinstance(more, dict) or PREFIX + "tasks" not in more:
                raise Refuse(-32021, 400)
        getattr(self, method.replace("/", "_"))(params, revision)
        key = meta.get("motet/callId", "k")
        if not text(key, 1, 200) or not re.fullmatch("[!-~]+", key):
            raise Refuse(-32602)
        self.outcome(method, params, revision)
        self.began |= method == "initialize"

    # Parameters of each method; then what there is.

    def initialize(self, params, revision):
        must(text(params.get("protocolVersion"), 0, BYTES) and isinstance(params.get("capabilities"), dict))

    def ping(self, params, revision):
        pass

    server_discover = ping

    def tools_list(self, params, revision):
        must("cursor" not in params or text(params["cursor"], 0, 4096))

    resources_list = resources_templates_list = tools_list

    def tools_call(self, params, revision):
        must(text(params.get("name"), 1, 4096))
        for key in ("arguments", "inputResponses"):
            must(key not in params or isinstance(params[key], dict))
        must("requestState" not in params or text(params["requestState"], 0, 65536))

    def resources_read(self, params, revision):
        must(text(params.get("uri"), 1, 4096))

    def tasks_get(self, params, revision):
        must(text(params.get("taskId"), 1, 4096))

    tasks_cancel = tasks_get

    def tasks_update(self, params, revision):
        self.tasks_get(params, revision)
        must(isinstance(params.get("inputResponses"), dict))

    def outcome(self, method, params, revision):
        if method == "tools/call":
            must(params["name"] in SELLER)
        elif method == "tools/list":
            must("cursor" not in params or params["cursor"] in SELLER)
        elif method in ("resources/list", "resources/templates/list"):
            must("cursor" not in params)
        elif method == "resources/read" and params["uri"] not in ["motet://escrow/" + r for r in RESOURCES]:
            raise Refuse(-32602 if revision == NEWER else -32002)
        elif method.startswith("tasks/"):
            must(False)  # there are no flows


def plain(value):
    return isinstance(value, str) and not isinstance(value, Number)


def must(holds):
    if not holds:
        raise Refuse(-32602)


# ---- messages -----------------------------------------------------------------------------------

ODD = [None, True, False, 0, -1, 1.5, 1e300, 10 ** 40, "", " ", "x", "2.0", "é", "\U0001f600", "\x00", "x" * 300, [], {}, [1],
       {"a": 1}, [[]], "initialize", "ping", "tools/call", "notifications/initialized", NEWER, OLDER, "tasks/get"]


def good(r):
    """A message that is taken, or nearly so."""
    revision = r.choice([OLDER, NEWER, NEWER])
    method = r.choice(sorted(METHODS[revision] | {"no/such"}))
    params = {}
    if method == "initialize":
        params = {"protocolVersion": r.choice([OLDER, "2024-11-05"]), "capabilities": {}}
    elif method == "tools/call":
        params = {"name": r.choice([*SELLER, "refund_escrow", "no"]), "arguments": r.choice(
            [{}, {"bindings": {"DeliveryRecord": "d1"}}, {"execution": "f-1"}, {"tool": "x"}, {"facts": {}}])}
    elif method == "resources/read":
        params = {"uri": "motet://" + r.choice(["escrow", "other"]) + "/" + r.choice([*RESOURCES, "records/99999", ""])}
    elif method.startswith("tasks/"):
        params = {"taskId": "f-1", "inputResponses": {}}
    elif r.random() < 0.2:
        params = {"cursor": r.choice([*SELLER, "no", ""])}
    if revision == NEWER:
        can = TASKS if r.random() < 0.8 else r.choice([{}, {"extensions": []}, {"extensions": {}}])
        params["_meta"] = {PREFIX + "protocolVersion": NEWER, PREFIX + "clientCapabilities": can}
        if r.random() < 0.2:
            params["_meta"][PREFIX + "clientInfo"] = {"name": "n"}
    if r.random() < 0.1:
        params.setdefault("_meta", {})["motet/callId"] = r.choice(["k%d" % r.randrange(99), "", "é", 5, "x" * 200,
                                                                   "x" * 201])
    said = {"jsonrpc": "2.0", "id": r.choice([r.randrange(1000), "s%d" % r.randrange(1000)]), "method": method}
    if params or r.random() < 0.5:
        said["params"] = params
    if r.random() < 0.1:
        del said["id"]
    return said


def twist(r, value):
    """Some part of it exchanged, dropped, added or wrapped."""
    if isinstance(value, dict) and value and r.random() < 0.85:
        key = r.choice(sorted(value))
        how = r.random()
        if how < 0.15:
            return {k: v for k, v in value.items() if k != key}
        if how < 0.25:
            return {**value, r.choice(["id", "method", "params", "result", "error", "_meta", "x"]): r.choice(ODD)}
        return {**value, key: twist(r, value[key])}
    return r.choice(ODD) if r.random() < 0.9 else [value]


def written(r, said):
    """As bytes; sometimes as a text that is not quite JSON."""
    line = json.dumps(said, ensure_ascii=r.random() < 0.5).encode()
    how = r.random()
    if how < 0.70:
        return line
    if how < 0.80:
        at = r.randrange(len(line))
        return line[:at] + bytes([r.randrange(256)]) + line[at + 1:]
    if how < 0.85:
        return line[:r.randrange(len(line))]
    if how < 0.88:
        return line.replace(b'{"jsonrpc"', b'{"jsonrpc": "2.0", "jsonrpc"', 1)
    if how < 0.91:
        return r.choice([b"[" + line + b"]", line + line, b"\xef\xbb\xbf" + line, line + b",", b"null", b"[]", b"7",
                         b'"x"', b"NaN", b"'x'", b"{,}", b"\x00", b"\xff\xfe", line + b"\xc3"])
    if how < 0.94:
        deep = r.choice([DEPTH - 4, DEPTH - 3, DEPTH - 2, DEPTH + 1, 1000, 5000])
        inner = r.choice([b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep, b"[" * deep])
        return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + inner + b"}}"
    if how < 0.96:
        return json.dumps({"jsonrpc": "2.0", "id": "\ud800"[:r.randrange(2)] + "x", "method": "ping"}).encode()
    if how < 0.98:
        size = r.choice([BYTES - 200, BYTES, BYTES * 4])
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ""}}).encode()
        return line.replace(b'"x": ""', b'"x": "%s"' % (b"y" * (size - len(line))))
    return line.replace(b'"id": ', b'"id": -', 1)


def hostile(r):
    said = good(r)
    for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
        said = twist(r, said)
    return written(r, said).replace(b"\n", b" ").replace(b"\r", b" ").strip(b" \t") or b"x"


class Hostile(Case):
    def told(self, line, want, got):
        number, code, _ = want
        self.assertEqual(got.get("error", {}).get("code"), code, (line[:300], got))
        self.assertEqual("result" in got, code is None, (line[:300], got))
        if number is None:
            self.assertNotIn("id", got, line[:300])
        else:
            self.assertEqual(got["id"], int(number) if isinstance(number, Number) else number, line[:300])

    def test_hostile_messages_over_standard_input(self):
        r = random.Random(SEED)
        lines = [hostile(r) for _ in range(50000 if SOAK else 5000)]
        model = Model()
        wanted = [(line, want) for line in lines if (want := model.hear(line))]
        done = subprocess.run([str(MOTET), "mcp", str(ESCROW), "--persona", "seller", "--may-assert", "*",
                               "--instance", "DeliveryRecord/d1", "--limit", f"mcp_bytes={BYTES}"],
                              input=b"\n".join(lines) + b"\n", capture_output=True, cwd=self.dir, timeout=900)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        answers = done.stdout.decode().splitlines()
        for (line, want), answer in zip(wanted, answers):
            self.told(line, want, json.loads(answer))
        self.assertEqual(len(answers), len(wanted))
        codes = {code for _, (_, code, _) in wanted}
        self.assertEqual(codes, {None, -32700, -32600, -32601, -32602, -32002, -32021, -32022})

    def test_hostile_messages_over_http(self):
        r = random.Random(SEED)
        model, seen = Model(), set()
        with Server(self.dir, ESCROW, options=["--limit", f"mcp_bytes={BYTES}"]) as server:
            made = server.post("/v1/contracts/escrow/instances/DeliveryRecord", {"id": "d1"})
            self.assertEqual(made.status, 201)
            for _ in range(5000 if SOAK else 500):
                line = hostile(r)
                headers = self.fields(r, line)
                want = model.hear(line, headers)
                answer = server.post("/mcp/escrow/seller", line, headers=headers)
                if want:
                    self.told(line, want, answer.json)
                    seen.add(want[1])
                else:
                    self.assertEqual(answer.body, b"", line[:300])
                self.assertEqual(answer.status, want[2] if want else 202, (line[:300], headers, answer))
        self.assertLessEqual({None, -32700, -32600, -32601, -32602, -32020, -32022}, seen)

    def fields(self, r, line):
        """Header fields that fit the message, or nearly so."""
        kind, said = read(line)
        said = said if kind == "value" and isinstance(said, dict) else {}
        params = said.get("params") if isinstance(said.get("params"), dict) else {}
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        method = said.get("method")
        fields = {"MCP-Protocol-Version": meta.get(PREFIX + "protocolVersion", OLDER), "Mcp-Method": method,
                  "Mcp-Name": params.get(NAMED.get(method) if plain(method) else None)}
        if r.random() < 0.15:
            fields[r.choice(sorted(fields))] = r.choice([None, "x", NEWER, OLDER, "tools/call", "ping"])
        return {k: v for k, v in fields.items() if plain(v) and re.fullmatch("[!-~]([ -~]*[!-~])?", v)}


main()
