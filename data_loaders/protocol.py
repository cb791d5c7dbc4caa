"""What a loader is and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

import pandas as pd

from data_loaders.reading.limits import Limits
from schema.diagnostics import Diagnostic

Settings = Mapping[str, str]
"""What the user set with `--set KEY=VALUE`, as text; a loader parses what it knows."""


class LoadError(Exception):
    """A file cannot be read as a run; the message is one sentence for a person."""


@dataclass
class LoadedRun:
    """One run as read: its metadata (columns of frame `run`), its frames and what was noticed.

    `metadata` holds the columns of frame `run` that the loader knows (`name`, `hwid`, `M`, `clock_hz` ...);
    run_id, source, file, sha256 and created_at are filled in by the ingest. `frames` maps frame names
    to frames of the schema, without `run` and `diagnostics`.
    """

    metadata: dict[str, object]
    frames: dict[str, pd.DataFrame]
    diagnostics: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True)
class Bundle:
    """Files that make one run: the one that names and identifies it, and those that are read along with it."""

    primary: Path
    companions: tuple[Path, ...] = ()


class Loader(Protocol):
    """A reader of one source."""

    name: str
    """The source's name, as in frame `run` and on the command line."""
    reads: str
    """What it reads, in one sentence."""
    setting_names: frozenset[str]
    """The `--set` keys it understands."""
    version: str
    """Changes when it reads the same file differently; an ingest reads runs of an older one again."""

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return None where the loader can read the file, else why not, in a few words.

        `head` is the first 64 KiB of the uncompressed content.
        """
        ...

    def bundle(self, path: Path) -> Bundle:
        """Return the run that a file it claims belongs to: the primary file, and its companions in folder order.

        Looks at the file's folder and below it or, where the format's layout requires it, in the folder above.
        """
        ...

    def load(
        self, path: Path, settings: Settings, origin: str | None = None, companions: Sequence[Path] = ()
    ) -> LoadedRun:
        """Read the file and its companions; raise LoadError where nothing in it can be read.

        `origin` is the path that the user knows, where `path` is a temporary copy (an upload). A companion that
        cannot be read is skipped and gives a diagnostic.
        """
        ...


@runtime_checkable
class Isolating(Protocol):
    """A loader that reads untrusted files in a process of their own."""

    def with_limits(self, limits: Limits) -> Loader:
        """Return the loader with other limits of what its reading processes may use."""
        ...
