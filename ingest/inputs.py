"""List the input files of an ingest: named files and the files in named folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Input:
    """An input file; `named` if the user named it, so that a failure to read it is reported as a
    failure.
    """

    path: Path
    named: bool


@dataclass(frozen=True)
class Skipped:
    """A file or folder that has no run of its own, with the reason.

    `failed` if the user would expect a run from it; `along` if it is read as part of another file's
    run.
    """

    path: str
    reason: str
    failed: bool = True
    along: bool = False


def find_inputs(paths: Sequence[Path]) -> tuple[list[Input], list[Skipped]]:
    """List the input files without duplicates, in the order of the paths, and the paths that are
    not read, with the reason.

    Folders are walked in sorted order. Hidden files and folders are left out, linked folders are
    not entered, and a linked file is read only if its target is in the same folder tree.
    """
    inputs: list[Input] = []
    skipped: list[Skipped] = []
    for path in paths:
        if path.is_dir():
            files = list(_walk(path))
            inputs += [Input(file, named=False) for file in files if not _leaves(file, path)]
            skipped += [
                Skipped(str(f), "a link that leads out of the folder", False)
                for f in files
                if _leaves(f, path)
            ]
            skipped += [] if files else [Skipped(str(path), "the folder contains no file")]
        elif path.is_file():
            inputs.append(Input(path, named=True))
        else:
            reason = "not a regular file" if path.exists() else "there is no such file or folder"
            skipped.append(Skipped(str(path), reason))
    return _once(inputs), skipped


def _walk(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (
            Path(base, name)
            for name in sorted(names)
            if not name.startswith(".") and Path(base, name).is_file()
        )


def _leaves(path: Path, folder: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


def _once(inputs: list[Input]) -> list[Input]:
    """Drop duplicate paths to a file.

    A file that is both named and found in a folder counts as named. The first path to a file stays,
    in order.
    """
    named = {entry.path.resolve() for entry in inputs if entry.named}
    unique: dict[Path, Input] = {}
    for entry in inputs:
        target = entry.path.resolve()
        unique.setdefault(target, Input(entry.path, target in named))
    return list(unique.values())
