"""Collect counters of a trace: counter entries, and metrics of CUPTI's ranges."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from data_loaders.kineto.values import id_text, nanoseconds, to_decimal
from data_loaders.trace_columns import Codes, clean
from schema.array_types import Floats, Ints

MAX_COUNTERS = 1_000
"""Maximum number of counters of a trace; the entries of further ones are skipped."""
_MAX_NAME = 200
"""Maximum characters of a counter's name."""


@dataclass(frozen=True)
class CounterSamples:
    """Samples in file order: time in ns of the file's clock, counter, and value."""

    at: Ints
    counter: Ints
    value: Floats


@dataclass
class CounterCollector:
    """Collector of samples; `names` has the process and the name of each counter."""

    # Arrays of machine numbers, as a trace may have a million samples.
    names: Codes[tuple[str, str]] = field(default_factory=Codes)
    _at: array[int] = field(default_factory=lambda: array("q"))
    _counter: array[int] = field(default_factory=lambda: array("q"))
    _value: array[float] = field(default_factory=lambda: array("d"))

    def samples(self) -> CounterSamples:
        """Return the samples as arrays."""
        return CounterSamples(
            np.array(self._at, np.int64),
            np.array(self._counter, np.int64),
            np.array(self._value, np.float64),
        )

    def add(self, entry: Mapping[str, Any]) -> str:
        """Add the numbers among the arguments of a counter entry.

        Return "", or the reason for which the entry is skipped.
        """
        name = entry.get("name")
        numbers = _numbers(entry)
        if nanoseconds(entry.get("ts")) is None or not isinstance(name, str) or not numbers:
            return "a counter without name, time or number"
        # An entry with several numbers, such as bytes per pool, is a counter for each of them.
        names = [name] if len(numbers) == 1 else [f"{name} {key}" for key in numbers]
        return self._add(entry, dict(zip(names, numbers.values(), strict=True)))

    def add_metrics(self, entry: Mapping[str, Any]) -> str:
        """Add the numbers among the arguments of a range of CUPTI, named by the metric.

        Return "", or the reason for which some are skipped.
        """
        return self._add(entry, _numbers(entry))

    def _add(self, entry: Mapping[str, Any], numbers: Mapping[str, float]) -> str:
        at = nanoseconds(entry.get("ts"))
        pid = id_text(entry.get("pid"))
        for name, value in numbers.items():
            key = pid, clean(name)[:_MAX_NAME]
            if key not in self.names and len(self.names) >= MAX_COUNTERS:
                return f"a counter beyond the first {MAX_COUNTERS}"
            if at is not None:
                self._at.append(at)
                self._counter.append(self.names[key])
                self._value.append(value)
        return ""


def _numbers(entry: Mapping[str, Any]) -> dict[str, float]:
    """Return the arguments that are finite numbers, or texts of numbers."""
    args = entry.get("args")
    numbers = {}
    for key, value in args.items() if isinstance(args, dict) else ():
        number = _number(value)
        if number is not None:
            numbers[key] = number
    return numbers


def _number(value: object) -> float | None:
    if isinstance(value, str):
        value = to_decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if np.isfinite(number) else None
