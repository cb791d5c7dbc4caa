"""Compare the records of a sweep of IRON: predicted with measured latency, and the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CLOCK_MHZ = 1800.0
"""Clock by which IRON's estimate converts cycles: 1.8 GHz."""
_DISPATCH = "dispatch"
_BUILT = "stream"
"""Name of the candidate `{}`: the default of the compiler."""
_SEQUENCE = "seq_len"
Record = Mapping[str, Any]


@dataclass(frozen=True)
class _Row:
    """A candidate of a shape: latencies in microseconds, and the digest of its build."""

    shape: str
    seq_len: object
    candidate: str
    predicted_us: float
    measured_us: float
    digest: object

    @property
    def residual(self) -> float:
        return (self.predicted_us - self.measured_us) / self.measured_us


def compare_records(records: Sequence[Record]) -> dict[str, Any]:
    """Compute `dispatch_us`, `latency` per candidate, `choices` per shape, and `failed`.

    The dispatch floor is the least measured latency of operator `dispatch`. Raises ValueError if no
    record has both an estimate and a measurement.
    """
    dispatch = [
        latency
        for record in records
        if record.get("operator") == _DISPATCH and (latency := _measured_us(record)) is not None
    ]
    floor = min(dispatch, default=None)
    rows = [row for record in records if (row := _row(record, floor or 0.0)) is not None]
    if not rows:
        raise ValueError("no record has an estimate and a measured latency")
    return {
        "dispatch_us": floor,
        "latency": [_latency(row) for row in rows],
        "choices": _choices(rows),
        "failed": sum("error" in record for record in records),
    }


def _row(record: Record, floor: float) -> _Row | None:
    measured = _measured_us(record)
    estimate = record.get("estimate")
    cycles = _number(estimate.get("cycles")) if isinstance(estimate, dict) else None
    if record.get("operator") == _DISPATCH or measured is None or cycles is None:
        return None
    point = record.get("point")
    point = point if isinstance(point, dict) else {}
    sizes = [f"{key}={value}" for key, value in point.items() if key != _SEQUENCE]
    return _Row(
        " ".join([str(record.get("operator")), *sizes]),
        point.get(_SEQUENCE),
        _candidate_name(record.get("candidate")),
        cycles / CLOCK_MHZ + floor,
        measured,
        record.get("digest"),
    )


def _candidate_name(candidate: object) -> str:
    if not isinstance(candidate, dict) or not candidate:
        return _BUILT
    return " ".join(f"{key}={value}" for key, value in candidate.items())


def _measured_us(record: Record) -> float | None:
    times = record.get("measured_us")
    least = _number(times.get("min")) if isinstance(times, dict) else None
    return least or None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**62:
        return None
    return float(value)


def _latency(row: _Row) -> dict[str, Any]:
    return {
        "shape": row.shape,
        "seq_len": row.seq_len,
        "candidate": row.candidate,
        "predicted_us": row.predicted_us,
        "measured_us": row.measured_us,
        "residual": row.residual,
    }


def _choices(rows: Sequence[_Row]) -> list[dict[str, Any]]:
    """Compare the default of the compiler with the candidates of the same shape."""
    shapes: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        shapes.setdefault((row.shape, str(row.seq_len)), []).append(row)
    choices = []
    for of_shape in shapes.values():
        built = next((row for row in of_shape if row.candidate == _BUILT), None)
        candidates = [row for row in of_shape if row.candidate != _BUILT]
        if built is None or not candidates:
            continue
        same = next((row for row in candidates if row.digest == built.digest), built)
        priced = min(candidates, key=lambda row: (row.predicted_us, row.candidate))
        measured = min(candidates, key=lambda row: (row.measured_us, row.candidate))
        choices.append(
            {
                "shape": built.shape,
                "seq_len": built.seq_len,
                "built": same.candidate,
                "priced_fastest": priced.candidate,
                "measured_fastest": measured.candidate,
                "regret": built.measured_us / measured.measured_us - 1,
            }
        )
    return choices
