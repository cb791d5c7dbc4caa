"""Several files as a multipart/form-data body that is read while it is sent."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path


class Form:
    """A request body with files; `files` maps the names for the server to local paths.

    `size` is its length in bytes, `content_type` the value of its header.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        boundary = uuid.uuid4().hex
        self.content_type = f"multipart/form-data; boundary={boundary}"
        self._files = [(_head(boundary, name).encode(), path) for name, path in files.items()]
        self._end = f"\r\n--{boundary}--\r\n".encode()
        # The server refuses a body that is too large by this length, before it is received.
        self.size = sum(len(head) + path.stat().st_size for head, path in self._files) + len(
            self._end
        )

    def pieces(self) -> Iterator[bytes]:
        """Yield the body in pieces of at most 1 MiB."""
        for head, path in self._files:
            yield head
            with path.open("rb") as stream:
                while True:
                    piece = stream.read(2**20)
                    if not piece:
                        break
                    yield piece
        yield self._end


def _head(boundary: str, name: str) -> str:
    # These characters would end the name or its header line.
    for character in '\\"\r\n':
        name = name.replace(character, "_")
    kind = "Content-Type: application/octet-stream"
    return f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n{kind}\r\n\r\n'
