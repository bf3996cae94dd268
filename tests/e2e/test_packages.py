"""Debian packages, the container file, the unit, the bill of materials."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import MOTET, SANITIZED, SOAK, SOURCE, Case, main

BUILD = MOTET.parents[2]
PROGRAM = """#include <motet.h>
#include <stdio.h>
int main(void)
{
    motet_contract *c = NULL;
    motet_str text = {"persona p\\n", 10};
    motet_status s = motet_contract_load(text, "a.tenor", &c);
    printf("%s %s\\n", motet_version(), motet_status_text(s));
    motet_contract_free(c);
    return s != MOTET_OK;
}
"""


def call(*words, **named):
    named.setdefault("check", True)
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **named)


class Packages(Case):
    made = None  # once for all tests

    @classmethod
    def tearDownClass(cls):
        if cls.made:
            shutil.rmtree(cls.made)

    def make(self):
        tools = all(map(shutil.which, ("dpkg-deb", "dpkg-shlibdeps", "meson")))
        if SANITIZED or not tools or not (BUILD / "src/api/libmotet.so").exists():
            self.skipTest("packages are made of a release build, on Debian")
        if not Packages.made:
            Packages.made = pathlib.Path(tempfile.mkdtemp(prefix="motet-packages-"))
            call(SOURCE / "tools/deb", "--build", BUILD, Packages.made / "out")
            for package in (Packages.made / "out").glob("*.deb"):
                call("dpkg-deb", "-x", package, Packages.made / "root")
        return Packages.made / "out", Packages.made / "root"

    def test_the_packages_have_what_they_promise_and_run(self):
        out, root = self.make()
        self.assertEqual(sorted(p.name.split("_")[0] for p in out.glob("*.deb")),
                         ["libmotet-dev", "libmotet0", "motet"])
        for path in ("usr/bin/motet", "usr/bin/tenor", "usr/share/man/man1/motet-serve.1.gz",
                     "usr/share/man/man1/tenor.1.gz", "usr/lib/systemd/system/motet.service",
                     "etc/motet/motet.yaml", "usr/include/motet.h",
                     "usr/share/bash-completion/completions/motet.bash", "usr/share/zsh/site-functions/_motet",
                     "usr/share/fish/vendor_completions.d/motet.fish", "usr/share/doc/motet/copyright"):
            self.assertTrue((root / path).exists(), path)
        motet = root / "usr/bin/motet"
        self.assertRegex(call(motet, "--version").stdout, r"^motet \d")
        config = root / "etc/motet/motet.yaml"
        config.write_text(config.read_text().replace("/var/lib/motet", str(self.dir)))
        call(motet, "serve", "--config", config, "--check-config")
        (self.dir / "a.tenor").write_text("persona p\n")
        server = subprocess.Popen([motet, "serve", "a.tenor", "--config", config, "--listen", "127.0.0.1:0"],
                                  cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.assertRegex(server.stdout.readline(), r"^listening on http")
        finally:
            server.terminate()
            self.assertEqual(server.wait(30), 0)
            server.stdout.close()
        info = call("dpkg-deb", "--field", next(out.glob("motet_*.deb"))).stdout
        for library in ("libmicrohttpd12", "libcurl4", "libgnutls30", "libsqlite3-0", "libsodium23"):
            self.assertRegex(info, rf"Depends:.*\b{library}\b")
        self.assertRegex(info, r"Recommends:.*\blibpq5\b")
        listing = call("dpkg-deb", "-c", next(out.glob("motet_*.deb"))).stdout
        self.assertEqual({line.split()[1] for line in listing.splitlines()}, {"root/root"})

    def test_a_program_is_built_with_the_library(self):
        _, root = self.make()
        lib = next(root.glob("usr/lib/*/libmotet.so")).parent
        environment = {**os.environ, "PKG_CONFIG_PATH": str(lib / "pkgconfig"),
                       "PKG_CONFIG_SYSROOT_DIR": str(root), "LD_LIBRARY_PATH": str(lib)}
        flags = call("pkg-config", "--cflags", "--libs", "motet", env=environment).stdout.split()
        self.write("main.c", PROGRAM)
        call("cc", "-Wall", "-Werror", "-o", "main", "main.c", *flags, cwd=self.dir)
        said = call(self.dir / "main", env=environment).stdout
        self.assertRegex(said, r"^\d+\.\d+\.\d+ ")
        shown = call("nm", "-D", "--defined-only", lib / "libmotet.so").stdout.split("\n")
        self.assertEqual([s for s in shown if s and not re.search(r" [TV] motet_", s)], [])

    def test_the_scripts_make_the_user_once(self):
        debian = SOURCE / "packaging/debian"
        log = self.dir / "log"
        stubs = self.dir / "stubs"
        stubs.mkdir()
        for name in ("useradd", "mkdir", "chown", "chmod", "systemctl"):
            (stubs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {log}\n')
            (stubs / name).chmod(0o755)
        for known in (1, 0):
            (stubs / "getent").write_text(f"#!/bin/sh\nexit {known}\n")
            (stubs / "getent").chmod(0o755)
            log.write_text("")
            call("sh", debian / "postinst", "configure", env={"PATH": f"{stubs}:/usr/bin:/bin"})
            self.assertEqual("useradd" in log.read_text(), known == 1)
            self.assertIn("chown motet:motet /var/lib/motet", log.read_text())
        for script in ("postinst", "prerm", "postrm"):
            self.assertNotIn("rm -", (debian / script).read_text())
            call("sh", "-n", debian / script)

    @unittest.skipUnless(SOAK, "two builds: make reproduce, or MOTET_SOAK=1")
    def test_two_builds_in_two_directories_are_the_same_bytes(self):
        done = call(SOURCE / "tools/reproduce", check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("same bytes"), 3)

    def test_the_unit_is_well_formed_and_reloads(self):
        unit = (SOURCE / "packaging/motet.service").read_text()
        self.assertIn("ExecReload=/bin/kill -HUP $MAINPID", unit)
        self.assertIn("RestartPreventExitStatus=1 2", unit)
        self.assertIn("User=motet", unit)
        sections = re.findall(r"^\[(\w+)\]$", unit, re.M)
        self.assertEqual(sections, ["Unit", "Service", "Install"])
        for line in unit.splitlines():
            self.assertRegex(line, r"^(\[\w+\]|[A-Z]\w+=.*|#.*|)$")
        if shutil.which("systemd-analyze"):
            shutil.copy(SOURCE / "packaging/motet.service", self.dir)
            done = call("systemd-analyze", "verify", "--man=no", self.dir / "motet.service", check=False)
            self.assertNotIn("Unknown", done.stderr)

    def test_the_container_runs_without_root(self):
        """Its instructions, as far as they can be checked without an engine."""
        text = re.sub(r"\\\n", " ", (SOURCE / "packaging/Containerfile").read_text())
        lines = [l for l in text.splitlines() if l.strip() and not l.startswith("#")]
        words = [l.split(None, 1) for l in lines]
        known = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT",
                 "CMD", "ENV", "HEALTHCHECK", "LABEL"}
        self.assertEqual({w[0] for w in words} - known, set())
        stages = [i for i, w in enumerate(words) if w[0] == "FROM"]
        last = words[stages[-1]:]
        users = [w[1] for w in last if w[0] == "USER"]
        self.assertTrue(users and users[-1] not in ("root", "0"), users)
        after = [w[0] for w in last[[w[0] for w in last].index("USER"):]]
        self.assertNotIn("RUN", after)
        self.assertNotIn("COPY", after)
        for word, rest in words:
            if word in ("ENTRYPOINT", "CMD"):
                self.assertTrue(all(isinstance(x, str) for x in json.loads(rest)))
            if word == "RUN":
                call("sh", "-n", "-c", rest)
        built = words[stages[0]:stages[-1]]
        wanted = set(re.findall(r"^package (\S+)$", "\n".join(
            p.read_text() for p in (SOURCE / "src/base/late").glob("*.list")), re.M))
        runtime = " ".join(rest for word, rest in last if word == "RUN").split()
        self.assertEqual(wanted - set(runtime), set())
        tools = (SOURCE / "tools/install").read_text()
        needed = set(re.search(r'BUILD="(.*?)"', tools, re.S)[1].split()) - {"curl"}
        self.assertEqual(needed - set(" ".join(r for w, r in built if w == "RUN").split()), set())

    def test_the_bill_of_materials_names_what_is_linked(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("packages are those of Debian")
        done = call(SOURCE / "tools/sbom", MOTET, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        spdx = json.loads(done.stdout)
        for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo",
                      "packages", "relationships"):
            self.assertIn(field, spdx)
        self.assertEqual((spdx["spdxVersion"], spdx["dataLicense"], spdx["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(spdx["documentNamespace"], r"^https://[^#]+$")
        self.assertEqual(spdx["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        self.assertTrue(all(re.match(r"(Tool|Person|Organization): ", c) for c in spdx["creationInfo"]["creators"]))
        ids = [p["SPDXID"] for p in spdx["packages"]]
        self.assertEqual(len(set(ids)), len(ids))
        for package in spdx["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for field in ("name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
                self.assertTrue(package[field])
            self.assertIs(package["filesAnalyzed"], False)
        for relation in spdx["relationships"]:
            self.assertIn(relation["spdxElementId"], ids + ["SPDXRef-DOCUMENT"])
            self.assertIn(relation["relatedSpdxElement"], ids)
        self.assertEqual([r["relatedSpdxElement"] for r in spdx["relationships"]
                          if r["relationshipType"] == "DESCRIBES"], ["SPDXRef-motet"])
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", call("readelf", "-d", MOTET).stdout)
        comments = {p.get("comment") for p in spdx["packages"]}
        self.assertEqual({n for n in needed if not n.startswith("ld-linux")} - comments, set())
        names = {p["name"] for p in spdx["packages"]}
        self.assertTrue({"libmicrohttpd12", "libcurl4", "libgnutls30", "libpq5"} <= names, names)

    def test_how_to_report_a_weakness_is_said(self):
        text = (SOURCE / "SECURITY.md").read_text()
        for words in ("report", "versions", "What counts"):
            self.assertIn(words, text)


main()
