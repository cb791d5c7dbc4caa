"""Which files make one run: each file goes to the loader that claims it, companions go with their primary file."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from data_loaders.protocol import Bundle, Loader, LoadError
from data_loaders.registry import NoLoaderError, choose
from ingest.display_paths import with_display_paths
from ingest.inputs import Input, Skipped

BY_PRODUCTS = ("index.json", "aggregate_perf.json", "tile*.json", "*.md")
"""What a trace's post-processing leaves beside it."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """A run to ingest: its files and who reads them; `named` where the user named one of them."""

    loader: Loader
    bundle: Bundle
    named: bool


def plan(inputs: Sequence[Input], loader: str | None, places: Mapping[Path, str]) -> tuple[list[Job], list[Skipped]]:
    """Return a job per run, in the order of the inputs, and the files that are none.

    `loader` names the one that reads every file; `places` maps a file to its path as people know it, where that is
    another. A file that is read along with another one is skipped without that being a failure.
    """
    jobs: dict[Path, Job] = {}
    skipped: dict[Path, Skipped] = {}
    for entry in inputs:
        place = places.get(entry.path, str(entry.path))
        try:
            reader = choose(entry.path, loader)
            bundle = _bundle(reader, entry.path)
        except NoLoaderError as error:
            reason = _skip_reason(entry, with_display_paths(str(error), (entry.path,), places))
            skipped[entry.path] = Skipped(place, reason, failed=entry.named)
        except LoadError as error:
            reason = with_display_paths(str(error).removeprefix(f"{entry.path}: "), (entry.path,), places)
            skipped[entry.path] = Skipped(place, reason)
        except OSError as error:
            reason = error.strerror or with_display_paths(str(error), (entry.path,), places)
            skipped[entry.path] = Skipped(place, f"cannot be read: {reason}")
        else:
            jobs[bundle.primary.resolve()] = Job(reader, bundle, entry.named)
    with_others = {other.resolve(): job.bundle.primary for job in jobs.values() for other in job.bundle.companions}
    for entry in inputs:
        primary = with_others.get(entry.path.resolve())
        if primary is not None:
            place = places.get(entry.path, str(entry.path))
            skipped[entry.path] = Skipped(place, f"read along with {primary.name}", failed=False, along=True)
    return [job for path, job in jobs.items() if path not in with_others], list(skipped.values())


def _bundle(loader: Loader, path: Path) -> Bundle:
    """Ask the loader; one that fails at it reads the file alone.

    Links to elsewhere are no companions, nor is what is no file: a pipe would be waited for.
    """
    try:
        bundle = loader.bundle(path)
    except Exception:  # a broken third-party loader must not stop the others
        _LOG.debug("loader %s bundling %s", loader.name, path, exc_info=True)
        return Bundle(path)
    kept = (file for file in bundle.companions if file.is_file() and not _leaves(file, bundle.primary))
    return Bundle(bundle.primary, tuple(kept))


def _leaves(companion: Path, primary: Path) -> bool:
    """Return whether a companion is a link to a file that lies neither beside itself nor beside the primary file."""
    homes = companion.parent.resolve(), primary.resolve().parent
    return companion.is_symlink() and not any(companion.resolve().is_relative_to(home) for home in homes)


def _skip_reason(entry: Input, reason: str) -> str:
    if not entry.named and any(fnmatch(entry.path.name, pattern) for pattern in BY_PRODUCTS):
        return "a by-product of a trace's post-processing, not an input"
    return reason
