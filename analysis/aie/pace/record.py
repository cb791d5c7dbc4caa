"""Conversion of a pace, and of the time that cores wait, to JSON types and back.

Both are computed once per run.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.derive import ANALYSIS_VERSION
from schema.array_types import Ints
from schema.plurals import plural

PACE_RESULT = "pace"
"""Name of the stored result of a run."""
_FORMAT = "3"
"""Version of the record. Change it with the members of a record or the words of the sentence."""
PACE_VERSION = f"{ANALYSIS_VERSION}.{_FORMAT}"
"""Version of a stored pace; a pace of another version is computed again."""


@dataclass(frozen=True)
class StoredPace:
    """A pace, and column `waiting` of the frame `iteration_parts` that it was computed from."""

    pace: Pace
    waiting: Ints


def pace_record(pace: Pace, waiting: Ints) -> dict[str, Any]:
    """Convert a pace, and column `waiting` (ticks) of frame `iteration_parts`, to JSON types."""
    packed = zlib.compress(waiting.astype("<i8").tobytes())
    limiters = [asdict(limiter) | {"together": [*limiter.together]} for limiter in pace.limiters]
    return {
        "elapsed": pace.elapsed,
        "gmacs": pace.gmacs,
        "limiters": limiters,
        "tiles": pace.tiles.to_dict("list"),
        "sentence": pace.sentence,
        "waits": {core: dict(waits) for core, waits in pace.waits.items()},
        "waiting_rows": len(waiting),
        "waiting": b64encode(packed).decode("ascii"),
    }


def read_pace(record: Mapping[str, Any]) -> StoredPace:
    """Convert a record back. Raises KeyError, TypeError and ValueError if it is not valid."""
    limiters = tuple(
        Limiter(**limiter | {"together": tuple(limiter["together"])})
        for limiter in record["limiters"]
    )
    pace = Pace(
        record["elapsed"],
        record["gmacs"],
        limiters,
        pd.DataFrame(record["tiles"]),
        record["sentence"],
        record["waits"],
    )
    return StoredPace(pace, _read_waiting(record["waiting"], record["waiting_rows"]))


def _read_waiting(text: str, rows: int) -> Ints:
    """Unpack so many ticks (int64). Raises ValueError if the text holds another number of ticks."""
    unpacker = zlib.decompressobj()
    try:
        # The limit keeps a damaged record from filling the memory.
        packed = unpacker.decompress(b64decode(text, validate=True), 8 * rows + 1)
    except zlib.error as error:
        raise ValueError(f"the waiting times cannot be unpacked: {error}") from error
    if len(packed) != 8 * rows:
        raise ValueError(f"there are no waiting times of {plural(rows, 'row')}")
    return np.frombuffer(packed, "<i8").astype(np.int64)
