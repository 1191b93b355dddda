"""Evaluate Δ-sources on a task suite: the same as ``mimir eval``. Example: ``python eval.py --checkpoint runs/demo/train/model``."""

import sys

from mimir_learn.cli import main

if __name__ == "__main__":
    sys.exit(main(["eval", *sys.argv[1:]]))
