"""Who waits for what: a server whose answers from the store, clocks and evaluations are late."""
import os
import socket
import threading

from harness import Case, main
from postgres import Postgres
from serve import Server

OFFICE = """persona clerk
fact fine { type: Bool source: "desk" default: true }
entity Doc { states: [draft, done] initial: draft transitions: [(draft, done)] }
rule ok { stratum: 0 when: fine = true produce: ok(true) }
operation finish { allowed_personas: [clerk] precondition: ok present effects: [(Doc, draft, done)] outcomes: [done] }
"""


class SlowReader:
    """Between a server and its PostgreSQL. Once armed, it keeps back the answers to the
    connection that next asks, in a transaction that reads, for the stamp of the contracts: its
    snapshot is taken, and then grows old."""

    def __init__(self, directory, socket_path):
        self.directory = str(directory)
        self.behind = socket_path
        self.armed = False
        self.held = threading.Event()
        self.go_on = threading.Event()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.directory, ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                front, _ = self.listener.accept()
            except OSError:
                return
            back = socket.socket(socket.AF_UNIX)
            back.connect(self.behind)
            state = {"reading": False, "waits": None}
            threading.Thread(target=self.ask, args=(front, back, state), daemon=True).start()
            threading.Thread(target=self.answer, args=(front, back, state), daemon=True).start()

    def ask(self, front, back, state):
        while data := self.take(front):
            if b"BEGIN ISOLATION" in data:
                state["reading"] = b"REPEATABLE READ READ ONLY" in data
            with self.lock:
                first = state["reading"] and b"contract.current" in data
                state["reading"] = state["reading"] and not first
                if self.armed and first:
                    self.armed = False
                    state["waits"] = self.go_on
            back.sendall(data)
        self.drop(front, back)

    def answer(self, front, back, state):
        while data := self.take(back):
            waits, state["waits"] = state["waits"], None
            if waits:
                self.held.set()
                waits.wait(60)
            try:
                front.sendall(data)
            except OSError:
                break
        self.drop(front, back)

    @staticmethod
    def take(side):
        try:
            return side.recv(1 << 16)
        except OSError:
            return b""

    @staticmethod
    def drop(*sides):
        for side in sides:
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            side.close()

    def hold_next(self):
        """Until the next such reader is held; who was held before goes on first."""
        before, self.held, self.go_on = self.go_on, threading.Event(), threading.Event()
        with self.lock:
            self.armed = True
        before.set()
        return self.held.wait(30)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Waiting(Case):
    def test_FH3_who_deploys_alone_never_meets_a_version_that_is_gone(self):
        with Postgres() as store:
            proxy = SlowReader(self.dir, os.path.join(store.directory, ".s.PGSQL.5432"))
            url = f"postgresql://motet@/postgres?host={self.dir}&port=5432&sslmode=disable"
            try:
                with Server(self.dir, self.write("office.tenor", OFFICE), store=url) as server:
                    try:
                        self.deploy_with_an_old_reader(server, proxy)
                    finally:
                        proxy.go_on.set()
            finally:
                proxy.close()

    def deploy_with_an_old_reader(self, server, proxy):
        documents = "/v1/contracts/office/instances/Doc"
        self.assertEqual(server.post(documents, {"id": "d1"}).status, 201)
        self.assertTrue(proxy.hold_next(), "nobody looked for what others deployed")
        newer = OFFICE.replace("fine = true", "not fine = false")
        answer = server.post("/v1/contracts", {"contract": "office", "source": newer,
                                               "policy": "blue_green"})
        self.assertEqual(answer.status, 200, answer)
        etag = answer.json["etag"]
        self.assertEqual(server.post(documents, {"id": "d2"}).status, 201)
        self.assertTrue(proxy.hold_next(), "nobody looked for what others deployed")
        # The reader that looked before the deployment has come to its end by now.
        answer = server.post(documents, {"id": "d3"})
        self.assertEqual(answer.status, 201, f"nobody else deployed: {answer}")
        answer = server.get("/v1/contracts/office")
        self.assertEqual(answer.json["etag"], etag)


if __name__ == "__main__":
    main()
