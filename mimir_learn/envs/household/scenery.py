"""What of a house is in the picture: the rooms in view, things where they are, and parts that stand for a state."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from mimir_learn.errors import SymbolError

from .build import COLLISION, DRAWN, UNDRAWN, BuiltHouse


class Scenery:
    """The drawing state of one `BuiltHouse`: it alone decides which geoms are drawn and how bright a thing is where it is.

    At first every room is drawn, nothing is in any state and things belong to no room.
    """

    def __init__(self, built: BuiltHouse) -> None:
        self._built, self._model = built, built.model
        house = built.house
        self._slot = {room.id: i for i, room in enumerate(house.rooms)}
        self._doors = [tuple(self._slot[r] for r in door.rooms) for door in house.doorways]
        self._light = np.array([room.light for room in house.rooms])
        self._where_G = np.full(self._model.ngeom, len(self._slot) + len(self._doors))  # the last slot is always drawn
        for name, geoms in built.rooms.items():
            slot = self._slot.get(name)
            self._where_G[geoms] = len(self._slot) + int(name.removeprefix("/doorway")) if slot is None else slot
        self._rgb_G3 = self._model.geom_rgba[:, :3].copy()
        self._glow_G = np.zeros(self._model.ngeom)
        textured = self._model.geom_matid >= 0
        self._glow_G[textured] = self._model.mat_emission[self._model.geom_matid[textured]]
        self._shown_G = np.ones(self._model.ngeom, dtype=bool)
        self._solid_G = self._model.geom_group == COLLISION
        self._mask_S = np.ones(len(self._slot) + len(self._doors) + 1, dtype=bool)
        self._rows = {
            owner: (np.array([g for g, _, _ in rows]), [a for _, a, _ in rows], np.array([v for _, _, v in rows]))
            for owner, rows in built.when.items()
        }
        for entity in built.ids:
            self.show(entity, {})

    def show(self, entity_id: str, attributes: Mapping[str, bool]) -> None:
        """Draw exactly those parts of an entity whose `Part.when` holds under ``attributes``; one that is not given counts as False."""
        rows = self._rows.get(entity_id)
        if rows is None:
            return
        geoms, names, values = rows
        self._shown_G[geoms] = np.array([bool(attributes.get(name, False)) for name in names]) == values
        self._apply(geoms)

    def place_in(self, thing: str, room: str) -> None:
        """Draw a thing with a room, as bright as that room is. Raises SymbolError for a thing or room that the house has not."""
        if thing not in self._built.things or room not in self._slot:
            raise SymbolError(f"house {self._built.house.seed} has no thing {thing!r} or no room {room!r}")
        geoms, slot = self._built.things[thing].geoms, self._slot[room]
        if geoms.size == 0 or self._where_G[geoms[0]] == slot:
            return
        self._where_G[geoms] = slot
        share = self._light[slot] + (1 - self._light[slot]) * np.minimum(1.0, self._glow_G[geoms])
        self._model.geom_rgba[geoms, :3] = self._rgb_G3[geoms] * share[:, None]
        self._apply(geoms)

    def draw_only(self, rooms: Collection[str]) -> None:
        """Leave everything out of the picture that is in no room of ``rooms``; a door frame stays with either room.

        Raises SymbolError for a room that the house has not.
        """
        n = len(self._slot)
        mask = np.zeros_like(self._mask_S)
        for room in rooms:
            if room not in self._slot:
                raise SymbolError(f"house {self._built.house.seed} has no room {room!r}")
            mask[self._slot[room]] = True
        for k, pair in enumerate(self._doors):
            mask[n + k] = mask[list(pair)].any()
        mask[-1] = True
        if not np.array_equal(mask, self._mask_S):
            self._mask_S = mask
            self._apply(slice(None))

    def _apply(self, geoms: np.ndarray | slice) -> None:
        drawn = self._shown_G[geoms] & self._mask_S[self._where_G[geoms]]
        self._model.geom_group[geoms] = np.where(self._solid_G[geoms], COLLISION, np.where(drawn, DRAWN, UNDRAWN))
