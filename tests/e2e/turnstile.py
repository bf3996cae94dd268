"""Load on a running service, and an independent check of what it answered.

The contract has two entities that one operation moves together, so a half-applied
operation would show. Clients send operations and flows on a few shared instances, each
with its own Idempotency-Key, and ask again with the same key until they are answered,
however often the server dies meanwhile. The checker knows nothing of the server but its
ledger and its answers: it replays the ledger in order and explains every answer by it.
"""
import json
import random
import selectors
import socket
import threading
import time

CONTRACT = """\
persona clerk
persona guard

fact amount {
  type:    Int(min: 0, max: 1000)
  source:  "desk.amount"
  default: 1
}

entity Gate {
  states:      [open, shut]
  initial:     open
  transitions: [(open, shut), (shut, open)]
}

entity Seal {
  states:      [off, on]
  initial:     off
  transitions: [(off, on), (on, off)]
}

rule small_amount {
  stratum: 0
  when:    amount <= 500
  produce: verdict small { payload: Bool = true }
}

operation shut_gate {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, open, shut)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation open_gate {
  allowed_personas: [clerk, guard]
  precondition:     verdict_present(small)
  effects:          [(Gate, shut, open)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation seal {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, open, shut), (Seal, off, on)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

operation unseal {
  allowed_personas: [clerk]
  precondition:     verdict_present(small)
  effects:          [(Gate, shut, open), (Seal, on, off)]
  error_contract:   [precondition_failed, persona_rejected, invalid_source_state]
}

flow there_and_back {
  snapshot: at_initiation
  entry:    go
  steps: {
    go: OperationStep {
      op:       shut_gate
      persona:  clerk
      outcomes: { success: back }
      on_failure: Terminate(outcome: failure)
    }
    back: OperationStep {
      op:       open_gate
      persona:  clerk
      outcomes: { success: Terminal(success) }
      on_failure: Terminate(outcome: failure)
    }
  }
}
"""

EFFECTS = {
    "shut_gate": {"Gate": ("open", "shut")},
    "open_gate": {"Gate": ("shut", "open")},
    "seal": {"Gate": ("open", "shut"), "Seal": ("off", "on")},
    "unseal": {"Gate": ("shut", "open"), "Seal": ("on", "off")},
}


class Job:
    """One request that is asked until it is answered."""

    __slots__ = ("key", "name", "flow", "gate", "seal", "allowed", "bytes", "began")

    def __init__(self, key, rng, instances, authority):
        self.key = key
        self.flow = rng.random() < 0.1
        self.name = "there_and_back" if self.flow else rng.choice(tuple(EFFECTS))
        self.gate, self.seal = f"g{rng.randrange(instances)}", f"s{rng.randrange(instances)}"
        self.allowed = rng.random() < 0.95
        body = {"persona": "clerk", "facts": {"amount": 5 if self.allowed else 900},
                "bindings": {"Gate": self.gate, "Seal": self.seal}}
        if "Seal" not in EFFECTS.get(self.name, {}):
            del body["bindings"]["Seal"]
        self.bytes = post(f"contracts/turnstile/{'flows' if self.flow else 'operations'}"
                          f"/{self.name}", body, authority, key)


def post(path, body, authority=None, key=None):
    """The bytes of one request."""
    text = json.dumps(body).encode()
    lines = [f"POST /v1/{path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
             f"Content-Length: {len(text)}"]
    if authority:
        lines.append(f"Authorization: Bearer {authority}")
    if key:
        lines.append(f"Idempotency-Key: {key}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + text


class Connection:
    """One client: one request at a time, asked again elsewhere when the server goes."""

    def __init__(self, load, number):
        self.load, self.number = load, number
        self.socket, self.job, self.buffer, self.tries = None, None, b"", 0
        self.wake, self.sent_at = 0.0, 0.0

    def send(self, now):
        """Takes a job if there is none and sends it; False when all are done."""
        if self.job is None:
            self.job = self.load.next_job()
            if self.job is None:
                return False
            self.job.began, self.tries = now, 0
        try:
            if self.socket is None:
                ports = self.load.ports
                self.socket = socket.create_connection(
                    ("127.0.0.1", ports[(self.number + self.tries) % len(ports)]), timeout=5)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.load.selector.register(self.socket, selectors.EVENT_READ, self)
            self.socket.sendall(self.job.bytes)
            self.sent_at = now
        except OSError:
            self.drop(now)
        return True

    def drop(self, now):
        """The server is gone or not itself: the same job again in a moment."""
        if self.socket is not None:
            self.load.selector.unregister(self.socket)
            self.socket.close()
        self.socket, self.buffer = None, b""
        self.tries += 1
        self.load.retries += 1
        self.wake = now + 0.05

    def read(self, now):
        try:
            piece = self.socket.recv(65536)
        except OSError:
            piece = b""
        if not piece:
            return self.drop(now)
        self.buffer += piece
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:"))
        if len(rest) < length:
            return None
        status, self.buffer = int(head.split(b" ", 2)[1]), b""
        if status in (429, 500, 502, 503, 504):
            return self.drop(now)
        self.load.answered(self, status, json.loads(rest))
        self.job = None
        if not self.send(now):
            self.load.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None
        return None


class Load(threading.Thread):
    """`clients` connections that send `count` jobs in all to the servers at `ports`.

    answers: (job, status, body, began, ended) in the order in which they came. Stops by
    itself after `seconds` at the latest; `unanswered` is then what is left."""

    def __init__(self, ports, clients, count, instances, seed, authority=None, seconds=600):
        super().__init__(daemon=True)
        self.ports, self.count, self.instances = list(ports), count, instances
        self.rng, self.authority = random.Random(seed), authority
        self.selector = selectors.DefaultSelector()
        self.connections = [Connection(self, n) for n in range(clients)]
        self.answers, self.issued, self.retries, self.unanswered = [], 0, 0, 0
        self.deadline, self.seed = time.monotonic() + seconds, seed

    def next_job(self):
        if self.issued >= self.count:
            return None
        self.issued += 1
        return Job(f"k{self.seed}-{self.issued}", self.rng, self.instances, self.authority)

    def answered(self, connection, status, body):
        job = connection.job
        self.answers.append((job, status, body, job.began, time.monotonic()))

    def run(self):
        busy = [c for c in self.connections if c.send(time.monotonic())]
        while busy and time.monotonic() < self.deadline:
            for key, _ in self.selector.select(0.05):
                key.data.read(time.monotonic())
            now = time.monotonic()
            for c in busy:
                if c.job is not None and c.socket is None and now >= c.wake:
                    c.send(now)
                elif c.job is not None and c.socket is not None and now - c.sent_at > 20:
                    c.drop(now)
            busy = [c for c in busy if c.job is not None]
        self.unanswered = len(busy)


class Replay:
    """The ledger's records in order, and what must be true of them by themselves."""

    def __init__(self, items):
        """`items` as the service lists them: {"id","seq","body"} in order of seq."""
        self.states, self.history = {}, {}
        self.operations = {}  # record id: (operation, {key: version after})
        self.of_flow = {}     # execution: [record ids of its operations]
        self.ended = {}       # execution: outcome
        for seq, item in enumerate(items):
            assert item["seq"] == seq, f"record {item['seq']} where {seq} is due"
            body = item["body"]
            getattr(self, "on_" + body["kind"], self.ignore)(item["id"], body)

    def ignore(self, number, body):
        pass

    def on_instance_created(self, number, body):
        key = (body["entity"], body["instance"])
        assert key not in self.states, f"record {number}: {key} is made twice"
        self.move(key, body["state"])

    def on_operation(self, number, body):
        told = body["provenance"]
        before, after = flat(told["state_before"]), flat(told["state_after"])
        wanted = EFFECTS[told["op"]]
        assert {k[0]: (before[k], after[k]) for k in after} == wanted, \
            f"record {number}: {told['op']} did {before} -> {after}"
        for key, state in before.items():
            assert self.states[key] == state, \
                f"record {number}: {key} was {self.states[key]}, not {state}"
            self.move(key, after[key])
        self.operations[number] = (told["op"],
                                   {k: len(self.history[k]) - 1 for k in after})
        if "execution" in body:
            self.of_flow.setdefault(body["execution"], []).append(number)

    def on_flow_ended(self, number, body):
        assert body["execution"] not in self.ended, f"record {number}: ended twice"
        self.ended[body["execution"]] = body["outcome"]

    def move(self, key, state):
        self.states[key] = state
        self.history.setdefault(key, []).append(state)


def flat(states):
    return {(e, i): s for e, of in states.items() for i, s in of.items()}


class Times:
    """Between which moments an instance got each of its versions."""

    def __init__(self):
        self.spans = {}

    def add(self, key, version, began, ended):
        self.spans.setdefault(key, {})[version] = (began, ended)

    def possible(self, key, history, began, ended):
        """The states it can have been in at some moment between began and ended."""
        spans = self.spans.get(key, {})
        never, always = (float("inf"),) * 2, (float("-inf"),) * 2
        for version, state in enumerate(history):
            came = spans.get(version, always)[0]
            left = spans.get(version + 1, never)[1]
            if came <= ended and left >= began:
                yield state


def check(answers, items, instances):
    """Every answer is explained by the ledger in its order, and nothing else is in it.

    `instances`: what the service says now, {(entity, id): state}. Returns how many
    operations and refusals were looked at."""
    replay = Replay(items)
    assert instances == replay.states, "the states are not those of the ledger"
    times, seen, refusals = Times(), {}, []
    for job, status, body, began, ended in answers:
        if status == 200 and not job.flow:
            note_operation(replay, times, seen, job, body, began, ended)
        elif status == 200:
            note_flow(replay, times, seen, job, body, began, ended)
        else:
            refusals.append((job, status, body, began, ended))
    unclaimed = set(replay.operations) - set(seen)
    assert not unclaimed, f"nobody was told of the records {sorted(unclaimed)[:5]}"
    for job, status, body, began, ended in refusals:
        check_refusal(replay, times, job, status, body, began, ended)
    return len(seen), len(refusals)


def claim(seen, record, job):
    assert record not in seen, f"{job.key} and {seen.get(record)} have one record {record}"
    seen[record] = job.key


def note_operation(replay, times, seen, job, body, began, ended):
    record = body["record"]
    assert record in replay.operations, f"{job.key}: its record {record} is lost"
    name, versions = replay.operations[record]
    claim(seen, record, job)
    bound = {("Gate", job.gate), ("Seal", job.seal)}
    assert name == job.name and job.allowed and set(versions) <= bound, job.key
    assert body["versions"] == {k[0]: v for k, v in versions.items()}, job.key
    for key, version in versions.items():
        times.add(key, version, began, ended)


def note_flow(replay, times, seen, job, body, began, ended):
    execution = body["id"]
    assert replay.ended.get(execution) == body["outcome"], f"{job.key}: {execution}"
    assert job.allowed or body["outcome"] == "failure", job.key
    done = replay.of_flow.get(execution, [])
    assert len(done) <= 2 and (body["outcome"] == "failure" or len(done) == 2), job.key
    for record in done:
        claim(seen, record, job)
        for key, version in replay.operations[record][1].items():
            times.add(key, version, began, ended)


def check_refusal(replay, times, job, status, body, began, ended):
    if not job.allowed:
        assert (status, body["code"]) == (422, "precondition_failed"), (job.key, body)
        return
    assert (status, body["code"]) == (409, "invalid_source_state"), (job.key, body)
    key = (body["entity"], body["instance"])
    assert body["state"] != EFFECTS[job.name][key[0]][0], (job.key, body)
    states = set(times.possible(key, replay.history[key], began, ended))
    assert body["state"] in states, f"{job.key}: {key} cannot have been {body['state']}"
