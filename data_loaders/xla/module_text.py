"""Parser of a module's text (HLO): opcode and source line of each instruction.

New texts number files, functions, locations and stack frames at their head; old texts have file and
line in the instruction itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_MAX_TEXT = 200
"""Longest origin, in characters."""
_INSTRUCTION = re.compile(
    r"\A\s{0,9}(?:ROOT )?%?([^\s=]{1,500}) = [^\n]{1,2000}? ([a-z][a-z0-9-]{0,60})\("
)
_NAMED = re.compile(r'\A(\d{1,9}) "([^"\n]{0,2000})"')
_LOCATION = re.compile(
    r"\A(\d{1,9}) \{file_name_id=(\d{1,9}) function_name_id=(\d{1,9}) line=(\d{1,9})\b"
)
_FRAME = re.compile(r"\A(\d{1,9}) \{file_location_id=(\d{1,9})\b")
_STACK = re.compile(r"\bstack_frame_id=(\d{1,9})\b")
_FILE = re.compile(r'\bsource_file="([^"\n]{0,2000})"')
_LINE = re.compile(r"\bsource_line=(\d{1,9})\b")
_FOLDER = re.compile(r"[/\\]")
_METADATA = "metadata={"


@dataclass(frozen=True)
class ModuleText:
    """Instruction -> opcode, and instruction -> `file:line function` in the user's program."""

    opcodes: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


def read_module(text: str) -> ModuleText:
    """Parse opcode and source line of the instructions of a module's text.

    Both maps are empty without instructions. An instruction without a source line has an opcode
    only.
    """
    places = _Places()
    opcodes: dict[str, str] = {}
    origins: dict[str, str] = {}
    for line in text.split("\n"):
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            places.take(line)
            continue
        opcodes[instruction[1]] = instruction[2]
        origin = places.origin(line)
        if origin:
            origins[instruction[1]] = origin
    return ModuleText(opcodes, origins)


class _Places:
    """The numbered tables at the head of a text; instructions refer to their numbers."""

    def __init__(self) -> None:
        self._part = ""
        self._names: dict[str, dict[str, str]] = {"FileNames": {}, "FunctionNames": {}}
        self._locations: dict[str, tuple[str, str, str]] = {}
        self._frames: dict[str, str] = {}

    def take(self, line: str) -> None:
        """Parse a line that is not an instruction, and add its entry to the numbered tables.

        Other lines are ignored.
        """
        if line in self._names or line in {"FileLocations", "StackFrames"}:
            self._part = line
        elif self._part in self._names and (named := _NAMED.match(line)):
            self._names[self._part][named[1]] = named[2]
        elif self._part == "FileLocations" and (place := _LOCATION.match(line)):
            self._locations[place[1]] = place[2], place[3], place[4]
        elif self._part == "StackFrames" and (frame := _FRAME.match(line)):
            self._frames[frame[1]] = frame[2]

    def origin(self, instruction: str) -> str:
        """Return `file:line function` of the line of an instruction, without folders and cut to 200
        characters.

        Returns "" if its metadata does not contain it; old texts have no function.
        """
        begin = instruction.find(_METADATA)
        if begin < 0:
            return ""
        # The limit keeps the three searches below linear even if the line of an instruction is very
        # long.
        metadata = instruction[begin : begin + 10_000]
        stack = _STACK.search(metadata)
        location = self._locations.get(self._frames.get(stack[1], "")) if stack else None
        if location is not None:
            file, function, line = location
            return _place(
                self._names["FileNames"].get(file, ""),
                line,
                self._names["FunctionNames"].get(function, ""),
            )
        file_match = _FILE.search(metadata)
        line_match = _LINE.search(metadata)
        return _place(file_match[1], line_match[1], "") if file_match and line_match else ""


def _place(file: str, line: str, function: str) -> str:
    words: Iterable[str] = (f"{_FOLDER.split(file)[-1]}:{line}" if file else "", function)
    return " ".join(filter(None, words))[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
