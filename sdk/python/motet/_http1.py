"""Answers of HTTP/1.1, read from bytes; no socket in here, so both clients share it.

A `Reader` is fed what arrives. First the head is there (`status`, `headers`), then pieces
of the body, then `done`. Everything is bounded; what is not HTTP raises BadAnswer. Only
what an API answers is understood: no upgrades, no trailers that matter.
"""
from __future__ import annotations

from typing import Dict, List

from .errors import BadAnswer, ConnectionFailed

HEAD_MOST = 64 * 1024
LINE_MOST = 1024  # of a chunk's size
NO_BODY = (204, 304)


class Reader:
    def __init__(self, head_only: bool = False) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self.done = False
        self.reusable = False
        self._head_only = head_only
        self._held = bytearray()
        self._left = 0          # bytes of the body or of the chunk that are to come
        self._chunked = False
        self._until_close = False
        self._after_chunk = False
        self._trailers = False

    @property
    def head_is_there(self) -> bool:
        return self.status != 0

    def feed(self, data: bytes) -> List[bytes]:
        """Takes what arrived; gives the pieces of the body in it. b"" is the end."""
        if not data:
            return self._end()
        self._held += data
        if not self.head_is_there and not self._take_head():
            return []
        pieces: List[bytes] = []
        while not self.done and self._take_body(pieces):
            pass
        return pieces

    def _end(self) -> List[bytes]:
        if self.head_is_there and self._until_close:
            self.done = True
            return []
        raise ConnectionFailed("the connection ended before the answer did", "closed")

    def _take_head(self) -> bool:
        """True: the head of the answer proper is there; 1xx heads before it are dropped."""
        while True:
            at = self._held.find(b"\r\n\r\n")
            if at < 0:
                if len(self._held) > HEAD_MOST or not b"HTTP/1.".startswith(bytes(self._held[:7])) \
                        and not self._held.startswith(b"HTTP/1."):
                    raise BadAnswer("what came is not HTTP", "not_http")
                return False
            if at > HEAD_MOST:
                raise BadAnswer("the head of the answer is too long", "too_large")
            head = bytes(self._held[:at])
            del self._held[:at + 4]
            self._read_head(head)
            if self.status >= 200:
                break
            self.status = 0
        self._measure()
        return True

    def _read_head(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ", 2)
        if len(words) < 2 or words[0] not in ("HTTP/1.1", "HTTP/1.0") or len(words[1]) != 3 \
                or not words[1].isascii() or not words[1].isdigit() or words[1] < "100":
            raise BadAnswer("what came is not HTTP", "not_http")
        self.status = int(words[1])
        self.headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip():
                raise BadAnswer("a header of the answer is malformed", "not_http")
            name, value = name.lower(), value.strip(" \t")
            if name == "content-length" and self.headers.get(name, value) != value:
                raise BadAnswer("the answer has two lengths", "not_http")
            self.headers[name] = value
        stays = self.headers.get("connection", "").lower()
        self.reusable = stays == "keep-alive" if words[0] == "HTTP/1.0" else stays != "close"

    def _measure(self) -> None:
        """How long the body is."""
        coding = self.headers.get("transfer-encoding", "").lower()
        length = self.headers.get("content-length")
        if self._head_only or self.status in NO_BODY:
            self.done = True
        elif coding:
            if coding != "chunked":
                raise BadAnswer("the answer has a coding that is not understood", "not_http")
            self._chunked = True
        elif length is not None:
            if not (length.isascii() and length.isdigit() and len(length) < 16):
                raise BadAnswer("the length of the answer is not a number", "not_http")
            self._left = int(length)
            self.done = self._left == 0
        else:
            self._until_close, self.reusable = True, False

    def _take_body(self, pieces: List[bytes]) -> bool:
        """One step; false: more bytes are needed."""
        if self._until_close:
            self._give(pieces, len(self._held))
            return False
        if self._left:
            given = self._give(pieces, min(self._left, len(self._held)))
            self._left -= given
            if not self._chunked:
                self.done = self._left == 0
            elif not self._left:
                self._after_chunk = True
            return given > 0
        return self._take_line()

    def _give(self, pieces: List[bytes], count: int) -> int:
        if count:
            pieces.append(bytes(self._held[:count]))
            del self._held[:count]
        return count

    def _take_line(self) -> bool:
        """A line of the chunked coding: a size, the end of a chunk, a trailer."""
        at = self._held.find(b"\r\n")
        if at < 0 or at > LINE_MOST:
            if len(self._held) > LINE_MOST:
                raise BadAnswer("a chunk of the answer is malformed", "not_http")
            return False
        line = bytes(self._held[:at])
        del self._held[:at + 2]
        if self._after_chunk:
            if line:
                raise BadAnswer("a chunk of the answer is malformed", "not_http")
            self._after_chunk = False
        elif self._trailers:
            self.done = not line
        else:
            self._left = self._chunk_size(line)
            self._trailers = self._left == 0
        return True

    @staticmethod
    def _chunk_size(line: bytes) -> int:
        digits = line.split(b";")[0].strip()
        if not 0 < len(digits) < 16 or any(c not in b"0123456789abcdefABCDEF" for c in digits):
            raise BadAnswer("a chunk of the answer is malformed", "not_http")
        return int(digits, 16)
