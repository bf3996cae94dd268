"""tools/house.touch says which files a new kind touches: as many as the tree says, and few. What else
tools/house counts stays where it was promised."""
import importlib.machinery
import shutil
import sys

from harness import SOURCE, Case, main

MOST = 10
COMMENTS = 0.12
sys.dont_write_bytecode = True
HOUSE = importlib.machinery.SourceFileLoader("house", str(SOURCE / "tools" / "house")).load_module()
TOUCHED = HOUSE.touched(SOURCE)


class House(Case):
    def test_the_list_of_touched_files_is_what_the_tree_says(self):
        found = {idea: dict.fromkeys(files, set()) for idea, (files, _) in TOUCHED.items()}
        found |= {f"words of a {idea}": files for idea, files in HOUSE.lists(SOURCE).items()}
        self.assertEqual(HOUSE.listed(SOURCE), found)

    def test_a_new_kind_is_missed_where_kinds_are_written_as_words(self):
        """Every list of words notices a kind that is in nodes.def and nowhere else."""
        nodes = SOURCE / "src/lang/nodes.def"
        for idea, row in (("step kind", 'X_STEP(WAIT, "WaitStep", GOES_ON, "wait", "a wait")'),
                          ("base type", 'X_BASE(WEIGHT, "Weight", DECIMAL, 0, "weight_value")')):
            with self.subTest(idea):
                shutil.copytree(SOURCE / "src", self.dir / "src", dirs_exist_ok=True)
                for name in HOUSE.lists(SOURCE)[idea]:
                    (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(SOURCE / name, self.dir / name)
                self.write("src/lang/nodes.def", nodes.read_text() + f"\n{row} X_END\n")
                listed = HOUSE.listed(SOURCE)[f"words of a {idea}"]
                now = HOUSE.lists(self.dir)[idea]
                self.assertGreater(len(listed), 3)
                self.assertEqual([name for name, lacks in listed.items() if now.get(name) == lacks], [])

    def test_a_new_step_kind_or_base_type_touches_few_files(self):
        for idea, (files, _) in TOUCHED.items():
            with self.subTest(idea):
                self.assertLessEqual(len(files), MOST, sorted(files))

    def test_enough_of_the_lines_are_comments(self):
        house = HOUSE.House(SOURCE)
        self.assertGreaterEqual(house.comments / house.solid, COMMENTS)

    def test_a_name_that_is_inline_or_data_is_a_name_too(self):
        code = "static inline int mt_two(int a)\n{\n    return a;\n}\nextern const mt_str MT_NAMES[COUNT];\nint mt_one(void);\n"
        self.assertEqual(dict(HOUSE.definitions(code)), {"mt_two": "function", "MT_NAMES": "data", "mt_one": "function"})

    def test_the_tree_has_kinds_to_look_for(self):
        """A renamed macro or prefix would find nothing and call it few."""
        for idea, (files, classes) in TOUCHED.items():
            with self.subTest(idea):
                self.assertIn("names kinds", files.values())
                self.assertGreater(len(classes), 0)


main()
