"""How the entries of a trace are read, and what receives them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import pyarrow as pa


class Collector(Protocol):
    """Receiver of the entries of a trace; `bad` counts skipped entries by kind."""

    bad: Counter[str]

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector, as a table with the columns of the format's
        schema.
        """
        ...

    def add_values(self, values: list[object]) -> None:
        """Add entries to the collector as parsed JSON values, which may be of any type."""
        ...


@dataclass(frozen=True)
class EntryFormat:
    """How to read a kind of trace: columns of a block, and the JSON decoder of single values.

    `uniform`: blocks may consist of begin and end entries of one shape. `spread`: an entry may span
    several lines. `lists_as_text` names the keys whose lists of numbers, nested or not, a table has
    as JSON texts. `bare_words`: words such as `inf`, which are no JSON, are null; the decoder has to
    accept `NaN`. `simplify` rewrites a block for pyarrow's reader, so that the values of a key fit
    the schema; the decoder reads the block as it is. `needs_values` tells of a table whether the
    decoder has to read the block instead, as it has entries with other keys than the schema.
    """

    schema: pa.Schema
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)
    uniform: bool = False
    spread: bool = False
    lists_as_text: tuple[str, ...] = ()
    bare_words: bool = False
    simplify: Callable[[bytes], bytes] | None = None
    needs_values: Callable[[pa.Table], bool] | None = None

    @cached_property
    def list_pattern(self) -> re.Pattern[bytes] | None:
        """Pattern of a key of `lists_as_text` with its list; None without such keys."""
        if not self.lists_as_text:
            return None
        keys = b"|".join(re.escape(key.encode()) for key in self.lists_as_text)
        # Within a text its quotes would be escaped, so that this matches keys alone.
        return re.compile(rb'("(?:' + keys + rb')"\s*:\s*)(\[[][\s\d.,+-]*\])')


@dataclass(frozen=True)
class Surroundings:
    """Text around the array of entries: bytes before it, bytes behind it, and the offset of a cut.

    `cut_at` is the offset in bytes at which a cut file ends inside the array, `None` if the array
    is closed.
    """

    before: bytes
    behind: bytes
    cut_at: int | None
