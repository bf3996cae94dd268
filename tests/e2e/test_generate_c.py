"""motet generate c: what the generated evaluator says is what the engine says, byte for byte.

Every example and many random contracts (tests/unit/contract/random_contract.c, random_flow.h)
are generated, compiled with -Wall -Wextra -Werror under AddressSanitizer and UBSan, and asked
the same as `motet eval`. MOTET_SOAK=1: 2,000 random contracts; MOTET_SEED sets where to begin.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess

from contracts import AWKWARD
from harness import MOTET, SEED, SOAK, SOURCE, Case, main, run

RANDOM = os.environ.get("MOTET_RANDOM") or str(MOTET.parent / "tests" / "e2e" / "random_contracts")
CONTRACTS, SETS = (2000, 20) if SOAK else (16, 20)
FLAGS = ["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# Sanitizers make compiling four times as long: in the short form every fourth random contract
# has them, and every example.
EVERY = 1 if SOAK else 4
# Texts that are no facts, or no JSON, or hostile.
BAD = ["", " ", "null", "[]", "{", "}", '{"a"', '{"a":1,"a":2}', '{"x":{"k":[1,{"k":2,"k":3}]}}',
       "[" * 300 + "]" * 300, '{"z":' + "[" * 300 + "]" * 300 + "}", '{"z":1} x', '{"z":01}',
       '{"z":"\\ud800"}', '{"z":"\\q"}', '{"z":tru}', "\ufeff{}", '{"\\u0061\\u0062":1,"ab":2}',
       "{" + ",".join(f'"k{i}":{i}' for i in range(500)) + "}"]


def compiled(folder, name, bundle, sanitized):
    """Generates and compiles; the program's path."""
    acts = any(c["kind"] == "Operation" for c in bundle["constructs"])
    path = folder / f"{name}.json"
    path.write_text(json.dumps(bundle))
    made = run("generate", "c", path, "--out", folder, "--prefix", name)
    assert made.code == 0, repr(made)
    driver = (SOURCE / "tests/e2e/generated.c.in").read_text()
    (folder / f"{name}_main.c").write_text(driver.replace("@p@", name).replace("@P@", name.upper()))
    done = subprocess.run(["clang", *FLAGS, *(SANITIZE if sanitized else []), *(["-DACTS"] if acts else []), f"{name}.c",
                           f"{name}_main.c", "-o", name], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: {done.stderr[:4000]}"
    return folder / name


def request(kind, *fields):
    out = kind.encode()
    for field in fields:
        data = field.encode("utf-8", "surrogatepass") if isinstance(field, str) else field
        out += b"%d\n%s" % (len(data), data)
    return out + b"\n"


def with_acts(bundle, r):
    """The same contract with operations and a flow that ask what its rules ask."""
    whens = [c["body"]["when"] for c in bundle["constructs"] if c["kind"] == "Rule"]
    tail = {"provenance": {"file": "r", "line": 1}, "tenor": "1.0"}
    operations = [{"allowed_personas": ["p"], "effects": [{"entity_id": "E", "from": "a", "to": "b"}],
                   "error_contract": ["precondition_failed"], "id": f"op{i}", "kind": "Operation",
                   "outcomes": ["done"], "precondition": when, **tail}
                  for i, when in enumerate(r.sample(whens, min(3, len(whens))))]
    end = {"kind": "Terminal", "outcome": "success"}
    flow = {"entry": "s0", "id": "w", "kind": "Flow", "snapshot": "at_initiation", **tail, "steps": [
        {"condition": r.choice(whens), "id": "s0", "if_false": end, "if_true": "s1",
         "kind": "BranchStep", "persona": "p"},
        {"id": "s1", "kind": "OperationStep", "op": "op0", "persona": "p", "outcomes": {"done": end},
         "on_failure": {"kind": "Terminate", "outcome": "failure"}}]}
    entity = {"id": "E", "initial": "a", "kind": "Entity", "states": ["a", "b"],
              "transitions": [{"from": "a", "to": "b"}], **tail}
    return {**bundle, "constructs": [{"id": "p", "kind": "Persona", **tail}, entity,
                                     *bundle["constructs"], *operations, flow]}


def interchange(value, t):
    """A value as facts are given, as a default of interchange."""
    base = t["base"]
    if isinstance(value, dict) and "kind" in value or base in ("Text", "Enum", "Date", "DateTime"):
        return value
    if base in ("Bool", "Int"):
        return {"kind": f"{base.lower()}_literal", "value": value}
    if base == "Decimal":
        return {"kind": "decimal_value", "precision": t["precision"], "scale": t["scale"],
                "value": value["value"] if isinstance(value, dict) else str(value)}
    if base == "Money":
        places = len(value["amount"].partition(".")[2])
        return {"amount": {"kind": "decimal_value", "precision": 28, "scale": places,
                           "value": value["amount"]},
                "currency": value["currency"], "kind": "money_value"}
    if base == "Duration":
        return {**value, "kind": "duration_value"}
    if base == "List":
        return {"elements": [interchange(v, t["element_type"]) for v in value], "kind": "list_value"}
    if base == "Record":
        return {"fields": {k: interchange(v, t["fields"][k]) for k, v in value.items()
                           if k in t["fields"]}, "kind": "record_value"}
    return {"kind": "tagged_union_value", "tag": value["tag"],
            "payload": interchange(value["payload"], t["variants"][value["tag"]])}


def completed(bundle):
    """What the loader does without and interchange demands."""
    for construct in bundle["constructs"]:
        construct.setdefault("provenance", {"file": "r", "line": 1})
        if "default" in construct:
            construct["default"] = interchange(construct["default"], construct["type"])
    return bundle


class Contract:
    """One contract, its fact sets, and what is asked of it."""

    def __init__(self, folder, name, bundle, facts, seed, sanitized=True):
        self.folder, self.name, self.facts = folder, name, facts
        self.sanitized = sanitized
        self.bundle = bundle
        self.r = random.Random(seed)
        self.of = {kind: [c for c in bundle["constructs"] if c["kind"] == kind]
                   for kind in ("Operation", "Flow", "Entity", "Persona")}

    def states(self):
        """(for the driver, for the command)"""
        mine, theirs = [], {}
        for number, entity in enumerate(self.of["Entity"]):
            state = self.r.choice(entity["states"])
            mine.append(f"{number} {entity['states'].index(state)}")
            theirs[entity["id"]] = state
        return " ".join(mine) + " ", json.dumps(theirs)

    def asked(self):
        """[(request, words of the command, its standard input or None)]"""
        path = self.folder / f"{self.name}.json"
        lines = [f for f in self.facts if f.strip() and "\n" not in f]
        out = [(request("l", f), None, None) for f in lines]
        out += [(request("t", f), None, None) for f in lines]
        single = self.facts[:2] + self.r.sample(BAD, 3)
        out += [(request("e", f), ["eval", path, "--facts", "-", "--json"], f) for f in single]
        out += [(request("s", f), ["eval", path, "--facts", "-", "--json", "--lines", "--strict"], f)
                for f in self.facts[:1]]
        for kind, word, of in (("o", "--operation", "Operation"), ("f", "--flow", "Flow")):
            for number, construct in enumerate(self.of[of]):
                f = self.r.choice(self.facts)
                persona = self.r.choice([p["id"] for p in self.of["Persona"]] + ["nobody"])
                outcome = self.r.choice([""] + construct.get("outcomes", [] if of == "Operation" else ["done", "o1"]))
                mine, theirs = self.states()
                states = self.folder / f"{self.name}.{kind}{number}.states.json"
                states.write_text(theirs)
                out.append((request(kind, f, str(number), persona, outcome, mine),
                            ["eval", path, "--facts", "-", "--json", word, construct["id"],
                             "--persona", persona, "--states", states,
                             *(["--outcome", outcome] if outcome else [])], f))
        return lines, out

    def compare(self):
        program = compiled(self.folder, self.name, self.bundle, self.sanitized)
        lines, asked = self.asked()
        done = subprocess.run([program], input=b"".join(a[0] for a in asked), capture_output=True)
        assert done.returncode == 0, f"{self.name}: exit {done.returncode} {done.stderr.decode()[:3000]}"
        got = done.stdout.split(b"\n")
        path = self.folder / f"{self.name}.json"
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        want = run("eval", path, "--facts", "-", "--json", "--lines", stdin=text).out_bytes.split(b"\n")[:-1]
        assert len(want) == len(lines), f"{self.name}: {len(want)} {len(lines)}"
        kinds = {"decisions": 0, "faults": 0, "acts": 0}
        for i, (_, words, facts) in enumerate(asked):
            if words is None:
                wanted = want[i % len(lines)]
                kinds["faults" if wanted.startswith(b'{"details"') else "decisions"] += 1
            else:
                result = run(*words, stdin=facts.encode("utf-8", "surrogatepass"))
                if result.err.startswith(("motet: evaluation error", "evaluation error")) or \
                        (result.code and not result.out):
                    continue  # said as text: the fault itself is compared above
                wanted = result.out_bytes.rstrip(b"\n")
                kinds["acts" if words[-2] in ("--states", "--outcome") else "decisions"] += 1
            assert got[i] == wanted, (f"{self.name} request {i} {words}\ngot  {got[i].decode()}\n"
                                      f"want {wanted.decode()}")
        program.unlink()
        return kinds


def fact_sets(bundle, r):
    """For an example: what its types allow, and what they do not."""
    kinds = {c["id"]: c["type"] for c in bundle["constructs"] if c["kind"] == "Fact"}
    out = []
    for _ in range(SETS):
        out.append(json.dumps({name: value(t, r) for name, t in kinds.items() if r.random() < 0.97}))
    return out


def value(t, r):
    base = t["base"]
    if r.random() < 0.02:
        return r.choice([None, 7, "x", [], {}, True, "1e5", -1])
    if base == "Bool":
        return r.random() < 0.7
    if base == "Int":
        return r.randint(max(t.get("min", 0), -1000), min(t.get("max", 1000), 1000))
    if base == "Duration":
        return {"unit": t["unit"], "value": r.randint(t.get("min", 0), min(t.get("max", 99), 99))}
    if base == "Decimal":
        return f"{r.randint(0, 10 ** min(t['precision'] - t['scale'], 6) - 1)}" + \
            (f".{r.randint(0, 10 ** t['scale'] - 1):0{t['scale']}d}" if t["scale"] else "")
    if base == "Money":
        return {"amount": f"{r.randint(0, 20000)}.{r.randint(0, 99):02d}", "currency": t["currency"]}
    if base == "Text":
        return r.choice(["", "a", "é\n\"", "x" * min(t.get("max_length", 9), 9)])
    if base == "Enum":
        return r.choice(t["values"])
    if base == "Date":
        return f"{r.randint(2020, 2030)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
    if base == "DateTime":
        return f"{r.randint(2020, 2030)}-06-{r.randint(1, 28):02d}T0{r.randint(0, 9)}:00:00Z"
    if base == "List":
        return [value(t["element_type"], r) for _ in range(r.randint(0, min(t["max"], 4)))]
    if base == "Record":
        return {name: value(field, r) for name, field in t["fields"].items()}
    tag = r.choice(sorted(t["variants"]))
    return {"payload": value(t["variants"][tag], r), "tag": tag}


class GenerateC(Case):
    def compare_all(self, contracts):
        totals = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for kinds in pool.map(Contract.compare, contracts):
                for kind, count in kinds.items():
                    totals[kind] = totals.get(kind, 0) + count
        print(totals, flush=True)
        return totals

    def test_every_example_says_what_the_engine_says(self):
        made = []
        for path in sorted((SOURCE / "examples").rglob("*.tenor")):
            result = run("elaborate", path, "--compact")
            self.assertEqual(result.code, 0, repr(result))
            bundle = json.loads(result.out)
            if any(c["kind"] == "System" for c in bundle["constructs"]):
                continue
            name = "x_" + re.sub(r"\W", "_", path.stem)
            made.append(Contract(self.dir, name, bundle, fact_sets(bundle, random.Random(SEED)), SEED))
        self.assertGreater(len(made), 5)
        totals = self.compare_all(made)
        self.assertGreater(totals["acts"], 20)
        self.assertGreater(totals["faults"], 10)

    def test_awkward_names_say_what_the_engine_says(self):
        result = run("elaborate", self.write("awkward.tenor", AWKWARD), "--compact")
        self.assertEqual(result.code, 0, repr(result))
        bundle = json.loads(result.out)
        one = Contract(self.dir, "awkward", bundle, fact_sets(bundle, random.Random(SEED)), SEED)
        self.assertGreater(self.compare_all([one])["decisions"], 10)

    def test_facts_called_like_the_names_of_the_api(self):
        """Of each name that there is: a record has a type of its own, which gets the fact's name."""
        tail = "\npersona p\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n" \
            "operation o { personas: [p] require: true effects: [(E, a, b)] }\n"
        self.holds("generate", "c", self.write("plain.tenor", tail), "--out", self.dir, "--prefix", "plain")
        names = sorted(set(re.findall(r"\bplain_([a-z_]+)", (self.dir / "plain.h").read_text())))
        self.assertIn("text", names)
        facts = "".join(f'fact {name} {{ type: Record {{ x: Bool }} source: "x.{name}" }}\n' for name in names)
        result = run("elaborate", self.write("taken.tenor", facts + tail), "--compact")
        self.assertEqual(result.code, 0, repr(result))
        bundle = json.loads(result.out)
        self.compare_all([Contract(self.dir, "taken", bundle, fact_sets(bundle, random.Random(SEED)), SEED)])

    def test_a_contract_with_nothing_in_it(self):
        made = []
        for name, source in (("nothing", "persona p"), ("acting", "persona p\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
                             "operation o { personas: [p] require: true effects: [(E, a, b)] }")):
            result = run("elaborate", self.write(name + ".tenor", source), "--compact")
            self.assertEqual(result.code, 0, repr(result))
            made.append(Contract(self.dir, name, json.loads(result.out), ["{}", '{"a":1}'], SEED))
        self.assertGreater(self.compare_all(made)["acts"], 0)

    def test_the_budget_of_steps_ends_where_the_engine_says(self):
        """Found by halving: the largest list that is decided, and the next one."""
        source = self.write("loops.tenor", '''
            fact l { type: List(element_type: Record { b: Bool }, max: 20000) source: "x" }
            rule r { stratum: 0 when: forall x in l . forall y in l . y.b produce: v(true) }''')
        bundle = json.loads(run("elaborate", source, "--compact").out)
        program = compiled(self.dir, "loops", bundle, False)
        words = ["eval", source, "--facts", "-", "--json", "--limit", "eval_ms=100000"]

        def facts(n):
            return json.dumps({"l": [{"b": True}] * n})
        fits, too_many = 1, 20000
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            code = run(*words, stdin=facts(middle)).code
            fits, too_many = (middle, too_many) if code == 0 else (fits, middle)
        self.assertIn('"type":"evaluation_budget"', run(*words, stdin=facts(too_many)).out)
        for n in (fits, too_many):
            got = subprocess.run([program], input=request("e", facts(n)), capture_output=True).stdout
            self.assertEqual(got, run(*words, stdin=facts(n)).out_bytes, n)

    def built(self, program, *names):
        """A program beside generated files, compiled and run; what it prints."""
        for name in names:
            made = run("generate", "c", SOURCE / f"examples/{name}/{name}.tenor", "--out", self.dir)
            self.assertEqual(made.code, 0, repr(made))
        self.write("main.c", program)
        done = subprocess.run(["clang", *FLAGS, *SANITIZE, "-pthread", "main.c", *(f"{n}.c" for n in names), "-o", "main"],
                              cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:3000])
        done = subprocess.run([self.dir / "main"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:3000])
        return done.stdout.splitlines()

    def test_facts_set_by_hand_are_checked_with_the_same_words(self):
        out = self.built(r'''
#include <stdio.h>
#include <string.h>
#include "escrow.h"
static _Alignas(16) char memory[1 << 16];
static escrow_line_items_item items[101];
static void check(escrow_facts f) {
    escrow_room room = {.memory = memory, .size = sizeof memory};
    escrow_fault fault;
    escrow_result r = escrow_facts_check(&f, &room, &fault);
    for (const escrow_fault *p = r ? &fault : NULL; p; p = p->next)
        printf("%s %.*s: %.*s\n", escrow_fault_name(p->kind), (int)p->path.len, p->path.ptr,
               (int)p->message.len, p->message.ptr);
    if (!r) puts("good");
}
int main(void) {
    escrow_facts f, g;
    escrow_facts_start(&f);
    check(f);
    for (int i = 0; i < 101; i++) {
        items[i].id = items[i].description = escrow_text_of("x");
    }
    f.escrow_amount = (escrow_decimal){.lo = 5, .scale = 2};
    f.line_items = (escrow_line_items){items, 100};
    memset(f.given, 1, sizeof f.given);
    check(f);
    g = f; g.delivery_status = (escrow_delivery_status)3; check(g);
    g = f; g.escrow_amount.scale = 29; check(g);
    g = f; g.escrow_amount = (escrow_decimal){.negative = true}; check(g);
    g = f; g.line_items.count = 101; check(g);
    items[7].id = (escrow_text){"\xff", 1}; check(f);
    return 0;
}''', "escrow")
        self.assertEqual(out, [
            "missing_fact delivery_status: missing required fact: delivery_status",
            "missing_fact escrow_amount: missing required fact: escrow_amount",
            "missing_fact line_items: missing required fact: line_items",
            "good",
            "invalid_enum delivery_status: invalid enum value for fact 'delivery_status': number 3, valid: "
            '["pending", "confirmed", "failed"]',
            "type_mismatch escrow_amount: type mismatch for fact 'escrow_amount': expected Money(USD), got no decimal",
            "type_mismatch escrow_amount: type mismatch for fact 'escrow_amount': expected Money(USD), got no decimal",
            "list_overflow line_items: list fact 'line_items' has 101 elements, max is 100",
            "type_mismatch line_items[7].id: type mismatch for fact 'line_items[7].id': expected "
            "Text(max_length=64), got invalid UTF-8"])

    def test_a_buffer_is_never_left_however_small(self):
        """Each size from nothing to enough, each buffer exactly as large as it says."""
        out = self.built(r'''
#include <stdio.h>
#include <stdlib.h>
#include "escrow.h"
static const char FACTS[] = "{\"escrow_amount\":{\"amount\":\"5.00\",\"currency\":\"USD\"},"
                            "\"delivery_status\":\"confirmed\",\"line_items\":[]}";
static _Alignas(16) char memory[1 << 16];
static escrow_result ask(size_t size, size_t *len) {
    escrow_room room = {.memory = memory, .size = sizeof memory};
    char *out = malloc(size);
    escrow_result r = escrow_eval_json(escrow_text_of(FACTS), false, true, &room, out, size, len);
    if (!r && out[*len]) abort();
    free(out);
    return r;
}
int main(void) {
    size_t len, full, size = 0;
    if (ask(1 << 14, &full)) return 1;
    while (ask(size, &len) == ESCROW_ROOM) size++;
    printf("%zu %zu\n", size - full, len - full);
    for (size = 0; size < 4096; size++) {
        void *some = malloc(size);
        escrow_room room = {.memory = some, .size = size};
        char out[4096];
        if (escrow_eval_json(escrow_text_of(FACTS), false, true, &room, out, sizeof out, &len) == ESCROW_FAULT) abort();
        free(some);
    }
    return 0;
}''', "escrow")
        self.assertEqual(out, ["1 0"], "the text and its NUL, no byte more")

    def test_two_contracts_and_two_threads_in_one_program(self):
        out = self.built(r'''
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "claims.h"
#include "escrow.h"
static void *decide(void *which) {
    static const char FACTS[] = "{\"escrow_amount\":{\"amount\":\"5.00\",\"currency\":\"USD\"},"
                                "\"delivery_status\":\"confirmed\",\"line_items\":[]}";
    static _Thread_local _Alignas(16) char memory[1 << 16];
    static _Thread_local char first[1 << 14], out[1 << 14];
    escrow_room e = {.memory = memory, .size = sizeof memory};
    claims_room c = {.memory = memory, .size = sizeof memory};
    size_t had = 0, len;
    for (int i = 0; i < 2000; i++) {
        if (*(int *)which) escrow_eval_json(escrow_text_of(FACTS), false, true, &e, out, sizeof out, &len);
        else claims_eval_json(claims_text_of("{}"), false, true, &c, out, sizeof out, &len);
        if (!i) memcpy(first, out, had = len);
        if (len != had || memcmp(out, first, len)) abort();
    }
    return strcpy(malloc(len + 1), out);
}
int main(void) {
    int which[4] = {0, 1, 0, 1};
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, decide, &which[i]);
    for (int i = 0; i < 4; i++) {
        void *said;
        pthread_join(t[i], &said);
        puts(said);
        free(said);
    }
    return 0;
}''', "escrow", "claims")
        facts = '{"escrow_amount":{"amount":"5.00","currency":"USD"},"delivery_status":"confirmed","line_items":[]}'
        want = [run("eval", SOURCE / f"examples/{name}/{name}.tenor", "--facts", "-", "--json", "--lines",
                    stdin=text).out.strip() for name, text in (("claims", "{}"), ("escrow", facts))]
        self.assertEqual(out, want * 2)

    def test_random_contracts_say_what_the_engine_says(self):
        written = subprocess.run([RANDOM, str(SEED), str(CONTRACTS), str(SETS)], check=True,
                                 capture_output=True).stdout
        made = []
        for i, line in enumerate(written.splitlines()):
            one = json.loads(line)
            completed(one["bundle"])
            r = random.Random(SEED + i)
            acts = any(c["kind"] == "Operation" for c in one["bundle"]["constructs"])
            bundle = one["bundle"] if acts or i % 2 else with_acts(one["bundle"], r)
            made.append(Contract(self.dir, f"g{i}", bundle, one["facts"], SEED + i,
                                 i % EVERY == 0))
        totals = self.compare_all(made)
        self.assertGreater(totals["decisions"], CONTRACTS * SETS)
        self.assertGreater(totals["faults"], CONTRACTS)
        self.assertGreater(totals["acts"], CONTRACTS)


if __name__ == "__main__":
    main()
