"""What motet connect proposes for tests/data/connect, beside the known right answers.

    score() -> rows (kind, case, held out, fact, right answer, proposal or None)

With names_only the contract's paths are taken away first, so that nothing but the names of
facts is left to go by: that is how somebody starts who has not looked at the schema yet.
"""
import json
import re
import shutil
import tempfile

from harness import SOURCE, run

DATA = SOURCE / "tests" / "data" / "connect"
KINDS = ("openapi", "graphql", "sql", "proto")


def cases():
    for kind in KINDS:
        for path in sorted((DATA / kind).glob("*.answer")):
            yield kind, path.stem, json.loads(path.read_text())


def is_right(answer, proposal):
    """The right place with the right conversion."""
    return (answer is not None and proposal is not None
            and proposal["place"] == answer["place"]
            and proposal["settings"].get("convert") == answer.get("convert"))


def score(names_only=False):
    with tempfile.TemporaryDirectory(prefix="motet-") as holder:
        data = shutil.copytree(DATA, f"{holder}/connect")
        yield from score_in(data, names_only)


def score_in(data, names_only):
    for kind, name, known in cases():
        folder = f"{data}/{kind}"
        if names_only:
            with open(f"{folder}/{name}.tenor", "r+", encoding="utf-8") as file:
                text = re.sub('path: "[^"]*"', 'path: "a.b"', file.read())
                file.seek(0)
                file.write(text)
                file.truncate()
        result = run("connect", f"{name}.tenor", "--from", known["document"], "--json", cwd=folder)
        assert result.code in (0, 1) and result.out, (kind, name, result)
        source, = json.loads(result.out)["sources"].values()
        for fact, answer in known["facts"].items():
            found = source["facts"][fact]
            yield kind, name, known["held_out"], fact, answer, found if "place" in found else None


def figures(rows, least=("low", "medium", "high")):
    """Precision and recall of the proposals that are at least so sure."""
    rows = list(rows)
    made = [row for row in rows if row[5] and row[5]["confidence"] in least]
    right = [row for row in made if is_right(row[4], row[5])]
    wanted = [row for row in rows if row[4] is not None]
    return len(right) / max(len(made), 1), len(right) / max(len(wanted), 1)


def main(names_only=False):
    rows = list(score(names_only))
    for kind, name, held, fact, answer, found in rows:
        if (found or answer) and not is_right(answer, found):
            print(kind, name, "HELD" if held else "", fact, "| want", answer, "| got",
                  found and (found["place"], found["settings"].get("convert"),
                             found["confidence"], found["score"]))
    for label, part in [("tuned", [r for r in rows if not r[2]]),
                        ("held out", [r for r in rows if r[2]])]:
        for kind in KINDS:
            of = [row for row in part if row[0] == kind]
            print(label, kind, "all %.2f %.2f" % figures(of),
                  "high %.2f %.2f" % figures(of, ("high",)))
        print(label, "ALL all %.3f %.3f" % figures(part),
              "high %.3f %.3f" % figures(part, ("high",)))


if __name__ == "__main__":
    main()
    main(names_only=True)
