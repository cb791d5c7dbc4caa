"""Collects the named numbers of a file within limits, and builds their frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.protocol import LoadError
from data_loaders.results.frames import MAX_SAMPLES_EACH, result_frames
from data_loaders.results.units import known_unit
from data_loaders.results.values import (
    NO_STATISTICS,
    NamedNumber,
    Statistics,
    as_number,
    scale,
)
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.results import MAX_NAME, MAX_RESULTS, MAX_SAMPLES, MAX_UNIT

_MAX_QUOTED = 40
_UNDIRECTED = "the file does not tell whether less or more is better, so that changes are shown and not judged"


class NumberCollector:
    """Named numbers of a file in its order; numbers of one name, unit and direction are samples of
    one number.

    `direction` is that of numbers whose direction the file does not tell.
    """

    def __init__(self, path: Path, direction: str = "") -> None:
        self._path = path
        self._direction = direction
        self._numbers: dict[tuple[str, str, str], NamedNumber] = {}
        self._skipped: dict[str, tuple[int, str]] = {}
        self._samples = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(
        self,
        name: str,
        values: Sequence[object],
        unit: str = "",
        direction: str = "",
        *,
        place: str = "",
        given: Statistics = NO_STATISTICS,
    ) -> None:
        """Add measured values of a number, or if there are none the statistics that a file gives.

        Values that are no finite numbers are counted and left out, as is a number without a name.
        Raises LoadError if the file has more than 10,000 (MAX_RESULTS) named numbers.
        """
        name = " ".join(name.split())
        problem = _problem(name, unit)
        if problem:
            self.skip(problem, place)
            return
        known, factor = known_unit(unit)
        numbers = [as_number(value) for value in values]
        scaled = [scale(value, factor) for value in numbers if value is not None]
        finite = [value for value in scaled if math.isfinite(value)]
        if len(finite) < len(values):
            self.skip("a value is not a finite number", place, len(values) - len(finite))
        if not finite and not _has_centre(given):
            if not values:
                self.skip("it has no value", place)
            return
        number = self._find(name, known, direction or self._direction, unit.strip(), factor)
        number.samples += finite
        self._samples += len(finite)
        number.given = given if given is not NO_STATISTICS else number.given

    def skip(self, reason: str, place: str, count: int = 1) -> None:
        """Count entries that are left out, by reason; the first place of a reason is reported."""
        before, first = self._skipped.get(reason, (0, place))
        self._skipped[reason] = (before + count, first)

    def _unknown_findings(self) -> list[Diagnostic]:
        """Report how many numbers have no unit, and how many no direction."""
        numbers = self._numbers.values()
        found = []
        if count := sum(not number.unit for number in numbers):
            text = f"{plural(count, 'number')} of {len(numbers)} without a unit: the file does not tell it"
            found.append(Diagnostic("info", "number_without_unit", text, self._path.name, count))
        if count := sum(not number.direction for number in numbers):
            text = f"{plural(count, 'number')} of {len(numbers)} without a direction: {_UNDIRECTED}"
            found.append(
                Diagnostic("info", "number_without_direction", text, self._path.name, count)
            )
        return found

    def _find(
        self, name: str, unit: str, direction: str, file_unit: str, factor: float
    ) -> NamedNumber:
        key = (name, unit, direction)
        if key not in self._numbers:
            if len(self._numbers) >= MAX_RESULTS:
                raise LoadError(
                    f"{self._path}: has more than {MAX_RESULTS} named numbers, the limit of a file; "
                    f"{name[:_MAX_QUOTED]!r} is the first beyond it"
                )
            self._numbers[key] = NamedNumber(name, unit, direction, file_unit, factor)
        return self._numbers[key]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Build the frames of the numbers, of which there must be at least one."""
        return result_frames([*self._numbers.values()])

    def findings(self) -> list[Diagnostic]:
        """List what was left out, and what the file does not tell about the numbers."""
        found = [
            Diagnostic(
                "warning",
                "entries_skipped",
                f"{plural(count, 'entry')} left out: {reason}{f', first at {place}' if place else ''}",
                self._path.name,
                count,
            )
            for reason, (count, place) in self._skipped.items()
        ]
        found += self._unknown_findings()
        large = max((len(number.samples) for number in self._numbers.values()), default=0)
        if large > MAX_SAMPLES_EACH or self._samples > MAX_SAMPLES:
            text = f"{plural(self._samples, 'sample')}: of each number the first are stored, its statistics are of all"
            found.append(Diagnostic("info", "samples_cut", text, self._path.name))
        return found


def _problem(name: str, unit: str) -> str:
    if not name:
        return "it has no name"
    if len(name) > MAX_NAME:
        return f"its name has more than {MAX_NAME} characters"
    return f"its unit has more than {MAX_UNIT} characters" if len(unit) > MAX_UNIT else ""


def _has_centre(given: Statistics) -> bool:
    return given.median is not None or given.mean is not None
