"""What the agent's two memories hold after one step, as plain JSON, for the report's episode viewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mimir_learn.agent import MimirAgent, StepRecord
from mimir_learn.memory import Candidate
from mimir_learn.symbols import Kind, Parent, Snapshot


def mind(step: StepRecord, agent: MimirAgent, truth: Snapshot) -> dict[str, Any]:
    """W_{t+1}, T_{t+1} and how the action came about.

    ``tree``: per movable thing [id, relation, parent, true attributes, who wrote the parent, alternatives, really there]; the last is
    None where memory names no place. ``agenda``: [goal id, status]. ``candidates``, as recalled: [id, parent, lexical, semantic,
    relational, visual].
    """
    return {
        "tree": _tree(agent, truth),
        "hand": agent.task.hand,
        "agenda": [[g.id, str(agent.task.status(g.id))] for g in agent.task.goals],
        "failed": len(agent.task.failed),
        "candidates": [_candidate(c) for c in step.candidates],
        "grounded": _grounded(step),
    }


def places(agent: MimirAgent) -> list[list[str]]:
    """[id, room] of every place, rooms left out: what the tree's things hang on."""
    return [[i, p.room] for i, p in sorted(agent.world.places.items()) if p.entity.kind is not Kind.ROOM]


def _tree(agent: MimirAgent, truth: Snapshot) -> list[list[Any]]:
    rows: list[list[Any]] = []
    records: Mapping[str, Any] = agent.world.to_dict()["records"]
    for entity_id, record in records.items():
        if record["entity"][2] != Kind.OBJECT.value:
            continue
        active = record["active"]
        relation, parent, source, there = "unknown", "?", "", None
        if active is not None:
            (parent, relation), source = active["parent"], active["evidence"][-1][2]
            there = truth.parents.get(entity_id) == Parent(parent, relation)
        attributes = [a for a, (value, *_) in record["facts"].items() if value]
        others = [f"{h['parent'][1]} {h['parent'][0]}" for h in record["alternatives"] if h["weight"] > 0]
        rows.append([entity_id, relation, parent, attributes, source, others, there])
    return rows


def _candidate(candidate: Candidate) -> list[Any]:
    support = candidate.support
    numbers = [round(float(x), 2) for x in (support.lexical, support.semantic, support.relational, support.visual)]
    return [candidate.entity, "" if candidate.parent is None else str(candidate.parent), *numbers]


def _grounded(step: StepRecord) -> dict[str, str] | None:
    g = step.grounded
    if g is None:
        return None
    return {"object": g.object, "parent": "" if g.parent is None else str(g.parent), "target": g.target or ""}
