"""A client of `motet serve`.

    with Client("http://127.0.0.1:8440", token="mt_…") as client:
        done = client.operate("escrow", "release_escrow", persona="escrow_agent",
                              bindings={"EscrowAccount": "acc-1"}, facts={…}, receipt=True)

Threads may share one: connections wait in a pool, each used by one call at a time. A
connection that waited may be gone; a call that must not be sent twice gets a new one.
"""
from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from ._events import EVENTS, Event, Stream
from ._http1 import Reader
from ._routes import ROUTES, Routes
from ._wire import Attempts, CallOptions, Request, Settings, passes, pause, place_of, request_for, value_of
from .errors import ApiError, BadAnswer, ConnectionFailed, TimedOut
from .receipts import Checked, verify_receipt

POOL_MOST = 8
READ = 64 * 1024


class Connection:
    """One socket, and the time by which what is under way has to be over."""

    def __init__(self, place: Any, context: Optional[ssl.SSLContext], ends: float) -> None:
        self.used = False
        try:
            raw = socket.create_connection((place.host, place.port), timeout=left(ends))
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket = context.wrap_socket(raw, server_hostname=place.host) if context else raw
        except (TimeoutError, socket.timeout):
            raise TimedOut("connecting took too long", "timeout") from None
        except (OSError, UnicodeError) as fault:
            raise ConnectionFailed(f"cannot connect: {fault}", "connect") from None

    def send(self, data: bytes, ends: float) -> None:
        def work() -> None:
            self.socket.settimeout(left(ends))
            self.socket.sendall(data)
        guarded(work)

    def read(self, ends: float) -> bytes:
        def work() -> bytes:
            self.socket.settimeout(left(ends))
            return self.socket.recv(READ)
        data: bytes = guarded(work)
        return data

    def close(self) -> None:
        self.socket.close()


WAIT_MOST = 1e6  # a socket takes no number of seconds that is much larger


def left(ends: float) -> float:
    rest = ends - time.monotonic()
    if rest <= 0:
        raise TimedOut("there was no whole answer in time", "timeout")
    return min(rest, WAIT_MOST)


def guarded(work: Callable[[], Any]) -> Any:
    """Faults of a socket as ours."""
    try:
        return work()
    except (TimeoutError, socket.timeout):
        raise TimedOut("there was no whole answer in time", "timeout") from None
    except OSError as fault:
        raise ConnectionFailed(f"the connection broke: {fault}", "broken") from None


class Base:
    """What both clients are made of. `settings` are those of `Settings`: timeout, attempts, pause,
    keys, headers, …"""

    def __init__(self, url: str, token: Optional[str] = None, *,
                 ssl_context: Optional[ssl.SSLContext] = None, **settings: Any) -> None:
        self.settings = Settings(url, token, **settings)
        self.place = place_of(url)
        self._context = (ssl_context or ssl.create_default_context()) if self.place.secure else None

    @staticmethod
    def verify(receipt: Mapping[str, Any], keys: List[str], **demands: Any) -> Checked:
        """Checks a receipt offline, by the engine; see `motet.receipts`."""
        return verify_receipt(receipt, keys, **demands)


class Client(Base, Routes):
    """Waits for its answers; threads may share one."""

    def __init__(self, url: str, token: Optional[str] = None, **settings: Any) -> None:
        super().__init__(url, token, **settings)
        self._idle: List[Connection] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that wait; the client can be used again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    # ---- calls

    def call(self, name: str, places: List[str], query: Dict[str, Any], body: Any,
             options: Optional[CallOptions]) -> Any:
        """Any route by its name; the methods beside it know the types."""
        route = ROUTES[name]
        request = request_for(self.settings, self.place, route, places, query, body, options)
        attempts = Attempts(self.settings, request)
        while True:
            try:
                return value_of(route, *self._exchange(request))
            except ApiError as fault:
                rest = attempts.pause_after(fault)
                if rest is None:
                    raise
                time.sleep(rest)

    def _exchange(self, request: Request) -> Any:
        """One attempt: status, headers, body. A connection that turns out to be gone before
        anything came back is replaced once."""
        ends = time.monotonic() + request.timeout
        connection = self._connection(request, ends)
        try:
            return self._on(connection, request, ends)
        except ConnectionFailed:
            if not connection.used or not request.repeatable:
                raise
        return self._on(Connection(self.place, self._context, ends), request, ends)

    def _connection(self, request: Request, ends: float) -> Connection:
        if request.repeatable:
            with self._lock:
                if self._idle:
                    return self._idle.pop()
        return Connection(self.place, self._context, ends)

    def _on(self, connection: Connection, request: Request, ends: float) -> Any:
        reader, pieces, size = Reader(), [], 0
        try:
            connection.send(request.bytes(), ends)
            while not reader.done:
                for piece in reader.feed(connection.read(ends)):
                    size += len(piece)
                    pieces.append(piece)
                if size > self.settings.answer_most:
                    raise BadAnswer("the answer is too long", "too_large")
        except BaseException:
            connection.close()
            raise
        self._keep(connection, reader.reusable)
        return reader.status, reader.headers, b"".join(pieces)

    def _keep(self, connection: Connection, reusable: bool) -> None:
        connection.used = True
        with self._lock:
            if reusable and len(self._idle) < POOL_MOST:
                self._idle.append(connection)
                return
        connection.close()

    # ---- more than one answer

    def pages(self, method: Callable[..., Any], *places: str, **query: Any) -> Iterator[Any]:
        """All items of a list, page by page: client.pages(client.list_records, kind="operation")"""
        while True:
            page = method(*places, **query)
            yield from page["items"]
            if not page.get("next"):
                return
            query["after"] = page["next"]

    def events(self, *, after: Optional[int] = None, from_: Optional[int] = None,
               kind: Optional[str] = None, contract: Optional[str] = None, entity: Optional[str] = None,
               instance: Optional[str] = None, silence: float = 90.0, resume: bool = True,
               call: Optional[CallOptions] = None) -> Iterator[Event]:
        """Records as they are made; from now, `after` a record or `from_` one. A stream that
        breaks, or is silent for longer than `silence` seconds, is taken up behind the last
        event: nothing is lost, nothing comes twice. `attempts` failures in a row end it."""
        stream = Stream(after, from_, {"kind": kind, "contract": contract, "entity": entity,
                                       "instance": instance})
        if after is None and from_ is None:
            newest = self.list_records(order="desc", limit=1, call=call)["items"]
            stream.begin(newest[0].get("seq", 0) if newest else None)
        while True:
            try:
                yield from self._listen(stream, call, silence)
            except ApiError as fault:
                stream.failed(fault)
                if not resume or not passes(fault) or stream.failures >= stream.most(self.settings, call):
                    raise
                time.sleep(pause(self.settings, stream.failures, fault))

    def _listen(self, stream: Stream, call: Optional[CallOptions], silence: float) -> Iterator[Event]:
        request = request_for(self.settings, self.place, EVENTS, [], stream.query, None, stream.options(call))
        ends = time.monotonic() + request.timeout
        connection = Connection(self.place, self._context, ends)
        reader = Reader()
        stream.ask_again()
        try:
            connection.send(request.bytes(), ends)
            while not reader.done:
                pieces = reader.feed(connection.read(ends))
                if not reader.head_is_there:
                    continue
                ends = time.monotonic() + silence
                yield from stream.take(reader.status, reader.headers, pieces, reader.done)
        finally:
            connection.close()
        raise ConnectionFailed("the stream ended", "closed")
