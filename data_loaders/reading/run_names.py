"""Names of runs: the stem of the file, or the folder's name if the stem says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_SEPARATOR = re.compile(r"[/\\]")
_GENERIC = re.compile(
    r"(?:traces?|profiles?|profiler|new|old|out|outputs?|logs?|results?|data|dump|debug|tmp|temp|test|"
    r"snapshots?|memory|memory_snapshot|capture|run|stdout|compile|final|input|"
    # Files of TPU-MLIR and mlir-aie, which have these names in every folder.
    r"compiler_profile_\d+|lmem|lmem_?assign|lmem_assign_result|input_with_addresses|aie)?"
)
"""Stems, in lower case, that many runs have, so that they do not tell runs apart. A stem with a
number, such as `trace_2`, tells the files of a folder apart, which the name of the folder does not.
"""
_FOLDER_SUFFIX = re.compile(r"(?:\.mlir)?\.prj$")
"""Suffix of the folder that mlir-aie's compiler leaves beside a design."""
_MAX_FOLDERS = 3
"""Maximum number of folders above the file that can name a run: those further up name the user's
machine.
"""


def known_place(path: Path, origin: str | None) -> str:
    """Return the path of a file as the user knows it: `origin` if `path` is a temporary copy, else
    the absolute path, whose folders a relative path may lack.
    """
    return origin or path.absolute().as_posix()


def is_generic(stem: str) -> bool:
    """Whether a stem such as `trace`, `profile` or `out` says nothing about its run."""
    return bool(_GENERIC.fullmatch(stem.lower()))


def name_run(place: str, stem: str) -> str:
    """Return the stem, or if it is generic the name of the innermost folder of the path `place`
    that is not.

    Without such a folder, such as for an upload of a single file, the stem stays.
    """
    if not is_generic(stem):
        return stem
    folders = _SEPARATOR.split(place)[:-1]
    for folder in reversed(folders[-_MAX_FOLDERS:]):
        name = _FOLDER_SUFFIX.sub("", folder.strip())
        if name.strip(". ") and not name.endswith(":") and not is_generic(name):
            return name
    return stem


def name_columns(place: str, stem: str, *, is_keyed: bool = False) -> dict[str, str]:
    """Return the columns `name` and, if the folder names the run, `stem` of frame `run`.

    A series is found by the stem, so that nightly runs of a file `trace.json` in dated folders stay
    one series. `is_keyed`: the series is found by the folder, because the tool chooses the stem.
    """
    name = name_run(place, stem)
    return {"name": name} if is_keyed or name == stem else {"name": name, "stem": stem}


def with_name(columns: Mapping[str, str], metadata: Mapping[str, object]) -> dict[str, object]:
    """Add the columns of `name_columns` to metadata that has no name of its own: a name that the
    user or the file gives replaces them.
    """
    return dict(metadata) if metadata.get("name") else {**columns, **metadata}
