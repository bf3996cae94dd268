"""Markdown as far as links need it: which documents there are, what they link to, which anchors they have."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = "docs/README.md"
# Output and lists that tests compare, build directories, packages of others: not documents of ours.
NOT_OURS = re.compile(r"(^|/)(\.\w[^/]*|build[^/]*|node_modules|golden|_deps)/|^tests/mutants\.md$")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})[^\n]*\n.*?^ *\2[ \t]*$", re.S | re.M)
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HTML = re.compile(r"\b(?:href|src|srcset)=\"([^\"\s]+)\"")
HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$", re.M)

Link = collections.namedtuple("Link", "line target")


def documents(root=ROOT):
    """Paths of all pages, relative to the root."""
    found = (str(path.relative_to(root)) for path in root.rglob("*.md"))
    return sorted(name for name in found if not NOT_OURS.search(name))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def prose(text):
    """The text without code, its lines where they were."""
    text = FENCE.sub(blank, text)
    return re.sub(r"(`+)(?:(?!\n\n).)+?\1", blank, text, flags=re.S)


def links(text):
    text = prose(text)
    for pattern in (LINK, HTML):
        for match in pattern.finditer(text):
            yield Link(text.count("\n", 0, match.start()) + 1, match.group(1))


def plain(heading):
    """The words of a heading: links are their text, and signs of emphasis go."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[`*]", "", heading)


def slug(words, taken):
    """The anchor that forges give a heading; the second of a name gets a number."""
    name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
    count = taken.get(name, 0)
    taken[name] = count + 1
    return f"{name}-{count}" if count else name


def headings(text):
    """(level, words, anchor) of each heading outside code."""
    taken = {}
    for match in HEADING.finditer(FENCE.sub(blank, text)):
        words = plain(match.group(2))
        yield len(match.group(1)), words, slug(words, taken)


def anchors(text):
    """What a link into the page can lead to: headings, and places that have a name."""
    return {anchor for _, _, anchor in headings(text)} | set(re.findall(r"<a id=\"([^\"]+)\"", prose(text)))


def title(text):
    return next((words for _, words, _ in headings(text)), "")


def is_outside(target):
    return re.match(r"[a-z][a-z0-9+.-]*:|//", target) is not None


def resolve(page, target):
    """What a link of a page leads to: (path relative to the root, anchor)."""
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    parts = []
    for part in (pathlib.PurePosixPath(page).parent / path).parts:
        if part == "..":
            if not parts:
                return "..", anchor  # out of the tree: nothing is there
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or ".", anchor
