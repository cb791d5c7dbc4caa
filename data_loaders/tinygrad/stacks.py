"""Call stacks of tinygrad's captures: locations in the user's program and in tinygrad."""

from __future__ import annotations

from collections.abc import Iterator

from data_loaders.tinygrad.names import clean

NO_STACK = -1
MAX_DEPTH = 200
"""Maximum calls of a stack that are stored."""

_MAX_SEEN = 1000
"""Maximum stack objects that are remembered by their id."""
_CALL = (str, int, str, str)
Call = tuple[str, int, str, str]
"""File, line, function and text of the source line."""


class Stacks:
    """Numbers the distinct call stacks of a capture; `dropped` counts stacks that are not
    stored.
    """

    def __init__(self, keep: bool) -> None:
        self._keep = keep
        self._calls: dict[Call, int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}
        self._seen: dict[int, tuple[object, int]] = {}
        self.dropped = 0

    def number(self, stack: object) -> int:
        """Return the number (from 0) of a pickled stack; equal stacks share a number.

        Returns NO_STACK (-1) if it is empty or malformed, or stacks are not kept; then it is
        counted in `dropped`.
        """
        if type(stack) is not tuple or not stack:
            return NO_STACK
        if not self._keep:
            self.dropped += 1
            return NO_STACK
        seen = self._seen.get(id(stack))
        if seen is not None:
            return seen[1]
        calls = tuple(
            [
                self._calls.setdefault(call, len(self._calls))
                for call in stack[:MAX_DEPTH]
                if _is_call(call)
            ]
        )
        number = self._stacks.setdefault(calls, len(self._stacks)) if calls else NO_STACK
        if len(self._seen) >= _MAX_SEEN:
            self._seen.clear()
        # A reference to the stack keeps it alive, so that Python does not reuse its id.
        self._seen[id(stack)] = stack, number
        return number

    def __len__(self) -> int:
        """Return the number of distinct stacks."""
        return len(self._stacks)

    def files(self) -> int:
        """Return the number of distinct source files in all stacks."""
        return len({file for file, *_ in self._calls})

    def rows(self) -> Iterator[tuple[int, int, str, int, str, str]]:
        """Yield (stack, depth, file, line, function, source line) of every call of every stack.

        Depth 0 is innermost.
        """
        calls = [
            (clean(file), line, clean(function), clean(text))
            for file, line, function, text in self._calls
        ]
        for stack, codes in enumerate(self._stacks):
            for depth, code in enumerate(codes):
                yield (stack, depth, *calls[code])


def _is_call(call: object) -> bool:
    """Whether a value is a tuple of file (text), line (int), function (text) and source line
    (text).

    Checked before it is hashed, since hashing nested tuples can take exponential time.
    """
    return type(call) is tuple and tuple(map(type, call)) == _CALL
