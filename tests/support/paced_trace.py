"""Captures of an array of 2 x 2 cores in which it is known what holds the rate down."""

import json
from zlib import crc32

from ingest.files import ingest
from tests.support.gemm_trace import LOCK, Core, entries, settings

TILES = ("2,1", "3,1", "2,2", "3,2")
KERNEL, GAP, KERNELS, ITERATIONS = 600, 10, 8, 5
_PAUSE = 20_000


def array_cores(*, longer=None, late=None, stalled=None, depth=0, odd=None, gap=GAP):
    """Return the cores: `longer`, `late` and `stalled` map a tile to ticks more per kernel, at the start, per gap.

    With a `depth` a core waits in a lock stall until all have ended the kernel that many before. `odd` is the
    iteration whose kernels are twice as long.
    """
    cores, begin = {tile: Core(tile) for tile in TILES}, 100
    for iteration in range(ITERATIONS):
        begin = _run_iteration(
            cores,
            begin,
            (longer or {}, late or {}, stalled or {}),
            depth=depth,
            is_odd=iteration == odd,
            gap=gap,
        )
    return list(cores.values())


def array_settings():
    """Return the settings of such a capture: the first iteration is warm-up."""
    return settings(4, KERNELS, ITERATIONS, rows=2, cols=2)


def ingest_night(repository, folder, night, hwid="npu2", **planted):
    """Ingest the capture of a night on branch main, with what is planted in it; return its run id."""
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
    when = {"taken_at": f"2026-11-{night:02d}T02:00:00+00:00"}
    return ingest(repository, [path], array_settings() | given | when).runs[0].run_id


def ingest_nights(repository, folder, good, count, hwid="npu2"):
    """Ingest so many nights, of which those after the `good` first ones have a slower core; return their run ids."""
    slower = {"longer": {"3,1": 120}}
    return [
        ingest_night(repository, folder, night, hwid, **(slower if night > good else {}))
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
