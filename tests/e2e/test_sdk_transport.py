"""Servers that cut, hang, lie and point elsewhere: what each client makes of them.

The cases are data (sdk/fixtures/transport.json), one script for each; every language takes
all of them, and what reached the server is looked at, too: how often, with which key."""
import json
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

    def test_every_language_survives_every_server(self):
        for language in sdks.LANGUAGES:
            with Scripted({case["name"]: case["script"] for case in CASES}) as server:
                walks = [{"name": case["name"], "url": f"{server.url}/{case['name']}", "settings": case["settings"],
                          "tokens": {}, "steps": [case["step"]]} for case in CASES]
                self.build.command(language, "")  # built before the clock starts
                start = time.monotonic()
                got = self.build.walk(language, walks)
                self.assertLess(time.monotonic() - start, 40)
                for case in CASES:
                    with self.subTest(f"{language}: {case['name']}"):
                        self.assertEqual(len(got[case["name"]]), 1)
                        self.check(case, got[case["name"]][0], server.asked[case["name"]])
                self.assertNotIn("trap", server.asked, "a redirect was followed")

    def test_nobody_listens(self):
        with Scripted({}) as server:
            pass
        walk = {"name": "refused", "url": server.url, "steps": [{"do": "health"}],
                "settings": {"attempts": 2, "pause": 0.01}}
        for language in sdks.LANGUAGES:
            with self.subTest(language):
                said = self.build.walk(language, [walk])["refused"]
                self.assertEqual(said, [{"step": 0, "error": "ConnectionFailed", "attempts": 2}])

    def test_addresses_that_are_none_are_refused_at_once(self):
        for url in ("ftp://127.0.0.1/", "127.0.0.1:80", "http://user:secret@127.0.0.1/", "http://127.0.0.1/?a=b", ""):
            walk = {"name": "bad", "url": url, "steps": [{"do": "health"}], "settings": {}}
            for language in sdks.LANGUAGES:
                with self.subTest(f"{language} {url}"):
                    self.assertEqual(self.build.walk(language, [walk])["bad"],
                                     [{"step": 0, "error": "UsageError", "attempts": 0}])


main()
