"""Text form of a graph, with a line per node, and the difference of two graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby

from analysis.program.state import State

MAX_ARGUMENT = 200
"""Maximum number of characters of an argument."""


def lines_of(state: State) -> list[str]:
    """Write `%12 = ADD float (%3, %7) argument` for each node, operands before users; void types
    and empty parts are left out, arguments cut to 200 characters.

    A node keeps its number when it is rebuilt. Hidden nodes are included.
    """
    return [_line(state, node) for node in state.order]


def _line(state: State, node: int) -> str:
    nodes = state.nodes
    names = state.names
    operands = ", ".join(f"%{names[source]}" for source in nodes.sources[node])
    dtype = nodes.dtypes[node]
    parts = [
        nodes.operations[node],
        dtype if dtype not in ("", "void") else "",
        f"({operands})" if operands else "",
    ]
    parts += [
        _short(nodes.argument_text(node)),
        f"tag {tag}" if (tag := nodes.tag_text(node)) else "",
    ]
    return f"%{names[node]} = {' '.join(part for part in parts if part)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_ARGUMENT else f"{line[: MAX_ARGUMENT - 1]}…"


def difference(before: State, after: State, context: int = 3) -> list[str]:
    """Compute the unified diff of two states' lines as a list of lines, without file headings; []
    if they are equal. `context` equal lines are shown around changes.

    Lines are sorted by number, and each number has a single line, so no search for equal lines is
    necessary.
    """
    old = _line_numbers(before)
    new = _line_numbers(after)
    numbers = sorted(old.keys() | new.keys())
    # Running numbers of lines on both sides give the line numbers in the headings.
    starts = [[0, *accumulate(int(number in lines) for number in numbers)] for lines in (old, new)]
    diff: list[str] = []
    for begin, end in _spans([old.get(number) != new.get(number) for number in numbers], context):
        places = (
            f"{sign}{_place(start[begin], start[end])}"
            for sign, start in zip("-+", starts, strict=True)
        )
        diff += [f"@@ {' '.join(places)} @@", *_hunk(old, new, numbers[begin:end])]
    return diff


def _spans(changed: Sequence[bool], context: int) -> list[tuple[int, int]]:
    """Compute [begin, end) of the shown ranges: all changed lines, with `context` lines around
    them; ranges that touch are merged.
    """
    spans: list[tuple[int, int]] = []
    for place in (place for place, is_changed in enumerate(changed) if is_changed):
        begin = max(place - context, 0)
        end = min(place + context + 1, len(changed))
        if spans and begin <= spans[-1][1]:
            begin = spans.pop()[0]
        spans.append((begin, end))
    return spans


def _hunk(old: Mapping[int, str], new: Mapping[int, str], numbers: Iterable[int]) -> Iterator[str]:
    """Yield the lines of these numbers with `-`, `+` or a space before them; in a run of changes,
    removed lines come first.
    """
    for changed, run in groupby(numbers, lambda number: old.get(number) != new.get(number)):
        own = list(run)
        if changed:
            yield from (f"-{old[number]}" for number in own if number in old)
            yield from (f"+{new[number]}" for number in own if number in new)
        else:
            yield from (f" {old[number]}" for number in own)


def _place(begin: int, end: int) -> str:
    """Format the first line and the number of lines of [begin, end) as in a unified diff: `3,4`, or
    `3` for a single line.
    """
    if end - begin == 1:
        return str(end)
    return f"{begin + 1 if end > begin else begin},{end - begin}"


def _line_numbers(state: State) -> dict[int, str]:
    """Map the number (name) of each node of the state to its line, also of hidden nodes."""
    return {state.names[node]: _line(state, node) for node in state.order}
