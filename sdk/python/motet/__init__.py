"""Motet from Python: the engine in this process, and a client of its server."""
from .aio import AsyncClient
from .client import Client
from ._events import Event
from ._wire import CallOptions
from .engine import Conflict, Contract, Facts, Flow, FlowHost, Verdicts, version
from .errors import *  # noqa: F401,F403
from .errors import __all__ as _errors
from .receipts import Checked, verify_receipt

__version__ = "0.1.0"
__all__ = ["AsyncClient", "CallOptions", "Checked", "Client", "Conflict", "Contract", "Event", "Facts", "Flow",
           "FlowHost", "Verdicts", "verify_receipt", "version", *_errors]
