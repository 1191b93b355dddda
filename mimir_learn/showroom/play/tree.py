"""World memory as a tree a person can read: rooms, what stands in them, what is in or on that, and what has no known place."""

from __future__ import annotations

from typing import Any

from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import Kind


def tree(memory: WorldMemory) -> list[dict[str, Any]]:
    """Top-level nodes: the hand, every room, and ``?`` with what has no known place.

    A node has ``id``, ``kind``, ``relation`` to its parent, ``states`` (what is true of it, ``!`` before what is not), ``doubt``, ``seen``
    (step it was last seen at, None for never), ``alternatives`` (other places it might be at) and ``children``.
    """
    entities = memory.belief().entities
    rooms = [i for i, b in sorted(entities.items()) if b.entity.kind is Kind.ROOM]
    lost = [i for i, b in sorted(entities.items()) if b.entity.kind is Kind.OBJECT and b.parent is None]
    top = [_node(memory, "hand"), *(_node(memory, r) for r in rooms)]
    if lost:
        unknown = {"id": "?", "kind": "unknown", "relation": "", "states": [], "doubt": False, "seen": None, "alternatives": []}
        top.append({**unknown, "children": [_node(memory, i) for i in lost]})
    return top


def _node(memory: WorldMemory, entity_id: str) -> dict[str, Any]:
    entity = memory.entity(entity_id)
    parent = memory.parent(entity_id)
    facts = (
        {} if entity is None or entity_id == "hand" else {a: memory.fact(entity_id, a) for a in memory.vocabulary.spec(entity).attributes}
    )
    known = {a: f for a, f in facts.items() if f is not None}
    return {
        "id": entity_id,
        "kind": "hand" if entity is None else entity.kind.value,
        "relation": "" if parent is None else parent.relation.value,
        "states": [a if f.value else f"!{a}" for a, f in sorted(known.items()) if f.value or f.evidence.source != "presumed"],
        "doubt": any(f.doubt is not None for f in known.values()),
        "seen": memory.last_seen(entity_id),
        "alternatives": [str(h.parent) for h in memory.unresolved(entity_id)],
        "children": [_node(memory, child) for child in memory.children(entity_id)],
    }


def lines(memory: WorldMemory, *, everything: bool = False) -> list[str]:
    """The tree as indented text; places that hold nothing and have no state are left out unless ``everything`` is asked for."""
    out: list[str] = []
    for node in tree(memory):
        _write(node, 0, everything, out)
    return out


def _write(node: dict[str, Any], depth: int, everything: bool, out: list[str]) -> None:
    told = [s for s in node["states"] if not s.startswith("!")]
    if not (everything or depth == 0 or node["children"] or told or node["kind"] == "object"):
        return
    relation = f"{node['relation']} " if depth > 1 and node["relation"] else ""
    doubts = f" (perhaps {', '.join(node['alternatives'])})" if node["alternatives"] else ""
    out.append("  " * depth + relation + node["id"] + (f": {', '.join(told)}" if told else "") + doubts)
    for child in node["children"]:
        _write(child, depth + 1, everything, out)
