"""Servers that are killed and started again, and what a client must be told of them."""
import http.client
import json
import os
import signal
import socket
import subprocess
import time

from harness import MOTET


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Node:
    """One `motet serve` on a port of its own, on loopback."""

    def __init__(self, directory, store, files=(), options=(), name="node", environment=None):
        self.directory, self.port, self.name = directory, free_port(), name
        self.command = [str(MOTET), "serve", *map(str, files), "--store", store, "--listen",
                        f"127.0.0.1:{self.port}", "--log-level", "warn", *map(str, options)]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def launch(self):
        """Starts it, without a look whether it answers."""
        with open(self.directory / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log,
                                            env=self.environment)

    def start(self, seconds=30):
        self.launch()
        deadline, said = time.monotonic() + seconds, None
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended by itself: {self.log()}")
            try:
                said = self.get("/readyz")
                if said[0] == 200:
                    return self
            except OSError as error:
                said = error
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} is not ready: {said!r} {self.log()}")

    def log(self, most=2000):
        text = (self.directory / f"{self.name}.log").read_text(errors="replace")
        return text if most is None else text[-most:]

    def kill(self):
        """As a power cut would."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, seconds=30):
        """As an administrator would; returns the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(seconds)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            try:
                self.stop(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        text = None if body is None else json.dumps(body)
        kind = {} if text is None else {"Content-Type": "application/json"}
        try:
            connection.request(method, path, text, {**kind, **(headers or {})})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(content)
        except ValueError:
            return answer.status, content

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body, key=None):
        return self.request("POST", path, body, {"Idempotency-Key": key} if key else None)

    def each(self, path):
        """The items of a list, page after page, one page in memory."""
        mark, after = "&" if "?" in path else "?", ""
        while after is not None:
            status, page = self.get(f"{path}{mark}limit=1000{after}")
            assert status == 200, page
            yield from page["items"]
            after = f"&after={page['next']}" if "next" in page else None

    def pages(self, path):
        return list(self.each(path))
