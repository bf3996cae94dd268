"""The documents as a static site: the same files, a list of pages, search, colours; nothing from elsewhere.

Pages keep their paths, so that every link between them stays right: docs/learn/x.md becomes docs/learn/x.html, a
file of another kind that is linked becomes a page that shows it, a directory one that lists it. index.html is the
README. Everything works from file://, which is why the search index is a script and not fetched."""
import html
import json
import pathlib
import re
import shutil
import subprocess

import markdown
from markdown.extensions.toc import TocExtension

from . import check, colour, text

HERE = pathlib.Path(__file__).resolve().parent
GROUPS = (("Start", r"^README\.md$|^docs/README\.md$"), ("Learn", r"^docs/learn/"), ("How to", r"^docs/how-to/"),
          ("Reference", r"^docs/reference/"), ("Internals", r"^docs/internals/|^ARCHITECTURE\.md$"),
          ("More", r"^docs/glossary\.md$|^(CONTRIBUTING|CHANGELOG|SECURITY)\.md$|^(editors|sdk/\w+)/README\.md$"))
PICTURES = (".svg", ".png", ".jpg", ".ico")
FILE_FENCE = re.compile(r"^(```)(\w+) \+?(\S+)$", re.M)  # a block that is a file: its name stands above it
PAGE = (HERE / "page.html").read_text()
LANGUAGES = {".tenor": "tenor", ".json": "json", ".jsonl": "json", ".yaml": "yaml", ".yml": "yaml", ".py": "python",
             ".c": "c", ".h": "c", ".sh": "sh", ".lua": "sh"}


def is_text(path):
    with path.open("rb") as file:
        return b"\0" not in file.read(4096)


class Site:
    def __init__(self, where, root=text.ROOT):
        self.root, self.where = root, where
        self.tree = check.Tree(root)
        self.order = self.in_order()
        self.titles = {page: text.title((root / page).read_text()) or page for page in self.order}
        self.titles["docs/README.md"] = "All documents"
        self.beside = {}  # files and directories that pages link to, found while they are written
        self.index = []

    def in_order(self):
        """Reachable pages, those that the index names first, in its order."""
        reached = self.tree.reached()
        named = [text.resolve(text.INDEX, link.target)[0] for link in text.links(self.tree.pages[text.INDEX])]
        first = [page for page in dict.fromkeys([*named, text.INDEX]) if page in reached]
        return first + sorted(reached - set(first))

    # addresses

    def place(self, path):
        """Where the page for a path of the tree is in the site."""
        whole = self.root / path
        if path.endswith(".md"):
            return path[:-3] + ".html"
        if whole.is_dir():
            return path.rstrip("/") + "/index.html"
        return path if path.endswith(PICTURES) else path + ".html"

    def address(self, page, target):
        """A link of a page, as it is in the site."""
        if text.is_outside(target) or target.startswith("#"):
            return target
        path, anchor = text.resolve(page, target)
        if not (self.root / path).exists():
            return target  # `tools/docs check` says so
        if path not in self.order:
            self.beside[path] = True
        return relative(page, self.place(path)) + (f"#{anchor}" if anchor else "")

    # what a page consists of

    def body(self, page):
        source = (self.root / page).read_text()
        taken = {}
        reader = markdown.Markdown(extensions=["fenced_code", "tables", "sane_lists", "md_in_html", TocExtension(
            slugify=lambda words, _: text.slug(words, taken), toc_depth="2-2")])
        body = reader.convert(FILE_FENCE.sub(r"<p class='file'><code>\3</code></p>\n\n\1\2", source))
        body = re.sub(r'(<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=")([^"]+)(")',
                      lambda m: m[1] + html.escape(self.address(page, html.unescape(m[2]))) + m[3], body)
        body = re.sub(r'<pre><code(?: class="language-(\w+)")?>(.*?)</code></pre>',
                      lambda m: '<pre tabindex="0"><code>' + colour.code(m[1] or "", html.unescape(m[2])) + "</code></pre>",
                      body, flags=re.S)
        body = body.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
        return body, [(token["id"], token["name"]) for token in chapters(reader.toc_tokens)]

    def menu(self, page):
        out = []
        for name, pattern in GROUPS:
            members = [p for p in self.order if re.search(pattern, p)]
            items = "".join(f'<li><a href="{relative(page, self.place(p))}"{" aria-current=page" if p == page else ""}>'
                            f"{html.escape(short(self.titles[p]))}</a></li>" for p in members)
            is_open = " open" if page in members or name in ("Start", "Learn") else ""
            out.append(f"<details{is_open}><summary>{name}</summary><ul>{items}</ul></details>" if items else "")
        return "".join(out)

    def write(self, page, title, body, contents=()):
        to_root = relative(page, "x")[:-1]
        chapters_here = "".join(f'<li><a href="#{anchor}">{html.escape(html.unescape(words))}</a></li>' for anchor, words in contents)
        out = PAGE
        for name, value in {"title": html.escape(title), "root": to_root, "menu": self.menu(page), "body": body,
                            "contents": f"<h2>On this page</h2><ul>{chapters_here}</ul>" if chapters_here else ""}.items():
            out = out.replace("{{" + name + "}}", value)
        path = self.where / self.place(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(out)

    # search

    def remember(self, page, body):
        """One entry per section: address, page, heading, text."""
        pieces = re.split(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', body, flags=re.S)
        for anchor, words, part in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
            self.index.append([f"{self.place(page)}#{anchor}", self.titles[page], strip(words), strip(part)])

    # all of it

    def documents(self):
        for page in self.order:
            body, contents = self.body(page)
            self.remember(page, body)
            self.write(page, self.titles[page], body, contents)

    def others(self):
        """What pages link to besides pages: pictures as they are, the rest shown or listed."""
        done = set()
        while set(self.beside) - done:
            for path in sorted(set(self.beside) - done):
                done.add(path)
                self.other(path)

    def other(self, path):
        whole = self.root / path
        if whole.is_dir():
            names = sorted(p.name for p in whole.iterdir() if not p.name.startswith(".") and p.name != "node_modules"
                           and (p.is_dir() or is_text(p)))
            # The page stands inside the directory, so its links are names.
            links = "".join(f'<li><a href="{self.address(path + "/x.md", name)}">{html.escape(name)}</a></li>' for name in names)
            self.write(path, path, f"<h1>{html.escape(path)}</h1><ul>{links}</ul>")
        elif path.startswith("docs/man/"):
            self.manual(path)
        elif path.endswith(PICTURES):
            (self.where / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(whole, self.where / path)
        elif not path.endswith(".md"):
            language = LANGUAGES.get(whole.suffix, "")
            self.write(path, path, f'<h1>{html.escape(path)}</h1><pre tabindex="0"><code>'
                              + colour.code(language, whole.read_text(errors="replace")) + "</code></pre>")
        else:
            body, contents = self.body(path)
            self.write(path, path, body, contents)

    def manual(self, path):
        """A man page, with links to the others; NAME(1) is its title."""
        said = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", str(self.root / path)],
                              check=True, capture_output=True, text=True, timeout=60).stdout
        said = re.sub(r'<a class="permalink" href="#[^"]*">(.*?)</a>', r"\1", said, flags=re.S)
        said = re.sub(r'<h1 class="Sh" id="([^"]*)">(.*?)</h1>',
                      lambda m: f'<h2 id="{m[1]}">{m[2].capitalize()}</h2>', said, flags=re.S)
        title = re.sub(r"\.(\d)$", r"(\1)", path.rsplit("/", 1)[-1])
        body = f"<h1>{html.escape(title)}</h1>" + said
        self.index.append([self.place(path), title, title, strip(said)])
        self.write(path, title, body)

    def build(self):
        self.documents()
        self.others()
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.where / name)
        entries = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.where / "search-index.json").write_text(entries)
        (self.where / "search-index.js").write_text(f"window.searchIndex={entries};\n")
        shutil.copyfile(self.where / "README.html", self.where / "index.html")
        return len(self.order)


def relative(page, target):
    """From a page's place to another place of the site."""
    here = pathlib.PurePosixPath(page).parts
    depth = len(here) - (0 if (text.ROOT / page).is_dir() else 1)  # the page of a directory stands in it
    there = target.split("/")
    same = 0
    while same < depth and same < len(there) - 1 and here[same] == there[same]:
        same += 1
    return "../" * (depth - same) + "/".join(there[same:])


def short(title):
    """A title for the list of pages, where all tutorials are as long."""
    return re.sub(r", in \w+ minutes$", "", title)


def chapters(tokens):
    """Headings of the second level, wherever they hang."""
    for token in tokens:
        if token["level"] == 2:
            yield token
        yield from chapters(token["children"])


def strip(part):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", part))).strip()


def build(where, root=text.ROOT):
    if where.exists() and not (where / "search-index.js").exists() and any(where.iterdir()):
        raise SystemExit(f"tools/docs: {where} is there and has no site in it; give another directory")
    shutil.rmtree(where, ignore_errors=True)
    return Site(where, root).build()
