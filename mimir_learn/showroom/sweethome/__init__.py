"""Converts the furniture models of Debian's ``sweethome3d-furniture`` package into meshes the household can draw."""

from mimir_learn.showroom.sweethome.convert import AssetsConfig, convert

__all__ = ["AssetsConfig", "convert"]
