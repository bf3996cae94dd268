"""A naive model of how existing agents read routes and converse: compat mode, told by its documents.

No code and no data structure is shared with the engine: texts are cut with str methods, tapes are
dicts, JSON is Python's own. It is slow and short on purpose; test_agent_model.py asks both."""
import json
import keyword
import re

DEFAULT = ("-", ("[", "]"), ",", ">")
VERSIONS = ("0.0.1", "1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.2.0", "1.3.0")


class Refused(Exception):
    """What the existing library raises."""


# ---- styles, nodes, routes ----

def check_style(stem, brackets, separator, tip):
    left, right = brackets
    if len(stem) != 1 or not (left and right and separator and tip):
        raise Refused
    parts = {stem * 2, left, right, tip}
    if any(a != b and a in b for a in parts for b in parts):
        raise Refused
    if any(bad in separator for bad in (stem, left, right, tip, "(", ")", "/")):
        raise Refused


def node(text):
    """(kind, items, canonical text)"""
    text = text.strip()
    if text == "/all":
        return "all", None, text
    found = re.fullmatch(r"/(not|oneof)\(([^)]*)\)", text)
    if found:
        items = [i.strip() for i in found[2].split(",") if i.strip()]
        return found[1], items, f"/{found[1]}({','.join(items)})"
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        return "plain", [text], text
    raise Refused


def pieces(text, separator):
    out, piece, depth = [], "", 0
    for c in text:
        depth = depth + 1 if c == "(" else max(0, depth - 1) if c == ")" else depth
        if c == separator and not depth:
            out.append(piece)
            piece = ""
        else:
            piece += c
    return [p.strip() for p in (*out, piece) if p.strip()]


def nodes(text, separator):
    for piece in pieces(text, separator):
        if not re.fullmatch(r"/?[A-Za-z_]\w*(\([^)]*\))?", piece):
            raise Refused
    return [node(piece) for piece in pieces(text, separator)]


def places(text, glyph, start=0):
    at = text.find(glyph, start)
    while at >= 0:
        yield at
        at = text.find(glyph, at + 1)


def shapes(text, style):
    """Every way to cut the route at this style's arrow, in the order they are tried."""
    stem, (left, right), _, tip = style
    open_, close, bare = stem * 2 + left, right + stem * 2 + tip, stem * 2 + tip
    for i in places(text, open_, 1):
        for j in places(text, close, i + len(open_)):
            if text[j + len(close):]:
                yield text[:i], text[i + len(open_):j], text[j + len(close):]
    if text.startswith(open_):
        for j in places(text, close, len(open_)):
            if text[j + len(close):]:
                yield "", text[len(open_):j], text[j + len(close):]
    if text.endswith(close):
        for i in places(text, open_, 1):
            if i + len(open_) <= len(text) - len(close):
                yield text[:i], text[i + len(open_):len(text) - len(close)], ""
    for i in places(text, bare, 1):
        if text[i + len(bare):]:
            yield text[:i], "", text[i + len(bare):]
    if text.startswith(bare) and text[len(bare):]:
        yield "", "", text[len(bare):]
    if text.endswith(bare) and text[:-len(bare)]:
        yield text[:-len(bare)], "", ""


class Route:
    def __init__(self, text, styles=(DEFAULT,)):
        text = text.strip()
        self.style, self.parts = None, None
        for style in styles:
            cut = next((c for c in shapes(text, style) if not any("\n" in p.strip() for p in c)), None)
            if cut:
                self.style = style
                self.parts = [nodes(p.strip(), style[2]) for p in cut]
                break
        if self.parts is None:
            self.parts = [nodes(text, ","), [], []]
        self.source, self.label, self.target = self.parts
        self.arrow = bool(self.label or self.target)
        self.initial = self.arrow and not self.source
        names = [[n[2] for n in part] for part in self.parts]
        if self.arrow:
            stem, (left, right), sep, tip = self.style
            self.canonical = (sep.join(names[0]) + stem * 2 + left + sep.join(names[1]) + right + stem * 2 + tip +
                              sep.join(names[2]))
        else:
            self.canonical = ",".join(names[0])

    def activated(self, action):
        if action == "EVENT":
            return [] if self.arrow else self.source
        if not self.arrow:
            return self.source if action in ("MOVE", "STAY") else []
        return {"MOVE": self.label + self.target, "STAY": self.source, "TEST": self.label}.get(action, [])


def accepts(gate, state):
    (g, names, _), (s, others, _) = gate, state
    if g == "all" or s == "all":
        return True
    if g == "not":
        return s != "plain" or others[0] not in names
    if s == "not":
        return any(n not in others for n in names)
    return any(n in others for n in names)


def route_accepts(sender, receiver):
    return all(any(accepts(s, r) for r in theirs) for ours, theirs in zip(sender.parts, receiver.parts) for s in ours)


# ---- tapes ----

def tape(value):
    """(type, {stored key: [node]})"""
    if isinstance(value, str):
        return "SINGLE", {"tape": [node(value)]}
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return "MANY", {"tape": [node(v) for v in value]}
    if isinstance(value, dict):
        if all(isinstance(v, str) for v in value.values()):
            return "INDEX_SINGLE", {"tape:" + k: [node(v)] for k, v in value.items()}
        return "INDEX_MANY", {"tape:" + k: [node(n) for n in v] for k, v in value.items()}
    return "INDEX_MANY", {}


def own_key(key):
    return key.removeprefix("tape:") if key is not None else None


def presented(kind, stored):
    if kind.startswith("INDEX"):
        out = {}
        for key, states in stored.items():
            out.setdefault(own_key(key), []).extend(s[2] for s in states)
        return [[k, v] for k, v in out.items()]
    return ([s[2] for k, v in stored.items() if k is not None for s in v] +
            [s[2] for s in stored.get(None, [])])


# ---- triggers ----

def signals(question):
    """[(name, path)] in order."""
    if "text" in question:
        return signals_of_text(question["text"])
    out = []

    def walk(tree, path):
        for i, (name, below) in enumerate(tree.items()):
            check_name(name)
            out.append((name, path + [i]))
            walk(below or {}, path + [i])
    walk(question["tree"], [])
    return out


def check_name(name):
    if name.startswith("_") or keyword.iskeyword(name) or name == "name_of":
        raise Refused


def signals_of_text(text):
    out, levels, last, counts = [], [0], [None], {}
    for line in text.split("\n"):
        line = line.split("#")[0].expandtabs(8)
        name, indent = line.strip(), len(line) - len(line.lstrip())
        if not name:
            continue
        if indent > levels[-1]:
            if not out:
                raise Refused
            levels.append(indent)
            last.append(None)
        while indent < levels[-1]:
            levels.pop()
            last.pop()
        if indent != levels[-1] or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise Refused
        check_name(name)
        above = last[-2] if len(last) > 1 else ()
        if (above, name) in counts:
            raise Refused
        siblings = sum(1 for (a, _) in counts if a == above)
        path = above + (siblings,)
        counts[(above, name)] = True
        last[-1] = path
        out.append((name, list(path)))
    return out


# ---- values on the wire ----

def kind_of(value):
    if isinstance(value, dict):
        return {k: kind_of(v) for k, v in value.items()}
    if isinstance(value, list):
        return [kind_of(v) for v in value]
    return {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}[type(value)]


def decoded(value):
    if isinstance(value, str):
        try:
            return decoded(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, list):
        return [decoded(v) for v in value]
    if isinstance(value, dict):
        return {k: decoded(v) for k, v in value.items()}
    return value


def cast(value, kind):
    if isinstance(kind, str):
        try:
            return {"str": str, "bool": bool, "int": int, "float": float}.get(kind, lambda v: v)(value)
        except (ValueError, TypeError, OverflowError):
            return value
    if isinstance(kind, dict) and isinstance(value, dict):
        out = {k: cast(value[k], t) for k, t in kind.items() if k in value}
        return out | {k: v for k, v in value.items() if k not in kind}
    if isinstance(kind, list) and isinstance(value, list):
        return [cast(v, kind[i]) if i < len(kind) else v for i, v in enumerate(value)]
    return value


def recover(line):
    try:
        whole = decoded(json.loads(line))
    except ValueError:
        return line.removesuffix("\n")
    if not (isinstance(whole, dict) and {"remote_addr", "content"} <= whole.keys()):
        return whole
    content = whole["content"]
    if isinstance(content, dict) and {"_version", "_payload", "_type"} <= content.keys():
        content = cast(content["_payload"], content["_type"])
    return {"remote_addr": whole["remote_addr"], "content": content}


# ---- a cycle ----

def registered(entries, flow, styles):
    """Receivers in force, in the order of their routes' first registration: (index, entry, route)."""
    table = {}
    for i, entry in enumerate(entries):
        text = entry.get("route", "").strip()
        route = None
        if flow:
            try:
                route = Route(text, styles)
            except Refused:
                pass
        table[route.canonical if route else text] = (i, entry, route)
    return list(table.values())


def order(priority):
    return tuple(priority or ())


def collect(receivers, stored):
    out = []
    for i, entry, route in receivers:
        if route is None:
            continue
        if route.initial:
            out.append((i, entry, route, None, None))
            continue
        for key, states in stored.items():
            for state in states:
                out += [(i, entry, route, key, state) for gate in route.source if accepts(gate, state)]
    return sorted(out, key=lambda a: order(a[1].get("priority")))


def hooks_of(entries, direction):
    table = {}
    for i, entry in enumerate(entries):
        if (entry.get("dir") or entry.get("direction")) == direction:
            table[order(entry.get("priority"))] = (i, entry)
    return [table[k] for k in sorted(table)]


def through_hooks(hooks, direction, payload, trace):
    for i, hook in hooks_of(hooks, direction):
        name = hook.get("name", f"hook{i}")
        trace.append({"ev": "hook", "dir": direction, "name": name})
        if hook.get("do") == "drop":
            return None
        if hook.get("do") == "tag" and isinstance(payload, str):
            payload = f"{payload}|{name}"
    return payload


def filters(sender):
    """(is it reactive, does it let an event through)"""
    actions, triggers = sender.get("on_actions"), sender.get("on_triggers")

    def lets_through(event):
        action, trigger = event
        return (actions is None or action in actions) and (triggers is None or (action is not None and
                                                                               trigger in triggers))
    return bool(actions or triggers), lets_through


def emit(sender, i, payload, hooks, trace):
    many = payload if sender.get("multi") else [payload]
    if payload is None or not hasattr(many, "__iter__"):
        return
    for one in many:
        if one is not None:
            one = through_hooks(hooks, "SEND", one, trace)
            if one is not None:
                trace.append({"ev": "emit", "line": {"_version": "1.3.0", "_payload": one, "_type": kind_of(one)}})


def send_pass(question, flow, styles, events, trace):
    senders, hooks = question.get("senders", []), question.get("hooks", [])
    by_route = {}
    for i, sender in enumerate(senders):
        text = sender.get("route", "").strip()
        route = None
        if flow:
            try:
                route = Route(text, styles)
            except Refused:
                pass
        by_route.setdefault(route.canonical if route else text, []).append((i, sender, route))
    emitted = set()
    for name, group in by_route.items():
        for i, sender, route in group:
            reactive, lets_through = filters(sender)
            own = sender.get("name", f"send{i}")
            if not flow or not reactive:
                trace.append({"ev": "send", "name": own})
                emit(sender, i, sender.get("payload"), hooks, trace)
                continue
            for key, receiver, event, data in events:
                if route is None or not route_accepts(route, receiver) or not lets_through(event):
                    continue
                if sender.get("use_data"):
                    trace.append({"ev": "send", "name": own, "data": data})
                    emit(sender, i, sender["payload"] if "payload" in sender else data, hooks, trace)
                elif (name, key, own) not in emitted:
                    emitted.add((name, key, own))
                    trace.append({"ev": "send", "name": own})
                    emit(sender, i, sender.get("payload"), hooks, trace)
                    break
                else:
                    break


def event_of(entry):
    action = entry.get("action", "NONE")
    return (None, None) if action == "NONE" else (action, entry.get("trigger", "ok"))


def cycle(question):
    styles, flow = styles_of(question), question.get("flow", True)
    given = question.get("tape")
    commit = isinstance(given, dict) and "$commit" in given
    held = given["$commit"] if commit else given
    receivers = registered(question.get("receivers", []), flow, styles)
    trace = []
    for message in question["messages"]:
        line = message if isinstance(message, str) else json.dumps(message)
        payload = recover(line)
        trace.append({"ev": "message"})
        events = []
        if receivers:
            payload = through_hooks(question.get("hooks", []), "RECEIVE", payload, trace)
        if receivers and payload is not None:
            kind, stored = tape(held) if flow else (None, {})
            calls = collect(receivers, stored) if flow else sorted(
                ((i, e, r, None, None) for i, e, r in receivers), key=lambda a: order(a[1].get("priority")))
            if flow:
                trace.append({"ev": "upload", "tape": held})
            groups = {}
            for call in calls:
                groups.setdefault(order(call[1].get("priority")), []).append(call)
            for group in groups.values():
                fresh = {k: [] for k in stored}
                for i, entry, route, key, _ in group:
                    action, trigger = event_of(entry)
                    trace.append({"ev": "receive", "name": entry.get("name", f"recv{i}"),
                                  "action": action or "NONE", "trigger": trigger})
                    if flow:
                        fresh.setdefault(key, []).extend(route.activated(action))
                        events.append((key, route, (action, trigger), entry.get("data"), entry))
                if flow:
                    shown = presented(kind, fresh)
                    trace.append({"ev": "download", "tape": shown})
                    if commit:
                        held = {("null" if k is None else k): v for k, v in shown} if kind.startswith("INDEX") else shown
        trace.append({"ev": "bridge", "events": [
            {"priority": list(order(e.get("priority"))), "key": k, "route": r.canonical,
             "action": {"MOVE": "Move", "STAY": "Stay", "TEST": "Test", None: None}[ev[0]], "trigger": ev[1]}
            for k, r, ev, _, e in events]})
        send_pass(question, flow, styles, [e[:4] for e in events], trace)
    return {"trace": trace, "final_tape": held}


# ---- questions ----

def styles_of(question):
    given = question.get("styles")
    return [DEFAULT] if given is None else [(s[0], tuple(s[1]), s[2], s[3]) for s in given]


def answer(question):
    """The answer of the existing library, without the text of failures."""
    try:
        for style in question.get("styles") or []:
            check_style(*style)
        return {"ok": True, **OPERATIONS[question["op"]](question)}
    except Refused:
        return {"ok": False}


def texts(part):
    return [n[2] for n in part]


def op_parse(q):
    r = Route(q["route"], styles_of(q))
    again = Route(r.canonical, styles_of(q))
    stem = r.style and [r.style[0], list(r.style[1]), r.style[2], r.style[3]]
    return {"source": texts(r.source), "label": texts(r.label), "target": texts(r.target), "canonical": r.canonical,
            "kind": "arrow" if r.arrow else "object", "initial": r.initial, "has_label": bool(r.label),
            "style": stem, "roundtrip": again.canonical == r.canonical}


def op_style(q):
    check_style(*q["style"])
    return {}


def op_node(q):
    kind, items, text = node(q["expr"])
    return {"kind": kind, "values": items, "str": text}


def op_outcome(q):
    r = Route(q["route"], styles_of(q))
    return {"route": r.canonical, "kind": "arrow" if r.arrow else "object",
            "activated": texts(r.activated(q["action"]))}


def op_tape(q):
    kind, stored = tape(q["tape"])
    empty = {k: [] for k in stored}
    out = {"type": kind, "stored": [[k, texts(v)] for k, v in stored.items()], "revert": presented(kind, stored),
           "refresh": presented(kind, empty)}
    if "extend" in q:
        for key, states in q["extend"].items():
            empty.setdefault(None if key == "\0" else key, []).extend(node(s) for s in states)
        out["extended"] = presented(kind, empty)
    return out


def op_activations(q):
    kind, stored = tape(q["tape"])
    entries = [r if isinstance(r, dict) else {"route": r} for r in q["routes"]]
    unparsed = []
    for i, entry in enumerate(entries):
        try:
            Route(entry["route"], styles_of(q))
        except Refused:
            unparsed.append({"index": i, "route": entry["route"]})
    calls = collect(registered(entries, True, styles_of(q)), stored)
    return {"tape_type": kind, "unparsed": unparsed, "activations": [
        {"priority": list(order(e.get("priority"))), "key": own_key(k) if kind.startswith("INDEX") else k, "raw_key": k,
         "state": s[2] if s else None, "route": r.canonical, "receiver": i} for i, e, r, k, s in calls]}


def op_responds(q):
    known = {name for name, _ in signals(q)}
    named = [*(q["triggers"] or []), *([q["trigger"]] if q["trigger"] else [])]
    if any(name not in known for name in named):
        raise Refused
    reactive, lets_through = filters({"on_actions": q["actions"], "on_triggers": q["triggers"]})
    event = (None, None) if q["action"] == "NONE" else (q["action"], q["trigger"])
    return {"result": lets_through(event), "reactive": reactive}


def op_triggers(q):
    found = signals(q)
    last = dict(found)

    def tree(path):
        below = [(n, p) for n, p in found if p[:-1] == path]
        return {n: tree(p) or None for n, p in below}
    return {"signals": [[n, p] for n, p in found], "attributes": [[n, last[n]] for n in sorted(last)],
            "tree": tree([])}


def op_hook_order(q):
    rows = q["priorities"]
    return {"order": sorted(range(len(rows)), key=lambda i: tuple(rows[i]))}


def op_wrap(q):
    if q.get("version", "1.3.0") not in VERSIONS:
        raise Refused
    return {"line": json.dumps({"_version": q.get("version", "1.3.0"), "_payload": q["payload"],
                                "_type": kind_of(q["payload"])}) + "\n"}


def op_dna(q):
    out = []
    styles, flow = styles_of(q), q.get("flow", True)

    def key(text):
        if flow:
            try:
                return "".join(Route(text, styles).canonical.split())
            except Refused:
                pass
        return "".join(text.split())
    for i, r in enumerate(q.get("receivers", [])):
        out.append({"type": "receive", "route": r["route"].strip(), "route_key": key(r["route"]),
                    "priority": r.get("priority") or [], "source": "<source>", "module": "__main__",
                    "fn_name": r.get("name", f"recv{i}")})
    for i, s in enumerate(q.get("senders", [])):
        data = s.get("use_data", False)
        entry = {"type": "send", "route": s["route"].strip(), "route_key": key(s["route"]),
                 "multi": s.get("multi", False), "use_data": data, "data_mode": "live" if data else None, "every": None}
        for name in ("run_while", "when_data"):
            entry |= {f"{name}_kind": "none", f"{name}_value": None, f"{name}_name": None, f"{name}_source": None}
        actions = sorted({a.capitalize() for a in s.get("on_actions") or []})
        out.append(entry | {"on_triggers": sorted(set(s.get("on_triggers") or [])), "on_actions": actions,
                            "source": "<source>", "module": "__main__", "fn_name": s.get("name", f"send{i}")})
    for i, h in enumerate(q.get("hooks", [])):
        out.append({"type": "hook", "direction": h["dir"], "priority": h.get("priority") or [], "source": "<source>",
                    "module": "__main__", "fn_name": h.get("name", f"hook{i}")})
    return {"entries": out, "key_order": [list(e) for e in out]}


OPERATIONS = {
    "parse": op_parse, "style": op_style, "node": op_node, "outcome": op_outcome, "tape": op_tape,
    "tokens": lambda q: {"tokens": pieces(q["text"], q.get("separator", ","))},
    "accepts": lambda q: {"result": accepts(node(q["gate"]), node(q["state"]))},
    "route_accepts": lambda q: {"result": route_accepts(Route(q["sender"], styles_of(q)), Route(q["receiver"],
                                                                                              styles_of(q)))},
    "activations": op_activations, "responds": op_responds, "triggers": op_triggers, "hook_order": op_hook_order,
    "wrap": op_wrap, "recover": lambda q: {"payload": recover(q["line"])}, "cycle": cycle, "dna": op_dna,
}
