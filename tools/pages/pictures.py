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
