"""A house small enough to know every pixel of: two rooms joined by a doorway, a lamp, a table and what stands on it."""

from __future__ import annotations

from mimir_learn.envs.household.shell import WALL
from mimir_learn.envs.household.spec import Doorway, FixtureSpec, HouseSpec, Part, Region, RoomSpec, ThingSpec, Vec, Viewpoint
from mimir_learn.symbols import Parent, Relation

RED, GREEN, BLUE, GREY = (0.9, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.9), (0.6, 0.6, 0.6)
ACROSS = Viewpoint((0.5, 0.0, 1.4), (4.0, 0.0, 1.0))
"""From the west room through the doorway into the east room."""
DOWN = Viewpoint((-1.5, -0.5, 1.0), (-1.5, 0.2, 0.55))
"""The table in the west room."""


def room(name: str, x: float, light: float = 1.0) -> RoomSpec:
    view = Viewpoint((x - 1.8, -1.8, 2.0), (x, 0.0, 0.2))
    return RoomSpec(f"{name}_1", name, (x, 0.0), (4.0, 4.0), (0.8, 0.8, 0.8), (0.5, 0.4, 0.3), (view,), (), "plaster", "planks", light)


def mug(number: int, position: Vec, parent: Parent, **attributes: bool) -> ThingSpec:
    """A mug that is blue, has a red blotch while dirty and a green filling while filled."""
    parts = (
        Part("lathe", (0.0, -0.05, 0.06, -0.05, 0.06, 0.05, 0.05, 0.05, 0.05, -0.04, 0.0, -0.04), rgb=BLUE),
        Part("box", (0.03, 0.065, 0.03), rgb=RED, when="dirty"),
        Part("cylinder", (0.05, 0.002), (0.0, 0.0, 0.03), GREEN, when="filled"),
    )
    holds = Region((0.0, 0.0, -0.04), (0.035, 0.035), 0.12)
    solid = Part("cylinder", (0.06, 0.05))
    return ThingSpec(f"mug_{number}", "mug", parent, position, 0.0, "blue", 1.0, parts, solid, 0.3, 0.06, 0.05, attributes, holds, "plain")


def house(light: float = 1.0, things: tuple[ThingSpec, ...] | None = None) -> HouseSpec:
    """West: kitchen_1 with table_1, lamp_1 and mug_1. East, ``light``: livingroom_1 with table_2 and mug_2."""
    views = (DOWN,)
    table = (Part("box", (0.5, 0.4, 0.02), (0.0, 0.0, 0.48), GREY, texture="wood"), Part("box", (0.05, 0.05, 0.23), (0.0, 0.0, 0.23), GREY))
    top = (Region((0.0, 0.0, 0.5), (0.5, 0.4), 0.4),)
    lamp = (
        Part("cylinder", (0.1, 0.3), (0.0, 0.0, 0.3), GREEN, when="on", emission=1.0),
        Part("cylinder", (0.1, 0.3), (0.0, 0.0, 0.3), RED, when="!on"),
    )
    in_west, in_east = Parent("kitchen_1", Relation.ROOM), Parent("livingroom_1", Relation.ROOM)
    x = 4.0 + WALL
    fixtures = (
        FixtureSpec("table_1", "table", "kitchen_1", in_west, (-1.5, 0.2, 0.0), 0.0, (1.0, 0.8, 0.5), table, (), top, views),
        FixtureSpec("lamp_1", "lamp", "kitchen_1", in_west, (1.2, 1.6, 0.0), 0.0, (0.3, 0.3, 0.6), lamp, (), (), views, {"on": False}),
        FixtureSpec("table_2", "table", "livingroom_1", in_east, (x, 0.0, 0.0), 0.0, (1.0, 0.8, 0.5), table, (), top, views),
    )
    on_west, on_east = Parent("table_1", Relation.ON), Parent("table_2", Relation.ON)
    if things is None:
        things = (mug(1, (-1.5, 0.2, 0.552), on_west), mug(2, (x - 0.1, 0.0, 0.552), on_east))
    door = Doorway(("kitchen_1", "livingroom_1"), (2.0 + WALL / 2, 0.0), "y", 1.0, 2.1)
    return HouseSpec(-1, (room("kitchen", 0.0), room("livingroom", x, light)), fixtures, things, (door,))
