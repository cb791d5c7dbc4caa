"""Files of a watched folder, and the bundles among them that can be ingested now."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ingest.archives import is_named_archive
from ingest.bundles import LookAtFiles, look_at_files, plan
from ingest.inputs import Input, find_inputs
from storage.watched import State


@dataclass(frozen=True)
class Look:
    """Files of a folder with their states, reasons why links are refused, and a problem of the
    folder itself ("" if none).
    """

    states: dict[Path, State] = field(default_factory=dict)
    refused: dict[Path, str] = field(default_factory=dict)
    problem: str = ""


def scan_folder(folder: Path) -> Look:
    """List the files of a folder and its subfolders by the rules of an ingest, with their states
    (size in bytes, modification time in ns); only `problem` is set if the folder does not exist.

    The state of a refused link is that of the link itself.
    """
    if not folder.is_dir():
        return Look(problem=f"{folder}: there is no such folder; each scan looks for it again")
    inputs, skipped = find_inputs([folder])
    refused = {Path(entry.path): entry.reason for entry in skipped if entry.path != str(folder)}
    states = {}
    for path in (*(entry.path for entry in inputs), *refused):
        # a file may be deleted meanwhile
        with suppress(OSError):
            stat = path.lstat() if path in refused else path.stat()
            states[path] = (stat.st_size, stat.st_mtime_ns)
    return Look(states, refused)


def unreadable(path: Path) -> str | None:
    """Return a sentence with the reason if a file cannot be opened; `None` if it can."""
    try:
        with path.open("rb") as stream:
            stream.read(1)
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror or error}; it is retried"
    return None


@dataclass(frozen=True)
class Due:
    """Bundles to ingest, each with its primary file first, and reasons why other new files belong
    to no run.
    """

    bundles: list[tuple[Path, ...]]
    refused: dict[Path, str]


def due(
    new: Collection[Path],
    files: Collection[Path],
    still: Collection[Path],
    look: LookAtFiles = look_at_files,
) -> Due:
    """Return the bundles that have a new file and no file that is still being written; other
    bundles wait.

    `files` are all files, `still` the files that no longer change. New files that belong to no
    bundle are `refused` with a reason. If no loader claims a new file, it may be a companion of a
    file that was tried before: the candidates are examined again. An archive is a bundle of its
    own, which the ingest unpacks.
    """
    archives = {path for path in new if is_named_archive(path)}
    loose = [Input(path, named=False) for path in sorted(new) if path not in archives]
    jobs, skipped = plan(loose, None, {}, look)
    reasons = {Path(entry.path): entry.reason for entry in skipped if not entry.along}
    bundles = {job.bundle.primary: (job.bundle.primary, *job.bundle.companions) for job in jobs}
    bundles |= {path: (path,) for path in archives}
    owners = [
        path
        for path in sorted(files)
        if path not in new and any(_may_own(path, other) for other in reasons)
    ]
    for job in plan([Input(path, named=False) for path in owners], None, {}, look)[0]:
        if not reasons.keys().isdisjoint(job.bundle.companions):
            bundles[job.bundle.primary] = (job.bundle.primary, *job.bundle.companions)
    # a companion that is still being written delays its whole bundle
    ready = [
        bundle
        for bundle in bundles.values()
        if all(path in still or path not in files for path in bundle)
    ]
    claimed = {path for bundle in bundles.values() for path in bundle}
    return Due(
        ready,
        {
            path: reasons.get(path, "it does not belong to a run")
            for path in new
            if path not in claimed
        },
    )


def _may_own(path: Path, other: Path) -> bool:
    """Whether the loader of file `path` could look for the companion `other` there: next to it,
    below its folder, or in the parent of its folder.
    """
    return other.is_relative_to(path.parent) or other.parent == path.parent.parent
