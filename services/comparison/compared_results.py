"""Named numbers of files of results in a comparison of runs."""

from __future__ import annotations

from dataclasses import replace

from analysis.comparison.results import Unpaired, result_rows, unpaired_numbers
from analysis.comparison.rows import ResultRow, Thresholds
from analysis.results.numbers import NamedNumbers
from schema.plurals import first_names, plural
from services.comparison.compared_parts import ComparedParts, Runs
from services.run.capabilities import Capability

_MAX_MISSING = 10
"""Maximum number of numbers of the base alone that the reasons name."""


def add_results(
    parts: ComparedParts, base: Runs, new: Runs, thresholds: Thresholds
) -> ComparedParts:
    """Add the rows of named numbers, and the names that only one side has, to the parts of a
    comparison; parts of runs without named numbers stay as they are.
    """
    if not any(run.run_frames.contents.can(Capability.RESULTS) for run in (*base, *new)):
        return parts
    rows = result_rows(_numbers(base), _numbers(new), thresholds)
    pairs = {**parts.pairs, "results": _find_unpaired(base, new).record()}
    return replace(parts, rows=[*parts.rows, *rows], pairs=pairs)


def result_row(base: Runs, new: Runs, key: str) -> ResultRow | None:
    """Return the row of the named number with this key; None if neither side has it."""
    # All numbers are tested together, so that the verdict is that of the whole comparison.
    rows = result_rows(_numbers(base), _numbers(new), {})
    return next((row for row in rows if row.metric.name == key), None)


def missing_words(base: Runs, new: Runs) -> list[str]:
    """Name the named numbers that only the base has, since a benchmark that no longer runs must not
    pass unseen; [] if there are none.
    """
    if not all(run.run_frames.contents.can(Capability.RESULTS) for run in (*base, *new)):
        return []
    names = _find_unpaired(base, new).record()["only_base"]
    if not names:
        return []
    listed = first_names(names, _MAX_MISSING)
    return [f"only the base has {plural(len(names), 'number')}: {listed}"]


def _numbers(runs: Runs) -> list[NamedNumbers]:
    return [run.named_numbers for run in runs]


def _find_unpaired(base: Runs, new: Runs) -> Unpaired:
    return unpaired_numbers(_numbers(base), _numbers(new))
