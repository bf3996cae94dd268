#!/usr/bin/env python3
"""Writes the parts of the SDKs that follow from the description of the HTTP API.

    sdk/generate.py OPENAPI.json            rewrites the files below
    sdk/generate.py OPENAPI.json --check    exit status 1: one of them is out of date

The document is what `motet serve` answers at /openapi.json; what it has for single
contracts is left out. One route is one method, in every language by the name of its
operationId; one schema is one type.

Order: the document is read into plain types first (`Reader`: objects inside objects get
names of their own), then each writer walks them. A writer knows nothing of OpenAPI.
"""
import argparse
import json
import keyword
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
# For browsers, for other protocols, or written by hand (events).
NOT_METHODS = {"home", "studio", "studioFile", "login", "callback", "logout", "mcp", "resourceMetadata", "events"}
NOTE = "Written by sdk/generate.py from the routes of the server. Do not edit."


class Type:
    """kind: any, text, whole, number, bool, list, map, union, name; with what belongs to it."""

    def __init__(self, kind, of=None, words=None, or_null=False):
        self.kind, self.of, self.words, self.or_null = kind, of, words, or_null


class Member:
    def __init__(self, name, kind, needed, doc):
        self.name, self.type, self.needed, self.doc = name, kind, needed, doc


class Reader:
    """The document as types (`objects` by name, or an alias) and routes."""

    SIMPLE = {"string": "text", "integer": "whole", "number": "number", "boolean": "bool"}

    def __init__(self, document):
        self.document = document
        self.objects, self.aliases, self.docs = {}, {}, {}
        for name, schema in sorted(document["components"]["schemas"].items()):
            if "." not in name:
                self.define(name, schema)
        self.routes = [route for path, methods in document["paths"].items()
                       for route in self.routes_of(path, methods)]
        self.asked = self.reach([r["body"] for r in self.routes if r["body"]])
        self.answered = self.reach([r["answer"] for r in self.routes if r["answer"]])

    def reach(self, kinds):
        """The names that these types lead to."""
        seen, left = set(), list(kinds)
        while left:
            kind = left.pop()
            if kind.kind in ("list", "map"):
                left.append(kind.of)
            elif kind.kind == "union":
                left += kind.of
            elif kind.kind == "name" and kind.of not in seen:
                seen.add(kind.of)
                left += [m.type for m in self.objects.get(kind.of, [])]
                left += [self.aliases[kind.of]] if kind.of in self.aliases else []
        return seen

    def resolve(self, node):
        while "$ref" in node:
            place = self.document
            for key in node["$ref"].split("/")[1:]:
                place = place[key]
            node = place
        return node

    @staticmethod
    def has_names(schema):
        """Are its members known? One that needs none of them and takes any is a map."""
        return schema.get("properties") and not (schema.get("additionalProperties") is True
                                                 and not schema.get("required"))

    def define(self, name, schema):
        self.docs[name] = schema.get("description", "")
        if self.has_names(schema):
            self.objects[name] = self.members(name, schema)
        else:
            self.aliases[name] = self.type_of(name, schema)

    def members(self, name, schema):
        needed = set(schema.get("required", []))
        return [Member(key, self.type_of(name + key.title().replace("_", ""), part),
                       key in needed, part.get("description", ""))
                for key, part in sorted(schema["properties"].items())]

    def type_of(self, name, schema):
        """`name` is for an object inside that has none."""
        if "$ref" in schema:
            return Type("name", schema["$ref"].split("/")[-1])
        for many in ("oneOf", "anyOf"):
            if many in schema:
                return self.union(name, schema[many])
        kinds = schema.get("type", "any")
        if isinstance(kinds, list):
            parts = [dict(schema, type=kind) for kind in kinds]
            return self.union(name, parts)
        if self.has_names(schema):
            if name not in self.objects:
                self.define(name, schema)
            return Type("name", name)
        if kinds == "object":
            inner = schema.get("additionalProperties", True)
            return Type("map", self.type_of(name + "Item", inner) if isinstance(inner, dict)
                        else Type("any"))
        if kinds == "array":
            return Type("list", self.type_of(name + "Item", schema.get("items", {})))
        return Type(self.SIMPLE.get(kinds, "any"), words=schema.get("enum"))

    def union(self, name, parts):
        real = [part for part in parts if part.get("type") != "null"]
        kinds = [self.type_of(name if len(real) == 1 else f"{name}{i + 1}", part)
                 for i, part in enumerate(real)]
        kind = kinds[0] if len(kinds) == 1 else Type("union", kinds)
        kind.or_null = len(real) < len(parts)
        return kind

    def routes_of(self, path, methods):
        for method, operation in methods.items():
            name = operation.get("operationId", "_")
            if "_" in name or name in NOT_METHODS:
                continue
            parameters = [self.resolve(p) for p in operation.get("parameters", [])]
            body = operation.get("requestBody")
            answer = [self.resolve(r) for status, r in sorted(operation["responses"].items())
                      if status[0] == "2"][0]
            content, media = next(iter(answer.get("content", {"": {}}).items()))
            asked = next(iter(self.resolve(body)["content"].items())) if body else None
            yield {
                "name": name, "method": method.upper(), "path": path,
                "doc": operation.get("summary", ""),
                "places": re.findall(r"{(\w+)}", path),
                "query": [(p["name"], self.type_of(name, p["schema"]), p.get("description", ""))
                          for p in parameters if p["in"] == "query"],
                "writes": any(p["name"] == "Idempotency-Key" for p in parameters),
                "lines": bool(asked) and asked[0] == "application/jsonl",
                "body": self.type_of(name + "Body", asked[1]["schema"]) if asked else None,
                "text": content.startswith("text/"),
                "answer": Type("text") if content.startswith("text/")
                else self.type_of(name + "Answer", media.get("schema", {})),
            }

    def unfold(self, kind):
        """The type behind aliases."""
        while kind.kind == "name" and kind.of in self.aliases:
            kind = self.aliases[kind.of]
        return kind

    def body_members(self, route):
        """The members of a body that is an object with names; None: any body."""
        body = route["body"]
        if not body or route["lines"]:
            return None
        return self.objects.get(body.of) if body.kind == "name" else None


def sentence(text):
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def snake(name):
    return re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), name)


class Python:
    """motet/types.py and motet/_routes.py."""

    def __init__(self, reader):
        self.reader = reader

    def of(self, kind, quote=False):
        simple = {"any": "Any", "text": "str", "whole": "int", "number": "float", "bool": "bool"}
        if kind.kind == "name":
            text = kind.of
        elif kind.words:
            text = "Literal[" + ", ".join(json.dumps(w) for w in kind.words) + "]"
        elif kind.kind == "list":
            text = f"List[{self.of(kind.of)}]"
        elif kind.kind == "map":
            text = f"Dict[str, {self.of(kind.of)}]"
        elif kind.kind == "union":
            text = "Union[" + ", ".join(self.of(part) for part in kind.of) + "]"
        else:
            text = simple[kind.kind]
        return f"Optional[{text}]" if kind.or_null else text

    def types(self):
        out = ['"""Types of what the HTTP API takes and answers.', "", NOTE, '"""',
               "from typing import Any, Dict, List, Literal, NotRequired, Optional, TypedDict, Union", ""]
        for name, members in sorted(self.reader.objects.items()):
            out += [""] if not self.reader.docs[name] else ["", f"# {sentence(self.reader.docs[name])}"]
            out.append(f"{name} = TypedDict(\"{name}\", {{")
            for m in members:
                said = f"\"{self.of(m.type)}\"" if self.names(m.type) else self.of(m.type)
                said = said if m.needed else f"NotRequired[{said}]"
                out.append(f"    \"{m.name}\": {said},")
            out.append("})")
        out.append("")
        for name in self.in_order():
            out += [f"# {sentence(self.reader.docs[name])}"] if self.reader.docs[name] else []
            out.append(f"{name} = {self.of(self.reader.aliases[name])}")
        return "\n".join(out) + "\n"

    def names(self, kind):
        return (kind.kind == "name" or kind.kind in ("list", "map") and self.names(kind.of)
                or kind.kind == "union" and any(map(self.names, kind.of)))

    def in_order(self):
        """Aliases, each behind those it is made of."""
        done = []

        def visit(name):
            if name in done or name not in self.reader.aliases:
                return
            for inner in sorted(self.reader.reach([self.reader.aliases[name]])):
                if inner != name:
                    visit(inner)
            done.append(name)
        for name in sorted(self.reader.aliases):
            visit(name)
        return done

    def routes(self):
        out = ['"""One method for each route of the HTTP API, for both kinds of client.', "", NOTE, '"""',
               "from __future__ import annotations", "",
               "from typing import Any, Dict, List, Literal, Optional, Union", "",
               "from . import types as t", "from ._wire import CallOptions, Route, body_of", "",
               "ROUTES: Dict[str, Route] = {"]
        for r in self.reader.routes:
            flags = "".join(f", {flag}=True" for flag in ("writes", "lines", "text") if r[flag])
            out.append(f"    \"{r['name']}\": Route(\"{r['method']}\", \"{r['path']}\"{flags}),")
        out.append("}")
        for kind, word, wait, doc in (("Routes", "def", "", "What a `Client` can ask for."),
                                      ("AsyncRoutes", "async def", "await ", "What an `AsyncClient` can ask for.")):
            out += ["", "", f"class {kind}:", f"    \"\"\"{doc}\"\"\"", "",
                    f"    {word} call(self, name: str, places: List[str], query: Dict[str, Any], body: Any,",
                    "             options: Optional[CallOptions]) -> Any:",
                    "        raise NotImplementedError"]
            for r in self.reader.routes:
                out += self.method(r, word, wait)
        return "\n".join(out) + "\n"

    def method(self, route, word, wait):
        safe = lambda name: name + "_" if keyword.iskeyword(name) else name
        words = ["self"] + [f"{safe(p)}: str" for p in route["places"]]
        members = self.reader.body_members(route)
        body, query, extra = "None", "{}", []
        if route["lines"]:
            words.append(f"lines: List[{self.typed(route['body'])}]")
            body = "lines"
        elif members is not None:
            extra = ([f"{safe(m.name)}: {self.typed(m.type)}" for m in members if m.needed]
                     + [f"{safe(m.name)}: {self.optional(m.type)} = None" for m in members if not m.needed])
            body = "body_of({" + ", ".join(f"\"{m.name}\": {safe(m.name)}" for m in members) + "})"
        elif route["body"]:
            needs_none = self.reader.unfold(route["body"]).kind == "map"
            words.append("body: Optional[Dict[str, Any]] = None" if needs_none else "body: Any")
            body = "body or {}"
        if route["query"]:
            extra += [f"{safe(name)}: {self.optional(kind)} = None" for name, kind, _ in route["query"]]
            query = "{" + ", ".join(f"\"{name}\": {safe(name)}" for name, _, _ in route["query"]) + "}"
        words += ["*"] + extra + ["call: Optional[CallOptions] = None"]
        places = "[" + ", ".join(map(safe, route["places"])) + "]"
        answer = "str" if route["text"] else f"List[{self.typed(route['answer'])}]" if route["lines"] else self.typed(route["answer"])
        head = f"    {word} {snake(route['name'])}(" + ",\n            ".join(words) + f") -> {answer}:"
        return ["", head, f"        \"\"\"{sentence(route['doc'])}\"\"\"",
                f"        got: {answer} = {wait}self.call(\"{route['name']}\", {places}, {query},",
                f"            {body}, call)", "        return got"]

    def typed(self, kind):
        return re.sub(r"\b(" + "|".join(sorted({**self.reader.objects, **self.reader.aliases}, key=len, reverse=True)) + r")\b",
                      r"t.\1", self.of(kind))

    def optional(self, kind):
        text = self.typed(kind)
        return text if text.startswith("Optional[") else f"Optional[{text}]"


class TypeScript:
    """src/routes.ts."""

    SIMPLE = {"any": "unknown", "text": "string", "whole": "number", "number": "number", "bool": "boolean"}

    def __init__(self, reader):
        self.reader = reader

    def of(self, kind):
        if kind.kind == "name":
            text = kind.of
        elif kind.words:
            text = " | ".join(json.dumps(w) for w in kind.words)
        elif kind.kind == "list":
            text = f"Array<{self.of(kind.of)}>"
        elif kind.kind == "map":
            text = f"{{ [name: string]: {self.of(kind.of)} }}"
        elif kind.kind == "union":
            text = " | ".join(self.of(part) for part in kind.of)
        else:
            text = self.SIMPLE[kind.kind]
        return f"{text} | null" if kind.or_null else text

    def types(self):
        out = []
        for name, members in sorted(self.reader.objects.items()):
            out += [""] + ([f"/** {sentence(self.reader.docs[name])} */"] if self.reader.docs[name] else [])
            out.append(f"export interface {name} {{")
            for m in members:
                out += [f"  /** {sentence(m.doc)} */"] if m.doc else []
                out.append(f"  {m.name}{'' if m.needed else '?'}: {self.of(m.type)};")
            out.append("}")
        out.append("")
        for name, kind in sorted(self.reader.aliases.items()):
            out += [f"/** {sentence(self.reader.docs[name])} */"] if self.reader.docs[name] else []
            out.append(f"export type {name} = {self.of(kind)};")
        return out

    def routes(self):
        out = [f"/* Types and routes of the HTTP API. {NOTE} */",
               "import type { CallOptions, Route } from \"./wire.js\";"]
        out += self.types()
        out += ["", "export const ROUTES = {"]
        for r in self.reader.routes:
            flags = "".join(f", {flag}: true" for flag in ("writes", "lines", "text") if r[flag])
            out.append(f"  {r['name']}: {{ method: \"{r['method']}\", path: \"{r['path']}\"{flags} }},")
        out += ["} satisfies { [name: string]: Route };", "",
                "/** One method for each route. */", "export abstract class Routes {",
                "  abstract call(route: Route, places: string[], query: object, body: unknown, options?: CallOptions): Promise<unknown>;"]
        for r in self.reader.routes:
            out += self.method(r)
        return "\n".join(out + ["}"]) + "\n"

    def method(self, route):
        words = [f"{p}: string" for p in route["places"]]
        body, query = "undefined", "{}"
        if route["lines"]:
            words.append(f"lines: Array<{self.of(route['body'])}>")
            body = "lines"
        elif route["body"]:
            members = self.reader.body_members(route) or []
            words.append(f"body: {self.of(route['body'])}" + ("" if any(m.needed for m in members) else " = {}"))
            body = "body"
        if route["query"]:
            shape = "; ".join(f"{name}?: {self.of(kind)}" for name, kind, _ in route["query"])
            words.append(f"query: {{ {shape} }} = {{}}")
            query = "query"
        words.append("options?: CallOptions")
        answer = self.of(route["answer"])
        answer = f"Array<{answer}>" if route["lines"] else answer
        places = "[" + ", ".join(route["places"]) + "]"
        return ["", f"  /** {sentence(route['doc'])} */",
                f"  async {route['name']}({', '.join(words)}): Promise<{answer}> {{",
                f"    return (await this.call(ROUTES.{route['name']}, {places}, {query}, {body}, options)) as {answer};",
                "  }"]


class Go:
    """types.go and routes.go. What is only asked has plain members that are left out when
    empty; what is answered has pointers where a member may be absent, so that 0 and
    "absent" differ."""

    RENAMED = {"Problem": "ProblemDocument"}  # the error has that name
    SIMPLE = {"any": "any", "text": "string", "whole": "int64", "number": "float64", "bool": "bool"}
    HEAD = f"// {NOTE[:-14]}DO NOT EDIT.\n\npackage motet\n"

    def __init__(self, reader):
        self.reader = reader
        self.more = {}  # structs that unions of lists need

    @staticmethod
    def name(text):
        return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\-]", text))

    def merged(self, name, kind):
        """The members of a union of objects: needed where all need it; None: another union."""
        kinds = [self.reader.unfold(part) for part in kind.of]
        if not all(k.kind == "name" and k.of in self.reader.objects for k in kinds):
            return None
        objects = [{m.name: m for m in self.reader.objects[k.of]} for k in kinds]
        return [self.one_of(name, [o[key] for o in objects if key in o], len(objects))
                for key in sorted(set().union(*objects))]

    def one_of(self, name, members, of_how_many):
        """One member for those of this name in several objects; lists of objects that
        differ become lists of one object that has all their members."""
        first = members[0]
        kind, items = first.type, [m.type.of for m in members if m.type.kind == "list"]
        if len(items) == len(members) and len({item.of for item in items}) > 1:
            item = f"{name}{self.name(first.name)}Item"
            self.more[item] = self.merged(item, Type("union", items))
            kind = Type("list", Type("name", item))
        return Member(first.name, kind, len(members) == of_how_many and all(m.needed for m in members),
                      first.doc)

    def of(self, kind, absent=False):
        """Go's type; `absent`: it must be told from nothing."""
        if kind.kind == "name" and kind.of in self.reader.aliases:
            behind = self.reader.aliases[kind.of]
            if behind.kind != "union" or not self.merged(kind.of, behind):
                return self.of(behind, absent)
        if kind.kind == "name":
            text, nil = self.RENAMED.get(kind.of, kind.of), False
        elif kind.kind == "list":
            text, nil = f"[]{self.of(kind.of)}", True
        elif kind.kind == "map":
            text, nil = f"map[string]{self.of(kind.of)}", True
        elif kind.kind == "union":
            text, nil = "any", True
        else:
            text, nil = self.SIMPLE[kind.kind], kind.kind == "any"
        return text if nil or not (absent or kind.or_null) else f"*{text}"

    def struct(self, name, members):
        doc, said = self.reader.docs.get(name, ""), self.RENAMED.get(name, name)
        out = ["", f"// {said}: {sentence(doc)}" if doc else f"// {said} is a type of the HTTP API.",
               f"type {said} struct {{"]
        only_asked = name in self.reader.asked and name not in self.reader.answered
        for m in members:
            plain = m.needed or only_asked and self.reader.unfold(m.type).kind != "name"
            out += [f"\t// {sentence(m.doc)}"] if m.doc else []
            tag = m.name if m.needed else m.name + ",omitempty"
            out.append(f"\t{self.name(m.name)} {self.of(m.type, not plain)} `json:\"{tag}\"`")
        return out + ["}"]

    def types(self):
        out = [self.HEAD]
        for name, members in sorted(self.reader.objects.items()):
            out += self.struct(name, members)
        for name, kind in sorted(self.reader.aliases.items()):
            if kind.kind == "union" and self.merged(name, kind):
                out += self.struct(name, self.merged(name, kind))
        for name, members in sorted(self.more.items()):
            out += self.struct(name, members)
        return "\n".join(out) + "\n"

    def routes(self):
        out = [self.HEAD, "import (", "\t\"context\"", "\t\"net/url\"", ")", "", "var routes = map[string]route{"]
        for r in self.reader.routes:
            flags = "".join(f", {flag}: true" for flag in ("writes", "lines", "text") if r[flag])
            out.append(f"\t\"{r['name']}\": {{method: \"{r['method']}\", path: \"{r['path']}\"{flags}}},")
        out.append("}")
        for r in self.reader.routes:
            out += self.method(r)
        return "\n".join(out) + "\n"

    def query(self, route):
        name = self.name(route["name"]) + "Query"
        out = ["", f"// {name} narrows {self.name(route['name'])}; what is empty does not.", f"type {name} struct {{"]
        for key, kind, doc in route["query"]:
            out += [f"\t// {sentence(doc)}", f"\t{self.name(key)} {'*int64' if kind.kind == 'whole' else 'string'}"]
        out += ["}", "", f"func (q {name}) values() url.Values {{", "\tv := url.Values{}"]
        for key, kind, _ in route["query"]:
            out.append(f"\tset{'Whole' if kind.kind == 'whole' else 'Text'}(v, \"{key}\", q.{self.name(key)})")
        return out + ["\treturn v", "}"]

    def method(self, route):
        name = self.name(route["name"])
        safe = lambda word: word + "Name" if word in ("type", "func", "range") else word
        out = self.query(route) if route["query"] else []
        words = ["ctx context.Context"] + [f"{safe(p)} string" for p in route["places"]]
        body, query = "nil", "nil"
        if route["lines"]:
            words.append(f"lines []{self.of(route['body'])}")
            body = "lines"
        elif route["body"]:
            words.append(f"body {self.of(route['body'])}")
            body = "body"
        if route["query"]:
            words.append(f"query {name}Query")
            query = "query.values()"
        words.append("options ...CallOption")
        answer = self.of(route["answer"])
        answer = f"[]{answer}" if route["lines"] else answer
        places = "[]string{" + ", ".join(map(safe, route["places"])) + "}"
        return out + ["", f"// {name}: {sentence(route['doc'])}",
                      f"func (c *Client) {name}({', '.join(words)}) (answer {answer}, err error) {{",
                      f"\terr = c.call(ctx, routes[\"{route['name']}\"], {places}, {query}, {body}, &answer, options)",
                      "\treturn", "}"]


def aligned(text):
    """gofmt's layout: columns of fields and of map entries; gofmt itself may be missing."""
    import shutil
    import subprocess
    if not shutil.which("gofmt"):
        raise SystemExit("sdk/generate.py: gofmt is needed (Debian: golang-go)")
    return subprocess.run(["gofmt"], input=text, capture_output=True, text=True, check=True).stdout


def files(document):
    reader = Reader(document)
    python, script, go = Python(reader), TypeScript(reader), Go(reader)
    return {
        "python/motet/types.py": python.types(),
        "python/motet/_routes.py": python.routes(),
        "js/src/routes.ts": script.routes(),
        "go/types.go": aligned(go.types()),
        "go/routes.go": aligned(go.routes()),
    }


def main():
    parser = argparse.ArgumentParser(description="writes what follows from /openapi.json")
    parser.add_argument("document")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    stale = []
    for name, text in files(json.loads(pathlib.Path(args.document).read_text())).items():
        path = HERE / name
        if args.check:
            stale += [name] if not path.exists() or path.read_text() != text else []
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(f"sdk/{name} is not what sdk/generate.py writes", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
