"""A problem of forty buffers as MiniMalloc's CSV, and a solution by the samples' allocator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from samples.allocator import Request, lowest_fit

NAME = "harbour"
_BUFFERS, _STEPS = 40, 60
"""Number of buffers, and of steps."""
_ROUND = 4096
"""The capacity is rounded up to a multiple of this number of bytes."""


@dataclass(frozen=True)
class Buffer:
    """A buffer that is alive in steps [lower, upper) except in its gaps, also half-open."""

    name: str
    lower: int
    upper: int
    size: int
    alignment: int
    gaps: tuple[tuple[int, int], ...]

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Return the half-open ranges of steps in which it is alive."""
        borders = [self.lower, *(step for gap in self.gaps for step in gap), self.upper]
        return tuple(zip(borders[::2], borders[1::2], strict=True))


def problem() -> list[Buffer]:
    """Generate the buffers: most live for some steps, every eighth for long and with a gap.

    Every fifth buffer has an alignment of 64 bytes and an odd size.
    """
    random = Random(11)  # noqa: S311 - a sample must come out the same every time
    buffers = []
    for rank in range(_BUFFERS):
        pauses = rank % 8 == 5
        length = random.randint(24, 34) if pauses else random.randint(2, 12)
        lower = random.randint(0, _STEPS - length)
        begin = lower + length // 3
        gaps = ((begin, begin + length // 3),) if pauses else ()
        table = rank % 5 == 2
        size = 8 * random.randint(40, 1400) + (random.randint(1, 63) if table else 0)
        buffers.append(Buffer(f"t{rank:02}", lower, lower + length, size, 64 if table else 1, gaps))
    return buffers


def write_problem(folder: Path) -> Path:
    """Write problem and solution; return the path of the solution.

    The names of both files contain the capacity. Buffers are placed by their first step and the
    largest first, so that a better solution exists.
    """
    buffers = problem()
    requests = [Request(buffer.size, buffer.spans(), buffer.alignment) for buffer in buffers]
    order = sorted(range(len(buffers)), key=lambda rank: (buffers[rank].lower, -buffers[rank].size))
    offsets = [offset or 0 for offset in lowest_fit(requests, order)]
    height = max(offset + buffer.size for offset, buffer in zip(offsets, buffers, strict=True))
    stem = f"{NAME}.{-(-height // _ROUND) * _ROUND}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.csv").write_text(_csv(buffers, None), "utf-8", newline="")
    path = folder / f"{stem}.solved.csv"
    path.write_text(_csv(buffers, offsets), "utf-8", newline="")
    return path


def _csv(buffers: Sequence[Buffer], offsets: Sequence[int] | None) -> str:
    """Return the table, with a column of offsets if `offsets` is given."""
    header = ["id", "lower", "upper", "size", "alignment", "gaps", *(["offset"] if offsets else [])]
    rows = [header]
    for rank, b in enumerate(buffers):
        gaps = " ".join(f"{begin}-{end}" for begin, end in b.gaps)
        rows.append([b.name, *map(str, (b.lower, b.upper, b.size, b.alignment)), gaps])
        rows[-1] += [str(offsets[rank])] if offsets else []
    return "".join(",".join(row) + "\n" for row in rows)
