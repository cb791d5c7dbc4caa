"""Protocol of loaders, and the records that a loader returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from data_loaders.reading.limits import Limits
from schema.finding import Diagnostic

if TYPE_CHECKING:
    import pandas as pd

Settings = Mapping[str, str]
"""Settings of the user (`--set KEY=VALUE`) as text; a loader parses the keys that it supports."""


class LoadError(Exception):
    """A file cannot be read as a run; the message is a sentence for the user."""


class KnownFile(str):
    """Reason for rejection by a loader that knows what the file is, although it cannot read it.

    If no loader reads a file, the user sees only these reasons.
    """

    __slots__ = ()


@dataclass
class LoadedRun:
    """A run read from files: metadata (columns of frame `run`), frames and diagnostics.

    `metadata` holds the columns of frame `run` that the loader knows (`name`, `hwid`, `M`,
    `clock_hz` ...); the ingest fills in run_id, source, file, sha256 and created_at. `frames` maps
    frame names to frames of the schema, without `run` and `diagnostics`.
    """

    metadata: dict[str, object]
    frames: dict[str, pd.DataFrame]
    diagnostics: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True)
class Bundle:
    """Files of a run: the primary file, which identifies the run, and its companion files.

    If the primary file holds several runs, `parts` names them, and the ingest makes a bundle of
    each with its name as `part`; the loader then is a `DividedLoader`.
    """

    primary: Path
    companions: tuple[Path, ...] = ()
    parts: tuple[str, ...] = ()
    part: str = ""


class Loader(Protocol):
    """A reader of the files of one source."""

    name: str
    """Name of the source, as in frame `run` and on the command line."""
    reads: str
    """The files that the loader reads, described in one sentence."""
    setting_names: frozenset[str]
    """The `--set` keys that the loader supports."""
    version: str
    """Version of the loader.

    Change it when the loader reads the same file differently. An ingest reads a file again if its
    run was stored by another version.
    """

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the loader can read the file, otherwise a short reason for rejection.

        `head` is the first 64 KiB of the uncompressed content.
        """
        ...

    def bundle(self, path: Path) -> Bundle:
        """Find the files of the run that a file belongs to.

        A bundle is the primary file and its companion files, of which there may be zero. The file
        is one that `sniff` accepted. Looks in the file's folder and below it; if the format's
        layout requires it, also in the folder above.
        """
        ...

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Read the file and its companions into a run.

        Raises LoadError if the file has no readable content. `origin` is the path that the user
        knows if `path` is a temporary copy (an upload). A companion that cannot be read is skipped
        and reported by a diagnostic.
        """
        ...


class SingleFileLoader:
    """Base class of loaders that read a run from a single file."""

    def bundle(self, path: Path) -> Bundle:
        """Return a bundle of this file without companions."""
        return Bundle(path)


@runtime_checkable
class DividedLoader(Protocol):
    """A loader of files that may hold several runs."""

    def load_part(
        self,
        path: Path,
        settings: Settings,
        origin: str | None,
        companions: Sequence[Path],
        part: str,
    ) -> LoadedRun:
        """Read the run called `part`, one of the names in `Bundle.parts`.

        Parameters and errors are those of `Loader.load`.
        """
        ...


@runtime_checkable
class Isolating(Protocol):
    """A loader that reads untrusted files in a separate process."""

    def with_limits(self, limits: Limits) -> Loader:
        """Return a copy of the loader whose reading processes have these resource limits."""
        ...
