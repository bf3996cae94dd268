"""The pictures of docs/images that are made here: boxes and arrows from tables, and what `motet` draws.

Boxes stand on a grid. A row of BOXES: name, column, row, words (a line break with |), kind. ARROWS: from, to, words.
Kinds have the colours that `motet` gives its own pictures; every picture has a dark form."""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from . import text

WIDE, HIGH, STEP_X, STEP_Y, EDGE = 178, 54, 228, 94, 12
STYLE = """svg{background:#ffffff}text{font:13px "DejaVu Sans",system-ui,sans-serif;fill:#1c2430;text-anchor:middle}
.said{font-size:11px;fill:#5a6675;paint-order:stroke;stroke:#ffffff;stroke-width:4px}
rect{fill:#f7f8fa;stroke:#5b6675;stroke-width:1.3}path{stroke:#5b6675;stroke-width:1.3;fill:none}#tip path{fill:#5b6675;stroke:none}
.ours rect{fill:#dbe8fd;stroke:#1d4ed8}.kept rect{fill:#d9f2e3;stroke:#0f7455}.people rect{fill:#fdecc8;stroke:#b45309}.no rect{fill:#fde2de;stroke:#b3261e}
@media (prefers-color-scheme:dark){svg{background:#11161d}text{fill:#e6ebf1}.said{fill:#9aa7b6;stroke:#11161d}
rect{fill:#1c232d;stroke:#9aa7b6}path{stroke:#9aa7b6}#tip path{fill:#9aa7b6}
.ours rect{fill:#1e3a5f;stroke:#7ab0ff}.kept rect{fill:#173d27;stroke:#6fcf97}.people rect{fill:#4a3410;stroke:#f0b84a}.no rect{fill:#47150f;stroke:#ff8a7a}}"""

PICTURES = {
    "map": ("One engine: people write a contract, callers ask, the ledger remembers",
            [("author", 0, 0, "author|writes what may happen", "people"), ("contract", 1, 0, "contract|checked before it runs", "ours"),
             ("engine", 2, 0, "engine|decides, and says why", "ours"), ("store", 3, 0, "store|SQLite, PostgreSQL", "kept"),
             ("caller", 1, 1, "programs, people, agents|ask to act", "people"), ("ledger", 3, 1, "ledger|every decision, chained", "kept"),
             ("refusal", 2, 1, "refusal|with its reason", "no"), ("auditor", 4, 1, "auditor|verifies offline", "people")],
            [("author", "contract", ""), ("contract", "engine", ""), ("engine", "store", ""), ("caller", "engine", "calls"),
             ("engine", "refusal", ""), ("store", "ledger", "same commit"), ("ledger", "auditor", "export")]),
    "pipeline": ("From text to bundle to answer",
                 [("text", 0, 0, ".tenor text", "people"), ("read", 1, 0, "lex and parse|every fault at once", "ours"),
                  ("bind", 2, 0, "names, types, strata|passes 1 to 5", "ours"), ("bundle", 3, 0, "bundle|canonical JSON, etag", "kept"),
                  ("facts", 2, 2, "facts|JSON, typed", "people"), ("program", 3, 1, "program|compiled once", "ours"),
                  ("evaluate", 2, 1, "evaluate|facts to verdicts", "ours"), ("answer", 1, 1, "verdicts,|with provenance", "kept")],
                 [("text", "read", ""), ("read", "bind", ""), ("bind", "bundle", ""), ("bundle", "program", ""),
                  ("program", "evaluate", ""), ("facts", "evaluate", ""), ("evaluate", "answer", "")]),
    "call": ("What happens to a call",
             [("call", 0, 0, "call|persona, facts, bindings", "people"), ("who", 1, 0, "who is it?|token, login, certificate", "ours"),
              ("facts", 2, 0, "facts|given and fetched", "ours"), ("decide", 3, 0, "decide|verdicts, precondition", "ours"),
              ("commit", 4, 0, "one commit|effects and record", "kept"), ("refused", 3, 1, "refused|code and reasons", "no"),
              ("answer", 4, 1, "answer|receipt, if asked for", "kept")],
             [("call", "who", ""), ("who", "facts", ""), ("facts", "decide", ""), ("decide", "commit", "yes"), ("decide", "refused", "no"),
              ("refused", "answer", ""), ("commit", "answer", "")]),
    "chain": ("A ledger: records in a chain, checkpoints over all before them",
              [("r0", 0, 0, "record 0|hash", "kept"), ("r1", 1, 0, "record 1|hash of 0 and itself", "kept"), ("r2", 2, 0, "record 2|hash of 1 and itself", "kept"),
               ("cp", 2, 1, "checkpoint|root of 0 to 2, signed", "ours"), ("w", 3, 1, "witness|co-signs", "people"), ("proof", 1, 1, "proof of one record|a few hashes", "people")],
              [("r0", "r1", ""), ("r1", "r2", ""), ("r2", "cp", ""), ("cp", "w", ""), ("cp", "proof", "")]),
    "replay": ("A graph run, its capture, and the same run again",
               [("event", 0, 0, "event|from outside", "people"), ("graph", 1, 0, "graph|one pass, no clock", "ours"), ("intent", 2, 0, "intents|to channels", "people"),
                ("capture", 1, 1, "capture|events and decisions", "kept"), ("again", 2, 1, "replay|byte for byte", "ours"), ("other", 3, 1, "what if|another graph", "ours")],
               [("event", "graph", ""), ("graph", "intent", ""), ("graph", "capture", ""), ("capture", "again", ""), ("again", "other", "")]),
    "doors": ("Three ways for an agent to come under a contract",
              [("agent", 0, 1, "agent", "people"), ("guard", 1, 0, "motet guard|tools you have", "ours"), ("mcp", 1, 1, "motet mcp|your operations as tools", "ours"),
               ("hook", 1, 2, "guard hook|coding agents", "ours"), ("server", 2, 0, "a server|of tools", "people"), ("contract", 2, 1, "contract", "kept"),
               ("ledger", 3, 1, "ledger", "kept")],
              [("agent", "guard", ""), ("agent", "mcp", ""), ("agent", "hook", ""), ("guard", "server", ""), ("guard", "contract", ""), ("mcp", "contract", ""),
               ("hook", "contract", ""), ("contract", "ledger", "")]),
    "versions": ("A new version while flows are under way",
                 [("old", 0, 0, "version 1|serves", "kept"), ("diff", 1, 0, "diff|classified changes", "ours"), ("new", 2, 0, "version 2|serves from now on", "kept"),
                  ("flow", 0, 2, "flows under way", "people"), ("stay", 1, 1, "blue_green|end under version 1", "ours"), ("go", 1, 2, "force_migrate|go on under version 2", "ours"),
                  ("abort", 1, 3, "abort|if it cannot go on", "no")],
                 [("old", "diff", ""), ("diff", "new", "policy"), ("flow", "stay", ""), ("flow", "go", ""), ("flow", "abort", "")]),
    "rights": ("Who you are, which persona you act as, what you may read",
               [("token", 0, 0, "token", "people"), ("login", 0, 1, "login (OIDC)", "people"), ("cert", 0, 2, "certificate", "people"),
                ("who", 1, 1, "identity", "ours"), ("persona", 2, 0, "personas|may act", "ours"), ("rights", 2, 2, "rights|may read, deploy, …", "ours"),
                ("contract", 3, 0, "contract decides", "kept"), ("server", 3, 2, "server decides", "kept")],
               [("token", "who", ""), ("login", "who", ""), ("cert", "who", ""), ("who", "persona", ""), ("who", "rights", ""), ("persona", "contract", ""), ("rights", "server", "")]),
    "language": ("The constructs of a contract, and what rests on what",
                 [("source", 0, 0, "source|where it comes from", "people"), ("fact", 1, 0, "fact|what the world knows", "people"),
                  ("rule", 2, 0, "rule|what follows", "ours"), ("verdict", 3, 0, "verdict|present or absent", "kept"),
                  ("persona", 1, 1, "persona|who acts", "people"), ("operation", 2, 1, "operation|who, when, what moves", "ours"),
                  ("entity", 3, 1, "entity|its states", "kept"), ("flow", 2, 2, "flow|operations in order", "ours"),
                  ("system", 3, 2, "System|contracts together", "ours")],
                 [("source", "fact", ""), ("fact", "rule", ""), ("rule", "verdict", ""), ("verdict", "operation", "when"),
                  ("persona", "operation", ""), ("operation", "entity", "moves"), ("flow", "operation", "calls"), ("flow", "system", "in")]),
    "evaluation": ("From facts to verdicts, level by level",
                   [("given", 0, 0, "facts|given or fetched", "people"), ("set", 1, 0, "fact set|every value typed", "ours"),
                    ("s0", 2, 0, "stratum 0|rules over facts", "ours"), ("s1", 2, 1, "stratum 1, 2, …|rules over verdicts", "ours"),
                    ("verdicts", 3, 0, "verdicts|each with what it used", "kept"), ("default", 0, 1, "defaults|of the contract", "people"),
                    ("fault", 1, 1, "a typed error|then nothing is decided", "no")],
                   [("given", "set", ""), ("default", "set", ""), ("set", "s0", ""), ("s0", "s1", ""), ("s0", "verdicts", ""),
                    ("s1", "verdicts", ""), ("set", "fault", "")]),
    "fact": ("The way of a fact from its source to a verdict",
             [("contract", 0, 0, "the contract says what|source and path", "people"), ("config", 0, 1, "the settings say how|address, credentials", "people"),
              ("adapter", 1, 0, "adapter|asks, within a deadline", "ours"), ("world", 1, 1, "the source|HTTP, SQL, gRPC, …", "people"),
              ("typed", 2, 0, "value|checked against its type", "ours"), ("fault", 2, 1, "on_error|fail, default or stale", "no"),
              ("verdict", 3, 0, "verdict|rests on it", "kept"), ("record", 3, 1, "record|value and provenance", "kept")],
             [("contract", "adapter", ""), ("config", "adapter", ""), ("adapter", "world", "asks"), ("adapter", "typed", ""),
              ("adapter", "fault", "fails"), ("typed", "verdict", ""), ("verdict", "record", "")]),
    "relay": ("Agents, their relays, and the bus between relays",
              [("one", 0, 0, "agent|motet agent run", "people"), ("two", 0, 1, "agent|of another library", "people"),
               ("here", 1, 0, "relay|one line to all others", "ours"), ("bus", 2, 0, "bus|NATS, one room", "ours"),
               ("there", 3, 0, "relay|of the same room", "ours"), ("stream", 2, 1, "stream|with --durable: kept", "kept"), ("three", 3, 1, "agent|hears it once", "people")],
              [("one", "here", ""), ("two", "here", ""), ("here", "bus", ""), ("bus", "there", ""), ("bus", "stream", ""), ("there", "three", "")]),
    "guard": ("A contract between an agent and a server of tools",
              [("agent", 0, 0, "the agent|asks for a tool", "people"), ("guard", 1, 0, "motet guard|stands between", "ours"),
               ("server", 2, 0, "the server of tools|somebody else wrote it", "people"), ("contract", 1, 1, "contract|decided before", "kept"),
               ("ledger", 2, 1, "ledger|recorded before", "kept")],
              [("agent", "guard", ""), ("guard", "server", "yes"), ("guard", "contract", "asks"), ("contract", "ledger", "")]),
    "guarded": ("What becomes of a guarded call",
                [("call", 0, 0, "call of a tool", "people"), ("decide", 1, 0, "the contract decides", "ours"),
                 ("allowed", 2, 0, "allowed|recorded, then called", "ours"), ("done", 3, 0, "done|effects committed", "kept"),
                 ("refused", 1, 1, "refused|with its reasons", "no"), ("unknown", 2, 1, "nobody knows|held, never tried again", "people"),
                 ("failed", 3, 1, "failed|nothing moves", "no"), ("resolve", 2, 2, "motet guard resolve|done or failed", "people")],
                [("call", "decide", ""), ("decide", "allowed", "yes"), ("decide", "refused", "no"), ("allowed", "done", ""),
                 ("allowed", "failed", ""), ("allowed", "unknown", ""), ("unknown", "resolve", "somebody finds out")]),
    "dry-run": ("A dry run does everything but the deed",
                [("call", 0, 0, "the call|as it would be", "people"), ("decide", 1, 0, "decide|facts, states, condition", "ours"),
                 ("answer", 2, 0, "dry_run: the answer|nothing is written", "people"), ("refused", 1, 1, "refused|with the same status", "no"),
                 ("commit", 2, 1, "without: one commit|effects and record", "kept")],
                [("call", "decide", ""), ("decide", "answer", "yes"), ("decide", "commit", ""), ("decide", "refused", "no")]),
    "discovery": ("Everything from one address",
                  [("url", 0, 0, "somebody knows a URL|and nothing else", "people"), ("ask", 1, 0, "/.well-known/tenor|one request", "ours"),
                   ("manifest", 2, 0, "manifest|with its etag", "kept"), ("bundle", 3, 0, "bundle|the whole contract", "kept"),
                   ("again", 2, 1, "asked again: 304|while nothing changed", "ours"), ("may", 3, 1, "who may do what|follows from it", "people")],
                  [("url", "ask", ""), ("ask", "manifest", ""), ("manifest", "bundle", "has"), ("manifest", "again", ""), ("bundle", "may", "")]),
    "generate": ("One contract, five targets",
                 [("contract", 0, 1, "contract|.tenor or bundle", "people"), ("generate", 1, 1, "motet generate|always the same bytes", "ours"),
                  ("c", 2, 0, "C|an evaluator", "kept"), ("schema", 2, 1, "JSON Schema|facts, bodies, answers", "kept"),
                  ("client", 2, 2, "TypeScript, Python, Go|types and a client", "kept"), ("device", 3, 0, "your program|decides by itself", "people"),
                  ("forms", 3, 1, "forms and checks", "people"), ("serve", 3, 2, "motet serve|decides", "ours")],
                 [("contract", "generate", ""), ("generate", "c", ""), ("generate", "schema", ""), ("generate", "client", ""),
                  ("c", "device", ""), ("schema", "forms", ""), ("client", "serve", "HTTP")]),
    "mcp": ("A contract as tools of one persona",
            [("agent", 0, 0, "agent|calls a tool", "people"), ("mcp", 1, 0, "motet mcp|tools of one persona", "ours"),
             ("decide", 2, 0, "the contract decides|states, facts, rights", "ours"), ("ledger", 3, 0, "ledger|every decision", "kept"),
             ("facts", 1, 1, "facts|sources and defaults", "people"), ("refused", 2, 1, "refused|a result with reasons", "no"),
             ("waits", 3, 1, "a flow waits|for somebody else", "people")],
            [("agent", "mcp", ""), ("mcp", "decide", ""), ("decide", "ledger", ""), ("facts", "decide", ""), ("decide", "refused", "no"), ("decide", "waits", "")]),
    "operations": ("What goes into a server, and where one looks",
                   [("config", 0, 0, "settings|--check-config first", "people"), ("doctor", 0, 1, "motet doctor|is the machine well?", "people"),
                    ("hup", 0, 2, "SIGHUP|new certificates", "people"), ("serve", 1, 1, "motet serve", "ours"),
                    ("ready", 2, 0, "/healthz, /readyz|does it take calls?", "kept"), ("metrics", 2, 1, "/metrics|figures", "kept"),
                    ("log", 2, 2, "log and traces|what fails, what is slow", "kept")],
                   [("config", "serve", ""), ("doctor", "serve", ""), ("hup", "serve", ""), ("serve", "ready", ""), ("serve", "metrics", ""), ("serve", "log", "")]),
    "nodes": ("Several servers on one database",
              [("callers", 0, 1, "callers|through a balancer", "people"), ("one", 1, 0, "motet serve", "ours"), ("two", 1, 2, "motet serve", "ours"),
               ("database", 2, 1, "PostgreSQL|instances, flows, tokens", "kept"), ("ledger", 3, 1, "ledger|chained by one of them", "kept")],
              [("callers", "one", ""), ("callers", "two", ""), ("one", "database", ""), ("two", "database", ""), ("database", "ledger", "")]),
    "trust": ("Who vouches for a contract, and who can check it",
              [("contract", 0, 0, "contract", "people"), ("etag", 1, 0, "etag|SHA-256 of the bundle", "ours"),
               ("sign", 2, 0, "motet sign|with the secret key", "ours"), ("manifest", 3, 0, "manifest|signature and etag", "kept"),
               ("changed", 2, 1, "one byte changed|does not verify", "no"), ("verify", 3, 1, "motet verify|with the public key", "people")],
              [("contract", "etag", ""), ("etag", "sign", ""), ("sign", "manifest", ""), ("manifest", "verify", ""), ("verify", "changed", "")]),
    "wasm": ("One engine in three places, the same answers",
             [("engine", 0, 1, "the engine|one source in C", "ours"), ("program", 1, 0, "motet|program and server", "ours"),
              ("wasm", 1, 1, "motet.wasm|no files, no clock", "ours"), ("library", 1, 2, "libmotet|a C library", "ours"),
              ("page", 2, 1, "a page, or Node|through sdk/js", "people"), ("same", 3, 1, "the same answers|byte for byte", "kept"),
              ("shell", 2, 0, "a shell, or HTTP", "people"), ("own", 2, 2, "your program", "people")],
             [("engine", "program", ""), ("engine", "wasm", ""), ("engine", "library", ""), ("program", "shell", ""), ("wasm", "page", ""), ("library", "own", ""),
              ("shell", "same", ""), ("page", "same", ""), ("own", "same", "")]),
    "library": ("The handles of the library, and what comes out of them",
                [("source", 0, 0, "source text|of a contract", "people"), ("contract", 1, 0, "motet_contract|loaded once", "ours"),
                 ("answer", 2, 0, "motet_answer|explain, analyze, ask", "ours"), ("text", 3, 0, "text or JSON|as the command has it", "kept"),
                 ("given", 0, 1, "facts as JSON", "people"), ("facts", 1, 1, "motet_facts|read again and again", "ours"),
                 ("verdicts", 2, 1, "motet_verdicts|evaluated", "ours"), ("json", 3, 1, "JSON|as the command has it", "kept")],
                [("source", "contract", ""), ("contract", "answer", ""), ("answer", "text", ""), ("contract", "facts", "types"), ("given", "facts", ""),
                 ("facts", "verdicts", ""), ("verdicts", "json", "")]),
    "sdks": ("Two ways from a program to a decision",
             [("program", 0, 0, "your program|Python, JavaScript, Go", "people"), ("client", 1, 0, "client|keys, retries, events", "ours"),
              ("serve", 2, 0, "motet serve|acts and records", "kept"), ("engine", 1, 1, "engine in the process|Python, JavaScript", "ours"),
              ("verdicts", 2, 1, "verdicts|no server, no network", "kept")],
             [("program", "client", ""), ("client", "serve", "HTTP"), ("program", "engine", ""), ("engine", "verdicts", "")]),
    "whatif": ("Past decisions under another contract",
               [("ledger", 0, 0, "ledger|facts, personas, states", "kept"), ("again", 1, 0, "decided again|one by one", "ours"), ("same", 2, 0, "comes out the same", "kept"),
                ("new", 0, 1, "the new contract|not in use yet", "people"), ("differs", 2, 1, "comes out differently|with the reason", "no")],
               [("ledger", "again", ""), ("new", "again", ""), ("again", "same", ""), ("again", "differs", "")]),
    "witness": ("A witness signs one history only",
                [("service", 0, 0, "service|signs a checkpoint", "ours"), ("witness", 1, 0, "witness|remembers the last one", "people"),
                 ("note", 2, 0, "cosignature|size and root", "kept"), ("auditor", 3, 0, "auditor|demands witnesses", "people"),
                 ("other", 0, 1, "another history|the same key", "no"), ("refused", 1, 1, "refused|it does not go on", "no")],
                [("service", "witness", "proof"), ("witness", "note", ""), ("note", "auditor", ""), ("other", "witness", ""), ("witness", "refused", "")]),
    "authzen": ("Who asks, who decides, who enforces",
                [("user", 0, 0, "user|wants to do something", "people"), ("gateway", 1, 0, "your gateway (PEP)|asks, then enforces", "people"),
                 ("serve", 2, 0, "motet serve (PDP)|a dry run of it", "ours"), ("ledger", 3, 0, "ledger|every answer", "kept"),
                 ("yes", 1, 1, "decision: true|let through", "kept"), ("no", 2, 1, "decision: false|with its reason", "no")],
                [("user", "gateway", ""), ("gateway", "serve", "may?"), ("serve", "ledger", ""), ("serve", "yes", ""), ("serve", "no", "")]),
    "commands": ("The commands, in the order of a contract's life",
                 [("write", 0, 0, "write|init, fmt, check", "people"), ("try", 1, 0, "try|eval, flow, test, repl", "ours"),
                  ("know", 2, 0, "know before|analyze, ask, diff", "ours"), ("run", 3, 0, "run|serve, deploy, studio", "ours"),
                  ("keep", 4, 0, "keep|backup, restore, store", "kept"), ("join", 0, 1, "join|connect, generate", "people"),
                  ("agents", 1, 1, "for AI agents|guard, mcp", "people"), ("streams", 2, 1, "streams and agents|graph, agent", "ours"),
                  ("show", 3, 1, "show|ledger, receipt", "kept"), ("back", 4, 1, "look back|audit, whatif", "kept")],
                 [("write", "try", ""), ("try", "know", ""), ("know", "run", ""), ("run", "keep", ""), ("run", "show", ""), ("show", "back", "")]),
    "codes": ("Which part of the program reports which codes",
              [("text", 0, 0, ".tenor text", "people"), ("front", 1, 0, "elaborated|T001 to T710", "ours"), ("bundle", 2, 0, "bundle", "kept"),
               ("admit", 3, 0, "validated and loaded|B001 …, L101 …", "ours"), ("analyze", 3, 1, "analysed|S101 to S910", "ours"),
               ("graph", 1, 1, "graphs, adapters|rules with names", "ours"), ("yaml", 0, 1, "graphs|YAML or JSON", "people")],
              [("text", "front", ""), ("front", "bundle", ""), ("bundle", "admit", ""), ("admit", "analyze", ""), ("yaml", "graph", "")]),
    "settings": ("Where a setting comes from, and who looks at it first",
                 [("default", 0, 0, "default|of the program", "ours"), ("file", 1, 0, "file|--config motet.yaml", "people"),
                  ("option", 2, 0, "option|on the command line", "people"), ("serve", 3, 0, "motet serve|runs with the last", "ours"),
                  ("check", 1, 1, "--check-config|starts nothing", "ours"), ("fault", 2, 1, "unknown key|refused with its line", "no")],
                 [("default", "file", ""), ("file", "option", ""), ("option", "serve", ""), ("file", "check", ""), ("check", "fault", "")]),
    "interchange": ("Two elaborators, one bundle, one gate",
                    [("ours", 0, 0, "Motet|elaborates .tenor text", "ours"), ("theirs", 0, 1, "another elaborator|the same text", "people"),
                     ("bundle", 1, 0, "bundle|the same bytes", "kept"), ("etag", 2, 0, "etag|one hash names it", "kept"),
                     ("gate", 1, 1, "admission|validated, then loaded", "ours"), ("refused", 2, 1, "refused|B001 …, L101 …", "no")],
                    [("ours", "bundle", ""), ("theirs", "bundle", ""), ("bundle", "etag", ""), ("bundle", "gate", ""), ("gate", "refused", "")]),
    "proofs": ("Three answers, and what stands behind each",
               [("question", 0, 0, "question|about every fact set", "people"), ("search", 1, 0, "search and solver", "ours"),
                ("proof", 2, 0, "proof|covers every fact set", "kept"), ("found", 1, 1, "fact set or run|that shows it", "ours"),
                ("confirmed", 2, 1, "run by the evaluator|and only then shown", "kept"), ("unknown", 0, 1, "unknown|with its reason", "no")],
               [("question", "search", ""), ("search", "proof", ""), ("search", "found", ""), ("found", "confirmed", ""), ("search", "unknown", "")]),
    "kinds": ("Four kinds of node, and what goes round",
              [("source", 0, 0, "Source|reads the context", "ours"), ("compute", 1, 0, "Compute|values to values", "ours"),
               ("trigger", 2, 0, "Trigger|emits, or does not", "ours"), ("action", 3, 0, "Action|if its gate is open", "ours"),
               ("event", 0, 1, "event|from outside", "people"), ("context", 1, 1, "context|what was written before", "kept"),
               ("host", 3, 1, "host|does what is proposed", "people")],
              [("source", "compute", ""), ("compute", "trigger", ""), ("trigger", "action", "event"), ("event", "source", ""),
               ("context", "source", ""), ("action", "host", "effects"), ("host", "context", "for the next event")]),
    "obligations": ("An obligation, its test, and where it runs",
                    [("obligation", 0, 0, "obligation|E1 to E20, M1 to M8, …", "people"), ("test", 1, 0, "a test|named after it", "ours"),
                     ("sqlite", 2, 0, "run on SQLite", "kept"), ("page", 0, 1, "this page|names the tests", "people"),
                     ("compared", 1, 1, "a test of the page|is every name there?", "ours"), ("postgres", 2, 1, "run on PostgreSQL", "kept")],
                    [("obligation", "test", ""), ("test", "sqlite", ""), ("test", "postgres", ""), ("page", "compared", ""), ("compared", "test", "")]),
    "store": ("One transaction for everything that must agree",
              [("calls", 0, 0, "calls|of many callers", "people"), ("group", 1, 0, "a commit group|one transaction", "ours"),
               ("rows", 2, 0, "instances, flows|and kept answers", "kept"), ("store", 3, 0, "store|SQLite or PostgreSQL", "kept"),
               ("told", 1, 1, "answered|when it is durable", "people"), ("ledger", 2, 1, "records of the ledger|and the outbox", "kept")],
              [("calls", "group", ""), ("group", "rows", ""), ("group", "ledger", ""), ("group", "told", ""), ("rows", "store", ""), ("ledger", "store", "")]),
    "backup": ("A copy while the server runs, and the way back",
               [("serve", 0, 0, "motet serve|goes on", "ours"), ("store", 1, 0, "store", "kept"), ("backup", 2, 0, "motet backup|reads one moment", "ours"),
                ("copy", 3, 0, "copy|every record verified", "kept"), ("refused", 1, 1, "a changed copy|is refused", "no"),
                ("restore", 2, 1, "motet restore|verifies once more", "ours"), ("other", 3, 1, "a new store", "kept")],
               [("serve", "store", ""), ("store", "backup", ""), ("backup", "copy", ""), ("copy", "restore", ""), ("restore", "other", ""), ("restore", "refused", "")]),
    "ci": ("What a pipeline asks of a change",
           [("change", 0, 0, "a change|of a contract", "people"), ("check", 1, 0, "does it hold?|motet check", "ours"),
            ("test", 2, 0, "do scenarios pass?|motet test", "ours"), ("diff", 3, 0, "what may it break?|motet diff", "ours"),
            ("deployed", 3, 1, "what is deployed|a server, or a file", "kept"), ("report", 2, 1, "reports|for people and programs", "kept"),
            ("merge", 1, 1, "somebody decides|and merges", "people")],
           [("change", "check", ""), ("check", "test", ""), ("test", "diff", ""), ("deployed", "diff", ""), ("diff", "report", ""), ("report", "merge", "")]),
    "connect": ("From somebody else's schema to settings of a source",
                [("schema", 0, 0, "their schema|OpenAPI, SQL, gRPC, …", "people"), ("facts", 0, 1, "your contract|the facts it needs", "people"),
                 ("propose", 1, 0, "motet connect|proposes, and says why", "ours"), ("review", 2, 0, "review.yaml|you read and edit it", "people"),
                 ("apply", 3, 0, "--apply|checks what you accept", "ours"), ("settings", 3, 1, "settings|of the source", "kept"), ("try", 2, 1, "--try|shows the values", "ours")],
                [("schema", "propose", ""), ("facts", "propose", ""), ("propose", "review", ""), ("review", "apply", ""), ("apply", "settings", ""), ("settings", "try", "")]),
    "hour": ("The first hour: from nothing to a served contract",
             [("run", 0, 0, "make run|builds and starts it", "ours"), ("readme", 1, 0, "the README|its commands", "people"), ("own", 2, 0, "a contract|of your own", "people"),
              ("simulated", 2, 1, "simulated|step by step", "ours"), ("served", 1, 1, "served|and called", "kept")],
             [("run", "readme", ""), ("readme", "own", ""), ("own", "simulated", ""), ("simulated", "served", "")]),
}
# name: what `motet` draws, from the root of the tree
DRAWN = {"release": ["analyze", "--draw", "entities,authority", "--svg", "examples/release/release.tenor"],
         "holiday": ["analyze", "--draw", "entities,authority", "--svg", "docs/learn/first-contract.md"]}


def corner(box):
    return EDGE + box[1] * STEP_X, EDGE + box[2] * STEP_Y


def border(box, towards):
    """Where a line from the middle of a box to another's leaves it."""
    (x, y), (u, v) = corner(box), corner(towards)
    x, y, dx, dy = x + WIDE / 2, y + HIGH / 2, u - x, v - y
    scale = min(WIDE / 2 / abs(dx) if dx else 9, HIGH / 2 / abs(dy) if dy else 9)
    return x + dx * scale, y + dy * scale


def arrow(start, end, words):
    (x, y), (u, v) = border(start, end), border(end, start)
    said = f'<text class="said" x="{(x + u) / 2:.0f}" y="{(y + v) / 2 + 4:.0f}">{html.escape(words)}</text>' if words else ""
    return f'<path d="M{x:.0f} {y:.0f}L{u:.0f} {v:.0f}" marker-end="url(#tip)"/>{said}\n'


def box_drawn(box):
    x, y = corner(box)
    lines = box[3].split("|")
    first = y + HIGH / 2 + 5 - 8.5 * (len(lines) - 1)
    words = "".join(f'<text x="{x + WIDE / 2:.0f}" y="{first + 17 * i:.0f}">{html.escape(line)}</text>' for i, line in enumerate(lines))
    return f'<g class="{box[4]}"><rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="9"/>{words}</g>\n'


def picture(name):
    title, boxes, arrows = PICTURES[name]
    by_name = {box[0]: box for box in boxes}
    wide = 2 * EDGE + WIDE + STEP_X * max(box[1] for box in boxes)
    high = 2 * EDGE + HIGH + STEP_Y * max(box[2] for box in boxes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" role="img">\n'
            f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n"
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0 1L10 5L0 9z"/></marker></defs>\n'
            + "".join(arrow(by_name[a], by_name[b], words) for a, b, words in arrows)
            + "".join(map(box_drawn, boxes)) + "</svg>\n")


def contract_of(page):
    """The contract that a tutorial builds up, without its slip."""
    parts = re.findall(r"^```tenor [^\n]+\n(.*?)^```$", page.read_text(), re.S | re.M)
    return "".join(parts).replace("manger", "manager")


def drawn(name):
    motet = os.environ.get("MOTET") or str(text.ROOT / "build" / "motet")
    *words, file = DRAWN[name]
    given = contract_of(text.ROOT / file) if file.endswith(".md") else (text.ROOT / file).read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name + ".tenor")  # its name is the picture's title
        path.write_text(given)
        return subprocess.run([motet, *words, str(path)], check=True, capture_output=True, text=True, timeout=60).stdout


def draw():
    images = text.ROOT / "docs" / "images"
    for name in PICTURES:
        (images / f"{name}.svg").write_text(picture(name))
    for name in DRAWN:
        (images / f"{name}.svg").write_text(drawn(name))
    print(f"{len(PICTURES) + len(DRAWN)} pictures in docs/images", file=sys.stderr)
    return 0
