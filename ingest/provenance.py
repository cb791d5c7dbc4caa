"""Companion files, reader and settings that a stored run was made from, compared with a new
reading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import Content, describe
from ingest.request import Request
from schema.diagnostics import Diagnostic
from storage.stored_run import StoredRun
from storage.text import plain_text

_COMPANIONS = ("companions", "companions_sha256")
_PROVENANCE = ("reader", *_COMPANIONS)
"""Columns of frame `run` with the versions of reader and analysis, and with the companion files."""


def read_companions(request: Request) -> tuple[dict[Path, Content], list[Diagnostic]]:
    """Map the companion files to their contents (hash and size), in order.

    A file that is unreadable or too large is left out and reported as a finding.
    """
    contents: dict[Path, Content] = {}
    unreadable = []
    for path in request.bundle.companions:
        # A companion that cannot be read must not keep its run out of the store.
        try:
            contents[path] = describe(path, request.max_content_bytes)
        except LoadError as error:
            why = str(error).removeprefix(f"{path}: ")
            text = f"{path.name} cannot be read and is ignored: {why}"
            unreadable.append(Diagnostic("warning", "companion_unreadable", text, path.name))
    return contents, unreadable


def companion_columns(companions: Mapping[Path, Content]) -> dict[str, object]:
    """Compute columns `companions` (names joined by `; `) and `companions_sha256` (one hexadecimal
    hash of all names and contents) of frame `run`; empty without companions.
    """
    digest = hashlib.sha256()
    for path, content in companions.items():
        # A byte that no name contains separates the parts, so that no two lists have one hash.
        digest.update(f"{path.name}\0{content.sha256}\0".encode("utf-8", "surrogateescape"))
    names = "; ".join(plain_text(path.name) for path in companions)
    return {"companions": names, "companions_sha256": digest.hexdigest()} if names else {}


def has_provenance(stored: StoredRun, provenance: Mapping[str, object]) -> bool:
    """Whether the stored run has the same values in the columns of `provenance`: reader and
    companions.

    Without companions in `provenance`, the run's companions are not compared.
    """
    return all(stored.run.get(key) == value for key, value in provenance.items())


def may_stay(
    stored: StoredRun, provenance: Mapping[str, object], settings: Mapping[str, str]
) -> bool:
    """Whether a stored run, undamaged, was read with other companions, so that its reading may be
    the better one.

    False if a setting has another value than the run: that is a request of the user, and always
    replaces the run.
    """
    same = all(stored.run.get(key, "") == provenance.get(key, "") for key in _COMPANIONS)
    return not stored.damaged and not same and not differs(stored, settings)


def differs(stored: StoredRun, settings: Mapping[str, str]) -> bool:
    """Whether a setting has another value than the run's stored setting and than its column of the
    same name.

    True if the run has neither; False without settings.
    """
    return any(
        stored.settings.get(key) != value and not _same(stored.run.get(key), value)
        for key, value in settings.items()
    )


def _same(value: object, text: str) -> bool:
    # `64` and `64.0` are the same number for a user.
    # A setting is a text, such as `1.25e9`, where a column has a number.
    if isinstance(value, (int, float)):
        try:
            return float(text) == value
        except ValueError:
            return False
    return value is not None and str(value) == text


def is_same_result(old: StoredRun, new: StoredRun, settings: Mapping[str, str]) -> bool:
    """Whether an undamaged stored run was made from the same companions and settings by the same
    reader as the new run.
    """
    provenance = {key: new.run[key] for key in _PROVENANCE if new.run[key]}
    return not old.damaged and not differs(old, settings) and has_provenance(old, provenance)
