#!/usr/bin/env python3
"""Runs the benchmark programs, prints one table, writes build/bench.json."""
import json
import os
import pathlib
import subprocess
import sys

# Programs that are not built.
SCRIPTS = [pathlib.Path(__file__).resolve().parent.parent / "bench" / name for name in ("bench_python", "bench_studio")]


def show(value):
    return "-" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows, failed = [], []
    library = next(iter(sorted((build / "src" / "api").glob("libmotet.so.*.*.*"))), None)
    env = {**os.environ, **({"MOTET_LIBRARY": str(library.resolve())} if library else {})}
    for program in [*sorted((build / "bench").glob("bench_*")), *SCRIPTS]:
        if program.is_dir():
            continue
        print(f"running {program.name} …", file=sys.stderr, flush=True)
        done = subprocess.run([program.resolve()], stdout=subprocess.PIPE, text=True, env=env)
        rows += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode:
            failed.append(program.name)
    out.write_text(json.dumps(rows, indent=1) + "\n")
    columns = ["name", "value", "unit", "baseline_name", "baseline", "ratio", "target", "met"]
    table = [columns] + [[show(r.get(c)) for c in columns] for r in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    for row in table:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())
    for name in failed:
        print(f"{name} failed", file=sys.stderr)
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
