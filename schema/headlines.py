"""The headline of a run: the number that people compare runs of its kind by, and a detail of it.

Runs of different sources have different numbers, so a list of them needs a number per kind. The
list of runs, its order, the page of a run, the HTTP API and CSV files take it from `headline_of`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

from schema.impossible import impossible_metrics
from schema.metrics import METRICS
from schema.result_metrics import PREFIX, find_metric
from schema.sources import source_of

Numbers = Mapping[str, float | None]
"""Headline metrics of a run: name -> value, None if it is not known."""

RESULTS = "results"
"""Kind of headline of a file of results: its number is the first named number of the file."""
RATE = "rate"
"""Kind of headline of a capture: its mean rate and the share of the peak."""
_UNPLACED = "unplaced"
_INCOMPLETE = "incomplete"
NO_HEADLINE = "no headline: the run has none of the numbers that runs are compared by"
"""Tooltip of the dash of a run without a headline."""
UNPLACED = "blocks that did not fit have no address, so that the number lacks them"
"""Explanation of a headline with blocks that are not placed, for tooltips."""
_SIGN_BIT = 1 << 63
_ALL_BITS = (1 << 64) - 1


@dataclass(frozen=True)
class Detail:
    """The second number of a headline.

    `compute` takes the metrics of a run, `unit` is that of `schema.metrics`, `words` name its base
    and follow the number, `help` is the formula. `polarity` is +1 if more is better, else -1.
    `is_excess`: 0 means that nothing is left to gain, so no other value is shown as 0. `metric` is
    the name of a detail that is a metric, else "".
    """

    compute: Callable[[Numbers], float | None]
    unit: str
    words: str
    help: str
    polarity: int
    is_excess: bool = False
    metric: str = ""


@dataclass(frozen=True)
class HeadlineKind:
    """A kind of headline: `number` is a metric of METRICS, `words` follow it."""

    name: str
    number: str
    words: str
    detail: Detail

    @property
    def polarity(self) -> int:
        """+1 if a greater number is better, else -1."""
        # Sizes of memory that are given by the problem count as costs.
        return METRICS[self.number].polarity or -1

    @property
    def unit(self) -> str:
        """Unit of the number."""
        return METRICS[self.number].unit


@dataclass(frozen=True)
class RunHeadline:
    """The headline of a run: name of its kind, number and detail with their units.

    `detail` is None if it is not known. `impossible`: the detail or, of a rate, both numbers are,
    see `impossible_metrics`. `unplaced` counts the blocks that the number lacks, because they have no address.
    """

    kind: str
    metric: str
    value: float
    unit: str
    detail: float | None
    detail_unit: str
    detail_of: str
    impossible: bool = False
    unplaced: int = 0

    def record(self) -> dict[str, str | float | None]:
        """Return the fields as a JSON object."""
        return asdict(self)


def _known_number(numbers: Numbers, name: str) -> float | None:
    value = numbers.get(name)
    return value if value is not None and math.isfinite(value) else None


def _metric(name: str, words: str, polarity: int) -> Detail:
    metric = METRICS[name]
    return Detail(
        lambda numbers: _known_number(numbers, name),
        metric.unit,
        words,
        f"{metric.label}: {metric.formula}",
        polarity,
        metric=name,
    )


def _ratio(numbers: Numbers, name: str, base: str) -> float | None:
    number = _known_number(numbers, name)
    whole = _known_number(numbers, base)
    return number / whole if number is not None and whole else None


def _excess(numbers: Numbers) -> float | None:
    """Compute by which share of the lower bound the peak is above it; None if one is not known."""
    ratio = _ratio(numbers, "peak_memory", "memory_bound")
    return None if ratio is None else ratio - 1


_GAP = Detail(
    _excess,
    "ratio",
    "above bound",
    "gap to the bound: peak memory / lower bound - 1; at 0 no allocator needs less",
    -1,
    is_excess=True,
)
_OF_RESERVED = Detail(
    lambda numbers: _ratio(numbers, "peak_memory", "peak_reserved"),
    "ratio",
    "of reserved",
    "peak memory / peak of the reserved bytes of the device",
    1,
)

_OF_NEEDED = Detail(
    lambda numbers: _ratio(numbers, "peak_memory", "memory_bound"),
    "ratio",
    "of the bytes that all blocks need",
    "peak memory / lower bound: below 1 blocks overlap or have no address",
    1,
)
# Kernel time is that of all executions, the busy share may be that of the counted steps.
_NO_DETAIL = Detail(lambda _numbers: None, "ratio", "", "", 1)

HEADLINE_KINDS: Mapping[str, HeadlineKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            HeadlineKind(RATE, "gmacs_mean", "", _metric("utilization", "of peak", 1)),
            HeadlineKind(
                "step", "step_time", "per step", _metric("busy_share", "of the time busy", 1)
            ),
            # Of these sources the busy share is that of the profile, with what precedes the steps.
            HeadlineKind(
                "step_of_profile",
                "step_time",
                "per step",
                _metric("busy_share", "of the profile busy", 1),
            ),
            HeadlineKind("kernel_time", "kernel_time", "in kernels", _NO_DETAIL),
            HeadlineKind("memory", "peak_memory", "", _metric("capacity_use", "of capacity", -1)),
            # Buffers of a tile lie in several banks: the highest address is far above their sum.
            HeadlineKind(
                "address",
                "peak_memory",
                "highest address",
                _metric("capacity_use", "of the tile's memory", -1),
            ),
            HeadlineKind("reserved", "peak_memory", "", _OF_RESERVED),
            HeadlineKind("placement", "peak_memory", "", _GAP),
            HeadlineKind(
                "problem", "memory_bound", "needed", _metric("bound_use", "of capacity", -1)
            ),
            # If no block was placed, the peak is 0 bytes whatever was needed.
            HeadlineKind(
                _UNPLACED,
                "memory_bound",
                "needed, nothing placed",
                _metric("bound_use", "of capacity", -1),
            ),
            # Blocks overlap or have no address, so that nothing is above the bound.
            HeadlineKind(_INCOMPLETE, "peak_memory", "", _OF_NEEDED),
            HeadlineKind(
                "cycles",
                "median_kernel",
                "per kernel",
                _metric("vector_share", "of traced time in vector", 1),
            ),
            # `headline_of` puts the first named number of the run in the place of their count.
            HeadlineKind(RESULTS, "named_numbers", "", _NO_DETAIL),
        )
    }
)
"""Kinds of headlines by name; for a source without kinds of its own the first that is known counts."""


def headline_of(source: str, numbers: Numbers) -> RunHeadline | None:
    """Choose the headline of a run of this source from its metrics; None if no kind's number is
    known.

    The kinds of the source's record come first. Of kinds with the same number the first whose
    detail is known counts. A placement that exceeds its capacity has the headline of a memory, one that
    needs less than all its blocks do says so. The
    number of a file of results is the first of its named numbers. If no block of a plan was placed,
    the headline is what the blocks need.
    """
    own = source_of(source).headlines
    kinds = [HEADLINE_KINDS[name] for name in dict.fromkeys((*own, *HEADLINE_KINDS))]
    known = [kind for kind in kinds if _known_number(numbers, kind.number) is not None]
    if not known:
        return None
    alike = [kind for kind in known if kind.number == known[0].number]
    detailed = (kind for kind in alike if kind.detail.compute(numbers) is not None)
    kind = next(detailed, known[0])
    if kind.name == RESULTS:
        return _first_named(numbers)
    if kind.number == "peak_memory" and is_nothing_placed(numbers):
        kind = HEADLINE_KINDS[_UNPLACED]
    if kind.name == "placement" and (kind.detail.compute(numbers) or 0) < 0:
        kind = HEADLINE_KINDS[_INCOMPLETE]
    # A map at its bound may still not fit, and that is what a reader has to see first.
    if kind.name == "placement" and (_known_number(numbers, "capacity_use") or 0) > 1:
        kind = HEADLINE_KINDS["memory"]
    return RunHeadline(
        kind.name,
        kind.number,
        float(numbers[kind.number] or 0),
        kind.unit,
        kind.detail.compute(numbers),
        kind.detail.unit,
        kind.detail.words,
        impossible=_is_impossible(kind, numbers),
        unplaced=_count_unplaced(kind, numbers),
    )


def _is_impossible(kind: HeadlineKind, numbers: Numbers) -> bool:
    impossible = impossible_metrics(numbers)
    return kind.number in impossible or kind.detail.metric in impossible


def _count_unplaced(kind: HeadlineKind, numbers: Numbers) -> int:
    """Count the blocks that failed if the headline is the peak of the blocks that were placed."""
    return int(_known_number(numbers, "failed_blocks") or 0) if kind.number == "peak_memory" else 0


def is_nothing_placed(numbers: Numbers) -> bool:
    """Whether blocks failed, none was placed, and it is known how many bytes they need."""
    failed, peak, bound = (
        _known_number(numbers, name) for name in ("failed_blocks", "peak_memory", "memory_bound")
    )
    return bool(failed) and peak == 0 and bool(bound)


def _first_named(numbers: Numbers) -> RunHeadline | None:
    """Build the headline of the first named number; its detail is the number of named numbers if
    there are several. Returns None if no named number has a value.
    """
    for key in numbers:
        metric = find_metric(key) if key.startswith(PREFIX) else None
        value = None if metric is None else _known_number(numbers, key)
        if metric is not None and value is not None:
            count = _known_number(numbers, "named_numbers") or 1.0
            several = (count, "numbers", "named numbers") if count > 1 else (None, "", "")
            return RunHeadline(RESULTS, key, value, metric.unit, *several)
    return None


def sort_key(headline: RunHeadline | None) -> str:
    """Build the text by which the catalogue sorts headlines: kind, number, detail; "" without a
    headline.

    In descending order it gives the best run of each kind first, and last its impossible rates and
    its plans with blocks that are not placed. It is a text because a database then sorts, indexes
    and continues pages by a single column. Numbers are written as 16 hexadecimal digits whose order
    is that of the numbers.
    """
    if headline is None:
        return ""
    kind = HEADLINE_KINDS[headline.kind]
    # A rate above the peak comes from a wrong setting, and would be the best of the list, as would
    # a plan with few blocks placed.
    is_last = (headline.impossible and kind.name == RATE) or headline.unplaced
    value = -math.inf if is_last else headline.value * _polarity(kind, headline)
    number = _ordered_digits(value)
    detail = headline.detail
    rest = "" if detail is None else _ordered_digits(detail * kind.detail.polarity)
    return f"{kind.name} {number} {rest}"


def _polarity(kind: HeadlineKind, headline: RunHeadline) -> int:
    """Return +1 if a greater number of the headline is better, else -1."""
    metric = find_metric(headline.metric) if kind.name == RESULTS else None
    return kind.polarity if metric is None else metric.polarity or -1


def _ordered_digits(value: float) -> str:
    """Write a number as 16 hexadecimal digits that sort as texts in the order of the numbers."""
    # -0.0 and 0.0 are equal but differ in their bits.
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))
    # IEEE 754: positive numbers sort by their bits, negative numbers in reverse.
    return f"{bits ^ (_ALL_BITS if bits & _SIGN_BIT else _SIGN_BIT):016x}"
