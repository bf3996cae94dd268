"""motet studio: Studio on files of this machine; who may come in, what is read and written, and what is never."""
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import time

from harness import MOTET, Case, main

PARCEL = "persona clerk\nentity Parcel { states: [waiting, sent] initial: waiting transitions: [(waiting, sent)] }\n"
# TSan sees half of the solver's locks, and lets every program sleep at its end.
os.environ["TSAN_OPTIONS"] = TSAN = "ignore_noninstrumented_modules=1:atexit_sleep_ms=0"
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


class Said:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:400]!r}"


class Local:
    """The command, running; `enter()` is what the page does first."""

    def __init__(self, *words, env=None, **named):
        self.process = subprocess.Popen([str(MOTET), "studio", "--port", "0", *map(str, words)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", **(env or {})}, **named)
        said = ""
        while "key=" not in said or not said.endswith("ends.\n"):
            ready = select.select([self.process.stdout], [], [], 30)[0]
            piece = os.read(self.process.stdout.fileno(), 4096).decode() if ready else ""
            if not piece:
                self.process.kill()
                raise RuntimeError(said + self.process.communicate()[1].decode())
            said += piece
        self.address = re.search(r"http://\S+", said)[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.secret = self.address.partition("key=")[2]
        self.fields = {}

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.stop()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(timeout=30)
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read().decode()
            self.process.stdout.close()
            self.process.stderr.close()
        assert not re.search("Sanitizer|runtime error:", self.errors), self.errors
        return code

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        fields = {**self.fields, **{k.replace("_", "-"): v for k, v in headers.items()}}
        try:
            connection.request(method, path, body=body if body is None or isinstance(body, bytes) else json.dumps(body),
                               headers={k: v for k, v in fields.items() if v is not None})
            return Said(connection.getresponse())
        finally:
            connection.close()

    def enter(self):
        said = self.ask("POST", "/studio/local/session", {"secret": self.secret})
        assert said.status == 200, said
        self.fields = {"Cookie": said.headers["Set-Cookie"].split(";")[0], "X-CSRF-Token": said.json["key"]}
        return said

    def files(self):
        return {f["path"]: f["etag"] for f in self.ask("GET", "/studio/local/files").json["files"]}

    def read(self, *paths):
        return {f["path"]: f["text"] for f in self.ask("POST", "/studio/local/read", {"paths": paths}).json["files"]}

    def save(self, path, text, etag=None, **headers):
        condition = {"If_Match": f'"{etag}"'} if etag else {"If_None_Match": "*"}
        return self.ask("PUT", "/studio/local/file", {"path": path, "text": text}, **condition, **headers)


class Door(Case):
    """Who may come in."""

    def setUp(self):
        super().setUp()
        self.write("post.tenor", PARCEL)

    def test_it_listens_on_loopback_only(self):
        with Local(self.dir) as studio:
            listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
            own = [at for at in listening if at.endswith(f":{studio.port:04X}")]
            self.assertEqual(own, [f"0100007F:{studio.port:04X}"])
            self.assertNotIn(f":{studio.port:04X} ", pathlib.Path("/proc/net/tcp6").read_text())
        self.fails(2, "studio", self.dir, "--listen", "0.0.0.0:8450")

    def test_the_secret_is_good_once_and_nothing_else_is(self):
        with Local(self.dir) as studio:
            for wrong in ("", "x", studio.secret[:-1], studio.secret + "x", studio.secret.swapcase(), "A" * 43):
                self.assertEqual(studio.ask("POST", "/studio/local/session", {"secret": wrong}).status, 403, wrong)
            for broken in (b"", b"{", b"[]", b'{"secret": 1}', b'{"secret":"a","secret":"b"}'):
                self.assertEqual(studio.ask("POST", "/studio/local/session", broken).status, 400, broken)
            said = studio.enter()
            self.assertRegex(said.headers["Set-Cookie"], r"^motet_studio_\d+=[\w-]{43}; Path=/studio/local; HttpOnly; SameSite=Strict$")
            self.assertEqual(said.headers["Cache-Control"], "no-store")
            self.assertEqual(studio.ask("POST", "/studio/local/session", {"secret": studio.secret}).status, 410)

    def test_everything_about_files_needs_both_halves_of_the_session(self):
        requests = (("GET", "files", None), ("POST", "read", {"paths": ["post.tenor"]}), ("PUT", "file", {"path": "x.tenor", "text": ""}),
                    ("POST", "ask", {"files": [["post.tenor", PARCEL]], "question": "every flow ends"}))
        with Local(self.dir) as studio:
            for method, what, body in requests:
                self.assertEqual(studio.ask(method, f"/studio/local/{what}", body, If_None_Match="*").status, 401, what)
            studio.enter()
            name, _, value = studio.fields["Cookie"].partition("=")
            for lacks in ({"Cookie": None}, {"X-CSRF-Token": None}, {"Cookie": f"{name}={value[:-1]}x"}, {"X-CSRF-Token": value},
                          {"Cookie": f"{name}={value}; {name}={value}"}, {"Cookie": f"{name}={studio.secret}"}):
                for method, what, body in requests:
                    self.assertEqual(studio.ask(method, f"/studio/local/{what}", body, If_None_Match="*", **lacks).status, 401, (what, lacks))
            self.assertEqual(studio.ask("GET", "/studio/local/files").status, 200)
            self.assertFalse((self.dir / "x.tenor").exists())

    def test_the_page_itself_is_for_everybody_and_says_that_there_are_files(self):
        with Local(self.dir) as studio:
            page = studio.ask("GET", "/studio/")
            self.assertEqual((page.status, page.headers["Server-Timing"]), (200, "motet-local"))
            self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
            again = studio.ask("GET", "/studio/", If_None_Match=page.headers["ETag"])
            self.assertEqual((again.status, again.headers["Server-Timing"]), (200, "motet-local"))
            for path in ("/", "/studio"):
                said = studio.ask("GET", path)
                self.assertEqual((said.status, said.headers["Location"]), (303, "/studio/"))
            for method, path, status in (("GET", "/studio/none.js", 404), ("GET", "/etc/passwd", 404), ("GET", "/studio/../post.tenor", 404), ("POST", "/studio/", 405),
                                         ("GET", "/studio/local/", 404), ("DELETE", "/studio/local/file", 405), ("GET", "/studio/local/session", 405)):
                self.assertEqual(studio.ask(method, path).status, status, path)

    def test_a_host_that_is_not_ours_is_refused(self):
        with Local(self.dir) as studio:
            studio.enter()
            for host in ("evil.example", f"evil.example:{studio.port}", "127.0.0.1", f"127.0.0.1:{studio.port + 1}", f"127.0.0.1.evil.example:{studio.port}",
                         f"localhost.evil:{studio.port}", f"[::1]:{studio.port}", f"127.0.0.2:{studio.port}", ""):
                for path in ("/studio/", "/studio/local/files"):
                    self.assertIn(studio.ask("GET", path, Host=host).status, (400, 421), host)
            self.assertEqual(studio.ask("GET", "/studio/local/files", Host=f"localhost:{studio.port}").status, 200)

    def test_a_page_of_somebody_else_is_refused(self):
        with Local(self.dir) as studio:
            for secret in (studio.secret,):
                said = studio.ask("POST", "/studio/local/session", {"secret": secret}, Origin="http://evil.example")
                self.assertEqual(said.status, 403)
            studio.enter()
            own = f"http://127.0.0.1:{studio.port}"
            for fields in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"http://127.0.0.1:{studio.port + 1}"}, {"Origin": f"http://localhost:{studio.port}"},
                           {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": own, "Sec-Fetch-Site": "cross-site"}):
                self.assertEqual(studio.ask("GET", "/studio/local/files", **fields).status, 403, fields)
                self.assertEqual(studio.save("x.tenor", "", **fields).status, 403, fields)
            self.assertEqual(studio.ask("GET", "/studio/local/files", Origin=own, Sec_Fetch_Site="same-origin").status, 200)
            self.assertFalse((self.dir / "x.tenor").exists())

    def test_no_answer_of_the_files_can_be_read_by_other_pages(self):
        with Local(self.dir) as studio:
            studio.enter()
            said = studio.ask("GET", "/studio/local/files")
            self.assertEqual((said.headers["Cross-Origin-Resource-Policy"], said.headers["Cache-Control"], said.headers["X-Content-Type-Options"]),
                             ("same-origin", "no-store", "nosniff"))
            self.assertIsNone(said.headers["Access-Control-Allow-Origin"])
            self.assertEqual(studio.ask("OPTIONS", "/studio/local/file", Origin="http://evil.example").status, 405)


class Disk(Case):
    """What is read and written."""

    def test_a_folder_is_offered_with_its_contracts_facts_and_scenarios(self):
        for name in ("a.tenor", "in/b.tenor", "facts.json", "s.yaml", "t.yml", "ä.tenor"):
            self.write(name, PARCEL if name.endswith("tenor") else "{}")
        for name in ("n.txt", ".git/x.json", ".h.tenor", "node_modules/p/package.json", "key.secret"):
            self.write(name, "{}")
        with Local(self.dir) as studio:
            studio.enter()
            self.assertEqual(sorted(studio.files()), ["a.tenor", "facts.json", "in/b.tenor", "s.yaml", "t.yml", "ä.tenor"])
            self.assertEqual(studio.read("a.tenor", "n.txt", ".h.tenor", "/etc/passwd", "../x.json"), {"a.tenor": PARCEL})
            told = studio.ask("GET", "/studio/local/files").json
            self.assertEqual((told["folder"], told["root"], told["left_out"]), (str(self.dir.resolve()), "", []))

    def test_a_file_is_offered_with_what_it_imports_and_new_imports_too(self):
        self.write("main.tenor", 'import "part.tenor"\npersona p\n')
        for name in ("part.tenor", "other.tenor"):
            self.write(name, PARCEL.replace("Parcel", name[:-6].title()).replace("clerk", name[:-6]))
        with Local(self.dir / "main.tenor") as studio:
            studio.enter()
            files = studio.files()
            self.assertEqual(list(files), ["main.tenor", "part.tenor"])
            self.assertEqual(studio.read("other.tenor"), {})
            self.assertEqual(studio.save("other.tenor", "").status, 412)  # it is there, and was not opened
            self.assertEqual(studio.save("main.tenor", 'import "part.tenor"\nimport "other.tenor"\npersona p\n', files["main.tenor"]).status, 200)
            self.assertEqual(list(studio.files()), ["main.tenor", "part.tenor", "other.tenor"])
            self.assertEqual(studio.save("new.scenarios.yaml", "x: 1\n").status, 200)  # nothing imports it, and it stays open
            self.assertIn("new.scenarios.yaml", studio.files())
        self.write("broken.tenor", 'import "part.tenor"\nrule {\n')
        with Local(self.dir / "broken.tenor") as studio:
            studio.enter()
            self.assertIn("broken.tenor", studio.files())

    def test_saving_is_whole_keeps_the_mode_and_needs_what_was_read(self):
        path = self.write("a.tenor", PARCEL)
        path.chmod(0o640)
        with Local(self.dir) as studio:
            studio.enter()
            etag = studio.files()["a.tenor"]
            said = studio.save("a.tenor", "persona x\n", etag)
            self.assertEqual((said.status, path.read_text(), path.stat().st_mode & 0o7777), (200, "persona x\n", 0o640))
            self.assertEqual(said.json["etag"], studio.files()["a.tenor"])
            self.assertEqual(studio.save("a.tenor", "persona y\n", etag).status, 412)  # what was read before
            self.assertEqual(studio.save("a.tenor", "persona y\n").status, 412)  # it is not new
            path.write_text("persona z\n")  # as long as before, perhaps in the same moment
            self.assertEqual(studio.save("a.tenor", "persona y\n", said.json["etag"]).status, 412)
            self.assertEqual(studio.ask("PUT", "/studio/local/file", {"path": "a.tenor", "text": ""}).status, 428)
            for odd in ('*', '"x"', "", f'W/"{studio.files()["a.tenor"]}"', studio.files()["a.tenor"]):
                self.assertIn(studio.ask("PUT", "/studio/local/file", {"path": "a.tenor", "text": ""}, If_Match=odd).status, (412, 428), odd)
            path.unlink()
            self.assertEqual(studio.save("a.tenor", "persona y\n", said.json["etag"]).status, 412)
            self.assertEqual(studio.save("a.tenor", "", None).status, 200)
            self.assertEqual([p.name for p in self.dir.iterdir()], ["a.tenor"])  # nothing is left beside it

    def test_killed_while_it_saves_the_file_is_whole_and_nothing_stays_beside_it(self):
        path = self.write("a.tenor", PARCEL)
        texts = {PARCEL}
        for turn in range(3):
            studio = Local(self.dir)
            studio.enter()
            etag, text = studio.files()["a.tenor"], f"// {turn}\n" + "// a line\n" * 300000
            texts.add(text)
            with concurrent.futures.ThreadPoolExecutor(1) as others:
                saving = others.submit(studio.save, "a.tenor", text, etag)
                time.sleep(0.002 * turn)  # somewhere: the promise holds wherever it is
                studio.process.kill()
                saving.exception()
            studio.stop()
            self.assertIn(path.read_text(), texts)
        left = self.write(".motet-0123456789abcdef", "half")  # in any case one
        for one in self.dir.glob(".motet-*"):
            os.utime(one, (time.time() - 3600,) * 2)
        with Local(self.dir) as studio:
            studio.enter()
            self.assertEqual(list(studio.files()), ["a.tenor"])  # what is left is not offered
            self.assertEqual(studio.save("a.tenor", PARCEL, studio.files()["a.tenor"]).status, 200)
        self.assertFalse(left.exists())
        self.assertEqual([p.name for p in self.dir.iterdir()], ["a.tenor"])

    def test_no_name_leads_outside(self):
        outside = self.dir / "outside"
        outside.mkdir()
        (outside / "secret.json").write_text("{}")
        folder = self.dir / "folder"
        folder.mkdir()
        (folder / "a.tenor").write_text(PARCEL)
        (folder / "link.json").symlink_to(outside / "secret.json")
        (folder / "way").symlink_to(outside)
        os.mkfifo(folder / "pipe.json")
        with Local(folder) as studio:
            studio.enter()
            self.assertEqual(list(studio.files()), ["a.tenor"])
            self.assertEqual([f["path"] for f in studio.ask("GET", "/studio/local/files").json["left_out"]], ["link.json"])
            for name in ("../outside/secret.json", str(outside / "x.json"), "way/secret.json", "way/x.json", "link.json", "a/../../x.json", "./x.json", "", "/", "..",
                         ".hidden.json", "x\0.json", "x\n.json", "a.tenor/x.json", "x" * 600 + ".json", "x.json/", "x.sh", "x", "x.json ", "pipe.json", "nothing/x.json", "x/" * 20 + "x.json"):
                for etag in (None, studio.files()["a.tenor"]):
                    self.assertIn(studio.save(name, "{}", etag).status, (403, 412, 507), repr(name))
            self.assertEqual(studio.read("way/secret.json", "link.json", "pipe.json", "../outside/secret.json"), {})
        self.assertEqual(sorted(p.name for p in outside.iterdir()), ["secret.json"])
        self.assertEqual((outside / "secret.json").read_text(), "{}")
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["a.tenor", "link.json", "pipe.json", "way"])

    def test_what_cannot_be_shown_is_left_out_with_a_reason(self):
        self.write("a.tenor", PARCEL)
        self.write("large.json", b" " * ((4 << 20) + 1))
        self.write("full.json", b" " * (4 << 20))
        self.write("bad.tenor", b"persona \xff\n")
        huge = self.dir / "huge.yaml"
        with open(huge, "wb") as out:
            out.truncate(100 << 20)
        with Local(self.dir) as studio:
            studio.enter()
            self.assertEqual(sorted(studio.files()), ["a.tenor", "full.json"])
            why = {f["path"]: f["why"] for f in studio.ask("GET", "/studio/local/files").json["left_out"]}
            self.assertEqual(why, {"bad.tenor": "is not UTF-8", "huge.yaml": "is larger than 4 MB", "large.json": "is larger than 4 MB"})
            self.assertEqual(studio.save("a.tenor", "x" * (4 << 20), studio.files()["a.tenor"]).status, 200)
            self.assertEqual(studio.save("a.tenor", "x" * ((4 << 20) + 1), studio.files()["a.tenor"]).status, 413)
            self.assertEqual(studio.ask("PUT", "/studio/local/file", b"{}", Content_Length=str(25 << 20)).status, 413)
            self.assertEqual(studio.save("bad.tenor", "", "0" * 64).status, 403)

    def bytes_read(self, studio):
        return int(re.search(r"rchar: (\d+)", pathlib.Path(f"/proc/{studio.process.pid}/io").read_text())[1])

    def test_what_did_not_change_is_not_read_again(self):
        for i in range(4):
            self.write(f"{i}.json", " " * (3 << 20))
        self.write("bad.json", b"\xff" * (3 << 20))
        time.sleep(2.2)  # two seconds after a change its time says that there was no other
        with Local(self.dir) as studio:
            studio.enter()
            first = studio.files()
            before = self.bytes_read(studio)
            for _ in range(5):
                self.assertEqual(studio.files(), first)
            self.assertLess(self.bytes_read(studio) - before, 1 << 20)
            self.assertEqual(len(studio.read("2.json")["2.json"]), 3 << 20)
            self.assertLess(self.bytes_read(studio) - before, 4 << 20)
            changed = self.dir / "2.json"
            times = changed.stat()
            with open(changed, "r+b") as out:
                out.write(b"x")  # as long, in the same place, and with the old time
            os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))
            now = studio.files()
            self.assertEqual([p for p in first if now[p] != first[p]], ["2.json"])
            self.assertEqual(studio.save("2.json", "", first["2.json"]).status, 412)

    def test_every_change_is_seen_however_soon_it_comes(self):
        path = self.write("a.json", "00")
        with Local(self.dir) as studio:
            studio.enter()
            for i in range(60):
                with open(path, "r+") as out:
                    out.write(f"{i:02}")
                self.assertEqual(studio.files()["a.json"], hashlib.sha256(f"{i:02}".encode()).hexdigest())

    def test_what_is_too_much_is_not_read(self):
        for i in range(100):
            with open(self.dir / f"{i:03}.json", "wb") as out:
                out.truncate(4 << 20)
        with Local(self.dir) as studio:
            studio.enter()
            before = self.bytes_read(studio)
            told = studio.ask("GET", "/studio/local/files").json
            self.assertEqual(([f["path"] for f in told["files"]], len(told["left_out"])), (["000.json", "001.json", "002.json", "003.json"], 96))
            self.assertEqual({f["why"] for f in told["left_out"]}, {"would make it more than 16 MB"})
            self.assertLess(self.bytes_read(studio) - before, 20 << 20)
            self.assertEqual(studio.save("004.json", "", "0" * 64).status, 403)

    def test_a_text_that_is_asked_for_twice_comes_once(self):
        self.write("a.tenor", PARCEL)
        self.write("b.tenor", PARCEL)
        with Local(self.dir) as studio:
            studio.enter()
            told = studio.ask("POST", "/studio/local/read", {"paths": ["a.tenor", "b.tenor"] * 400}).json
            self.assertEqual([f["path"] for f in told["files"]], ["a.tenor", "b.tenor"])

    def test_what_is_gone_from_disk_can_be_saved_again(self):
        path = self.write("a.tenor", PARCEL)
        for operand in (path, self.dir):
            with self.subTest(operand), Local(operand) as studio:
                studio.enter()
                made = studio.save("made.tenor", "x").json["etag"]
                etag = studio.files()["a.tenor"]
                for name, was in (("a.tenor", etag), ("made.tenor", made)):
                    (self.dir / name).unlink()
                    told = studio.ask("GET", "/studio/local/files").json
                    self.assertNotIn(name, [f["path"] for f in told["files"] + told["left_out"]])  # so the page knows that it is new
                    said = studio.save(name, "x", was)
                    self.assertEqual((said.status, "not on disk" in said.json["detail"]), (412, True), said)
                    self.assertEqual(studio.save(name, PARCEL).status, 200)
                    self.assertIn(name, studio.files())
                (self.dir / "made.tenor").unlink()

    def test_what_was_open_stays_open_while_its_import_is_gone(self):
        self.write("main.tenor", 'import "part.tenor"\npersona p\n')
        self.write("part.tenor", PARCEL)
        with Local(self.dir / "main.tenor") as studio:
            studio.enter()
            etag = studio.files()["part.tenor"]
            for text in ("impo", "persona p\n"):
                (self.dir / "main.tenor").write_text(text)
                self.assertEqual(studio.files()["part.tenor"], etag)
                self.assertEqual(studio.read("part.tenor"), {"part.tenor": PARCEL})
            self.assertEqual(studio.save("part.tenor", "persona q\n", etag).status, 200)

    def test_a_bundle_that_becomes_a_pipe_holds_nobody_up(self):
        path = self.write("bundle.json", "{}")
        with Local(path) as studio:
            studio.enter()
            self.assertEqual(list(studio.files()), ["bundle.json"])
            path.unlink()
            os.mkfifo(path)
            told = studio.ask("GET", "/studio/local/files").json
            self.assertEqual((told["files"], told["left_out"]), ([], [{"path": "bundle.json", "why": "is a link, or not a file"}]))
            self.assertEqual(studio.stop(signal.SIGINT), 0)

    def test_names_that_are_not_text_are_left_out_with_a_reason(self):
        self.write("a.tenor", PARCEL)
        for name in (b"b\xff.tenor", b"c\n.tenor"):
            pathlib.Path(os.fsdecode(os.fsencode(self.dir) + b"/" + name)).write_text("")
        with Local(self.dir) as studio:
            studio.enter()
            told = studio.ask("GET", "/studio/local/files").json
            why = "has characters that are not text"
            self.assertEqual({f["path"]: f["why"] for f in told["left_out"]}, {"b\\xff.tenor": why, "c\\x0a.tenor": why})

    def test_the_file_itself_is_checked_before_anything_listens(self):
        for name, content, code, words in (("bad.tenor", b"persona \xff\n", 1, "not UTF-8 (at byte 8)"), ("large.tenor", b" " * ((4 << 20) + 1), 1, "larger than 4 MB"),
                                           ("x.txt", b"", 2, "not a contract"), ("s.yaml", b"", 2, "name its folder")):
            self.assertIn(words, self.fails(code, "studio", self.write(name, content)).err)
        self.assertIn("No such file", self.fails(3, "studio", self.dir / "none").err)
        self.assertIn("No such file", self.fails(3, "studio", self.dir / "none.tenor").err)

    def test_ten_thousand_files_are_refused_and_a_thousand_are_not(self):
        for i in range(1000):
            self.write(f"d{i % 10}/{i}.json", "{}")
        with Local(self.dir) as studio:
            studio.enter()
            self.assertEqual(len(studio.files()), 1000)
            self.write("one.json", "{}")
            self.assertTrue(studio.ask("GET", "/studio/local/files").json["cut"])
        self.assertIn("more than 1000 files", self.fails(2, "studio", self.dir).err)

    def test_a_folder_that_may_only_be_read_says_so_when_something_is_saved(self):
        folder = self.dir / "shared"
        folder.mkdir()
        (folder / "a.tenor").write_text(PARCEL)
        (folder / "secret.json").write_text("{}")
        (folder / "secret.json").chmod(0o000 if NOBODY else 0o200)
        self.dir.chmod(0o755)
        folder.chmod(0o755 if NOBODY else 0o555)
        try:
            with Local(folder, **NOBODY) as studio:
                studio.enter()
                self.assertEqual(list(studio.files()), ["a.tenor"])
                said = studio.save("a.tenor", "", studio.files()["a.tenor"])
                self.assertEqual((said.status, "Permission denied" in said.json["detail"]), (507, True), said)
                self.assertEqual(studio.save("new.tenor", "").status, 507)
                self.assertEqual((folder / "a.tenor").read_text(), PARCEL)
        finally:
            folder.chmod(0o755)
        hidden = self.dir / "hidden"
        hidden.mkdir(mode=0o700 if NOBODY else 0o000)
        done = subprocess.run([str(MOTET), "studio", str(hidden)], capture_output=True, text=True, timeout=30, **NOBODY)
        hidden.chmod(0o700)
        self.assertEqual((done.returncode, "Permission denied" in done.stderr), (3, True), done)


GO = """persona p
fact f { type: Bool source: "a.b" }
rule r { stratum: 0 when: f = true produce: verdict v { payload: Bool = true } }
entity E { states: [a, b] initial: a transitions: [(a, b)] }
operation go { allowed_personas: [p] precondition: verdict_present(v) effects: [(E, a, b)] outcomes: [gone] error_contract: [precondition_failed] }
"""
LONG = "persona p\n" + "".join(
    f"entity E{i} {{ states: [a, b, c] initial: a transitions: [(a, b), (b, c)] }}\n" + "".join(
        f"operation {o}{i} {{ allowed_personas: [p] precondition: true effects: [(E{i}, {x}, {y})] outcomes: [d] error_contract: [persona_rejected] }}\n"
        for o, x, y in (("x", "a", "b"), ("y", "b", "c"))) for i in range(12))
LONG_QUESTION = "never " + " and ".join(f"E{i}.c" for i in range(12)) + " with 3 instances"  # 10^17 joint states


def asked(studio, question, *files):
    return studio.ask("POST", "/studio/local/ask", {"files": [{"path": p, "text": t} for p, t in files], "question": question})


class Questions(Case):
    """What needs the solver is answered by the program itself, in bounds."""

    def setUp(self):
        super().setUp()
        self.write("go.tenor", GO)
        self.temporary = self.dir / "temporary"
        self.temporary.mkdir()
        self.env = {"TMPDIR": str(self.temporary)}

    def test_the_answer_is_that_of_the_command_line_byte_for_byte(self):
        with Local(self.dir, env=self.env) as studio:
            studio.enter()
            for question in ("can p reach E.b", "who can perform go", "when is v", "is v always", "never perform go while f = false", "who can cause v", "every flow ends"):
                said = asked(studio, question, ("go.tenor", GO))
                here = self.run_motet("ask", "go.tenor", question, "--json")
                self.assertEqual((said.status, said.json["code"], said.json["text"] + "\n"), (200, here.code, here.out), question)
            both = asked(studio, "can q reach E.b", ("in/main.tenor", 'import "part/go.tenor"\npersona q\n'), ("in/part/go.tenor", GO))
            self.assertEqual(json.loads(both.json["text"])["reply"], "no", both)
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_answer_counts_however_slowly_its_program_ends(self):
        with Local(self.dir, env={**self.env, "TSAN_OPTIONS": f"{TSAN}:atexit_sleep_ms=1500"}) as studio:  # there it does
            studio.enter()
            self.assertEqual(asked(studio, "can p reach E.b", ("go.tenor", GO)).status, 200)

    def test_what_is_not_understood_or_does_not_hold_says_why(self):
        with Local(self.dir, env=self.env) as studio:
            studio.enter()
            said = asked(studio, "can p raech E.b", ("go.tenor", GO))
            self.assertEqual((said.status, "did you mean: can PERSONA GOAL" in said.json["detail"]), (422, True), said)
            self.assertEqual(asked(studio, "can p reach E.b", ("go.tenor", "rule {")).status, 422)
            for odd in ("--help", "--smt2=x", "-", "--", "@/etc/passwd", "x" * 2000):
                self.assertEqual(asked(studio, odd, ("go.tenor", GO)).status, 422, odd)
            for body in ({}, {"files": [], "question": "x"}, {"files": [{"path": "a", "text": "b"}]}, {"files": [{"path": "a"}], "question": "x"}, {"files": 1, "question": "x"},
                         {"files": [{"path": "a.tenor", "text": ""}], "question": ""}, {"files": [{"path": "a.tenor", "text": ""}], "question": "x" * 2001}, {"files": [{"path": "a.tenor", "text": ""}], "question": "a\0b"}):
                self.assertEqual(studio.ask("POST", "/studio/local/ask", body).status, 400, body)
            for name in ("../x.tenor", "/tmp/x.tenor", "", ".x.tenor", "a/../x.tenor", "-x/../../y.tenor"):
                self.assertEqual(asked(studio, "every flow ends", ("go.tenor", GO), (name, "")).status, 422, name)
            self.assertEqual(asked(studio, "every flow ends", ("go.tenor", GO), ("go.tenor", "")).status, 422)
            self.assertEqual(asked(studio, "every flow ends", ("a.tenor", GO), ("a.tenor/b.tenor", "")).status, 422)
            self.assertEqual(asked(studio, "every flow ends", ("--help.tenor", GO)).status, 200)
            self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["go.tenor", "temporary"])

    def test_a_question_has_its_time_and_the_next_takes_its_place(self):
        with Local(self.dir, "--ask-seconds", "2", "--limit", "reach_states=100000000", env=self.env) as studio:
            studio.enter()
            began = time.monotonic()
            said = asked(studio, LONG_QUESTION, ("long.tenor", LONG))
            self.assertEqual((said.status, "longer than 2 s" in said.json["detail"]), (504, True), said)
            self.assertLess(time.monotonic() - began, 20)
        with Local(self.dir, "--limit", "reach_states=100000000", env=self.env) as studio:
            studio.enter()
            with concurrent.futures.ThreadPoolExecutor(4) as others:
                first = others.submit(asked, studio, LONG_QUESTION, ("long.tenor", LONG))
                time.sleep(0.5)
                self.assertEqual(list(studio.files()), ["go.tenor"])  # others are answered meanwhile
                second = asked(studio, "can p reach E.b", ("go.tenor", GO))
                self.assertEqual((second.status, json.loads(second.json["text"])["reply"]), (200, "yes"))
                self.assertEqual((first.result().status, first.result().json["code"]), (409, "asked_anew"))
                last = others.submit(asked, studio, LONG_QUESTION, ("long.tenor", LONG))
                time.sleep(0.5)
                began = time.monotonic()
                self.assertEqual(studio.stop(), 0)  # and ends what is being asked
                self.assertLess(time.monotonic() - began, 10)
                self.assertIn(last.result().status if not last.exception() else 409, (409,))
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_question_begins_when_the_one_before_has_ended(self):
        with Local(self.dir, "--limit", "reach_states=100000000", env=self.env) as studio:
            studio.enter()
            with concurrent.futures.ThreadPoolExecutor(6) as others:
                waiting, most, end = [], 0, time.monotonic() + 60
                for _ in range(5):
                    before = there = os.listdir(self.temporary)
                    waiting.append(others.submit(asked, studio, LONG_QUESTION, ("long.tenor", LONG)))
                    while there in ([], before) and most < 2 and time.monotonic() < end:
                        there = os.listdir(self.temporary)
                        most = max(most, len(there))
                        time.sleep(0.001)
                said = [w.result().status for w in waiting[:-1]] if most == 1 else []
                self.assertEqual(studio.stop(), 0)
        self.assertEqual((most, said), (1, [409] * 4))

    def test_numbers_of_the_command_have_bounds(self):
        for seconds in ("0", "3601", "x", "-1"):
            self.fails(2, "studio", self.dir, "--ask-seconds", seconds)
        Local(self.dir, "--ask-seconds", "3600").stop()


class Life(Case):
    """Begin and end."""

    def setUp(self):
        super().setUp()
        self.write("post.tenor", PARCEL)

    def test_signals_end_it_cleanly(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            studio = Local(self.dir)
            self.assertEqual((studio.stop(how), studio.errors), (0, ""), how)

    def test_a_port_that_is_taken_is_said_and_the_usual_one_gives_way(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            said = self.fails(3, "studio", self.dir, "--port", taken.getsockname()[1])
            self.assertRegex(said.err, r"cannot listen on 127\.0\.0\.1:\d+: Address already in use")
        for port in ("65536", "x", "-1", ""):
            self.fails(2, "studio", self.dir, "--port", port)
        self.fails(2, "studio", self.dir, self.dir)
        self.fails(2, "studio", self.dir, "--open", "--no-open")

    def test_a_browser_is_opened_where_there_is_a_desktop_and_does_not_see_the_secret_in_its_arguments(self):
        seen = self.dir / "seen"
        program = self.write("bin/xdg-open", f"#!/bin/sh\nprintf '%s\\n' \"$*\" > {seen}.new\ncat \"$1\" >> {seen}.new\nstat -c %a \"$1\" >> {seen}.new\nmv {seen}.new {seen}\n")
        program.chmod(0o755)
        env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(self.dir), "HOME": str(self.dir)}
        for words, desktop, opens in (((), "", False), ((), ":0", True), (("--no-open",), ":0", False), (("--open",), "", True)):
            with self.subTest((words, desktop)), Local(self.dir, *words, env={**env, "DISPLAY": desktop}) as studio:
                end = time.monotonic() + (10 if opens else 0.3)
                while time.monotonic() < end and not seen.exists():
                    time.sleep(0.02)
                self.assertEqual(seen.exists(), opens)
                if opens:
                    arguments, page, mode = seen.read_text().strip().split("\n")
                    self.assertNotIn(studio.secret, arguments)
                    self.assertIn(studio.address, page)
                    self.assertEqual(mode, "600")
                    seen.unlink()
                    studio.stop()
                    self.assertFalse(pathlib.Path(arguments).exists())
        with Local(self.dir, "--open", env={**env, "PATH": "/nowhere"}) as studio:
            studio.stop()
            self.assertIn("no browser could be opened", studio.errors)

    def test_others_are_answered_while_one_connection_says_nothing(self):
        with Local(self.dir) as studio:
            silent = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(20)]
            studio.enter()
            self.assertEqual(list(studio.files()), ["post.tenor"])
            for one in silent:
                one.close()

    def test_however_many_say_nothing_others_are_answered(self):
        with Local(self.dir) as studio:
            studio.enter()
            half = b"POST /studio/local/session HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % studio.port
            # nothing at all, a head that never ends, a body that never comes
            for begun in (b"", half, half + b"Content-Length: 9\r\n\r\n"):
                silent = []
                for _ in range(200):
                    silent.append(socket.create_connection(("127.0.0.1", studio.port), timeout=30))
                    with contextlib.suppress(OSError):  # it was sent away already
                        silent[-1].sendall(begun)
                self.assertEqual(list(studio.files()), ["post.tenor"])
                silent[0].settimeout(30)
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(silent[0].recv(1), b"")  # who waited longest has gone
                for one in silent:
                    one.close()

    def test_odd_requests_are_answered_and_it_goes_on(self):
        with Local(self.dir) as studio:
            studio.enter()
            for body in (b"", b"{", b"null", b'{"paths": 1}', b'{"paths": [1]}', b'{"path": "x"}', b'\xff', b'{"paths":[' + b'"x",' * 2000 + b'"x"]}', b"[" * 100000):
                self.assertIn(studio.ask("POST", "/studio/local/read", body).status, (400, 413), body[:20])
                self.assertIn(studio.ask("PUT", "/studio/local/file", body, If_None_Match="*").status, (400, 413), body[:20])
            self.assertEqual(studio.ask("GET", "/studio/local/files", Cookie="x" * 20000).status // 100, 4)
            self.assertEqual(studio.ask("GET", "/studio/local/files").status, 200)


main()
