"""The tables of a comparison as frames, for exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pandas as pd

from app.views.comparison.compile_time import NEEDS as COMPILE_NEEDS
from app.views.comparison.compile_time import compile_frame
from components.comparison.step_parts_table import part_rows
from services.comparison.data import CompareData
from services.run.capabilities import Capability


def numbers(data: CompareData) -> pd.DataFrame:
    """Return a frame with a row per number of the result: both values, change, interval and
    verdict.
    """
    return pd.DataFrame([row.record() for row in data.result.rows])


def setup(data: CompareData) -> pd.DataFrame:
    """Return the settings of both sides, a row each, also if they are equal, as text: key, base,
    new.
    """
    return pd.DataFrame(data.settings, columns=["key", "base", "new"]).astype("str")


def attribution(data: CompareData) -> pd.DataFrame:
    """Return the causes of the change: metric, key, what, where, amount, unit."""
    columns = ["metric", "key", "what", "where", "amount", "unit"]
    return pd.DataFrame([vars(cause) for cause in data.result.attribution], columns=columns)


def blocks(data: CompareData) -> pd.DataFrame:
    """Return the frame of the blocks that changed; without memory maps that have addresses, a frame
    without rows.
    """
    return data.blocks if data.can(Capability.ADDRESSES) else pd.DataFrame({"attempt": []})


def kernels(data: CompareData) -> pd.DataFrame:
    """Return the frame of the kernels of both sides; if the source does not name kernels, a frame
    without rows.
    """
    return (
        data.kernels
        if data.can(Capability.NAMED_KERNELS, Capability.KERNELS)
        else pd.DataFrame({"name": []})
    )


def parts(data: CompareData) -> pd.DataFrame:
    """Return the parts of a step, the reasons for idle time and the operators, a row each; if they
    are unknown, a frame without rows.
    """
    known = data.result.parts
    columns = ["kind", "name", "base", "new", "change"]
    return pd.DataFrame([] if known is None else part_rows(known), columns=columns)


TABLES: Mapping[str, Callable[[CompareData], pd.DataFrame]] = MappingProxyType(
    {
        "numbers": numbers,
        "setup": setup,
        "attribution": attribution,
        "blocks": blocks,
        "kernels": kernels,
        "parts": parts,
        "compile": compile_frame,
    }
)
"""Name of each table -> function that returns its rows."""
_NEEDS: Mapping[str, frozenset[Capability]] = MappingProxyType(
    {
        "blocks": frozenset({Capability.ADDRESSES}),
        "kernels": frozenset({Capability.NAMED_KERNELS, Capability.KERNELS}),
        "compile": COMPILE_NEEDS,
    }
)


def table_names(data: CompareData) -> list[str]:
    """Return the names of the tables that a comparison has, in the order of TABLES."""
    names = [name for name in TABLES if data.can(*_NEEDS.get(name, ()))]
    return names if data.result.parts is not None else [name for name in names if name != "parts"]
