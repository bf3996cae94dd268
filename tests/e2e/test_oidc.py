"""OpenID Connect against a real provider (tests/npm/oidc), run by the test on this machine."""
import base64
import hashlib
import hmac
import html
import http.client
import http.cookies
import http.server
import json
import re
import select
import socket
import subprocess
import threading
import time
import urllib.parse

import api
import npm
from harness import SANITIZED, Case, main, run, wall_clock
from jwts import Signer, b64
from serve import Answer, Server

NPM = npm.FOLDER / "oidc"  # finds tests/npm/node_modules above it
AUDIENCE = "urn:motet:test"
REDIRECT = "http://127.0.0.1:9/callback"
WARD = """
fact ready { type: Bool source: "desk.ready" default: true }
persona requester
persona approver
entity Bed { states: [free, asked, taken] initial: free transitions: [(free, asked), (asked, taken)] }
operation ask { allowed_personas: [requester] precondition: ready effects: [(Bed, free, asked)] }
operation approve { allowed_personas: [approver] precondition: ready effects: [(Bed, asked, taken)] }
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def public(keys):
    private = {"d", "p", "q", "dp", "dq", "qi"}
    return {"keys": [{k: v for k, v in key.items() if k not in private} for key in keys["keys"]]}


class Provider:
    def __init__(self, directory, keys, port=None):
        self.directory, self.keys, self.port = directory, keys, port or free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        path = self.directory / "provider-keys.json"
        path.write_text(json.dumps(self.keys))
        self.errors = open(self.directory / "provider.err", "ab")
        self.process = subprocess.Popen(["node", "provider.mjs", str(self.port), str(path), REDIRECT], cwd=NPM,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True)
        if not select.select([self.process.stdout], [], [], 30)[0] or self.process.stdout.readline() != "ready\n":
            raise RuntimeError((self.directory / "provider.err").read_text())
        return self

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(timeout=10)
            self.process.stdout.close()
            self.errors.close()
            self.process = None

    def sign(self, alg="RS256", kid="r", **claims):
        now = int(time.time())
        body = {"iss": self.issuer, "aud": AUDIENCE, "sub": "till", "iat": now, "exp": now + 300,
                "groups": ["tills"], **claims}
        body = {k: v for k, v in body.items() if v is not None}
        self.process.stdin.write(json.dumps({"sign": body, "alg": alg, "kid": kid}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:  # the provider prints notes of its own
            if line.startswith("token "):
                return line.split()[1]
        raise AssertionError("the provider has ended")

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def client_credentials(self):
        basic = base64.b64encode(b"till:till-secret").decode()
        answer = self.ask("POST", "/token", f"grant_type=client_credentials&resource={AUDIENCE}&scope=use",
                          {"Authorization": f"Basic {basic}", "Content-Type": "application/x-www-form-urlencoded"})
        return answer.json["access_token"]


class Browser:
    """Cookies by port; redirects are followed by hand. What the provider sends to our redirect
    address is taken to where our server really listens."""

    def __init__(self, server, provider):
        self.ports = {9: server.port, provider.port: provider.port, server.port: server.port}
        self.jar = {}
        self.server = server

    def ask(self, method, url, body=None, headers=None):
        parts = urllib.parse.urlsplit(url)
        port = self.ports[parts.port]
        jar = self.jar.setdefault(port, {})
        fields = dict(headers or {})
        if jar:
            fields["Cookie"] = "; ".join(f"{k}={v}" for k, v in jar.items())
        if body is not None:
            fields.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body=body, headers=fields)
        answer = Answer(connection.getresponse())
        connection.close()
        if port == self.server.port:
            api.see(self.server, method, parts.path, answer)
        for line in answer.headers.get_all("Set-Cookie") or []:
            for name, morsel in http.cookies.SimpleCookie(line).items():
                expires = morsel["max-age"] == "0" or "1970" in morsel["expires"]
                jar.pop(name, None) if expires else jar.__setitem__(name, morsel.value)
        return answer

    def follow(self, url, stop=lambda url: False):
        for _ in range(12):
            answer = self.ask("GET", url)
            if answer.status not in (302, 303):
                return answer, url
            url = urllib.parse.urljoin(url, answer.headers["Location"])
            if stop(url):
                return answer, url
        raise AssertionError("redirects without end")

    def log_in(self, server, person, stop=lambda url: False):
        """Through the provider's own pages; where it ends."""
        page, url = self.follow(f"{server.url}/login?return=/session")
        for prompt in ("login", "consent"):
            if page.status == 200 and f'name="prompt" value="{prompt}"' in page.body.decode():
                action = html.unescape(re.search(r'action="([^"]+)"', page.body.decode()).group(1))
                body = urllib.parse.urlencode({"prompt": prompt, "login": person, "password": "x"})
                answer = self.ask("POST", urllib.parse.urljoin(url, action), body)
                url = urllib.parse.urljoin(url, answer.headers["Location"])
                page, url = (answer, url) if stop(url) else self.follow(url, stop)
        return page, url


class Oidc(Case):
    def keys(self, *words):
        assert (npm.MODULES / "oidc-provider").is_dir(), "the provider is missing: tools/install test"
        return json.loads(subprocess.run(["node", "keys.mjs", *words], cwd=NPM, check=True, capture_output=True,
                                         text=True).stdout)

    def serve(self, keys=None, **settings):
        self.provider = Provider(self.dir, keys or self.keys("r=RS256", "e=ES256", "d=EdDSA")).start()
        self.addCleanup(self.provider.stop)
        self.write("ward.tenor", WARD)
        rules = [{"claim": "groups", "contains": "tills", "personas": ["ward:requester"],
                  "rights": ["ward/instances:create", "ward/ledger:read"]},
                 {"claim": "groups", "contains": "requesters", "personas": ["ward:requester"]},
                 {"claim": "groups", "contains": "approvers", "personas": ["ward:approver"]}]
        self.write("motet.json", json.dumps({
            "files": ["ward.tenor"], "oidc": {"test": {
                "issuer": self.provider.issuer, "audience": AUDIENCE, "leeway_seconds": 2, "rules": rules,
                "login": {"client_id": "motet-web", "client_secret": {"env": "WEB_SECRET"}, "redirect_uri": REDIRECT,
                          "scope": "openid profile"}, **settings}}}))
        self.holds("keygen", "--prefix", "node")
        server = Server(self.dir, options=["--config", "motet.json", "--signing-key", "node.secret"],
                        env={"WEB_SECRET": "web-secret"})
        server.start()
        self.addCleanup(server.stop)
        return server

    def status(self, server, token):
        return server.get("/v1/contracts/ward/instances", token=token).status

    def test_a_token_of_a_real_provider_is_an_identity(self):
        server = self.serve()
        token = self.provider.client_credentials()
        self.assertEqual(server.get("/v1/contracts").status, 401)
        made = server.post("/v1/contracts/ward/instances/Bed", {"id": "b1"}, token=token)
        self.assertEqual(made.status, 201, (made, server.log()))
        done = server.post("/v1/contracts/ward/operations/ask",
                           {"persona": "requester", "bindings": {"Bed": "b1"}, "receipt": True}, token=token)
        self.assertEqual(done.status, 200, done)
        refused = server.post("/v1/contracts/ward/operations/approve",
                              {"persona": "approver", "bindings": {"Bed": "b1"}, "receipt": True}, token=token)
        self.assertEqual(refused.status, 403)
        till = {"actor": "machine", "id": "oidc:test:till", "known_by": "oidc", "name": "till"}
        record = server.get("/v1/ledger", token=token).json["items"][-1]["body"]
        self.assertEqual((record["kind"], record["caller"]), ("refusal", till))
        # Receipts say who asked, as what, and whether it is a person.
        for answer, persona in ((done, "requester"), (refused, "approver")):
            said = answer.json["receipt"]["promise"]["decision"]
            self.assertEqual((said["caller"], said["persona"]), (till, persona), answer)
            self.write("receipt.json", json.dumps(answer.json["receipt"]))
            self.holds("receipt", "verify", "receipt.json", "--key", "node.pub")
        who = server.get("/session", token=token).json
        self.assertEqual((who["id"], who["personas"]), ("oidc:test:till", ["ward:requester"]))
        self.assertNotIn("csrf", who)

    def test_every_algorithm_that_is_allowed_and_none_other(self):
        server = self.serve()
        p = self.provider
        for alg, kid in (("RS256", "r"), ("ES256", "e"), ("EdDSA", "d")):
            token = p.sign(alg, kid)
            self.assertEqual(self.status(server, token), 200, (alg, server.log()))
            head, body, signature = token.split(".")
            flipped = ("A" if signature[10] != "A" else "B")
            self.assertEqual(self.status(server, f"{head}.{body}.{signature[:10]}{flipped}{signature[11:]}"), 401)
            other = json.loads(base64.urlsafe_b64decode(body + "=="))
            forged = b64({**other, "groups": ["tills", "approvers"]})
            self.assertEqual(self.status(server, f"{head}.{forged}.{signature}"), 401)
        good = p.sign()
        body = good.split(".")[1]
        for head, signature in (({"alg": "none"}, ""), ({"alg": "none", "kid": "r"}, "AAAA"), ({"alg": "None"}, "AA"),
                                ({"alg": "RS256", "kid": "r"}, "")):
            self.assertEqual(self.status(server, f"{b64(head)}.{body}.{signature}"), 401, head)
        key = public(p.keys)["keys"][0]["n"].encode()
        for alg, digest in (("HS256", hashlib.sha256), ("HS512", hashlib.sha512)):
            text = f"{b64({'alg': alg, 'kid': 'r'})}.{body}"
            self.assertEqual(self.status(server, f"{text}.{b64(hmac.new(key, text.encode(), digest).digest())}"), 401)
        # The header chooses among keys; it does not make one key another kind of key.
        signature = good.split(".")[2]
        for alg, kid in (("ES256", "r"), ("EdDSA", "r"), ("RS256", "e")):
            self.assertEqual(self.status(server, f"{b64({'alg': alg, 'kid': kid})}.{body}.{signature}"), 401)
        self.assertEqual(self.status(server, f"{b64({'alg': 'RS256', 'kid': 'r', 'crit': ['x'], 'x': 1})}.{body}.{signature}"),
                         401)
        self.assertEqual(self.status(server, "a" * 9000 + "." + body + "." + signature), 401)

    def test_what_the_claims_must_say(self):
        server = self.serve()
        p, now = self.provider, int(time.time())
        rows = ((p.sign(aud="urn:other"), 401), (p.sign(aud=None), 401), (p.sign(aud=["x", AUDIENCE]), 200),
                (p.sign(iss="http://127.0.0.1:1"), 401), (p.sign(iss=None), 401), (p.sign(iss=p.issuer + "/"), 401),
                (p.sign(exp=None), 401), (p.sign(exp=now - 3), 401), (p.sign(exp=str(now + 50)), 401),
                (p.sign(exp=now + 1), 200), (p.sign(nbf=now + 60), 401), (p.sign(nbf=now + 1), 200),
                (p.sign(sub=None), 401), (p.sign(sub=""), 401), (p.sign(sub="x" * 256), 401),
                (p.sign(sub="a\nb"), 401), (p.sign(sub="x" * 255), 200),
                (p.sign(groups=["nobody"]), 403), (p.sign(groups="tills others"), 200), (p.sign(groups=7), 403),
                (p.sign(groups=[["tills"]]), 403))
        for i, (token, status) in enumerate(rows):
            self.assertEqual(self.status(server, token), status, (i, server.log()[-400:]))
        soon = p.sign(exp=int(time.time()) + 1)
        self.assertEqual(self.status(server, soon), 200)
        self.assertTrue(server.wait_until(lambda: self.status(server, soon) == 401, 10), "expires though believed")

    def test_a_key_that_is_rotated_is_asked_for_and_strangers_do_not_make_it_asked_often(self):
        server = self.serve(self.keys("r=RS256"))
        old = self.provider.sign()
        self.assertEqual(self.status(server, old), 200)
        port = self.provider.port
        self.provider.stop()
        self.provider = Provider(self.dir, self.keys("n=RS256"), port).start()
        self.addCleanup(self.provider.stop)
        new = self.provider.sign(kid="n")
        # The keys were asked for when the server began; ten seconds later they may be again.
        self.assertTrue(server.wait_until(lambda: self.status(server, new) == 200, 25), server.log())
        self.assertEqual(self.status(server, self.provider.sign(kid="n", sub="other")), 200)
        stranger = f"{b64({'alg': 'RS256', 'kid': 'zz'})}.{new.split('.')[1]}.{new.split('.')[2]}"
        began = time.monotonic()
        self.assertEqual([self.status(server, stranger) for _ in range(20)], [401] * 20)
        self.assertLess(time.monotonic() - began, 5)

    def test_the_code_flow_in_full(self):
        server = self.serve()
        ada, bob = Browser(server, self.provider), Browser(server, self.provider)
        page, url = ada.log_in(server, "ada")
        self.assertEqual((page.status, urllib.parse.urlsplit(url).path), (200, "/session"), (page, url, server.log()))
        session = page.json
        self.assertEqual((session["id"], session["known_by"], session["actor"], session["personas"]),
                         ("oidc:test:ada", "oidc", "human", ["ward:requester"]))
        self.assertEqual(list(ada.jar[server.port]), ["__Host-motet"])
        till = self.provider.sign()
        made = server.post("/v1/contracts/ward/instances/Bed", {"id": "b1"}, token=till)
        self.assertEqual(made.status, 201, made)
        ask = lambda browser, operation, persona, **headers: browser.ask(
            "POST", f"{server.url}/v1/contracts/ward/operations/{operation}",
            json.dumps({"persona": persona, "bindings": {"Bed": "b1"}}),
            {"Content-Type": "application/json", **headers})
        # A cookie alone writes nothing; nor does another page, or another's token.
        for headers in ({}, {"X-CSRF-Token": "x" * 43}, {"X-CSRF-Token": session["csrf"], "Origin": "http://evil"},
                        {"X-CSRF-Token": session["csrf"], "Sec-Fetch-Site": "cross-site"}):
            refused = ask(ada, "ask", "requester", **headers)
            self.assertEqual((refused.status, refused.code), (403, "csrf"), headers)
        done = ask(ada, "ask", "requester", **{"X-CSRF-Token": session["csrf"]})
        self.assertEqual(done.status, 200, done)
        page, _ = bob.log_in(server, "bob")
        self.assertEqual(ask(bob, "approve", "approver", **{"X-CSRF-Token": session["csrf"]}).code, "csrf")
        self.assertEqual(ask(bob, "approve", "approver", **{"X-CSRF-Token": page.json["csrf"]}).status, 200)
        callers = [r["body"]["caller"]["id"] for r in server.get("/v1/ledger", token=till).json["items"]
                   if r["body"]["kind"] == "operation"]
        self.assertEqual(callers, ["oidc:test:ada", "oidc:test:bob"])
        # Logging out ends it, here and for whoever has a copy of the cookie.
        copy = dict(ada.jar[server.port])
        self.assertEqual(ada.ask("POST", f"{server.url}/logout").code, "csrf")
        out = ada.ask("POST", f"{server.url}/logout", "", {"X-CSRF-Token": session["csrf"]})
        self.assertEqual((out.status, ada.jar[server.port]), (200, {}), out)
        ada.jar[server.port] = copy
        self.assertEqual(ada.ask("GET", f"{server.url}/session").status, 401)
        self.assertEqual(bob.ask("GET", f"{server.url}/session").status, 200)
        # Each of the routes that browsers take has answered as it is described.
        self.assertLessEqual({"callback", "login", "logout", "session"}, api.description.hit)

    def test_a_login_is_its_browsers_and_good_once(self):
        server = self.serve()
        eve, victim = Browser(server, self.provider), Browser(server, self.provider)
        begun = eve.ask("GET", f"{server.url}/login?return=//evil.example")
        cookie = begun.headers["Set-Cookie"]
        for word in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=600"):
            self.assertIn(word, cookie)
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["Location"]).query)
        self.assertEqual((asked["response_type"], asked["code_challenge_method"], asked["redirect_uri"]),
                         (["code"], ["S256"], [REDIRECT]))
        self.assertEqual(len(asked["state"][0]), 43)
        _, back = eve.log_in(server, "eve", stop=lambda url: url.startswith(REDIRECT))
        self.assertTrue(back.startswith(REDIRECT), back)
        # Eve's code in the victim's browser would log the victim in as Eve.
        self.assertEqual(victim.ask("GET", back).code, "login_unknown")
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["state"][0]
        self.assertEqual(eve.ask("GET", f"{server.url}/callback?code=wrong&state=" + "x" * 43).code, "login_unknown")
        done = eve.ask("GET", back)
        self.assertEqual((done.status, done.headers["Location"]), (303, "/session"), (done, server.log()))
        self.assertEqual(eve.ask("GET", back).code, "login_unknown")
        self.assertEqual(eve.ask("GET", f"{server.url}/callback?code=x&state={state}").code, "login_unknown")
        # Eve is known and has nothing to do with the ward.
        self.assertEqual(eve.ask("GET", f"{server.url}/v1/contracts/ward/instances").status, 403)

    def test_nothing_secret_is_in_the_log(self):
        server = self.serve()
        token = self.provider.sign(exp=1)
        self.assertEqual(self.status(server, token), 401)
        ada = Browser(server, self.provider)
        ada.log_in(server, "ada")
        self.assertTrue(server.logs("it has expired"))
        log = server.log()
        for secret in (token.split(".")[2], "web-secret", ada.jar[server.port]["__Host-motet"]):
            self.assertNotIn(secret, log)


class Pages(http.server.BaseHTTPRequestHandler):
    """Says what the test puts into `pages`, and counts who asks."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.say()

    def say(self):
        text = json.dumps(self.server.pages.get(self.path, {})).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        """Never answers, unless there is a page."""
        self.server.asked.append(self.path)
        if self.path in self.server.pages:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.say()
        else:
            self.server.ended.wait(60)

    def log_message(self, *words):
        pass


class Origins(Case):
    def page_server(self, pages):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        server.daemon_threads = True
        server.pages, server.asked, server.ended = pages, [], threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.ended.set)
        return server, f"http://127.0.0.1:{server.server_port}"


class Gate(Origins):
    """What the issuer's document leads to passes the one outgoing gate."""

    def serve(self, issuer, **settings):
        self.write("ward.tenor", WARD)
        self.write("motet.json", json.dumps({"files": ["ward.tenor"], **settings, "oidc": {"corp": {
            "issuer": issuer, "audience": AUDIENCE, "rules": [{"rights": ["ward/read"]}]}}}))
        server = Server(self.dir, options=["--config", "motet.json"], store=f"sqlite:{len(settings)}.db")
        server.start()
        self.addCleanup(server.stop)
        return server

    def test_keys_from_another_origin_only_if_it_is_named(self):
        signer = Signer(self.dir)
        keys, elsewhere = self.page_server({"/keys": signer.keys})
        documents, issuer = self.page_server({})
        documents.pages["/.well-known/openid-configuration"] = {"issuer": issuer, "jwks_uri": elsewhere + "/keys"}
        token = signer.token(iss=issuer, aud=AUDIENCE, sub="ada", exp=int(time.time()) + 600)
        closed = self.serve(issuer)
        self.assertEqual(closed.get("/v1/contracts/ward/instances", token=token).status, 401)
        self.assertTrue(closed.logs("provider_failed"), closed.log())
        self.assertEqual((keys.asked, documents.asked[0]), ([], "/.well-known/openid-configuration"))
        named = self.serve(issuer, outgoing={"origins": [elsewhere]})
        self.assertTrue(named.wait_until(lambda: named.get("/v1/contracts/ward/instances", token=token).status == 200, 25),
                        named.log())
        self.assertIn("/keys", keys.asked)

    def test_a_document_of_another_issuer_is_not_believed(self):
        signer = Signer(self.dir)
        documents, issuer = self.page_server({"/keys": signer.keys})
        documents.pages["/.well-known/openid-configuration"] = {"issuer": "https://id.example", "jwks_uri": issuer + "/keys"}
        server = self.serve(issuer)
        token = signer.token(iss=issuer, aud=AUDIENCE, sub="ada", exp=int(time.time()) + 600)
        self.assertEqual(server.get("/v1/contracts/ward/instances", token=token).status, 401)
        self.assertTrue(server.logs("provider_failed"), server.log())
        self.assertNotIn("/keys", documents.asked)


class Busy(Origins):
    """One thread asks providers, and anybody may give it something to do."""

    def serve_logins(self, env=None, **settings):
        self.signer = Signer(self.dir)
        self.pages, issuer = self.page_server({"/keys": self.signer.keys})
        self.pages.pages["/.well-known/openid-configuration"] = {
            "issuer": issuer, "jwks_uri": issuer + "/keys", "authorization_endpoint": issuer + "/log-in",
            "token_endpoint": issuer + "/token"}
        self.write("ward.tenor", WARD)
        self.write("motet.json", json.dumps({"files": ["ward.tenor"], **settings, "oidc": {"corp": {
            "issuer": issuer, "audience": AUDIENCE, "rules": [{"rights": ["ward/read"]}],
            "login": {"client_id": "web", "redirect_uri": REDIRECT}}}}))
        server = Server(self.dir, options=["--config", "motet.json"], env=env)
        server.start()
        self.addCleanup(server.stop)
        return server, issuer

    def test_a_place_to_log_in_may_have_a_query_of_its_own(self):
        server, issuer = self.serve_logins()
        document = self.pages.pages["/.well-known/openid-configuration"]
        for place, begins in (("/log-in", "/log-in?response_type=code&client_id="),
                              ("/log-in?p=b2c", "/log-in?p=b2c&response_type=code&client_id="),
                              ("/log-in?", "/log-in?response_type=code&client_id=")):
            document["authorization_endpoint"] = issuer + place
            server.stop()
            server.start()
            self.assertIn(issuer + begins, server.get("/login").headers["Location"])

    def test_keys_are_asked_for_again_however_many_log_in(self):
        """A minute of this server's clocks is a second; whoever begins logins leaves it no quiet one."""
        clock = {"LD_PRELOAD": wall_clock("")["LD_PRELOAD"], "FAKETIME": "+0 x60"}
        server, issuer = self.serve_logins(clock)
        token = self.signer.token(iss=issuer, aud=AUDIENCE, sub="ada", exp=int(time.time()) + 86400)
        ask = lambda: server.get("/session", token=token).status
        self.assertTrue(server.wait_until(lambda: ask() == 200, 5), server.log())
        self.pages.pages["/keys"] = {"keys": []}  # the key is taken back
        end = time.monotonic() + 20
        while ask() == 200 and time.monotonic() < end:
            self.assertEqual(server.get("/login").status, 303)
            time.sleep(0.1)
        self.assertEqual((ask(), self.pages.asked.count("/keys") > 1), (401, True), self.pages.asked)

    def test_a_session_ends_after_eight_hours_and_not_with_the_token_it_began_with(self):
        offset = self.dir / "offset"
        offset.write_text("+0")
        server, issuer = self.serve_logins(wall_clock(offset))
        begun = server.get("/login")
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["Location"]).query)
        now = int(time.time())
        self.pages.pages["/token"] = {"id_token": self.signer.token(
            iss=issuer, aud="web", sub="ada", nonce=query["nonce"][0], iat=now, exp=now + 300)}
        done = server.get(f"/callback?code=x&state={query['state'][0]}",
                          headers={"Cookie": begun.headers["Set-Cookie"].split(";")[0]})
        self.assertEqual(done.status, 303, (done, server.log()))
        cookie = next(c.split(";")[0] for c in done.headers.get_all("Set-Cookie") if c.startswith("__Host-motet="))
        seen = {}
        for hours in "+0", "+7.9h", "+8.1h":
            offset.write_text(hours)
            seen[hours] = server.get("/session", headers={"Cookie": cookie}).status
        self.assertEqual(seen, {"+0": 200, "+7.9h": 200, "+8.1h": 401})

    def test_a_provider_that_hangs_does_not_hold_up_the_end(self):
        """What waits for it is turned away; each would have had a time-out of its own."""
        server, _ = self.serve_logins(stop_timeout=1)
        heard = []

        def come_back(begun):
            state = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["Location"]).query)["state"][0]
            cookie = begun.headers["Set-Cookie"].split(";")[0]
            heard.append(server.get(f"/callback?code=x&state={state}", headers={"Cookie": cookie}, timeout=60))

        threads = [threading.Thread(target=come_back, args=[server.get("/login")]) for _ in range(4)]
        for thread in threads:
            thread.start()
        self.assertTrue(server.wait_until(lambda: "/token" in self.pages.asked, 10))
        time.sleep(0.5)  # the others wait behind it
        begun = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - begun, 8 if not SANITIZED else 20)
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(a.code for a in heard), ["login_failed"] + ["stopping"] * 3, heard)

    def test_more_logins_than_may_wait_are_refused_at_once(self):
        """While a provider hangs, 256 wait for the thread that asks it."""
        server, _ = self.serve_logins(stop_timeout=1)
        begun = server.get("/login")
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["Location"]).query)["state"][0]
        doors = [socket.create_connection((server.host, server.port)) for _ in range(1 + 256 + 4)]
        for door in doors:
            self.addCleanup(door.close)
        doors[0].sendall(f"GET /callback?code=x&state={state} HTTP/1.1\r\nHost: x\r\n"
                         f"Cookie: {begun.headers['Set-Cookie'].split(';')[0]}\r\n\r\n".encode())
        self.assertTrue(server.wait_until(lambda: "/token" in self.pages.asked, 10))
        for door in doors[1:]:
            door.sendall(b"GET /login HTTP/1.1\r\nHost: x\r\n\r\n")
        answered = lambda: select.select(doors, [], [], 0)[0]
        self.assertTrue(server.wait_until(lambda: len(answered()) >= 4, 10), server.log())
        for door in answered():
            answer = http.client.HTTPResponse(door)
            answer.begin()
            self.assertEqual((answer.status, json.load(answer)["code"]), (503, "busy"))


class Settings(Case):
    """What needs no provider."""

    def check(self, **oidc):
        self.write("ward.tenor", WARD)
        self.write("motet.json", json.dumps({"files": ["ward.tenor"], "oidc": {"corp": oidc}}))
        return run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)

    def test_settings_that_cannot_be_are_told(self):
        good = {"issuer": "https://id.example", "audience": "motet", "rules": [{"rights": ["read"]}]}
        self.assertEqual(self.check(**good).code, 0, self.check(**good).err)
        for change, word in (({"issuer": "http://id.example"}, "issuer"), ({"audience": 5}, "audience"),
                             ({"issuer": "http://127.id.example"}, "issuer"), ({"jwks": "http://127.id.example/k"}, "jwks"),
                             ({"audience": []}, "audience"), ({"algorithms": ["HS256"]}, "algorithms"),
                             ({"algorithms": ["none"]}, "algorithms"), ({"leeway_seconds": 301}, "leeway"),
                             ({"rules": [{"rights": ["nonsense"]}]}, "rules.0"), ({"rules": [{}]}, "rules.0"),
                             ({"rules": [{"claim": "x", "rights": ["read"]}]}, "rules.0"),
                             ({"rules": [{"personas": [":x"]}]}, "rules.0"), ({"jwks": "http://id.example/k"}, "jwks"),
                             ({"isuer": "x"}, "isuer"),
                             ({"issuer": "http://127.0.0.1.id.example"}, "issuer"), ({"audience": ""}, "audience"),
                             ({"audience": ["motet", ""]}, "audience"), ({"jwks": "not-there.json"}, "jwks"),
                             ({"jwks": "ward.tenor"}, "jwks"), ({"ca_file": "not-there.pem"}, "ca_file"),
                             ({"rules": [{"claim": "x", "equals": "", "rights": ["read"]}]}, "rules.0"),
                             ({"rules": [{"claim": "x", "contains": "", "rights": ["read"]}]}, "rules.0"),
                             ({"login": {"client_id": "a", "redirect_uri": "https://x/?a=/callback"}}, "redirect_uri"),
                             ({"login": {"client_id": "a", "redirect_uri": "https://x/cb"}}, "redirect_uri"),
                             ({"login": {"client_id": "a", "redirect_uri": "https://x/callback",
                                         "client_secret": {"env": "NOT_THERE_9"}}}, "client_secret"),
                             ({"login": {"client_id": "a", "redirect_uri": "https://x/callback",
                                         "client_secret": {}}}, "it is {env: NAME} or {file: PATH}"),
                             ({"login": {"client_id": "a", "redirect_uri": "https://x/callback",
                                         "client_secret": {"env": "HOME", "file": "/dev/null"}}},
                              "it is {env: NAME} or {file: PATH}")):
            result = self.check(**{**good, **change})
            self.assertEqual(result.code, 1, (change, result.err))
            self.assertIn(word, result.err)

    def test_two_providers_of_one_issuer_are_refused(self):
        """The second would judge no token; and who logs in by it would be somebody else than by a token."""
        self.write("ward.tenor", WARD)
        one = {"issuer": "https://id.example", "audience": "motet", "rules": [{"rights": ["read"]}]}
        for other, code in (("https://id.example", 1), ("https://id.example/other", 0)):
            self.write("motet.json", json.dumps({"files": ["ward.tenor"], "oidc": {"a": one, "b": {**one, "issuer": other}}}))
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertEqual((result.code, "oidc.b.issuer" in result.err), (code, code == 1), result.err)

    def test_a_name_that_could_be_taken_for_another_is_refused(self):
        self.write("ward.tenor", WARD)
        for name, good in (("corp", True), ("a-b_9", True), ("x" * 63, True), ("x" * 64, False), ("a:b", False), ("", False)):
            self.write("motet.json", json.dumps({"files": ["ward.tenor"], "oidc": {name: {
                "issuer": "https://id.example", "audience": "motet", "rules": [{"rights": ["read"]}]}}}))
            result = run("serve", "--config", "motet.json", "--check-config", cwd=self.dir)
            self.assertEqual(result.code == 0, good, (name, result.err))

    def test_without_a_provider_nobody_logs_in_and_nobody_is_let_in_for_nothing(self):
        self.write("ward.tenor", WARD)
        keys = self.write("keys.json", json.dumps({"keys": []}))
        self.write("motet.json", json.dumps({"files": ["ward.tenor"], "oidc": {"corp": {
            "issuer": "https://id.example", "audience": "motet", "jwks": str(keys), "rules": [{"rights": ["read"]}]}}}))
        with Server(self.dir, options=["--config", "motet.json"]) as server:
            self.assertEqual(server.get("/v1/contracts").status, 401)
            self.assertEqual(server.get("/login").status, 404)
            self.assertEqual(server.get("/callback?code=a&state=b").status, 400)
        with Server(self.dir, "ward.tenor") as server:
            self.assertEqual(server.get("/login").status, 404)
            self.assertEqual(server.get("/session").json["id"], "anonymous")


main()
