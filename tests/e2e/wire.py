"""What tests of relays and agents share: a relay as a child process, and peers that
speak the wire protocol over raw sockets, as agents written in other languages do."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request

from harness import MOTET, Case

LOOPBACK = "127.0.0.1"


def wait_until(true, seconds=30.0, step=0.01):
    """Polls until `true()`; returns its value, or the last false one."""
    end = time.monotonic() + seconds
    while True:
        value = true()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)


class Process:
    """A child whose stderr is collected; ended by pid when the test ends, as an administrator would: what it
    does then is run by every test, and what a build counts of itself is not lost."""

    def __init__(self, case, *words, env=None, stdin=subprocess.DEVNULL):
        self.child = subprocess.Popen([str(MOTET), *map(str, words)], cwd=case.dir,
                                      stdin=stdin, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE,
                                      env={**os.environ, "NO_COLOR": "1", **(env or {})})
        case.addCleanup(self.end)
        self.errors = []
        self.reader = threading.Thread(target=self.collect, daemon=True)
        self.reader.start()

    def collect(self):
        for line in self.child.stderr:
            self.errors.append(line.decode("utf-8", "replace").rstrip("\n"))

    @property
    def err(self):
        return "\n".join(self.errors)

    def line(self):
        return self.child.stdout.readline().decode().rstrip("\n")

    def stop(self, seconds=10):
        """SIGTERM, and the exit code."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(seconds)
        self.reader.join(seconds)
        return code

    def kill(self):
        self.child.kill()
        self.child.wait(10)

    def end(self):
        if self.child.poll() is None:
            self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self.reader.join(10)
        self.child.stdout.close()
        self.child.stderr.close()


class Relay(Process):
    def __init__(self, case, *words, listen=LOOPBACK + ":0", metrics=True):
        if metrics:
            words = ("--metrics", LOOPBACK + ":0", *words)
        super().__init__(case, "agent", "relay", "--listen", listen, *words)
        first = self.line()
        if not first.startswith("listening on "):
            self.child.wait(10)
            self.reader.join(10)
            raise AssertionError(f"no relay: {first!r} {self.err}")
        self.address = first.removeprefix("listening on ")
        host, port = self.address.rsplit(":", 1)
        self.host, self.port = host.strip("[]"), int(port)
        self.url = self.line().removeprefix("metrics on ") if metrics else None

    def metrics(self):
        with urllib.request.urlopen(self.url, timeout=30) as answer:
            text = answer.read().decode()
        return {name: int(value) for name, value in
                re.findall(r"^motet_relay_(\w+?)(?:_total)? (\d+)$", text, re.M)}

    def counts(self, seconds=30.0, **wanted):
        """Waits until these metrics have at least these values; returns all."""
        def enough():
            now = self.metrics()
            return now if all(now[k] >= v for k, v in wanted.items()) else None
        return wait_until(enough, seconds, 0.02) or self.metrics()

    def memory_kib(self):
        with open(f"/proc/{self.child.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


class Peer:
    """One agent on a raw socket."""

    def __init__(self, case, relay, source=None, receive_buffer=None, timeout=30.0):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.sock.bind((source, 0))
        self.sock.settimeout(timeout)
        self.sock.connect((relay.host, relay.port))
        self.address = "%s:%d" % self.sock.getsockname()[:2]
        self.rest = b""
        case.addCleanup(self.close)

    def close(self):
        self.sock.close()

    def raw(self, data):
        self.sock.sendall(data)

    def say(self, payload):
        """Sends as an agent does: a typed envelope, spaced as Python writes it."""
        line = {"_version": "1.3.0", "_payload": payload, "_type": kind_of(payload)}
        self.raw((json.dumps(line) + "\n").encode())

    def line(self):
        """The next line as bytes without newline; None at the end of the stream."""
        while b"\n" not in self.rest:
            piece = self.sock.recv(1 << 16)
            if not piece:
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def hear(self):
        """The next message: (address, payload) out of both envelopes."""
        outer = json.loads(self.line())
        inner = json.loads(outer["content"])
        return outer["remote_addr"], inner["_payload"]

    def silent(self, seconds=0.2):
        """True when nothing comes for so long."""
        self.sock.settimeout(seconds)
        try:
            return not self.rest and self.sock.recv(1) == b"never"
        except socket.timeout:
            return True
        finally:
            self.sock.settimeout(30)

    def ended(self, seconds=30.0):
        """Reads to the end; True when the relay has closed the connection."""
        self.sock.settimeout(seconds)
        try:
            while True:
                piece = self.sock.recv(1 << 16)
                if not piece:
                    return True
                self.rest += piece
        except ConnectionResetError:
            return True
        except socket.timeout:
            return False


def kind_of(value):
    """The type tree that rides with a payload."""
    if isinstance(value, dict):
        return {k: kind_of(v) for k, v in value.items()}
    if isinstance(value, list):
        return [kind_of(v) for v in value]
    return {bool: "bool", int: "int", float: "float", str: "str",
            type(None): "null"}[type(value)]


class WireCase(Case):
    def relay(self, *words, **named):
        return Relay(self, *words, **named)

    def peers(self, relay, count, **named):
        """Connected peers, once the relay has let them all in."""
        before = relay.metrics()["connections"]
        made = [Peer(self, relay, **named) for _ in range(count)]
        relay.counts(connections=before + count)
        return made
