"""Write the files of an upload to the data directory, under names that are safe there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from flask import request
from werkzeug.datastructures import FileStorage

from app.request.errors import RequestError
from data_loaders.reading.safe_names import safe_path
from data_loaders.reading.scratch import scratch_folder

_CHUNK = 2**20
MAX_FILES = 5_000
"""Maximum number of files that are ingested together."""


@contextmanager
def receive_files(data: Path, name: str) -> Iterator[dict[Path, str]]:
    """Context with the files of the request, their paths here -> on the client; they are deleted
    afterwards.

    The body is a file called `name`, or a form with several files in its field `file`. Raises
    RequestError: 400 if it contains no file, 422 if the file is empty.
    """
    with scratch_place(data) as place:
        yield (
            _form_files(place) if request.mimetype == "multipart/form-data" else _body(place, name)
        )


def scratch_place(data: Path) -> AbstractContextManager[Path]:
    """Return a context with a new folder for files while they are ingested; it is deleted
    afterwards.
    """
    return scratch_folder(uploads(data))


def uploads(data: Path) -> Path:
    """Return the folder `uploads` of the data folder, below which uploaded files are ingested."""
    return data / "uploads"


def free_path(place: Path, name: str) -> Path:
    """Return a path for a file of this name below the folder `place`, and create the path's
    folders, not the file.

    An underscore is prepended if the file exists. Raises RequestError (400) if a file has the name
    of a folder.
    """
    path = place / safe_path(name)
    while path.exists():
        path = path.with_name("_" + path.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise RequestError(
            f"{name}: the upload has a file and a folder of this name.", 400
        ) from error
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
    """Write the body of the current request to the file `path`."""
    with path.open("wb") as file:
        while chunk := request.stream.read(_CHUNK):
            file.write(chunk)


def _form_files(place: Path) -> dict[Path, str]:
    request.max_form_parts = MAX_FILES
    files = request.files.getlist("file")
    if not files:
        raise RequestError("The form has no file in its field `file`.", 400)
    return {_save(place, file): file.filename or "file" for file in files}


def _save(place: Path, file: FileStorage) -> Path:
    path = free_path(place, file.filename or "")
    file.save(path)
    return path
