"""Unpack an archive into a folder; whatever it contains, only regular files below that folder are
written, and their number, bytes and nesting are limited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from data_loaders.protocol import LoadError
from data_loaders.reading.archives import (
    Budget,
    DamagedArchiveError,
    Member,
    is_archive,
    read_members,
    read_piece,
)
from data_loaders.reading.safe_names import safe_path
from ingest.inputs import Skipped

MAX_MEMBERS = 5_000
"""Maximum number of members of an archive, with those of archives inside: that of an upload."""
MAX_DEPTH = 2
"""Maximum number of archives around a file: an archive may contain archives."""
_MAX_NAME = 1_000
"""Maximum number of characters of a member's name, as names are reported to the user."""
_PIECE = 2**20
"""Bytes that are unpacked at a time."""
_BESIDE = ("__MACOSX",)
"""Folders that a system adds to its archives; they describe files and have no content."""


@dataclass
class Unpacked:
    """The files of an archive: path -> the name that the user knows, in the order of the archive.

    `modified` has the times of their last change in seconds since 1970, as far as they are known;
    `skipped` the members that were not unpacked.
    """

    places: dict[Path, str] = field(default_factory=dict)
    modified: dict[Path, float] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


def unpack(path: Path, place: str, folder: Path, max_bytes: int) -> Unpacked | None:
    """Unpack the archive `path`, which the user knows as `place`, into the new folder `folder`.

    Archives inside become folders. Returns None if the file is not an archive. Raises LoadError if
    the archive has more than `max_bytes` bytes of content, expands too much or has too many
    members, and OSError if the disk is full.
    """
    if not is_archive(path):
        return None
    unpacking = _Unpacking(Budget(path.stat().st_size, max_bytes))
    unpacking.add(path, place, folder, depth=1)
    result = unpacking.result
    if not result.places and not result.skipped:
        result.skipped.append(Skipped(place, "the archive contains no file"))
    return result


class _Unpacking:
    """The state of unpacking an archive together with the archives inside it."""

    def __init__(self, budget: Budget) -> None:
        self.result = Unpacked()
        self._budget = budget
        self._members = 0

    def add(self, path: Path, place: str, folder: Path, depth: int) -> None:
        """Unpack an archive into a folder, then the archives that it contains.

        If the archive is damaged, the members before the damage stay.
        """
        written: dict[str, Path] = {}
        try:
            for member in read_members(path, self._budget):
                self._count()
                self._add_member(member, place, folder, written)
        except DamagedArchiveError as error:
            self._skip(place, str(error), failed=True)
        for inner in written.values():
            if inner in self.result.places and is_archive(inner):
                self._add_inner(inner, depth + 1)

    def _count(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise LoadError(f"has more than {MAX_MEMBERS:,} members")

    def _add_member(
        self, member: Member, place: str, folder: Path, written: dict[str, Path]
    ) -> None:
        """Write a member below the folder and add it to `written`; a member that must not be
        written is added to the skipped members with the reason.

        Members without content, and hidden members (a part of the name begins with a point), are
        ignored.
        """
        parts = [part for part in re.split(r"[/\\]", member.name) if part not in ("", ".")]
        name = "/".join(parts)
        if any(part in _BESIDE or (part.startswith(".") and part != "..") for part in parts):
            return  # hidden, as in a folder
        if len(name) > _MAX_NAME:
            reason = f"its name has more than {_MAX_NAME:,} characters"
            self._skip(f"{place}/{name[:80]}...", reason)
        elif ".." in parts:
            self._skip(f"{place}/{name}", "its name leads out of the archive")
        elif member.refused:
            self._skip(f"{place}/{name}", member.refused)
        elif member.content is not None and parts:
            # As tar does: the last of several members of one name counts.
            path = written.get(name) or _free_path(folder, name)
            if self._write(member.content, f"{place}/{name}", path):
                written[name] = path
                if member.modified_s is not None:
                    self.result.modified[path] = member.modified_s

    def _write(self, content: IO[bytes], place: str, path: Path) -> bool:
        """Write a member to a file; return False, with the reason in the skipped, if it fails."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _copy(content, path)
        except DamagedArchiveError as error:
            path.unlink(missing_ok=True)
            self.result.places.pop(path, None)
            self._skip(place, str(error), failed=True)
            return False
        except (FileExistsError, NotADirectoryError):
            self._skip(place, "the archive has a file and a folder of this name")
            return False
        self.result.places[path] = place
        return True

    def _add_inner(self, path: Path, depth: int) -> None:
        """Replace an unpacked archive by a folder of its name with its content; beyond MAX_DEPTH
        levels it is skipped with the reason.
        """
        place = self.result.places.pop(path)
        if depth > MAX_DEPTH:
            self._skip(place, f"archives are read up to {MAX_DEPTH} levels deep")
            return
        # A hidden name beside its folder: the walk of a folder does not see it.
        packed = path.with_name(f".{path.name}")
        path.rename(packed)
        self.add(packed, place, path, depth)
        packed.unlink()

    def _skip(self, place: str, reason: str, *, failed: bool = False) -> None:
        self.result.skipped.append(Skipped(place, reason, failed))


def _copy(content: IO[bytes], path: Path) -> None:
    with path.open("wb") as file:
        while piece := read_piece(content, _PIECE):
            file.write(piece)


def _free_path(folder: Path, name: str) -> Path:
    """Return a path below the folder at which nothing is; underscores make it a new one."""
    path = folder / safe_path(name)
    while path.exists():
        path = path.with_name(f"_{path.name}")
    return path
