"""Answers of the lab that are kept with a run: read, checked against its blocks, and each as an attempt beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.memory.allocators.fingerprint import fingerprint
from analysis.memory.allocators.packing import laid_out
from analysis.memory.allocators.problem import Problem, problem_of
from analysis.memory.allocators.what_if import Changes, changed
from analysis.memory.attempt_map import AttemptMap, attempt_words
from schema.memory import KEPT_FROM, MOST_BYTES
from services.lab.answers import LabAnswer, answer_of
from services.lab.question import LabProblem
from storage.kept_answers import KeptAnswer

_OTHER_RELEASE = "another release kept it"
_OTHER_BLOCKS = "the run was ingested again since, and its blocks are others now"


@dataclass(frozen=True)
class Kept:
    """A kept answer; `asked` has no version.

    `amap` is its map, None where it does not fit the run (any more), and then `reason` says why; what another release
    kept has no question and no answer either.
    """

    row: KeptAnswer
    asked: LabProblem | None = None
    answer: LabAnswer | None = None
    amap: AttemptMap | None = None
    reason: str = ""

    @property
    def attempt(self) -> int:
        """Return its rank among the attempts of its run."""
        return KEPT_FROM + self.row.number

    @property
    def base(self) -> int:
        """Return the attempt of the file that it was asked about, its own rank where that is not known."""
        return self.attempt if self.asked is None else self.asked.attempt

    @property
    def label(self) -> str:
        """Return what people call it."""
        return attempt_words(self.attempt)


def laid_map(posed: AttemptMap, problem: Problem, capacity: int | None, answer: LabAnswer) -> AttemptMap | None:
    """Return the map of an answer to a problem, None where it has no placement."""
    if answer.address is None or len(answer.address) != len(problem):
        return None
    numbers = dict(posed.attempt) | {"bound": answer.bound}
    if capacity is not None:
        numbers["capacity"] = capacity
    return laid_out(replace(posed, attempt=numbers), np.asarray(answer.address), answer.strategy)


def kept_of(row: KeptAnswer, stored: Callable[[int], AttemptMap]) -> Kept:
    """Return a kept answer of a run; `stored` returns the map of an attempt of its file, or raises KeyError."""
    try:
        asked, answer = _problem(row.question), _answer(row)
    except (KeyError, TypeError, ValueError, OverflowError):
        return Kept(row, reason=_OTHER_RELEASE)
    amap = _fitting(row, asked, answer, stored)
    return Kept(row, asked, answer, amap, "" if amap is not None else _OTHER_BLOCKS)


def _fitting(
    row: KeptAnswer, asked: LabProblem, answer: LabAnswer, stored: Callable[[int], AttemptMap]
) -> AttemptMap | None:
    """Return the map of an answer, None where its question poses another problem by now, or none."""
    try:
        posed = changed(stored(asked.attempt), asked.changes)
        problem = problem_of(posed, dict(asked.fixed))
        laid = laid_map(posed, problem, asked.capacity, answer) if fingerprint(problem) == row.problem else None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return None if laid is None else _as_attempt(laid, KEPT_FROM + row.number, f"lab: {answer.strategy}")


def _as_attempt(laid: AttemptMap, number: int, strategy: str) -> AttemptMap:
    """Return a map under another rank, with rows of its own: those of an attempt are part of its whole run's tables.

    Steps and uses stay those of its attempt.
    """
    row = dict(laid.attempt) | {"attempt": number, "strategy": strategy, "final": None, "line": None}
    blocks, occupancy = (frame.copy().assign(attempt=number) for frame in (laid.blocks, laid.occupancy))
    return replace(
        laid, attempt=row, blocks=blocks, occupancy=occupancy, steps=laid.steps.copy(), uses=laid.uses.copy()
    )


def _problem(question: object) -> LabProblem:
    """Return what was asked; raises TypeError for members that this release does not know, ValueError for no question.

    A damaged row has anything where its question should be.
    """
    if not isinstance(question, dict) or not isinstance(question.get("changes"), dict):
        raise ValueError("this is no question")
    changes = Changes(**{name: _tuples(value) for name, value in question["changes"].items()})
    given = {name: _tuples(value) for name, value in question.items() if name != "changes"}
    return LabProblem(version="", changes=changes, **(given | {"attempt": int(given["attempt"])}))


def _tuples(value: object) -> Any:  # noqa: ANN401 - any part of a question
    """Return a value as questions have it, where JSON has lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _answer(row: KeptAnswer) -> LabAnswer:
    """Return what was found; raises ValueError for what no answer has."""
    answer = answer_of({**row.answer, "address": row.addresses})
    whole = (answer.seed, answer.asked_effort, answer.extent, answer.bound, answer.effort)
    texts = (answer.strategy, answer.status, answer.stopped, answer.note)
    fits = all(type(one) is int and one >= 0 for one in whole) and all(isinstance(one, str) for one in texts)
    fits = fits and all(isinstance(one, int | float) for one in (answer.seconds, answer.gap or 0.0))
    if not fits or answer.address is None or not ((answer.address >= 0) & (answer.address <= MOST_BYTES)).all():
        raise ValueError("no answer has such parts")
    return answer
