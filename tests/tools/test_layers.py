"""tools/layers finds each fault when it is made in a copy of a small house without one."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "layers"
README = "Purpose: p.\nEntry: e.\nMust not know: n.\n"
HOUSE = {
    "base/README.md": README,
    "base/str.h": "typedef struct mt_str {\n    int len;\n} mt_str;\nint mt_len(mt_str s);\n",
    "base/str.c": '#include "base/str.h"\n\nint mt_len(mt_str s)\n{\n    return s.len;\n}\n',
    "contract/README.md": README,
    "contract/elaborate.h": '#include "base/str.h"\nint ct_elaborate(mt_str s);\n',
    "contract/wire/README.md": README,
    "contract/wire/model.h": '#include "base/str.h"\nenum ct_op { CT_AND, CT_OR };\n',
    "contract/front/README.md": README,
    "contract/front/parse.c": '#include "contract/elaborate.h"\n'
                              '#include "contract/wire/model.h"\n\n'
                              "int ct_elaborate(mt_str s)\n{\n    return mt_len(s);\n}\n",
}


def layers():
    loader = importlib.machinery.SourceFileLoader("layers", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", loader))
    loader.exec_module(module)
    return module


def circle(room, count):
    """Files of a room of which each calls the next, the last the first."""
    return {f"{room}/c{i}.c": f"int {room}_{i}(void)\n{{\n"
                              f"    return {room}_{(i + 1) % count}();\n}}\n"
            for i in range(count)}


class Layers(unittest.TestCase):
    def found(self, changes):
        """The faults of the house after changes; None removes a file."""
        files = {name: text for name, text in {**HOUSE, **changes}.items() if text is not None}
        with tempfile.TemporaryDirectory(prefix="motet-") as place:
            for name, text in files.items():
                path = pathlib.Path(place) / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(layers().faults(pathlib.Path(place)))

    def finds(self, fault, changes):
        found = self.found(changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(fault, found[0])

    def test_a_house_in_order_has_no_fault(self):
        self.assertEqual(self.found({}), [])

    def test_a_long_file_that_does_not_say_what_it_does(self):
        def file(words, lines, before="/* base/long.c -", name="Room: base."):
            return {"base/long.c": f"{before} {'word ' * words}\n * {name} */\n" + "\n" * (lines - 2)}
        self.assertEqual(self.found(file(25, 151)), [])
        self.assertEqual(self.found(file(0, 150)), [])
        self.assertEqual(self.found(file(0, 151, "/* made by tools/x")), [])
        self.finds("src/base/long.c: has 151 lines and 24 words at its head", file(24, 151))
        self.finds("and 0 words", {"base/long.c": "int x;\n" * 151})
        self.finds("and 0 words", {"base/long.c": "#include <stddef.h>\n" + file(30, 151)["base/long.c"]})

    def test_an_include_of_a_room_above(self):
        self.finds('src/base/str.c:1: room base must not include contract/elaborate.h',
                   {"base/str.c": '#include "contract/elaborate.h"\n'})

    def test_an_include_of_a_room_above_in_whatever_way_it_is_written(self):
        self.finds("must not include contract/elaborate.h", {"base/up.h": '#include"contract/elaborate.h"\n'})
        self.finds("must not include contract/elaborate.h", {"base/up.def": '#include "contract/elaborate.h"\n'})
        self.finds("not <contract/elaborate.h>", {"base/up.h": "#include <contract/elaborate.h>\n"})

    def test_an_include_of_a_room_inside_that_is_above(self):
        self.finds("src/contract/wire/model.h:1: contract/wire must not include "
                   "contract/front/ast.h",
                   {"contract/wire/model.h": '#include "contract/front/ast.h"\n'})

    def test_a_kind_that_includes_another(self):
        kinds = {"exec/README.md": README, "exec/kinds/README.md": README,
                 "exec/kinds.c": '#include "exec/kinds/flow.h"\n',
                 "exec/kinds/flow.h": "\n",
                 "exec/kinds/flow_turn.c": '#include "exec/kinds/flow.h"\n'}
        self.assertEqual(self.found(kinds), [])
        for file in ("exec/kinds/flowers.c", "exec/kinds/fact.c", "exec/door.c"):
            self.finds(f"src/{file}:1: exec/kinds/flow.h is private to its kind",
                       {**kinds, file: '#include "exec/kinds/flow.h"\n'})

    def test_a_private_header_of_another_room(self):
        files = {"exec/README.md": README, "exec/executor.h": "\n", "http/README.md": README,
                 "http/server.c": '#include "exec/executor.h"\n'}
        self.assertEqual(self.found(files), [])
        self.finds("exec/executor_internal.h is private to room exec",
                   {**files, "http/path.c": '#include "exec/executor_internal.h"\n'})

    def test_an_include_without_its_room(self):
        self.finds('include rooms as "room/file.h", not str.h',
                   {"base/str.c": '#include "str.h"\n'})

    def test_a_header_of_the_machine_in_a_pure_room(self):
        self.finds("room contract is pure and must not include unistd.h",
                   {"contract/wire/load.c": "#include <unistd.h>\n"})
        self.finds("must not include dlfcn.h", {"contract/wire/load.c": "#include <dlfcn.h>\n"})

    def test_a_clock_of_ours_in_a_pure_room(self):
        self.finds("room contract is pure and must not include base/wait.h",
                   {"contract/wire/load.c": '#include "base/wait.h"\n'})

    def test_the_machine_in_the_library(self):
        files = {"api/README.md": README, "os/README.md": README, "os/file.h": "\n",
                 "api/contract_files.c": '#include "os/file.h"\n#include <unistd.h>\n'}
        self.assertEqual(self.found(files), [])
        for what in ('"os/file.h"', "<unistd.h>"):
            self.finds("only files called *_files.c of room api may include " + what[1:-1],
                       {**files, "api/contract.c": f"#include {what}\n"})

    def test_a_table_that_ends_before_its_enum(self):
        row = "static const char *const WORDS[] = {[CT_AND] = \"and\", [CT_OR] = \"or\"};\nMT_TABLE_COVERS(WORDS, CT_OR + 1);\n"
        self.assertEqual(self.found({"contract/wire/load.c": row}), [])
        self.finds("WORDS covers all up to CT_OR, which is not the last of its enum",
                   {"contract/wire/load.c": row, "contract/wire/model.h": '#include "base/str.h"\nenum ct_op { CT_AND, CT_OR, /* new */ CT_XOR };\n'})

    def test_a_table_that_leaves_out_a_row_of_its_enum(self):
        model = '#include "base/str.h"\nenum ct_op { CT_AND, CT_OR, CT_NOT, CT_OPS };\n'
        def table(rows, size, after="", before=""):
            return {"contract/wire/model.h": model,
                    "contract/wire/load.c": f"{before}static const char *const WORDS[{size}] = {{{rows}}};\n{after}"}
        every = '[CT_AND] = "and", [CT_OR] = "or", [CT_NOT] = "not"'
        for rows, size, after in ((every, "CT_OPS", ""), (every, "", "MT_TABLE_COVERS(WORDS, CT_OPS);\n"),
                                  (every, "", '_Static_assert(sizeof WORDS / sizeof *WORDS == CT_OPS, "all");\n')):
            self.assertEqual(self.found(table(rows, size, after)), [], (size, after))
        self.finds("load.c:1: WORDS has rows of an enum, but neither a size", table(every.replace("[CT_NOT]", "[CT_OPS] = \"\", [CT_NOT]"), ""))
        self.finds("load.c:1: WORDS has no row for CT_OR; SPARSE:", table(every.replace('[CT_OR] = "or", ', ""), "CT_OPS"))
        self.finds("load.c:1: WORDS has no row for CT_NOT; SPARSE:", table(every.replace(', [CT_NOT] = "not"', ""), "CT_OPS"))
        self.assertEqual(self.found(table('[CT_NOT] = "not"', "", before="/* SPARSE: for a test. */\n")), [])

    def test_a_room_without_a_readme(self):
        self.finds("src/contract/front: has no README.md", {"contract/front/README.md": None})

    def test_a_readme_that_is_not_three_lines(self):
        self.finds("src/contract: has no README.md",
                   {"contract/README.md": README + "And more.\n"})

    def test_a_room_that_the_tables_do_not_know(self):
        self.finds("src/attic: tools/layers does not say",
                   {"attic/README.md": README, "attic/box.c": "\n"})

    def test_a_room_inside_that_the_tables_do_not_know(self):
        self.finds("src/base/attic: tools/layers does not say",
                   {"base/attic/README.md": README, "base/attic/box.c": "\n"})

    def test_an_enumerator_that_two_headers_define(self):
        self.finds("CT_AND means two things: enumerator in src/contract/front/ast.h, "
                   "enumerator in src/contract/wire/model.h",
                   {"contract/front/ast.h": "enum fr_op { CT_AND };\n"})

    def test_a_macro_that_two_headers_define(self):
        self.finds("CT_MOST means two things: macro in src/contract/front/ast.h, "
                   "macro in src/contract/wire/model.h",
                   {"contract/front/ast.h": "#define CT_MOST 3\n",
                    "contract/wire/model.h": "#define CT_MOST 4\n"})

    def test_a_function_with_the_name_of_a_type(self):
        self.finds("mt_str means two things",
                   {"base/text.h": "int mt_str(void);\n"})

    def test_five_files_may_call_each_other(self):
        self.assertEqual(self.found(circle("base", 5)), [])

    def test_six_files_must_not(self):
        self.finds("6 files call each other in a circle: base/c0.c base/c1.c",
                   circle("base", 6))


if __name__ == "__main__":
    unittest.main(verbosity=2)
