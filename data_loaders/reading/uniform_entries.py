"""Read blocks of trace entries of one shape, an entry per line and no comma in a value, as CSV.

Trace writers print entries this way. A text that many entries share is parsed once, so that such a
block takes half of the time that a JSON reader takes. Any other block is left to the JSON readers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

_KEYS = ("name", "ph", "ts", "pid", "tid")
_TYPES: Mapping[str, type] = {"name": str, "ph": str, "pid": int, "tid": int}
_SPACE = " \t\r"
"""White space of JSON within a line."""
_TS = re.compile(r'\A[ \t]*"ts"[ \t]*:[ \t]*')
_TIMED = frozenset({"B", "E"})
_SHARED = pa.dictionary(pa.int32(), pa.string())
_SPLIT = csv.ParseOptions(delimiter=",", quote_char=False)
_INT64_END = 2**63
"""Ints from -2**63 up to this bound, exclusive, fit into a column of int64."""
_MAX_TEXTS = 1_000
"""Distinct texts per key and block; with more, parsing each takes as long as a JSON reader."""


def read_uniform(block: bytes, pool: pa.MemoryPool) -> pa.Table | None:
    """Read comma-separated begin and end entries that all have the same shape.

    Returns `None` if the entries differ in shape, are damaged or have other phases than B and E.
    The table has columns name, ph, pid, tid (dictionaries) and ts (int64), without nulls.
    """
    keys = _keys(block)
    if keys is None:
        return None
    texts = _columns(block, keys, pool)
    if texts is None or not _is_empty(texts[len(keys)]):
        return None
    columns: dict[str, pa.Array] = {}
    for at, key in enumerate(keys):
        column = (
            _numbers(texts[at]) if key == "ts" else _parse_values(texts[at], key, at, len(keys))
        )
        if column is None:
            return None
        columns[key] = column
    if not _TIMED.issuperset(columns["ph"].dictionary.to_pylist()):
        return None
    return pa.table({key: columns[key] for key in _KEYS})


def _keys(block: bytes) -> list[str] | None:
    """Return the keys of the block's first entry in order, the first line.

    Returns `None` if the line is not a single JSON object, or lacks name, ph, ts, pid or tid.
    """
    try:
        first = json.loads(block[: block.index(b"\n")].rstrip(b", \r"))
    except (ValueError, RecursionError):
        return None
    keys = list(first) if isinstance(first, dict) else []
    return keys if set(keys).issuperset(_KEYS) else None


def _columns(block: bytes, keys: list[str], pool: pa.MemoryPool) -> list[pa.Array] | None:
    """Split the block at commas: a text column per key, in the order of `keys`, and last a column
    of the text behind the last comma.

    Returns `None` if pyarrow refuses the block, for example if lines differ in their number of
    commas.
    """
    names = [str(at) for at in range(len(keys) + 1)]
    types = {
        name: pa.string() if key == "ts" else _SHARED
        for name, key in zip(names, [*keys, ""], strict=True)
    }
    read = csv.ReadOptions(use_threads=False, block_size=len(block) + 2, column_names=names)
    try:
        table = csv.read_csv(
            pa.BufferReader(block + b",\n"),
            read,
            _SPLIT,
            csv.ConvertOptions(column_types=types),
            memory_pool=pool,
        )
    except pa.ArrowInvalid:
        return None
    return [table[name].combine_chunks() for name in names]


def _is_empty(rest: pa.DictionaryArray) -> bool:
    return all(not text.strip(_SPACE) for text in rest.dictionary.to_pylist())


def _numbers(texts: pa.StringArray) -> pa.Array | None:
    """Parse texts such as `"ts": 12` as int64.

    Returns `None` unless all have the same spelling of the key and then only digits, without
    leading zeros, within int64.
    """
    key = _TS.match(texts[0].as_py())
    if key is None or not pc.all(pc.starts_with(texts, key.group())).as_py():
        return None
    digits = pc.utf8_slice_codeunits(texts, key.end())
    padded = pc.and_(pc.starts_with(digits, "0"), pc.greater(pc.binary_length(digits), 1))
    if not pc.all(pc.ascii_is_decimal(digits)).as_py() or pc.any(padded).as_py():
        return None
    try:
        return digits.cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _parse_values(
    texts: pa.DictionaryArray, key: str, at: int, count: int
) -> pa.DictionaryArray | None:
    """Parse texts such as `"pid": 3` of the key at position `at` of `count` keys, and return their
    values with the same codes.

    Returns `None` if any text is not exactly this key and a value of its type, or there are more
    than 1,000 distinct texts. Values of unused keys become 0. Each distinct text is parsed as JSON
    with the entry's braces added, so a comma within a value is detected.
    """
    if len(texts.dictionary) > _MAX_TEXTS:
        return None
    before = "" if at == 0 else "{"
    behind = "" if at == count - 1 else "}"
    values = []
    for text in texts.dictionary.to_pylist():
        try:
            entry = json.loads(f"{before}{text}{behind}", object_pairs_hook=list)
        except (ValueError, RecursionError):
            return None
        if (
            not isinstance(entry, list)
            or len(entry) != 1
            or entry[0][0] != key
            or not _fits(entry[0][1], key)
        ):
            return None
        values.append(entry[0][1] if key in _TYPES else 0)
    kind = pa.string() if _TYPES.get(key) is str else pa.int64()
    try:
        return pa.DictionaryArray.from_arrays(texts.indices, pa.array(values, kind))
    except (pa.ArrowInvalid, UnicodeEncodeError):
        return None


def _fits(value: object, key: str) -> bool:
    """Whether a value has the type of its key: text for name and ph, an int64 for pid and tid.

    Other keys may have any value.
    """
    wanted = _TYPES.get(key)
    if wanted is int:
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and -_INT64_END <= value < _INT64_END
        )
    return wanted is None or isinstance(value, wanted)
