"""Arm specs: what they mean, and what is refused."""

from __future__ import annotations

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import Arm, parse_arm, parse_arms


@pytest.mark.parametrize(
    ("spec", "arm"),
    [
        ("learned", Arm("learned", "learned", "learned", 0.2)),
        ("none/privileged", Arm("none/privileged", "none", "privileged", 0.2)),
        ("privileged@0", Arm("privileged_no_fault", "privileged", "privileged", 0.0)),
        ("schema@0.4", Arm("schema@0.4", "schema", "schema", 0.4)),
        ("schema@rough", Arm("schema@rough", "schema", "schema", "rough")),
        ("text@none", Arm("text_no_fault", "text", "text", "none")),
        ("noisy(0.1)/text@0.3", Arm("noisy(0.1)/text@0.3", "noisy(0.1)", "text", 0.3)),
    ],
)
def test_specs(spec: str, arm: Arm) -> None:
    assert parse_arm(spec, 0.2) == arm


@pytest.mark.parametrize(
    "spec", ["", "oracle", "learned(2)", "noisy", "noisy(2)", "noisy(x)", "none/", "a/b/c", "text@x", "text@1.5", "text@nan"]
)
def test_bad_specs_are_refused(spec: str) -> None:
    with pytest.raises(ConfigError):
        parse_arm(spec, 0.2)


def test_names_are_unique() -> None:
    with pytest.raises(ConfigError, match="named twice"):
        parse_arms(["text", "text"], 0.2)
    with pytest.raises(ConfigError, match="no sources"):
        parse_arms([], 0.2)
