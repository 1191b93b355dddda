"""``mimir doctor``: what this machine can run, and what to install for the rest."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata

from mimir_learn.checks import whole
from mimir_learn.errors import MimirError
from mimir_learn.evaluation.checks import probe_drawing
from mimir_learn.evaluation.stress import stress_household, suites_of

NEEDED = (
    "numpy",
    "mujoco",
    "gymnasium",
    "joblib",
    "pyarrow",
    "PIL",
    "torch",
    "lightning",
    "torchmetrics",
    "scipy",
    "statsmodels",
    "jinja2",
)
OPTIONAL = {
    "trimesh": "models to draw furniture with (mimir assets): pip install 'mimir-learn[assets]'",
    "fast_simplification": "fewer triangles for them (mimir assets): pip install 'mimir-learn[assets]'",
    "networkx": "a peer of mimir bench memory: pip install 'mimir-learn[bench]'",
    "faiss": "a peer of mimir bench memory: pip install 'mimir-learn[bench]'",
    "ray": "grids on a Ray cluster (mimir eval --grid --backend ray): pip install 'mimir-learn[cluster]'",
    "distributed": "grids on a Dask cluster (mimir eval --grid --backend dask): pip install 'mimir-learn[cluster]'",
    "rerun": "recordings of episodes (mimir report --rerun): pip install 'mimir-learn[rerun]'",
    "ai2thor": "AI2-THOR (EB-ALFRED): pip install 'mimir-learn[thor]'",
    "habitat_sim": "habitat-sim (EB-Habitat) has no pip files: conda install habitat-sim headless -c conda-forge -c aihabitat, "
    "then pip install 'mimir-learn[habitat]' in the same environment",
}


@dataclass(frozen=True)
class DoctorConfig:
    """Check what this machine can run, or with ``--household`` whether the simulated houses stay in order whatever is done in them.

    Attributes:
        household: let chance act in houses and check the world after every action.
        actions: such actions under each fault suite.
        faults: all, or names of fault suites separated by commas.
        houses: houses they are shared out over.
        seed: of the actions and of the faults.
    """

    household: bool = False
    actions: int = 10_000
    faults: str = "all"
    houses: int = 6
    seed: int = 0

    def __post_init__(self) -> None:
        whole("doctor.actions", self.actions, 1)
        whole("doctor.houses", self.houses, 1)
        whole("doctor.seed", self.seed, 0)
        if self.household:  # else MuJoCo need not even be there
            suites_of(self.faults)


def doctor(config: DoctorConfig | None = None) -> int:
    """Print the findings; 1 when something the embedded household needs is missing or a house is out of order, else 0."""
    if config is not None and config.household:
        return stress_household(config.faults, config.houses, config.actions, config.seed)
    ok = _say(sys.version_info >= (3, 11), f"Python {platform.python_version()}", "install Python 3.11 or newer")
    for name in NEEDED:
        found = importlib.util.find_spec(name) is not None
        version = metadata.version({"PIL": "pillow"}.get(name, name)) if found else ""
        ok &= _say(found, f"{name} {version}".rstrip(), f"pip install {name}")
    ok &= _drawing()
    _say(None, f"{os.cpu_count()} cores, MUJOCO_GL={os.environ.get('MUJOCO_GL', 'not set: chosen automatically')}")
    if ok:
        import torch

        _say(None, "CUDA: " + (torch.cuda.get_device_name() if torch.cuda.is_available() else "none; everything here runs on the CPU"))
    for name, cure in OPTIONAL.items():
        found = importlib.util.find_spec(name) is not None
        _say(None, f"{name} is installed" if found else f"optional, not installed: {cure}")
    print("all the embedded household needs is here" if ok else "something is missing, see above")
    return 0 if ok else 1


def _drawing() -> bool:
    try:
        probe_drawing(32)
    except MimirError as e:
        return _say(False, "MuJoCo draws off screen", str(e))
    except ImportError as e:
        return _say(False, "MuJoCo draws off screen", f"a package is missing: {e}")
    except Exception as e:  # whatever a driver does, the other findings and the verdict must still be said
        return _say(False, "MuJoCo draws off screen", f"{type(e).__name__}: {e}; try MUJOCO_GL=egl or MUJOCO_GL=osmesa")
    return _say(True, "MuJoCo draws off screen, colour and depth")


def _say(ok: bool | None, what: str, cure: str = "") -> bool:
    mark = "·" if ok is None else "✓" if ok else "✗"
    print(f" {mark} {what}" + (f"\n     {cure}" if ok is False and cure else ""))
    return bool(ok)
