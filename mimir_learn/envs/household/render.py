"""The robot's camera: colour and depth from one OpenGL pass, and a second pass that says which entity a pixel belongs to."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass
from math import radians, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SimulatorError

from .build import DRAWN
from .engine import CURE, gl_context, mujoco
from .spec import Viewpoint
from .viewpoints import FOV, axes

_NEAR, _FAR = 0.04, 25.0  # as in build.py, with statistic extent 1


@dataclass(eq=False)
class _Canvas:
    """What drawing one model needs: its meshes and textures uploaded, and its list of geoms."""

    model: mujoco.MjModel
    context: mujoco.MjrContext
    scene: mujoco.MjvScene


class Camera:
    """Draws frames of MuJoCo models from a `Viewpoint`; what is in the picture is what is in geom group 0 (see `Scenery`).

    Meshes and textures live in a context per model, on one GL context; those of the ``keep`` models drawn last are kept.
    """

    def __init__(self, size: int, keep: int = 8) -> None:
        self.size = size
        self._keep = keep
        self._gl = gl_context(size)
        self._canvases: OrderedDict[int, _Canvas] = OrderedDict()
        self._free_once = weakref.finalize(self, _free, self._gl, self._canvases)  # also at garbage collection and at exit
        self._rect = mujoco.MjrRect(0, 0, size, size)
        self._rgb = np.empty((size, size, 3), np.uint8)
        self._z = np.empty((size, size), np.float32)
        self._canvas: _Canvas | None = None
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[DRAWN] = 1
        self._free = mujoco.MjvCamera()
        self._free.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._free.distance = 1.0
        focal = size / 2 / tan(radians(FOV) / 2)
        self.intrinsics = np.array([[focal, 0, size / 2], [0, focal, size / 2], [0, 0, 1]])

    def draw(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """(H, W, 3) uint8 colour and (H, W) float32 depth in metres, 0 = no return.

        Edges are smoothed in the colours; depth is that of one of a pixel's samples, up to 0.4 pixels from its middle.
        Raises SimulatorError when there is no way to draw.
        """
        self._gl.make_current()  # another camera may have drawn since
        canvas = self._canvas_of(model)
        forward = axes(view)[2]
        self._free.lookat[:] = np.asarray(view.eye) + forward
        self._free.azimuth = np.degrees(np.arctan2(forward[1], forward[0]))
        self._free.elevation = np.degrees(np.arcsin(forward[2]))
        mujoco.mjv_updateScene(model, data, self._option, None, self._free, mujoco.mjtCatBit.mjCAT_ALL.value, canvas.scene)
        self.raw()
        # Reversed depth: 1 at the near plane, 0 at the far plane and where nothing was drawn.
        depth = (_NEAR * _FAR) / (_NEAR + self._z[::-1] * (_FAR - _NEAR))
        depth[self._z[::-1] <= 0] = 0
        return np.ascontiguousarray(self._rgb[::-1]), depth

    def raw(self) -> None:
        """`mjr_render` and `mjr_readPixels` of the scene drawn last and nothing else: what any use of MuJoCo's renderer pays."""
        canvas = self._canvas
        assert canvas is not None
        mujoco.mjr_render(self._rect, canvas.scene, canvas.context)
        mujoco.mjr_readPixels(self._rgb, self._z, self._rect, canvas.context)

    def _canvas_of(self, model: mujoco.MjModel) -> _Canvas:
        canvas = self._canvases.get(id(model))
        if canvas is None:
            while len(self._canvases) >= self._keep:
                self._canvases.popitem(last=False)[1].context.free()
            model.vis.global_.offwidth = model.vis.global_.offheight = self.size
            try:
                context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
            except Exception as e:
                raise SimulatorError(f"{CURE}. MuJoCo says: {e}") from e
            context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
            scene = mujoco.MjvScene(model, maxgeom=max(600, model.ngeom))  # full, it would leave things out of the picture
            for flag in ("SHADOW", "REFLECTION", "SKYBOX", "FOG", "HAZE"):
                scene.flags[getattr(mujoco.mjtRndFlag, f"mjRND_{flag}")] = 0
            canvas = self._canvases[id(model)] = _Canvas(model, context, scene)
            self._canvas = None
        if canvas is not self._canvas:
            self._canvases.move_to_end(id(model))
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, canvas.context)
            self._canvas = canvas
        return canvas

    def geoms(self) -> NDArray[np.int64]:
        """(H, W) geom id under each pixel of the frame last drawn, −1 for none."""
        canvas = self._canvas
        assert canvas is not None
        scene = canvas.scene
        self._gl.make_current()
        segment, idcolor = mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR
        scene.flags[segment] = scene.flags[idcolor] = 1
        mujoco.mjr_render(self._rect, scene, canvas.context)
        scene.flags[segment] = scene.flags[idcolor] = 0
        mujoco.mjr_readPixels(self._rgb, None, self._rect, canvas.context)
        raw = self._rgb[::-1].astype(np.int64)
        ids = raw[..., 0] + (raw[..., 1] << 8) + (raw[..., 2] << 16)
        lookup = np.full(scene.ngeom + 2, -1, dtype=np.int64)
        is_geom = int(mujoco.mjtObj.mjOBJ_GEOM)
        for geom in scene.geoms[: scene.ngeom]:
            if geom.objtype == is_geom and geom.segid >= 0:
                lookup[geom.segid + 1] = geom.objid
        return lookup[ids]

    def close(self) -> None:
        """Free the GL context; a second call does nothing."""
        self._free_once()


def _free(gl: Any, canvases: OrderedDict[int, _Canvas]) -> None:
    try:
        gl.make_current()
    except Exception:  # at exit the display may be gone already, and everything on it with it
        return
    while canvases:
        canvases.popitem()[1].context.free()
    gl.free()


def pose_of(view: Viewpoint) -> NDArray[np.float64]:
    """(4, 4) camera-to-world of a viewpoint: x right, y down, z forward; the horizon stays level."""
    right, down, forward = axes(view)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, down, forward, view.eye
    return pose
