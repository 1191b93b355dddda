"""Train a Δ-estimator: the same as ``mimir train``. Example: ``python train.py --config configs/train/demo.yaml``."""

import sys

from mimir_learn.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
