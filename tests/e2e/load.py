"""Clients of a running service, in a process of their own, and what they were answered.

A kind of load is a module with a class Job (see turnstile.py). Every request has its own
Idempotency-Key and is asked again with the same key, at the next server, until it is
answered, however often servers die meanwhile. Answers are written to a file as they come,
one line each, so that neither side has to keep a million of them.

    load.py KIND PORT,PORT… CLIENTS COUNT INSTANCES SEED SECONDS FILE
"""
import collections
import importlib
import json
import os
import pathlib
import random
import selectors
import signal
import socket
import subprocess
import sys
import time

TELL_EVERY = 30  # seconds, in the long forms
NUDGE_EVERY, PATIENCE = 0.02, 20  # seconds
BUSY = (429, 500, 502, 503, 504)

# job: what the kind's Job.told() says of it; body: what is left of the answer by its
# reduce(); began, ended: monotonic, the same clock in all processes of a machine.
Answer = collections.namedtuple("Answer", "job status body began ended")


def request(path, body, key):
    """The bytes of one POST."""
    text = json.dumps(body)
    return (f"POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\nIdempotency-Key: {key}\r\n\r\n{text}").encode()


class Load:
    """`clients` connections that send `count` jobs in all to the servers at `ports`; when it
    is enough, a third of them or what was begun. `issued` says how many it were.

    Ends by itself after `seconds` at the latest; what is left then is `unanswered`."""

    def __init__(self, kind, ports, clients, count, instances, seed, file, seconds=600):
        self.file, self.retries, self.unanswered, self.issued = pathlib.Path(file), 0, None, None
        self.command = [sys.executable, __file__, kind, ",".join(map(str, ports)), *map(
            str, (clients, count, instances, seed, seconds, file))]
        self.process = None

    def start(self):
        # Who is told before it listens goes on: nothing is lost but time.
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                        preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN))
        return self

    def is_alive(self):
        return self.process.poll() is None

    def enough(self):
        """What follows shows nothing new; see above."""
        if self.is_alive():
            self.process.send_signal(signal.SIGUSR1)

    def join(self):
        assert self.process.wait() == 0, "the load did not end well"
        with open(self.file, "rb") as file:
            file.seek(max(0, self.file.stat().st_size - 200))
            end = json.loads(file.read().splitlines()[-1])
        self.retries, self.unanswered, self.issued = end["retries"], end["unanswered"], end["issued"]

    def close(self):
        if self.process is not None and self.is_alive():
            self.process.kill()
            self.process.wait()

    def answers(self):
        """One after the other, as often as asked for."""
        with open(self.file, encoding="ascii") as file:
            for line in file:
                if line.startswith("["):
                    yield Answer(*json.loads(line))


class Connection:
    """One client: one request at a time, asked again elsewhere when the server goes."""

    def __init__(self, crowd, number):
        self.crowd, self.number = crowd, number
        self.socket, self.job, self.buffer, self.tries = None, None, b"", 0
        self.wake = self.sent_at = self.began = 0.0

    def send(self, now):
        """Takes a job if there is none and sends it; False when all are done."""
        if self.job is None:
            self.job = self.crowd.next_job()
            if self.job is None:
                return False
            self.began, self.tries = now, 0
            self.bytes = request(self.job.path, self.job.body, self.job.key)
        try:
            if self.socket is None:
                ports = self.crowd.ports
                self.socket = socket.create_connection(
                    ("127.0.0.1", ports[(self.number + self.tries) % len(ports)]), timeout=5)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.crowd.selector.register(self.socket, selectors.EVENT_READ, self)
            self.socket.sendall(self.bytes)
            self.sent_at = now
        except OSError:
            self.drop(now)
        return True

    def leave(self):
        if self.socket is not None:
            self.crowd.selector.unregister(self.socket)
            self.socket.close()
        self.socket, self.buffer = None, b""

    def drop(self, now):
        """The server is gone, or not itself, or not done: the same job again in a moment."""
        self.leave()
        self.tries += 1
        self.crowd.retries += 1
        self.wake = now + 0.05

    def read(self, now):
        try:
            piece = self.socket.recv(65536)
        except OSError:
            piece = b""
        if not piece:
            self.drop(now)
            return
        self.buffer += piece
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found or len(rest) < content_length(head):
            return
        status, self.buffer = int(head.split(b" ", 2)[1]), b""
        body = json.loads(rest) if status not in BUSY else None
        if body is None or body.get("status") == "running":
            self.drop(now)
            return
        self.crowd.answered(self.job, status, body, self.began)
        self.job = None
        if not self.send(now):
            self.leave()


def content_length(head):
    at = head.lower().index(b"content-length:") + len(b"content-length:")
    return int(head[at:].split(b"\r\n", 1)[0])


class Crowd:
    """All clients of one process."""

    def __init__(self, kind, ports, clients, count, instances, seed, seconds, file):
        self.kind, self.ports, self.count, self.instances = kind, ports, count, instances
        self.rng, self.seed, self.file = random.Random(seed), seed, file
        self.selector = selectors.DefaultSelector()
        self.connections = [Connection(self, n) for n in range(clients)]
        self.issued = self.done = self.retries = 0
        self.began = self.told_at = time.monotonic()
        self.deadline = self.began + seconds

    def enough(self, *_):
        self.count = max(self.issued, self.count // 3)

    def next_job(self):
        if self.issued >= self.count:
            return None
        self.issued += 1
        return self.kind.Job(f"k{self.seed}-{self.issued}", self.rng, self.instances)

    def answered(self, job, status, body, began):
        self.done += 1
        self.file.write(json.dumps([job.told(), status, job.reduce(status, body), began,
                                    time.monotonic()]) + "\n")

    def tell(self, now):
        if now - self.told_at > TELL_EVERY:
            self.told_at = now
            print(f"  load {self.seed}: {self.done} of {self.count}, "
                  f"{self.done / (now - self.began):.0f}/s, {self.retries} retries",
                  file=sys.stderr, flush=True)

    def nudge(self, now):
        """Those who were put off, and those who have waited too long; how many are left."""
        busy = [c for c in self.connections if c.job is not None]
        for c in busy:
            if c.socket is None and now >= c.wake:
                c.send(now)
            elif c.socket is not None and now - c.sent_at > PATIENCE:
                c.drop(now)
        return len(busy)

    def run(self, tells):
        busy, nudged = sum(c.send(time.monotonic()) for c in self.connections), 0.0
        while busy and nudged < self.deadline:
            for key, _ in self.selector.select(NUDGE_EVERY):
                key.data.read(time.monotonic())
            now = time.monotonic()
            if now - nudged > NUDGE_EVERY:
                busy, nudged = self.nudge(now), now
                if tells:
                    self.tell(now)
        self.file.write(json.dumps({"retries": self.retries, "unanswered": busy, "issued": self.issued}) + "\n")


def main():
    kind, ports, clients, count, instances, seed, seconds, path = sys.argv[1:]
    with open(path, "w", encoding="ascii") as file:
        crowd = Crowd(importlib.import_module(kind), [int(p) for p in ports.split(",")], int(clients),
                      int(count), int(instances), int(seed), float(seconds), file)
        signal.signal(signal.SIGUSR1, crowd.enough)
        crowd.run(bool(os.environ.get("MOTET_SOAK")))


if __name__ == "__main__":
    main()
