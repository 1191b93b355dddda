"""Environment first, torch afterwards, in one process: the natural order of use, which once crashed (two LLVMs)."""

from __future__ import annotations

import subprocess
import sys


def test_the_compiler_can_be_imported_after_the_renderer_has_started() -> None:
    code = (
        "from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv\n"
        "env = HouseholdEnv(HouseholdConfig(image_size=32)); env.reset(seed=0, options={'house_seed': 1})\n"
        "import torch._dynamo\n"
        "env.step('look'); print('alive')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and done.stdout.strip() == "alive", done.stderr[-2000:]
