"""Stand-ins for existing agents: they hold the conversations those hold, by their documents and recordings.

Like them they play by ticks (what is not answered is said again), address everything (`to` is there, and
is null or the receiver), accept no nonce twice, and drop what does not answer their last nonce or reference."""
import random
import socket
import time
import uuid


class Thread:
    """One conversation with one other agent."""

    def __init__(self, state):
        self.state, self.seen, self.rounds, self.closes = state, set(), 0, 0
        self.mine = self.theirs = self.my_ref = self.their_ref = None
        self.done = 0


class Conversant:
    """What all have in common: identity, addressing, ticks."""

    start = None

    def __init__(self, peer):
        self.peer, self.me, self.threads = peer, str(uuid.uuid4()), {}
        self.random = random.Random(7)
        self.heard = []

    def fresh(self):
        return str(self.random.randrange(10**9, 10**10))

    def say(self, to, intent, **fields):
        self.peer.say({"to": to, "intent": intent, **fields, "from": self.me})

    def take(self, content):
        if not isinstance(content, dict) or not {"from", "to", "intent"} <= content.keys():
            return
        if content["to"] not in (None, self.me) or content["from"] is None:
            return
        self.heard.append(content)
        thread = self.threads.setdefault(content["from"], Thread(self.start))
        self.hear(thread, content)

    def talk(self, until, seconds=15.0, tick=0.05):
        """Talks until `until()` holds; False when it never did."""
        end, due = time.monotonic() + seconds, 0.0
        while not until():
            now = time.monotonic()
            if now > end:
                return False
            if now >= due:
                self.tick()
                due = now + tick
            self.peer.sock.settimeout(tick)
            try:
                self.take(self.peer.hear()[1])
            except (socket.timeout, TimeoutError):
                pass
        return True

    def accepts(self, thread, content):
        """Does it answer our last nonce, with one of its own that is new?"""
        nonce = content.get("my_nonce")
        if content.get("your_nonce") != thread.mine or thread.mine is None or nonce in thread.seen:
            return False
        thread.seen.add(nonce)
        thread.theirs, thread.mine = nonce, None
        return True

    def nonce(self, thread):
        thread.mine = thread.mine or self.fresh()
        return thread.mine


class Initiator(Conversant):
    """register, request …, conclude, close; later reconnect."""

    start, limit, most_closes = "ready", 2, 4

    def hear(self, t, content):
        intent = content["intent"]
        if t.state == "ready" and intent == "confirm" and content["my_nonce"] not in t.seen:
            t.seen.add(content["my_nonce"])
            t.theirs, t.mine, t.rounds, t.my_ref, t.state = content["my_nonce"], None, 0, None, "exchange"
            self.begin(t)
        elif t.state == "exchange" and intent == "respond" and self.accepts(t, content):
            t.rounds += 1
            if self.may_conclude(t, content):
                t.state, t.my_ref = "propose", self.fresh()
        elif t.state == "propose" and intent == "finish" and content["your_ref"] == t.my_ref:
            t.their_ref, t.state, t.closes = content["my_ref"], "close", 0
            t.done += 1

    def begin(self, t):
        pass

    def may_conclude(self, t, content):
        return t.rounds >= self.limit

    def message(self, t):
        return "How are you?"

    def tick(self):
        for peer, t in self.threads.items():
            if t.state == "ready" and t.their_ref:
                self.say(peer, "reconnect", your_ref=t.their_ref)
            elif t.state == "exchange":
                self.say(peer, "request", your_nonce=t.theirs, my_nonce=self.nonce(t),
                         message=self.message(t))
            elif t.state == "propose":
                self.say(peer, "conclude", your_nonce=t.theirs, my_ref=t.my_ref)
            elif t.state == "close":
                self.say(peer, "close", your_ref=t.their_ref, my_ref=t.my_ref)
                t.closes += 1
                t.state = "ready" if t.closes == self.most_closes else t.state
        self.say(None, "register")


class Responder(Conversant):
    """confirm, respond …, finish; is closed, and reopened by reconnect."""

    start = "ready"

    def hear(self, t, content):
        intent = content["intent"]
        if t.state == "ready" and (
                (intent == "register" and content["to"] is None and t.my_ref is None) or
                (intent == "reconnect" and t.my_ref and content["your_ref"] == t.my_ref)):
            t.state, t.mine, t.my_ref = "confirm", None, None
        elif t.state == "confirm" and intent == "request" and self.accepts(t, content):
            t.state = "exchange"
            self.begin(t, content)
        elif t.state == "exchange" and intent == "request" and self.accepts(t, content):
            self.go_on(t, content)
        elif t.state == "exchange" and intent == "conclude" and self.may_finish(t) and \
                content["your_nonce"] == t.mine:
            t.state, t.their_ref, t.my_ref = "finalize", content["my_ref"], self.fresh()
        elif t.state == "finalize" and intent == "close" and content["your_ref"] == t.my_ref and \
                content["my_ref"] == t.their_ref:
            t.state = "ready"
            t.done += 1

    def begin(self, t, content):
        pass

    def go_on(self, t, content):
        pass

    def may_finish(self, t):
        return True

    def message(self, t):
        return "I am OK!"

    def tick(self):
        for peer, t in self.threads.items():
            if t.state == "confirm":
                self.say(peer, "confirm", my_nonce=self.nonce(t))
            elif t.state == "exchange":
                self.say(peer, "respond", your_nonce=t.theirs, my_nonce=self.nonce(t),
                         message=self.message(t))
            elif t.state == "finalize":
                self.say(peer, "finish", your_ref=t.their_ref, my_ref=t.my_ref)
        self.say(None, "register")


class Seller(Initiator):
    """Lowers its offer down to `least`; one is interested, the other decides, the first says so too."""

    most_rounds = 3

    def __init__(self, peer, offer, step, least):
        super().__init__(peer)
        self.offer, self.step, self.least = offer, step, least
        self.status, self.merged, self.outcome, self.txid = "offer", False, None, str(uuid.uuid4())

    def message(self, t):
        return {"type": "selling", "status": self.status, "price": float(self.offer), "TXID": self.txid}

    def settle(self, status, outcome):
        self.status, self.outcome, self.merged = status, outcome, True

    def may_conclude(self, t, content):
        said = content["message"]
        assert said["type"] == "buying" and said["TXID"] == self.txid, said
        status, price = said["status"], said["price"]
        if self.merged:
            return t.rounds > self.most_rounds
        if self.status == "offer" and status == "offer":
            if price >= self.least:
                self.status, self.offer = "init_interested", price
            else:
                self.offer -= self.step
        elif self.status == "offer" and status == "resp_interested":
            self.status = "init_accept" if price >= self.least else "init_refuse"
        elif self.status == "init_interested" and status in ("resp_accept", "resp_refuse"):
            self.settle("init_accept_too" if status == "resp_accept" else "init_refuse_too", status)
        elif (self.status, status) in (("init_accept", "resp_accept_too"), ("init_refuse", "resp_refuse_too")):
            self.settle(self.status, status)
        return False


class Buyer(Responder):
    """Raises its bid up to `most`."""

    def __init__(self, peer, bid, step, most):
        super().__init__(peer)
        self.bid, self.step, self.most = bid, step, most
        self.status, self.merged, self.outcome, self.txid = "offer", False, None, None

    def message(self, t):
        return {"type": "buying", "status": self.status, "price": float(self.bid), "TXID": self.txid}

    def begin(self, t, content):
        self.txid = content["message"]["TXID"]

    def may_finish(self, t):
        return self.merged

    def go_on(self, t, content):
        said = content["message"]
        assert said["type"] == "selling" and said["TXID"] == self.txid, said
        status, price = said["status"], said["price"]
        if self.status == "offer" and status == "offer":
            if price <= self.most:
                self.status, self.bid = "resp_interested", price
            else:
                self.bid = min(self.most, self.bid + self.step)
        elif self.status == "offer" and status == "init_interested":
            self.status = "resp_accept" if price <= self.most else "resp_refuse"
        elif self.status == "resp_interested" and status in ("init_accept", "init_refuse"):
            self.status = "resp_accept_too" if status == "init_accept" else "resp_refuse_too"
            self.outcome, self.merged = status, True
        elif (self.status, status) in (("resp_accept", "init_accept_too"), ("resp_refuse", "init_refuse_too")):
            self.outcome, self.merged = status, True


class Both(Conversant):
    """Initiator and responder at once, as the plain handshake agent is."""

    def __init__(self, peer):
        super().__init__(peer)
        self.sides = [Initiator(peer), Responder(peer)]
        for side in self.sides:
            side.me = self.me

    def take(self, content):
        for side in self.sides:
            side.take(content)

    def tick(self):
        for side in self.sides:
            for_all, side.say = side.say, self.once(side)
            side.tick()
            side.say = for_all
        self.say(None, "register")

    def once(self, side):
        """Both would register; one of them does."""
        return lambda to, intent, **fields: intent == "register" or Conversant.say(side, to, intent, **fields)
