"""Recognise the contents of a run by the names of its frames.

The analysis and the capabilities use these functions in place of the run's source.
"""

from __future__ import annotations

from collections.abc import Collection

_NAMING = frozenset({"kernels", "programs", "contexts"})


def has_iterations(frames: Collection[str]) -> bool:
    """Whether kernels are grouped into iterations: the frames belong to an AIE capture."""
    return "iterations" in frames


def has_kernels(frames: Collection[str]) -> bool:
    """Whether the frames contain executions of kernels."""
    return "kernels" in frames


def has_named_kernels(stored: Collection[str]) -> bool:
    """Whether the source names its kernels: the stored frames belong to a profile."""
    return not _NAMING.isdisjoint(stored)


def has_memory_maps(frames: Collection[str]) -> bool:
    """Whether the frames contain memory maps: attempts, memory levels or devices with blocks."""
    return "attempts" in frames
