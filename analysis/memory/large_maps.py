"""Results of large memory maps that an ingest stores, so that their pages need no sweep over all
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.derive import ANALYSIS_VERSION
from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.occupancy import occupancy
from schema.arrays import category
from schema.diagnostics import Diagnostic, diagnostics_frame, findings_of
from schema.frames import Frames, conform
from schema.memory import ATTEMPTS, OCCUPANCY
from schema.sources import source_of

MIN_STORED_BLOCKS = 20_000
"""Minimum number of blocks of a map with stored results; a smaller map is analysed in 0.1 s."""
MEMORY_RESULT = "memory"
"""Name of the stored result of a run with the numbers and findings of its attempts."""
STORED_OCCUPANCY = "stored_occupancy"
"""Name of the stored frame with the occupancy of large maps."""
_FORMAT = "1"
"""Version of the record. Change it with its members."""
MEMORY_VERSION = f"{ANALYSIS_VERSION}.{_FORMAT}"
"""Version of a stored result; a result of another version is computed again."""
_NUMBERS = tuple(ATTEMPTS.names[ATTEMPTS.names.index("blocks") :])
"""Columns of frame `attempts` that the analysis fills."""


def has_large_maps(frames: Frames) -> bool:
    """Whether a run has a memory map with at least MIN_STORED_BLOCKS (20,000) blocks, and derived
    frames that differ from the stored frames only in numbers and findings.
    """
    if "allocations" not in frames or len(frames["allocations"]) < MIN_STORED_BLOCKS:
        return False
    # For a source with the notebook as its reference method, the analysis renames blocks and groups attempts.
    source = str(frames["run"]["source"].iloc[0])
    return source_of(source).reference != "notebook" and len(_large_attempts(frames)) > 0


def large_occupancy(frames: Frames, derived: Frames) -> pd.DataFrame:
    """Compute frame `stored_occupancy`: the occupancy of each map with at least MIN_STORED_BLOCKS
    blocks, as its page would compute it.

    `derived` holds frames `attempts` and `allocations` with the numbers of method robust. Raises
    ValueError if there is no such map; `has_large_maps` tells.
    """
    attempts = derived["attempts"]
    blocks = derived["allocations"]
    parts = []
    for number in _large_attempts(frames):
        is_own = (blocks["attempt"] == number).to_numpy(bool)
        # A selection of all rows would be a second copy of a large frame.
        own = (blocks if is_own.all() else blocks[is_own]).reset_index(drop=True)
        parts.append(occupancy(own, attempts[attempts["attempt"] == number]))
    rows = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
    version = category(np.zeros(len(rows), np.int8), [ANALYSIS_VERSION])
    return conform(STORED_OCCUPANCY, rows.assign(analysis=version))


def read_occupancy(stored: pd.DataFrame) -> pd.DataFrame | None:
    """Return the rows of frame `occupancy` in frame `stored_occupancy`; `None` if another version
    of the analysis computed them.
    """
    is_current = len(stored) > 0 and stored["analysis"].iloc[0] == ANALYSIS_VERSION
    return stored[OCCUPANCY.names] if is_current else None


def memory_record(derived: Frames) -> dict[str, Any]:
    """Convert the numbers of derived frame `attempts` and the findings of the analysis to JSON
    types.
    """
    attempts = derived["attempts"]
    findings = [
        [found.severity, found.code, found.message, found.location, found.count]
        for found in findings_of(derived["diagnostics"])
    ]
    numbers = {name: _plain(attempts[name]) for name in _NUMBERS}
    return {"attempts": numbers, "findings": findings}


def read_memory(record: Mapping[str, Any], frames: Frames) -> dict[str, pd.DataFrame]:
    """Rebuild derived frames `attempts`, `allocations` and `diagnostics` from a record and the
    stored frames of its run.

    Raises KeyError, TypeError and ValueError if the record does not fit the run.
    """
    attempts = frames["attempts"]
    dtypes = {column.name: column.dtype for column in ATTEMPTS.columns}
    numbers = {name: pd.array(record["attempts"][name], dtype=dtypes[name]) for name in _NUMBERS}
    findings = [Diagnostic(*fields) for fields in record["findings"]]
    return {
        "attempts": attempts.assign(**numbers),
        "allocations": frames["allocations"],
        "diagnostics": diagnostics_frame(findings),
    }


def _large_attempts(frames: Frames) -> list[int]:
    attempt = frames["allocations"]["attempt"].to_numpy(np.int64, na_value=NOT_PLACED)
    numbers, counts = np.unique(attempt, return_counts=True)
    return [int(number) for number in numbers[counts >= MIN_STORED_BLOCKS]]


def _plain(column: pd.Series) -> list[float | None]:
    return [None if pd.isna(value) else value for value in column.tolist()]
