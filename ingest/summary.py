"""Compute the analysed part of a run's row: headline metrics, sizes of derived frames and findings."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import times_by_events
from analysis.aie.pace.pace import compute_pace
from analysis.aie.pace.record import pace_record
from analysis.derive import derivable, derive
from analysis.headline import headline
from analysis.memory.large_maps import has_large_maps, large_occupancy, memory_record
from analysis.results.numbers import result_numbers
from analysis.timeline.open_levels import hold_open_levels
from schema.contents import has_iterations, has_kernels
from schema.diagnostics import Diagnostic, findings_of, joined_findings
from schema.metrics import METRICS

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Summary:
    """Headline metrics by name, number of rows of each derived frame, and findings of the analysis.

    `pace` is the record of the pace of a capture (see `analysis.aie.pace.record`), else `None`.
    `memory` is the record of large memory maps (see `analysis.memory.large_maps`), else `None`, and
    `occupancy` their occupancy.
    """

    headline: dict[str, float | None]
    derived: dict[str, int]
    findings: list[Diagnostic]
    pace: dict[str, Any] | None = None
    memory: dict[str, Any] | None = None
    occupancy: pd.DataFrame | None = None


def summarise(frames: Mapping[str, pd.DataFrame], source: str) -> Summary:
    """Analyse a run with the default method.

    If the analysis fails, the run has an error finding, and all its numbers are `None`. Raises
    MemoryError if memory is insufficient, as the pages of such a run could not be drawn either.
    """
    try:
        return analyse(frames, source)
    except MemoryError:
        raise
    except Exception as error:  # the run is stored even if its analysis fails
        _LOG.debug("analysis of a run of %s", source, exc_info=True)
        message = f"the analysis failed, so there are no numbers: {type(error).__name__}: {error}"
        return Summary(
            dict.fromkeys(METRICS), {}, [Diagnostic("error", "analysis_failed", message)]
        )


def analyse(frames: Mapping[str, pd.DataFrame], source: str) -> Summary:
    """Analyse a run with the default method; errors of the analysis are left to the caller.

    A source without derived frames and kernels has only the named numbers of frame `results`. All
    other numbers are then `None`, without derived frames and findings.
    """
    names = derivable(source, frames)
    if not names and not has_kernels(frames):
        return Summary(dict.fromkeys(METRICS) | result_numbers(frames), {}, [])
    derived = derive(frames)
    joined = joined_findings(frames["diagnostics"], derived["diagnostics"])
    sizes = {name: len(derived[name]) for name in names if name in derived}
    known = {**frames, **derived, "diagnostics": joined}
    record = None
    if has_iterations(known):
        # the fit of the waiting times takes longest: metrics and pace share it
        # The page holds open levels to the end of their track, so both get the same parts.
        events = hold_open_levels(known["events"], known["tracks"])
        times = times_by_events(known["iterations"], known["kernels"], events)
        known["iteration_parts"] = times.parts
        pace = compute_pace(times, known["iterations"])
        if pace is not None:
            record = pace_record(pace, times.parts["waiting"].to_numpy(np.int64))
    findings = findings_of(derived["diagnostics"])
    summary = Summary(headline(known), sizes, findings, record)
    if not has_large_maps(known):
        return summary
    return replace(
        summary, memory=memory_record(derived), occupancy=large_occupancy(frames, derived)
    )
