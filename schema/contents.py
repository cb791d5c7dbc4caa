"""What the frames of a run hold, by their names: what analysis and capabilities ask instead of the source."""

from __future__ import annotations

from collections.abc import Collection

_NAMING = frozenset({"kernels", "programs", "contexts"})


def has_iterations(frames: Collection[str]) -> bool:
    """Return whether kernels are grouped into iterations: the frames are a capture of an array."""
    return "iterations" in frames


def has_kernels(frames: Collection[str]) -> bool:
    """Return whether there are executions of kernels."""
    return "kernels" in frames


def has_named_kernels(stored: Collection[str]) -> bool:
    """Return whether the source names its kernels, by the stored frames: it is a profile."""
    return not _NAMING.isdisjoint(stored)


def has_memory_maps(frames: Collection[str]) -> bool:
    """Return whether there are attempts, levels or devices with blocks."""
    return "attempts" in frames
