"""Getting hold of MuJoCo and of something to draw with; a machine that has neither is told what to install."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from mimir_learn.errors import SimulatorError

CURE = (
    "MuJoCo found no way to draw without a screen. Install a GL driver: on Debian/Ubuntu `apt-get install libegl1 libgles2` and set "
    "MUJOCO_GL=egl, or `apt-get install libosmesa6` and set MUJOCO_GL=osmesa (slower, needs no GPU driver)"
)

try:
    import mujoco
except Exception as e:  # a missing libEGL surfaces here as an AttributeError from PyOpenGL
    if isinstance(e, ModuleNotFoundError) and e.name == "mujoco":
        raise SimulatorError("the household needs MuJoCo: `pip install mujoco`") from e
    raise SimulatorError(f"{CURE}. With MUJOCO_GL={os.environ.get('MUJOCO_GL', '')!r}: {type(e).__name__}: {e}") from e

__all__ = ["CURE", "gl_context", "give_back_memory", "mujoco"]


def _loads(*names: str) -> bool:
    """Whether one of these shared libraries is installed. Asked before PyOpenGL is imported, as that can be tied to one platform only."""
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def give_back_memory() -> None:
    """Return what freed models left in the C library's heap to the system, where that library can (glibc).

    Models and their states are a few megabytes each: large enough to tear the heap to pieces over thousands of houses, too small for the
    C library to map them one by one.
    """
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def choose_backend() -> str:
    """The value of MUJOCO_GL, or, when it is not set on Linux without a screen, what is installed: egl, else osmesa, else ""."""
    asked = os.environ.get("MUJOCO_GL", "").lower()
    if asked or not sys.platform.startswith("linux") or os.environ.get("DISPLAY"):
        return asked
    if _loads("libEGL.so.1", "libEGL.so"):
        return "egl"
    return "osmesa" if _loads("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so") else ""


def _load_triton_first() -> None:
    """Load triton's library before Mesa's, if triton is installed.

    Both bring an LLVM; loaded after Mesa's, triton's crashes the process, and importing torchvision or torch's compiler loads it.
    """
    spec = importlib.util.find_spec("triton")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        library = Path(folder) / "_C" / "libtriton.so"
        if library.is_file():
            with contextlib.suppress(OSError):
                ctypes.CDLL(str(library))


def gl_context(size: int) -> Any:
    """An off-screen GL context of at least ``size`` pixels, made current. Raises SimulatorError naming the packages to install."""
    backend = choose_backend()
    _load_triton_first()
    try:
        if backend == "egl":
            from mujoco.egl import GLContext
        elif backend == "osmesa":
            from mujoco.osmesa import GLContext
        else:
            GLContext = mujoco.GLContext
        context = GLContext(size, size)
        context.make_current()
    except Exception as e:  # drivers fail in every way there is: ImportError, AttributeError, RuntimeError, OSError, GLFW's own
        raise SimulatorError(f"{CURE}. With MUJOCO_GL={backend!r}: {type(e).__name__}: {e}") from e
    if backend:
        os.environ["MUJOCO_GL"] = backend  # libmujoco itself reads it when it looks up GL functions
    return context
