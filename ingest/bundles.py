"""Group input files into runs: a loader claims a primary file and names its companion files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from data_loaders.protocol import Bundle, Loader, LoadError
from data_loaders.registry import NoLoaderError, choose
from ingest.display_paths import with_display_paths
from ingest.inputs import Input, Skipped

BY_PRODUCTS = ("index.json", "aggregate_perf.json", "tile*.json", "*.md")
"""Name patterns of files that the post-processing of a trace writes next to the trace."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """A run to ingest: its files and the name of their loader; `named` if the user named the primary file."""

    loader: str
    bundle: Bundle
    named: bool


@dataclass(frozen=True)
class Sighting:
    """The loader that claims a file with the files of its run, or the reason why no loader does."""

    loader: str = ""
    bundle: Bundle | None = None
    skipped: Skipped | None = None


LookAtFiles = Callable[[Sequence[Input], str | None, Mapping[Path, str]], list[Sighting]]
"""Type of functions with the signature of `look_at_files`, which may run it in another process."""


def look_at_files(
    inputs: Sequence[Input], loader: str | None, places: Mapping[Path, str]
) -> list[Sighting]:
    """Find the loader and the bundle of each file, in the order of the inputs.

    `loader` forces a loader for all files. `places` maps a temporary copy to the path that the user
    knows. A file that no loader reads, or that is unreadable, has a reason in `skipped`.
    """
    return [_look_at_file(entry, loader, places) for entry in inputs]


def plan(
    inputs: Sequence[Input],
    loader: str | None,
    places: Mapping[Path, str],
    look: LookAtFiles = look_at_files,
) -> tuple[list[Job], list[Skipped]]:
    """List the runs to ingest, in the order of the inputs, and the files without a run of their
    own, with the reason.

    A file that is read as a companion of another file is skipped, which is not a failure. `look`
    finds the loaders.
    """
    jobs: dict[Path, list[Job]] = {}
    skipped: dict[Path, Skipped] = {}
    for entry, sighting in zip(inputs, look(inputs, loader, places), strict=True):
        if sighting.bundle is not None:
            own = _jobs(sighting.loader, sighting.bundle, entry)
            jobs[sighting.bundle.primary.resolve()] = own
        elif sighting.skipped is not None:
            skipped[entry.path] = sighting.skipped
    bundles = [of_file[0].bundle for of_file in jobs.values()]
    with_others = {
        other.resolve(): bundle.primary for bundle in bundles for other in bundle.companions
    }
    for entry in inputs:
        primary = with_others.get(entry.path.resolve())
        if primary is not None:
            place = places.get(entry.path, str(entry.path))
            skipped[entry.path] = Skipped(
                place, f"read along with {primary.name}", failed=False, along=True
            )
    planned = [job for path, of_file in jobs.items() if path not in with_others for job in of_file]
    return planned, list(skipped.values())


def _jobs(loader: str, bundle: Bundle, entry: Input) -> list[Job]:
    """Return a job per run of the bundle's primary file, in the order of its parts.

    A single job if it has no parts.
    """
    bundles = [replace(bundle, part=part) for part in bundle.parts] or [bundle]
    return [Job(loader, one, entry.named) for one in bundles]


def _look_at_file(entry: Input, loader: str | None, places: Mapping[Path, str]) -> Sighting:
    place = places.get(entry.path, str(entry.path))
    try:
        reader = choose(entry.path, loader)
        return Sighting(reader.name, _bundle(reader, entry.path))
    except NoLoaderError as error:
        reason = _skip_reason(entry, with_display_paths(str(error), (entry.path,), places))
        return Sighting(skipped=Skipped(place, reason, failed=entry.named))
    except LoadError as error:
        reason = with_display_paths(
            str(error).removeprefix(f"{entry.path}: "), (entry.path,), places
        )
        return Sighting(skipped=Skipped(place, reason))
    except OSError as error:
        reason = error.strerror or with_display_paths(str(error), (entry.path,), places)
        return Sighting(skipped=Skipped(place, f"cannot be read: {reason}"))


def _bundle(loader: Loader, path: Path) -> Bundle:
    """Get the bundle of a file from its loader.

    If the loader fails, the bundle is only the file itself. Companions that are links to other
    folders are dropped, and so are companions that are not regular files: reading a pipe would
    block.
    """
    try:
        bundle = loader.bundle(path)
    except Exception:  # a broken third-party loader must not affect other loaders
        _LOG.debug("loader %s bundling %s", loader.name, path, exc_info=True)
        return Bundle(path)
    kept = (
        file for file in bundle.companions if file.is_file() and not _leaves(file, bundle.primary)
    )
    return replace(bundle, companions=tuple(kept))


def _leaves(companion: Path, primary: Path) -> bool:
    """Whether a companion is a link to a file outside its own folder and the folder of the primary
    file.
    """
    homes = companion.parent.resolve(), primary.resolve().parent
    return companion.is_symlink() and not any(
        companion.resolve().is_relative_to(home) for home in homes
    )


def _skip_reason(entry: Input, reason: str) -> str:
    if not entry.named and any(fnmatch(entry.path.name, pattern) for pattern in BY_PRODUCTS):
        return "an output of trace post-processing, not an input"
    return reason
