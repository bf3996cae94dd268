"""Agents in this process, without a relay: for tests, and for programs that carry messages themselves.

    agent = Agent("greeter", start=["A"])
    …decorators…
    with Actor(agent) as actor:
        actor.receive({"content": "go", "remote_addr": "peer"})   # what is to be sent
        actor.tape

The engine decides; the functions of the agent are called here. Timed senders fire when `tick` is called.
"""
from __future__ import annotations

import asyncio
import ctypes
import json
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._library import (HANDLE, Core, Handle, Handlers, Str, bytes_of, library, name_of, status_text, status_word, str_of,
                       text_of, texts, unfreed, utf8)
from .agent import Agent
from .engine import Answer, answer_of, json_text, options_text, provider_of
from .errors import AgentError, MotetError, UsageError


def agent_error(message: str, kind: str, _: bytes) -> MotetError:
    return UsageError(message, kind) if kind == "usage" else AgentError(message, kind, "", message.splitlines())


class AgentFile(Handle):
    """A loaded agent file or DNA, immutable."""

    def __init__(self, text: Union[str, bytes, Mapping[str, Any]], name: str = "agent.json") -> None:
        out = ctypes.c_void_p()
        status = library().agent_load(str_of(json_text(text, "an agent")), name_of(name), ctypes.byref(out))
        super().__init__(Core(library().agent_free, out))
        if status:
            said = texts(library().agent_message, self.pointer)
            self.close()
            raise AgentError(said[0] if said else status_text(status), status_word(status), name, said)

    @unfreed
    def ask(self, command: str, **options: Any) -> Answer:
        """What `motet agent` prints: dna (form), draw (format)."""
        return answer_of(agent_error, library().agent_ask, self.pointer, name_of(command), str_of(options_text(options)))


class Actor(Handle):
    """An agent at work; belongs to one thread."""

    def __init__(self, agent: Union[Agent, AgentFile]) -> None:
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        functions = agent if isinstance(agent, Agent) else None
        file = AgentFile(agent.document(["here"])) if isinstance(agent, Agent) else agent
        handlers = self._handlers(functions) if functions else None
        out = ctypes.c_void_p()
        status = library().actor_new(file.pointer, ctypes.byref(handlers) if handlers else None, ctypes.byref(out))
        super().__init__(Core(library().actor_free, out, file.core, handlers))
        self._check(status)

    def _handlers(self, agent: Agent) -> Handlers:
        loop = self._loop = asyncio.new_event_loop()
        given: List[bytes] = []  # the answer given last

        def call(_: Any, question: Str, answer: Any) -> bool:
            try:
                given[:] = [json.dumps(agent.answer(json.loads(bytes_of(question)), loop)).encode()]
                answer[0] = str_of(given[0])
                return True
            except BaseException:  # nothing may pass through C
                return False
        return Handlers(ctypes.sizeof(Handlers), None, HANDLE(call))

    def close(self) -> None:
        super().close()
        if self._loop and not self._loop.is_closed():
            self._loop.close()

    def _check(self, status: int) -> None:
        if status:
            said = text_of(library().actor_message(self.pointer)) or status_text(status)
            raise AgentError(said, status_word(status), "", [said])

    @unfreed
    def receive(self, message: Union[Mapping[str, Any], str, bytes], now_ms: Optional[int] = None) -> List[Any]:
        """A line as a relay sends it, or a payload alone; what is to be sent."""
        at = int(time.time() * 1000) if now_ms is None else now_ms
        self._check(library().actor_receive(self.pointer, str_of(json_text(message, "a message")), at))
        return self._sends()

    @unfreed
    def tick(self, now_ms: int) -> Tuple[List[Any], Optional[int]]:
        """Fires the timed senders that are due, by any clock that does not go back: what is to be sent, and
        the milliseconds until the next is due (None: none waits)."""
        rest = ctypes.c_int64()
        self._check(library().actor_tick(self.pointer, now_ms, ctypes.byref(rest)))
        return self._sends(), None if rest.value < 0 else rest.value

    def _sends(self) -> List[Any]:
        return [json.loads(line) for line in bytes_of(library().actor_sends(self.pointer)).splitlines() if line]

    @property
    def trace(self) -> Dict[str, Any]:
        """What the last message did, as a trace has it."""
        trace: Dict[str, Any] = json.loads(bytes_of(library().actor_trace(self.pointer)))
        return trace

    @property
    def tape(self) -> Any:
        return json.loads(bytes_of(library().actor_tape(self.pointer)))

    @property
    def state(self) -> bytes:
        """Tape and memory, for `restore`."""
        return bytes_of(library().actor_state(self.pointer))

    @unfreed
    def restore(self, state: Union[str, bytes]) -> None:
        self._check(library().actor_restore(self.pointer, str_of(utf8(state, "a state"))))


def trace_scenario(read: Callable[[str], Optional[Union[str, bytes]]], scenario: str, **options: Any) -> Answer:
    """The trace of a scripted conversation; `read` gives the scenario and the agent file it names."""
    raised: List[BaseException] = []
    try:
        return answer_of(agent_error, library().agent_trace, ctypes.byref(provider_of(read, raised)),
                         name_of(scenario, "a path"), str_of(options_text(options)))
    except MotetError:
        if raised:
            raise raised[0] from None
        raise
