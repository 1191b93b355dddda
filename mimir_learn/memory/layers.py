"""`Layers`: a big mapping and the few entries that differ from it, so that a frozen view of memory costs what has changed, no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

V = TypeVar("V")


class Layers(Mapping[str, V]):
    """Read-only. ``top`` overrides ``base`` and adds to it; iterates like the dict both would make: base in its order, then what is new.

    The two are kept, not copied: whoever builds one must not change them afterwards.
    """

    __slots__ = ("_base", "_fresh", "_top")

    def __init__(self, base: Mapping[str, V], top: Mapping[str, V]) -> None:
        self._base, self._top = base, top
        self._fresh = tuple(k for k in top if k not in base)

    def __getitem__(self, key: str) -> V:
        return self._top[key] if key in self._top else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._top or key in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from self._fresh

    def __len__(self) -> int:
        return len(self._base) + len(self._fresh)
