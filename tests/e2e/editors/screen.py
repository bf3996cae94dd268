"""screen.py OUT.svg: a screen of Neovim with a contract that has slips, as a picture.

Neovim runs in a tmux of its own; what stands on its screen is drawn as SVG, colours and all.
MOTET is the program. docs/learn/editors.md shows the picture; tests/e2e/test_editors.py makes it."""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
COLUMNS, ROWS, SHOWN = 116, 48, 36  # there is more room below the name than above it: its window opens there
CELL, LINE, MARGIN = 8, 18, 14
GROUND, INK = "#1b2330", "#d8dee9"
CONTRACT = """\
// An order is paid by a clerk, if it is small.
persona clerk
fact total { type: Int(min: 0, max: 1000) source: "shop.total" }
fact rush  { type: Bool source: "shop.rush" }

operation pay {
  allowed_personas: [clark]
  precondition:     verdict_present(is_small)
  effects:          [(Order, open, paid)]
  error_contract:   [precondition_failed, persona_rejected]
}

entity Order {
  states:      [open, paid]
  initial:     open
  transitions: [(open, paid)]
}

rule small {
  stratum: 0
  when:    total <= 100
  produce: verdict is_small { payload: Bool = true }
}
"""
HOVER = r"verdict \zsis_small {"


def look(folder):
    """Lines of the screen, with their escape sequences."""
    (folder / "order.tenor").write_text(CONTRACT)
    env = {**os.environ, "MOTET_SOURCE": str(SOURCE), "CONTRACT": "order.tenor", "ANSWER": str(folder / "done"), "HOVER": HOVER,
           "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    tmux = ["tmux", "-S", str(folder / "socket"), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", str(folder),
                    "nvim", "--clean", "-S", str(HERE / "screen.lua")], env=env, cwd=folder, check=True)
    try:
        subprocess.run([*tmux, "set", "-g", "status", "off"], check=True)
        end = time.monotonic() + 60
        while not (folder / "done").exists():
            assert time.monotonic() < end, "Neovim has shown nothing"
            time.sleep(0.1)
        seen = subprocess.run([*tmux, "capture-pane", "-e", "-N", "-p"], check=True, capture_output=True, text=True)
        return seen.stdout.split("\n")[:SHOWN]
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def cells(line):
    """(character, style) of each cell; a style is colour, ground, bold, wave."""
    style, out = {}, []
    for part in re.finditer(r"\x1b\[([\d;:]*)m|\x1b\S|(.)", line):
        if part[2] is not None:
            out.append((part[2], dict(style)))
        elif part[1] is not None:
            apply(style, part[1])
    return out


def colour(numbers):
    """Behind 38 or 48: of 256, or as it is."""
    if numbers and numbers[0] == 2:
        return "#%02x%02x%02x" % tuple(numbers[-3:] if len(numbers) > 4 else numbers[1:4])
    return None


def apply(style, codes):
    words = re.split(";", codes or "0")
    while words:
        numbers = [int(n or 0) for n in words.pop(0).split(":")]
        if numbers[0] in (38, 48, 58) and len(numbers) == 1:
            count = 4 if words and words[0] == "2" else 2
            numbers += [int(w) for w in words[:count]]
            del words[:count]
        key = {38: "fg", 48: "bg", 58: "sp"}.get(numbers[0])
        if key:
            style[key] = colour(numbers[1:]) or style.get(key)
        elif numbers[0] == 0:
            style.clear()
        elif numbers[0] == 4:
            style["wave"] = numbers[-1] != 0 or len(numbers) == 1
        elif numbers[0] in (1, 7):
            style[{1: "bold", 7: "reverse"}[numbers[0]]] = True
        elif numbers[0] in (22, 24, 27, 39, 49, 59):
            style.pop({22: "bold", 24: "wave", 27: "reverse", 39: "fg", 49: "bg", 59: "sp"}[numbers[0]], None)


def runs(row):
    """Neighbours of one style together: column, text, style."""
    found = []
    for column, (character, style) in enumerate(row):
        if found and found[-1][2] == style:
            found[-1][1] += character
        else:
            found.append([column, character, style])
    return found


def draw(lines):
    width, height = COLUMNS * CELL + 2 * MARGIN, SHOWN * LINE + 2 * MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" role="img">')
    yield "<title>A contract in Neovim: two slips told where they stand, and what a verdict is</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>'
    for number, line in enumerate(lines):
        top = MARGIN + number * LINE
        for column, text, style in runs(cells(line)):
            x, wide = MARGIN + column * CELL, len(text) * CELL
            ink, ground = style.get("fg", INK), style.get("bg")
            if style.get("reverse"):
                ink, ground = ground or GROUND, ink
            if ground:
                yield f'<rect x="{x}" y="{top}" width="{wide}" height="{LINE}" fill="{ground}"/>'
            if style.get("wave"):
                yield (f'<path d="M{x} {top + 16}' + " q2 -3 4 0 t4 0" * len(text) +
                       f'" fill="none" stroke="{style.get("sp", ink)}"/>')
            if text.strip():
                bold = ' font-weight="bold"' if style.get("bold") else ""
                blank = len(text) - len(text.lstrip())
                text = text.strip()
                yield (f'<text x="{x + blank * CELL}" y="{top + 13}" textLength="{len(text) * CELL}" fill="{ink}"{bold} '
                       f'xml:space="preserve">{html.escape(text)}</text>')
    yield "</svg>"


def main():
    with tempfile.TemporaryDirectory() as folder:
        lines = look(pathlib.Path(folder))
    pathlib.Path(sys.argv[1]).write_text("\n".join(draw(lines)) + "\n")


main()
