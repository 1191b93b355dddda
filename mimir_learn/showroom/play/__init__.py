"""``mimir play``: step through a house by typed commands, with the robot's frames, its memory and Δ beside them."""

from mimir_learn.showroom.play.config import PlayConfig
from mimir_learn.showroom.play.terminal import play

__all__ = ["PlayConfig", "play"]
