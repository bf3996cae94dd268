"""Everything that this package raises.

    MotetError                     kind, path, message
      UsageError                   the call itself is wrong; nothing was sent or evaluated
      LibraryError                 libmotet cannot be found or is too old
      EngineError                  the engine says no
        ContractError                a contract has faults: diagnostics
        FactsError                   facts do not fit the contract: kind, path
        EvaluationError              an evaluation has no value: kind, path, rule
        FlowError                    a flow cannot start or broke off
        GraphError                   a graph, a primitive or an event is refused
        AgentError                   an agent is refused
        VerificationError            a receipt or a ledger does not hold
      ApiError                     a call over HTTP: request, attempts
        Problem                      the server says no (RFC 9457): status, code, members
        TransportError               there is no answer to go by
          ConnectionFailed             refused, reset, or closed before the answer
          TimedOut                     no whole answer in time
          BadAnswer                    what came is not an answer of this API
          Redirected                   redirects are not followed: a token would go elsewhere
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

__all__ = ["MotetError", "UsageError", "LibraryError", "EngineError", "ContractError", "FactsError",
           "EvaluationError", "FlowError", "GraphError", "AgentError", "VerificationError", "ApiError",
           "Problem", "TransportError", "ConnectionFailed", "TimedOut", "BadAnswer", "Redirected",
           "Diagnostic"]


@dataclass(frozen=True)
class Diagnostic:
    """One fault or warning about a contract. Lines and columns count from 1; 0: unknown."""

    severity: str
    code: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    length: int = 0
    pass_: int = -1
    construct_kind: str = ""
    construct_id: str = ""
    field: str = ""
    hint: str = ""
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity} {self.code}: {self.message}"


class MotetError(Exception):
    """`kind` is stable and for programs; `path` says where; `message` is one line for people."""

    def __init__(self, message: str, kind: str = "", path: str = "") -> None:
        super().__init__(message)
        self.message, self.kind, self.path = message, kind, path

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class UsageError(MotetError, ValueError):
    """The call itself is wrong."""


class LibraryError(MotetError):
    """libmotet cannot be used."""


class EngineError(MotetError):
    """The engine says no. `kind` is its own word, or the name of the status."""


class ContractError(EngineError):
    """A contract has faults; `diagnostics` has all of them, warnings too."""

    def __init__(self, message: str, kind: str = "", path: str = "",
                 diagnostics: Optional[List[Diagnostic]] = None) -> None:
        super().__init__(message, kind, path)
        self.diagnostics = diagnostics or []


class FactsError(EngineError):
    """Facts do not fit the contract."""


class EvaluationError(EngineError):
    """An evaluation has no value; `rule` is the rule being evaluated."""

    def __init__(self, message: str, kind: str = "", path: str = "", rule: str = "") -> None:
        super().__init__(message, kind, path)
        self.rule = rule


class FlowError(EngineError):
    """A flow cannot start, or broke off."""


class GraphError(EngineError):
    """A graph, a primitive or an event is refused; `messages` has all reasons."""

    def __init__(self, message: str, kind: str = "", path: str = "",
                 messages: Optional[List[str]] = None) -> None:
        super().__init__(message, kind, path)
        self.messages = messages or []


class AgentError(GraphError):
    """An agent is refused; `messages` has all reasons."""


class VerificationError(EngineError):
    """A receipt or a ledger does not hold."""


class ApiError(MotetError):
    """A call over HTTP did not come to an answer; `request` is what was asked, `attempts` how often."""

    def __init__(self, message: str, kind: str = "", path: str = "") -> None:
        super().__init__(message, kind, path)
        self.request = ""
        self.attempts = 1


class Problem(ApiError):
    """The server says no. `code` is stable; `members` has all of the problem (RFC 9457)."""

    def __init__(self, status: int, members: Dict[str, Any], request_id: str = "",
                 retry_after: Optional[float] = None) -> None:
        text = {name: value for name, value in members.items() if isinstance(value, str)}
        self.status, self.members = status, members
        self.code = text.get("code", "")
        self.type = text.get("type", "about:blank")
        self.title = text.get("title", "")
        self.detail = text.get("detail", "")
        self.instance = text.get("instance", "")
        self.request_id, self.retry_after = request_id, retry_after
        said = self.detail or self.title or "the server gives no reason"
        super().__init__(f"{status} {self.code}: {said}" if self.code else f"{status}: {said}",
                         self.code or f"http_{status}", text.get("path") or text.get("fact") or "")


class TransportError(ApiError):
    """There is no answer to go by. Whether a write was done is not known without its key."""


class ConnectionFailed(TransportError):
    """Refused, reset, or closed before the answer was there."""


class TimedOut(TransportError):
    """No whole answer in time."""


class BadAnswer(TransportError):
    """What came is not an answer of this API."""


class Redirected(TransportError):
    """The server points elsewhere; nothing is sent there."""
