"""Conversion of a pace to JSON types and back, so that it is computed once per run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.derive import ANALYSIS_VERSION

PACE_RESULT = "pace"
"""Name of the stored result of a run."""
_FORMAT = "1"
"""Version of the record. Change it with the members of a record or the words of the sentence."""
PACE_VERSION = f"{ANALYSIS_VERSION}.{_FORMAT}"
"""Version of a stored pace; a pace of another version is computed again."""


def pace_record(pace: Pace) -> dict[str, Any]:
    """Convert a pace to JSON types."""
    limiters = [asdict(limiter) | {"together": [*limiter.together]} for limiter in pace.limiters]
    return {
        "elapsed": pace.elapsed,
        "gmacs": pace.gmacs,
        "limiters": limiters,
        "tiles": pace.tiles.to_dict("list"),
        "sentence": pace.sentence,
        "waits": {core: dict(waits) for core, waits in pace.waits.items()},
    }


def read_pace(record: Mapping[str, Any]) -> Pace:
    """Convert a record back to the pace. Raises KeyError and TypeError if it is not valid."""
    limiters = tuple(
        Limiter(**limiter | {"together": tuple(limiter["together"])})
        for limiter in record["limiters"]
    )
    return Pace(
        record["elapsed"],
        record["gmacs"],
        limiters,
        pd.DataFrame(record["tiles"]),
        record["sentence"],
        record["waits"],
    )
