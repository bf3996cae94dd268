"""Runs a script as the program that answers the calls of its agent:

    python3 -m motet.handler DIRECTORY SCRIPT ARGUMENTS...

It is started by `motet agent run`, beside the agent file; it goes back to the directory that the
script was started in. See motet.agent.
"""
import os
import runpy
import sys

from . import agent


def main() -> None:
    agent.answering = True
    os.chdir(sys.argv[1])
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
