"""A run to ingest, and the result of its ingest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import Bundle, Loader
from data_loaders.reading.limits import Limits
from ingest.display_paths import with_display_paths
from schema.diagnostics import Diagnostic
from storage.stored_run import StoredRun


@dataclass(frozen=True)
class Request:
    """A run to ingest: loader, files and settings; `places` maps temporary copies to the user's
    paths.
    """

    loader: Loader
    bundle: Bundle
    places: Mapping[Path, str]
    settings: Mapping[str, str]
    defaults: Mapping[str, str]
    max_content_bytes: int
    modified_s: float | None = None
    """Time of the last change of a copy's original, in seconds since 1970."""
    by: str = ""
    """Name of the user who ingests the run."""
    limits: Limits | None = None
    """Limits for the loader, if this process is a reading process that may be killed."""

    @property
    def path(self) -> Path:
        """The primary file of the request, which names and identifies the run."""
        return self.bundle.primary

    @property
    def origin(self) -> str | None:
        """Path of the primary file that the user knows, if `path` is a temporary copy, else `None`."""
        return self.places.get(self.path)

    @property
    def known_paths(self) -> list[Path]:
        """Paths of all files of the request as the user knows them, the primary file first, then
        the companions in order.
        """
        return [Path(self.places.get(path, path)) for path in (self.path, *self.bundle.companions)]

    def display_text(self, text: str) -> str:
        """Return the text with paths of the request's temporary copies replaced by the paths that
        the user knows.
        """
        return with_display_paths(text, (self.bundle.primary, *self.bundle.companions), self.places)


@dataclass(frozen=True)
class Ingested:
    """The row of a run and its status: new, unchanged or updated.

    `notes` are findings about this ingest that are not stored with the run.
    """

    stored: StoredRun
    status: str
    notes: tuple[Diagnostic, ...] = ()
