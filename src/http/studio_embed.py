#!/usr/bin/env python3
"""Writes the table of the files of Studio, whose bytes the assembler takes from one file.

    studio_embed.py OUTPUT [FILES.json]

FILES.json is what studio/build.mjs wrote: name, type, etag, where it begins and how long
it is in `studio.pack` beside it. Without it the table is empty.
"""
import json
import pathlib
import sys


def row(f):
    text = json.dumps([f["name"], f["type"], f["etag"]])[1:-1]
    return f'    {{{text}, ht_studio_pack + {f["at"]}, {f["length"]}, {"true" if f["lasts"] else "false"}}},\n'


def main():
    out = '#include "http/studio.h"\n\n'
    if len(sys.argv) > 2:
        listed = pathlib.Path(sys.argv[2]).resolve()
        files = json.loads(listed.read_text())
        out += ('__asm__(".section .rodata\\n.balign 16\\n.hidden ht_studio_pack\\n.globl ht_studio_pack\\n"\n'
                f'        "ht_studio_pack:\\n.incbin \\"{listed.parent / "studio.pack"}\\"\\n.byte 0\\n.previous\\n");\n'
                "extern const unsigned char ht_studio_pack[];\n"
                "const ht_file HT_STUDIO_FILES[] = {\n" + "".join(row(f) for f in files) + "};\n"
                f"const size_t HT_STUDIO_COUNT = {len(files)};\n")
    else:
        out += "const ht_file HT_STUDIO_FILES[] = {{0}};\nconst size_t HT_STUDIO_COUNT = 0;\n"
    pathlib.Path(sys.argv[1]).write_text(out)


main()
