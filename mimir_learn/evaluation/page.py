"""Renders a template of this room to one self-contained HTML file: styles and scripts inside, nothing from the network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from mimir_learn.evaluation.viewer import episodes


def write_page(template: str, context: Mapping[str, Any], path: Path) -> None:
    """Render ``template`` to ``path``. Raises OSError."""
    env = Environment(
        loader=PackageLoader("mimir_learn.evaluation"), autoescape=select_autoescape(["j2"], default=True), undefined=StrictUndefined,
        trim_blocks=False,
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    page = env.get_template(template).render({"page_style": part("page.css"), **context})
    path.write_text(page, encoding="utf-8")


def viewer(strips: Sequence[Mapping[str, Any]]) -> dict[str, Markup]:
    """Data, script and style of the episode viewer; empty data where no episode was filmed."""
    data = inline(episodes(strips)) if strips else Markup("")
    return {"viewer_data": data, "viewer_script": script("viewer.js"), "viewer_style": part("viewer.css")}


def inline(body: Any) -> Markup:
    """JSON for a script element; no `<` in it can end that."""
    return Markup(json.dumps(body, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


def part(name: str) -> Markup:
    """A style or script of this room."""
    return Markup(resources.files("mimir_learn.evaluation").joinpath("templates", name).read_text(encoding="utf-8"))


def script(name: str) -> Markup:
    """A script of this room, after what all of them share."""
    return part("make.js") + part(name)
