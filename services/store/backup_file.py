"""File format of a backup: a plain tar of regular files, whose last member has the sizes and
SHA-256 of all other members.

Reading is strict: long names, sparse files and links are refused, as a backup never has them. So no
other reader can see other content in the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

MANIFEST = "manifest.json"
_FORMAT = "tilescope backup 1"
"""Name and version of the format in the manifest."""
_BLOCK = tarfile.BLOCKSIZE
_END = bytes(2 * _BLOCK)
"""Two empty blocks that end a tar."""
_PIECE = 2**20
"""Bytes that are read at a time."""
_MIN_GNU_SIZE = 8**11
"""First size that does not fit the octal field of the common header."""
_MAX_MANIFEST_BYTES = 2**30
"""Maximum bytes of the manifest, which is read into memory whole."""
_MAX_LINE_BYTES = 2**26
"""Maximum bytes of a line of rows, which is read into memory whole."""


class BackupError(ValueError):
    """A backup cannot be made or used; the message is a sentence for the user."""


@dataclass(frozen=True)
class Member:
    """A member of a backup: offset and number of its bytes, and their SHA-256 in hexadecimal
    digits.

    `made_at` is the time of writing in seconds since 1970.
    """

    begin: int
    size: int
    sha256: str
    made_at: int = 0

    def record(self) -> dict[str, Any]:
        """Return a dict of size (bytes) and SHA-256 of the member, as the manifest has them."""
        return {"size": self.size, "sha256": self.sha256}


class BackupWriter:
    """Writer of a backup to a stream, member by member."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._members: dict[str, Member] = {}

    def add(self, name: str, source: Path) -> None:
        """Add a file of the local disk to the backup as the member `name`."""
        with source.open("rb") as content:
            size = os.fstat(content.fileno()).st_size
            self._stream.write(_header(name, size))
            begin = self._stream.tell()
            digest = hashlib.sha256()
            for piece in _pieces(content, size):
                digest.update(piece)
                self._stream.write(piece)
        self._stream.write(bytes(-size % _BLOCK))
        self._members[name] = Member(begin, size, digest.hexdigest())

    def finish(self, revision: str, scratch: Path) -> None:
        """Add the manifest, which is written to `scratch` first, and the end of the tar."""
        members = {name: member.record() for name, member in self._members.items()}
        scratch.write_text(
            json.dumps({"format": _FORMAT, "revision": revision, "members": members}),
            encoding="utf-8",
        )
        self.add(MANIFEST, scratch)
        self._stream.write(_END)


class BackupReader:
    """A backup whose members have the sizes and hashes of its manifest.

    Raises BackupError if they do not. If not `strict`, `damage` maps the names of missing, unknown
    or changed members to the end of a sentence, and BackupError is raised only if the file cannot
    be read further.
    """

    def __init__(self, stream: BinaryIO, *, strict: bool = True) -> None:
        self._stream = stream
        members = _read_members(stream)
        if list(members)[-1:] != [MANIFEST]:
            raise BackupError("is not a backup of Tilescope: its last file is not a manifest")
        last = members.pop(MANIFEST)
        manifest = self._manifest(last)
        self.damage = dict(_differences(members, manifest["members"]))
        if strict and self.damage:
            raise BackupError(next(iter(self.damage.values())))
        self.members = members
        self.made_at = last.made_at
        self.revision = str(manifest["revision"])

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the lines of a member, each parsed as JSON.

        Raises BackupError if a line is not JSON, too long or incomplete, and KeyError if there is
        no such member.
        """
        rest = b""
        for piece in self._read(self.members[name]):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (_parse_json(line, name) for line in whole)
            if len(rest) > _MAX_LINE_BYTES:
                raise BackupError(f"has a line in {name} that is too long")
        if rest:
            raise BackupError(f"has an incomplete line in {name}")

    def extract(self, name: str, target: Path) -> None:
        """Write a member to the file `target`. Raises BackupError if it changed since the backup
        was opened, and KeyError if there is no such member.
        """
        member = self.members[name]
        digest = hashlib.sha256()
        with target.open("wb") as out:
            for piece in self._read(member):
                digest.update(piece)
                out.write(piece)
        if digest.hexdigest() != member.sha256:
            raise BackupError("changed while it was read")

    def _manifest(self, member: Member) -> dict[str, Any]:
        if member.size > _MAX_MANIFEST_BYTES:
            raise BackupError("has a manifest that is too large")
        manifest = _parse_json(b"".join(self._read(member)), MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
            raise BackupError("is not a backup that this release can read")
        if "revision" not in manifest or not isinstance(manifest.get("members"), dict):
            raise BackupError("is damaged: its manifest is incomplete")
        return manifest

    def _read(self, member: Member) -> Iterator[bytes]:
        self._stream.seek(member.begin)
        return _pieces(self._stream, member.size)


def _differences(
    members: Mapping[str, Member], named: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield (name, end of a sentence) for each member that is missing, unknown or changed according
    to `named`, the members of the manifest.
    """
    for name in sorted(named.keys() - members.keys()):
        yield name, f"is damaged: it lacks {name!r}, which its manifest names"
    for name, member in members.items():
        if name not in named:
            yield name, f"is damaged: it has {name!r}, which its manifest does not name"
        elif named[name] != member.record():
            yield name, f"is damaged: {name!r} is not the file that its manifest names"


def _read_members(stream: BinaryIO) -> dict[str, Member]:
    """Read and hash the members of a tar, and map their names to them in the order of the file.

    Raises BackupError if the tar is cut off or damaged.
    """
    end = stream.seek(0, os.SEEK_END)
    begin = 0
    members = dict[str, Member]()
    while True:
        stream.seek(begin)
        block = stream.read(_BLOCK)
        # a tar ends with two empty blocks; anything behind them is refused
        if block == bytes(_BLOCK):
            if block + stream.read(_BLOCK + 1) == _END:
                return members
            raise BackupError(f"is damaged: it continues after its end, at byte {begin}")
        name, size, made_at = _read_header(block, begin)
        begin += _BLOCK
        if size > end - begin:
            raise BackupError(f"is cut off in {name!r}")
        if name in members:
            raise BackupError(f"is damaged: it has {name!r} twice")
        digest = hashlib.sha256()
        for piece in _pieces(stream, size):
            digest.update(piece)
        if stream.read(-size % _BLOCK) != bytes(-size % _BLOCK):
            raise BackupError(f"is damaged or cut off after {name!r}")
        members[name] = Member(begin, size, digest.hexdigest(), made_at)
        begin += size + -size % _BLOCK


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    info.mode = 0o600
    info.mtime = int(time.time())
    # USTAR's size field has 11 octal digits; larger members need GNU's form
    return info.tobuf(
        tarfile.USTAR_FORMAT if size < _MIN_GNU_SIZE else tarfile.GNU_FORMAT, "ascii", "strict"
    )


def _read_header(block: bytes, begin: int) -> tuple[str, int, int]:
    if len(block) < _BLOCK:
        raise BackupError(f"is cut off at byte {begin}, or is not a backup")
    try:
        info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
    except (tarfile.HeaderError, ValueError) as error:
        raise BackupError(f"is damaged at byte {begin}, or is not a backup") from error
    if info.type != tarfile.REGTYPE or info.size < 0:
        raise BackupError(f"has something that is not a regular file: {info.name!r}")
    return info.name, info.size, int(info.mtime)


def _pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the next `size` bytes of a stream in pieces of at most 1 MiB. Raises BackupError if the
    stream ends before.
    """
    while size:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            raise BackupError("is cut off")
        size -= len(piece)
        yield piece


def _parse_json(text: bytes, name: str) -> Any:  # noqa: ANN401 - what is in a file
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BackupError(f"is damaged: {name} is not JSON") from error
