"""Compute the derived frames of a run from its stored frames, its settings and the method."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping
from types import MappingProxyType

import pandas as pd

from analysis.memory.other_capacity import CAPACITY, with_capacity, without_capacity
from schema.choices import METHODS
from schema.diagnostics import joined_findings
from schema.frames import Frames, conform
from schema.run_settings import with_overrides
from schema.sources import source_of

ANALYSIS_VERSION = "17"
"""Version of all metrics in the catalogue.

An ingest analyses a run again if the run was analysed by an older version. Change it with any
stored number, also of frames `iterations`, `kernel_totals` and `attempts`, which monthly files have.
"""

_NONE: Mapping[str, str] = MappingProxyType({})
_MEMORY_FRAMES = ("attempts", "allocations")


def derivable(source: str, stored: Collection[str]) -> tuple[str, ...]:
    """List the names of the frames that `derive` adds, except run and diagnostics.

    They depend on the run's source (see `schema.sources`) and on the names of its stored frames; ()
    for a source without derived frames.
    """
    return source_of(source).derives + (_MEMORY_FRAMES if "allocations" in stored else ())


def derive_compared(
    frames: Frames, overrides: Mapping[str, str] = _NONE
) -> dict[str, pd.DataFrame]:
    """Derive the frames that a comparison of runs needs, as a dict by name.

    It holds frame run (after overrides), for captures also kernels and iterations, and for runs
    with allocations all memory frames, by method robust. Raises ValueError (one sentence) for a bad
    override.
    """
    row = with_overrides(frames["run"].iloc[0].to_dict(), overrides)
    names = derivable(str(row["source"]), frames)
    derived: dict[str, pd.DataFrame] = {}
    if "iterations" in names:
        from analysis.aie.derive import derive_iterations  # noqa: PLC0415 - of captures alone

        derived |= derive_iterations(frames, row)
    if "allocations" in names:
        from analysis.memory.derive import derive_memory  # noqa: PLC0415 - of memory maps alone

        derived |= derive_memory(frames, METHODS[0])
    return derived | {"run": conform("run", pd.DataFrame([row]) if overrides else frames["run"])}


def derive(
    frames: Frames,
    method: str = "robust",
    overrides: Mapping[str, str] = _NONE,
    memory: Frames | None = None,
) -> dict[str, pd.DataFrame]:
    """Derive frame run (after overrides), the frames that `derivable` names and diagnostics, as a
    dict by name.

    `frames` holds the stored frames. A capture also gets `reference_iterations`, by either method.
    The override `capacity` of a run with a memory map is that of frame `attempts`. `memory` holds
    the derived frames of the memory maps if they are stored; else they are computed. Raises
    ValueError (one sentence) for an unknown method or a bad override.
    """
    if method not in METHODS:
        raise ValueError(f"method {method}: expected one of {', '.join(METHODS)}")
    if CAPACITY in overrides and "allocations" in frames:
        attempts = with_capacity(frames["attempts"], overrides[CAPACITY])
        frames = ChainMap({"attempts": attempts}, frames)  # type: ignore[arg-type]
        overrides = without_capacity(overrides)
    stored_run = frames["run"]
    row = with_overrides(stored_run.iloc[0].to_dict(), overrides)
    derived: dict[str, pd.DataFrame] = {}
    findings: list[pd.DataFrame] = []
    names = derivable(str(row["source"]), frames)
    if "iterations" in names:
        from analysis.aie.derive import derive_capture  # noqa: PLC0415 - of captures alone

        derived |= derive_capture(frames, row, method)
        findings.append(derived["diagnostics"])
    if "allocations" in names:
        from analysis.memory.derive import derive_memory  # noqa: PLC0415 - of memory maps alone

        derived |= derive_memory(frames, method) if memory is None else memory
        findings.append(derived["diagnostics"])
    run = pd.DataFrame([row]) if overrides else stored_run
    return derived | {"run": conform("run", run), "diagnostics": joined_findings(*findings)}
