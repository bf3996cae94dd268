#!/usr/bin/env python3
"""Writes the table of number_powers.h.

10^k as f * 2^e with 2^127 <= f < 2^128, f rounded down. The exponent needs no table: e = floor(log2(10^k)) - 127.
"""
import re
import sys

header, out = sys.argv[1:3]
bound = dict(re.findall(r"MT_POWER_(FIRST|LAST) = (-?\d+)", open(header).read()))
lines = []
for k in range(int(bound["FIRST"]), int(bound["LAST"]) + 1):
    top, bottom = (10**k, 1) if k >= 0 else (1, 10**-k)
    e = top.bit_length() - bottom.bit_length() - 128
    while True:
        f = (top << -e) // bottom if e < 0 else (top >> e) // bottom
        if f < 1 << 127:
            e -= 1
        elif f >= 1 << 128:
            e += 1
        else:
            break
    lines.append(f"    {{0x{f >> 64:016x}u, 0x{f & (1 << 64) - 1:016x}u}}, /* {k} */\n")
with open(out, "w") as f:
    f.write('#include "base/number_powers.h"\n\nconst mt_power MT_POWERS[] = {\n')
    f.writelines(lines + ["};\n"])
