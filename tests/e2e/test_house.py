"""tools/house.touch says which files a new kind touches: as many as the tree says, and few."""
import importlib.machinery
import sys

from harness import SOURCE, Case, main

MOST = 10
sys.dont_write_bytecode = True
HOUSE = importlib.machinery.SourceFileLoader("house", str(SOURCE / "tools" / "house")).load_module()
TOUCHED = HOUSE.touched(SOURCE)


class House(Case):
    def test_the_list_of_touched_files_is_what_the_tree_says(self):
        found = {idea: set(files) for idea, (files, _) in TOUCHED.items()}
        self.assertEqual(HOUSE.listed(SOURCE), found)

    def test_a_new_step_kind_or_base_type_touches_few_files(self):
        for idea, (files, _) in TOUCHED.items():
            with self.subTest(idea):
                self.assertLessEqual(len(files), MOST, sorted(files))

    def test_the_tree_has_kinds_to_look_for(self):
        """A renamed macro or prefix would find nothing and call it few."""
        for idea, (files, classes) in TOUCHED.items():
            with self.subTest(idea):
                self.assertIn("names kinds", files.values())
                self.assertGreater(len(classes), 0)


main()
