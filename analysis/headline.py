"""Compute the headline numbers of a run: a value per metric of the registry."""

from __future__ import annotations

import numpy as np

from analysis.results.numbers import result_numbers
from schema.contents import has_allocator_memory, has_iterations, has_kernels, has_memory_maps
from schema.frames import Frames
from schema.metrics import METRICS

Headline = dict[str, float | None]


def headline(frames: Frames, method: str = "robust") -> Headline:
    """Compute every metric of METRICS of a run, name -> number, from its stored frames and the
    frames that `derive` added; named numbers of frame `results` follow by their keys.

    `method` is the method of the derived frames. A metric is None if the run has no number for it,
    or if it is not finite.
    """
    numbers: Headline = {
        "findings": float(frames["diagnostics"]["severity"].isin(["error", "warning"]).sum())
    }
    numbers |= _family_numbers(frames, method)
    named = result_numbers(frames)
    return {name: _finite_or_none((numbers | named).get(name)) for name in METRICS} | named


def _family_numbers(frames: Frames, method: str) -> Headline:
    """Compute the numbers of the run's family.

    Only the modules of that family are imported: all families take as long as reading a small file.
    """
    if has_iterations(frames):
        from analysis.aie.headline import capture_headline  # noqa: PLC0415

        return capture_headline(frames, method)
    if has_kernels(frames):
        from analysis.kernels.headline import profile_headline  # noqa: PLC0415

        return profile_headline(frames)
    if has_allocator_memory(frames):
        from analysis.memory.allocator import allocator_headline  # noqa: PLC0415

        return allocator_headline(frames["attempts"], frames["device_memory"])
    if has_memory_maps(frames):
        from analysis.memory.headline import memory_headline  # noqa: PLC0415

        return memory_headline(frames["attempts"])
    return {}


def _finite_or_none(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
