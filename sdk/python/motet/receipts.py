"""Receipts and ledgers, checked offline by the engine with the keys you trust.

    checked = verify_receipt(answer["receipt"], keys=["d4cc…"], domain="acme.test.eu", complete=True)

What does not hold is a VerificationError that says why; docs/reference/receipts.md says what is shown by
what holds.
"""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Union

from ._library import library, str_of
from .engine import answer_of, json_text, options_text
from .errors import MotetError, UsageError, VerificationError

Document = Union[Mapping[str, Any], str, bytes]


@dataclass(frozen=True)
class Checked:
    """What was verified, as `motet receipt verify --json` tells it."""

    receipts: List[Dict[str, Any]]

    @property
    def complete(self) -> bool:
        """False: one is a promise that no checkpoint covers yet."""
        return all(receipt.get("complete") for receipt in self.receipts)

    @property
    def record(self) -> int:
        """The record that the first is about."""
        return int(self.receipts[0]["record"])


def refuse(message: str, kind: str, _: bytes) -> MotetError:
    return UsageError(message, kind) if kind == "usage" else VerificationError(message, kind)


def keys_of(keys: Sequence[str]) -> List[str]:
    if isinstance(keys, (str, bytes)) or not isinstance(keys, Sequence):
        raise UsageError("keys are a list of texts", "usage", "keys")
    return [str(key).strip() for key in keys]


def verify(function: Any, document: Document, options: Dict[str, Any]) -> List[Dict[str, Any]]:
    """What the engine says, a line for each; raises what does not hold."""
    if options.get("witnesses"):
        options.setdefault("now", int(time.time()))
    said = answer_of(refuse, function, str_of(json_text(document, "a document")), str_of(options_text(options)))
    told: List[Dict[str, Any]] = said.lines
    if not said.holds or not told:
        problem = told[-1].get("problem") if told else None
        raise VerificationError(str(problem or "it does not hold"), "does_not_hold")
    return told


def verify_receipt(receipt: Document, keys: Sequence[str], **demands: Any) -> Checked:
    """One receipt, or one on each line. `keys` are those of who may have signed; demands: complete,
    domain, ledger, origin, witnesses, witness_quorum, now."""
    return Checked(verify(library().receipt_verify, receipt, {"keys": keys_of(keys), **demands}))


def verify_ledger(export: Union[str, bytes], keys: Sequence[str] = (), **demands: Any) -> Dict[str, Any]:
    """An exported ledger: the chain, the tree, every checkpoint. Demands: domain, checkpoint,
    require_signature, note, origin, witnesses, witness_quorum, now."""
    return verify(library().ledger_verify, export, {"keys": keys_of(keys) or None, **demands})[0]
