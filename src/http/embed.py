#!/usr/bin/env python3
"""Writes a text file as a C array, for what is read as a file and served from memory.

    embed.py INPUT NAME OUTPUT
"""
import sys

source, name, out = sys.argv[1:4]
data = open(source, "rb").read()
lines = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
with open(out, "w") as f:
    f.write(f"extern const unsigned char {name}[];\nextern const unsigned long {name}_BYTES;\n")
    f.write(f"const unsigned char {name}[] = {{\n    " + ",\n    ".join(lines) + "};\n")
    f.write(f"const unsigned long {name}_BYTES = {len(data)};\n")
