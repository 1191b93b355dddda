"""A small house written by hand, with one of everything the skills and faults need; no generator, ware or furniture has a say in it."""

from __future__ import annotations

from math import cos, radians, sin

from mimir_learn.envs.household.spec import Doorway, FixtureSpec, HouseSpec, Panel, Part, Region, RoomSpec, ThingSpec, Vec, Viewpoint
from mimir_learn.symbols import Parent, Relation

ON, IN, ROOM = Relation.ON, Relation.IN, Relation.ROOM
_GREY: Vec = (0.6, 0.6, 0.62)
_RED: Vec = (0.9, 0.1, 0.1)


def _turn(yaw: float, x: float, y: float) -> tuple[float, float]:
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return c * x - s * y, s * x + c * y


def _views(at: Vec, yaw: float, depth: float, level: float) -> tuple[Viewpoint, ...]:
    out = []
    for side in (0.0, -0.4, 0.4):
        dx, dy = _turn(yaw, side, -depth / 2 - 0.8)
        out.append(Viewpoint((at[0] + dx, at[1] + dy, level + 0.6), (at[0], at[1], level - 0.35)))
    return tuple(out)


def _shell(w: float, d: float, low: float, high: float, shelf: float | None = None) -> tuple[Part, ...]:
    """A box open to the front."""
    mid, half = (low + high) / 2, (high - low) / 2
    parts = [
        Part("box", (w / 2, 0.01, half), (0, d / 2 - 0.01, mid), _GREY),
        *(Part("box", (0.01, d / 2, half), (s * (w / 2 - 0.01), 0, mid), _GREY) for s in (-1, 1)),
        *(Part("box", (w / 2, d / 2, 0.01), (0, 0, z), _GREY) for z in (low + 0.01, high - 0.01)),
    ]
    return (*parts, *([] if shelf is None else [Part("box", (w / 2, d / 2, 0.01), (0, 0, shelf), _GREY)]))


def _door(w: float, d: float, low: float, high: float) -> Panel:
    part = Part("box", (w / 2 - 0.005, 0.01, (high - low) / 2), (0, -d / 2 - 0.01, (low + high) / 2), (0.2, 0.3, 0.7), solid=False)
    return Panel("hinge", (0, 0, 1), (-w / 2, -d / 2, 0), -100.0, (part,))


def _top(w: float, d: float, z: float) -> tuple[Part, ...]:
    return (Part("box", (w / 2, d / 2, z / 2), (0, 0, z / 2), (0.55, 0.4, 0.25)),)


def _surface(w: float, d: float, z: float) -> Region:
    return Region((0, 0, z), (w / 2 - 0.02, d / 2 - 0.02), 0.4)


def _fixture(
    fixture_id: str,
    room: str,
    at: Vec,
    yaw: float,
    size: Vec,
    parts: tuple[Part, ...],
    regions: tuple[Region, ...] = (),
    panels: tuple[Panel, ...] = (),
    parent: Parent | None = None,
    level: float = 0.9,
    **attributes: bool,
) -> FixtureSpec:
    views = _views(at, yaw, size[1], level)
    category = fixture_id.rpartition("_")[0]
    return FixtureSpec(fixture_id, category, room, parent or Parent(room, ROOM), at, yaw, size, parts, panels, regions, views, attributes)


def _lit(size: Vec, z: float) -> tuple[Part, ...]:
    """A block with a lamp on it that is bright while on."""
    block = Part("box", (size[0] / 2, size[1] / 2, size[2] / 2), (0, 0, z), _GREY)
    lamp = (0, -size[1] / 2 - 0.005, z)
    return (
        block,
        Part("sphere", (0.03,), lamp, (1.0, 0.95, 0.4), when="on", solid=False, emission=1.0),
        Part("sphere", (0.03,), lamp, (0.1, 0.1, 0.1), when="!on", solid=False),
    )


def _fixtures() -> list[FixtureSpec]:
    kitchen, living = "kitchen_1", "livingroom_1"
    drawer_front = Part("box", (0.3, 0.01, 0.14), (0, -0.25, 0.5), (0.3, 0.5, 0.3))
    drawer_floor = Part("box", (0.28, 0.22, 0.01), (0, 0, 0.37), _GREY)
    slide = Panel("slide", (0, -1, 0), (0, 0, 0), 0.36, (drawer_front, drawer_floor))
    lid = Part("box", (0.14, 0.1, 0.005), (0, 0, 0.03), (0.1, 0.1, 0.12), solid=False)
    basin = (*_shell(0.7, 0.5, 0.0, 0.62), *(Part("box", (0.35, 0.01, 0.15), (0, s * 0.24, 0.75), _GREY) for s in (-1, 1)))
    return [
        _fixture("counter_1", kitchen, (-1.4, 1.6, 0), 0, (1.0, 0.6, 0.9), _top(1.0, 0.6, 0.9), (_surface(1.0, 0.6, 0.9),)),
        _fixture("counter_2", kitchen, (-0.3, 1.6, 0), 0, (1.0, 0.6, 0.9), _top(1.0, 0.6, 0.9), (_surface(1.0, 0.6, 0.9),)),
        _fixture(
            "fridge_1", kitchen, (0.7, 1.6, 0), 0, (0.6, 0.6, 1.4), _shell(0.6, 0.6, 0.05, 1.4, 0.7),
            (Region((0, 0, 0.07), (0.26, 0.26), 0.6), Region((0, 0, 0.71), (0.26, 0.26), 0.6)), (_door(0.6, 0.6, 0.05, 1.4),), open=False,
        ),
        _fixture("sink_1", kitchen, (1.5, 1.6, 0), 0, (0.7, 0.5, 0.9), basin, (Region((0, 0, 0.62), (0.32, 0.21), 0.3),)),
        _fixture(
            "faucet_1", kitchen, (1.5, 1.8, 0.9), 0, (0.1, 0.1, 0.2), _lit((0.06, 0.06, 0.2), 0.1), parent=Parent("sink_1", ON), on=False
        ),
        _fixture(
            "microwave_1", kitchen, (-1.4, -1.6, 0), 180, (0.6, 0.5, 1.2), (*_shell(0.6, 0.5, 0.8, 1.2), *_lit((0.2, 0.1, 0.1), 1.25)),
            (Region((0, 0, 0.82), (0.27, 0.22), 0.35),), (_door(0.6, 0.5, 0.8, 1.2),), open=False, on=False,
        ),
        _fixture(
            "oven_1", kitchen, (0.0, -1.6, 0), 180, (0.7, 0.6, 0.9), (*_shell(0.7, 0.6, 0.1, 0.88), *_top(0.7, 0.6, 0.02)),
            (Region((0, 0, 0.12), (0.3, 0.25), 0.7),), (_door(0.7, 0.6, 0.1, 0.88),), open=False, on=False,
        ),
        _fixture(
            "burner_1", kitchen, (0.15, -1.6, 0.88), 180, (0.3, 0.3, 0.03), _lit((0.3, 0.3, 0.02), 0.01),
            (Region((0, 0, 0.02), (0.1, 0.1), 0.3),), parent=Parent("oven_1", ON), on=False,
        ),
        _fixture("table_1", living, (4.12, 1.5, 0), 0, (1.2, 0.7, 0.75), _top(1.2, 0.7, 0.75), (_surface(1.2, 0.7, 0.75),), level=0.75),
        _fixture(
            "drawer_1", living, (5.3, 1.6, 0), 0, (0.7, 0.5, 0.8), (*_shell(0.7, 0.5, 0.3, 0.8),),
            (Region((0, 0, 0.38), (0.27, 0.2), 0.25, rides=True),), (slide,), level=0.5, open=True,
        ),
        _fixture("desk_1", living, (4.12, -1.6, 0), 180, (1.2, 0.6, 0.75), _top(1.2, 0.6, 0.75), (_surface(1.2, 0.6, 0.75),), level=0.75),
        _fixture(
            "laptop_1", living, (4.4, -1.65, 0.75), 180, (0.3, 0.22, 0.25), _lit((0.3, 0.22, 0.02), 0.01),
            panels=(Panel("hinge", (1, 0, 0), (0, 0.1, 0.02), -100.0, (lid,)),), parent=Parent("desk_1", ON), level=0.75,
            open=False, on=False,
        ),
    ]  # fmt: skip


def thing(thing_id: str, parent: Parent, at: Vec, solid: Part, holds: Region | None = None, **attributes: bool) -> ThingSpec:
    """A thing that is its own collision solid, red where sliced, dirty, filled or broken."""
    x, y, z = solid.size if solid.shape == "box" else (solid.size[0], solid.size[0], solid.size[-1])
    look = Part(solid.shape, solid.size, rgb=(0.2, 0.7, 0.3), solid=False)
    if holds is not None:  # only its floor is drawn, so that one sees what is in it
        look = Part(solid.shape, (*solid.size[:-1], 0.004), (0, 0, holds.centre[2] - 0.004), (0.2, 0.7, 0.3), solid=False)
    marks = tuple(Part("box", (x * 0.8, y * 0.8, 0.005), (0, 0, z + 0.003 * k), _RED, solid=False, when=a) for k, a in enumerate(_MARKS))
    category = thing_id.rpartition("_")[0]
    radius = max(x, y) if solid.shape != "box" else (x * x + y * y) ** 0.5
    return ThingSpec(thing_id, category, parent, at, 0.0, "green", 1.0, (look, *marks), solid, 0.3, radius, z, attributes, holds)


_MARKS = ("sliced", "dirty", "filled", "broken")
BOWL = (Part("cylinder", (0.09, 0.035)), Region((0, 0, -0.025), (0.055, 0.055), 0.06))
PLATE = (Part("cylinder", (0.12, 0.011)), Region((0, 0, 0.011), (0.08, 0.08), 0.01))
MUG = (Part("cylinder", (0.045, 0.05)), Region((0, 0, -0.04), (0.028, 0.028), 0.09))
BOX = (Part("box", (0.16, 0.13, 0.07)), Region((0, 0, -0.06), (0.14, 0.11), 0.13))
KNIFE = Part("box", (0.11, 0.015, 0.008))
APPLE = Part("sphere", (0.04,))
PHONE = Part("box", (0.035, 0.07, 0.006))


def _things() -> list[ThingSpec]:
    counter, table = Parent("counter_1", ON), Parent("table_1", ON)
    return [
        thing("bowl_1", counter, (-1.7, 1.5, 0.937), *BOWL),
        thing("knife_1", counter, (-1.4, 1.45, 0.91), KNIFE),
        thing("apple_1", counter, (-1.1, 1.5, 0.942), APPLE),
        thing("apple_2", Parent("fridge_1", IN), (0.7, 1.6, 0.752), APPLE),
        thing("mug_1", Parent("counter_2", ON), (-0.5, 1.5, 0.952), *MUG, dirty=True),
        thing("mug_2", Parent("counter_2", ON), (-0.1, 1.5, 0.952), *MUG),
        thing("plate_1", table, (3.8, 1.4, 0.763), *PLATE),
        thing("box_1", table, (4.4, 1.45, 0.822), *BOX),
        thing("phone_1", Parent("box_1", IN), (4.4, 1.45, 0.77), PHONE),
        thing("bowl_2", Parent("drawer_1", IN), (5.3, 1.2, 0.417), *BOWL),
        thing("egg_1", Parent("bowl_2", IN), (5.3, 1.2, 0.42), Part("sphere", (0.025,))),
        thing("ball_1", Parent("desk_1", ON), (3.8, -1.5, 0.812), Part("sphere", (0.06,))),
    ]


def plain_house() -> HouseSpec:
    """A kitchen and a living room side by side, joined by a doorway."""
    rooms = []
    for room_id, x in (("kitchen_1", 0.0), ("livingroom_1", 4.12)):
        views = tuple(
            Viewpoint((x + sx * 1.8, sy * 1.8, 2.2), (x - sx * 0.1, -sy * 0.1, 0.1)) for sx, sy in ((-1, -1), (1, 1), (1, -1), (-1, 1))
        )
        rooms.append(RoomSpec(room_id, room_id.rpartition("_")[0], (x, 0.0), (4.0, 4.0), (0.9, 0.9, 0.8), (0.5, 0.4, 0.3), views))
    door = Doorway(("kitchen_1", "livingroom_1"), (2.06, 0.0), "y")
    return HouseSpec(-1, tuple(rooms), tuple(_fixtures()), tuple(_things()), (door,))
