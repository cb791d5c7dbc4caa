"""Tracks of tinygrad's timeline: their kinds and their order in its viewer."""

from __future__ import annotations

from collections.abc import Iterable, Set
from pathlib import PurePosixPath

from data_loaders.tinygrad.names import clean

_OWN_ROWS = {"GC": "gc", "USER": "user", "TINY": "compiler"}
COMPUTES = (
    "AMD",
    "CL",
    "CLANG",
    "CPU",
    "CUDA",
    "DSP",
    "GPU",
    "HIP",
    "LLVM",
    "METAL",
    "NULL",
    "NV",
    "QCOM",
    "WEBGPU",
)
"""Backends of tinygrad that compute."""
_HOLDS = ("NPY", "PYTHON", "REMOTE", "TINYFS")
"""Backends that only hold data."""
_BACKENDS = frozenset((*COMPUTES, *_HOLDS))
_RANK = {"GC": 0, "USER": 1, "TINY": 2, "DISK": 999}
"""Position of special tracks; devices are at `_OTHER_RANK`."""
_OTHER_RANK = 100


def row_order(name: str) -> tuple[int, str, str]:
    """Return a sort key (rank, device, name) for the name of a track.

    Ranks: 0 garbage collector, 1 user, 2 tinygrad, 100 devices with their graphs and engines, 999
    files.
    """
    parts = name.split(" ", maxsplit=1)[0].split(":")
    device = f"{parts[0]}:{parts[1]}" if len(parts) > 1 and parts[1].isdecimal() else parts[0]
    return _RANK.get(parts[0], _OTHER_RANK), device, name


def row_kind(name: str, graph: bool, devices: Set[str]) -> str:
    """Return the kind of a track: gc, user, compiler, device, graph, copy, disk, or `other` if its
    name is unknown.

    `graph`: whether it has graphs of kernels. `devices` are names that the capture proves to be
    devices.
    """
    base, *more = name.split(":")
    if name in _OWN_ROWS:
        return _OWN_ROWS[name]
    if graph:
        return "graph"
    if base == "DISK":
        return "disk"
    if "COPY" in more or "SDMA" in more:
        return "copy"
    return "device" if base in _BACKENDS or name in devices else "other"


def row_names(names: Iterable[str], strip: bool) -> list[str]:
    """Return the names of tracks as distinct texts, in the same order.

    A repeated name gets ` #2`, ` #3` ... If `strip`, a file's track has the file's name without its
    folder.
    """
    distinct: dict[str, None] = {}
    for name in names:
        base, _, path = name.partition(":")
        short = clean(f"{base}:{PurePosixPath(path).name}" if strip and base == "DISK" else name)
        unique = short
        count = 1
        while unique in distinct:
            count += 1
            unique = f"{short} #{count}"
        distinct[unique] = None
    return list(distinct)
