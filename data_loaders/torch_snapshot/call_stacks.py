"""Call stacks of allocations: their Python lines, innermost first; without any, their C++ frames."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NO_STACK = -1
_MAX_FRAMES = 500
"""Maximum frames of a stack that are read, innermost first; the frames include C++."""
_MAX_DEPTH = 100
"""Maximum Python lines of a stack that are stored, innermost first."""
_MAX_CALLS = 1_000_000
"""Maximum lines of all stacks together.

When they are reached, further stacks keep only their innermost line.
"""
_MAX_TEXT = 300
"""Maximum characters of a name."""
_PYTHON = re.compile(r"\A(?:.{0,4000}\.py[iwx]?|<[^>]{1,200}>.{0,50})", re.DOTALL)
_FOLDER = re.compile(r"[/\\]")
_RECORDER = re.compile(
    r"torch::unwind|torch::CapturedTraceback|torch::\w{1,20}::\(anonymous namespace\)::gather"
    r"|c10::\w{1,20}::\w{1,40}Allocator|(?:at::TensorBase )?at::detail::|\?\?$"
)
"""Beginning of the names of C++ functions that record a stack or make any allocation."""
NO_LINE = -1
_NO_FILES = ("", "??")
"""File names of frames of libraries without debug information."""
_CPP = "C++"
"""File name that is stored for these frames."""


@dataclass
class CallStacks:
    """Numbers the distinct call stacks of allocations. File names are stored without their folders.

    C++ frames count only in stacks without a line of Python, such as those of `stacks="cpp"` or of
    a program in C++: between lines of Python they name the framework, not the program.

    `shortened` counts stacks that were cut to their innermost line; `unreadable` counts values that
    are not lists of frames.
    """

    shortened: int = 0
    unreadable: int = 0
    _stacks: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Numbers of calls, innermost first -> number of the stack."""
    _calls: dict[tuple[str, int, str], int] = field(default_factory=dict)
    _call_of_frame: dict[int, tuple[int, bool] | None] = field(default_factory=dict)
    """Id of a frame -> number of its call, and whether it is a line of Python."""
    _seen: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Ids of the frames of a list -> number of the stack.

    `_frame_lists` holds the lists, so that Python does not reuse the ids.
    """
    _frame_lists: list[object] = field(default_factory=list)
    _length: int = 0

    def number_stack(self, frames: object) -> int:
        """Return the number (from 0) of the stack of these frames.

        A new stack gets the next number. Returns NO_STACK (-1) if no frame names a function.
        """
        if type(frames) is not list:
            self.unreadable += frames is not None
            return NO_STACK
        read_frames = frames if len(frames) <= _MAX_FRAMES else frames[:_MAX_FRAMES]
        # PyTorch's pickles share the objects of equal frames, so comparing ids avoids reading a
        # stack again.
        ids = tuple(map(id, read_frames))
        if ids not in self._seen:
            self._frame_lists.append(frames)
            self._seen[ids] = self._store_stack(read_frames)
        return self._seen[ids]

    @property
    def names(self) -> list[str]:
        """Innermost line of each stack, as `file:line function`, in the order of their numbers.

        `file function` without a line.
        """
        calls = [*self._calls]
        return [_name(*calls[stack[0]]) for stack in self._stacks]

    @property
    def calls(self) -> list[tuple[str, int, str]]:
        """File, line (NO_LINE if unknown) and function of each call, in the order of their numbers."""
        return [*self._calls]

    @property
    def stacks(self) -> list[tuple[int, ...]]:
        """Numbers of the calls of each stack, innermost first, in the order of the stacks' numbers."""
        return [*self._stacks]

    def _store_stack(self, frames: list[object]) -> int:
        calls = [call for frame in frames if (call := self._call(frame)) is not None]
        python = [number for number, is_python in calls if is_python]
        stack = tuple((python or [number for number, _ in calls])[:_MAX_DEPTH])
        if not stack:
            return NO_STACK
        if stack not in self._stacks and self._length + len(stack) > _MAX_CALLS:
            self.shortened += len(stack) > 1
            stack = stack[:1]
        if stack not in self._stacks:
            self._stacks[stack] = len(self._stacks)
            self._length += len(stack)
        return self._stacks[stack]

    def _call(self, frame: object) -> tuple[int, bool] | None:
        if id(frame) not in self._call_of_frame:
            self._call_of_frame[id(frame)] = self._read(frame)
        return self._call_of_frame[id(frame)]

    def _read(self, frame: object) -> tuple[int, bool] | None:
        if type(frame) is not dict:
            return None
        file = frame.get("filename")
        function = frame.get("name")
        line = frame.get("line")
        if type(file) is not str or type(function) is not str:
            return None
        is_python = _PYTHON.fullmatch(file) is not None
        # They are the same in every stack, as are frames without a symbol.
        if not is_python and (not function or _RECORDER.match(function)):
            return None
        number = line if type(line) is int and 0 < line < 10**9 else NO_LINE
        source = file if file not in _NO_FILES else _CPP
        call = clean(_FOLDER.split(source)[-1]), number, clean(function)
        return self._calls.setdefault(call, len(self._calls)), is_python


def clean(text: str) -> str:
    """Cut a text to 300 characters, and replace characters that UTF-8 cannot encode by `?`."""
    return text[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")


def _name(file: str, line: int, function: str) -> str:
    return clean(f"{file if line == NO_LINE else f'{file}:{line}'} {function}")
