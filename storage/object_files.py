"""Files in object storage (S3-compatible, Google, Azure) with obstore."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain
from os import environ
from pathlib import Path
from typing import Any

import pyarrow as pa
from obstore import Bytes
from obstore.exceptions import BaseError
from obstore.store import from_url

from storage.errors import StorageError
from storage.found_file import FoundFile

_CONNECT_S, _RESPONSE_S, _CHECK_S = 5, 60, 3
"""Timeouts in seconds: to connect, for each part of a response, and for a whole check."""
_CHUNK_BYTES = 8 * 2**20
_CODE = re.compile(r"<Code>(\w+)</Code>(?:<Message>([^<]*)</Message>)?")
_REASON = re.compile(r" - (HTTP error: .*|Server returned .*)|(operation timed out)")
_MISSING_BUCKET_CODES = ("NoSuchBucket", "NoSuchContainer", "ContainerNotFound")
"""Error codes of a missing bucket: S3 (NoSuchBucket) and Azure (NoSuchContainer,
ContainerNotFound).
"""


class ObjectStorageError(OSError):
    """Object storage refuses a request or does not respond.

    `strerror` is the reason for the log, `public` a sentence without addresses.
    """

    def __init__(self, reason: str, public: str) -> None:
        super().__init__(None, reason)
        self.public = public


class ObjectFiles:
    """Implements `storage.files.Files` with obstore, with credentials, region and endpoint from the
    usual variables (`AWS_..`).

    Buckets are never created. Raises StorageError if the URL is invalid.
    """

    remote = True

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            self._store = _open_files(url, _RESPONSE_S, retries=3)
            # Without retries, because a health check has to end within seconds.
            self._checked = _open_files(url, _CHECK_S, retries=0)
        except (BaseError, ValueError) as error:
            raise StorageError(f"files cannot be kept at {url}: {_first_line(error)}") from error

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Write the whole content of an object; raises OSError."""
        with _convert_errors():
            self._store.put(path, _object_bytes(content))

    def write_pieces(self, path: str, pieces: Iterable[bytes | pa.Buffer]) -> None:
        """Write the whole content of an object, in a single request if it is small; raises OSError."""
        rest = iter(pieces)
        begun = _take(rest, _CHUNK_BYTES)
        if sum(map(len, begun)) < _CHUNK_BYTES:
            self.write(path, b"".join(begun))
            return
        with _convert_errors():
            self._store.put(path, map(_object_bytes, chain(begun, rest)))

    def put(self, path: str, source: Path) -> None:
        """Upload the local file `source` to `path`, in several parts if it is large; raises
        OSError.
        """
        with _convert_errors():
            self._store.put(path, source)

    def read(self, path: str) -> bytes:
        """Read the whole content of an object; raises FileNotFoundError if it is missing."""
        with _convert_errors():
            return bytes(self._store.get(path).bytes())

    def read_range(self, path: str, start: int, size: int) -> bytes:
        """Read `size` bytes of an object from byte `start` on; fewer, or none, if the object ends
        before.

        Raises FileNotFoundError if the object is missing.
        """
        if size <= 0:
            return b""
        try:
            with _convert_errors():
                return bytes(self._store.get_range(path, start=start, length=size))
        except ObjectStorageError:
            # Object storage refuses a range that begins after the end.
            with suppress(FileNotFoundError):
                if self.size(path) <= start:
                    return b""
            raise

    def fetch(self, path: str, target: Path) -> None:
        """Append the content of an object to the local file `target`, which may exist already.

        Raises FileNotFoundError if the object is missing.
        """
        with _convert_errors(), target.open("ab") as out:
            for piece in self._store.get(path).stream(min_chunk_size=_CHUNK_BYTES):
                out.write(piece)

    def size(self, path: str) -> int:
        """Return the size of an object in bytes; raises FileNotFoundError if it is missing."""
        with _convert_errors():
            return int(self._store.head(path)["size"])

    def remove(self, folder: str) -> None:
        """Delete all objects below a folder; without effect if there are no such objects."""
        with _convert_errors():
            for page in self._store.list(f"{folder}/"):
                self._store.delete([entry["path"] for entry in page])

    def names(self) -> list[str]:
        """List the names of the objects directly at the place, without folders; empty if there are
        no objects. Raises OSError if the bucket is missing.
        """
        with _convert_errors():
            return [entry["path"] for entry in self._store.list_with_delimiter()["objects"]]

    def walk(self) -> Iterator[FoundFile]:
        """Yield every object at any depth below the place, in the order in which the storage lists
        them.
        """
        with _convert_errors():
            for page in self._store.list():
                for entry in page:
                    yield FoundFile(
                        entry["path"], int(entry["size"]), entry["last_modified"].timestamp()
                    )

    def delete(self, path: str) -> None:
        """Delete an object; if it is missing, S3 ignores that and other stores raise
        FileNotFoundError.
        """
        with _convert_errors():
            self._store.delete(path)

    def check(self) -> None:
        """Raise OSError if the bucket cannot be listed within 3 s (_CHECK_S)."""
        with _convert_errors():
            next(iter(self._checked.list(chunk_size=1)), None)


def _object_bytes(content: bytes | pa.Buffer) -> Bytes:
    return Bytes(memoryview(content).cast("B"))


def _take(pieces: Iterator[bytes | pa.Buffer], size: int) -> list[bytes | pa.Buffer]:
    """Take pieces until they have `size` bytes or more, or until there are no more."""
    taken: list[bytes | pa.Buffer] = []
    taken_bytes = 0
    for piece in pieces:
        taken.append(piece)
        taken_bytes += len(piece)
        if taken_bytes >= size:
            break
    return taken


def _open_files(url: str, response_s: float, retries: int) -> Any:  # noqa: ANN401 - one of three classes of obstore
    # Plain HTTP is permitted only if the user's own endpoint has it.
    insecure = any(
        environ.get(name, "").startswith("http://") for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    )
    client = {
        "connect_timeout": f"{_CONNECT_S}s",
        "timeout": f"{response_s}s",
        "allow_http": insecure,
    }
    retry = {"max_retries": retries, "retry_timeout": timedelta(seconds=2 * response_s)}
    return from_url(url, client_options=client, retry_config=retry)  # type: ignore[call-overload]


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert errors of obstore to OSError; a missing object raises FileNotFoundError, a missing
    bucket ObjectStorageError.
    """
    try:
        yield
    except FileNotFoundError as error:
        if any(code in str(error) for code in _MISSING_BUCKET_CODES):
            raise _storage_error(error) from error
        raise
    except BaseError as error:
        raise _storage_error(error) from error


def _storage_error(error: Exception) -> ObjectStorageError:
    text = str(error)
    code = _CODE.search(text)
    if code and code[1] in _MISSING_BUCKET_CODES:
        return ObjectStorageError(
            "there is no such bucket; create it first", "its bucket does not exist"
        )
    if code:
        reason = f"{code[1]}: {code[2]}" if code[2] else code[1]
        return ObjectStorageError(reason, "its object storage denies access")
    match = _REASON.search(text)
    return ObjectStorageError(
        " ".join((match[1] or match[2]).split()) if match else _first_line(error),
        "its object storage does not respond",
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
