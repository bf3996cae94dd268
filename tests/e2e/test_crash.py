"""The service killed again and again under load: what was acknowledged is there, what
is there was done whole, and every request was done once. Then several nodes on one
database, killed in turn meanwhile: one serial order explains every answer, and every end
of a flow triggers what it must once.

MOTET_SOAK=1: several hundred kills on each backend, a million operations on three nodes;
MOTET_SOAK_SCALE=0.1: a tenth of that.
"""
import concurrent.futures
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time
import unittest
from datetime import datetime

import post_office
import turnstile
from fleet import Node
from harness import SANITIZED, SEED, SOAK, Case, main, wall_clock
from load import Answer, Load
from postgres import Postgres
from serial_order import Replay

INSTANCES = 12
os.environ["MOTET_TEST_RECEIPTS"] = "0.2"  # of what clients ask for is asked with a receipt


SCALE = float(os.environ.get("MOTET_SOAK_SCALE") or 1)  # of the long forms: 0.1 is a tenth


def setting(short, soak, sanitized):
    """How many; a sanitizer makes everything slower, so its long form is the short one."""
    if SANITIZED:
        return short if SOAK else sanitized
    return max(1, round(soak * SCALE)) if SOAK else short


def tell(text):
    """Where a long run is."""
    if SOAK:
        print(f"  {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def wait_until(test, seconds):
    deadline = time.monotonic() + seconds
    while not test() and time.monotonic() < deadline:
        time.sleep(0.05)


def chained(node):
    """No record waits for its place: the newest has one."""
    page = node.get("/v1/ledger?pending=true&order=desc&limit=1")[1]
    return page["items"][0].get("seq") is not None


class Service(Case):
    def serve(self, store, file, nodes, environment=None, options=()):
        self.store, self.nodes = store, []
        self.holds("keygen", "--prefix", "node")
        options = ["--signing-key", self.dir / "node.secret", "--checkpoint-every", "100",
                   *options]
        for n in range(nodes):
            node = Node(self.dir, store, [file], options, f"node{n}", environment)
            self.addCleanup(node.close)
            self.nodes.append(node.start())
        return self.nodes[0]

    def create(self, contract, entity, letter):
        for n in range(INSTANCES):
            answer = self.nodes[0].post(f"/v1/contracts/{contract}/instances/{entity}",
                                        {"id": f"{letter}{n}"})
            self.assertEqual(answer[0], 201, answer)

    def begin(self, store, nodes=1, environment=None, options=()):
        contract = self.write("turnstile.tenor", turnstile.CONTRACT)
        self.serve(store, contract, nodes, environment, options)
        self.create("turnstile", "Gate", "g")
        self.create("turnstile", "Seal", "s")
        return self.nodes[0]

    def load(self, clients, count, seed, seconds=900, kind="turnstile"):
        run = Load(kind, [n.port for n in self.nodes], clients, count, INSTANCES, seed,
                   self.dir / f"answers-{seed}", seconds)
        self.addCleanup(run.close)
        return run.start()

    def finish(self, loads, count):
        """What all clients were answered, to be gone through once."""
        for run in loads:
            run.join()
            self.assertEqual(run.unanswered, 0, "clients that were never answered")
        self.assertEqual(sum(1 for run in loads for _ in run.answers()), count)
        tell(f"all {count} requests are answered")
        return itertools.chain.from_iterable(run.answers() for run in loads)

    def verify_ledger(self):
        """Every record, and every checkpoint by our key."""
        result = self.holds("ledger", "verify", "--store", self.store, "--key", "node.pub",
                            timeout=600)
        self.assertIn("record", result.out)

    def verify_promises(self, node, promises):
        """Offline by the key alone; and completed as they were given: in the long form all."""
        self.assertGreater(len(promises), 0)
        self.write("promises.jsonl", "".join(json.dumps(p) + "\n" for p in promises))
        self.holds("receipt", "verify", "promises.jsonl", "--key", "node.pub", timeout=600)
        node.start()
        tried = len(promises) if SOAK else min(len(promises), 100)

        def complete(promise):
            status, receipt = node.get(f"/v1/ledger/{promise['promise']['record']}/receipt")
            self.assertEqual(status, 200, receipt)
            self.assertEqual({k: receipt[k] for k in promise}, promise)
            return receipt
        with concurrent.futures.ThreadPoolExecutor(8) as many:  # one waits for another's answer
            whole = list(many.map(complete, random.Random(SEED).sample(promises, tried)))
        tell(f"{tried} promises are completed")
        self.assertEqual(node.stop(), 0)
        self.write("whole.jsonl", "".join(json.dumps(r) + "\n" for r in whole))
        said = self.holds("receipt", "verify", "whole.jsonl", "--key", "node.pub", "--complete",
                          timeout=600).out
        self.assertIn(f"{tried} complete, 0 promises", said)

    def look(self, node, contract="turnstile", entities=("Gate", "Seal")):
        """What the service says of itself, once all records are chained."""
        wait_until(lambda: chained(node), 600 if SOAK else 60)
        tell("all records are chained; reading them")
        instances = {(i["entity"], i["id"]): (i["state"], i["version"])
                     for e in entities
                     for i in node.each(f"/v1/contracts/{contract}/instances/{e}")}
        return node.each("/v1/ledger?pending=true"), instances

    def flows_settled(self, node):
        """After a restart every flow is finished or can be resumed; here nobody waits."""
        wait_until(lambda: not node.pages("/v1/flows?status=running"), 30)
        self.assertEqual(node.pages("/v1/flows?status=running"), [])
        self.assertEqual(node.pages("/v1/flows?status=waiting"), [])

    def small_disk(self):
        disk = self.dir / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk],
                                 check=False, capture_output=True).returncode == 0
        if not mounted:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk

    def kill_meanwhile(self, loads, kills):
        """Now this node, now that, until the load is over; returns how many."""
        rng, killed = random.Random(SEED), 0
        while any(run.is_alive() for run in loads) and killed < kills:
            time.sleep(rng.uniform(0.2, 1.0) * (5 if SOAK else 1))
            node = self.nodes[rng.randrange(len(self.nodes))]
            if killed % 3 == 2:  # one that says goodbye
                self.assertEqual(node.stop(), 0)
            else:
                node.kill()
            killed += 1
            time.sleep(rng.uniform(0.0, 0.3))
            node.start()
        return killed

    def stop_all(self):
        for node in self.nodes:
            self.assertEqual(node.stop(), 0)
        self.verify_ledger()

    def kill_under_load(self, store, kills, count, clients, pace=1):
        """`pace`: how much longer than usual it lives, so that the kills last as long as the load."""
        node = self.begin(store)
        rng = random.Random(SEED)
        run = self.load(clients, count, SEED)
        killed = 0
        while run.is_alive() and killed < kills:
            time.sleep(rng.uniform(0.0, 0.25) * pace)
            node.kill()
            killed += 1
            if killed % 10 == 0:
                self.verify_ledger()
            if killed % 5 == 0:  # and again, while it still finds its feet
                node.launch()
                time.sleep(rng.uniform(0.0, 0.1))
                node.kill()
            if killed % 50 == 0:
                tell(f"{killed} kills")
            node.start()
        under_load = killed
        if not SOAK:  # what is asked after the last kill shows nothing more
            run.enough()
            run.join()
            self.assertGreaterEqual(run.issued, count // 3)
            count = run.issued
        answers = self.finish([run], count)
        while killed < kills:  # the load was done before: the rest without it
            node.kill()
            node.start()
            killed += 1
        self.flows_settled(node)
        promises = []
        done, refused = turnstile.check(answers, *self.look(node), promises=promises)
        self.assertEqual(node.stop(), 0)
        self.verify_ledger()
        self.verify_promises(node, promises)
        print(f"  {killed} kills, {under_load} of them under load, {count} requests, {done} operations, {refused} refusals, "
              f"{run.retries} retries", flush=True)


class Crash(Service):
    def test_sqlite_survives_kills_under_load(self):
        self.kill_under_load(f"sqlite:{self.dir}/store.db", setting(25, 300, 4),
                             setting(30000, 300000, 1500), 16)

    def test_postgresql_survives_kills_under_load(self):
        with Postgres() as server:
            self.kill_under_load(server.url(), setting(15, 200, 3),
                                 setting(20000, 200000, 1000), 16, pace=3 if SOAK else 1)

    def test_a_database_that_goes_and_comes_back(self):
        with Postgres() as server:
            node = self.begin(server.url(), nodes=2)
            count = setting(3000, 30000, 500)
            run = self.load(8, count, SEED + 1)
            for _ in range(setting(2, 10, 1)):
                time.sleep(0.3)
                server.stop()
                time.sleep(0.3)
                status, _ = node.get("/readyz")
                self.assertEqual(status, 503)
                self.assertEqual(node.get("/healthz")[0], 200)
                server.start()
            answers = self.finish([run], count)
            self.flows_settled(node)
            turnstile.check(answers, *self.look(node))

    def test_a_node_is_ready_again_when_its_database_is(self):
        """Also if nobody asks it for anything, because it was not ready."""
        with Postgres() as server:
            node = self.begin(server.url())
            server.stop()
            job = turnstile.Job("gone", random.Random(SEED), INSTANCES)
            self.assertEqual(node.post(f"/v1/{job.path}", job.body, job.key)[0], 503)
            self.assertEqual(node.get("/readyz")[0], 503)
            server.start()
            wait_until(lambda: node.get("/readyz")[0] == 200, 30)
            self.assertEqual(node.get("/readyz")[0], 200)

    def test_two_servers_on_one_file_the_second_is_refused(self):
        self.begin(f"sqlite:{self.dir}/store.db")
        result = self.run_motet("serve", "--store", f"sqlite:{self.dir}/store.db", "--listen",
                                "127.0.0.1:0")
        self.assertEqual(result.code, 3, repr(result))
        self.assertIn("another", result.err)

    def test_a_file_that_cannot_be_written_is_refused_with_its_name(self):
        node = self.begin(f"sqlite:{self.dir}/store.db")
        self.assertEqual(node.stop(), 0)
        held = subprocess.run(["chattr", "+i", self.dir / "store.db"], check=False,
                              capture_output=True)
        if held.returncode:
            self.skipTest("no right to make a file immutable")
        try:
            result = self.run_motet("serve", "--store", f"sqlite:{self.dir}/store.db",
                                    "--listen", "127.0.0.1:0", timeout=30)
        finally:
            subprocess.run(["chattr", "-i", self.dir / "store.db"], check=True)
        self.assertEqual(result.code, 3, repr(result))
        self.assertIn("store.db", result.err)
        self.assertEqual(node.start().stop(), 0)

    def test_a_full_disk_refuses_writes_and_loses_nothing(self):
        disk = self.small_disk()
        node = self.begin(f"sqlite:{disk}/store.db")
        answers, refused = [], 0
        for n in range(20000):
            job = turnstile.Job(f"full-{n}", random.Random(n), INSTANCES)
            job.body["receipt"] = n % 2 == 0
            began = time.monotonic()
            status, body = node.post(f"/v1/{job.path}", job.body, job.key)
            if status >= 500:
                refused += 1
                if refused == 3:
                    break
            else:
                answers.append(Answer(job.told(), status, job.reduce(status, body), began,
                                      time.monotonic()))
        self.assertEqual(refused, 3, "the disk never got full")
        node.kill()
        shutil.copytree(disk, self.dir / "copy")
        self.store = f"sqlite:{self.dir}/copy/store.db"
        again = Node(self.dir, self.store, name="again")
        self.addCleanup(again.close)
        again.start()
        promises = []
        turnstile.check(answers, *self.look(again), promises=promises)
        again.stop()
        self.verify_ledger()
        self.assertGreater(len(promises), 0)
        self.write("promises.jsonl", "".join(json.dumps(p) + "\n" for p in promises))
        self.holds("receipt", "verify", "promises.jsonl", "--key", "node.pub")

    def test_a_clock_that_jumps_back_changes_no_order(self):
        if SANITIZED:
            self.skipTest("a preloaded clock and a sanitizer do not go together")
        clock = self.write("clock", "+0")
        node = self.begin(f"sqlite:{self.dir}/store.db", environment=wall_clock(clock))
        for step, offset in enumerate(("+0", "-1h", "+2h", "-3d", "+0")):
            clock.write_text(offset)
            for n in range(20):
                status, body = node.post("/v1/contracts/turnstile/instances/Gate",
                                         {"id": f"c{step}-{n}"})
                self.assertEqual(status, 201, body)
        items = node.pages("/v1/ledger")
        times = [datetime.fromisoformat(i["body"]["time"]) for i in items]
        self.assertEqual(times, sorted(times))
        Replay(items, turnstile.EFFECTS)
        made = [i for i in items if i["body"]["kind"] == "instance_created"]
        self.assertEqual(len(made), 2 * INSTANCES + 100)
        self.assertEqual(node.stop(), 0)
        self.verify_ledger()


class Nodes(Service):
    def test_one_request_at_two_nodes_at_once_is_done_once_and_answered_alike(self):
        """As when a client hears nothing for a while and asks somewhere else."""
        with Postgres() as server:
            self.begin(server.url(), nodes=2)
            rng, answers = random.Random(SEED), []
            with concurrent.futures.ThreadPoolExecutor(2) as both:
                for n in range(setting(150, 3000, 60)):
                    job = turnstile.Job(f"twin-{n}", rng, 1)
                    began = time.monotonic()
                    twins = list(both.map(lambda node, job=job: node.post(
                        f"/v1/{job.path}", job.body, job.key), self.nodes))
                    self.assertEqual(*twins)
                    answers.append(Answer(job.told(), twins[0][0], job.reduce(*twins[0]), began,
                                          time.monotonic()))
            turnstile.check(answers, *self.look(self.nodes[0]))

    def test_three_nodes_one_database_one_order(self):
        with Postgres() as server:
            self.begin(server.url(), nodes=3)
            count = setting(12000, 1000000, 900)
            loads = [self.load(32, count // 2, SEED * 100 + n, seconds=3000)
                     for n in range(2)]
            kills = self.kill_meanwhile(loads, setting(4, 100, 1))
            answers = self.finish(loads, count // 2 * 2)
            self.flows_settled(self.nodes[0])
            promises = []
            done, refused = turnstile.check(answers, *self.look(self.nodes[0]), promises=promises)
            self.stop_all()
            self.verify_promises(self.nodes[0], promises)
            print(f"  {kills} kills, {count} requests, {done} operations, {refused} refusals",
                  flush=True)

    def test_flows_that_take_several_turns_are_finished_by_whoever_lives(self):
        """One step per transaction: a kill leaves flows between two steps."""
        config = self.write("motet.yaml", "executor: {flow_turn: 1}\n")
        with Postgres() as server:
            self.begin(server.url(), nodes=3, options=["--config", config])
            count = setting(2000, 100000, 300)
            loads = [self.load(16, count // 2, SEED * 100 + n, seconds=3000)
                     for n in range(2)]
            kills = self.kill_meanwhile(loads, setting(2, 60, 1))
            answers = self.finish(loads, count // 2 * 2)
            self.flows_settled(self.nodes[0])
            promises = []
            done, refused = turnstile.check(answers, *self.look(self.nodes[0]),
                                            one_turn=False, promises=promises)
            self.stop_all()
            self.verify_promises(self.nodes[0], promises)
            print(f"  {kills} kills, {count} requests, {done} operations, {refused} refusals",
                  flush=True)


class Triggers(Service):
    def triggers(self, status):
        return sum(1 for _ in self.nodes[0].each(
            f"/v1/systems/post_office/triggers?status={status}"))

    def begin_post_office(self, store, nodes):
        for name, text in post_office.FILES.items():
            self.write(name, text)
        self.serve(store, self.dir / "post_office.tenor", nodes)
        self.create("desk", "Parcel", "p")
        return self.nodes[0]

    def check_triggers(self, answers, kills):
        wait_until(lambda: not self.triggers("pending"), 600 if SOAK else 60)
        tell("all triggers are settled")
        self.flows_settled(self.nodes[0])
        found = self.look(self.nodes[0], "desk", ["Parcel"])
        listed = {s: self.triggers(s) for s in ("done", "failed", "pending")}
        done, failed = post_office.check(answers, *found, listed)
        self.stop_all()
        print(f"  {kills} kills, {done} triggers delivered, {failed} failed", flush=True)

    def trigger_under_kills(self, store, nodes, count):
        self.begin_post_office(store, nodes)
        loads = [self.load(8, count // 2, SEED * 100 + n, seconds=3000, kind="post_office")
                 for n in range(2)]
        kills = self.kill_meanwhile(loads, setting(2, 60, 1))
        self.check_triggers(self.finish(loads, count // 2 * 2), kills)

    def test_E_SYS_01_every_end_triggers_once_whoever_dies(self):
        with Postgres() as server:
            self.trigger_under_kills(server.url(), 3, setting(600, 50000, 100))

    def test_E_SYS_01_every_end_triggers_once_on_one_file(self):
        self.trigger_under_kills(f"sqlite:{self.dir}/store.db", 1, setting(1500, 50000, 100))

    def fill(self, number):
        """Flows one after the other until there is no room; the answers."""
        answers, rng = [], random.Random(number)
        for n in itertools.count():
            job = post_office.Job(f"full-{number}-{n}", rng, INSTANCES)
            began = time.monotonic()
            status, body = self.nodes[0].post(f"/v1/{job.path}", job.body, job.key)
            if status >= 500:
                return answers
            answers.append(Answer(job.told(), status, job.reduce(status, body), began,
                                  time.monotonic()))

    def test_a_full_disk_keeps_triggers_until_there_is_room(self):
        disk = self.small_disk()
        node = self.begin_post_office(f"sqlite:{disk}/store.db", 1)
        with concurrent.futures.ThreadPoolExecutor(4) as clients:
            answers = [a for filled in clients.map(self.fill, range(4)) for a in filled]
        pending, told = self.triggers("pending"), len(node.log(None))
        time.sleep(1)  # it is tried again in the meantime, but not all the time
        self.assertLess(len(node.log(None)) - told, 10000)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.check_triggers(answers, 0)
        print(f"  {pending} triggers had no room at first", flush=True)


if __name__ == "__main__":
    unittest.TestLoader.sortTestMethodsUsing = None
    main()
