#!/usr/bin/env python3
"""Makes late_<name>.h and late_<name>.c from a list of functions (base/late.h says why).

    late.py LIST COMPILER HEADER SOURCE

The name of the shared object is read from the library that the compiler would link.
"""
import pathlib
import re
import subprocess
import sys


def read(path):
    settings, functions = {}, []
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("#") or not words:
            continue
        if len(words) == 2:
            settings[words[0]] = words[1]
        else:
            functions.append(words[0])
    return settings, functions


def soname(compiler, library):
    file = subprocess.run([*compiler, f"-print-file-name=lib{library}.so"], check=True,
                          capture_output=True, text=True).stdout.strip()
    told = subprocess.run(["readelf", "-d", file], check=True, capture_output=True,
                          text=True).stdout
    return re.search(r"SONAME.*\[(.+)\]", told).group(1)


def header(name, settings, functions):
    guard = f"MT_BASE_LATE_{name.upper()}_H"
    yield f"/* Made by base/late.py from late/{name}.list. */\n#ifndef {guard}\n#define {guard}\n"
    # curl_easy_setopt as a checking macro would call the function by its name.
    yield "#define CURL_DISABLE_TYPECHECK\n" if name == "curl" else ""
    yield f'#include "base/late.h"\n\n#include <{settings["header"]}>\n'
    yield f"\nextern mt_late_library mt_late_{name};\n\n"
    for function in functions:
        yield (f"#undef {function}\nextern __typeof__({function}) *late_{function};\n"
               f"#define {function} (*late_{function})\n")
    yield "\n#endif\n"


def source(name, settings, functions, file):
    yield f"/* Made by base/late.py from late/{name}.list. */\n"
    yield f'#include "base/late_{name}.h"\n\n'
    for function in functions:
        yield (f"#undef {function}\n__typeof__({function}) *late_{function} =\n"
               f"    (__typeof__({function}) *)(void (*)(void))mt_late_missing;\n")
    yield "\nstatic const mt_late_symbol SYMBOLS[] = {\n"
    for function in functions:
        yield f'    {{"{function}", (void **)&late_{function}}},\n'
    yield ("};\n\n"
           f"mt_late_library mt_late_{name} = {{\n"
           f'    .file = "{file}",\n    .package = "{settings["package"]}",\n'
           "    .symbols = SYMBOLS,\n    .count = sizeof SYMBOLS / sizeof SYMBOLS[0],\n"
           "    .lock = PTHREAD_MUTEX_INITIALIZER,\n};\n")


def main():
    path, compiler = pathlib.Path(sys.argv[1]), sys.argv[2].split()
    settings, functions = read(path)
    name = path.stem
    pathlib.Path(sys.argv[3]).write_text("".join(header(name, settings, functions)))
    pathlib.Path(sys.argv[4]).write_text(
        "".join(source(name, settings, functions, soname(compiler, settings["library"]))))


if __name__ == "__main__":
    main()
