"""docs/reference/codes.md: every code of `motet help codes`, with what `motet help CODE` says of it."""
import os
import re
import subprocess

from . import text

PAGE = text.ROOT / "docs" / "reference" / "codes.md"
HEAD = """# All codes

What the program reports has a code, and a code keeps its meaning for ever. `motet help CODE` prints the same on your machine; [diagnostics](diagnostics.md) says how
they are reported and to whom. § is the section of [the specification](../README.md#the-specifications), or the name of a constraint there. This page is written by `tools/docs codes`.

![Which part of the program reports which codes](../images/codes.svg)

"""


def motet(*words):
    program = os.environ.get("MOTET") or str(text.ROOT / "build" / "motet")
    return subprocess.run([program, "help", *words], check=True, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "NO_COLOR": "1"}).stdout


def cell(words):
    return re.sub(r"\s+", " ", words).strip().replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def explained(code):
    """(what it means, what to do) by the program's own words."""
    said = motet(code).split("\n", 1)[1]
    meaning, _, rest = said.partition("What to do:")
    advice, _, _ = rest.partition("Specification:")
    return cell(meaning.partition("Specification:")[0]), cell(advice)


PLACE = r"(?:\d[\w.]*|C-SYS-\d+|C-SRC-\d+|AL\d+|S\d)"  # a section, or a constraint by its name
OF = {"C-SYS-": 12, "C-SRC-": 5, "S": 16}  # where constraints and obligations of a name are
PLACES = rf"{PLACE}(?:, {PLACE})*"


def place(name):
    """A section as a link to what the index says of it; a constraint to that of its section."""
    section = re.match(r"\d*", name).group(0) or OF.get(name.rstrip("0123456789"))
    return f"[{name}](../README.md#section-{section})" if section else name


def row(line):
    code, title, places = re.fullmatch(rf"  (\S+) +(.*?)(?: {{2,}}| (?={PLACES}$)|$)({PLACES}|)", line.rstrip()).groups()
    meaning, advice = explained(code)
    linked = ", ".join(map(place, places.split(", ")))
    return f"| <a id=\"{code.lower()}\"></a>`{code}` | {cell(title)} | {linked} | {meaning} | {advice} |\n"


def page():
    diagnostics, _, rules = motet("codes").partition("\nRules of graphs")
    out = HEAD + "## Contracts\n\n| code | title | § | means | what to do |\n|---|---|---|---|---|\n"
    out += "".join(row(line) for line in diagnostics.splitlines()[1:] if line.startswith("  "))
    out += "\n## Graphs, manifests and adapters\n\n| rule | says |\n|---|---|\n"
    for line in rules.splitlines()[1:]:
        code, _, says = line.strip().partition(" ")
        out += f"| `{code}` | {cell(says)} |\n" if code else ""
    return out


def write():
    PAGE.write_text(page())
    return 0
