"""What a loader is and what it hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pandas as pd

from data_loaders.diagnostics import Diagnostic

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


class Loader(Protocol):
    """A reader of one source."""

    name: str
    """The source's name, as in frame `run` and on the command line."""
    reads: str
    """What it reads, in one sentence."""
    setting_names: frozenset[str]
    """The `--set` keys it understands."""

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return None where the loader can read the file, else why not, in a few words.

        `head` is the first 64 KiB of the uncompressed content.
        """
        ...

    def load(self, path: Path, settings: Settings, origin: str | None = None) -> LoadedRun:
        """Read the file; raise LoadError where nothing can be had from it.

        `origin` is the file's path as people know it, where `path` is a temporary copy (an upload).
        """
        ...
