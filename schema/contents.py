"""Tests of what a run contains, by the names of its frames.

The analysis and the capabilities use them in place of the run's source.
"""

from __future__ import annotations

from collections.abc import Collection

_NAMING = frozenset({"kernels", "programs", "contexts"})


def has_iterations(frames: Collection[str]) -> bool:
    """Whether the frames are those of an AIE capture, whose kernels are grouped into iterations."""
    return "iterations" in frames


def has_kernels(frames: Collection[str]) -> bool:
    """Whether the frames contain executions of kernels."""
    return "kernels" in frames


def has_named_kernels(stored: Collection[str]) -> bool:
    """Whether the stored frames are those of a profile, which has names of kernels."""
    return not _NAMING.isdisjoint(stored)


def has_memory_maps(frames: Collection[str]) -> bool:
    """Whether the frames contain memory maps: attempts, memory levels or devices with blocks."""
    return "attempts" in frames
