"""Hand-made episode records for tests of aggregation and report: two arms whose right answers are known."""

from __future__ import annotations

import numpy as np

from mimir_learn.evaluation.arms import parse_arms
from mimir_learn.evaluation.records import Record
from mimir_learn.symbols import EMPTY, IN_HAND, Delta, Parent, ParentChange, Relation

ARMS = parse_arms(["privileged@0", "privileged", "learned", "schema", "none", "none/privileged"], 0.2)
TABLE = Parent("table_1", Relation.ON)
PICK = Delta([ParentChange("mug_1", TABLE, IN_HAND, 0.9)])
RIGHT = {"privileged_no_fault": 1.0, "privileged": 0.95, "learned": 0.9, "schema": 0.5, "none": 0.0, "none/privileged": 0.93}


def trace(true: Delta, estimate: Delta, fault: str = "") -> dict[str, object]:
    return {
        "verb": "pick",
        "command": "pick up mug_1",
        "goal": "g1",
        "success": True,
        "text": "You pick up mug_1.",
        "truth": true.to_json(),
        "judged": true.to_json(),
        "estimate": estimate.to_json(),
        "committed": estimate.to_json(),
        "held": EMPTY.to_json(),
        "confidence": 0.9,
        "p_success": 0.9,
        "known": ["table_1"],
        "unseen": [],
        "did": bool(true),
        "fault": fault,
        "judged_fault": fault,
        "judged_refused": False,
        "judged_moved": [],
        "deferred": False,
        "moved": [],
        "wrong": sorted(map(list, estimate.atoms - true.atoms)),
        "missed": [],
        "holds": [],
        "completed": [],
        "false_completions": [],
        "memory_f1": 1.0,
        "look_again": False,
    }


def records(tasks: int = 40, seeds: int = 1) -> list[Record]:
    out = []
    for arm in ARMS:
        rng = np.random.default_rng(1)
        for i in range(tasks):
            for seed in range(seeds):
                ok = bool(rng.random() < RIGHT[arm.name])
                estimate = PICK if arm.name != "none" else EMPTY
                steps = [trace(PICK, estimate), trace(EMPTY, PICK if arm.name == "schema" else EMPTY, "slip")]
                out.append(
                    {
                        "arm": arm.name,
                        "task": f"t{i:02d}",
                        "seed": seed,
                        "world_source": arm.world,
                        "kind": ("place", "toggle")[i % 2],
                        "subset": ("base", "spatial")[i % 2],
                        "novel": i % 4 == 0,
                        "instruction": "Put a mug on the table.",
                        "sr": ok,
                        "declared": arm.name != "none",
                        "declared_sr": ok,
                        "gc": float(ok),
                        "gc_end": float(ok),
                        "gc_ever": float(ok),
                        "steps": 2,
                        "steps_to_success": 2 if ok else None,
                        "invalid": 0,
                        "look_agains": 0,
                        "memory_precision": 0.9,
                        "memory_recall": 0.9,
                        "memory_f1": 0.9,
                        "memory_f1_end": None,
                        "memory_recall_seen": 0.8,
                        "committed": 4,
                        "held": int(arm.name == "learned"),
                        "wrong_writes": 2 * (arm.name == "schema"),
                        "untrue_writes": 0,
                        "missed_writes": 0,
                        "faults": 1,
                        "completions": int(arm.name != "none"),
                        "false_completions": int(arm.name != "none" and not ok),
                        "reruns": 0,
                        "trace": steps,
                    }
                )
    return out
