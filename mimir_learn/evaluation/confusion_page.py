"""The page and the picture of `mimir confusions`: tables of what is read as what, and frames of the biggest confusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from mimir_learn.estimator.metrics import Atom
from mimir_learn.evaluation import blocks
from mimir_learn.evaluation.blocks import Block, plain
from mimir_learn.evaluation.confusion import ConfusionConfig, Confusions, Wrong, fact_rows, sightings
from mimir_learn.evaluation.confusion_classes import CLASSES, TOO
from mimir_learn.evaluation.page import part, write_page
from mimir_learn.evaluation.strips import data_uri
from mimir_learn.evaluation.viewer import atom_text

FRAME_PX = 256
_BOX = (255, 176, 32)
_PICTURED, _SIDE_BY_SIDE = 5, 3


def write_report(found: Confusions, config: ConfusionConfig, path: Path) -> Path:
    """One self-contained page; returns ``path``."""
    n, exact = len(found.readings), sum(r.exact for r in found.readings)
    out_of_view = sum(all(x.before == x.after == 0 for x in w.looks) for w in found.wrong)
    not_offered = sum(any(not x.offered for x in w.looks) for w in found.wrong)
    cards = [
        {"value": f"{100 * exact / n:.1f} %", "label": f"exact Δ, of {n} transitions", "lead": True},
        {"value": str(n - exact), "label": "transitions read wrongly", "lead": False},
        {"value": str(out_of_view), "label": "of them: nothing of it in either frame", "lead": False},
        {"value": str(not_offered), "label": "of them: about something that was no candidate", "lead": False},
    ]
    groups = [_group(i, pair, of, config.examples) for i, (pair, of) in enumerate(found.pairs()[: config.shown])]
    context = {
        "title": "What is read as what",
        "checkpoint": config.checkpoint,
        "log": config.log,
        "split": config.split,
        "cards": cards,
        "matrix": matrix(found),
        "faults": _faults(found),
        "facts": _facts(found),
        "groups": groups,
        "rest": len(found.pairs()) - len(groups),
        "examples": config.examples,
        "viewer_style": part("confusion.css"),
    }
    write_page("confusion.html.j2", context, path)
    return path


def matrix(found: Confusions) -> dict[str, Any]:
    """Rows: true classes that occur; columns: classes read; cells: how many transitions, and of the diagonal how many are wrong."""
    counts = Counter((r.true, r.read) for r in found.readings)
    wrong = Counter((r.true, r.read) for r in found.readings if not r.exact)
    names = sorted({c for pair in counts for c in pair}, key=_rank)
    true, read = ([c for c in names if any(p[k] == c for p in counts)] for k in (0, 1))
    most = max(wrong.values(), default=1)
    rows = []
    for t in true:
        cells = []
        for r in read:
            n, bad = counts[t, r], wrong[t, r]
            cells.append({"n": n, "bad": bad, "same": t == r, "heat": round(0.12 + 0.6 * bad / most, 3) if bad else 0.0})
        rows.append({"name": t, "n": sum(c["n"] for c in cells), "cells": cells})
    return {"head": read, "rows": rows}


def _rank(name: str) -> tuple[int, bool]:
    return CLASSES.index(name.removesuffix(TOO)), name.endswith(TOO)


def _faults(found: Confusions) -> Block:
    rows = []
    for fault, n in Counter(r.fault for r in found.readings).most_common():
        of = [r for r in found.readings if r.fault == fault]
        worst = Counter((r.true, r.read) for r in of if not r.exact).most_common(3)
        said = "; ".join(f"{k} × {t} → {r}" for (t, r), k in worst)
        exact = sum(r.exact for r in of)
        cells = [str(n), f"{100 * exact / n:.1f}", str(n - exact), said]
        rows.append(blocks.row(fault.replace("_", " "), [plain(c) for c in cells]))
    return blocks.table(["fault", "transitions", "exact Δ, %", "wrong", "most often"], rows)


def _facts(found: Confusions) -> Block:
    rows = []
    for r in fact_rows(found):
        numbers = [str(r["n"]), str(r["of"]) if r["of"] else "–", *(str(r[k]) for k in ("in_before", "in_after", "in_neither", "offered"))]
        parents = f"{r['parent_offered']} of {r['parents']}" if r["parents"] else "–"
        rows.append(blocks.row(f"{r['kind']}: {r['true']} → {r['read']}", [plain(t) for t in (*numbers, parents)]))
    head = ["true → read", "facts", "of all so true", "in the frame before", "after", "in neither", "candidate", "true place a candidate"]
    note = "where: the place of a thing; the other kinds are states. What is in neither frame cannot be read off them."
    return blocks.table(head, rows, note)


def _group(number: int, pair: tuple[str, str], of: Sequence[Wrong], most: int) -> dict[str, Any]:
    looks = [x for w in of for x in w.looks]
    s = sightings(looks)
    faults = Counter(w.reading.fault for w in of).most_common()
    parents = [x.parent_offered for x in looks if x.parent_offered is not None]
    said = f"{len(looks)} wrong facts: {s['in_before']} of their entities are in the frame before, {s['in_after']} in the one after, "
    said += f"{s['in_neither']} in neither; {s['offered']} were candidates"
    said += f", and so were {sum(parents)} of {len(parents)} true places" if parents else ""
    return {
        "id": f"confusion-{number}",
        "true": pair[0],
        "read": pair[1],
        "n": len(of),
        "faults": ", ".join(f"{f.replace('_', ' ')} {n}" for f, n in faults),
        "said": said + ".",
        "examples": [_example(w) for w in telling(of, most)],
    }


def telling(of: Sequence[Wrong], most: int) -> list[Wrong]:
    """Those in which there was something to see first, and the surest first among them."""

    def rank(w: Wrong) -> tuple[bool, float, str, int]:
        return (all(x.before == x.after == 0 for x in w.looks), -w.confidence, w.episode, w.step)

    return sorted(of, key=rank)[:most]


def _example(w: Wrong) -> dict[str, Any]:
    true = set(w.true)
    return {
        "command": w.command,
        "fault": "" if w.reading.fault == "none" else w.reading.fault.replace("_", " "),
        "where": f"{w.episode}, step {w.step}",
        "about": w.about,
        "moving": w.moving,
        "images": [
            {"src": data_uri(_boxed(frame, box)), "alt": f"{when} the action", "label": when}
            for when, frame, box in zip(("before", "after"), w.frames, w.boxes, strict=True)
        ],
        "crops": [
            {"src": None if crop is None else data_uri(crop), "alt": f"{w.about}, {when}", "label": f"{w.about}, {when}: {_px(w, k)}"}
            for k, (when, crop) in enumerate(zip(("before", "after"), w.crops, strict=True))
        ],
        "true": [[atom_text(a), "good" if _read(w, a) else "miss"] for a in w.true] or [["no change", ""]],
        "read": [[f"{atom_text(a)} ({p:.2f})" if np.isfinite(p) else atom_text(a), "good" if a in true else "bad"] for a, p in w.read]
        or [["no change", ""]],
        "confidence": f"{w.confidence:.2f}",
    }


def _read(w: Wrong, atom: Atom) -> bool:
    return any(a == atom for a, _ in w.read)


def _px(w: Wrong, frame: int) -> str:
    pixels = [(x.before, x.after)[frame] for x in w.looks if x.fact.entity == w.about]
    return f"{pixels[0]} pixels" if pixels and pixels[0] else "not to be seen"


def _boxed(frame: NDArray[np.uint8], box: tuple[float, float, float, float] | None) -> NDArray[np.uint8]:
    """(H, W, 3) → (FRAME_PX, FRAME_PX, 3) with the close-up's box drawn."""
    image = Image.fromarray(frame).resize((FRAME_PX, FRAME_PX), Image.Resampling.BICUBIC)
    if box is not None:
        ImageDraw.Draw(image).rectangle([round(x * (FRAME_PX - 1)) for x in box], outline=_BOX, width=2)
    return np.asarray(image)


def write_picture(found: Confusions, config: ConfusionConfig, path: Path) -> list[Path]:
    """The biggest confusions as one PNG, a row each: frames before and after; no file where nothing is confused."""
    groups = found.pairs()[:_PICTURED]
    if not groups:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    height = 2.75 * len(groups) + 0.5
    figure = plt.figure(figsize=(13, height), dpi=80, facecolor="white")
    room = {"left": 0.01, "right": 0.99, "top": 1 - 0.7 / height, "bottom": 0.05, "hspace": 0.42, "wspace": 0.06}
    grid = figure.add_gridspec(len(groups), 2 * _SIDE_BY_SIDE, **room)
    for i, (pair, of) in enumerate(groups):
        for j, w in enumerate(telling(of, _SIDE_BY_SIDE)):
            for k, (frame, box) in enumerate(zip(w.frames, w.boxes, strict=True)):
                ax = figure.add_subplot(grid[i, 2 * j + k])
                ax.imshow(_boxed(frame, box))
                ax.set_xticks([])
                ax.set_yticks([])
                if k == 0:
                    ax.set_title(w.command, fontsize=8, loc="left")
                    ax.set_xlabel("\n".join(_caption(w)), fontsize=7, loc="left")
        head = figure.add_subplot(grid[i, :])
        head.axis("off")
        head.text(0, 1.17, f"{pair[0]} → {pair[1]} ({len(of)})", fontsize=10, weight="bold", transform=head.transAxes)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return [path]


def _caption(w: Wrong) -> list[str]:
    return [
        f"true: {', '.join(atom_text(a) for a in w.true) or 'no change'}",
        f"read: {', '.join(f'{atom_text(a)} ({p:.2f})' for a, p in w.read) or 'no change'}",
    ]
