"""Studio: the page under /studio/, from the program, in Debian's Chromium."""
import gzip
import json
import os
import re
import subprocess
import tempfile

from harness import SOURCE, Case, browser, main
from serve import Server

UPDATE = bool(os.environ.get("MOTET_UPDATE_GOLDEN"))  # the images of docs/how-to/studio.md, too
ESCROW = SOURCE / "examples/escrow/escrow.tenor"
BUILT = SOURCE / "build-studio" / "files.json"
# Bytes, compressed: the first paint, and everything with the engine (bench_studio says what it is).
FIRST, ALL = 250_000, 900_000


class Files(Case):
    """What the server gives."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {f["name"]: f for f in json.loads(BUILT.read_text())}

    def test_every_file_comes_compressed_with_type_etag_and_policy(self):
        with Server(self.dir, ESCROW) as server:
            for name, f in self.files.items():
                with self.subTest(name):
                    said = server.get(f"/studio/{name}")
                    self.assertEqual((said.status, said.headers["Content-Type"], said.headers["Content-Encoding"]),
                                     (200, f["type"], "gzip"))
                    self.assertEqual(gzip.decompress(said.body), (BUILT.parent / "site" / name).read_bytes())
                    self.assertIn("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", said.headers["Content-Security-Policy"])
                    self.assertNotIn("unsafe-inline", said.headers["Content-Security-Policy"])
                    self.assertEqual("immutable" in said.headers["Cache-Control"], name != "index.html")
                    again = server.get(f"/studio/{name}", headers={"If-None-Match": said.headers["ETag"]})
                    self.assertEqual((again.status, again.body), (304, b""))

    def test_the_folder_is_its_index_and_the_name_leads_to_it(self):
        with Server(self.dir, ESCROW) as server:
            index = server.get("/studio/")
            self.assertEqual(index.body, server.get("/studio/index.html").body)
            said = server.get("/studio")
            self.assertEqual((said.status, said.headers["Location"]), (303, "studio/"))
            self.assertIn('href="studio/"', server.get("/").body.decode())

    def test_what_is_not_there_is_a_problem(self):
        with Server(self.dir, ESCROW) as server:
            for path, status in (("/studio/nothing.js", 404), ("/studio/..%2Fmotet", 404), ("/studio/a/b", 404),
                                 ("/studio//", 400), ("/desk/", 400), ("/studio/?x=1", 400)):
                with self.subTest(path):
                    said = server.get(path)
                    self.assertEqual(said.status, status)
                    self.assertEqual(said.headers["Content-Type"], "application/problem+json")
            self.assertEqual(server.ask("POST", "/studio/index.html").status, 405)

    def test_a_page_needs_no_token_and_shows_none_of_the_data(self):
        with Server(self.dir, ESCROW, options=["--insecure"]) as server:
            self.assertEqual(server.get("/studio/").status, 200)

    def test_it_is_small_enough(self):
        first = sum(f["length"] for f in self.files.values() if f["first"])
        everything = sum(f["length"] for f in self.files.values())
        print(f"studio.size {everything} bytes with the engine, {first} for the first paint")
        self.assertLessEqual(first, FIRST)
        self.assertLessEqual(everything, ALL)

    def test_no_file_names_another_origin(self):
        allowed = {"www.w3.org", "svelte.dev", "github.com"}  # names of XML, and in messages for developers
        for path in sorted((BUILT.parent / "site").glob("*.*")):
            if path.suffix in (".js", ".css", ".html"):
                with self.subTest(path.name):
                    # But for the contracts that it brings as examples, each of which is one text.
                    text = re.sub(r"([`\"'])(?:\\.|(?!\1)[^\\])*\1", lambda text: "" if "persona " in text[0] else text[0], path.read_text(), flags=re.S)
                    self.assertLessEqual(set(re.findall(r"https?://([\w.-]+)", text)), allowed)

    def test_styles_of_two_views_do_not_meet(self):
        """Styles have no scope but their names: a class that stands alone in a selector is of one file, and others only narrow it."""
        owners = {}
        for path in sorted((SOURCE / "studio/src/style").glob("*.css")):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            for selectors in re.findall(r"([^{};@]+)\{", text):
                for selector in re.split(r",(?![^(]*\))", selectors):
                    classes = set(re.findall(r"\.([A-Za-z][\w-]*)", selector))
                    if len(classes) == 1:
                        owners.setdefault(*classes, set()).add(path.name)
        self.assertGreater(len(owners), 100)
        self.assertEqual({name: files for name, files in owners.items() if len(files) > 1}, {})

    def test_licences_of_what_is_inside_come_with_it(self):
        text = next((BUILT.parent / "site").glob("licenses-*.txt")).read_text()
        for name in ("svelte", "@codemirror/view", "@dagrejs/dagre", "libyaml", "pcre2", "libsodium"):
            with self.subTest(name):
                self.assertIn(f"\n{name} ", text)

    def test_the_lock_file_has_exact_versions_and_no_addresses(self):
        package = json.loads((SOURCE / "studio/package.json").read_text())
        for name, version in package["devDependencies"].items():
            self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)
        self.assertNotIn("resolved", (SOURCE / "studio/package-lock.json").read_text())

    def test_its_types_hold(self):
        done = subprocess.run(["node", SOURCE / "studio/node_modules/svelte-check/bin/svelte-check", "--tsconfig", "tsconfig.json",
                               "--output", "machine"], cwd=SOURCE / "studio", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])


class Walk(Case):
    """One browser walks every case of studio/tests/cases.mjs; each is a test."""

    said, kept = {}, {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not BUILT.exists():  # each case would wait for it in vain
            raise AssertionError("the page is not built: make studio")
        with tempfile.TemporaryDirectory() as folder, Server(folder, ESCROW) as server:
            done = subprocess.run(["node", SOURCE / "studio/tests/walk.mjs", browser(), server.url, folder, f"{folder}/said.json"],
                                  env={**os.environ, "HOME": folder, **({"STUDIO_IMAGES": str(SOURCE / "docs/images")} if UPDATE else {})}, capture_output=True, text=True, timeout=1700)
            if done.returncode:
                raise AssertionError(done.stdout + done.stderr)
            with open(f"{folder}/said.json", encoding="utf-8") as out:
                told = json.load(out)
            cls.said, cls.kept = told["said"], told["kept"]

    def test_a_person_can(self):
        self.assertGreater(len(self.said), 12)
        for case, wrong in self.said.items():
            with self.subTest(case):
                self.assertEqual(wrong, "")

    def test_scenarios_that_were_saved_pass_on_the_command_line(self):
        for what, count in (("scenarios", 16), ("instances", 16), ("system", 2)):
            for size in ("desktop", "phone"):
                folder = self.dir / what / size
                for path, text in self.kept[f"{what}_{size}"]:
                    self.write(folder / path, text)
                result = self.run_motet("test", folder)
                self.assertEqual(result.code, 0, result)
                self.assertRegex(result.out, rf"# pass\s+{count}\b")


main()
