"""Schema of the entries of a torch.profiler trace, and how their JSON is read."""

from __future__ import annotations

import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from data_loaders.kineto.categories import RANGE
from data_loaders.reading.entry_format import EntryFormat

NUMBERS = ("device", "stream", "correlation", "bytes")
EXTERNAL = ("External id", "external id")
"""Names of the number that an execution shares with its operator: of today, and of torch 1.8."""
DETAILS = ("registers per thread", "shared memory")
OCCUPANCY = "est. achieved occupancy %"
DIMS = "Input Dims"
CONCRETE = "Concrete Inputs"
LISTS = ("grid", "block")
TEXTS = ("Process Group Name", "Task Type")
SAMPLE = ("Device Type", "Device Id", "Total Allocated", "Total Reserved", "Bytes")
COUNTER = "C"
"""Phase of counters."""
_THOUSANDTHS = pa.decimal128(25, 3)
_ARGS = [
    *((key, pa.string()) for key in ("name", "labels", *LISTS, DIMS, *TEXTS)),
    (CONCRETE, pa.list_(pa.string())),
    *((key, pa.int64()) for key in (*NUMBERS, *EXTERNAL, *DETAILS, *SAMPLE)),
    (OCCUPANCY, pa.float64()),
]
_SCHEMA = pa.schema(
    [
        *(("name", pa.string()), ("ph", pa.string()), ("cat", pa.string())),
        *(("pid", pa.int64()), ("tid", pa.int64()), ("ts", _THOUSANDTHS), ("dur", _THOUSANDTHS)),
        ("args", pa.struct(_ARGS)),
    ]
)


def _reject_constant(_name: str) -> None:
    """Read `NaN` and `Infinity` as null."""


def has_counters(table: pa.Table) -> bool:
    """Whether a block of entries has counters. Their arguments may have any name, so the table of
    the block has no columns for them.
    """
    is_counter = pc.any(pc.equal(table["ph"], COUNTER)).as_py()
    return bool(is_counter or pc.any(pc.equal(table["cat"], RANGE)).as_py())


# Not strict, since names may contain raw control characters.
FORMAT = EntryFormat(
    _SCHEMA,
    json.JSONDecoder(parse_float=Decimal, parse_constant=_reject_constant, strict=False),
    spread=True,
    lists_as_text=(*LISTS, DIMS),
    bare_words=True,
    needs_values=has_counters,
)
