#!/usr/bin/env python3
"""Makes one text of the engine's sources, for the files that `motet generate c` writes.

    amalgamate.py RUNTIME SOURCES COMPILER DEPFILE TEMPLATE... OUTPUT

RUNTIME is preprocessed without the headers of the system, twice: as for x86-64, whose
instructions some files use, and for any machine. What comes out is cut into the items of the
file (a function, a type, a table); an item is kept if it is reached from ROOTS; where the two
readings differ, both are kept under #if. Everything is made static, and what two files name
alike is told apart. OUTPUT is a C file with the items, each with the part of a contract that
needs it, and with the texts of the templates.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

# What the contract's own part of a generated file calls (c_code.c, c_api.c.in).
EVALUATE = """ct_facts_read ct_facts_set ct_facts_end ct_evaluation_json ct_verdicts_json ct_fault_json
    ct_arith ct_order ct_breadth any_bool overflow out_of_list other_tag absent out_of_patience
    rt_room rt_now ct_verdict_payload ct_fault_name ct_facts_complete MT_INITIAL_eval_steps CT_TEXT_OF_A_STEP mt_buf ct_json_parts""".split()
ACT = """ct_run_start ct_run_all ct_run_json ct_op_json ct_op_try ct_holds_expr ct_expr_text
    ct_plan_outcome_named ct_op_error_text ct_op_error_name rt_condition_texts ct_program_run
    ct_plan ct_frozen""".split()
HEADERS = ["setjmp.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
           "string.h", "emmintrin.h", "sys/random.h", "openssl/evp.h", "pthread.h"]
X86 = ["__SSE2__", "__x86_64__"]
# Values of contracts are read as the types of the header, too.
ALIASED = ["mt_str", "mt_decimal", "mt_moment", "ct_value"]

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d[\w.]*|->|\s+|.',
                   re.S)
NAME = re.compile(r"[A-Za-z_]\w*$")
WORDS = set("""static const struct union enum typedef inline extern return if else for while do
    switch case default break continue goto sizeof void char short int long unsigned signed
    _Noreturn _Thread_local __extension__ __attribute__ _Static_assert volatile""".split())


class Item:
    """A declaration or definition, as it stands in a file."""

    def __init__(self, file, tokens):
        self.file, self.tokens = file, tokens
        self.solid = [t for t in tokens if not t.isspace()]
        head = self.solid[1 if self.solid[0] == "__extension__" else 0]
        self.is_type = head in ("typedef", "struct", "union", "enum") \
            and not self.is_function() and not self.has_value()
        self.defines = self.names()

    def is_function(self):
        """Ends in a body that follows a list of parameters."""
        depth = 0
        for before, token in zip([""] + self.solid, self.solid):
            if token == "{" and depth == 0:
                return before == ")"
            depth += (token in "([{") - (token in ")]}")
        return False

    def has_value(self):
        depth = 0
        for token in self.solid:
            depth += (token in "([{") - (token in ")]}")
            if token == "=" and depth == 0:
                return True
        return False

    def declared(self):
        """The name of a function, variable or typedef: before the list of parameters, the
        array, the value or the end."""
        depth, last, skip = 0, None, False
        for at, token in enumerate(self.solid):
            if depth == 0 and last and token in ("(", "[", "=", ";") and not skip:
                return last
            if token in "([{":
                depth += 1
            elif token in ")]}":
                depth -= 1
                skip = skip and depth > 0
            elif depth == 0 and token in ("__attribute__", "_Static_assert"):
                skip = True
            elif depth == 0 and NAME.match(token) and token not in WORDS:
                last = token
        return last

    def names(self):
        found = set()
        if self.solid[0] == "_Static_assert":
            return found
        for before, token, after in zip(self.solid, self.solid[1:], self.solid[2:] + [""]):
            if before in ("struct", "union", "enum") and after == "{":
                found.add(token)
        if "enum" in self.solid and "{" in self.solid and self.is_type:
            depth = 0
            for before, token in zip(self.solid, self.solid[1:]):
                depth += (before == "{") - (before == "}")
                if depth == 1 and before in "{," and NAME.match(token):
                    found.add(token)
        if not (self.is_type and "typedef" not in self.solid[:2]):
            found.add(self.declared())
        return found - {None}

    def uses(self):
        return {t for t in self.solid if NAME.match(t)} - WORDS

    def is_static(self):
        """Says so before its parameters, its value or its end."""
        depth = 0
        for token in self.solid:
            depth += (token in "([{") - (token in ")]}")
            if token == "static" and depth == 0:
                return True
            if depth == 0 and token in ("=", ";", "}"):
                break
        return False

    def is_private(self):
        return self.file.endswith(".c") and not self.file.endswith("generate/runtime.c") \
            and (self.is_type or self.is_static())

    def text(self, renamed):
        out, before, depth = [], "", 0
        for at, token in enumerate(self.tokens):
            depth += (token == "{") - (token == "}")
            new = renamed.get(token)
            after = next((t for t in self.tokens[at + 1:] if not t.isspace()), "")
            member = before in (".", "->") or (self.is_type and depth and "enum" not in self.solid[:2]
                                               and after in (";", ",", "[", ":"))
            out.append(new if new and not member else token)
            before = before if token.isspace() else token
        text = "".join(out).strip()
        for name in ALIASED:
            text = re.sub(rf"^((typedef )?(struct|union)) {name} {{",
                          rf"\1 __attribute__((may_alias)) {name} {{", text)
        if self.is_type or self.is_static() or self.solid[0] == "_Static_assert":
            return text
        return "static " + re.sub(r"^extern\s+", "", text)


def preprocess(compiler, runtime, sources, defines):
    with tempfile.TemporaryDirectory() as fake:
        for name in HEADERS:
            path = pathlib.Path(fake, name)
            path.parent.mkdir(exist_ok=True)
            path.touch()
        return subprocess.run([*compiler, "-E", "-nostdinc", "-D_GNU_SOURCE", *defines,
                               f"-I{fake}", f"-I{sources}", runtime],
                              check=True, capture_output=True, text=True).stdout


def items_of(text):
    file, tokens, depth, found = "", [], 0, []
    for line in text.splitlines(keepends=True):
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            file = marker[1]
            continue
        for token in TOKEN.findall(line):
            if not tokens and token.isspace():
                continue
            tokens.append(token)
            depth += (token in "([{" and len(token) == 1) - (token in ")]}" and len(token) == 1)
            if depth == 0 and token in (";", "}"):
                item = Item(file, tokens)
                if token == ";" or item.is_function():
                    found += [item] if item.solid != [";"] else []
                    tokens = []
    return found


def reached(items, roots):
    """The items that the names lead to, by the file in which a name is used."""
    private, public = {}, {}
    for item in items:
        for name in item.defines:
            where = private.setdefault((item.file, name), []) if item.is_private() \
                else public.setdefault(name, [])
            where.append(item)
    keep, todo = set(), [("", name) for name in roots]
    while todo:
        file, name = todo.pop()
        found = private.get((file, name)) or public.get(name, [])
        if not file and not found:
            found = [i for (_, n), group in private.items() if n == name for i in group]
        for item in found:
            if item not in keep:
                keep.add(item)
                todo += [(item.file, use) for use in item.uses()]
    return keep


def renamings(items):
    """By file: names of its own that another file has as well."""
    owners = {}
    for item in items:
        for name in item.defines:
            owners.setdefault(name, {}).setdefault(item.file, item.is_private())
    out = {}
    for name, files in owners.items():
        if len(files) > 1:
            for file, private in files.items():
                if private:
                    stem = "_".join(pathlib.Path(file).with_suffix("").parts[-2:])
                    out.setdefault(file, {})[name] = f"{stem}_{name}"
    return out


def texts(text):
    """[(part, text)], part 0 for evaluating and 1 for acting besides."""
    items = items_of(text)
    evaluate = reached(items, EVALUATE)
    act = reached(items, EVALUATE + ACT)
    kept = [item for item in items if item in act]
    renamed = renamings(kept)
    out = []
    for item in kept:
        out.append((int(item not in evaluate), item.text(renamed.get(item.file, {}))))
    return list(dict.fromkeys(out))


def squeeze(text):
    """Without blank lines inside."""
    return re.sub(r"\n\s*\n+", "\n", text)


def merged(x86, any_machine):
    out = []
    matcher = difflib.SequenceMatcher(None, x86, any_machine, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            out += x86[a:b]
            continue
        one = "\n".join(text for _, text in x86[a:b])
        other = "\n".join(text for _, text in any_machine[c:d])
        part = min(p for p, _ in x86[a:b] + any_machine[c:d])
        test = " && ".join(f"defined({name})" for name in X86)
        out.append((part, f"#if {test}\n{one}\n#else\n{other}\n#endif"))
    return out


def as_c(text):
    """A text as the bytes of an array: string literals have a length that is too small."""
    data = text.encode()
    return ",\n    ".join(",".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24))


def main(runtime, sources, compiler, depfile, *rest):
    *templates, output = rest
    compiler = compiler.split()
    x86, other = (preprocess(compiler, runtime, sources, [f"-D{name}=1" for name in X86]),
                  preprocess(compiler, runtime, sources, [f"-U{name}" for name in X86]))
    files = {file for file in re.findall(r'^# \d+ "([^"]*)"', x86, re.M)
             if pathlib.Path(file).is_file()}
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(sorted(files))}\n")
    chunks = []
    for part, text in merged(texts(x86), texts(other)): # runs of one part together
        if chunks and chunks[-1][0] == part:
            chunks[-1][1].append(squeeze(text))
        else:
            chunks.append((part, [squeeze(text)]))
    out = ['#include "generate/embedded.h"', ""]
    for number, (part, body) in enumerate(chunks):
        out.append(f"static const char PART_{number}[] = {{\n    "
                   + as_c("\n".join(body) + "\n") + ",0};")
    out.append("const gn_part GN_RUNTIME[] = {")
    out += [f"    {{PART_{n}, sizeof PART_{n} - 1, {str(bool(part)).lower()}}},"
            for n, (part, _) in enumerate(chunks)]
    out += ["};", f"const size_t GN_RUNTIME_PARTS = {len(chunks)};"]
    for path in templates:
        name = re.sub(r"\W", "_", pathlib.Path(path).name.removesuffix(".in")).upper()
        text = pathlib.Path(path).read_text()
        out.append(f"const char GN_{name}[] = {{\n    " + as_c(text) + ",0};")
    pathlib.Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
