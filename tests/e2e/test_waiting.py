"""Who waits for what: a server whose answers from the store, clocks and evaluations are late."""
import os
import pathlib
import socket
import sqlite3
import threading
import time

from harness import SANITIZED, Case, main, wall_clock
from postgres import Postgres
from serve import Server

OFFICE = """persona clerk
fact fine { type: Bool source: "desk" default: true }
entity Doc { states: [draft, done] initial: draft transitions: [(draft, done)] }
rule ok { stratum: 0 when: fine = true produce: ok(true) }
operation finish { allowed_personas: [clerk] precondition: ok present effects: [(Doc, draft, done)] outcomes: [done] }
"""


SHOP = {
    "till.tenor": """persona clerk
entity Order { states: [open, paid, sent] initial: open transitions: [(open, paid), (paid, sent)] }
fact fine { type: Bool source: "till" default: true }
rule ok { stratum: 0 when: fine = true produce: ok(true) }
operation pay { allowed_personas: [clerk] precondition: ok present effects: [(Order, open, paid)] outcomes: [done] }
flow sell { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: pay persona: clerk outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
""",
    "store.tenor": """persona clerk
source books { protocol: database dialect: sqlite }
entity Order { states: [open, paid, sent] initial: open transitions: [(open, paid), (paid, sent)] }
fact stock { type: Int(min: 0, max: 1000) source: books { path: "stock.items" } }
rule some { stratum: 0 when: stock > 0 produce: some(true) }
operation send { allowed_personas: [clerk] precondition: some present effects: [(Order, paid, sent)] outcomes: [done] }
flow ship { snapshot: at_initiation entry: a steps: {
  a: OperationStep { op: send persona: clerk outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) }
} }
""",
    "shop.tenor": """system shop {
  members: [till: "till.tenor", store: "store.tenor"]
  shared_personas: [{ persona: clerk, contracts: [till, store] }]
  shared_entities: [{ entity: Order, contracts: [till, store] }]
  triggers: [{ source: till.sell, on: success, target: store.ship, persona: clerk }]
}
""",
    "serve.yaml": """files: [shop.tenor]
sources:
  books: {file: books.db, facts: {stock: {query: "select items from stock"}}}
executor: {trigger_attempts: 60, trigger_pause_ms: 100}
""",
}


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
            reads, writes = data.rfind(b"begin_read"), data.rfind(b"begin_write")
            if reads != writes:  # by the names of the prepared statements
                state["reading"] = reads > writes
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

    def test_a_server_with_nothing_to_do_sleeps(self):
        """Its threads wait for work or for a moment; one that looks without a pause takes most of a processor."""
        contract = self.write("office.tenor", OFFICE)
        with Postgres() as store:
            for name, url in (("sqlite", "sqlite:serve.db"), ("postgres", store.url())):
                with self.subTest(name), Server(self.dir, contract, store=url) as server:
                    self.assertEqual(server.post("/v1/contracts/office/instances/Doc", {"id": "d1"}).status, 201)
                    time.sleep(0.5)  # what there was to do is done
                    begun = self.seconds_worked(server)
                    time.sleep(2)
                    self.assertLess(self.seconds_worked(server) - begun, 0.15)

    @staticmethod
    def seconds_worked(server):
        words = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def test_FH2_a_clock_that_is_set_back_holds_up_no_retry(self):
        if SANITIZED:
            self.skipTest("a preloaded clock and a sanitizer do not go together")
        for name, text in SHOP.items():
            self.write(name, text)
        sqlite3.connect(self.dir / "books.db").close()
        clock = self.write("clock", "+0")
        with Server(self.dir, options=("--config", "serve.yaml"),
                    env=wall_clock(clock)) as server:
            order = "/v1/contracts/till/instances/Order"
            self.assertEqual(server.post(order, {"id": "o1"}).status, 201)
            answer = server.post("/v1/contracts/till/flows/sell",
                                 {"persona": "clerk", "bindings": {"Order": "o1"}})
            self.assertEqual(answer.json["outcome"], "success", answer)
            self.assertTrue(server.wait_until(lambda: self.attempts(server) > 1, 20),
                            "the trigger is tried again while its source fails")
            clock.write_text("-2h")
            with sqlite3.connect(self.dir / "books.db") as books:
                books.execute("create table stock (items integer)")
                books.execute("insert into stock values (3)")
            books.close()
            self.assertTrue(server.wait_until(
                lambda: server.get(f"{order}/o1").json["state"] == "sent", 20),
                f"the retry waits for the clock to come back: {server.get('/v1/systems/shop/triggers').json}")

    @staticmethod
    def attempts(server):
        return max((row["attempts"] for row in server.get("/v1/systems/shop/triggers").json["items"]), default=0)


if __name__ == "__main__":
    main()
