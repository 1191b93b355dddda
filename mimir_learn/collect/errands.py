"""Errands a household robot would run: plans of a few actions made from the true state and then carried out blindly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from mimir_learn.collect.config import PolicyConfig
from mimir_learn.collect.scene import Scene
from mimir_learn.symbols import ATTRIBUTES, Action, CausalRule, Kind, Verb

T = TypeVar("T")
_SET = {("open", True): Verb.OPEN, ("open", False): Verb.CLOSE, ("on", True): Verb.TOGGLE_ON, ("on", False): Verb.TOGGLE_OFF}


def switch(entity: str, attribute: str, value: bool) -> Action:
    """The action that sets ``open`` or ``on`` of an entity."""
    verb = _SET[attribute, value]
    return Action(verb, None, entity) if attribute == "open" else Action(verb, entity)


class Errands:
    """Draws errands; every choice comes from ``rng``. A plan that cannot be made here (no knife in the house) is a `carry` instead."""

    def __init__(self, config: PolicyConfig, rng: np.random.Generator) -> None:
        self._config, self._rng = config, rng

    def draw(self, scene: Scene) -> list[Action]:
        """One errand of a kind drawn by the shares of the config."""
        config, u = self._config, self._rng.random()
        for share, make in (
            (config.fiddle, self.fiddle), (config.stack, self.stack), (config.cut, self.cut), (config.pour, self.pour),
            (config.cause, self.cause), (config.gaze, self.gaze),
        ):  # fmt: skip
            if u < share:
                return make(scene) or self.carry(scene)
            u -= share
        return self.carry(scene)

    # --- kinds of errand

    def carry(self, scene: Scene) -> list[Action]:
        """Take a thing (or the one in the hand) to a place: its own, the floor, or another; often one that can break."""
        things = scene.of_kind(Kind.OBJECT)
        frail = [e for e in scene.having("broken", Kind.OBJECT) if not scene.has(e, "broken")]
        plan, thing, at = self._fetch(scene, self._near_or_any(scene, frail if frail and self._chance(0.5) else things))
        if plan and self._chance(0.15):  # with something in the hand, switch or open something on the way
            detour = self.fiddle(scene, detour=True)
            plan += detour
            at = next((a.receptacle for a in detour if a.verb is Verb.NAVIGATE), at)
        places = scene.of_kind(Kind.RECEPTACLE)
        target = self._pick(places)
        if at in places and self._chance(0.35):
            target = str(at)
        elif scene.twins and self._chance(0.5):
            target = self._pick(scene.twins)
        elif self._chance(0.08):
            target = self._pick(scene.of_kind(Kind.ROOM))
        return plan + self._put(scene, at, thing, target)

    def fiddle(self, scene: Scene, detour: bool = False) -> list[Action]:
        """Open and close, or switch, one thing a few times."""
        doors = self._chance(0.5)
        options = scene.openables if doors else scene.devices
        if not options:
            return [Action(Verb.LOOK)]
        target = str(scene.at) if scene.at in options and self._chance(0.5) else self._pick(options)
        plan = [Action(Verb.NAVIGATE, None, target)] if detour or target != scene.at else []
        attribute = "open" if doors else "on"
        for flip in range(int(self._rng.integers(1, 4))):
            plan.append(switch(target, attribute, scene.has(target, attribute) == (flip % 2 == 1)))
        return plan

    def stack(self, scene: Scene) -> list[Action]:
        """Put a thing into or onto a bowl, plate, box …; perhaps carry the full one away, perhaps take the thing out again."""
        vessels = [v for v in scene.vessels if v != scene.hand]
        if scene.hand is not None:
            vessels = [v for v in vessels if scene.fits(scene.hand, v)]
        if not vessels:
            return []
        vessel = self._near_or_any(scene, vessels)
        inside = [e for e in scene.of_kind(Kind.OBJECT) if vessel in scene.line(e)[1:]]
        if inside and scene.hand is None and self._chance(0.6):
            return self._empty(scene, vessel, self._pick(inside))
        others = [
            e for e in scene.of_kind(Kind.OBJECT) if e not in scene.line(vessel) and vessel not in scene.line(e) and scene.fits(e, vessel)
        ]
        if scene.hand is not None and scene.hand not in others:
            return []
        if not others:
            return []
        beside = [e for e in others if scene.place_of(e) == scene.place_of(vessel)]
        close = [e for e in others if scene.room_of(e) == scene.room_of(vessel)] or others
        close = beside if beside and self._chance(0.6) else close
        plan, thing, at = self._fetch(scene, self._pick(close))
        place = scene.place_of(vessel)
        plan += [*self._approach(scene, at, place), Action(Verb.PLACE, thing, vessel)]
        if self._chance(0.5):
            plan.append(Action(Verb.PICK, vessel))
            target = self._pick(scene.of_kind(Kind.RECEPTACLE)) if self._chance(0.7) else place
            plan += self._put(scene, place, vessel, target)
        elif self._chance(0.5):
            plan.append(Action(Verb.PICK, thing, vessel))
        return plan

    def cut(self, scene: Scene) -> list[Action]:
        """Slice things with a knife."""
        food = [e for e in scene.having("sliced", Kind.OBJECT) if not scene.has(e, "sliced") and e != scene.hand]
        knives = scene.tools(Verb.SLICE)
        if not food or not knives:
            return []
        plan: list[Action] = []
        at = scene.at
        if scene.hand not in knives:
            plan, at = self._drop_what_is_held(scene)
            knife = self._pick(knives)
            plan += [*self._approach(scene, at, scene.place_of(knife)), Action(Verb.PICK, knife)]
            at = scene.place_of(knife)
        for thing in self._some(food, 3):
            place = scene.place_of(thing)
            plan += [*self._approach(scene, at, place), Action(Verb.SLICE, thing)]
            at = place
        return plan

    def pour(self, scene: Scene) -> list[Action]:
        """Fill a vessel under a faucet, pour it into another or away."""
        vessels = [e for e in scene.having("filled", Kind.OBJECT) if not scene.has(e, "broken")]
        faucets, drains = scene.tools(Verb.FILL), scene.tools(Verb.POUR)
        if not vessels or not faucets:
            return []
        full = [v for v in vessels if scene.has(v, "filled")]
        if full and scene.hand not in vessels and self._chance(0.5):
            vessels = full
        vessel = scene.hand if scene.hand in vessels else self._near_or_any(scene, vessels)
        plan, vessel, at = self._fetch(scene, vessel) if scene.hand in (None, vessel) else self._swap(scene, vessel)
        if not scene.has(vessel, "filled"):
            faucet = self._pick(faucets)
            basin = scene.place_of(scene.holder(faucet)) if scene.parent(faucet) is not None else faucet
            stand = basin if self._chance(0.5) and not scene.is_room(basin) else faucet
            plan += [*self._approach(scene, at, stand), Action(Verb.FILL, vessel, faucet)]
            at = stand
        if self._chance(0.75):
            others = [v for v in scene.having("filled", Kind.OBJECT) if v != vessel and not scene.has(v, "broken")]
            targets = others if others and self._chance(0.6) else drains
            if targets:
                target = self._pick(targets)
                place = scene.place_of(target)
                plan += [*self._approach(scene, at, place), Action(Verb.POUR, vessel, target)]
                at = place
        return plan + (self._put(scene, at, vessel, self._pick(scene.of_kind(Kind.RECEPTACLE))) if self._chance(0.6) else [])

    def cause(self, scene: Scene) -> list[Action]:
        """Make one of the vocabulary's causal rules strike: heat, cool or clean a thing."""
        by_category: dict[str, list[str]] = {}
        for e in scene.entities.values():
            by_category.setdefault(e.category, []).append(e.id)
        rules = [r for r in scene.vocabulary.rules if r.category in by_category]
        rules = [r for r in rules if scene.having(r.effect, Kind.OBJECT)]
        if not rules:
            return []
        washing = [r for r in rules if any(scene.having(a, Kind.OBJECT) and ATTRIBUTES[a].visible for a in r.clears)]
        soiled = [e for e in scene.having("dirty", Kind.OBJECT) if scene.has(e, "dirty")]
        rule = self._pick(washing if washing and soiled and self._chance(0.5) else rules)
        machine = self._pick(sorted(by_category[rule.category]))
        holder = machine if scene.vocabulary.spec(rule.category).relation is not None else scene.holder(machine)
        if scene.is_room(holder):
            return []
        things = scene.having(rule.effect, Kind.OBJECT)
        undone = [e for e in things if any(scene.has(e, a) for a in rule.clears)]
        thing = self._pick(undone) if undone and self._chance(0.8) else self._near_or_any(scene, things)
        if scene.hand is not None:
            thing = scene.hand
        plan: list[Action] = []
        at = scene.at
        if holder not in scene.line(thing):
            plan, thing, at = self._fetch(scene, thing)
            plan += [*self._approach(scene, at, holder), Action(Verb.PLACE, thing, holder)]
        elif at != holder:
            plan = [Action(Verb.NAVIGATE, None, holder)]
        return plan + self._strike(scene, rule, machine, thing, bool(plan) and plan[-1].verb is Verb.PLACE)

    def gaze(self, scene: Scene) -> list[Action]:
        """Look up or down a few times, perhaps beyond what the neck allows, and look around."""
        verb = Verb.LOOK_UP if self._chance(0.5) else Verb.LOOK_DOWN
        return [Action(verb)] * int(self._rng.integers(1, 4)) + [Action(Verb.LOOK)] * int(self._chance(0.3))

    # --- pieces

    def _strike(self, scene: Scene, rule: CausalRule, machine: str, thing: str, opened: bool) -> list[Action]:
        """Bring about the rule's conditions, then undo them and perhaps take the thing out."""
        now = {a: scene.has(machine, a) for a in ("open", "on") if scene.applies(machine, a)}
        if opened and "open" in now:
            now["open"] = True  # whoever put something in has opened it
        steps = [(rule.attribute, not rule.value)] if now.get(rule.attribute) is rule.value else []
        steps += [*rule.requires, (rule.attribute, rule.value)]
        if rule.attribute == "on" and self._chance(0.8):
            steps.append(("on", False))
        if "open" in now and self._chance(0.6):
            steps.append(("open", True))
        plan = []
        for attribute, value in steps:
            if now.get(attribute) is not value:
                plan.append(switch(machine, attribute, value))
                now[attribute] = value
        return plan + ([Action(Verb.PICK, thing)] if self._chance(0.4) and now.get("open", True) else [])

    def _fetch(self, scene: Scene, thing: str) -> tuple[list[Action], str, str | None]:
        """(plan that ends with a thing in the hand, that thing, where the robot then is). What is held already is kept."""
        if scene.hand is not None:
            return [], scene.hand, scene.at
        source, holder = scene.place_of(thing), scene.holder(thing)
        plan = self._approach(scene, scene.at, source)
        if scene.is_room(source) and thing not in scene.here:
            plan.append(Action(Verb.NAVIGATE, thing))
        plan.append(Action(Verb.PICK, thing, holder if self._chance(0.5) else None))
        if source in scene.openables and self._chance(0.25):
            plan.append(Action(Verb.CLOSE, None, source))
        return plan, thing, source

    def _swap(self, scene: Scene, thing: str) -> tuple[list[Action], str, str | None]:
        """Put down what is held, then fetch another thing."""
        plan, at = self._drop_what_is_held(scene)
        source = scene.place_of(thing)
        return [*plan, *self._approach(scene, at, source), Action(Verb.PICK, thing)], thing, source

    def _drop_what_is_held(self, scene: Scene) -> tuple[list[Action], str | None]:
        if scene.hand is None:
            return [], scene.at
        places = scene.of_kind(Kind.RECEPTACLE)
        target = str(scene.at) if scene.at in places else self._pick(places)
        return self._put(scene, scene.at, scene.hand, target), target

    def _empty(self, scene: Scene, vessel: str, thing: str) -> list[Action]:
        """Take a thing out of a vessel and put it somewhere else, or carry both about."""
        place = scene.place_of(vessel)
        plan = self._approach(scene, scene.at, place)
        moved = thing if self._chance(0.5) else vessel
        plan.append(Action(Verb.PICK, moved, vessel if moved == thing and self._chance(0.5) else None))
        return plan + self._put(scene, place, moved, self._pick(scene.of_kind(Kind.RECEPTACLE)))

    def _put(self, scene: Scene, at: str | None, thing: str, target: str) -> list[Action]:
        plan = [*self._approach(scene, at, target), Action(Verb.PLACE, thing, target)]
        if target in scene.openables and self._chance(0.4):
            plan.append(Action(Verb.CLOSE, None, target))
        return plan

    def _approach(self, scene: Scene, at: str | None, place: str) -> list[Action]:
        plan = [] if at == place else [Action(Verb.NAVIGATE, None, place)]
        if scene.closed(place) and self._chance(0.93):
            plan.append(Action(Verb.OPEN, None, place))
        return plan

    def _near_or_any(self, scene: Scene, options: Sequence[str]) -> str:
        near = [e for e in scene.here if e in options]
        return self._pick(near if near and self._chance(0.7) else options)

    def _some(self, options: Sequence[str], most: int) -> list[str]:
        chosen = self._rng.permutation(len(options))[: int(self._rng.integers(1, most + 1))]
        return [options[int(i)] for i in chosen]

    def _chance(self, p: float) -> bool:
        return bool(self._rng.random() < p)

    def _pick(self, options: Sequence[T]) -> T:
        return options[int(self._rng.integers(len(options)))]
