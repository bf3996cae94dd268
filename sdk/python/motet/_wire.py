"""What both clients have in common: how a call becomes a request, how an answer becomes a
value or an error, and what is tried again. No socket in here.

A write carries an Idempotency-Key, made once per call, so that trying again cannot do it
twice. A write without one (`keys=False`) is sent once, whatever happens.
"""
from __future__ import annotations

import json
import random
import re
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from .errors import (ApiError, BadAnswer, ConnectionFailed, Problem, Redirected, TimedOut, UsageError)

VERSION = "0.1.0"
RETRY_STATUS = (429, 502, 503, 504)
# The server says "ask again": nothing was decided, or nobody knows what was.
RETRY_CODES = ("conflict", "contract_changed", "outcome_unknown")
PRINTABLE = re.compile(r"[\x20-\x7e]*")
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


@dataclass(frozen=True)
class Route:
    """A row of the API. `writes`: takes an Idempotency-Key; `lines`: JSON lines both ways."""

    method: str
    path: str
    writes: bool = False
    lines: bool = False
    text: bool = False


@dataclass(frozen=True)
class CallOptions:
    """For one call; what is None is as the client has it."""

    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    attempts: Optional[int] = None
    traceparent: Optional[str] = None
    tracestate: Optional[str] = None
    headers: Optional[Mapping[str, str]] = None


NO_OPTIONS = CallOptions()


@dataclass(frozen=True)
class Settings:
    """How a client calls. Seconds; `timeout` is for one attempt as a whole."""

    url: str
    token: Optional[str] = None
    timeout: float = 30.0
    attempts: int = 4
    pause: float = 0.1
    pause_most: float = 5.0
    keys: bool = True
    answer_most: int = 256 * 1024 * 1024
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.attempts < 1 or not self.timeout > 0 or self.pause < 0 or self.answer_most < 1:
            raise UsageError("attempts and timeout are at least 1 and more than 0", "usage")


@dataclass(frozen=True)
class Place:
    """Where the server is: scheme, host, port, and the path before its routes."""

    secure: bool
    host: str
    port: int
    prefix: str
    authority: str


def place_of(url: str) -> Place:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as fault:
        raise UsageError(f"'{url}' is not a URL: {fault}", "usage") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"'{url}' is not an http or https URL", "usage")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError("the URL of a server has no user, query or fragment", "usage")
    if not re.fullmatch(r"[\x21-\x7e]+", url):
        raise UsageError("the URL of a server is printable ASCII", "usage")
    secure = parts.scheme == "https"
    return Place(secure, parts.hostname, port or (443 if secure else 80),
                 parts.path.rstrip("/"), parts.netloc)


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Tuple[Tuple[str, str], ...]
    body: bytes
    repeatable: bool
    timeout: float
    attempts: int

    def bytes(self) -> bytes:
        head = [f"{self.method} {self.target} HTTP/1.1"]
        head += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join(head).encode("ascii") + b"\r\n\r\n" + self.body


def body_of(members: Dict[str, Any]) -> Dict[str, Any]:
    """The members that were given."""
    return {name: value for name, value in members.items() if value is not None}


def segment(value: str) -> str:
    """One segment of a path; dots that would mean "here" and "above" are escaped, too."""
    if not isinstance(value, str) or not value:
        raise UsageError("a name in a path is text that is not empty", "usage")
    try:
        text = quote(value, safe="-._~")
    except UnicodeEncodeError:
        raise UsageError("a name in a path is not valid Unicode", "usage") from None
    return text.replace(".", "%2E") if value in (".", "..") else text


def query_text(query: Mapping[str, Any]) -> str:
    given = {}
    for name, value in query.items():
        if value is not None:
            given[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return "?" + urlencode(given, quote_via=quote) if given else ""


def json_bytes(value: Any) -> bytes:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError) as fault:
        raise UsageError(f"the body is not JSON: {fault}", "usage") from None


def header(name: str, value: str) -> Tuple[str, str]:
    if not TOKEN.fullmatch(name) or not isinstance(value, str) or not PRINTABLE.fullmatch(value):
        raise UsageError(f"the header {name!r} is not one line of printable ASCII", "usage")
    return name, value


def key_for(settings: Settings, route: Route, options: CallOptions) -> Optional[str]:
    if not route.writes:
        return None
    if options.idempotency_key is not None:
        if not re.fullmatch(r"[\x21-\x7e]{1,255}", options.idempotency_key):
            raise UsageError("an Idempotency-Key has 1 to 255 printable ASCII characters and no space", "usage")
        return options.idempotency_key
    return str(uuid.uuid4()) if settings.keys else None


def request_for(settings: Settings, place: Place, route: Route, places: List[str],
                query: Mapping[str, Any], body: Any, options: Optional[CallOptions]) -> Request:
    options = options or NO_OPTIONS
    names = iter(places)
    path = re.sub(r"{\w+}", lambda _: segment(next(names)), route.path)
    data = b"" if body is None else b"".join(json_bytes(line) + b"\n" for line in body) if route.lines \
        else json_bytes(body)
    key = key_for(settings, route, options)
    headers = {"host": ("Host", place.authority), "user-agent": ("User-Agent", f"motet-python/{VERSION}"),
               "accept": ("Accept", "application/json, application/problem+json, */*;q=0.5")}

    def put(name: str, value: Optional[str]) -> None:
        if value is not None:
            headers[name.lower()] = header(name, value)

    for name, value in {**settings.headers, **(options.headers or {})}.items():
        put(name, value)
    put("Authorization", None if settings.token is None else f"Bearer {settings.token}")
    put("Idempotency-Key", key)
    put("traceparent", options.traceparent)
    put("tracestate", options.tracestate)
    if body is not None:
        put("Content-Type", "application/jsonl" if route.lines else "application/json")
    if body is not None or route.method not in ("GET", "HEAD"):
        put("Content-Length", str(len(data)))
    attempts = settings.attempts if options.attempts is None else options.attempts
    timeout = settings.timeout if options.timeout is None else options.timeout
    if attempts < 1 or not timeout > 0:
        raise UsageError("attempts and timeout are at least 1 and more than 0", "usage")
    return Request(route.method, place.prefix + path + query_text(query), tuple(headers.values()), data,
                   not route.writes or key is not None, timeout, attempts)


def loads(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise BadAnswer("the answer is not JSON", "not_json") from None


def value_of(route: Route, status: int, headers: Mapping[str, str], data: bytes) -> Any:
    """The answer as a value; raises what it says otherwise."""
    if 300 <= status < 400 and status != 304:
        raise Redirected(f"the server points to {headers.get('location', 'nowhere')!r}", "redirected")
    if status >= 400:
        raise problem_of(status, headers, data)
    if status == 304 or not data:
        raise BadAnswer(f"the answer {status} has no body", "no_body")
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if route.text:
        return data.decode("utf-8", "replace")
    if kind not in ("application/json", "application/jsonl", "application/problem+json"):
        raise BadAnswer(f"the answer is {kind or 'of no type'}, not JSON", "not_json")
    return [loads(line) for line in data.splitlines() if line] if route.lines else loads(data)


def problem_of(status: int, headers: Mapping[str, str], data: bytes) -> Problem:
    """A problem of RFC 9457; of anything else with an error's status, what is known of it."""
    members: Any = None
    if headers.get("content-type", "").startswith("application/problem+json"):
        try:
            members = json.loads(data)
        except (ValueError, RecursionError):
            members = None
    if not isinstance(members, dict):
        members = {"title": data[:200].decode("utf-8", "replace").strip()}
    return Problem(status, members, headers.get("x-request-id", ""), seconds(headers.get("retry-after")))


def seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


class Attempts:
    """What is tried again, how often, and after which pause."""

    def __init__(self, settings: Settings, request: Request) -> None:
        self.settings, self.request = settings, request
        self.made = 0

    def pause_after(self, fault: ApiError) -> Optional[float]:
        """Seconds until the next attempt; None: this is the end."""
        self.made += 1
        fault.attempts = self.made
        fault.request = f"{self.request.method} {self.request.target}"
        if self.made >= self.request.attempts or not self.request.repeatable or not passes(fault):
            return None
        return pause(self.settings, self.made, fault)


def passes(fault: ApiError) -> bool:
    """May the same request come to something else?"""
    if isinstance(fault, Problem):
        return fault.status in RETRY_STATUS or fault.code in RETRY_CODES
    return isinstance(fault, (ConnectionFailed, TimedOut))


def pause(settings: Settings, made: int, fault: ApiError) -> float:
    """Doubles, partly left to chance; at least what the server asks for."""
    most = min(settings.pause_most, settings.pause * 2.0 ** min(made - 1, 30))
    asked = fault.retry_after if isinstance(fault, Problem) and fault.retry_after else 0.0
    return max(min(asked, settings.pause_most), most * (0.5 + random.random() / 2))
