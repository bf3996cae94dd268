#!/usr/bin/env python3
"""A PostgreSQL server of our own, for tests: in a temporary directory, on a Unix socket
only, gone at the end.

    with Postgres() as server: ... server.url() ...

or around a command, which finds it in the environment:

    postgres.py COMMAND [ARGUMENTS]
        MOTET_TEST_POSTGRES          URL of the database
        MOTET_TEST_POSTGRES_STOP     shell commands: stop it at once, as a crash would;
        MOTET_TEST_POSTGRES_START    start it again

Making the files of an empty server takes a second of work, and many tests want one:

    postgres.py --template DIRECTORY

makes them there, once, and with MOTET_TEST_POSTGRES_TEMPLATE=DIRECTORY every server begins
as a copy of them, in MOTET_TEST_POSTGRES_PLACE or /tmp.
"""
import glob
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import tempfile

USER = "motet"


def find_binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    path = shutil.which("postgres")
    if not found and not path:
        raise RuntimeError("PostgreSQL is not installed")
    return os.path.dirname(path or found[-1])


class Postgres:
    def __init__(self, durable=False, port=5432, place=None):
        """Not durable: the server does not wait for the disk (tests, not figures). In a place with
        a short name (it has a socket there) where another user may go, too."""
        self.binaries = find_binaries()
        self.port = port
        self.durable = durable
        self.directory = tempfile.mkdtemp(prefix="motet-pg-", dir=place or os.environ.get("MOTET_TEST_POSTGRES_PLACE", "/tmp"))
        self.data = os.path.join(self.directory, "data")
        # PostgreSQL refuses root.
        self.account = "postgres" if os.getuid() == 0 else None
        try:
            self._make_files()
            self.start()
        except BaseException:
            self.close()
            raise

    def _make_files(self):
        if self.account:
            entry = pwd.getpwnam(self.account)
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
        template = os.environ.get("MOTET_TEST_POSTGRES_TEMPLATE")
        if template:
            self._run([*self._front(), "cp", "-a", os.path.join(template, "data"), self.data])
        else:
            # Files that are copied often are small.
            self._run(self._command("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8",
                                    "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"))

    def _front(self):
        return ["runuser", "-u", self.account, "--"] if self.account else []

    def _command(self, program, *arguments):
        return [*self._front(), os.path.join(self.binaries, program), *arguments]

    def _run(self, command):
        with open(os.path.join(self.directory, "output"), "a+", encoding="utf-8") as out:
            code = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=out, check=False).returncode
            if code:
                out.seek(0)
                raise RuntimeError(f"{command[-1]}: {out.read()[-2000:]}")

    def start_command(self):
        options = f"-k {self.directory} -p {self.port} -c listen_addresses='' " \
                  "-c max_connections=60 -c max_prepared_transactions=0"
        if not self.durable:
            options += " -c fsync=off -c full_page_writes=off"
        return self._command("pg_ctl", "-D", self.data, "-w", "-o", options, "-l",
                             os.path.join(self.data, "log"), "start")

    def stop_command(self, mode="immediate"):
        return self._command("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def start(self):
        self._run(self.start_command())

    def stop(self, mode="immediate"):
        self._run(self.stop_command(mode))

    def url(self, database="postgres"):
        return f"postgresql://{USER}@/{database}?host={self.directory}&port={self.port}"

    def environment(self):
        return dict(os.environ, MOTET_TEST_POSTGRES=self.url(),
                    MOTET_TEST_POSTGRES_STOP=shlex.join(self.stop_command()),
                    MOTET_TEST_POSTGRES_START=shlex.join(self.start_command()))

    def close(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            subprocess.run(self.stop_command(), cwd="/", stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def make_template(directory):
    """An empty server that was stopped in order; the directory must not be there yet."""
    with Postgres(place=os.path.dirname(directory)) as server: # it is moved in the end
        server.stop(mode="fast")
        os.rename(server.directory, directory)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--template":
        make_template(sys.argv[2])
        return 0
    durable = sys.argv[1] == "--durable"
    command = sys.argv[2:] if durable else sys.argv[1:]
    with Postgres(durable) as server:
        return subprocess.run(command, env=server.environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
