"""The rules of Prometheus text, as promtool checks them: what is wrong with a page, as a list.

HELP and TYPE stand once and before the samples of their family; families are not mixed; no series
comes twice; names and labels are well-formed; counters end in _total; a histogram has buckets that
never decrease, ends with le="+Inf", and its count is that of the last bucket.
"""
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|\Z)')


def labels_of(text):
    out, at = {}, 0
    while at < len(text or ""):
        found = LABEL.match(text, at)
        if not found or found[1] in out:
            return None
        out[found[1]] = found[2]
        at = found.end()
    return out


def family_of(name, types):
    for end in ("_bucket", "_sum", "_count"):
        if name.endswith(end) and types.get(name[:-len(end)]) == "histogram":
            return name[:-len(end)]
    return name


def check(page):
    """Faults, and {(name, labels): value}."""
    faults, helps, types, series, order = [], {}, {}, {}, []
    if not page.endswith("\n"):
        faults.append("the last line does not end")
    for line in page.splitlines():
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            table = {"HELP": helps, "TYPE": types}[word]
            if name in table:
                faults.append(f"{word} of {name} twice")
            if name in order:
                faults.append(f"{word} of {name} after its samples")
            table[name] = rest
            continue
        found = SAMPLE.match(line)
        labels = found and labels_of(found[2])
        if labels is None:
            faults.append(f"malformed: {line}")
            continue
        name, family = found[1], family_of(found[1], types)
        if family not in types or family not in helps:
            faults.append(f"{name} has no HELP or TYPE")
        if not order or order[-1] != family:
            if family in order:
                faults.append(f"samples of {family} are not together")
            order.append(family)
        key = (name, tuple(sorted(labels.items())))
        if key in series:
            faults.append(f"{key} twice")
        series[key] = float(found[3])
    faults += [f"{n} is a counter without _total" for n, t in types.items()
               if t == "counter" and not n.endswith("_total")]
    faults += check_histograms(types, series)
    return faults, series


def check_histograms(types, series):
    faults, buckets = [], {}
    for (name, labels), value in series.items():
        if name.endswith("_bucket") and types.get(name[:-7]) == "histogram":
            le = dict(labels)["le"]
            rest = tuple(l for l in labels if l[0] != "le")
            buckets.setdefault((name[:-7], rest), []).append((float(le), value))
    for (name, rest), found in buckets.items():
        bounds, counts = [b for b, _ in found], [c for _, c in found]
        if bounds != sorted(set(bounds)) or bounds[-1] != float("inf"):
            faults.append(f"bounds of {name}{rest}")
        if counts != sorted(counts):
            faults.append(f"buckets of {name}{rest} decrease")
        if series.get((f"{name}_count", rest)) != counts[-1]:
            faults.append(f"count of {name}{rest}")
        if (f"{name}_sum", rest) not in series:
            faults.append(f"sum of {name}{rest} is missing")
    return faults
