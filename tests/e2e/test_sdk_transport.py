"""Servers that cut, hang, lie and point elsewhere: what each client makes of them.

The cases are data (sdk/fixtures/transport.json), one script for each; every language takes
all of them, and what reached the server is looked at, too: how often, with which key."""
import json
import sys
import time

import sdks
from harness import Case, main
from scripted import Scripted

CASES = json.loads((sdks.FIXTURES / "transport.json").read_text())


class Transport(Case):
    @classmethod
    def setUpClass(cls):
        cls.build = sdks.Build()
        cls.addClassCleanup(cls.build.close)

    def keys_are(self, case, asked):
        keys = [headers.get("idempotency-key") for _, _, headers in asked]
        want = case.get("key")
        if want == "same":
            self.assertEqual(len(set(keys)), 1)
            self.assertRegex(keys[0], r"^[\x21-\x7e]{16,}$")
        elif want:
            self.assertEqual(set(keys), {None if want == "none" else want})

    def check(self, case, said, asked):
        said.pop("step")
        self.assertEqual(said, case["expect"])
        self.assertEqual(len(asked), case["requests"])
        self.keys_are(case, asked)
        for name, value in case.get("headers", {}).items():
            self.assertEqual(asked[-1][2].get(name), value, name)

    def survive(self, language):
        """What came of all cases, and what reached the server."""
        self.build.command(language, "")  # built before the clock starts
        with Scripted({case["name"]: case["script"] for case in CASES}) as server:
            walks = [{"name": case["name"], "url": f"{server.url}/{case['name']}", "settings": case["settings"],
                      "tokens": {}, "steps": [case["step"]]} for case in CASES]
            start = time.monotonic()
            got = self.build.walk(language, walks)
            return got, server.asked, time.monotonic() - start

    def test_every_language_survives_every_server(self):
        for language, (got, asked, seconds) in sdks.each_language(self.survive).items():
            for case in CASES:
                with self.subTest(f"{language}: {case['name']}"):
                    self.assertEqual(len(got[case["name"]]), 1)
                    self.check(case, got[case["name"]][0], asked[case["name"]])
            with self.subTest(language):
                self.assertFalse("trap" in asked, "a redirect was followed")
            self.assertLess(seconds, 40)

    def test_nobody_listens(self):
        with Scripted({}) as server:
            pass
        walk = {"name": "refused", "url": server.url, "steps": [{"do": "health"}],
                "settings": {"attempts": 2, "pause": 0.01}}
        for language, said in sdks.each_language(lambda one: self.build.walk(one, [walk])["refused"]).items():
            with self.subTest(language):
                self.assertEqual(said, [{"step": 0, "error": "ConnectionFailed", "attempts": 2}])

    def test_attempts_of_a_call_count_for_its_stream(self):
        sys.path.insert(0, str(sdks.SDK / "python"))
        import motet
        with Scripted({"a": [{"raw": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"}]}) as server:
            client = motet.Client(server.url + "/a", pause=0.01)
            with self.assertRaises(motet.ConnectionFailed):
                list(client.events(after=1, call=motet.CallOptions(attempts=2)))
            self.assertEqual(len(server.asked["a"]), 2)

    def test_python_may_wait_without_end(self):
        sys.path.insert(0, str(sdks.SDK / "python"))
        import motet
        with Scripted({"a": [{"status": 200, "body": {"status": "ok"}}]}) as server:
            self.assertEqual(motet.Client(server.url + "/a", timeout=float("inf")).health(), {"status": "ok"})

    def test_addresses_that_are_none_are_refused_at_once(self):
        walks = [{"name": url, "url": url, "steps": [{"do": "health"}], "settings": {}}
                 for url in ("ftp://127.0.0.1/", "127.0.0.1:80", "http://user:secret@127.0.0.1/",
                             "http://127.0.0.1/?a=b", "http://", "")]
        for language, said in sdks.each_language(lambda one: self.build.walk(one, walks)).items():
            for walk in walks:
                with self.subTest(f"{language} {walk['url']}"):
                    self.assertEqual(said[walk["url"]], [{"step": 0, "error": "UsageError", "attempts": 0}])


main()
