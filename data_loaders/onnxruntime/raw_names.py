"""Escape names of nodes, which ONNX Runtime writes into its JSON as they are."""

from __future__ import annotations

import json
import re
from typing import IO

_BEGIN = b'"name" :"'
"""Text before a name in the layout of ONNX Runtime; files that another program wrote lack the
space before the colon, and their names are escaped already."""
_END = b'","args" : {'
_MAX_HELD_BYTES = 1 << 20
"""Bytes without the end of a name after which the text is passed on as it is."""
_SPECIAL = re.compile(rb'["\\\x00-\x1f]')


class EscapedNames:
    """Stream of a profile with its names as JSON texts.

    `added` is the number of bytes that the escapes added so far.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.added = 0
        self._stream = stream
        self._held = b""

    def read(self, size: int) -> bytes:
        """Read up to about `size` bytes; b"" at the end of the file."""
        while chunk := self._stream.read(size):
            text = self._held + chunk
            # A name that the chunk cuts waits for the next chunk.
            end = text.rfind(_END) + len(_END)
            if end < len(_END):
                end = len(text) if len(text) > _MAX_HELD_BYTES else 0
            self._held = text[end:]
            if end:
                return self._escape(text[:end])
        text = self._held
        self._held = b""
        return self._escape(text)

    def _escape(self, text: bytes) -> bytes:
        before, *pieces = text.split(_BEGIN)
        escaped = [before]
        for piece in pieces:
            end = piece.find(_END)
            name = piece[: max(end, 0)]
            is_special = _SPECIAL.search(name) is not None
            escaped.append(_json_text(name) + piece[end:] if is_special else piece)
        mended = _BEGIN.join(escaped)
        self.added += len(mended) - len(text)
        return mended


def _json_text(name: bytes) -> bytes:
    """Escape a name, without quotes around it; bytes that are not UTF-8 stay."""
    text = json.dumps(name.decode("utf-8", "surrogateescape"), ensure_ascii=False)
    return text[1:-1].encode("utf-8", "surrogateescape")
