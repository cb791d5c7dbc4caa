"""Parser of XLA's values text: which instructions use each value of a buffer assignment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from schema.frames import complete

_HEAD = "Total bytes used:"
_VALUE = re.compile(r"\A<\d{1,12} (\S[^\n]{0,2000}?) @\d{1,4}>\Z")
_USE = re.compile(r"\A {2}(\S[^\n,]{0,2000}), operand \d{1,9}\b")


def is_uses(text: str) -> bool:
    """Whether a text begins, within its first 200 characters, with `Total bytes used:`, as XLA's
    values text does.
    """
    return text[:200].lstrip().startswith(_HEAD)


def read_uses(text: str) -> Mapping[str, Sequence[str]]:
    """Map each value's name (as in the assignment) to the instructions that use it, in text order.

    Values without uses are missing.
    """
    users: dict[str, list[str]] = {}
    value = ""
    part = ""
    for line in text.split("\n"):
        header = _VALUE.match(line)
        if header is not None:
            value = header[1]
            part = ""
        elif line.startswith(" ") and not line.startswith("  "):
            part = line.strip()
        elif part == "uses:" and value and (use := _USE.match(line)):
            users.setdefault(value, []).append(use[1])
    return users


def repeated_names(names: Sequence[str], uses: Mapping[str, Sequence[str]]) -> int:
    """Count the values that have uses and the same name as an earlier value."""
    used = [name for name in names if name in uses]
    return len(used) - len(set(used))


def uses_frame(
    blocks: Iterable[Mapping[str, object]],
    uses: Mapping[str, Sequence[str]],
    steps: Sequence[str],
    makers: Sequence[str],
) -> pd.DataFrame:
    """Build frame `buffer_uses` for rows of frame `allocations`.

    A row per block and step (index in `steps`) that reads or writes it. `makers` are the
    instructions that produce the values, an item per block. A use outside of a value's live range
    is skipped: a loop uses its operands when its body begins. If several blocks have the same name,
    only the first gets the uses: names of values are unique, and all uses at each block could fill
    the memory.
    """
    named: set[str] = set()
    step_of = {name: step for step, name in enumerate(steps)}
    rows: list[tuple[object, object, int, str]] = []
    for block, maker in zip(blocks, makers, strict=True):
        name = str(block["name"])
        users = () if name in named else uses.get(name, ())
        named.add(name)
        alive = range(int(str(block["start"])), int(str(block["end"])))
        written = step_of.get(maker, -1)
        read = {step_of[user] for user in users if user in step_of}
        for step in sorted(read | {written}):
            if step in alive:
                access = "r"
                if step == written:
                    access = "rw" if step in read else "w"
                rows.append((block["attempt"], block["block"], step, access))
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(("attempt", "block", "kernel", "access"))
    }
    return complete("buffer_uses", columns | {"start": columns["kernel"]})
