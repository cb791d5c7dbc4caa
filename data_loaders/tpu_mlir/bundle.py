"""Group the files of a folder into TPU-MLIR runs: a log with the companions of its compile.

`<model>_<chip>_<mode>.layer_group_cache.json`, `<model>.bmodel.json` and `..._final.mlir` carry a
model's name. If a log of the folder has the same name, they belong to that log only. A
`compiler_profile_<core>.txt` carries no model name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.files import open_content, read_head
from data_loaders.tpu_mlir.blocks import line_blocks
from data_loaders.tpu_mlir.module_format import is_module
from data_loaders.tpu_mlir.profile import FILE_NAME, is_profile

_SUFFIXES = {
    "groups": re.compile(r"[._]?layer_group_cache\.json(?:\.gz)?$"),
    "layers": re.compile(r"\.bmodel\.json(?:\.gz)?$"),
    "module": re.compile(r"[._]?final\.mlir(?:\.gz)?$"),
}
_LOG_NAME = re.compile(r"\.(?:log|txt)(?:\.gz)?$")
_ANY_MODEL = re.compile(r"(?:bm|cv|sg)\d+\w*|(?:w\d+)?(?:b?f|int)\d+\w*|given|all|log|lmem|assign")
"""Words of file names that do not identify a model: chips, number formats, and usual names of such
logs.
"""
_LOG = re.compile(
    rb"; step = (?:lmem_spec|assignLmemAddr_finish); tag = |; tag = iteration_result; "
)
_SEARCHED_BYTES = 16 * 2**20
"""How far a file is searched for a first attempt, in bytes.

The output of the compiler before that is shorter.
"""


def content_kind(path: Path, head: bytes) -> str | None:
    """Classify a file by its first bytes `head` as "log", "profile" or "module".

    `None` for any other file. A file named `.log` or `.txt` is a log if a marker occurs in its
    first 16 MiB.
    """
    if is_profile(head):
        return "profile"
    if is_module(head):
        return "module"
    if _LOG.search(head) or (
        _LOG_NAME.search(path.name) and b"\0" not in head and _has_later_marker(path)
    ):
        return "log"
    return None


def _has_later_marker(path: Path) -> bool:
    """Whether a log marker occurs in the first 16 MiB of a file."""
    with open_content(path) as stream:
        for block in line_blocks(stream):
            if _LOG.search(block.text):
                return True
            if block.offset > _SEARCHED_BYTES:
                return False
    return False


def companion_kind(path: Path) -> str | None:
    """Classify a file by its name as "groups", "layers", "module" or "profile".

    Returns `None` if the name is not that of a companion of a log.
    """
    if FILE_NAME.fullmatch(path.name):
        return "profile"
    return next((kind for kind, suffix in _SUFFIXES.items() if suffix.search(path.name)), None)


def find_bundle(path: Path) -> Bundle:
    """Return the run that a file belongs to: the run of its log, else of the module, else of the
    first profile in the folder, with all companions of the same model.

    Without such an owner, the file without companions.
    """
    files = _folder_files(path)
    companions = [file for file in files if companion_kind(file)]
    logs = [file for file in files if _LOG_NAME.search(file.name) and file not in companions]
    if path not in companions:
        others = [
            log for log in logs if any(_claim(log, file) for file in companions) and _is_log(log)
        ]
        return Bundle(path, tuple(_owned_companions(path, companions, others)))
    modules = [file for file in companions if companion_kind(file) == "module"]
    profiles = [file for file in companions if companion_kind(file) == "profile"]
    for owners in ([log for log in logs if _is_log(log)], modules, profiles[:1]):
        for owner in owners:
            owned = _owned_companions(owner, companions, owners)
            if path == owner or path in owned:
                return Bundle(owner, tuple(owned))
    return Bundle(path)


def _folder_files(path: Path) -> list[Path]:
    """List the files of a file's folder, sorted by name, without links that lead out of it."""
    folder = path.parent
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return [
        file for file in files if not file.is_symlink() or file.resolve().parent == folder.resolve()
    ]


def _is_log(path: Path) -> bool:
    try:
        return content_kind(path, read_head(path)) == "log"
    except (LoadError, OSError):
        return False


def _owned_companions(
    owner: Path, companions: Sequence[Path], owners: Sequence[Path]
) -> list[Path]:
    """Return the companions for which no other owner has a higher similarity of names (see
    `_claim`), without the owner itself.
    """
    best = {file: max((_claim(other, file) for other in owners), default=0) for file in companions}
    return [file for file in companions if file != owner and _claim(owner, file) >= best[file]]


def _claim(owner: Path, companion: Path) -> float:
    """Compute the Jaccard similarity of the models' names, 0 to 1: shared words over all words."""
    owner_words = _words(owner)
    companion_words = _words(companion)
    shared = owner_words & companion_words
    return len(shared) / len(owner_words | companion_words) if shared else 0


def _words(path: Path) -> set[str]:
    """Return the words of a file's name, in lower case, that may name a model; empty for a profile."""
    kind = companion_kind(path)
    if kind == "profile":
        return set()
    name = (_SUFFIXES[kind] if kind else _LOG_NAME).sub("", path.name).lower()
    return {
        word for word in re.split(r"[^a-z0-9]+", name) if word and not _ANY_MODEL.fullmatch(word)
    }
