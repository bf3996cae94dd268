"""tools/docs check: the documents are whole, and each way in which they could not be is found."""
import os
import pathlib
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True
from pages import check, pictures, text  # noqa: E402

SHOWN = "\n![A](data:,)\n"  # a picture, for pages that are about something else
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"><style>@media (prefers-color-scheme:dark){}</style>%s</svg>'


class Tree(unittest.TestCase):
    def test_every_link_and_anchor_of_the_tree_leads_somewhere(self):
        self.assertEqual(check.Tree().links(), [])

    def test_every_section_of_the_specification_leads_to_its_row_of_the_index(self):
        self.assertEqual(check.Tree().sections(), [])

    def test_every_page_has_a_picture(self):
        self.assertEqual(check.Tree().bare(), [])

    def test_every_document_that_sources_name_is_there(self):
        self.assertEqual(check.Tree().mentions(), [])

    def test_every_document_is_reachable_from_the_index(self):
        self.assertEqual(check.Tree().unreachable(), [])

    def test_every_picture_is_well_formed_has_a_dark_form_and_needs_nobody(self):
        self.assertEqual(check.Tree().pictures(), [])

    def test_pictures_are_what_their_tables_say(self):
        for name in pictures.PICTURES:
            self.assertEqual((text.ROOT / "docs" / "images" / f"{name}.svg").read_text(), pictures.picture(name), name)

    def test_words_of_a_picture_fit_their_boxes_and_no_arrow_crosses_one(self):
        for name, (_, boxes, arrows) in pictures.PICTURES.items():
            by_name = {box[0]: box for box in boxes}
            self.assertEqual([line for box in boxes for line in box[3].split("|") if len(line) > 25], [], name)
            for start, end, _ in arrows:
                (x, y), (u, v) = (pictures.border(by_name[a], by_name[b]) for a, b in ((start, end), (end, start)))
                way = [(x + (u - x) * i / 100, y + (v - y) * i / 100) for i in range(101)]
                for box in boxes:
                    (left, top), at = pictures.corner(box), (start, end, box[0])
                    crossed = [p for p in way if left < p[0] < left + pictures.WIDE and top < p[1] < top + pictures.HIGH]
                    self.assertTrue(not crossed or box[0] in (start, end), at)

    def test_many_pages_are_looked_at(self):
        whole = check.Tree()
        self.assertGreater(len(whole.pages), 80)
        self.assertGreater(sum(len(list(text.links(page))) for page in whole.pages.values()), 400)


class Found(unittest.TestCase):
    def found(self, shown=SHOWN, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in {"docs/README.md": "# All\n[a](a.md)\n", "docs/a.md": "# A\n\n## One, two\n", **files}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content + (shown if name.startswith("docs/") and name.endswith(".md") else ""))
            return check.faults(root)

    def test_a_whole_tree_has_no_fault(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(**{"docs/a.md": "# A\n\n## One, two\n\n[x](#one-two) [y](a.md#a) [z](../docs/a.md)\n"}), [])

    def test_a_link_that_leads_nowhere_with_where_the_page_is_now(self):
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](gone.md)\n"}), ["docs/a.md:2: gone.md leads nowhere"])
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](b.md)\n[b](how-to/b.md)\n", "docs/how-to/b.md": "# B\n"}),
                         ["docs/a.md:2: b.md leads nowhere; is it docs/how-to/b.md?"])

    def test_a_link_out_of_the_tree(self):
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](../../../etc/passwd)\n"}), ["docs/a.md:2: ../../../etc/passwd leads nowhere"])

    def test_a_heading_that_is_not_there(self):
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](README.md#nothing)\n"}), ["docs/a.md:2: docs/README.md has no heading #nothing"])
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](#one)\n\n## One\n"}), [])
        self.assertEqual(self.found(**{"docs/a.md": "# A\n[x](#one)\n\n```\n## One\n```\n"}), ["docs/a.md:2: docs/a.md has no heading #one"])

    def test_a_picture_in_html_that_is_not_there(self):
        self.assertEqual(self.found(**{"docs/a.md": '# A\n<img align="right" src="x.svg">\n'}), ["docs/a.md:2: x.svg leads nowhere"])

    def test_what_stands_in_code_is_not_a_link(self):
        self.assertEqual(self.found(**{"docs/a.md": "# A\n`[x](gone.md)`\n\n```sh\n[y](gone.md)\n```\n"}), [])

    def test_a_section_that_is_not_a_link_or_leads_elsewhere(self):
        index = '# All\n[a](a.md)\n\n| § |\n|---|\n| <a id="section-5"></a>5 |\n| <a id="section-17"></a>17 |\n'
        for said, fault in (("§17.4", "§17 is not a link"), ("§ 17", "§17 is not a link"), ("[§17.4](README.md#section-17)", None), ("`§17`", None),
                            ("[§5A.10](README.md#section-5)", None), ("[§17](README.md#section-5)", "§17 leads to README.md#section-5"),
                            ("[x](#a) §5 [y](#a)", "§5 is not a link"), ("[§9](README.md#section-9)", "docs/README.md has no heading #section-9")):
            with self.subTest(said):
                faults = self.found(**{"docs/README.md": index, "docs/a.md": f"# A\n\n{said}\n"})
                self.assertEqual([f"docs/a.md:3: {fault}" in one for one in faults], [True] if fault else [])

    def test_a_page_that_is_named_in_words_and_is_not_there(self):
        self.assertEqual(self.found(**{"docs/a.md": "# A\nSee docs/gone.md and `docs/a.md`.\n"}), ["docs/a.md:2: there is no docs/gone.md"])

    def test_a_page_without_a_picture(self):
        none = {"docs/README.md": "# All\n[a](a.md) [d](adr/d.md)\n![A](data:,)\n", "docs/adr/d.md": "# D\n"}
        for said, has_one in (("", False), ("![A](data:,)", True), ('<img src="data:," alt="A">', True), ("![](data:,)", False),
                              ('<img src="data:,">', False), ("`![A](data:,)`", False), ("```\n![A](data:,)\n```", False)):
            with self.subTest(said):
                self.assertEqual(self.found("", **none, **{"docs/a.md": f"# A\n\n{said}\n"}), [] if has_one else ["docs/a.md: has no picture"])

    def test_a_page_nobody_links_to(self):
        self.assertEqual(self.found(**{"docs/b.md": "# B\n"}), ["docs/b.md: no way leads here from docs/README.md"])
        self.assertEqual(self.found(**{"docs/README.md": "# All\n[a](a.md) [more](more)\n", "docs/more/b.md": "# B\n"}), [])

    def test_history_may_name_what_is_gone_but_news_may_not(self):
        said = {"docs/README.md": "# All\n[a](a.md) [c](../CHANGELOG.md)\n"}
        self.assertEqual(self.found(**said, **{"CHANGELOG.md": "# C\n\n## Unreleased\n\n## 1.0\n[x](gone.md)\n"}), [])
        self.assertEqual(len(self.found(**said, **{"CHANGELOG.md": "# C\n\n## Unreleased\n[x](gone.md)\n\n## 1.0\n"})), 1)

    def test_pictures(self):
        for svg, fault in ((PICTURE % "<g>", "mismatched tag"), ("<html/>", "is not a picture"),
                           ('<svg xmlns="http://www.w3.org/2000/svg"/>', "has no dark form"), (PICTURE % "<script/>", "has a script"),
                           (PICTURE % '<image href="http://x.example/y.png"/>', "needs http://x.example/y.png")):
            with self.subTest(fault):
                self.assertIn(fault, "\n".join(self.found(**{"docs/x.svg": svg})))
        self.assertEqual(self.found(**{"docs/x.svg": PICTURE % '<a href="#x"/>'}), [])
        ground = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="8"><rect width="9" height="%d" fill="#123"/></svg>'
        self.assertEqual(self.found(**{"docs/x.svg": ground % 8}), [])
        self.assertEqual(self.found(**{"docs/x.svg": ground % 7}), ["docs/x.svg: has no dark form"])


class Mended(unittest.TestCase):
    def test_links_and_mentions_of_a_page_that_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in {"docs/README.md": "# All\n[b](b.md#one) [c](c.md) `[d](b.md)` [e](https://b.md) `docs/b.md`\n", "docs/how-to/b.md": "# B\n## One\n",
                                  "src/a.c": "/* docs/b.md, docs/c.md, xdocs/b.md */\n"}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            self.assertEqual(check.Tree(root).mentions(), ["src/a.c:1: there is no docs/b.md; is it docs/how-to/b.md?", "src/a.c:1: there is no docs/c.md",
                                                          "docs/README.md:2: there is no docs/b.md; is it docs/how-to/b.md?"])
            self.assertEqual(check.mend(root), ["docs/README.md", "src/a.c"])
            self.assertIn("[b](how-to/b.md#one) [c](c.md)", (root / "docs/README.md").read_text())
            self.assertIn("`docs/how-to/b.md`", (root / "docs/README.md").read_text())
            self.assertEqual((root / "src/a.c").read_text(), "/* docs/how-to/b.md, docs/c.md, xdocs/b.md */\n")
            self.assertEqual(check.mend(root), [])


class Names(unittest.TestCase):
    def test_anchors_are_those_of_forges(self):
        page = "# A\n## One, two\n## `motet serve`: start\n## One, two\n## What [is](x.md) it?\n## SIGHUP: new\n"
        self.assertEqual([a for _, _, a in text.headings(page)],
                         ["a", "one-two", "motet-serve-start", "one-two-1", "what-is-it", "sighup-new"])


if __name__ == "__main__":
    os.chdir("/")  # whatever directory it is run in
    unittest.main()
