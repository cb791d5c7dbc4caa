"""Parser of the result lines of a TPU-MLIR log (a line per buffer and attempt) into columns.

`; tag = iteration_result; remark = "..."; status = S; lmem_type = T; op_type = O; op_name = N; addr
= A; size = B; ...` (`dumpLmemAssignResult` of TPU-MLIR's LmemAllocator). Values are raw: an op_name
may contain any text, also semicolons. A block of lines is first read by the positions of its
fields, all lines at once. If any line of the block deviates, the block is read by a regular
expression instead, which skips unreadable lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from data_loaders.tpu_mlir.blocks import LogBlock
from schema.array_types import Bools, Ints

_TAG = b"; tag = iteration_result"
_KEYS = (
    b"; remark = ",
    b"; status = ",
    b"; lmem_type = ",
    b"; op_type = ",
    b"; op_name = ",
    b"; addr = ",
    b"; size = ",
    b"; timestep_start = ",
    b"; timestep_end = ",
    b"; timestep_mode = ",
    b"; hold_in_lmem = ",
    b"; allow_bank_conflict = ",
    b"; one_loop = ",
    b"; shape_secs = ",
)
"""Fields after the tag, in the order of the file."""
_KIND, _NAME, _ADDRESS, _SIZE, _START, _END, _SETTINGS = 1, 4, 5, 6, 7, 8, 9
"""Ranks of fields in `_KEYS`.

`_KIND` and `_SETTINGS` are the first of several fields that are read as one text.
"""
_TEXTS = ("kind", "name", "settings")
_NUMBERS = ("position", "line", "address", "size", "start", "end")
_MAX_ADDRESS, _MAX_SIZE, _MAX_STEPS = 2**60, 10**18, 10**7
"""Exclusive limits of addresses (bytes), sizes (bytes) and time steps, so that sums of addresses
and sizes fit into int64.
"""
# No address is -1, also as 64 bits. A name ends before an address and a size. Possessive runs and a
# bound on its semicolons keep the search linear.
_PATTERN = re.compile(
    rb"; tag = iteration_result; remark = [^;\n]*+"
    rb"; status = ([^;\n]*+; lmem_type = [^;\n]*+; op_type = [^;\n]*+)"
    rb"; op_name = ([^;\n]*+(?:;(?! (?:addr = (?:-1|0x[0-9a-fA-F]+); size|tag) = )[^;\n]*+){0,64}+)"
    rb"; addr = (-1|0x[fF]{16}|0x[0-9a-fA-F]{1,15}|[0-9]{1,15}); size = ([0-9]{1,18})"
    rb"; timestep_start = ([0-9]{1,7}); timestep_end = ([0-9]{1,7})"
    rb"; timestep_mode = ([^;\n]*+(?:;[^;\n]*+){4})"
)


_NONE: Ints = np.empty(0, np.int64)


@dataclass(frozen=True)
class Results:
    """Result lines in the order of the file, as arrays of one length.

    `position` is the byte in the file at which a line's tag begins, `line` the line's number.
    `kind` is the text from the status to the op_type, `settings` the text from the timestep_mode to
    the shape_secs. `kind`, `name` and `settings` repeat, so they are dictionary arrays of bytes.
    `address` is -1 for a buffer without an address. `size` is in bytes, `start` and `end` are time
    steps. `unreadable` has the numbers of the lines that were skipped.
    """

    position: Ints
    line: Ints
    kind: pa.DictionaryArray
    name: pa.DictionaryArray
    settings: pa.DictionaryArray
    address: Ints
    size: Ints
    start: Ints
    end: Ints
    unreadable: Ints

    def __len__(self) -> int:
        return len(self.position)

    def take(self, chosen: Bools) -> Results:
        """Select the result lines of a mask, in a new record.

        The numbers of the other lines are added to its `unreadable`.
        """
        if chosen.all():
            return self
        texts = {name: getattr(self, name).filter(pa.array(chosen)) for name in _TEXTS}
        used = {name: text.dictionary_decode().dictionary_encode() for name, text in texts.items()}
        numbers: dict[str, Any] = {name: getattr(self, name)[chosen] for name in _NUMBERS}
        return Results(**used, **numbers, unreadable=np.append(self.unreadable, self.line[~chosen]))


def read_results(block: LogBlock) -> Results | None:
    """Parse the result lines of a block, in order; `None` if it has no result line.

    Unreadable lines are skipped.
    """
    tags = block.fields.starting(_TAG)
    if not len(tags):
        return None
    try:
        return _by_place(block, tags)
    except ValueError:
        return _by_pattern(block)


def join_results(parts: Sequence[Results]) -> Results:
    """Concatenate the result lines of all blocks, in order; arrays of length 0 without blocks."""
    if not parts:
        texts = pa.array([], pa.binary()).dictionary_encode()
        return Results(_NONE, _NONE, texts, texts, texts, _NONE, _NONE, _NONE, _NONE, _NONE)
    texts = {name: _joined_texts([getattr(part, name) for part in parts]) for name in _TEXTS}
    numbers: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in _NUMBERS
    }
    return Results(
        **texts, **numbers, unreadable=np.concatenate([part.unreadable for part in parts])
    )


def _joined_texts(parts: Sequence[pa.DictionaryArray]) -> pa.DictionaryArray:
    return pa.chunked_array(parts).unify_dictionaries().combine_chunks()


def _by_place(block: LogBlock, tags: Ints) -> Results:
    """Read the lines by the positions of their fields.

    Raises ValueError if a line lacks a field after its tag (status, op_name, addr ...), or a number
    is malformed or out of range.
    """
    fields = block.fields
    if tags[-1] + len(_KEYS) >= len(fields.at):
        raise ValueError("the last line has too few fields")
    if not all(fields.match_prefix(tags + rank, key).all() for rank, key in enumerate(_KEYS, 1)):
        raise ValueError("fields follow a tag")
    line = block.line_numbers(fields.at[tags])
    if (line != block.line_numbers(fields.at[tags + len(_KEYS)])).any():
        raise ValueError("a line ends before its last field")
    begins = {
        rank: fields.at[tags + rank + 1]
        for rank in (_KIND, _NAME, _ADDRESS, _SIZE, _START, _END, _SETTINGS)
    }
    ends = {rank: fields.at[tags + rank + 2] for rank in (_NAME, _ADDRESS, _SIZE, _START, _END)}
    ends |= {_KIND: begins[_NAME], _SETTINGS: _settings_ends(block, tags, line)}
    texts = {
        rank: _texts(block.text, begin + len(_KEYS[rank]), ends[rank])
        for rank, begin in begins.items()
    }
    return _results(fields.at[tags] + block.offset, line, [texts[rank] for rank in sorted(texts)])


def _settings_ends(block: LogBlock, tags: Ints, line: Ints) -> Ints:
    """Return the offset in the block at which each line's last field ends: the next field, or the
    end of the line.
    """
    following = np.append(block.fields.at, len(block.text))[tags + len(_KEYS) + 1]
    ends: Ints = np.minimum(following, block.line_ends(line))
    return ends


def _texts(text: bytes, begin: Ints, end: Ints) -> pa.Array:
    """Return the bytes text[begin:end] for each pair of offsets, in order, without a Python object
    per text.

    A pair with end before begin gives b"".
    """
    borders = np.stack([begin, np.maximum(begin, end)], axis=1).astype(np.int32).ravel()
    buffers = [None, pa.py_buffer(borders), pa.py_buffer(text)]
    # The borders make one array in which every second text is the gap between two pairs.
    return pa.Array.from_buffers(pa.binary(), len(borders) - 1, buffers).take(
        np.arange(0, len(borders) - 1, 2)
    )


def _by_pattern(block: LogBlock) -> Results:
    """Read the result lines of a block that match a regular expression.

    The numbers of the other lines are `unreadable`.
    """
    matches = list(_PATTERN.finditer(block.text))
    at = np.array([match.start() for match in matches], np.int64)
    columns = (
        zip(*(match.groups() for match in matches), strict=True)
        if matches
        else [()] * _PATTERN.groups
    )
    texts = [pa.array(column, pa.binary()) for column in columns]
    tags = np.array([match.start() for match in re.finditer(re.escape(_TAG), block.text)], np.int64)
    unreadable = block.line_numbers(tags[~np.isin(tags, at)])
    return _results(at + block.offset, block.line_numbers(at), texts, unreadable)


def _results(
    position: Ints, line: Ints, texts: Sequence[pa.Array], unreadable: Ints = _NONE
) -> Results:
    """Build the columns from texts kind, name, address, size, start, end and settings, an array
    each.

    `position` is in bytes of the file, `line` has the numbers of the lines, `unreadable` the
    numbers of skipped lines. Raises ValueError if a number is malformed or out of range.
    """
    kind, name, *numbers, settings = texts
    address, size, start, end = (
        text.cast(pa.string()).cast(pa.int64()).to_numpy() for text in numbers
    )
    limits = (
        (address, -1, _MAX_ADDRESS),
        (size, 0, _MAX_SIZE),
        (start, 0, _MAX_STEPS),
        (end, 0, _MAX_STEPS),
    )
    if not all(_within(values, least, below) for values, least, below in limits):
        raise ValueError("a number is out of its range")
    kind, name, settings = (text.dictionary_encode() for text in (kind, name, settings))
    return Results(position, line, kind, name, settings, address, size, start, end, unreadable)


def _within(values: Ints, least: int, below: int) -> bool:
    """Whether all values are in [least, below); True without values."""
    return not len(values) or bool(values.min() >= least and values.max() < below)
