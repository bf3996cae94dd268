"""tools/words: the tree has none of the words, and each of them is found where it is."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "words"


def words(root=None):
    loader = importlib.machinery.SourceFileLoader("words", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
    loader.exec_module(module)
    if root:
        module.ROOT = pathlib.Path(root)
    return module


class Words(unittest.TestCase):
    def found(self, text, name="src/base/x.c"):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return words(root).words()

    def test_the_tree_has_none_of_them(self):
        self.assertEqual(words().words(), [])

    def test_files_named_in_the_documents_exist(self):
        self.assertEqual(words().paths(), [])

    def test_tables_named_in_a_walk_stand_in_its_files(self):
        self.assertEqual(words().tables(), [])

    def test_a_table_that_moved_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "src").mkdir()
            pathlib.Path(root, "src/a.c").write_text("static const int ROWS[] = {1};\n")
            pathlib.Path(root, "CONTRIBUTING.md").write_text(
                "1. `src/a.c`: a row of `ROWS`.\n2. `src/a.c`: a row of\n   `FORMS`.\n")
            self.assertEqual(words(root).tables(),
                             ["CONTRIBUTING.md:2: no FORMS in the files named there"])

    def test_each_word_is_found(self):
        for text in ("/* what is no list */", "/* they are no\n * lists */", "say(\"is no `x`\");",
                     "/* a text */", "/* inside of it */", "the traces part at 3", "st_door(1);"):
            with self.subTest(text):
                self.assertEqual(len(self.found(text)), 1)

    def test_good_sentences_pass(self):
        for text in ("/* there is no list */", "/* There\n * are no lists */", "/* is no longer */",
                     "/* the inside of a tape */", "/* is not a list */", "/* a text file */",
                     "/* the text */"):
            with self.subTest(text):
                self.assertEqual(self.found(text), [])

    def test_a_named_file_that_is_missing_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "docs").mkdir()
            pathlib.Path(root, "ARCHITECTURE.md").write_text("`base/gone.c` and [x](gone.md)\n")
            pathlib.Path(root, "CONTRIBUTING.md").write_text("`src/<name>.c`\n")
            pathlib.Path(root, "docs/glossary.md").write_text("`docs`, `arena`\n")
            self.assertEqual(len(words(root).paths()), 2)


if __name__ == "__main__":
    unittest.main()
