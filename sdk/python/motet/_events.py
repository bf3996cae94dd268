"""Server-sent events, read from bytes, and where a stream goes on after it broke."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from ._wire import CallOptions, Route, Settings, value_of
from .errors import ApiError, BadAnswer

EVENTS = Route("GET", "/v1/events")
EVENT_MOST = 16 * 1024 * 1024


@dataclass(frozen=True)
class Event:
    """One record of the ledger: its place, its kind, its body."""

    id: int
    kind: str
    data: Dict[str, Any]


class EventReader:
    """Takes pieces of a stream, gives whole events. Bounded; comments are passed over."""

    def __init__(self) -> None:
        self._held = b""
        self._size = 0
        self._fields: Dict[str, List[str]] = {}

    def feed(self, piece: bytes) -> List[Event]:
        *lines, self._held = (self._held + piece).split(b"\n")
        if len(self._held) + self._size > EVENT_MOST:
            raise BadAnswer("an event of the stream is too long", "too_large")
        events = []
        for line in lines:
            event = self._line(line.rstrip(b"\r"))
            if event:
                events.append(event)
        return events

    def _line(self, line: bytes) -> Optional[Event]:
        if not line:
            fields, self._fields, self._size = self._fields, {}, 0
            return self._event(fields) if "data" in fields else None
        self._size += len(line)
        if self._size > EVENT_MOST:
            raise BadAnswer("an event of the stream is too long", "too_large")
        name, _, value = line.decode("utf-8", "replace").partition(":")
        if name:
            self._fields.setdefault(name, []).append(value[1:] if value.startswith(" ") else value)
        return None

    @staticmethod
    def _event(fields: Mapping[str, List[str]]) -> Event:
        number = (fields.get("id") or [""])[-1]
        try:
            data = json.loads("\n".join(fields["data"]))
        except (ValueError, RecursionError):
            raise BadAnswer("an event of the stream is not JSON", "not_json") from None
        if not (number.isascii() and number.isdigit()) or not isinstance(data, dict):
            raise BadAnswer("an event of the stream has no number or is not a record", "not_an_event")
        return Event(int(number), (fields.get("event") or [""])[-1], data)


class Stream:
    """Where a stream is: what to ask for next, and which events are new."""

    def __init__(self, after: Optional[int], from_: Optional[int], filters: Mapping[str, Any]) -> None:
        self.last = after
        self.query = {**filters, "from": from_ if after is None else None}
        self.failures = 0
        self.ask_again()

    def options(self, base: Optional[CallOptions]) -> CallOptions:
        base = base or CallOptions()
        headers = dict(base.headers or {})
        headers["Accept"] = "text/event-stream"
        if self.last is not None:
            headers["Last-Event-ID"] = str(self.last)
            self.query["from"] = None
        return CallOptions(timeout=base.timeout, attempts=base.attempts, traceparent=base.traceparent,
                           tracestate=base.tracestate, headers=headers)

    @staticmethod
    def most(settings: Settings, call: Optional[CallOptions]) -> int:
        """How many failures in a row end it."""
        return call.attempts if call and call.attempts is not None else settings.attempts

    def news(self, events: List[Event]) -> List[Event]:
        """Those that were not there before: a server that begins too early repeats nothing."""
        fresh = []
        for event in events:
            if self.last is None or event.id > self.last:
                self.last, self.failures = event.id, 0
                fresh.append(event)
        return fresh

    def begin(self, newest: Optional[int]) -> None:
        """From now on: behind the newest record there is, so that "now" survives a break."""
        if newest is None:
            self.query["from"] = 0
        else:
            self.last = newest

    def failed(self, fault: ApiError) -> None:
        self.failures += 1
        fault.attempts, fault.request = self.failures, "GET /v1/events"

    def ask_again(self) -> None:
        """A new connection: what came of the old one in part is dropped."""
        self.reader, self.refusal = EventReader(), b""

    def take(self, status: int, headers: Mapping[str, str], pieces: List[bytes], done: bool) -> List[Event]:
        """What arrived, as new events; raises unless it is a stream."""
        if status != 200:
            self.refusal = (self.refusal + b"".join(pieces))[:EVENT_MOST]
            if done:
                value_of(EVENTS, status, headers, self.refusal)
            return []
        if not headers.get("content-type", "").startswith("text/event-stream"):
            raise BadAnswer("the answer is not a stream of events", "not_events")
        return [event for piece in pieces for event in self.news(self.reader.feed(piece))]
