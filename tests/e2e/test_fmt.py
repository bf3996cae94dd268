"""motet fmt: canonical layout, comments kept, idempotent, meaning unchanged."""
import json
import random
import re

from contracts import GOOD, examples
from harness import SEED, SOAK, Case, main

UGLY = '''\
// top
persona   p
persona q   // the other
fact f{type:Int(min:0,max:9)source:"a.b"   default:3}


/* a block
   of two lines */
rule r { stratum:0
  // why
  when: f>1 and f<8 // tail
  produce:verdict v{payload:Bool=true} }
rule s { stratum: 1 when: verdict_present(v) and f > 1 and f > 2 and f > 3 and f > 4 and f > 5 and f > 6 and f > 7
  produce: w(true) }
'''
PRETTY = '''\
// top
persona p
persona q  // the other

fact f {
  type:    Int(min: 0, max: 9)
  source:  "a.b"
  default: 3
}

/* a block
   of two lines */
rule r {
  stratum: 0
  // why
  when:    f > 1 and f < 8  // tail
  produce: verdict v { payload: Bool = true }
}

rule s {
  stratum: 1
  when: verdict_present(v)
      and f > 1
      and f > 2
      and f > 3
      and f > 4
      and f > 5
      and f > 6
      and f > 7
  produce: w(true)
}
'''
QUANTIFIED = '''\
fact l { type: List(element_type: Record { x: Int(0, 9), k: List(element_type: Int(0, 9), max: 3) }, max: 3) source: "a" }
rule r { stratum: 0 when: forall i in l.i.x > 1 and exists j in l . j.x = 2 produce: v(true) }
'''
# Every spelling of two quantifiers in a row, words that are names in their place, and comments about the dot.
NESTED = ["forall x in l . forall y in l . x and y", "∀ x ∈ l . exists y in l . x or y",
          "exists x in l . ∀ y in l.y", "forall x in l . not forall y : Bool in l . y",
          "not exists x in l . exists y in l . forall z in l . z", "forall x in l . (exists y in l.y)",
          "forall x in l /* a */ . /* b */ exists y in l // c\n . y", "forall x in r.exists . forall y in r.forall . y",
          "forall forall in l . exists exists in l . (forall)", "(forall x in l . x) and exists y in l . not (y)",
          "r.exists[0] or forall x in l . x", "forall x in l . r.exists[0]"]
NESTED_CONTRACT = '''\
fact l { type: List(element_type: Bool, max: 3) source: "a" }
fact r { type: Record { exists: List(element_type: Bool, max: 2), forall: List(element_type: Bool, max: 2) } source: "b" }
rule q { stratum: 0 when: WHEN produce: v(true) }
'''
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\w+|\s+|.', re.S)


def without_lines(text):
    """A bundle as JSON without the line numbers."""
    bundle = json.loads(text)
    for construct in bundle["constructs"]:
        construct["provenance"]["line"] = 0
    return bundle


def shake(text, choose):
    """The same tokens with other white space and more comments."""
    spaces = [" ", "  ", "\n", "\n\n\n", "\t", " // c\n", " /* b */ ", "\n// own\n", "\n/* m\n l */\n"]
    return "".join(choose.choice(spaces) if t.isspace() and choose.random() < 0.4 else t
                   for t in TOKEN.findall(text))


class Fmt(Case):
    def formatted(self, text):
        return self.holds("fmt", "-", stdin=text).out

    def test_the_canonical_layout(self):
        self.assertEqual(self.formatted(UGLY), PRETTY)

    def test_a_formatted_contract_stays_as_it_is(self):
        self.assertEqual(self.formatted(PRETTY), PRETTY)
        self.assertEqual(self.formatted(GOOD), GOOD)

    def test_a_group_stays_on_its_line_to_the_last_column(self):
        """88 characters; where only the padding before it is too much, that goes first."""
        for letters, widest, lines in ((26, 88, 4), (27, 87, 4), (28, 88, 4), (29, 55, 7)):
            text = self.formatted(f'fact f {{ type: Record {{ {"a" * letters}: Int(min: 0, max: 9), bbbbbbbbbbbb: Bool }} '
                                  'source: "a.b" }\n').splitlines()
            self.assertEqual((max(map(len, text)), len(text)), (widest, lines), text)

    def test_a_comment_stays_on_a_long_line_that_cannot_be_broken(self):
        """Only `and` and `or` break a line; a comment in the middle is as good as a word."""
        text = self.formatted(f'fact f {{ type: Bool source:\n/* said */\n"{"a" * 88}" }}\n')
        self.assertIn(f'  source: /* said */ "{"a" * 88}"\n', text)

    def test_files_are_rewritten_in_place_with_their_mode(self):
        path = self.write("u.tenor", UGLY)
        path.chmod(0o640)
        self.assertIn("formatted", self.holds("fmt", path).out)
        self.assertEqual(path.read_text(), PRETTY)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.holds("fmt", path).out, "")

    def test_a_link_stays_a_link(self):
        path = self.write("real/u.tenor", UGLY)
        link = self.dir / "link.tenor"
        link.symlink_to(path)
        self.holds("fmt", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_text(), PRETTY)

    def test_check_changes_nothing(self):
        ugly, pretty = self.write("u.tenor", UGLY), self.write("p.tenor", PRETTY)
        result = self.fails(1, "fmt", "--check", ugly, pretty)
        self.assertEqual(result.out, f"{ugly}: would change\n")
        self.assertEqual(ugly.read_text(), UGLY)
        self.holds("fmt", "--check", pretty)
        report = json.loads(self.fails(1, "fmt", "--check", "--json", ugly, pretty).out)
        self.assertEqual(report, {"changed": [str(ugly)], "files": 2, "holds": False})

    def test_the_dot_of_a_quantifier_gets_spaces(self):
        out = self.formatted(QUANTIFIED)
        self.assertIn("forall i in l . i.x > 1 and exists j in l . j.x = 2", out)

    def test_FL1_a_quantifier_behind_a_quantifier_keeps_its_dot(self):
        for when in NESTED:
            with self.subTest(when):
                path = self.write("q.tenor", NESTED_CONTRACT.replace("WHEN", when))
                before = without_lines(self.holds("elaborate", path).out)
                self.holds("fmt", path)
                after = self.run_motet("elaborate", path)
                self.assertEqual(after.code, 0, f"fmt wrote what does not elaborate:\n{path.read_text()}{after.err}")
                self.assertEqual(without_lines(after.out), before)
                self.holds("fmt", "--check", path)

    def test_the_dot_between_two_quantifiers_gets_spaces(self):
        text = NESTED_CONTRACT.replace("WHEN", "forall x in l.x and exists y in l . forall z in l.z")
        self.assertIn("forall x in l . x and exists y in l . forall z in l . z", self.formatted(text))

    def test_the_words_of_conditions_may_name_fields(self):
        """Behind a dot they are names, wherever that dot is not a quantifier's."""
        for word in ("and", "or", "not", "exists", "forall", "in"):
            with self.subTest(word):
                text = self.formatted(f"rule r {{ stratum: 0 when: a.{word} . {word} = true and a . {word} "
                                      f"or not a.{word} produce: v(true) }}\n")
                self.assertIn(f"when:    a.{word}.{word} = true and a.{word} or not a.{word}\n", text)

    def test_a_file_that_cannot_elaborate_alone_is_formatted_among_its_imports(self):
        self.write("t.tenor", "type R { k: List(element_type: Bool, max: 2) }\n")
        path = self.write("m.tenor", 'import "t.tenor"\nfact r { type: R source: "a" }\n'
                          "rule q { stratum: 0 when: forall x in r.k . forall y in r.k.y produce: v(true) }\n")
        before = without_lines(self.holds("elaborate", path).out)
        self.holds("fmt", path)
        self.assertIn("forall x in r.k . forall y in r.k . y", path.read_text())
        self.assertEqual(without_lines(self.holds("elaborate", path).out), before)

    def test_an_unquoted_source_is_kept_to_the_space(self):
        self.assertIn("source: a.b( c ,d )", self.formatted("fact f { type: Bool source: a.b( c ,d ) }"))

    def test_what_does_not_parse_is_reported_and_left(self):
        text = "fact f { type: }\n"
        path = self.write("b.tenor", text)
        self.assertIn("b.tenor:1", self.fails(1, "fmt", path).err)
        self.assertEqual(path.read_text(), text)

    def test_a_missing_file_is_exit_3_and_others_are_still_formatted(self):
        path = self.write("u.tenor", UGLY)
        self.fails(3, "fmt", "nowhere.tenor", path)
        self.assertEqual(path.read_text(), PRETTY)

    def test_an_empty_file_stays_empty(self):
        self.assertEqual(self.formatted(""), "")
        self.assertEqual(self.formatted("\n\n"), "")
        self.assertEqual(self.formatted("// only a comment"), "// only a comment\n")

    def test_windows_line_ends_become_plain(self):
        self.assertEqual(self.formatted(UGLY.replace("\n", "\r\n")).replace("\r", ""), PRETTY)


class Properties(Case):
    def elaborated(self, path):
        result = self.run_motet("elaborate", path)
        return without_lines(result.out) if result.code == 0 else None

    def check_one(self, path, text):
        """fmt(fmt(x)) = fmt(x) and elaborate(fmt(x)) = elaborate(x), line numbers aside."""
        copy = self.write(path.name, text)
        if self.run_motet("fmt", copy).code:
            return False
        once = copy.read_bytes()
        self.holds("fmt", copy)
        self.assertEqual(copy.read_bytes(), once, f"{path}: formatting twice changes it")
        return once

    def test_every_example_keeps_its_meaning(self):
        count = 0
        for path in examples():
            with self.subTest(str(path)):
                before = self.elaborated(path)
                text = path.read_bytes()
                once = self.check_one(path, text)
                if once is False or before is None or b"import" in text or b"system" in text:
                    continue
                count += 1
                self.assertEqual(self.elaborated(self.dir / path.name), before)
        self.assertGreater(count, 0)

    def test_shaken_white_space_and_comments(self):
        choose = random.Random(SEED)
        small = [p for p in examples() if p.stat().st_size < 20000]
        for path in small * 20 if SOAK else small[SEED % 4::4]:
            with self.subTest(str(path), seed=SEED):
                self.check_one(path, shake(path.read_text(), choose))


main()
