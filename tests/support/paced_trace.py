"""Captures of an array of 2 x 2 cores whose limit of the rate is known."""

import json
from zlib import crc32

from ingest.files import ingest
from tests.support.gemm_trace import LOCK, Core, entries, settings

TILES = ("2,1", "3,1", "2,2", "3,2")
KERNEL, GAP, KERNELS, ITERATIONS = 600, 10, 8, 5
GRID_KERNELS = 32
_PAUSE = 20_000


def array_cores(*, longer=None, late=None, stalled=None, depth=0, odd=None, gap=GAP):
    """Run the cores of an array: `longer`, `late` and `stalled` map a tile to additional ticks per
    kernel, at the start, and per gap.

    With a `depth` a core waits in a lock stall until all cores have ended the kernel that many
    kernels before. The kernels of iteration `odd` are twice as long.
    """
    cores, begin = {tile: Core(tile) for tile in TILES}, 100
    for iteration in range(ITERATIONS):
        changes = (longer or {}, late or {}, stalled or {})
        begin = _run_iteration(cores, begin, changes, depth=depth, is_odd=iteration == odd, gap=gap)
    return list(cores.values())


def array_settings():
    """Return the settings of a capture of `array_cores`; the first iteration is warm-up."""
    return settings(4, KERNELS, ITERATIONS, rows=2, cols=2)


def ingest_night(repository, folder, night, hwid="npu2", taken_at=None, **planted):
    """Ingest the capture of a night on branch main, with cores as `planted` (see `array_cores`);
    return its run id.

    It was taken at 2:00 on that day of November 2026, unless `taken_at` is given (ISO 8601).
    """
    path = folder / f"{hwid}-{night}.json"
    cores = array_cores(**planted)
    end = cores[-1].now + _PAUSE
    cores[-1].span(
        LOCK, end, end + 100 * night + crc32(hwid.encode()) % 100
    )  # equal files would be one run
    path.write_text(json.dumps(entries(*cores)))
    given = {
        "name": f"{hwid} night {night}",
        "hwid": hwid,
        "branch": "main",
        "commit": f"c0ffee{night:02d}",
    }
    when = {"taken_at": taken_at or f"2026-11-{night:02d}T02:00:00+00:00"}
    return ingest(repository, [path], array_settings() | given | when).runs[0].run_id


def ingest_nights(repository, folder, good, count):
    """Ingest `count` nights; after the first `good` nights a core is slower. Return the run ids."""
    slower = {"longer": {"3,1": 120}}
    return [
        ingest_night(repository, folder, night, **(slower if night > good else {}))
        for night in range(1, count + 1)
    ]


def _run_iteration(cores, begin, changes, *, depth, is_odd, gap):
    longer, late, stalled = changes
    ends = []
    now = {tile: begin + late.get(tile, 0) for tile in cores}
    for kernel in range(KERNELS):
        released = max(ends[kernel - depth]) if depth and kernel >= depth else 0
        for tile, core in cores.items():
            if kernel:
                at = now[tile] + gap
                core.now = max(at + stalled.get(tile, 0), released)
                if core.now > at:
                    core.span(LOCK, at, core.now)
            else:
                core.now = now[tile]
            now[tile] = core.kernel((KERNEL + longer.get(tile, 0)) * (1 + is_odd), 0)[1]
        ends.append(list(now.values()))
    for core in cores.values():
        core.span(LOCK, core.now + 6, max(now.values()) + _PAUSE - 2)
    return max(now.values()) + _PAUSE


def grid_cores(*, longer=None, late=None, depths=(2, 2), lags=(400, 400), late_column=0, own=None):
    """Run the cores of an array whose rows and columns share blocks; a core waits for its blocks.

    A block moves when all cores of its row (or column) have released the buffer of `depths` kernels
    before; it takes `lags` ticks, in column 2 `late_column` more, and moves of one stream follow
    each other. `own` maps a tile to a lock stall of its own before each kernel. Durations vary as
    those of real kernels do, by a fixed sequence.
    """
    cores, begin, draws = {tile: Core(tile) for tile in TILES}, 3_000, _Draws()
    for _ in range(ITERATIONS):
        changes = (longer or {}, late or {}, own or {})
        begin = _run_grid(cores, begin, changes, (*depths, *lags, late_column), draws)
    return list(cores.values())


def grid_settings():
    """Return the settings of a capture of `grid_cores`."""
    return settings(4, GRID_KERNELS, ITERATIONS, rows=2, cols=2)


class _Draws:
    """A fixed sequence of small numbers, from a linear congruential generator."""

    def __init__(self):
        self.state = 12345

    def up_to(self, most):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 8) % (most + 1)


def _run_grid(cores, begin, changes, streams_given, draws):
    longer, late, own = changes
    depths, lags, late_column = streams_given[:2], streams_given[2:4], streams_given[4]
    streams = {
        (axis, place): begin
        for axis in (0, 1)
        for place in sorted({tile.split(",")[axis] for tile in TILES})
    }
    now, ends = {tile: begin + late.get(tile, 0) for tile in TILES}, []
    for kernel in range(GRID_KERNELS):
        for (axis, place), arrived in streams.items():
            shared = [rank for rank, tile in enumerate(TILES) if tile.split(",")[axis] == place]
            depth = depths[axis]
            release = (
                max(ends[kernel - depth][rank] for rank in shared) if kernel >= depth else begin
            )
            late_by = late_column if (axis, place) == (1, "2") else 0
            # Without a late column a move waits for its buffer alone.
            before = arrived if late_by else 0
            streams[axis, place] = max(release, before) + lags[axis] + late_by + draws.up_to(8)
        for tile, core in cores.items():
            row, column = tile.split(",")
            there = max(streams[0, row], streams[1, column])
            at = now[tile] + (GAP + draws.up_to(4) if kernel else 0)
            core.now = max(at + own.get(tile, 0), there)
            if kernel and core.now > at + 2:
                core.span(LOCK, at, core.now)
            now[tile] = core.kernel(KERNEL + draws.up_to(24) + longer.get(tile, 0), 0)[1]
        ends.append(list(now.values()))
    for core in cores.values():
        core.span(LOCK, core.now + 6, max(now.values()) + _PAUSE - 2)
    return max(now.values()) + _PAUSE
