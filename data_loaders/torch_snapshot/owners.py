"""Who asked for memory, from the frames of a call stack: the innermost line of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NOBODY = -1
_MOST_FRAMES = 500
"""Frames of a stack that are looked at, innermost first."""
_MOST_TEXT = 300
_PYTHON = re.compile(r"\A(?:.{0,4000}\.py[iwx]?|<[^>]{1,200}>.{0,50})", re.DOTALL)
_FOLDER = re.compile(r"[/\\]")


@dataclass
class Owners:
    """Numbers the lines of Python that asked for memory; `names` are `file:line function`, files without folders."""

    names: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _seen: dict[int, int | None] = field(default_factory=dict)
    _kept: list[object] = field(default_factory=list)
    """Frames are known by their place in memory, which nothing else gets while they are kept."""

    def of_frames(self, frames: object) -> int:
        """Return the number of the innermost frame of Python; NOBODY where there is none."""
        if type(frames) is not list:
            return NOBODY
        seen = self._seen
        for frame in frames if len(frames) <= _MOST_FRAMES else frames[:_MOST_FRAMES]:
            owner = seen[id(frame)] if id(frame) in seen else self._look_at(frame)
            if owner is not None:
                return owner
        return NOBODY

    def _look_at(self, frame: object) -> int | None:
        self._kept.append(frame)
        self._seen[id(frame)] = found = self._number_of(frame)
        return found

    def _number_of(self, frame: object) -> int | None:
        if type(frame) is not dict:
            return None
        file, function, line = frame.get("filename"), frame.get("name"), frame.get("line")
        if type(file) is not str or type(function) is not str or not _PYTHON.fullmatch(file):
            return None
        short = _FOLDER.split(file)[-1]
        place = f"{short}:{line}" if type(line) is int and 0 < line < 10**9 else short
        name = self.clean(f"{place} {function}")
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]

    @staticmethod
    def clean(text: str) -> str:
        """Return a text shortened, with what no UTF-8 file can hold replaced."""
        return text[:_MOST_TEXT].encode("utf-8", "replace").decode("utf-8")
