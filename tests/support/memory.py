"""Hand-made memory maps: rows of frames `attempts`, `allocations`, `steps` and `buffer_uses`, and
whole maps.

`block(...)` is a row; `blocks(rows)` a frame of rows; `attempts(...)` the rows of their attempts;
`amap(rows)` a map as views use it, with the numbers of the analysis.
"""

import pandas as pd

from analysis.memory.attempt_map import AttemptMap, segments
from analysis.memory.attempts import add_attempt_numbers as numbers_of
from analysis.memory.attempts import with_numbers
from analysis.memory.findings.all import map_findings
from analysis.memory.gaps import without_gaps
from analysis.memory.lives import lives
from analysis.memory.occupancy import occupancy
from analysis.memory.survey import survey
from schema.frames import complete, empty

_LENGTH = 4
_BLOCK = {
    "attempt": 0,
    "kind": "activation",
    "wraps": False,
    "hold": False,
    "shape": "",
    "gaps": "",
}


def block(name="t", start=0, end=1, address=None, size=64, **more):
    """Build a row of `allocations`, alive in [start, end); without an address its status is
    unplaced unless `more` has another status.
    """
    row = {"name": name, "start": start, "end": end, "address": address, "size": size}
    row["status"] = "unplaced" if address is None else "placed"
    return _BLOCK | row | more


def failed(name="t", start=0, end=1, size=64, **more):
    """Build the row of a block that was not placed because it did not fit."""
    return block(name, start, end, None, size, status="failed", **more)


def constant(name="c", address=0, size=64, **more):
    """Build the row of a constant in the static band."""
    return block(name, address=address, size=size, kind="constant", hold=True, **more)


def blocks(rows):
    """Build frame `allocations` from rows as `block` makes them; without `block` numbers the blocks
    of each attempt are numbered from 0.
    """
    rows = sorted(rows, key=lambda row: row["attempt"])
    if not rows:
        return empty("allocations")
    # Plain objects, so that a null beside a number of 2^62 does not make floats of both.
    frame = pd.DataFrame(rows, dtype=object)
    ranks = frame.groupby("attempt").cumcount()
    return complete("allocations", frame if "block" in frame else frame.assign(block=ranks))


def attempts(count=1, **columns):
    """Build frame `attempts` with `count` rows of 4 steps; a column is a single value for all rows,
    or a list.
    """
    given = {"attempt": list(range(count)), "steps": _LENGTH, "outcome": "success"} | columns
    spread = {
        name: value if isinstance(value, list) else [value] * count for name, value in given.items()
    }
    return complete("attempts", pd.DataFrame(spread, dtype=object))


def length(rows):
    """Compute the number of steps that the rows need: the last end, or the step after the last
    start.
    """
    return max((max(row["start"] + 1, row["end"]) for row in rows), default=1)


def numbered(rows, count=1, **columns):
    """Build frames `attempts` (with the numbers of the analysis) and `allocations` of rows."""
    rows = list(rows)
    made = blocks(rows)
    return with_numbers(attempts(count, **({"steps": length(rows)} | columns)), made), made


def amap(rows, *, steps=None, uses=None, **columns):
    """Build the map of one attempt; `columns` are columns of `attempts`. By default it has as many
    steps as the rows need.
    """
    rows = list(rows)
    lasts = columns.pop("length", None) or length(rows)
    attempt, allocations = numbered(rows, **({"steps": lasts} | columns))
    return AttemptMap(
        attempt.iloc[0].to_dict(),
        allocations,
        without_gaps(allocations, segments(allocations, lasts))[0],
        occupancy(allocations, attempt),
        empty("steps") if steps is None else steps,
        empty("buffer_uses") if uses is None else uses,
    )


def uses(rows):
    """Build frame `buffer_uses` from rows (attempt, block, step, access)."""
    names = ("attempt", "block", "kernel", "access")
    columns = {name: [row[rank] for row in rows] for rank, name in enumerate(names)}
    return complete("buffer_uses", columns | {"start": columns["kernel"]})


def steps(names, op_types=None, **columns):
    """Build frame `steps` of one plan with a step per name."""
    given = {"step": list(range(len(names))), "name": names, "op_type": op_types or names}
    return complete("steps", given | columns)


def memory_findings(attempts, allocations, uses):
    """Compute the findings about frames `attempts`, `allocations` and `buffer_uses`."""
    surveyed = survey(lives(allocations, attempts))
    return map_findings(numbers_of(attempts, surveyed), allocations, uses, surveyed)
