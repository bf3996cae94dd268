"""A real server for tests: on this machine, on a free port, stopped at the end.

    with Server(directory, "escrow.tenor") as server:
        answer = server.post("/v1/contracts/escrow/evaluate", {"facts": {}})
        answer.status, answer.json, answer.headers

Every answer is held against the description of the API (api.py).
"""
import http.client
import json
import os
import pathlib
import select
import signal
import subprocess
import time

import api
from harness import MOTET, SANITIZED, SOURCE, run

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
FACTS = {
    "escrow_amount": {"amount": "5000.00", "currency": "USD"},
    "delivery_status": "confirmed",
    "line_items": [{"id": "i-1", "description": "Widget", "valid": True,
                    "amount": {"amount": "5000.00", "currency": "USD"}}],
}


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of a problem."""
        return self.json.get("code")

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Server:
    def __init__(self, directory, *files, store="sqlite:serve.db", options=(), env=None,
                 stderr=None):
        self.stderr = stderr  # where logs go instead of serve.err
        self.directory = pathlib.Path(directory)
        self.store = store
        self.words = [*map(str, files), "--store", store, "--listen", "127.0.0.1:0", *map(str, options)]
        self.env = {**os.environ, "NO_COLOR": "1", **(env or {})}
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *what):
        self.stop()

    def start(self):
        self.errors = self.stderr or open(self.directory / "serve.err", "ab")
        self.process = subprocess.Popen([str(MOTET), "serve", *self.words], cwd=self.directory,
                                        env=self.env, stdout=subprocess.PIPE, stderr=self.errors)
        ready = select.select([self.process.stdout], [], [], 30)[0]
        line = self.process.stdout.readline().decode() if ready else ""
        if not line.startswith("listening on "):
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"the server did not start: {line!r} {self.log()}")
        self.url = line.split()[-1]
        self.host, _, port = self.url.split("//")[1].rpartition(":")
        self.port = int(port)

    def stop(self, how=signal.SIGTERM):
        """Its exit code."""
        if not self.process:
            return None
        self.process.send_signal(how)
        try:
            code = self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = "did not stop"
        self.process.stdout.close()
        self.errors.close()
        self.process = None
        self.assert_clean()
        return code

    def assert_clean(self):
        """What a sanitizer saw while it ran or stopped is a fault, whoever looks at the code."""
        if SANITIZED and not self.stderr and "Sanitizer: " in self.log():
            raise AssertionError(self.log()[-20000:])

    def log(self):
        return (self.directory / "serve.err").read_text()

    def logs(self, words, seconds=30):
        """Lines are written by a thread of their own, soon after what they tell of."""
        return self.wait_until(lambda: words in self.log(), seconds)

    def ask(self, method, path, body=None, token=None, headers=None, timeout=30):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body=body, headers=fields)
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        api.see(self, method, path, answer)
        return answer

    def get(self, path, **named):
        return self.ask("GET", path, **named)

    def post(self, path, body=None, **named):
        return self.ask("POST", path, {} if body is None else body, **named)

    def token(self, *options):
        """Makes a token in the server's store, also while it runs."""
        result = run("token", "create", "--store", self.store, *options, cwd=self.directory)
        if result.code:
            raise RuntimeError(result.err)
        return result.out.strip()

    def wait_until(self, test, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if test():
                return True
            time.sleep(0.05)
        return False
