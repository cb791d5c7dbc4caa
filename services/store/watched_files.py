"""What a look at a watched folder finds: its files as they are, and which of them make runs that can be read now."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ingest.bundles import LookAtFiles, look_at_files, plan
from ingest.inputs import Input, find_inputs
from storage.watched import State


@dataclass(frozen=True)
class Look:
    """Every file with its state; why links are refused; what is wrong with the folder itself, if anything is."""

    states: dict[Path, State] = field(default_factory=dict)
    refused: dict[Path, str] = field(default_factory=dict)
    problem: str = ""


def look_at(folder: Path) -> Look:
    """Look at a folder and everything below it, by the rules of an ingest. A link that is refused has its own state."""
    if not folder.is_dir():
        return Look(problem=f"{folder}: there is no such folder; it is looked for again at each scan")
    inputs, skipped = find_inputs([folder])
    refused = {Path(entry.path): entry.reason for entry in skipped if entry.path != str(folder)}
    states = {}
    for path in (*(entry.path for entry in inputs), *refused):
        with suppress(OSError):  # it is gone since
            stat = path.lstat() if path in refused else path.stat()
            states[path] = (stat.st_size, stat.st_mtime_ns)
    return Look(states, refused)


def unreadable(path: Path) -> str | None:
    """Return why a file cannot be opened, a sentence; None where it can."""
    try:
        with path.open("rb") as stream:
            stream.read(1)
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror or error}; it is retried"
    return None


@dataclass(frozen=True)
class Due:
    """What new files give: bundles, the primary file of each first, and why others are part of no run."""

    bundles: list[tuple[Path, ...]]
    refused: dict[Path, str]


def due(
    new: Collection[Path], files: Collection[Path], still: Collection[Path], look: LookAtFiles = look_at_files
) -> Due:
    """Return the bundles that have a new file and no file that is still written; the new files of others wait.

    `files` are all there are, `still` those of them that stand still. A new file that no loader claims may be read
    along with a file that was tried before: the files that may have it as a companion are asked.
    """
    jobs, skipped = plan([Input(path, named=False) for path in sorted(new)], None, {}, look)
    reasons = {Path(entry.path): entry.reason for entry in skipped if not entry.along}
    bundles = {job.bundle.primary: (job.bundle.primary, *job.bundle.companions) for job in jobs}
    owners = [path for path in sorted(files) if path not in new and any(_may_own(path, other) for other in reasons)]
    for job in plan([Input(path, named=False) for path in owners], None, {}, look)[0]:
        if not reasons.keys().isdisjoint(job.bundle.companions):
            bundles[job.bundle.primary] = (job.bundle.primary, *job.bundle.companions)
    ready = [bundle for bundle in bundles.values() if all(path in still or path not in files for path in bundle)]
    claimed = {path for bundle in bundles.values() for path in bundle}
    return Due(ready, {path: reasons.get(path, "it is part of no run") for path in new if path not in claimed})


def _may_own(path: Path, other: Path) -> bool:
    """Return whether a loader may look there for a companion: beside a file, below it, or in the folder above."""
    return other.is_relative_to(path.parent) or other.parent == path.parent.parent
