"""Loader for memory snapshots of PyTorch (`torch.cuda.memory._dump_snapshot`).

The files are pickles of plain values, also gzip. To unpickle is to run code, so this process only
examines the first bytes, and `child` reads the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.memory_settings import memory_settings
from data_loaders.protocol import LoadedRun, LoadError, Settings, SingleFileLoader
from data_loaders.reading.files import read_head
from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.reading.result_folder import read_result
from data_loaders.reading.run_names import known_place, name_columns, with_name
from data_loaders.reading.scratch import scratch_folder
from schema.sources import source_of

_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_KEYS = (b"segments", b"device_traces")
# In files of PyTorch 2.1 to 2.10 the keys are within the first 200 bytes.
_LOOK_BYTES = 400
_SUFFIXES = (".gz", ".pickle", ".pkl")
_TOOL_STEMS = frozenset({"snapshot", "memory_snapshot", "memory"})
"""Stems of the examples of PyTorch, under which the folder identifies the program."""
_ALWAYS = ("attempts", "allocations")
"""Frames that are stored even when they are empty."""


class TorchSnapshotLoader(SingleFileLoader):
    """Loads memory snapshots of PyTorch's caching allocator without executing their content."""

    name = "torch_snapshot"
    reads = "memory snapshots of PyTorch, as torch.cuda.memory._dump_snapshot writes them"
    setting_names = source_of("torch_snapshot").settings
    version = "4"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def with_limits(self, limits: Limits) -> TorchSnapshotLoader:
        """Return a loader with these limits for its child processes."""
        return TorchSnapshotLoader(limits)

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is a pickle that begins with segments or device traces.

        Otherwise return the reason of the rejection.
        """
        return _refusal(head)

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a snapshot in a child process.

        Raises LoadError if it is refused, exceeds its limits or has no readable device, or a
        setting is invalid.
        """
        options = memory_settings(settings)
        if not _PICKLE.match(read_head(path, 2)):
            raise LoadError(f"{path}: {_refusal(b'')}")
        try:
            with scratch_folder() as folder:
                arguments = [str(folder), self._limits.text(), str(path.absolute())]
                seconds = self._limits.clock(path.stat().st_size)
                run_isolated("data_loaders.torch_snapshot.child", arguments, seconds)
                reading = read_result(folder)
        except KilledError as error:
            raise LoadError(
                f"{path}: reading it {error}, which exceeds the limits of a snapshot"
            ) from error
        except LoadError as error:
            raise LoadError(f"{path}: {error}") from error
        frames = {
            name: frame for name, frame in reading.frames.items() if len(frame) or name in _ALWAYS
        }
        if "capacity" in options:
            frames["attempts"] = _with_capacity(frames["attempts"], int(options["capacity"]))
        if options.get("strategy"):
            frames["attempts"] = frames["attempts"].assign(strategy=str(options["strategy"]))
        user_metadata = {
            name: options[name] for name in ("hwid", "name", "tags") if options.get(name)
        }
        metadata = with_name(
            _run_names(known_place(path, origin)), {**reading.metadata, **user_metadata}
        )
        return LoadedRun(metadata, frames, reading.findings)


def _refusal(head: bytes) -> str | None:
    if not _PICKLE.match(head):
        return "not a pickle of protocol 2 to 5"
    if any(key in head[:_LOOK_BYTES] for key in _KEYS):
        return None
    return "a pickle that does not begin with segments and device_traces"


def _run_names(place: str) -> dict[str, str]:
    """Return the columns `name` and `stem`: the file's name without suffixes, or if it is generic
    ("snapshot"), the folder's name; `memory snapshot` if the name is empty.
    """
    name = re.split(r"[/\\]", place)[-1]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name_columns(place, name or "memory snapshot", is_keyed=name in _TOOL_STEMS)


def _with_capacity(attempts: pd.DataFrame, capacity: int) -> pd.DataFrame:
    return attempts.assign(capacity=pd.array([capacity] * len(attempts), dtype="Int64"))
