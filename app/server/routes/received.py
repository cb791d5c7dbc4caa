"""The files of an upload as files in the data directory, under names that are safe here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from flask import request
from werkzeug.datastructures import FileStorage

from app.request.errors import RequestError
from data_loaders.reading.scratch import scratch_folder

_CHUNK = 2**20
MOST_FILES = 5_000
"""Files that are ingested together."""
_MOST_PARTS, _LONGEST_PART = 8, 100
_UNSAFE = re.compile(r"[^\w.,+=@()\[\] -]", re.ASCII)


@contextmanager
def receive_files(data: Path, name: str) -> Iterator[dict[Path, str]]:
    """Give the request's files, each with its path as the client knows it; they are gone afterwards.

    The body is one file called `name`, or a form with several in its field `file`. Raises RequestError where it
    holds none.
    """
    with scratch_place(data) as place:
        yield _form_files(place) if request.mimetype == "multipart/form-data" else _body(place, name)


def scratch_place(data: Path) -> AbstractContextManager[Path]:
    """Give a folder for files while they are ingested."""
    return scratch_folder(uploads(data))


def uploads(data: Path) -> Path:
    """Return where files lie while they are ingested."""
    return data / "uploads"


def safe_path(name: str) -> Path:
    """Return a relative path that stays below its folder, with the name's own words where they are harmless."""
    parts = [_UNSAFE.sub("_", part) for part in re.split(r"[/\\]+", name) if part not in ("", ".", "..")]
    short = [part if len(part) <= _LONGEST_PART else part[:20] + part[20 - _LONGEST_PART :] for part in parts]
    return Path(*(short[-_MOST_PARTS:] or ["file"]))


def free_path(place: Path, name: str) -> Path:
    """Return where to write a file of this name below a folder, in folders that are there.

    Raises RequestError where another file is in the way.
    """
    path = place / safe_path(name)
    while path.exists():
        path = path.with_name("_" + path.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise RequestError(f"{name}: the upload has a file and a folder of one name.", 400) from error
    return path


def _body(place: Path, name: str) -> dict[Path, str]:
    if not name:
        raise RequestError("An upload needs its file's name: ?name=trace.json", 400)
    path = place / safe_path(name).name
    write_body(path)
    if not path.stat().st_size:
        raise RequestError("The file is empty.", 422)
    return {path: name}


def write_body(path: Path) -> None:
    """Write the body of the request to a file."""
    with path.open("wb") as file:
        while chunk := request.stream.read(_CHUNK):
            file.write(chunk)


def _form_files(place: Path) -> dict[Path, str]:
    request.max_form_parts = MOST_FILES
    files = request.files.getlist("file")
    if not files:
        raise RequestError("The form holds no file in its field `file`.", 400)
    return {_save(place, file): file.filename or "file" for file in files}


def _save(place: Path, file: FileStorage) -> Path:
    path = free_path(place, file.filename or "")
    file.save(path)
    return path
