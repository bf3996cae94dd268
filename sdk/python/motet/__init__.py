"""Motet from Python: the engine in this process, and a client of its server."""
from .aio import AsyncClient
from .client import Client
from ._events import Event
from ._wire import CallOptions
from .engine import Answer, Conflict, Contract, Facts, Flow, FlowHost, Verdicts, format_source, version
from .errors import *  # noqa: F401,F403
from .errors import __all__ as _errors
from .graph import Emission, Episode, Graph, GraphHost, Primitives
from .receipts import Checked, verify_ledger, verify_receipt

__version__ = "0.1.0"
__all__ = ["Answer", "AsyncClient", "CallOptions", "Checked", "Client", "Conflict", "Contract", "Emission", "Episode",
           "Event", "Facts", "Flow", "Graph", "GraphHost", "Primitives", "format_source",
           "FlowHost", "Verdicts", "verify_ledger", "verify_receipt", "version", *_errors]
