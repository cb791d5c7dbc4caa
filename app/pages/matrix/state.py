"""The state of the page of allocators x runs; how its fields are declared says how an address has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import Whole
from app.views.address.run_ids import RunIds
from schema.memory import MOST_SEED
from services.lab.matrix_page import MOST_RUNS
from services.run.placement_question import EFFORTS, MOST_EFFORT

EFFORT = min(EFFORTS)
"""Placements that each strategy may try for each run, unless another number is chosen."""
_SEED_DIGITS = 19


@dataclass(frozen=True)
class MatrixState(Addressed):
    """The runs, of too many one more than there may be, and how every strategy is asked about them."""

    run: tuple[str, ...] = param(RunIds(MOST_RUNS), ())
    effort: int = param(Whole(least=1, most=MOST_EFFORT), EFFORT)
    seed: int = param(Whole(_SEED_DIGITS, accepts=lambda seed: seed <= MOST_SEED), 0)


def parse(query: str) -> MatrixState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    return parse_query(MatrixState, query)


def make(runs: tuple[str, ...], chosen: Mapping[str, str | None]) -> MatrixState:
    """Return the canonical state of runs and what the page's controls hold, by name."""
    given = [(name, "".join((value or "").split())) for name, value in chosen.items()]
    return read_state(MatrixState, [*(("run", run) for run in runs), *given])
