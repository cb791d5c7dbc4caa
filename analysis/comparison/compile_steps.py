"""Compile time of two runs: each rewrite step, and each range that the compiler traced of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.program.compile_time import CompileTime, ranges_by_name


@dataclass(frozen=True)
class CompileChange:
    """Time of a step or range of both runs, in ns; None if a run does not have it.

    `base` and `new` exclude the steps or ranges inside, so that they sum to the time of the
    compile; `base_total` and `new_total` include them.
    """

    name: str
    base: int | None
    new: int | None
    base_total: int | None
    new_total: int | None

    @property
    def change(self) -> int:
        """Difference new - base; a run without the step or range counts as 0."""
        return (self.new or 0) - (self.base or 0)

    def record(self) -> dict[str, object]:
        """Convert the change to JSON types."""
        return vars(self) | {"change": self.change}


@dataclass(frozen=True)
class CompileChanges:
    """Compile time of both runs: `elapsed` is the time of all matches (ns), with nested matches
    counted once; steps and ranges with the largest change first.
    """

    elapsed: tuple[int, int]
    steps: list[CompileChange]
    ranges: list[CompileChange]


def compare_compile_times(base: CompileTime, new: CompileTime) -> CompileChanges:
    """Compare the compile times of two runs by the names of steps and ranges."""
    return CompileChanges(
        elapsed=(base.elapsed, new.elapsed),
        steps=_changes(_steps(base), _steps(new)),
        ranges=_changes(_ranges(base), _ranges(new)),
    )


Times = Mapping[str, tuple[int, int]]
"""Maps the name of a step or range to its own time and its time with the steps inside it, in ns."""


def _changes(base: Times, new: Times) -> list[CompileChange]:
    none = (None, None)
    changes = []
    for name in dict.fromkeys([*new, *base]):
        before, before_total = base.get(name, none)
        after, after_total = new.get(name, none)
        changes.append(CompileChange(name, before, after, before_total, after_total))
    return sorted(changes, key=lambda change: -abs(change.change))


def _steps(times: CompileTime) -> Times:
    totals = zip(times.steps["name"].tolist(), times.steps["duration"].tolist(), strict=True)
    own = times.own.to_dict()
    return {str(name): (int(own[name]), int(total)) for name, total in totals}


def _ranges(times: CompileTime) -> Times:
    named = ranges_by_name(times.ranges)
    columns = (named[column].tolist() for column in ("name", "own", "total"))
    return {str(name): (int(own), int(total)) for name, own, total in zip(*columns, strict=True)}
