"""Reads the entries of a hardware trace from Chrome trace-event JSON."""

from __future__ import annotations

from typing import IO

import pyarrow as pa

from data_loaders.aie.entries import Entries, EntryCollector
from data_loaders.reading.entry_format import EntryFormat
from data_loaders.reading.json_entries import collect_entries
from data_loaders.reading.json_values import DECODER

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("ph", pa.string()),
        ("ts", pa.int64()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
        ("s", pa.string()),
        ("args", pa.struct([("name", pa.string()), ("pc", pa.int64())])),
    ]
)
_FORMAT = EntryFormat(SCHEMA, DECODER, uniform=True)


def read_entries(stream: IO[bytes]) -> Entries:
    """Read every whole begin and end entry, instant and process name of a Chrome trace as columns.

    Damaged entries are counted. Memory is bounded by the columns and one block. Raises ValueError
    if the stream has no array of entries.
    """
    collector = EntryCollector()
    return collector.entries(cut_at=collect_entries(stream, collector, _FORMAT).cut_at)
