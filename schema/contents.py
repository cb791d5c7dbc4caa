"""Recognise the contents of a run by the names of its frames.

The analysis and the capabilities use these functions in place of the run's source.
"""

from __future__ import annotations

from collections.abc import Collection

_NAMING = frozenset({"kernels", "programs", "contexts"})


def has_iterations(frames: Collection[str]) -> bool:
    """Whether frame `iterations` is among the frames of these names: kernels are grouped into
    iterations, which only an AIE capture has.
    """
    return "iterations" in frames


def has_kernels(frames: Collection[str]) -> bool:
    """Whether frame `kernels` (executions of kernels) is among the frames of these names."""
    return "kernels" in frames


def has_named_kernels(stored: Collection[str]) -> bool:
    """Whether the source names its kernels, as profiles do: `kernels`, `programs` or `contexts` is
    among the names of the stored frames (an AIE capture stores none of the three).
    """
    return not _NAMING.isdisjoint(stored)


def has_memory_maps(frames: Collection[str]) -> bool:
    """Whether frame `attempts` is among the frames of these names: memory maps of attempts, memory
    levels or devices.
    """
    return "attempts" in frames


def has_design(stored: Collection[str]) -> bool:
    """Whether frames of these names hold the design of an AIE array."""
    return "design_tiles" in stored


def has_results(stored: Collection[str]) -> bool:
    """Whether frames of these names hold the named numbers of a file of results."""
    return "results" in stored


def has_allocator_memory(frames: Collection[str]) -> bool:
    """Whether frames of these names hold the memory of a caching allocator: its blocks get their
    addresses while the program runs, so they are not a plan.
    """
    return has_memory_maps(frames) and "device_memory" in frames
