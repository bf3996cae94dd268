"""Receipts, checked offline by the engine with the keys you trust."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping

from ._library import library


@dataclass(frozen=True)
class Checked:
    """What was found: `complete` is false for a promise that no checkpoint covers yet."""

    complete: bool
    record: int
    key: str


def verify_receipt(receipt: Mapping[str, Any], keys: List[str], **demands: Any) -> Checked:
    library().receipt_verify
    raise NotImplementedError
