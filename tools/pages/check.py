"""Are the documents whole? Links, anchors, sections of the specification, reachable pages, pictures."""
import os
import re
import xml.etree.ElementTree as tree

from . import text

# What was released is told in the words of then; only what is new must link to what is.
HISTORY = "CHANGELOG.md"
# Where comments and messages name documents, and how.
SOURCES = ("src/**/*", "include/*", "sdk/**/*", "examples/**/*", "schema/*", "editors/**/*", "packaging/*", "tools/*")
MENTION = re.compile(r"(?<![\w./-])docs/[\w/-]+\.md\b")
# A section of the specification, alone and as the words of a link; a link of any kind; a picture with words for who cannot see it.
SECTION = re.compile(r"§\s*(\d+)[\w.]*")
SECTION_LINK = re.compile(r"\[§(\d+)[\w.]*\]\(([^)\s]+)\)")
ANY_LINK = re.compile(r"\[[^\]]*\]\([^)]*\)")
PICTURE = re.compile(r"!\[[^\]]+\]\([^)]+\)|<img\b[^>]*\balt=\"[^\"]+\"")
# Decisions are told in a page of text.
NEEDS_PICTURE = re.compile(r"^docs/(?!adr/)")


def read(root, name):
    content = (root / name).read_text()
    if name == HISTORY:
        second = [m.start() for m in re.finditer(r"^## ", content, re.M)][1:2]
        content = content[:second[0]] if second else content
    return content


def has_own_ground(picture):
    """Does it stand on a ground of its own, as the picture of a screen does? Then it is the same in the dark."""
    return any(part.tag.endswith("}rect") and part.get("fill") and all(part.get(name) == picture.get(name) for name in ("width", "height"))
               for part in picture)


class Tree:
    def __init__(self, root=text.ROOT):
        self.root = root
        self.pages = {name: read(root, name) for name in text.documents(root)}
        self.anchors = {name: text.anchors(page) for name, page in self.pages.items()}
        self.places = {}
        for name in self.pages:
            self.places.setdefault(name.rsplit("/", 1)[-1], []).append(name)

    def now_at(self, path):
        """The only page of that name, or None: for who merges an older change."""
        others = self.places.get(path.rsplit("/", 1)[-1], [])
        return others[0] if len(others) == 1 else None

    def moved(self, path):
        return f"; is it {self.now_at(path)}?" if self.now_at(path) else ""

    def sources(self):
        """(name, text) of the files whose comments and messages may name documents."""
        for pattern in SOURCES:
            for path in sorted(self.root.glob(pattern)):
                name = str(path.relative_to(self.root))
                if path.is_file() and not text.NOT_OURS.search(name) and not name.endswith(".md"):
                    yield name, path.read_text(errors="ignore")

    def mentions(self):
        """Documents that sources and documents name in their words, and that are not there."""
        return [f"{name}:{content.count(chr(10), 0, match.start()) + 1}: there is no {match.group(0)}{self.moved(match.group(0))}"
                for name, content in [*self.sources(), *self.pages.items()] for match in MENTION.finditer(content)
                if not match.group(0).endswith("/x.md") and not (self.root / match.group(0)).exists()]

    def fault(self, page, link):
        if text.is_outside(link.target):
            return None
        path, anchor = text.resolve(page, link.target)
        if path == ".." or not (self.root / path).exists():
            return f"{page}:{link.line}: {link.target} leads nowhere{self.moved(path)}"
        if anchor and path in self.anchors and anchor not in self.anchors[path]:
            return f"{page}:{link.line}: {path} has no heading #{anchor}"
        return None

    def links(self):
        found = (self.fault(page, link) for page, content in self.pages.items() for link in text.links(content))
        return [fault for fault in found if fault]

    def goes_to(self, page):
        """Pages that a page links to; a link to a directory leads to every page in it."""
        for link in text.links(self.pages[page]):
            if not text.is_outside(link.target):
                path, _ = text.resolve(page, link.target)
                yield from [name for name in self.pages if name == path or name.rpartition("/")[0] == path]

    def reached(self):
        reached, ahead = set(), [text.INDEX] if text.INDEX in self.pages else []
        while ahead:
            page = ahead.pop()
            if page not in reached:
                reached.add(page)
                ahead += self.goes_to(page)
        return reached

    def unreachable(self):
        reached = self.reached()
        return [f"{name}: no way leads here from {text.INDEX}" for name in self.pages
                if name not in reached and (name.startswith("docs/") or "/" not in name)]

    def sections(self):
        """Every § leads to what the index says of that section."""
        faults = []
        for page, content in self.pages.items():
            prose = text.prose(content)
            bare = ANY_LINK.sub(text.blank, prose)
            faults += [(page, prose, m, "is not a link") for m in SECTION.finditer(bare)]
            faults += [(page, prose, m, f"leads to {m[2]}") for m in SECTION_LINK.finditer(prose)
                       if text.resolve(page, m[2]) != (text.INDEX, f"section-{m[1]}")]
        return [f"{page}:{prose.count(chr(10), 0, m.start()) + 1}: §{m[1]} {fault}; {text.INDEX}#section-{m[1]} says where to read on"
                for page, prose, m, fault in faults]

    def bare(self):
        return [f"{name}: has no picture" for name, content in self.pages.items()
                if NEEDS_PICTURE.search(name) and not PICTURE.search(text.prose(content))]

    def pictures(self):
        faults = []
        for path in sorted((self.root / "docs").rglob("*.svg")):
            name = path.relative_to(self.root)
            try:
                nodes = list(tree.fromstring(path.read_bytes()).iter())
            except tree.ParseError as fault:
                faults.append(f"{name}: {fault}")
                continue
            if not nodes[0].tag.endswith("}svg"):
                faults.append(f"{name}: is not a picture")
            if "prefers-color-scheme" not in path.read_text() and not has_own_ground(nodes[0]):
                faults.append(f"{name}: has no dark form")
            faults += [f"{name}: needs {value}" for node in nodes for key, value in node.attrib.items()
                       if key.rsplit("}")[-1] in ("href", "src") and not value.startswith(("#", "data:"))]
            faults += [f"{name}: has a script" for node in nodes if node.tag.endswith("}script")]
        return faults


def mended(whole, page, target):
    """A link to a page that moved, as it should be; others as they are."""
    path, anchor = text.resolve(page, target)
    now = None if text.is_outside(target) or (whole.root / path).exists() else whole.now_at(path)
    if not now:
        return target
    return os.path.relpath(now, os.path.dirname(page) or ".") + (f"#{anchor}" if anchor else "")


def mend(root=text.ROOT):
    """Rewrites links and mentions of pages that are elsewhere now, where only one page has the name."""
    whole, changed = Tree(root), []
    for page in whole.pages:
        content = (root / page).read_text()
        new = re.sub(r"(\]\()([^)\s]+)(\))", lambda m: m[1] + mended(whole, page, m[2]) + m[3], content)
        if new != content:
            (root / page).write_text(new)
            changed.append(page)
    for name, content in [*whole.sources(), *((page, (root / page).read_text()) for page in whole.pages)]:
        new = MENTION.sub(lambda m: m[0] if (root / m[0]).exists() else whole.now_at(m[0]) or m[0], content)
        if new != content:
            (root / name).write_text(new)
            changed.append(name)
    return list(dict.fromkeys(changed))


def faults(root=text.ROOT):
    whole = Tree(root)
    return whole.links() + whole.sections() + whole.mentions() + whole.unreachable() + whole.bare() + whole.pictures()
