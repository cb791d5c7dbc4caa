"""Parse cycles and counters of operators that are not tiled.

Formats: Deeploy `CycleMeasurement` (`Conv_0 took 91234 cycles`, from `--profileUntiled`), and the
blocks of `perf_utils.h` (`=== Performance Statistics: Conv_0 ===`, from `--profileMicrobenchmark`).
`Runtime: N cycles` of the whole program is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from schema.frames import complete

_TOOK_PATTERN = r"^([A-Za-z_]\w{0,499}) took (\d{1,15}) cycles[ \t]*\r?$"
_TOOK = re.compile(_TOOK_PATTERN, re.MULTILINE)
_BLOCK_PATTERN = r"^=== Performance Statistics: ([^\n]{1,500}?) ===[ \t]*\r?$"
_BLOCK = re.compile(_BLOCK_PATTERN, re.MULTILINE)
_HEADS = [re.compile(pattern.encode(), re.MULTILINE) for pattern in (_TOOK_PATTERN, _BLOCK_PATTERN)]
_COUNTER = re.compile(r"^([A-Za-z][A-Za-z() -]{0,60}?):[ \t]+(\d{1,15})(?![\d.])", re.MULTILINE)
_END = re.compile(r"^={20,}[ \t]*\r?$", re.MULTILINE)
_MAX_BLOCK_CHARS = 5_000
_MAX_BLOCKS = 100_000
_CYCLES = "Cycles"


def has_untiled_times(head: bytes) -> bool:
    """Whether the bytes contain a line or a block with the cycles of an operator that is not tiled."""
    return any(pattern.search(head) for pattern in _HEADS)


def untiled_times(text: str) -> pd.DataFrame:
    """Build frame `tile_times` of operators that are not tiled, in the order of the text.

    A row each, tile 0, cycles in `kernel`. Level and buffering are null. No rows if there are no
    such operators.
    """
    took = [(match.start(), match[1], int(match[2])) for match in _TOOK.finditer(text)]
    took += [
        (place, name, values[_CYCLES]) for place, name, values in _blocks(text) if _CYCLES in values
    ]
    took.sort()
    columns = {
        "name": pd.array([name for _, name, _ in took], dtype="str"),
        "tile": [0] * len(took),
    }
    return complete(
        "tile_times", columns | {"kernel": pd.array([cycles for *_, cycles in took], dtype="Int64")}
    )


def operator_counters(text: str) -> pd.DataFrame:
    """Build frame `operator_counters` from the blocks of a printout.

    A row per block and counter, in its order. `block` numbers the blocks from 0. No rows without
    blocks.
    """
    blocks = enumerate(_blocks(text))
    rows = [
        (name, block, counter, value)
        for block, (_, name, values) in blocks
        for counter, value in values.items()
    ]
    columns = (
        dict(zip(("name", "block", "counter", "value"), zip(*rows, strict=True), strict=True))
        if rows
        else {}
    )
    return complete("operator_counters", {name: list(values) for name, values in columns.items()})


def _blocks(text: str) -> Iterator[tuple[int, str, dict[str, int]]]:
    """Yield (offset, operator, counter -> value) of each block.

    A block that is cut off has the counters before the cut.
    """
    starts = [match for _, match in zip(range(_MAX_BLOCKS), _BLOCK.finditer(text), strict=False)]
    for rank, start in enumerate(starts):
        follows = starts[rank + 1].start() if rank + 1 < len(starts) else len(text)
        body = text[start.end() : min(follows, start.end() + _MAX_BLOCK_CHARS)]
        end = _END.search(body)
        values = _COUNTER.findall(body[: end.start()] if end else body)
        yield start.start(), start[1], {name: int(value) for name, value in values}
