"""The view state of the page of allocators and runs.

The declarations of its fields define its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import Text, Whole
from app.views.address.run_ids import RunIds
from schema.memory import MAX_SEED
from services.lab.matrix_page import MAX_LEVEL, MAX_RUNS
from services.run.placement_question import EFFORTS, MAX_EFFORT

EFFORT = min(EFFORTS)
"""Default number of placements that each strategy may try per run."""
_SEED_DIGITS = 19


@dataclass(frozen=True)
class MatrixState(Addressed):
    """The runs, the memory level to place ("": what each run's page shows first), and effort and
    seed for every strategy.

    If there are too many runs, the first run above the limit is kept, so that the page can report
    it.
    """

    run: tuple[str, ...] = param(RunIds(MAX_RUNS), ())
    level: str = param(Text(MAX_LEVEL), "")
    effort: int = param(Whole(least=1, most=MAX_EFFORT), EFFORT)
    seed: int = param(Whole(_SEED_DIGITS, accepts=lambda seed: seed <= MAX_SEED), 0)


def parse(query: str) -> MatrixState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(MatrixState, query)


def make(runs: tuple[str, ...], chosen: Mapping[str, str | None]) -> MatrixState:
    """Build the state from runs and the values of the page's controls, by name; spaces in numbers
    are dropped, invalid values become the default.
    """
    values = [
        (name, value or "" if name == "level" else "".join((value or "").split()))
        for name, value in chosen.items()
    ]
    return read_state(MatrixState, [*(("run", run) for run in runs), *values])
