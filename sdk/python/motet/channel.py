"""Programs around a graph: channels that take its intents, and drivers that give it events.

    from motet.channel import Channel, Rejected

    channel = Channel()

    @channel.intent("place_order")
    def place(intent):               # intent.id is the same when it comes again
        store(intent.id, intent.fields)

    channel.serve()

A channel says that it took an intent after the function has returned; so the function stores it
first. Rejected refuses it for good, any other exception says "later, perhaps". What functions print
goes to standard error. In egress.yaml: {type: process, command: [python3, channel.py]}.
"""
from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import IO, Any, Callable, Dict, Iterable, Mapping, Optional

from .errors import UsageError

Function = Callable[["Intent"], Any]


@dataclass(frozen=True)
class Intent:
    """What a graph wants done outside."""

    id: str
    kind: str
    fields: Dict[str, Any]


class Rejected(Exception):
    """The intent is refused, and not tried again."""


def own_output() -> IO[str]:
    """Standard output for answers alone: whatever else is printed goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return out


def say(out: IO[str], members: Mapping[str, Any]) -> None:
    out.write(json.dumps(members) + "\n")
    out.flush()


class Channel:
    def __init__(self) -> None:
        self.functions: Dict[str, Function] = {}

    def intent(self, kind: str) -> Callable[[Function], Function]:
        """Decorates the function that takes intents of this kind."""
        def register(function: Function) -> Function:
            if kind in self.functions:
                raise UsageError(f"two functions take the intent '{kind}'", "usage", kind)
            self.functions[kind] = function
            return function
        return register

    def serve(self, lines: Optional[IO[str]] = None, out: Optional[IO[str]] = None) -> None:
        """Answers until there are no more."""
        out = out or own_output()
        say(out, {"type": "ready", "protocol": "ergo-egress.v1", "handled_kinds": sorted(self.functions)})
        for line in lines or sys.stdin:
            said = json.loads(line)
            if said.get("type") == "intent":
                say(out, self.answer(said))
            elif said.get("type") == "end":
                return

    def answer(self, said: Mapping[str, Any]) -> Dict[str, Any]:
        ack = {"type": "intent_ack", "intent_id": said["intent_id"]}
        try:
            self.functions[said["kind"]](Intent(said["intent_id"], said["kind"], said.get("fields") or {}))
        except Rejected as fault:
            return {**ack, "status": "rejected", "reason": str(fault) or "refused"}
        except Exception as fault:
            return {**ack, "status": "failed", "reason": f"{type(fault).__name__}: {fault}"}
        return {**ack, "status": "accepted", "acceptance": "durable"}


def drive(events: Iterable[Mapping[str, Any]], out: Optional[IO[str]] = None) -> None:
    """A driver: gives a graph events {event_id, kind, at: {secs, nanos}, semantic_kind, payload}."""
    out = out or own_output()
    say(out, {"type": "hello", "protocol": "ergo-driver.v0"})
    for event in events:
        say(out, {"type": "event", "event": dict(event)})
    say(out, {"type": "end"})
