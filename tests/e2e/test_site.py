"""`make docs`: the site is whole, its search finds things, and it asks nobody else. In Debian's Chromium, from file://."""
import html.parser
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

from harness import MOTET, SOURCE, main

WALK = SOURCE / "tests" / "npm" / "browser" / "site.mjs"
# words: a page that must be among what is found first
SOUGHT = {
    "migration_policy_required": "docs/how-to/deploy.html",
    "idempotency": "docs/reference/http-api.html",
    "postgres": "docs/how-to/postgresql.html",
    "merkle": "docs/internals/ledger-format.html",
    "witness": "docs/how-to/witness.html",
    "first contract": "docs/learn/first-contract.html",
    "backup": "docs/how-to/backup.html",
}


class Reader(html.parser.HTMLParser):
    """Addresses that a page loads, those it links to, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.anchors, self.scripts = [], [], set(), 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.loads += [given[name] for name in ("src", "srcset") if name in given]
        self.loads += [given["href"]] if tag == "link" else []
        self.scripts += tag == "script" and "src" not in given
        self.scripts += any(name.startswith("on") for name in given)


class Site(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="motet-site-")
        cls.root = pathlib.Path(cls.holder.name) / "site"
        done = subprocess.run([SOURCE / "tools" / "docs", "site", str(cls.root)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        cls.pages = {path.relative_to(cls.root).as_posix(): Reader(path.read_text()) for path in cls.root.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def fault(self, page, address):
        split = urllib.parse.urlsplit(address)
        if split.scheme in ("http", "https", "mailto", "data"):
            return None
        target = (self.root / page).parent / urllib.parse.unquote(split.path) if split.path else self.root / page
        name = target.resolve().relative_to(self.root.resolve()).as_posix() if target.exists() else None
        if name is None:
            return f"{page}: {address} is not there"
        if split.fragment and name in self.pages and split.fragment not in self.pages[name].anchors:
            return f"{page}: {name} has no {split.fragment}"
        return None

    def test_every_link_of_every_page_resolves(self):
        self.assertGreater(len(self.pages), 90)
        faults = [self.fault(page, address) for page, reader in self.pages.items() for address in reader.links + reader.loads]
        self.assertEqual([fault for fault in faults if fault], [])

    def test_every_document_has_its_page(self):
        for path in (SOURCE / "docs").rglob("*.md"):
            self.assertIn(path.relative_to(SOURCE).with_suffix(".html").as_posix(), self.pages)

    def test_every_man_page_is_there_with_its_links(self):
        for path in (SOURCE / "docs" / "man").glob("*.1"):
            reader = self.pages[f"docs/man/{path.name}.html"]
            if path.name == "motet-backup.1":
                self.assertIn("motet-restore.1.html", reader.links)

    def test_nothing_is_loaded_from_elsewhere_and_no_script_stands_in_a_page(self):
        for page, reader in self.pages.items():
            with self.subTest(page):
                self.assertEqual([a for a in reader.loads if urllib.parse.urlsplit(a).scheme not in ("", "data")], [])
                self.assertEqual(reader.scripts, 0)

    def test_the_index_is_the_same_as_json_and_as_a_script(self):
        entries = json.loads((self.root / "search-index.json").read_text())
        self.assertEqual((self.root / "search-index.js").read_text(), f"window.searchIndex={json.dumps(entries, ensure_ascii=False, separators=(',', ':'))};\n")
        self.assertEqual([entry for entry in entries if self.fault("index.html", entry[0])], [])
        self.assertGreater(len(entries), 500)

    def test_a_reader_in_a_browser(self):
        with tempfile.TemporaryDirectory(prefix="motet-profile-") as profile:
            done = subprocess.run(["node", str(WALK), "/usr/bin/chromium", str(self.root), profile, *SOUGHT],
                                  capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual(seen["faults"], [])
        self.assertEqual([a for a in seen["requests"] if not a.startswith(("file:", "data:"))], [])
        for words, page in SOUGHT.items():
            found = [address.split("/site/", 1)[1].split("#")[0] for address in seen["found"][words]]
            self.assertIn(page, found, words)
        self.assertEqual(seen["led"], seen["found"]["migration_policy_required"][0])
        self.assertIn("Motet", seen["title"])
        self.assertIn("Nothing has all of these words", seen["nothing"])
        self.assertNotEqual(seen["light"], seen["dark"])
        self.assertIn("operation", seen["head"])
        self.assertFalse(seen["menu"], "on a phone the list of pages is closed")


class Refuses(unittest.TestCase):
    def test_a_directory_that_is_no_site_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder, "kept")
            kept.write_text("mine")
            done = subprocess.run([SOURCE / "tools" / "docs", "site", folder], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 1)
            self.assertIn("has no site in it", done.stderr)
            self.assertEqual(kept.read_text(), "mine")


class Written(unittest.TestCase):
    """What a program writes into the documents is what it would write now."""

    def same(self, program, advice):
        head = "import sys; sys.path.insert(0, 'tools'); sys.dont_write_bytecode = True\n"
        done = subprocess.run(["python3", "-c", head + program], cwd=SOURCE, env={**os.environ, "MOTET": str(MOTET)},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "", advice)

    def test_what_motet_draws_is_what_the_documents_show(self):
        self.same("from pages import pictures\n"
                  "for name in pictures.DRAWN:\n"
                  "    if open(f'docs/images/{name}.svg').read() != pictures.drawn(name): print(name)", "tools/docs pictures")

    def test_every_code_is_explained_as_the_program_does(self):
        self.same("from pages import codes\nif codes.PAGE.read_text() != codes.page(): print('codes.md')", "tools/docs codes")


main()
