"""The gRPC adapter: a real server (python3-grpcio), one that misbehaves byte by byte, the gate."""
import json
import pathlib
import shutil
import socket
import struct
import subprocess
import threading
import time

from harness import SOURCE, Case, main

ROOT = SOURCE / "tests" / "data" / "grpc"
SERVER = SOURCE / "tests" / "e2e" / "grpc_server.py"

CONTRACT = """
source bank {{ protocol: grpc endpoint: "{endpoint}" }}
{facts}
rule r {{ stratum: 0 when: true produce: ok(true) }}
"""


def contract(endpoint, **facts):
    lines = [f'fact {name} {{ type: {type_} source: bank {{ path: "{path}" }} }}'
             for name, (type_, path) in facts.items()]
    return CONTRACT.format(endpoint=endpoint, facts="\n".join(lines))


class Server:
    """tests/e2e/grpc_server.py, as long as it is needed."""

    def __init__(self, *words):
        self.process = subprocess.Popen(["/usr/bin/python3", str(SERVER), str(ROOT), *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def setUpModule():
    Grpc.server = Server()


def tearDownModule():
    Grpc.server.close()


class Grpc(Case):
    server = None

    def setUp(self):
        super().setUp()
        self.endpoint = f"http://127.0.0.1:{self.server.port}"

    def fetch(self, facts, settings="", params=("id=7",), endpoint=None, code=0, env=None):
        """Evaluates with these facts; the values by fact, or the text of the refusal."""
        self.write("a.tenor", contract(endpoint or self.endpoint, **facts))
        self.write("s.yaml", f"sources:\n  bank:\n    proto: {ROOT}/bank/accounts.proto\n"
                             f"    proto_root: {ROOT}\n{settings}")
        words = [word for param in params for word in ("--param", param)]
        result = self.run_motet("eval", "a.tenor", "--sources", "s.yaml", "--provenance",
                                "p.json", *words, env=env)
        self.assertEqual(result.code, code, repr(result))
        if code:
            return result.err
        return {entry["id"]: entry["value"]
                for entry in json.loads((self.dir / "p.json").read_text())}


class Values(Grpc):
    GET = "bank.v1.Accounts/Get/{id}.account."
    FACTS = {
        "points": ("Int(0, 9223372036854775807)", "points", 9007199254740993),
        "lowest": ("Int(-9, 9)", "lowest", -5),
        "four": ("Int(0, 9)", "four", 7),
        "eight": ("Int(-9, 9)", "eight", -8),
        "owner": ("Text(max_length: 9)", "owner_name", "Zoë"),
        "json_name": ("Text(max_length: 9)", "ownerName", "Zoë"),
        "largest": ("Text(max_length: 40)", "largest", "18446744073709551615"),
        "open": ("Bool", "is_open", True),
        "status": ('Enum(values: ["STATUS_ACTIVE", "STATUS_FROZEN"])', "status",
                   "STATUS_ACTIVE"),
        "seal": ("Text(max_length: 9)", "seal", "AAH/"),
        "ratio": ("Decimal(precision: 4, scale: 2)", "ratio", 0.25),
        "rate": ("Decimal(precision: 4, scale: 2)", "rate", 0.1),
        "opened": ("DateTime", "opened_at", "2026-01-31T12:00:00.5Z"),
        "notice": ('Duration(unit: "days", min: 0, max: 9)', "notice", {"value": 2}),
        "score": ("Int(0, 99)", "score", 42),
        "days": ("List(element_type: Int(0, 999), max: 9)", "days", [1, 2, 300]),
        "second": ("Int(0, 9)", "days.1", 2),
        "entries": ("List(element_type: Record { text: Text(max_length: 9), "
                    "cents: Int(-9, 999) }, max: 9)", "entries",
                    [{"cents": 150, "text": "a"}, {"cents": -2, "text": "b"}]),
        "year": ("Int(0, 9)", "by_year.2025", 3),
        "phone": ("Int(0, 999)", "phone", 491),
        "balance": ('Money(currency: "EUR")', "balance",
                    {"amount": "12.50", "currency": "EUR"}),
        "unset": ("Int(0, 9)", "nothing_set", 0),
    }

    def test_every_kind_of_field_becomes_a_fact(self):
        begin = time.monotonic()
        got = self.fetch({name: (type_, self.GET + path)
                          for name, (type_, path, _) in self.FACTS.items()})
        self.assertEqual(got, {name: value for name, (_, _, value) in self.FACTS.items()})
        self.assertLess(time.monotonic() - begin, 3, "an answer was waited for in vain")

    def test_a_descriptor_set_says_the_same_as_text(self):
        subprocess.run(["protoc", f"-I{ROOT}", "--include_imports",
                        f"--descriptor_set_out={self.dir}/bank.pb", "bank/accounts.proto"],
                       check=True)
        facts = {name: (type_, self.GET + path)
                 for name, (type_, path, _) in self.FACTS.items()}
        text = self.fetch(facts)
        self.write("a.tenor", contract(self.endpoint, **facts))
        self.write("s.yaml", "sources: {bank: {proto: bank.pb}}")
        self.holds("eval", "a.tenor", "--sources", "s.yaml", "--provenance", "p.json",
                   "--param", "id=7")
        again = {entry["id"]: entry["value"]
                 for entry in json.loads((self.dir / "p.json").read_text())}
        self.assertEqual(again, text)

    def test_imports_are_looked_for_beside_the_proto_unless_a_root_is_given(self):
        fact = {"open": ("Bool", self.GET + "is_open")}
        self.write("a.tenor", contract(self.endpoint, **fact))
        for folder in ("protos/", ""):  # the working directory last, or it would do for both
            with self.subTest(folder):
                (self.dir / folder / "bank").mkdir(parents=True)
                shutil.copy(ROOT / "bank/accounts.proto", self.dir / folder)
                shutil.copy(ROOT / "bank/types.proto", self.dir / folder / "bank")
                self.write("s.yaml", f"sources: {{bank: {{proto: {folder}accounts.proto}}}}")
                self.holds("eval", "a.tenor", "--sources", "s.yaml", "--param", "id=7")

    def test_conversions(self):
        facts = {
            "cents": ('Money(currency: "EUR")', self.GET + "balance_cents"),
            "changed": ("DateTime", self.GET + "changed_ms"),
            "day": ("Date", self.GET + "changed_ms"),
            "limit": ("Int(0, 100)", self.GET + "limit_text"),
            "status": ('Enum(values: ["active", "frozen"])', self.GET + "status"),
            "price": ('Money(currency: "EUR")', self.GET + "entries.0"),
        }
        got = self.fetch(facts, """    facts:
      cents: {convert: {shift: -2}}
      changed: {convert: {epoch: milliseconds}}
      day: {convert: {epoch: milliseconds}}
      limit: {convert: {number: true}}
      status: {convert: {values: {STATUS_ACTIVE: active, STATUS_FROZEN: frozen}}}
      price: {select: account.balance, convert: {money: {amount: units, currency: currency_code}}}
""")
        self.assertEqual(got, {
            "cents": {"amount": "12.50", "currency": "EUR"}, "changed": "2026-01-01T00:00:00Z",
            "day": "2026-01-01", "limit": 99, "status": "active",
            "price": {"amount": "12", "currency": "EUR"}})

    def test_a_conversion_that_has_no_row_or_would_round_is_malformed(self):
        err = self.fetch({"status": ('Enum(values: ["a", "b"])', self.GET + "status")},
                         "    facts: {status: {convert: {values: {OTHER: a}}}}\n", code=3)
        self.assertIn("malformed: fact 'status': convert.values has no row for the value: "
                      "'STATUS_ACTIVE'", err)
        err = self.fetch({"cents": ("Int(0, 100)", self.GET + "balance_cents")},
                         "    facts: {cents: {convert: {shift: -2}}}\n", code=3)
        self.assertIn("shifted it is not a whole number: '1250'", err)

    def test_a_conversion_that_cannot_give_the_type_is_refused_at_the_start(self):
        for step in ("epoch: seconds", "unit: hours", "money: {amount: a, currency: b}"):
            err = self.fetch({"open": ("Bool", self.GET + "is_open")},
                             "    facts: {open: {convert: {%s}}}\n" % step, code=1)
            self.assertIn("error[F101]: 'convert' of fact 'open' does not lead to the fact's "
                          "type", err)

    def test_what_is_not_set_and_has_presence_is_not_found(self):
        for path in ("nickname", "maybe", "mail", "by_year.1999", "days.9"):
            err = self.fetch({"a": ("Text(max_length: 9)", self.GET + path)}, code=3)
            self.assertIn("not_found: the answer has nothing for fact 'a'", err)


class Requests(Grpc):
    def heard(self, settings, params=("id=7",)):
        got = self.fetch({"heard": ("Text(max_length: 900)", "Accounts/Get.heard")},
                         "    facts:\n      heard:\n        request: " + settings + "\n", params)
        return json.loads(got["heard"])

    def test_a_request_has_what_the_settings_say(self):
        self.assertEqual(self.heard(
            '{id: "{id}", atMost: "{most}", view: FULL, tags: [a, "b-{id}"], limits: {x: 3},'
            ' filter: {open: true, key: AAH/, rate: 1.5, delta: -3},'
            ' as_of: "2026-01-01T01:00:00+01:00"}', ("id=7", "most=9007199254740993")),
            {"id": "7", "atMost": "9007199254740993", "view": "FULL", "tags": ["a", "b-7"],
             "limits": {"x": 3}, "filter": {"open": True, "key": "AAH/", "rate": 1.5,
                                            "delta": -3}, "asOf": "2026-01-01T00:00:00Z"})

    def test_a_value_stays_in_its_field(self):
        self.assertEqual(self.heard('{id: "{id}"}', ('id="}, view: 1',))["id"], '"}, view: 1')

    def test_a_value_that_does_not_fit_its_field_is_refused(self):
        for request, value, told in [
                ('{at_most: "{id}"}', "seven", "field 'at_most' must be a whole number"),
                ('{filter: {key: "{id}"}}', "==", "field 'key' must be bytes in base64"),
                ('{filter: {key: "{id}"}}', "a==", "field 'key' must be bytes in base64"),
                ('{filter: {rate: "{id}"}}', "1e999",
                 "field 'rate' is beyond the numbers of its type")]:
            err = self.fetch({"heard": ("Text(max_length: 900)", "Accounts/Get.heard")},
                             f"    facts: {{heard: {{request: {request}}}}}\n",
                             (f"id={value}",), code=1)
            self.assertIn(f"param_refused: the request of fact 'heard': {told}", err)

    def test_facts_with_the_same_request_share_one_call(self):
        got = self.fetch({"a": ("Text(max_length: 900)", "Accounts/Get/{id}.heard"),
                          "b": ("Bool", "Accounts/Get/{id}.account.is_open")})
        provenance = json.loads((self.dir / "p.json").read_text())
        self.assertEqual(len({entry["source_response"] for entry in provenance}), 1)
        self.assertEqual(sorted(got), ["a", "b"])

    def test_a_credential_goes_with_the_call_and_into_no_message(self):
        fact = {"a": ("Bool", "Accounts/Get/{id}.account.is_open")}
        settings = f"    endpoint: {self.endpoint}\n    auth: {{bearer: {{env: TOKEN}}}}\n"
        got = self.fetch(fact, settings, ("id=secret",), env={"TOKEN": "s3cret"})
        self.assertEqual(got, {"a": True})
        err = self.fetch(fact, settings, ("id=secret",), env={"TOKEN": "other"}, code=3)
        self.assertIn("refused: source 'bank' answered UNAUTHENTICATED: who are you?", err)
        self.assertNotIn("other", err)

    def test_the_deadline_is_told(self):
        got = self.fetch({"a": ("Text(max_length: 9)", "Accounts/Get/{id}.heard")},
                         "    timeout: 20s\n", ("id=deadline",))
        self.assertIn(got["a"], ("19", "20"))


class Faults(Grpc):
    def fail(self, request, settings="", code=3):
        return self.fetch({"a": ("Text(max_length: 9)", "Accounts/Fail.heard")},
                          f"    facts: {{a: {{request: {request}}}}}\n{settings}", code=code)

    def test_every_status_is_an_error_with_a_name(self):
        for number, name, error in [(1, "CANCELLED", "status"), (2, "UNKNOWN", "status"),
                                    (3, "INVALID_ARGUMENT", "refused"),
                                    (4, "DEADLINE_EXCEEDED", "timeout"),
                                    (5, "NOT_FOUND", "not_found"),
                                    (7, "PERMISSION_DENIED", "refused"),
                                    (8, "RESOURCE_EXHAUSTED", "refused"),
                                    (12, "UNIMPLEMENTED", "refused"),
                                    (13, "INTERNAL", "status"),
                                    (14, "UNAVAILABLE", "unreachable")]:
            err = self.fail(f'{{code: {number}, text: "it is so\\u0007 – 100%"}}')
            self.assertIn(f"{error}: source 'bank' answered {name}: it is so?", err)

    def test_a_call_that_takes_too_long_is_a_timeout(self):
        begin = time.monotonic()
        err = self.fail("{sleep_ms: 3000}", "    timeout: 300ms\n")
        self.assertIn("timeout: ", err)
        self.assertLess(time.monotonic() - begin, 2.5)

    def test_an_answer_at_the_limit_passes_and_one_beyond_does_not(self):
        # Tag and length of `heard` are three bytes.
        fact = {"a": ("Text(max_length: 9999)", "Accounts/Fail.heard")}
        ask = "    facts: {a: {request: {size: 1000}}}\n    max_bytes: %d\n"
        self.assertEqual(len(self.fetch(fact, ask % 1003)["a"]), 1000)
        self.assertIn("too_large: ", self.fetch(fact, ask % 1002, code=3))

    def test_settings_that_the_proto_does_not_know_are_refused_at_the_start(self):
        for path, settings, told in [
                ("Accounts/Got.x", "", "the proto has no single method Service/Method called "
                                       "'Accounts/Got'"),
                ("x", "", "the proto has no single method Service/Method called ''"),
                ("Accounts/Watch.heard", "", "this method streams: 'Accounts/Watch'"),
                ("Accounts/Get.account.balence", "",
                 "the answer's message has no field 'balence'"),
                ("Accounts/Get/{no}.heard", "", "the request's message has no field 'no'"),
                ("Accounts/Get.heard", "    facts: {a: {request: {filter: {opn: true}}}}\n",
                 "the request's message has no field 'opn'")]:
            err = self.fetch({"a": ("Bool", path)}, settings, code=1)
            self.assertIn("error[F104]: fact 'a': ", err)
            self.assertIn(told, err)

    def test_a_proto_that_cannot_be_read_is_told_with_its_line(self):
        self.write("bad.proto", 'syntax = "proto3";\nmessage A {\n  int32 a = 0;\n}\n')
        self.write("out.proto", 'import "../secret.proto";')
        self.write("lost.proto", 'import "no/such.proto";')
        self.write("a.tenor", contract("http://127.0.0.1:1", a=("Bool", "A/B.c")))
        for name, told in [("bad.proto", "bad.proto:3: the number of a field is not zero"),
                           ("out.proto", "the import '../secret.proto' leads outside"),
                           ("lost.proto", "the import 'no/such.proto': "),
                           ("none.proto", "none.proto: ")]:
            self.write("s.yaml", f"sources: {{bank: {{proto: {name}}}}}")
            result = self.fails(1, "eval", "a.tenor", "--sources", "s.yaml")
            self.assertIn(told, result.err)

    def test_an_endpoint_with_a_path_is_refused(self):
        err = self.fetch({"a": ("Bool", "Accounts/Get.heard")}, code=1,
                         endpoint="http://127.0.0.1:1/there")
        self.assertIn("error[F101]: the endpoint of source 'bank' must be SCHEME://HOST:PORT",
                      err)


class Tls(Grpc):
    def test_tls_with_the_ca_that_the_settings_name(self):
        key, chain = self.dir / "key.pem", self.dir / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                        key, "-out", chain, "-subj", "/CN=localhost", "-days", "2", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        secure = Server(str(chain), str(key))
        self.addCleanup(secure.close)
        fact = {"a": ("Bool", "Accounts/Get/{id}.account.is_open")}
        endpoint = f"127.0.0.1:{secure.port}"  # bare: TLS
        self.assertEqual(self.fetch(fact, "    ca_file: cert.pem\n", endpoint=endpoint),
                         {"a": True})
        self.assertIn("unreachable: source 'bank': ",
                      self.fetch(fact, endpoint=endpoint, code=3))


class Gate(Grpc):
    def check(self, settings):
        self.write("a.tenor", contract(self.endpoint, a=("Bool", "Accounts/Get/{id}.account"
                                                                 ".is_open")))
        self.write("motet.yaml", "store: 'sqlite:x.db'\nfiles: [a.tenor]\nlisten: 127.0.0.1:0\n"
                   + settings)
        return self.run_motet("serve", "--config", "motet.yaml", "--check-config")

    def test_under_serve_the_configuration_says_where_and_which_proto(self):
        proto = f"    proto: {ROOT}/bank/accounts.proto\n    proto_root: {ROOT}\n"
        result = self.check("sources:\n  bank:\n" + proto)
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("an origin that the configuration does not allow", result.out + result.err)
        result = self.check(f"sources:\n  bank:\n    endpoint: {self.endpoint}\n")
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("needs proto", result.out + result.err)
        result = self.check(f"sources:\n  bank:\n    endpoint: {self.endpoint}\n" + proto)
        self.assertEqual(result.code, 0, repr(result))

    def test_a_proto_that_only_the_contract_names_is_not_read_by_a_server(self):
        self.write("a.tenor", contract(self.endpoint, a=("Bool", "Accounts/Get.heard")).replace(
            'endpoint:', 'proto_ref: "/etc/passwd" endpoint:'))
        self.write("motet.yaml", "store: 'sqlite:x.db'\nfiles: [a.tenor]\nlisten: 127.0.0.1:0\n"
                   f"sources:\n  bank:\n    endpoint: {self.endpoint}\n")
        result = self.run_motet("serve", "--config", "motet.yaml", "--check-config")
        self.assertEqual(result.code, 1, repr(result))
        self.assertIn("names its proto_ref in the contract only", result.out + result.err)


# ---- A server that does what it is told, byte by byte ----

def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(
        ">I", stream) + payload


def headers(lines, end=False):
    """A HEADERS frame of literals that no table remembers."""
    block = b"".join(b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)])
                     + value.encode() for name, value in lines)
    return frame(1, 4 | end, 1, block)


def data(payload, end=False):
    return frame(0, int(end), 1, payload)


def message(payload, flag=0, length=None):
    return bytes([flag]) + struct.pack(">I", len(payload) if length is None else length) + payload


BEGIN = headers([(":status", "200"), ("content-type", "application/grpc")])
OK = headers([("grpc-status", "0")], end=True)
HEARD = b"\x12\x02hi"  # GetReply.heard


class Raw:
    """Answers the first request of every connection with the same bytes."""

    def __init__(self, answer, close=False, first=frame(4, 0, 0, b"")):
        self.answer, self.closes, self.first = answer, close, first
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.open = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.open.append(peer)
            threading.Thread(target=self.talk, args=(peer,), daemon=True).start()

    def talk(self, peer):
        try:
            peer.sendall(self.first)
            heard = b""
            while data(message(b""), end=True) not in heard:  # the empty request
                more = peer.recv(65536)
                if not more:
                    return
                heard += more
            peer.sendall(self.answer)
            if self.closes:
                peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536):
                pass
        except OSError:
            pass

    def close(self):
        self.socket.close()
        for peer in self.open:
            peer.close()


class Hostile(Case):
    def ask(self, answer, settings="", code=3, **named):
        raw = Raw(answer, **named)
        self.addCleanup(raw.close)
        self.write("a.tenor", contract(f"http://127.0.0.1:{raw.port}",
                                       a=("Text(max_length: 9)", "Accounts/Get.heard")))
        self.write("s.yaml", f"sources:\n  bank:\n    proto: {ROOT}/bank/accounts.proto\n"
                             f"    proto_root: {ROOT}\n{settings}")
        result = self.run_motet("eval", "a.tenor", "--sources", "s.yaml")
        self.assertEqual(result.code, code, repr(result))
        return result.err

    def test_the_raw_server_can_answer_well(self):
        self.ask(BEGIN + data(message(HEARD)) + OK, code=0)
        # One message may come in many frames.
        pieces = b"".join(data(bytes([byte])) for byte in message(HEARD))
        self.ask(BEGIN + pieces + OK, code=0)

    def test_answers_that_are_none(self):
        for name, answer, told in [
                ("truncated frame", BEGIN + data(message(HEARD, length=9)) + OK,
                 "malformed: the answer of source 'bank' is cut short"),
                ("half a frame head", BEGIN + data(b"\0\0") + OK, "is cut short"),
                ("compressed", BEGIN + data(message(HEARD, flag=1)) + OK,
                 "malformed: the answer of source 'bank' is compressed"),
                ("two messages", BEGIN + data(message(HEARD) * 2) + OK,
                 "malformed: the answer of source 'bank' has more than one message"),
                ("many messages", BEGIN + data(message(b"") * 3000) + OK, "more than one"),
                ("no message", BEGIN + OK, "malformed: the answer of source 'bank' has no "
                                           "message"),
                ("not a message", BEGIN + data(message(b"\x12\xff")) + OK,
                 "malformed: the answer of source 'bank': it is cut short or not a message"),
                ("not UTF-8", BEGIN + data(message(b"\x12\x01\xff")) + OK,
                 "a string is not UTF-8"),
                ("wrong type", headers([(":status", "200"), ("content-type", "text/html")])
                 + data(message(HEARD)) + OK, "malformed: the answer of source 'bank' is not "
                                              "gRPC"),
                ("web", headers([(":status", "200"), ("content-type", "application/grpc-web")])
                 + data(message(HEARD)) + OK, "is not gRPC"),
                ("no status", BEGIN + data(message(HEARD), end=True),
                 "malformed: the answer of source 'bank' has no grpc-status"),
                ("status of tomorrow", BEGIN + data(message(HEARD))
                 + headers([("grpc-status", "99")], end=True), "an unknown grpc-status"),
                ("trailers only", headers([(":status", "200"), ("content-type",
                                           "application/grpc"), ("grpc-status", "5"),
                                           ("grpc-message", "none%20of%20it")], end=True),
                 "not_found: source 'bank' answered NOT_FOUND: none of it"),
                ("HTTP status", headers([(":status", "503")], end=True),
                 "status: source 'bank' answered with status 503"),
                ("redirect", headers([(":status", "302"), ("location", "http://127.0.0.1:1/")],
                                     end=True), "status: source 'bank' answered with status 302"),
                ("reset", BEGIN + frame(3, 0, 1, struct.pack(">I", 2)),
                 "malformed: source 'bank': "),
                ("closed", BEGIN + data(message(HEARD)), "malformed: source 'bank': ")]:
            with self.subTest(name):
                self.assertIn(told, self.ask(answer, close=name == "closed"))

    def test_a_huge_length_is_not_waited_for(self):
        begin = time.monotonic()
        err = self.ask(BEGIN + data(message(b"", length=0xffffffff)))
        self.assertIn("too_large: ", err)
        self.assertLess(time.monotonic() - begin, 1.5)

    def test_more_than_max_bytes_is_too_large(self):
        flood = data(b"\0\0\0\x27\x10" + b"\x12" * 9000) + data(b"\x12" * 1000)
        self.assertIn("too_large: ", self.ask(BEGIN + flood + OK, "    max_bytes: 5000\n"))

    def test_values_that_the_bytes_do_not_show_are_counted(self):
        # An Account without anything in it has two dozen values.
        bomb = b"\x0a\x00" * 200000
        entries = b"\x8a\x01\x00" * 400000  # Account.entries, each with two values
        account = b"\x0a" + varint(len(entries)) + entries
        self.ask(BEGIN + chunks(message(bomb + HEARD)) + OK, code=0)  # one message in parts
        self.assertIn("too_large: the answer of source 'bank': it has more values than are read",
                      self.ask(BEGIN + chunks(message(account)) + OK,
                               "    max_bytes: 8000000\n"))

    def test_silence_is_a_timeout(self):
        self.assertIn("timeout: ", self.ask(b"", "    timeout: 300ms\n"))
        self.assertIn("timeout: ", self.ask(BEGIN, "    timeout: 300ms\n"))

    def test_what_speaks_no_http2_is_told(self):
        err = self.ask(b"", first=b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        self.assertRegex(err, "(malformed|unreachable): source 'bank': ")


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def chunks(payload, size=16000):
    """DATA frames; more than the window of HTTP/2 that libcurl opens is not sent here."""
    return b"".join(data(payload[at:at + size]) for at in range(0, len(payload), size))


if __name__ == "__main__":
    assert pathlib.Path("/usr/bin/python3").exists(), "Debian's Python has grpcio"
    main()
