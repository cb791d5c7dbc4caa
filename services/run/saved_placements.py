"""Placements of the lab that are saved with a run: saving, removal, parsing, and checks against the
run's blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from analysis.allocators.fingerprint import fingerprint
from analysis.allocators.packing import laid_out
from analysis.allocators.problem import Problem, build_problem
from analysis.allocators.what_if import Changes, apply_changes
from analysis.memory.attempt_map import AttemptMap, attempt_words
from schema.memory import MAX_BYTES, SAVED_RANK_BASE
from services.run.placement_question import LabProblem
from services.run.placements import LabPlacement, parse_placement
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.saved_placements import (
    NewPlacement,
    SavedPlacement,
    SavedPlacements,
    TooManyPlacements,
)
from storage.text import is_plain

MAX_SAVED = 20
"""Maximum number of placements that are saved with a run."""
MAX_TITLE_CHARACTERS = 100
"""Maximum characters of the title of a saved placement."""
_MAX_QUERY = 30_000
"""Maximum characters of the address of the lab's page that is saved with a placement."""
_MAX_STEPS = 200
"""Maximum number of improvements of the search that are saved; later improvements are preferred."""
_OTHER_RELEASE = "it was saved by another release"
_OTHER_BLOCKS = "the run was ingested again and has other blocks now"


class SaveError(ValueError):
    """A placement cannot be saved; the message is a sentence for the user."""


@dataclass(frozen=True)
class SolvedQuestion:
    """The requested problem, the allocator's problem made of it, and its placement; `query` is the
    query string of the lab's page.
    """

    asked: LabProblem
    problem: Problem
    answer: LabPlacement
    query: str


@dataclass(frozen=True)
class CheckedPlacement:
    """A saved placement, checked against the blocks of its run; `asked` is its problem without a
    version.

    `amap` is its map; `None` if it does not fit the run's blocks, and then `reason` is a sentence
    that says why. `asked` and `answer` are `None` if another release saved the placement in a form
    that this release cannot read.
    """

    row: SavedPlacement
    asked: LabProblem | None = None
    answer: LabPlacement | None = None
    amap: AttemptMap | None = None
    reason: str = ""

    @property
    def attempt(self) -> int:
        """Number of the saved placement among the attempts of the run: SAVED_RANK_BASE plus its own
        number.
        """
        return SAVED_RANK_BASE + self.row.number

    @property
    def base(self) -> int:
        """The number of the file's attempt that the placement is based on; `attempt` if that is
        unknown because another release saved it.
        """
        return self.attempt if self.asked is None else self.asked.attempt

    @property
    def label(self) -> str:
        """Name of the saved placement on pages, made from its attempt number."""
        return attempt_words(self.attempt)


def check_room(catalogue: Catalogue, run_id: str, more: int) -> None:
    """Raise SaveError if the run would have more than MAX_SAVED (20) saved placements with `more`
    further placements.
    """
    count = len(SavedPlacements(catalogue).heads(run_id))
    if count + more > MAX_SAVED:
        raise SaveError(
            f"a run can have at most {MAX_SAVED} saved placements: it has {count}, and {more} would be added"
        )


def save_placement(
    catalogue: Catalogue, run_id: str, solved: SolvedQuestion, title: str, user: str
) -> SavedPlacement:
    """Save a placement with a run and return its stored form; `title` may be empty.

    Raises RunNotFound, and SaveError if the title is invalid, there are no addresses, or the run
    has MAX_SAVED (20) placements.
    """
    placement = solved.answer
    title = " ".join(title.split())
    if len(title) > MAX_TITLE_CHARACTERS or not title.isprintable() or not is_plain(title):
        raise SaveError(f"a title must have at most {MAX_TITLE_CHARACTERS} printable characters")
    if placement.address is None or len(placement.address) != len(solved.problem):
        raise SaveError("there is no placement to save: solve the problem first")
    if len(solved.query) > _MAX_QUERY:
        raise SaveError(f"the address of a saved problem must have at most {_MAX_QUERY} characters")
    question = asdict(solved.asked)
    record = asdict(replace(placement, trace=placement.trace[-_MAX_STEPS:]))
    # the version is not saved: a placement still fits a run that was ingested again with equal
    # blocks
    del question["version"], record["address"]
    problem = fingerprint(solved.problem)
    new = NewPlacement(title, solved.query, question, problem, record, placement.address.tolist())
    try:
        saved = SavedPlacements(catalogue).add(run_id, new, user, MAX_SAVED)
    except TooManyPlacements as error:
        raise SaveError(
            f"a run can have at most {MAX_SAVED} saved placements: remove one first"
        ) from error
    words = f"{saved.number}: {placement.strategy}" + (f", {title}" if title else "")
    Audit(catalogue).add(user, "answer.keep", run_id, words)
    return saved


def remove_placement(catalogue: Catalogue, run_id: str, number: int, user: str) -> bool:
    """Delete a saved placement of a run and return True; False if the run has no placement of this
    number.
    """
    if not SavedPlacements(catalogue).delete(run_id, number):
        return False
    Audit(catalogue).add(user, "answer.remove", run_id, str(number))
    return True


def lay_out_placement(
    posed: AttemptMap, problem: Problem, capacity: int | None, placement: LabPlacement
) -> AttemptMap | None:
    """Return the map of a placement of a problem; `None` if there are no addresses or their number
    differs from the blocks.
    """
    if placement.address is None or len(placement.address) != len(problem):
        return None
    numbers = dict(posed.attempt) | {"bound": placement.bound}
    if capacity is not None:
        numbers["capacity"] = capacity
    return laid_out(
        replace(posed, attempt=numbers), np.asarray(placement.address), placement.strategy
    )


def fit_placement(row: SavedPlacement, stored: Callable[[int], AttemptMap]) -> CheckedPlacement:
    """Check a saved placement against its run; if it cannot be read or does not fit the blocks,
    `amap` is `None` and `reason` a sentence.

    `stored` returns the map of an attempt of the file, or raises KeyError.
    """
    try:
        lab_problem = _problem(row.question)
        placement = _parse_placement_row(row)
    except (KeyError, TypeError, ValueError, OverflowError):
        return CheckedPlacement(row, reason=_OTHER_RELEASE)
    amap = _fitting(row, lab_problem, placement, stored)
    return CheckedPlacement(
        row, lab_problem, placement, amap, "" if amap is not None else _OTHER_BLOCKS
    )


def _fitting(
    row: SavedPlacement,
    lab_problem: LabProblem,
    placement: LabPlacement,
    stored: Callable[[int], AttemptMap],
) -> AttemptMap | None:
    """Lay out the map of a saved placement as an attempt of its own; `None` if its question yields
    another problem now, or an invalid problem.
    """
    try:
        posed = apply_changes(stored(lab_problem.attempt), lab_problem.changes)
        problem = build_problem(posed, dict(lab_problem.fixed))
        laid = (
            lay_out_placement(posed, problem, lab_problem.capacity, placement)
            if fingerprint(problem) == row.problem
            else None
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return (
        None
        if laid is None
        else _as_attempt(laid, SAVED_RANK_BASE + row.number, f"lab: {placement.strategy}")
    )


def _as_attempt(laid: AttemptMap, number: int, strategy: str) -> AttemptMap:
    """Return a copy of the map under another attempt number and strategy.

    Its blocks and occupancy get the number, its steps and uses keep theirs. Frames are copied since
    the frames of an attempt are slices of the whole run's tables.
    """
    row = dict(laid.attempt) | {
        "attempt": number,
        "strategy": strategy,
        "final": None,
        "line": None,
    }
    blocks, occupancy = (
        frame.copy().assign(attempt=number) for frame in (laid.blocks, laid.occupancy)
    )
    return replace(
        laid,
        attempt=row,
        blocks=blocks,
        occupancy=occupancy,
        steps=laid.steps.copy(),
        uses=laid.uses.copy(),
    )


def _problem(question: object) -> LabProblem:
    """Parse a saved question; the version of the result is "".

    Raises TypeError for unknown fields, and ValueError or KeyError for anything that is not a
    question. A damaged row can hold any JSON value here.
    """
    if not isinstance(question, dict) or not isinstance(question.get("changes"), dict):
        raise ValueError("this is not a valid problem")
    changes = Changes(**{name: _tuples(value) for name, value in question["changes"].items()})
    fields = {name: _tuples(value) for name, value in question.items() if name != "changes"}
    return LabProblem(version="", changes=changes, **(fields | {"attempt": int(fields["attempt"])}))


def _tuples(value: object) -> Any:  # noqa: ANN401 - any part of a question
    """Convert JSON lists to the tuples that a question has, recursively; other values are
    unchanged.
    """
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _parse_placement_row(row: SavedPlacement) -> LabPlacement:
    """Parse the placement of a saved row, including its addresses.

    Raises KeyError, TypeError or ValueError if a value is missing or has a type or range that no
    placement has.
    """
    placement = parse_placement({**row.answer, "address": row.addresses})
    counts = (
        placement.seed,
        placement.asked_effort,
        placement.extent,
        placement.bound,
        placement.effort,
    )
    texts = (placement.strategy, placement.status, placement.stopped, placement.note)
    fits = all(type(value) is int and value >= 0 for value in counts) and all(
        isinstance(value, str) for value in texts
    )
    fits = fits and (
        placement.moved_bytes is None
        or (type(placement.moved_bytes) is int and placement.moved_bytes >= 0)
    )
    fits = fits and all(
        isinstance(value, int | float) for value in (placement.seconds, placement.gap or 0.0)
    )
    if (
        not fits
        or placement.address is None
        or not ((placement.address >= 0) & (placement.address <= MAX_BYTES)).all()
    ):
        raise ValueError("a placement cannot have such parts")
    return placement
