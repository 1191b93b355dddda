"""The robot's camera: colour and depth from one OpenGL pass, and a second pass that says which entity a pixel belongs to."""

from __future__ import annotations

import weakref
from math import radians, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SimulatorError

from .engine import CURE, gl_context, mujoco
from .spec import Viewpoint
from .viewpoints import FOV

_NEAR, _FAR = 0.04, 25.0  # as in build.py, with statistic extent 1


class Camera:
    """Draws frames of a MuJoCo scene from a `Viewpoint`.

    One GL context serves every house, as the models bring no meshes or textures of their own.
    """

    def __init__(self, size: int, model: mujoco.MjModel) -> None:
        self.size = size
        self._gl = gl_context(size)
        model.vis.global_.offwidth = model.vis.global_.offheight = size
        try:
            self._con = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        except Exception as e:
            raise SimulatorError(f"{CURE}. MuJoCo says: {e}") from e
        self._free_once = weakref.finalize(self, _free, self._gl, self._con)  # also at garbage collection and at exit
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._con)
        self._con.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._rect = mujoco.MjrRect(0, 0, size, size)
        self._rgb = np.empty((size, size, 3), np.uint8)
        self._z = np.empty((size, size), np.float32)
        self._scene: mujoco.MjvScene | None = None
        self._scene_model: mujoco.MjModel | None = None
        self._option = mujoco.MjvOption()
        self._free = mujoco.MjvCamera()
        self._free.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._free.distance = 1.0
        focal = size / 2 / tan(radians(FOV) / 2)
        self.intrinsics = np.array([[focal, 0, size / 2], [0, focal, size / 2], [0, 0, 1]])

    def draw(
        self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint, group: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """(H, W, 3) uint8 colour and (H, W) float32 depth in metres, 0 = no return, of the room in geom group ``group``."""
        if self._scene_model is not model:
            self._scene = mujoco.MjvScene(model, maxgeom=max(600, model.ngeom))  # full, it would leave things out of the picture
            self._scene_model = model
            for flag in ("SHADOW", "REFLECTION", "SKYBOX", "FOG", "HAZE"):
                self._scene.flags[getattr(mujoco.mjtRndFlag, f"mjRND_{flag}")] = 0
        self._option.geomgroup[:] = 0
        self._option.geomgroup[group] = 1
        forward = np.asarray(view.target) - np.asarray(view.eye)
        forward /= np.linalg.norm(forward)
        self._free.lookat[:] = np.asarray(view.eye) + forward
        self._free.azimuth = np.degrees(np.arctan2(forward[1], forward[0]))
        self._free.elevation = np.degrees(np.arcsin(forward[2]))
        mujoco.mjv_updateScene(model, data, self._option, None, self._free, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        self._gl.make_current()  # another camera may have drawn since
        mujoco.mjr_render(self._rect, self._scene, self._con)
        mujoco.mjr_readPixels(self._rgb, self._z, self._rect, self._con)
        # Reversed depth: 1 at the near plane, 0 at the far plane and where nothing was drawn.
        depth = (_NEAR * _FAR) / (_NEAR + self._z[::-1] * (_FAR - _NEAR))
        depth[self._z[::-1] <= 0] = 0
        return np.ascontiguousarray(self._rgb[::-1]), depth

    def geoms(self) -> NDArray[np.int64]:
        """(H, W) geom id under each pixel of the frame last drawn, −1 for none."""
        scene = self._scene
        assert scene is not None
        self._gl.make_current()
        segment, idcolor = mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR
        scene.flags[segment] = scene.flags[idcolor] = 1
        mujoco.mjr_render(self._rect, scene, self._con)
        scene.flags[segment] = scene.flags[idcolor] = 0
        mujoco.mjr_readPixels(self._rgb, None, self._rect, self._con)
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


def _free(context: Any, con: mujoco.MjrContext) -> None:
    try:
        context.make_current()
    except Exception:  # at exit the display may be gone already, and everything on it with it
        return
    con.free()
    context.free()


def pose_of(view: Viewpoint) -> NDArray[np.float64]:
    """(4, 4) camera-to-world of a viewpoint: x right, y down, z forward; the horizon stays level."""
    forward = np.asarray(view.target, dtype=np.float64) - np.asarray(view.eye, dtype=np.float64)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, np.cross(forward, right), forward, view.eye
    return pose
