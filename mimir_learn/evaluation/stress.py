"""``mimir doctor --household``: chance acts in houses under every fault suite, and after each action the world must be in order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from mimir_learn.errors import ConfigError

SHOWN = 20  # violations printed in full


@dataclass(frozen=True)
class SuiteReport:
    """What happened under one fault suite: actions, how many claimed success, how many were refused, faults struck, violations."""

    suite: str
    actions: int
    accepted: int
    refused: int
    faults: int
    kinds: int
    problems: tuple[str, ...]


def suites_of(text: str) -> tuple[str, ...]:
    """``all``, or names separated by commas. Raises ConfigError for an unknown one."""
    from mimir_learn.envs.household.faults import FAULT_SUITES

    names = tuple(FAULT_SUITES) if text.strip() == "all" else tuple(n.strip() for n in text.split(",") if n.strip())
    if unknown := [n for n in names if n not in FAULT_SUITES]:
        raise ConfigError(f"doctor.faults names {', '.join(unknown)}; give all, or some of {', '.join(FAULT_SUITES)} separated by commas")
    if not names:
        raise ConfigError("doctor.faults is empty; give all, or names of fault suites")
    return names


def houses_of(number: int) -> tuple[int, ...]:
    """Seeds of so many houses, a third of them test houses, which have floor plans and things of their own."""
    from mimir_learn.envs.household.generate import HELD_OUT_FROM

    held_out = number // 3
    return (*range(number - held_out), *range(HELD_OUT_FROM, HELD_OUT_FROM + held_out))


def run(suites: Sequence[str], houses: Sequence[int], actions: int, seed: int, *, progress: bool = True) -> Iterator[SuiteReport]:
    """A report per suite; its ``actions`` are shared out over the houses. A house whose simulation ends in an error has a violation."""
    from mimir_learn.envs.household.checker import stress

    with tqdm(total=actions * len(suites), unit="action", desc="household", disable=None if progress else True) as bar:
        for suite in suites:
            done, accepted, refused, struck, problems = 0, 0, 0, Counter[str](), list[str]()
            for i, house in enumerate(houses):
                share = actions // len(houses) + (i < actions % len(houses))
                if not share:
                    continue
                try:
                    report = stress([house], share, [suite], seed=seed)
                except Exception as e:  # whatever it is, the other houses are still to be looked at, and this one is not in order
                    problems.append(f"house {house}, {suite}: {type(e).__name__}: {e}")
                    bar.update(share)
                    continue
                done, accepted, refused = done + report.actions, accepted + report.accepted, refused + report.refused
                struck.update(report.faults)
                problems += report.problems
                bar.update(share)
            yield SuiteReport(suite, done, accepted, refused, struck.total(), len(struck), tuple(problems))


def stress_household(faults: str, houses: int, actions: int, seed: int) -> int:
    """Run it and print a table. 1 when anything was out of order, else 0."""
    started = time.process_time()
    reports = list(run(suites_of(faults), houses_of(houses), actions, seed))
    print("\n".join(table(reports)))
    total = sum(len(r.problems) for r in reports)
    print(
        f"{sum(r.actions for r in reports)} actions in {houses} houses, {time.process_time() - started:.0f} s of CPU, seed {seed}: ", end=""
    )
    print("everything in order" if not total else f"{total} violations")
    return 1 if total else 0


def table(reports: Iterable[SuiteReport]) -> list[str]:
    """The lines of the report: a row per suite, then the violations."""
    reports = list(reports)
    out = [f" {'suite':10s}{'actions':>9s}{'success':>9s}{'refused':>9s}{'faults':>8s}{'kinds':>7s}{'violations':>12s}"]
    for r in reports:
        row = (r.actions, r.accepted, r.refused, r.faults, r.kinds, len(r.problems))
        out.append(f" {r.suite:10s}" + "".join(f"{v:>{w}d}" for v, w in zip(row, (9, 9, 9, 8, 7, 12), strict=True)))
    problems = [p for r in reports for p in r.problems]
    out += [f"   {p}" for p in problems[:SHOWN]]
    if len(problems) > SHOWN:
        out.append(f"   and {len(problems) - SHOWN} more")
    return out
