"""Names of series of numbers over time: the part that a panel shares, and the parts that differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from analysis.comparison.series import Series, SeriesKey
from components.numbers import integer, shorten


def product_text(*sizes: int | None) -> str:
    """Format sizes as `4×4`; "" if any of them is None or 0."""
    positive = [size for size in sizes if size]
    return "×".join(map(integer, positive)) if len(positive) == len(sizes) else ""


def panel_name(key: SeriesKey) -> str:
    """Return hwid and GEMM size of a key, such as `npu1 · 512×512×512`; only the known part, or the
    source if both are unknown.
    """
    return _panel_name(key.source, key.hwid, key.M, key.K, key.N)


@lru_cache(4096)
def _panel_name(source: str, hwid: str, *sizes: int | None) -> str:
    return " · ".join(filter(None, (shorten(hwid, 24), product_text(*sizes)))) or source


def heading_name(keys: Sequence[SeriesKey]) -> str:
    """Return the name of a panel whose series have the same hwid and size (see `panel_name`).

    "no hwid" if these are unknown and the series have different sources.
    """
    names = {panel_name(key) for key in keys}
    return names.pop() if len(names) == 1 else "no hwid"


def own_names(keys: Sequence[SeriesKey]) -> list[str]:
    """List the part of each series' name after hwid and size, in the order of `keys`, the keys of a
    panel.

    It has tile, grid of cores, data type and model if known, and source and tags if they differ; ""
    if it would be empty.
    """
    differing = [[key.source, shorten(key.tags, 24) or "no tags"] for key in keys]
    apart = [part for part in range(2) if len({each[part] for each in differing}) > 1]
    return [
        " · ".join(filter(None, (*_facts(key), *(each[part] for part in apart))))
        for key, each in zip(keys, differing, strict=True)
    ]


def _facts(key: SeriesKey) -> tuple[str, ...]:
    tile = product_text(key.m, key.k, key.n)
    grid = product_text(key.rows, key.cols)
    return (
        f"tile {tile}" if tile else "",
        f"{grid} cores" if grid else "",
        key.mac_dtype or "",
        shorten(key.name or "", 30),
    )


def series_names(series: Sequence[Series]) -> list[str]:
    """List the full name of each series in order: panel, then the part of `own_names`."""
    return key_names([curve.key for curve in series])


def key_names(keys: Sequence[SeriesKey]) -> list[str]:
    """List the full name of each key in order: panel, then the part of `own_names`."""
    names = position_names(keys, range(len(keys)))
    return [names[at] for at in range(len(keys))]


def position_names(keys: Sequence[SeriesKey], positions: Collection[int]) -> dict[int, str]:
    """Map `positions` in `keys` to the full names of these keys.

    A name has source and tags only if keys of the same panel differ in them, which depends on all
    `keys`.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        groups[panel_name(key)].append(at)
    names: dict[int, str] = {}
    for name in {panel_name(keys[at]) for at in positions}:
        own = own_names([keys[at] for at in groups[name]])
        names |= {
            at: f"{name} · {rest}" if rest else name
            for at, rest in zip(groups[name], own, strict=True)
        }
    return names
