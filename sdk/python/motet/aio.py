"""The same client for asyncio: the methods of `Client`, awaited. Standard library only.

    async with AsyncClient("http://127.0.0.1:8440") as client:
        verdicts = await client.evaluate("escrow", facts={…})
        async for event in client.events(kind="operation"): …

Belongs to one event loop. Calls may overlap; each has a connection of its own.
"""
from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Optional, TypeVar

from ._events import EVENTS, Event, Stream
from ._http1 import Reader
from ._routes import ROUTES, AsyncRoutes
from ._wire import Attempts, CallOptions, Request, passes, pause, request_for, value_of
from .client import POOL_MOST, READ, Base, left
from .errors import ApiError, BadAnswer, ConnectionFailed, TimedOut

T = TypeVar("T")


async def guarded(work: Awaitable[T], ends: float) -> T:
    """Faults of a socket as ours, within the time that is left."""
    try:
        return await asyncio.wait_for(work, left(ends))
    except (asyncio.TimeoutError, TimeoutError):
        raise TimedOut("there was no whole answer in time", "timeout") from None
    except (OSError, UnicodeError, asyncio.IncompleteReadError) as fault:
        raise ConnectionFailed(f"the connection broke: {fault}", "broken") from None


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer, self.used = reader, writer, False

    async def send(self, data: bytes, ends: float) -> None:
        self.writer.write(data)
        await guarded(self.writer.drain(), ends)

    async def read(self, ends: float) -> bytes:
        return await guarded(self.reader.read(READ), ends)

    def close(self) -> None:
        self.writer.close()


class AsyncClient(Base, AsyncRoutes):
    """The methods of `Client`, awaited."""

    def __init__(self, url: str, token: Optional[str] = None, **settings: Any) -> None:
        super().__init__(url, token, **settings)
        self._idle: List[Connection] = []

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *what: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections that wait; the client can be used again."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
            try:
                await asyncio.wait_for(connection.writer.wait_closed(), 1)
            except (OSError, asyncio.TimeoutError):
                pass

    async def call(self, name: str, places: List[str], query: Dict[str, Any], body: Any,
                   options: Optional[CallOptions]) -> Any:
        """Any route by its name; the methods beside it know the types."""
        route = ROUTES[name]
        request = request_for(self.settings, self.place, route, places, query, body, options)
        attempts = Attempts(self.settings, request)
        while True:
            try:
                return value_of(route, *await self._exchange(request))
            except ApiError as fault:
                rest = attempts.pause_after(fault)
                if rest is None:
                    raise
                await asyncio.sleep(rest)

    async def _exchange(self, request: Request) -> Any:
        """As in `Client`."""
        ends = time.monotonic() + request.timeout
        connection = self._idle.pop() if request.repeatable and self._idle else await self._connect(ends)
        try:
            return await self._on(connection, request, ends)
        except ConnectionFailed:
            if not connection.used or not request.repeatable:
                raise
        return await self._on(await self._connect(ends), request, ends)

    async def _connect(self, ends: float) -> Connection:
        name = self.place.host if self._context else None
        opening = asyncio.open_connection(self.place.host, self.place.port, ssl=self._context,
                                          server_hostname=name, limit=READ)
        return Connection(*await guarded(opening, ends))

    async def _on(self, connection: Connection, request: Request, ends: float) -> Any:
        reader, pieces, size = Reader(), [], 0
        try:
            await connection.send(request.bytes(), ends)
            while not reader.done:
                for piece in reader.feed(await connection.read(ends)):
                    size += len(piece)
                    pieces.append(piece)
                if size > self.settings.answer_most:
                    raise BadAnswer("the answer is too long", "too_large")
        except BaseException:
            connection.close()
            raise
        connection.used = True
        if reader.reusable and len(self._idle) < POOL_MOST:
            self._idle.append(connection)
        else:
            connection.close()
        return reader.status, reader.headers, b"".join(pieces)

    async def pages(self, method: Callable[..., Awaitable[Any]], *places: str,
                    **query: Any) -> AsyncIterator[Any]:
        """All items of a list, page by page."""
        while True:
            page = await method(*places, **query)
            for item in page["items"]:
                yield item
            if not page.get("next"):
                return
            query["after"] = page["next"]

    async def events(self, *, after: Optional[int] = None, from_: Optional[int] = None,
                     kind: Optional[str] = None, contract: Optional[str] = None,
                     entity: Optional[str] = None, instance: Optional[str] = None, silence: float = 90.0,
                     resume: bool = True, call: Optional[CallOptions] = None) -> AsyncIterator[Event]:
        """As `Client.events`."""
        stream = Stream(after, from_, {"kind": kind, "contract": contract, "entity": entity,
                                       "instance": instance})
        if after is None and from_ is None:
            newest = (await self.list_records(order="desc", limit=1, call=call))["items"]
            stream.begin(newest[0].get("seq", 0) if newest else None)
        while True:
            try:
                async for event in self._listen(stream, call, silence):
                    yield event
            except ApiError as fault:
                stream.failed(fault)
                if not resume or not passes(fault) or stream.failures >= stream.most(self.settings, call):
                    raise
                await asyncio.sleep(pause(self.settings, stream.failures, fault))

    async def _listen(self, stream: Stream, call: Optional[CallOptions],
                      silence: float) -> AsyncIterator[Event]:
        request = request_for(self.settings, self.place, EVENTS, [], stream.query, None, stream.options(call))
        ends = time.monotonic() + request.timeout
        connection = await self._connect(ends)
        reader = Reader()
        stream.ask_again()
        try:
            await connection.send(request.bytes(), ends)
            while not reader.done:
                pieces = reader.feed(await connection.read(ends))
                if not reader.head_is_there:
                    continue
                ends = time.monotonic() + silence
                for event in stream.take(reader.status, reader.headers, pieces, reader.done):
                    yield event
        finally:
            connection.close()
        raise ConnectionFailed("the stream ended", "closed")
