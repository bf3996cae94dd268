"""Runs a script as the program that answers the calls of its agent:

    python3 -m motet.handler SCRIPT ARGUMENTS...

It is started by `motet agent run`; see motet.agent.
"""
import runpy
import sys

from . import agent


def main() -> None:
    agent.answering = True
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
