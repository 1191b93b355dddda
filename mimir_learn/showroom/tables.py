"""The tables of ``docs/household.md``, read from the code: ``python -m mimir_learn.showroom.tables docs/household.md`` renews them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from mimir_learn.envs.household import generate_rooms, generate_things, layouts
from mimir_learn.envs.household import layouts_large as large
from mimir_learn.envs.household.faults import FAULT_SUITES, KINDS, FaultRates
from mimir_learn.envs.household.reports import _DONE, _FAILED, _REFUSALS, Report, render
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.envs.household.wares import LINES
from mimir_learn.symbols import ATTRIBUTES, Kind

_MARK = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its cells as they are."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def houses() -> str:
    """The chances that houses are drawn with."""
    low, high = generate_things._PER_ROOM
    few, some = generate_things._PER_HALL
    rows = [
        ("rooms", "; ".join(f"{n}: {_percent(p)}" for n, p in enumerate(layouts._HOW_MANY, 1))),
        ("floor plans", ", ".join(layouts.PLANS) + "; test houses: " + ", ".join(layouts.HELD_OUT_PLANS)),
        ("of 7–12 rooms, when asked for", ", ".join(large.LARGE_PLANS) + "; test houses: " + ", ".join(large.HELD_OUT_LARGE_PLANS)),
        ("things asked for in a room, in a hall", f"{low}–{high}, {few}–{some}; one that finds no room is left out"),
        ("of a category one, two or three", " / ".join(map(_percent, generate_things._COPIES))),
        ("where such things usually are", _percent(generate_things._USUAL)),
        ("tried in or on another thing first", _percent(generate_things._NESTED)),
        ("in test houses, of a held-out shape or colour", _percent(generate_things._NOVEL)),
        *((f"{a} at the start, where it can be", _percent(p)) for a, p in generate_things._STATES.items()),
        *((f"a fixture that can be is {a} at the start", _percent(p)) for a, p in generate_rooms._CHANCE.items()),
    ]
    return markdown(("drawn", "share or number"), rows)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def fixtures() -> str:
    """Places and devices: how they hold things, which states they have, other names."""
    rows = []
    for c in VOCABULARY.categories.values():
        if c.kind in (Kind.RECEPTACLE, Kind.FIXTURE):
            rows.append((f"`{c.name}`", c.relation.value if c.relation else "", ", ".join(c.attributes), _helps(c.name), _also(c.synonyms)))
    return markdown(("category", "holds things", "states", "makes possible", "also called"), rows)


def things() -> str:
    """Movable things: how they hold others, which states they have, shapes, held-out shapes, other names."""
    rows = []
    for c in VOCABULARY.categories.values():
        if c.kind is Kind.OBJECT:
            line = LINES[c.name]
            name = f"`{c.name}`" + (" (" + _helps(c.name) + ")" if c.tool_for else "")
            rows.append(
                (
                    name, c.relation.value if c.relation else "", _attributes(c.attributes), ", ".join(line.shapes),
                    ", ".join(line.held_out_shapes), _also(c.synonyms),
                )
            )  # fmt: skip
    return markdown(("category", "holds things", "states (derived ones in italics)", "shapes", "held-out shapes", "also called"), rows)


def _helps(category: str) -> str:
    return ", ".join(VOCABULARY.spec(category).tool_for)


def _also(synonyms: Sequence[str]) -> str:
    return ", ".join(synonyms)


def _attributes(names: Sequence[str]) -> str:
    return ", ".join(n if ATTRIBUTES[n].visible else f"*{n}*" for n in names)


def rules() -> str:
    """The causal rules."""
    rows = []
    for rule in VOCABULARY.rules:
        state = f"{rule.attribute} is {str(rule.value).lower()}"
        needs = "".join(f", {a} is {str(v).lower()}" for a, v in rule.requires)
        rows.append((f"`{rule.category}`", state + needs, rule.effect, ", ".join(rule.clears)))
    return markdown(("while a", "has", "what is in or on it becomes", "and no longer"), rows)


def sentences(table: Mapping[str, Sequence[str]], ok: bool) -> str:
    """Sentences of one kind in the three styles; O is a thing or device (with ``go to`` and ``look``, a place), P a place, W where O is."""
    rows = []
    for code in table:
        report = Report(ok, code, "O", "P", "dance" if code == "nonsense" else "in", "W")
        rows.append(tuple(render(report, style).text for style in ("plain", "alfred", "habitat")))
    return markdown(("`plain`", "`alfred`", "`habitat`"), rows)


_STRIKES = {
    "slip": "a pick", "wrong_instance": "a pick", "drop": "a `go to` with something in the hand", "beside": "a put", "stuck":
    "open, close, turn on, turn off, slice", "exogenous": "any step, refused ones too", "partial": "an open", "unfilled":
    "a fill, a pour into a vessel", "breaks": "putting down or dropping what can break", "misplaced": "a put", "unplaced": "a put",
    "third_put": "the third put in a row at one place that does not come off", "camera": "pick, put, open, close",
}  # fmt: skip


def faults() -> str:
    """Rates of every fault kind: at level p, and in the suites."""
    one = FaultRates.level(0.1)
    rows = []
    for kind in (*KINDS, "silent"):
        at = getattr(one, kind)
        formula = _formula(kind, at)
        in_suites = [_rate(getattr(rates, kind)) for rates in FAULT_SUITES.values()]
        strikes = "of the faults that strike, exogenous ones aside" if kind == "silent" else _STRIKES[kind]
        rows.append((f"`{kind}`", strikes, formula, *in_suites))
    return markdown(("fault", "strikes", "level p", *(f"`{s}`" for s in FAULT_SUITES)), rows)


def _formula(kind: str, at: float) -> str:
    """The rate at level p as a share of p, checked at two levels; a constant where it does not depend on p."""
    other = getattr(FaultRates.level(0.2), kind)
    if abs(other - at) < 1e-12:
        return _rate(at)
    share = at / 0.1
    if abs(other - 0.2 * share) > 1e-12:
        raise ValueError(f"the rate of {kind} is not proportional to p; say so in the table")
    names = {1.0: "p", 0.75: "3p/4", 0.5: "p/2", 0.25: "p/4", 0.1: "p/10"}
    return names[round(share, 6)]


def _rate(value: float) -> str:
    return f"{value:.4g}" if value else "–"


TABLES: Mapping[str, Callable[[], str]] = {
    "houses": houses,
    "fixtures": fixtures,
    "things": things,
    "rules": rules,
    "faults": faults,
    "done": lambda: sentences(_DONE, True),
    "failed": lambda: sentences(_FAILED, False),
    "refused": lambda: sentences(_REFUSALS, False),
}


def renewed(text: str) -> str:
    """A page with every table between ``<!-- table: NAME -->`` and ``<!-- end -->`` as the code has it now."""
    return _MARK.sub(lambda m: m[1] + TABLES[m[2]]() + m[3], text)


def main(paths: Sequence[str]) -> int:
    """Renew the pages named."""
    for path in map(Path, paths):
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
