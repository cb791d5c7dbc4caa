"""AIE captures of a GEMM whose truth is known: what ran, and what of it the file still tells.

A `Core` is written as it ran (`opening`, `iteration`, `pause` ...), then damaged as captures are (`lose`, `repeat`,
`cut`, `phantom`). `entries` turns cores into trace entries, `frames` into what the loader makes of them.
"""

import json
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.derive import derive
from data_loaders.aie.trace import AieTraceLoader
from schema.frames import conform
from schema.runs import RUN

START, END, LOCK = "INSTR_EVENT_0", "INSTR_EVENT_1", "LOCK_STALL"
TILE = 16
MACS_PER_KERNEL = TILE**3


@dataclass
class Core:
    """One traced core; `ran` holds the (start, end) of its main kernels per iteration, `now` where time stands."""

    tile: str = "2,0"
    now: int = 1
    kind: str = "core"
    spans: list = field(default_factory=list)
    dropped: list = field(default_factory=list)
    ran: list = field(default_factory=list)
    limit: float = math.inf
    extra: list = field(default_factory=list)

    def span(self, name, start, end):
        """Put down an event from start to end."""
        self.spans.append((name, start, end))
        return self

    def kernel(self, duration=100, gap=10):
        """Run one kernel between its markers, then wait `gap`; return its (start, end)."""
        start, end = self.now, self.now + duration
        self.span(START, start, start + 1).span(END, end - 1, end)
        self.now = end + gap
        return start, end

    def iteration(self, kernels=8, *, duration=100, gap=10, clear=0, every=4, slow=None):
        """Run main kernels, behind each `every` of them a clear kernel of `clear` ticks; `slow` maps rank to ticks."""
        done = []
        for rank in range(kernels):
            if clear and rank % every == 0:
                self.kernel(clear, gap)
            done.append(self.kernel((slow or {}).get(rank, duration), gap))
        self.ran.append(done)
        return self

    def pause(self, ticks=5_000, stalled=True):
        """Wait, in a lock stall unless told otherwise."""
        if stalled:
            self.span(LOCK, self.now, self.now + ticks)
        self.now += ticks + 10
        return self

    def run(self, iterations=4, pause=5_000, **iteration):
        """Run iterations with a pause behind each."""
        for _ in range(iterations):
            self.iteration(**iteration).pause(pause)
        return self

    def lose(self, name, *ranks):
        """Drop markers by rank: neither begin nor end of them is in the file."""
        places = [i for i, span in enumerate(self.spans) if span[0] == name]
        self.dropped += [places[rank] for rank in ranks]
        return self

    def repeat(self, name, *ranks, after=5):
        """Write markers a second time, `after` ticks later."""
        again = [span for span in self.spans if span[0] == name]
        for rank in ranks:
            _, start, end = again[rank]
            self.span(name, start + after, end + after)
        return self

    def cut(self, at):
        """End the capture at a time: what comes later is not in the file."""
        self.limit = at
        return self

    def phantom(self, behind=300):
        """Begin slot 0 a last time at the very end, as zero padding decodes."""
        last = max(max(end, start) for _, start, end in self.spans)
        self.extra.append((last + behind, True, START))
        return self

    def times(self):
        """Return (ts, begin, name) of every entry in the file's order: by time, ends first."""
        spans = [span for i, span in enumerate(self.spans) if i not in set(self.dropped)]
        both = [(start, True, name) for name, start, _ in spans] + [
            (end, False, name) for name, _, end in spans
        ]
        return sorted(entry for entry in both + self.extra if entry[0] <= self.limit)


def entries(*cores, spell=str, unit="{kind}_trace for tile{tile}"):
    """Return the entries of a capture: metadata of all units, then their events unit by unit."""
    metadata, events = [], []
    for pid, core in enumerate(cores):
        names = list(
            dict.fromkeys([name for name, _, _ in core.spans] + [name for _, _, name in core.extra])
        )
        process = unit.format(kind=core.kind, tile=core.tile)
        metadata.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": process}})
        metadata += [
            {
                "name": "thread_name",
                "ph": "M",
                "pid": pid,
                "tid": tid,
                "args": {"name": spell(name)},
            }
            for tid, name in enumerate(names)
        ]
        events += [
            {
                "name": spell(name),
                "ts": ts,
                "ph": "B" if begin else "E",
                "pid": pid,
                "tid": names.index(name),
                "args": {},
            }
            for ts, begin, name in core.times()
        ]
    return metadata + events


def settings(cores=1, kernels=8, iterations=4, **more):
    """Return run settings under which each core runs `kernels` kernels per iteration, the first one warm-up."""
    base = {"M": TILE * kernels, "K": TILE, "N": TILE * cores, "m": TILE, "k": TILE, "n": TILE}
    base |= {"rows": cores, "cols": 1, "warmup": 1, "iterations": iterations - 1}
    return {key: str(value) for key, value in (base | more).items() if value is not None}


def load(text, given=None):
    """Read a trace's text with the AIE loader."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return AieTraceLoader().load(path, given or {})


def run_frame(metadata):
    """Return frame `run` of what a loader tells."""
    missing = {"str": "", "Int64": pd.NA, "float64": math.nan}
    row = (
        {c.name: missing[c.dtype] for c in RUN.columns}
        | {"source": "aie", "run_id": "0" * 12}
        | metadata
    )
    return conform("run", pd.DataFrame([row]))


def frames(*cores, given=None, **writing):
    """Return the frames run, tracks and events of a capture; `given` are the run's settings."""
    loaded = load(
        json.dumps(entries(*cores, **writing)), settings(len(cores)) if given is None else given
    )
    return {"run": run_frame(loaded.metadata), **loaded.frames}


def derived(*cores, method="robust", given=None, **writing):
    """Return the frames of a capture with what the analysis makes of it."""
    stored = frames(*cores, given=given, **writing)
    return stored | derive(stored, method)
