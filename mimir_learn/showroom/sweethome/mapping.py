"""Which models of Sweet Home 3D stand for which categories of the household, chosen by eye.

Only categories whose looks carry no state are here: no doors, no lights, nothing that gets dirty, filled, cut or broken. What holds
things keeps them on one level, to which the model is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Use:
    """A model for a category, turned by ``turn`` degrees about the vertical."""

    model: str
    turn: int = 0


def _uses(prefix: str, *names: str, turn: int = 0) -> tuple[Use, ...]:
    return tuple(Use(f"{prefix}#{name}", turn) for name in names)


_0, _BY, _K, _S = "Blend Swap CC-0", "Blend Swap CC-BY", "Kator Legaz", "Scopia"

FURNITURE: Mapping[str, tuple[Use, ...]] = {
    "table": (
        *_uses(_0, "oakTable", "table"),
        *_uses(_BY, "table"),
        *_uses(_S, "table4", "white_kitchen_table", "wooden_office_pear_table", "round-table", "table-on-trestles", "black_table"),
    ),
    "coffee_table": (
        *_uses(_BY, "coffeeTable"),
        *_uses(_S, "coffee_table", "saloon_table", "coffee-table2", "living_room_table", "table_wood_and_iron", "rattanTable"),
    ),
    "side_table": (*_uses(_0, "bedsideTable2"), *_uses(_BY, "bedsideTable")),
    "desk": (*_uses(_BY, "biurko3", "simpleDesk", "officeTable"), *_uses(_S, "wooden_table_office", "kids_wooden_desk")),
    "sofa": (
        *_uses(_0, "sofa2", "couch", "winchesterSofa"),
        *_uses(_BY, "sofa3", "couch3"),
        *_uses(_K, "mid-century-sofa"),
        *_uses(_S, "clear_sofa", "simple_sofa", "leather_sofa", "burlap_sofa", "beige_sofa_2seats", "sofa_white_beige"),
    ),
    "armchair": (
        *_uses(_0, "armchair2", "modernArmchair", "winchesterArmchair"),
        *_uses(_BY, "armchair1", "armChair2", "fotel"),
        *_uses(_K, "mid-century-chair"),
        *_uses(_S, "armchair", "rattanArmchair"),
    ),
    "chair": (
        *_uses(_0, "oakChair", "plasticChair", "sillaBlanca", "antiqueChair", "chairWithCushion", "chair2", "osakaChair"),
        *_uses(_BY, "chair3", "chair4", "kitchenChair", "chairWithCushion", "plaidChair"),
        *_uses(_K, "dining-chair", "cafe-chair"),
        *_uses(_S, "chair", "white_kitchen_chair", "plastic_chair", "chair4"),
    ),
    "bed": (
        *_uses(_0, "bed1", "bed2", "bedWithTexture", turn=90),
        *_uses(_BY, "lettoCloud", turn=90),
        *_uses(_S, "bed1", "iron_bed", "captains-bed", turn=90),
    ),
    "toilet": (*_uses(_0, "toiletsUnit"), *_uses(_BY, "toilets_unit_jay_hardy", "modernToilet")),
    "tv_stand": _uses(_BY, "tvStand"),
}

THINGS: Mapping[str, tuple[Use, ...]] = {
    "book": _uses(_BY, "book", turn=90),
    "newspaper": _uses(_K, "newspaper"),
    "scissors": _uses(_0, "cissors_swap"),
    "hammer": _uses(_S, "marteau"),
    "screwdriver": _uses(_S, "tournevis"),
    "drill": _uses(_S, "perceuse-electrique"),
    "padlock": _uses(_0, "numberLock"),
    "tennis_racket": _uses(_0, "tennisRacket"),
    "ball": _uses(_BY, "ballonFoot"),
    "rubiks_cube": _uses(_BY, "rubix2"),
    "remote": _uses(_S, "tv-remote-control"),
    "watch": _uses(_S, "montre-with-pose"),
    "keys": _uses(_S, "keys"),
    "pen": _uses(_S, "pencil1", "pencil2"),
    "candle": _uses(_S, "complements2", "candle"),
    "toy": _uses(_BY, "carrito-de-madera", turn=90),
    "toy_airplane": _uses(_0, "cartoon_biplane"),
    "alarm_clock": _uses(_BY, "clock"),
}
