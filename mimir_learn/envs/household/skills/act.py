"""One command after the other, each carried out, reported, and perhaps followed by what somebody else does."""

from __future__ import annotations

import numpy as np

from mimir_learn.symbols import Outcome

from ..commands import Command, parse
from ..exogenous import strike
from ..faults import FaultDice
from ..reports import Report, render
from ..stance import Eyes, Stance
from ..world import World
from .handling import pick, put
from .liquids import fill, pour
from .moving import go, look, tilt
from .robot import Robot
from .switching import cut, move_panel, toggle


class Skills:
    """Carries out commands in a `World`. ``fault`` and ``moved`` tell what went wrong in the last one."""

    def __init__(self, world: World, dice: FaultDice, eyes: Eyes, style: str = "plain") -> None:
        self.world = world
        self.dice = dice
        self.rng: np.random.Generator = dice.rng
        self.moved: tuple[str, ...] = ()
        self._eyes = eyes
        self._style = style
        rooms = world.house.rooms
        room = rooms[int(self.rng.integers(len(rooms)))]
        self.robot = Robot(world, dice, eyes, dice.rng, Stance(room.id, room.id, room.viewpoints, overview=True))

    @property
    def fault(self) -> str:
        """Kind of fault that struck the last command, "" for none."""
        return self.robot.fault

    @property
    def stance(self) -> Stance:
        return self.robot.stance

    def act(self, text: str) -> Outcome:
        """One command, then perhaps an exogenous change. Never raises for what the text says."""
        self.robot.fault, self.moved = "", ()
        command = parse(text)
        report = Report(False, "nonsense", word=text) if command is None else self._do(command)
        if self.dice.hits("exogenous"):
            handled = _handled(command)
            self.moved = strike(self.world, self.stance, self._eyes, handled, self.rng)
            if self.moved:
                self.robot.struck("exogenous")
        return render(report, self._style)

    def _do(self, c: Command) -> Report:
        me = self.robot
        for name in (c.x, c.p):
            if name and not me.may_exist(name):
                return Report(False, "nothing_there", x=name)
        match c.verb:
            case "wait":
                return Report(True, "waited")
            case "look":
                return look(me)
            case "look up" | "look down":
                return tilt(me, c.verb == "look up")
            case "go":
                return go(me, c.x)
            case "pick":
                return pick(me, c.x, c.p)
            case "put":
                return put(me, c.x, c.p)
            case "open" | "close":
                return move_panel(me, c.x, c.verb == "open")
            case "slice":
                return cut(me, c.x)
            case "fill":
                return fill(me, c.x, c.p)
            case "pour":
                return pour(me, c.x, c.p)
        return toggle(me, c.x, c.verb == "turn on")


def _handled(command: Command | None) -> tuple[str, ...]:
    """What a command has put down, switched or changed."""
    if command is None or command.verb in ("go", "pick"):
        return ()
    return (command.x, command.p) if command.verb == "pour" else (command.x,)
