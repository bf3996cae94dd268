"""Code as HTML with colours: a handful of words and signs per language, nothing that could go wrong."""
import html
import re

CONSTRUCTS = ("persona source fact entity rule operation flow system type import event share trigger member").split()
WORDS = ("when produce verdict if else and or not forall exists in of true false Terminal Compensate Escalate").split()
TYPES = "Bool Int Decimal Money Text Date DateTime Duration Enum List Record Union TaggedUnion".split()
SH = "if then else fi for in do done while case esac function return export cd echo".split()
PARTS = {
    "tenor": [("note", r"//[^\n]*|/\*.*?\*/"), ("text", r'"(?:[^"\\\n]|\\.)*"'),
              ("head", r"\b(?:%s)\b(?=\s+[\w\"])" % "|".join(CONSTRUCTS)), ("field", r"\b\w+(?=:)"),
              ("type", r"\b(?:%s)\b" % "|".join(TYPES)), ("word", r"\b(?:%s)\b" % "|".join(WORDS)),
              ("number", r"\b\d[\d.]*\b")],
    "json": [("field", r'"(?:[^"\\\n]|\\.)*"(?=\s*:)'), ("text", r'"(?:[^"\\\n]|\\.)*"'),
             ("word", r"\b(?:true|false|null)\b"), ("number", r"-?\b\d[\d.eE+-]*\b")],
    "yaml": [("note", r"(?m:(?<=\s)#[^\n]*|^#[^\n]*)"), ("text", r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''),
             ("field", r"[\w./-]+(?=:(?:\s|$))"), ("word", r"\b(?:true|false|null)\b")],
    "sh": [("note", r"(?m:(?<=\s)#[^\n]*|^#[^\n]*)"), ("text", r'"(?:[^"\\]|\\.)*"|\'[^\']*\''),
           ("word", r"\b(?:%s)\b" % "|".join(SH)), ("field", r"(?<=\s)--?[a-zA-Z][\w-]*")],
    "c": [("note", r"//[^\n]*|/\*.*?\*/"), ("text", r'"(?:[^"\\\n]|\\.)*"'), ("head", r"(?m:^\s*#\w+)"),
          ("word", r"\b(?:if|else|for|while|return|const|static|struct|enum|typedef|void|int|char|size_t|bool)\b"),
          ("number", r"\b\d[\w.]*\b")],
    "python": [("note", r"#[^\n]*"), ("text", r'"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''),
               ("word", r"\b(?:import|from|def|class|return|for|in|if|else|with|as|async|await|not|None|True|False|try|except|raise)\b")],
}
SAME = {"js": "c", "ts": "c", "typescript": "c", "javascript": "c", "go": "c", "yml": "yaml", "bash": "sh", "py": "python",
        "jsonl": "json", "h": "c"}


def paint(code, parts):
    pattern = re.compile("|".join(f"(?P<{name}>{expression})" for name, expression in parts), re.S)
    out, last = [], 0
    for match in pattern.finditer(code):
        out += [html.escape(code[last:match.start()], False),
                f'<b class="{match.lastgroup}">{html.escape(match.group(0), False)}</b>']
        last = match.end()
    return "".join(out) + html.escape(code[last:], False)


def console(code):
    """Commands stand out from what they say."""
    lines = []
    for line in code.split("\n"):
        if line.startswith(("$ ", "> ")):
            lines.append(f'<i>{html.escape(line[:2], False)}</i><b class="command">{html.escape(line[2:], False)}</b>')
        else:
            lines.append(html.escape(line, False))
    return "\n".join(lines)


def code(language, text):
    if language == "console":
        return console(text)
    parts = PARTS.get(SAME.get(language, language))
    return paint(text, parts) if parts else html.escape(text, False)
