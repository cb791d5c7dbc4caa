"""Find out by how many columns the runtime shifted a design.

Columns of a design are relative: it may run on other columns of the array, which packets name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from data_loaders.aie.units import Place, Units
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MAX_NAMED_SHIFTS = 4
"""Number of shifts that a finding names."""
_MAX_COLUMNS = 128
"""Number of columns that a packet header can name."""
_FIRST_PHOENIX_COLUMN = 1
"""First column of Phoenix (npu1) that designs run on: its column 0 has no shim tile."""


@dataclass(frozen=True)
class Shift:
    """Shift of a design in columns.

    `explained` is the number of traced units that are configured with it. `others` are further
    shifts that explain as many.
    """

    columns: int
    explained: int
    others: tuple[int, ...] = ()
    is_set: bool = False


def find_shift(units: Units, traced: Collection[Place], model: str, given: int | None) -> Shift:
    """Find the number of columns to add to the design's, so that most traced units are configured.

    Of several such shifts the usual one of the array `model` is taken, then the one that aligns the
    first columns, as mlir-aie does. A `given` shift, which the user set, is taken as it is. Without
    traced or configured units the shift is 0, and without a match it is the aligning shift, both
    with `explained` 0.
    """
    configured = [
        place for place, unit in units.items() if unit.is_traced and place[2] < _MAX_COLUMNS
    ]
    if not configured or not traced:
        return Shift(given or 0, 0, is_set=given is not None)
    explained = _count_explained(configured, traced)
    if given is not None:
        return Shift(given, explained[given], is_set=True)
    aligned = min(col for _, _, col in traced) - min(col for _, _, col in configured)
    if not explained:
        return Shift(aligned, 0)
    most = max(explained.values())
    best = sorted(shift for shift, count in explained.items() if count == most)
    usual = _FIRST_PHOENIX_COLUMN if model.startswith("npu1") else 0
    preferred = [shift for shift in (usual, aligned) if shift in best] or sorted(best, key=abs)
    return Shift(preferred[0], most, tuple(shift for shift in best if shift != preferred[0]))


def _count_explained(configured: Collection[Place], traced: Collection[Place]) -> Counter[int]:
    """Map each possible shift (columns) to the number of traced units that are configured with it.

    Shifts that explain no unit are missing.
    """
    columns: dict[tuple[str, int], list[int]] = {}
    for kind, row, col in configured:
        columns.setdefault((kind, row), []).append(col)
    first = min(col for _, _, col in configured)
    shifts = (col - own for kind, row, col in traced for own in columns.get((kind, row), ()))
    # A shift below the array's first column is impossible.
    return Counter(shift for shift in shifts if first + shift >= 0)


def shift_columns(units: Units, columns: int) -> Units:
    """Return a copy of the mapping of place (kind, row, column) to configuration, with `columns`
    added to the column of each place.
    """
    return {(kind, row, col + columns): unit for (kind, row, col), unit in units.items()}


def shift_findings(shift: Shift, units: Units, traced: Collection[Place]) -> list[Diagnostic]:
    """Report a shift that is doubtful: other shifts explain as many units, or the design's first
    column has no packets.

    `units` are the shifted units of the design. Empty if the user set the shift or it explains no
    unit.
    """
    if shift.is_set or not shift.explained:
        return []
    if shift.others:
        named = ", ".join(str(other) for other in shift.others[:_MAX_NAMED_SHIFTS])
        text = (
            f"the column shift of the design is ambiguous: the loader used {plural(shift.columns, 'column')}, but a "
            f"shift of {named} explains as many units; set colshift to select it"
        )
        return [Diagnostic("warning", "columns_uncertain", text, f"colshift={shift.columns}")]
    missing = _silent_first_columns(units, traced)
    if not missing:
        return []
    text = (
        f"no unit of the design's first column ({missing[0]}) wrote any event: columns were matched by the "
        f"units of other columns (a shift of {shift.columns}); set colshift if this is wrong"
    )
    return [Diagnostic("warning", "columns_uncertain", text, f"colshift={shift.columns}")]


def _silent_first_columns(units: Mapping[Place, object], traced: Collection[Place]) -> list[int]:
    first = min(col for _, _, col in traced)
    return sorted({col for _, _, col in units if col < first})
