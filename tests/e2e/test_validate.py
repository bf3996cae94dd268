"""motet validate and the JSON Schemas: what we emit is valid, what was mutilated is not."""
import json
import random
import sys
import time

import jsonschema
from contracts import GOOD, examples, nested_branches, nested_flows, nested_records
from harness import SANITIZED, SEED, SOAK, SOURCE, Case, main

MUTATIONS = 1000 if SOAK else 20 if SANITIZED else 60


def schemas():
    bundle = json.loads((SOURCE / "schema" / "interchange-schema.json").read_text())
    manifest = json.loads((SOURCE / "schema" / "manifest-schema.json").read_text())
    manifest["properties"]["bundle"] = {k: v for k, v in bundle.items() if k != "$id"}
    manifest["properties"]["bundle"] = json.loads(
        json.dumps(manifest["properties"]["bundle"]).replace("#/$defs/", "#/properties/bundle/$defs/"))
    kind = jsonschema.Draft202012Validator
    kind.check_schema(bundle)
    kind.check_schema(manifest)
    return kind(bundle), kind(manifest)


BUNDLE, MANIFEST = schemas()


def places(value, path=()):
    """Every (path, value) inside a JSON value."""
    yield path, value
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, path + (index,))


def misspelt(bundle):
    """The bundle with one key more in its first Fact."""
    bundle = json.loads(json.dumps(bundle))
    next(c for c in bundle["constructs"] if c["kind"] == "Fact")["defualt"] = 1
    return bundle


def mutilate(bundle, choose):
    """A copy with one key gone or one value of another kind."""
    copy = json.loads(json.dumps(bundle))
    path, value = choose.choice([p for p in places(copy) if p[0]])
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    if isinstance(holder, dict) and choose.random() < 0.5:
        del holder[path[-1]]
    else:
        holder[path[-1]] = choose.choice([None, 7, "x", [], {}, True, -1])
    return copy, path


KEYS = ("op", "literal", "fact_ref", "verdict_ref", "right", "kind", "base", "source_id", "outcome", "type")
STRANGE = (None, 7, -1, 1 << 63, "x", "*", "Int", "Terminal", [], {}, True, {"fact_ref": "x"}, {"base": "Bool"})


def change(bundle, choose):
    """A copy with one key gone, one key more or one value that is another."""
    copy = json.loads(json.dumps(bundle))
    objects = [value for _, value in places(copy) if isinstance(value, dict)]
    way, holder = choose.randrange(3), choose.choice(objects)
    if way == 0 and holder:
        del holder[choose.choice(sorted(holder))]
    elif way == 1 or not holder:
        holder[choose.choice(KEYS)] = choose.choice(STRANGE)
    else:
        holder[choose.choice(sorted(holder))] = choose.choice(STRANGE)
    return copy


class Validate(Case):
    def bundle(self, text=GOOD):
        return json.loads(self.holds("elaborate", self.write("shop.tenor", text)).out)

    def test_FL3_what_elaborates_validates_however_deep_it_nests(self):
        """At the limits of the source the bundle is still read; beyond them there is no bundle."""
        for name, text, fine in (("parallel steps", nested_branches, 198), ("records", nested_records, 199),
                                 ("flows", nested_flows, 256)):
            with self.subTest(name):
                path = self.write("x.tenor", text(fine))
                bundle = self.write("x.json", self.holds("elaborate", path).out)
                for file in (path, bundle):
                    result = self.run_motet("validate", file)
                    self.assertEqual(result.code, 0, f"elaborate wrote it, validate {file.name} says {result.err}")
                facts = self.write("f.json", "{}")
                result = self.run_motet("eval", bundle, "--facts", facts)
                self.assertEqual(result.code, 0, f"eval says {result.err}")
                self.fails(1, "check", self.write("y.tenor", text(fine + 1)))

    def test_a_bundle_and_its_manifest_are_valid(self):
        path = self.write("shop.tenor", GOOD)
        bundle = self.write("b.json", self.holds("elaborate", path).out)
        manifest = self.write("m.json", self.holds("elaborate", "--manifest", path).out)
        self.assertIn("valid bundle", self.holds("validate", bundle).out)
        self.assertIn("valid manifest", self.holds("validate", manifest).out)
        self.assertIn("valid bundle", self.holds("validate", path).out)
        self.assertEqual(json.loads(self.holds("validate", "--json", bundle).out)["holds"], True)

    def test_versions_are_checked(self):
        bundle = self.bundle()
        for version, code in [("1.0.0", 0), ("1.9.3", 0), ("2.0.0", 1), ("1.0", 1), ("x", 1), (1, 1)]:
            with self.subTest(version):
                bundle["tenor_version"] = version
                result = self.run_motet("validate", self.write("v.json", json.dumps(bundle)))
                self.assertEqual(result.code, code, repr(result))
        del bundle["tenor_version"]
        self.assertIn("tenor_version", self.fails(1, "validate", self.write("v.json",
                                                                            json.dumps(bundle))).err)

    def test_unknown_optional_fields_are_ignored(self):
        bundle = self.bundle()
        bundle["later"] = {"x": 1}
        bundle["constructs"][0]["later"] = [1]
        self.holds("validate", self.write("v.json", json.dumps(bundle)))

    def test_FU20_an_unknown_key_is_a_warning_with_the_nearest(self):
        bundle = misspelt(self.bundle())
        path = self.write("c.json", json.dumps(bundle))
        for command in "validate", "check":
            got = json.loads(self.holds(command, path, "--json").out)
            told, = [d for d in got["diagnostics"] if d["code"] == "B011"]
            self.assertEqual((told["severity"], told["hint"]), ("warning", "did you mean `default`?"), told)
            self.assertIn('unknown key "defualt"', told["message"])
            self.assertIn('warning[B011]: constructs[', self.holds(command, path).err)
        self.assertIn("B011", self.fails(1, "check", path, "--strict").err)
        # It changes nothing else: the bundle is the same text, and evaluates alike.
        self.assertEqual(json.loads(self.holds("elaborate", path).out), bundle)
        self.assertIn("B011", self.holds("help", "B011").out)

    def test_FU20_of_a_bundle_with_errors_these_alone_are_told(self):
        """However many keys nobody knows: an error is never counted without being told."""
        def twice(b):
            b["constructs"].append(b["constructs"][0])

        def nowhere(b):
            next(c for c in b["constructs"] if c["kind"] == "Operation")["effects"][0]["entity_id"] = "Nobody"

        def changed(b):
            b["constructs"].pop()

        for fault, code in (twice, "B008"), (nowhere, "L110"), (changed, "B009"):
            for count in 1, 300:
                manifest = json.loads(self.holds("elaborate", "--manifest", self.write("c.tenor", GOOD)).out)
                bundle = manifest["bundle"]
                fault(bundle)
                bundle["constructs"][0].update({f"unknown{i}": 1 for i in range(count)})
                path = self.write("c.json", json.dumps(manifest if code == "B009" else bundle))
                for command in "validate", "check":
                    got = json.loads(self.fails(1, command, path, "--json").out)
                    self.assertEqual({d["code"] for d in got["diagnostics"]}, {code}, (command, count))
                    self.assertEqual(got["error"]["message"], got["diagnostics"][0]["message"])

    def test_FU20_a_field_of_a_default_that_nobody_knows(self):
        """A warning, of a later version a note, and nothing beside an error."""
        flag, one = {"kind": "bool_literal", "value": True}, {"base": "Bool"}
        fact = {"default": {"kind": "record_value", "fields": {"good": flag, "godo": flag}}, "id": "f",
                "kind": "Fact", "provenance": {"file": "c.tenor", "line": 1}, "source": "a.b", "tenor": "1.0",
                "type": {"base": "Record", "fields": {"good": one}}}
        wrong = fact | {"id": "g", "default": flag}
        for version, facts, code, told in (("1.1.0", [fact], 0, [("B011", "warning")]),
                                           ("1.9.0", [fact], 0, [("B011", "note")]),
                                           ("1.1.0", [fact, wrong], 1, [("L107", "error")])):
            path = self.write("c.json", json.dumps({"constructs": facts, "id": "c", "kind": "Bundle", "tenor": "1.0",
                                                    "tenor_version": version}))
            result = self.run_motet("validate", path, "--json")
            got = json.loads(result.out)["diagnostics"]
            self.assertEqual((result.code, [(d["code"], d["severity"]) for d in got]), (code, told), version)

    def test_faults_have_line_column_and_path(self):
        text = json.dumps(self.bundle(), indent=2).replace('"states"', '"stats"')
        result = self.fails(1, "validate", "--json", self.write("v.json", text))
        fault = json.loads(result.out)["diagnostics"][0]
        self.assertRegex(fault["field"], r"^constructs\[\d+\]$")
        self.assertGreater(fault["line"], 1)
        self.assertIn('"states" is missing', fault["message"])

    def test_what_is_no_json_is_refused(self):
        for text in ["", "{", '{"a":1,"a":2}', "nul", b"\xff{}", '{"a":"\\ud800"}', "{} {}"]:
            with self.subTest(text):
                self.assertEqual(self.fails(1, "validate", self.write("v.json", text)).out, "")

    def test_deep_json_is_refused(self):
        result = self.fails(1, "validate", self.write("v.json", "[" * 100000))
        self.assertNotIn("Sanitizer", result.err)

    def test_a_missing_file_is_exit_3(self):
        self.fails(3, "validate", "nowhere.json")

    def test_a_changed_etag_is_found(self):
        manifest = json.loads(self.holds("elaborate", "--manifest",
                                         self.write("shop.tenor", GOOD)).out)
        manifest["bundle"]["id"] = "other"
        result = self.fails(1, "validate", self.write("m.json", json.dumps(manifest)))
        self.assertIn("etag does not match", result.err)


class Schemas(Case):
    def test_everything_we_emit_validates(self):
        count = 0
        for path in examples():
            result = self.run_motet("elaborate", "--manifest", path)
            if result.code:
                continue
            count += 1
            with self.subTest(str(path)):
                manifest = json.loads(result.out)
                BUNDLE.validate(manifest["bundle"])
                MANIFEST.validate(manifest)
                self.holds("validate", self.write("x.json", result.out))
        self.assertGreater(count, 0)

    def test_mutilated_bundles_do_not(self):
        """Where the schema refuses, so does motet; most single wounds are noticed."""
        choose = random.Random(SEED)
        whole = json.loads(self.holds("elaborate", self.write("shop.tenor", GOOD)).out)
        refused = 0
        for _ in range(MUTATIONS):
            wounded, where = mutilate(whole, choose)
            by_schema = not BUNDLE.is_valid(wounded)
            result = self.run_motet("validate", self.write("x.json", json.dumps(wounded)))
            self.assertIn(result.code, (0, 1))
            refused += by_schema
            if by_schema:
                self.assertEqual(result.code, 1, f"seed {SEED}: {where}\n{json.dumps(wounded)}")
        self.assertGreater(refused, MUTATIONS // 2)

    def refused_for_its_shape(self, bundle):
        """Whether motet finds a fault of version or structure; what it means is no matter of a schema."""
        result = self.run_motet("validate", "--json", self.write("x.json", json.dumps(bundle)))
        self.assertIn(result.code, (0, 1))
        codes = {fault["code"] for fault in json.loads(result.out)["diagnostics"]}
        return bool(codes & {"B004", "B005", "B006", "B007"})

    def test_the_schema_and_motet_agree(self):
        """On the golden bundles as they are, and on each with something changed at random."""
        choose = random.Random(SEED)
        golden = [json.loads(path.read_text())
                  for path in sorted((SOURCE / "tests" / "golden" / "bundles").glob("*.json"))]
        self.assertGreater(len(golden), 0)
        for bundle in golden:
            self.assertTrue(BUNDLE.is_valid(bundle))
            self.assertFalse(self.refused_for_its_shape(bundle))
        refused = 0
        for number in range(MUTATIONS):
            changed = change(choose.choice(golden), choose)
            by_schema = not BUNDLE.is_valid(changed)
            refused += by_schema
            self.assertEqual(self.refused_for_its_shape(changed), by_schema,
                             f"seed {SEED}, change {number}\n{json.dumps(changed)}")
        self.assertGreater(refused, MUTATIONS // 8)

    def test_an_expression_that_says_two_things_is_refused_by_both(self):
        fact, other = {"fact_ref": "a"}, {"fact_ref": "b"}
        nodes = [{"verdict_present": "v"}, fact, {"verdict_ref": "v"},
                 {"field_ref": {"field": "f", "var": "x"}}, {"field_of": {"field": "f", "of": fact}},
                 {"quantifier": "forall", "variable": "x", "domain": fact, "body": other},
                 {"op": "and", "left": fact, "right": other}, {"literal": True}]
        whole = json.loads(self.holds("elaborate", self.write("shop.tenor", GOOD)).out)
        rule = next(c for c in whole["constructs"] if c["kind"] == "Rule")
        for first in nodes:
            for second in nodes:
                rule["body"]["when"] = {**first, **second}
                keys = sorted({next(iter(first)), next(iter(second))})
                # A product may have a literal, so op and literal may stand together.
                refused = len(keys) == 2 and keys != ["literal", "op"]
                self.assertEqual(not BUNDLE.is_valid(whole), refused, keys)
                self.assertEqual(self.refused_for_its_shape(whole), refused, keys)

    def test_FL12_a_sum_of_200_terms_is_validated_in_under_a_second(self):
        """Each term asks for as much work as the one before it."""
        source = ('persona p\nfact i { type: Int(min: 0, max: 9) source: "a.b" }\n'
                  "rule r { stratum: 0 when: i + i = 3 produce: r(true) }\n")
        bundle = json.loads(self.holds("elaborate", self.write("sum.tenor", source)).out)
        when = next(c for c in bundle["constructs"] if c["kind"] == "Rule")["body"]["when"]
        for _ in range(198):
            when["left"] = dict(when["left"], left=when["left"])
        before, start = sys.getrecursionlimit(), time.process_time()
        sys.setrecursionlimit(10000)
        try:
            BUNDLE.validate(bundle)
        finally:
            sys.setrecursionlimit(before)
        self.assertLess(time.process_time() - start, 1)

    def wide(self, branches, steps):
        """A bundle whose flow has so many parallel branches, and how long it takes to judge."""
        begun = {"kind": "Terminal", "outcome": "success"}
        ended = {"kind": "Terminate", "outcome": "failure"}
        step = {"id": "s", "kind": "OperationStep", "op": "o", "persona": "p", "outcomes": {"success": begun},
                "on_failure": ended}
        source = ('persona p\nfact a { type: Bool source: "x.a" }\noperation o { allowed_personas: [p] '
                  "precondition: a effects: [] error_contract: [] }\n")
        whole = json.loads(self.holds("elaborate", self.write("wide.tenor", source)).out)
        whole["constructs"].append({
            "id": "f", "kind": "Flow", "entry": "w", "snapshot": "at_initiation", "tenor": "1.0",
            "provenance": {"file": "f", "line": 1}, "steps": [{
                "id": "w", "kind": "ParallelStep", "join": {"on_all_success": begun, "on_any_failure": ended},
                "branches": [{"id": f"b{n}", "entry": "s", "steps": [step] * steps} for n in range(branches)]}]})
        path, start = self.write("wide.json", json.dumps(whole)), time.monotonic()
        return self.run_motet("validate", path), time.monotonic() - start

    def test_many_branches_are_read_in_one_pass(self):
        """None is compared with all before it."""
        result, seconds = self.wide(60000, 1)
        self.assertEqual(result.code, 0, result)
        self.assertLess(seconds, 5)

    def test_many_faults_are_counted_in_one_pass(self):
        """The place of a fault is searched for only if it is shown."""
        result, seconds = self.wide(60000, 0)
        self.assertEqual(result.code, 1)
        self.assertIn("60000 errors (the first 200 are shown", result.err)
        self.assertLess(seconds, 5)


main()
