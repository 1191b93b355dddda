"""Whether a `World` is in order, and a stress test that looks after thousands of random actions under every fault suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mimir_learn.symbols import HAND, IN_HAND, Kind, Percept, Relation

from .build import DRAWN, MOVING, UNDRAWN
from .faults import FAULT_SUITES, FaultRates
from .nesting import outline_of
from .spec import HouseSpec, Viewpoint
from .vocabulary import VOCABULARY
from .world import AJAR, World

_SINK = 0.03  # metres a thing may stand in the floor: contacts are soft
_AT_ARM = 2.0  # metres from the eye within which the hand is


def check_world(world: World, view: Viewpoint | None = None) -> list[str]:
    """Everything that is out of order in a world at rest, in words; empty when all is well.

    Looked at: finite numbers, nothing below the floor or outside the house, exactly one parent for every thing that geometry confirms
    (contents inside their holders, so), no circles, what is carried or inside a thing touches nothing, complete attributes, doors and
    drawers where ``open`` says, drawn parts as the attributes say; with ``view``, the held thing at arm's length before it.
    """
    problems = _numbers(world) or _tree(world)
    if problems:  # nothing else can be trusted
        return problems
    return [*_relations(world), *_places(world, view), *_touch(world), *_attributes(world), *_panels(world), *_drawn(world)]


def _numbers(world: World) -> list[str]:
    data = world.bodies.data
    fields = {"qpos": data.qpos, "qvel": data.qvel, "xpos": data.xpos, "xmat": data.xmat}
    out = [f"{name} has NaN or infinite values" for name, values in fields.items() if not np.isfinite(values).all()]
    return out + (["something is still moving"] if not out and data.qvel.any() else [])


def _tree(world: World) -> list[str]:
    if set(world.parents) != set(world.specs):
        return [f"not every thing has a parent: {sorted(set(world.specs) ^ set(world.parents))}"]
    out = []
    for thing in world.specs:
        chain, at = set(), thing
        while at in world.parents and at not in chain:
            chain.add(at)
            at = world.parents[at].id
        if at in chain:
            out.append(f"{thing} is, in the end, inside itself")
    return out


def _relations(world: World) -> list[str]:
    out = []
    in_hand = [t for t, p in world.parents.items() if p == IN_HAND]
    if in_hand != ([] if world.held is None else [world.held]):
        out.append(f"the hand holds {world.held}, but in hand are {in_hand}")
    useless = {t for t in world.specs if world.attributes.get((t, "broken"), False)}
    found = world.regions.parents(world.bodies.points(), world.bodies.gaps, world.bodies.rotations(), useless)
    for thing, seen in zip(world.specs, found, strict=True):
        said = world.parents.get(thing)
        if thing != world.held and said != seen:
            out.append(f"{thing} is said to be {said}, but lies {seen or 'where nothing can be'}")
        if said is not None and said.id in world.specs and world.holds(said.id) is not said.relation:
            out.append(f"{thing} is {said}, which holds nothing so")
    return out


def _places(world: World, view: Viewpoint | None) -> list[str]:
    out = []
    for thing, spec in world.specs.items():
        position = world.position(thing)
        if outline_of(spec.solid, position, world.bodies.rotation(thing)).low < -_SINK or position[2] < 0:
            out.append(f"{thing} is below the floor: {position.round(3)}")
        carried = world.room_of(thing) == HAND.id
        if not carried and world.regions.room_at(position) is None:
            out.append(f"{thing} is outside every room: {position.round(3)}")
        if carried and view is not None and np.linalg.norm(position - np.asarray(view.eye)) > _AT_ARM:
            out.append(f"{thing} is carried, but far from the hand: {position.round(3)}")
    return out


def _touch(world: World) -> list[str]:
    out = []
    for thing in world.specs:
        index = world.built.things[thing]
        free = world.parents[thing].relation is not Relation.HELD and world.parents[thing].id not in world.specs
        touches = int(world.model.geom_contype[index.solid]), int(world.model.geom_conaffinity[index.solid])
        floats = float(world.model.body_gravcomp[index.body])
        if (touches, floats) != (((MOVING, MOVING), 0.0) if free else ((0, 0), 1.0)):
            out.append(f"{thing}, {world.parents[thing]}, {'does not fall or touch' if free else 'falls or touches'}")
    return out


def _attributes(world: World) -> list[str]:
    out = []
    wanted = {
        (e.id, a) for e in world.house.entities.values() if e.kind not in (Kind.ROOM, Kind.HAND) for a in VOCABULARY.spec(e).attributes
    }
    if set(world.attributes) != wanted:
        out.append(f"attributes missing or not applicable: {sorted(set(world.attributes) ^ wanted)}")
    out += [f"{e}.{a} is {v!r}" for (e, a), v in world.attributes.items() if not isinstance(v, bool)]
    spilt = [e for (e, a), v in world.attributes.items() if a == "broken" and v and world.attributes.get((e, "filled"), False)]
    return out + [f"{e} is broken and still filled" for e in spilt]


def _panels(world: World) -> list[str]:
    out = []
    for fixture in world.fixtures:
        gap, stands = world.bodies.gaps[fixture], world.attributes.get((fixture, "open"), False)
        if gap not in (0.0, AJAR, 1.0) or stands is not (gap == 1.0):
            out.append(f"{fixture}: open is {stands}, but it stands open by {gap:.2f}")
        for qpos, _, travel in world.built.panels[fixture]:
            if abs(world.data.qpos[qpos] - gap * travel) > 1e-9:
                out.append(
                    f"{fixture}: a door or drawer is at {world.data.qpos[qpos]:.3f} of {travel:.3f}, it should be at {gap:.2f} of it"
                )
    return out


def _drawn(world: World) -> list[str]:
    out = []
    groups = world.model.geom_group
    for entity, rows in world.built.when.items():
        conditional = {geom for geom, _, _ in rows}
        number = world.built.ids.index(entity)
        always = [g for g in np.flatnonzero(world.built.geom_entity == number) if g not in conditional and groups[g] in (DRAWN, UNDRAWN)]
        for geom, attribute, value in rows:
            holds = world.attributes.get((entity, attribute), False) is value
            if not holds and groups[geom] == DRAWN:
                out.append(f"{entity}: a part for {attribute} = {value} is drawn")
            if holds and always and groups[geom] != groups[always[0]]:
                out.append(f"{entity}: a part for {attribute} = {value} is not drawn with the rest")
    return out


@dataclass(frozen=True)
class StressReport:
    """What a stress test met.

    Attributes:
        actions: commands given. accepted: those whose flag claimed success. refused: those not even tried.
        faults: fault kind → how often it struck. problems: what `check_world` found, with house, suite and command.
    """

    actions: int
    accepted: int
    refused: int
    faults: Mapping[str, int]
    problems: tuple[str, ...] = field(default=())

    @property
    def sound(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        struck = ", ".join(f"{k} {n}" for k, n in sorted(self.faults.items()))
        head = f"{self.actions} actions, {self.accepted} claimed to succeed, {self.refused} refused; faults: {struck or 'none'}"
        return "\n".join([head, *self.problems[:20]] + ([f"and {len(self.problems) - 20} more"] if len(self.problems) > 20 else []))


def stress(
    house_seeds: Sequence[int], actions: int, faults: Sequence[str | FaultRates] = tuple(FAULT_SUITES), seed: int = 0, image_size: int = 64
) -> StressReport:
    """Random legal and illegal actions, the world checked after each; ``actions`` are shared out over suites and houses.

    Args:
        house_seeds: houses to run in, one after the other and in turn, so that kept ones are reset to.
        faults: suites of `faults.FAULT_SUITES`, or rates.
        seed: fixes commands and faults.
        image_size: of the robot's frames, pixels.
    """
    from .env import HouseholdConfig, HouseholdEnv  # which needs a way to draw

    runs = [(h, f) for f in faults for h in house_seeds]
    shares = [actions // len(runs) + (i < actions % len(runs)) for i in range(len(runs))]
    struck: Counter[str] = Counter()
    problems: list[str] = []
    accepted = refused = 0
    env = HouseholdEnv(HouseholdConfig(image_size=image_size, max_steps=max(1, actions)))
    for k, ((house_seed, suite), share) in enumerate(zip(runs, shares, strict=True)):
        name, rates = (suite, FaultRates.suite(suite)) if isinstance(suite, str) else ("own rates", suite)
        rng = np.random.default_rng([seed, k, house_seed, *name.encode()])
        env.reset(seed=int(rng.integers(2**31)), options={"house_seed": house_seed, "faults": rates})
        skills = env._running()
        problems += [f"house {house_seed}, at the start: {p}" for p in check_world(skills.world)]
        for _ in range(share):
            command = random_command(env.visible_entities(), skills.world.house, skills.world.held, rng)
            info = env.step(command)[4]
            accepted += info["success"]
            refused += info["feedback"].startswith("Refused")
            if skills.fault:
                struck[skills.fault] += 1
            problems += [f"house {house_seed}, {name}, {command!r}: {p}" for p in check_world(skills.world, skills.stance.view)]
    env.close()
    return StressReport(actions, accepted, refused, dict(struck), tuple(problems))


def random_command(percept: Percept, house: HouseSpec, held: str | None, rng: np.random.Generator) -> str:
    """One line of text: mostly what makes sense with what is in view, at times anything at all."""
    places, things = [p.entity.id for p in house.places], [t.id for t in house.things]

    def any_of(options: Sequence[str]) -> str:
        return options[int(rng.integers(len(options)))] if options else "nothing_0"

    if rng.random() < 0.15:
        x, p = any_of(things + places), any_of(things + places)
        forms = (
            "go to {x}",
            "pick up {x}",
            "pick up {x} from {p}",
            "put {x} at {p}",
            "open {x}",
            "close {x}",
            "turn on {x}",
            "turn off {x}",
        )
        more = ("slice {x}", "fill {x} at {p}", "pour {x} into {p}", "look", "look up", "look down", "wait", "dance with {x}", "")
        return any_of(forms + more).format(x=x, p=p)
    seen = {s.entity.id: s for s in percept.sightings if s.entity.id != held}
    at = percept.at or any_of(places)
    fixed = [e for e, s in seen.items() if s.entity.kind is not Kind.OBJECT]
    movable = [e for e in seen if e not in fixed]
    holders = [e for e in movable if VOCABULARY.spec(seen[e].entity).relation is not None]
    options = [f"go to {any_of(places)}"] * 2 + [f"go to {any_of(movable or places)}", any_of(("look", "look up", "look down"))]
    for entity in (e for e in fixed if e == at or rng.random() < 0.15):
        for attribute, (make, undo) in {"open": ("open", "close"), "on": ("turn on", "turn off")}.items():
            if attribute in seen[entity].attributes:
                options += [f"{undo if seen[entity].attributes[attribute] else make} {entity}"] * 2
    if held is None:
        return any_of(options + [f"pick up {any_of(movable)}"] * (6 if movable else 0))
    options += [f"put {held} at {at}"] * 3 + ([f"put {held} at {any_of(holders)}"] * 3 if holders else [])
    spec = VOCABULARY.spec(house.entities[held])
    if "slice" in spec.tool_for:
        options += [f"slice {e}" for e in movable if "sliced" in seen[e].attributes] * 3
    if "filled" in spec.attributes:
        vessels = [e for e in movable if "filled" in seen[e].attributes]
        options += [f"fill {held} at {any_of(fixed)}"] + [f"fill {held} at {e}" for e in fixed if e.startswith("faucet")] * 3
        options += [f"pour {held} into {e}" for e in (at, *vessels)]
    return any_of(options)
