"""What EmbodiedBench's categories, skills and predicates are called here, and which of them have no counterpart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.envs.household.tasks import KINDS
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import ATTRIBUTES, Kind, Relation, Verb

FILE = Path("data/mapping/embodiedbench.json")
SIDES = {"eb_alfred": "EB-ALFRED", "eb_habitat": "EB-Habitat"}
_KNOWN = {
    "categories": frozenset(VOCABULARY.categories),
    "receptacles": frozenset(VOCABULARY.categories),
    "skills": frozenset(v.value for v in Verb),
    "predicates": frozenset({f"attribute:{a}" for a in ATTRIBUTES} | {f"relation:{r.value}" for r in Relation} | {"condition:here"}),
    "task types": frozenset({*KINDS, "several"}),
}


def load_mapping(path: Path = FILE) -> dict[str, dict[str, dict[str, Any]]]:
    """{side: {section: {their name: {"to": our names, "note": …}}}}; an empty ``to`` means that there is no counterpart.

    Raises ConfigError for a name on our side that does not exist.
    """
    try:
        mapping: dict[str, dict[str, dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise ConfigError(f"{path} is no mapping of categories: {e}") from e
    for side, sections in mapping.items():
        for section, rows in sections.items():
            for name, row in rows.items():
                if unknown := set(row["to"]) - _KNOWN[section]:
                    raise ConfigError(
                        f"{path}: {side}, {section}: {name!r} maps to {', '.join(sorted(unknown))}, which the household has not"
                    )
    return mapping


def without_counterpart(mapping: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Our categories and skills that neither benchmark has."""
    used = {s: {x for side in mapping.values() for x in _all(side, s)} for s in ("categories", "receptacles", "skills")}
    places = used["categories"] | used["receptacles"]
    ours = [c for c, spec in VOCABULARY.categories.items() if spec.kind is not Kind.ROOM]
    return {"categories": [c for c in ours if c not in places], "skills": [v.value for v in Verb if v.value not in used["skills"]]}


def _all(side: Mapping[str, Mapping[str, Any]], section: str) -> set[str]:
    return {x for row in side.get(section, {}).values() for x in row["to"]}


def page(mapping: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """docs/mapping.md, from the data."""
    out = [
        "# EmbodiedBench's words and ours",
        "",
        "What EB-ALFRED's and EB-Habitat's categories, skills and predicates are called here, and which have no counterpart (—).",
        f"The same table for programs: `{FILE.as_posix()}`; this page is made from it (`python -m mimir_learn.evaluation.mapping`).",
        "",
    ]
    for side, title in SIDES.items():
        for section, rows in mapping[side].items():
            missing = sum(not r["to"] for r in rows.values())
            out += [f"## {title}: {section}", "", f"{len(rows)}, of which {missing or 'none'} without counterpart.", ""]
            out += [f"| {title} | here | |", "|---|---|---|"]
            out += [f"| {name} | {', '.join(f'`{t}`' for t in row['to']) or '—'} | {row.get('note', '')} |" for name, row in rows.items()]
            out.append("")
    own = without_counterpart(mapping)
    out += [
        "## What only the household has",
        "",
        f"Categories: {', '.join(own['categories'])}.",
        "",
        f"Skills: {', '.join(own['skills'])}.",
        "",
    ]
    return "\n".join(out)


if __name__ == "__main__":
    Path("docs/mapping.md").write_text(page(load_mapping()), encoding="utf-8")
