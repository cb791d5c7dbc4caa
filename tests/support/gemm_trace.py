"""AIE captures of a GEMM whose true times are known, also after damage.

A `Core` runs first (`opening`, `iteration`, `pause` ...) and is then damaged as captures are
(`lose`, `repeat`, `cut`, `phantom`). `entries` turns cores into trace entries, `frames` into the
frames of the loader.
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
    """A traced core; `ran` holds the (start, end) of its main kernels per iteration, `now` is the
    present tick.
    """

    tile: str = "2,0"
    now: int = 1
    kind: str = "core"
    spans: list = field(default_factory=list)
    dropped: list = field(default_factory=list)
    ran: list = field(default_factory=list)
    limit: float = math.inf
    extra: list = field(default_factory=list)

    def span(self, name, start, end):
        """Add an event from `start` to `end` and return the core."""
        self.spans.append((name, start, end))
        return self

    def kernel(self, duration=100, gap=10):
        """Run a kernel between its two markers, then wait `gap` ticks; return its (start, end)."""
        start, end = self.now, self.now + duration
        self.span(START, start, start + 1).span(END, end - 1, end)
        self.now = end + gap
        return start, end

    def iteration(self, kernels=8, *, duration=100, gap=10, clear=0, every=4, slow=None):
        """Run main kernels, with a kernel of `clear` ticks before every `every`-th if `clear` is
        not 0; `slow` maps the rank of a kernel to its ticks. Returns the core.
        """
        done = []
        for rank in range(kernels):
            if clear and rank % every == 0:
                self.kernel(clear, gap)
            done.append(self.kernel((slow or {}).get(rank, duration), gap))
        self.ran.append(done)
        return self

    def pause(self, ticks=5_000, stalled=True):
        """Wait `ticks`, in a lock stall if `stalled`; return the core."""
        if stalled:
            self.span(LOCK, self.now, self.now + ticks)
        self.now += ticks + 10
        return self

    def run(self, iterations=4, pause=5_000, **iteration):
        """Run iterations with a pause after each; return the core."""
        for _ in range(iterations):
            self.iteration(**iteration).pause(pause)
        return self

    def lose(self, name, *ranks):
        """Drop the begin and end of markers `name` by rank; return the core."""
        places = [i for i, span in enumerate(self.spans) if span[0] == name]
        self.dropped += [places[rank] for rank in ranks]
        return self

    def repeat(self, name, *ranks, after=5):
        """Add markers `name` by rank a second time, `after` ticks later; return the core."""
        again = [span for span in self.spans if span[0] == name]
        for rank in ranks:
            _, start, end = again[rank]
            self.span(name, start + after, end + after)
        return self

    def cut(self, at):
        """Drop all entries after the tick `at`; return the core."""
        self.limit = at
        return self

    def phantom(self, behind=300):
        """Add a begin of slot 0 after the last event, as zero padding decodes to; return the core."""
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
    """List the trace entries of a capture: the metadata of all cores, then the events core by core."""
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
    """Return run settings (name -> text) for cores with `kernels` kernels per iteration; the first
    iteration is warm-up.
    """
    base = {"M": TILE * kernels, "K": TILE, "N": TILE * cores, "m": TILE, "k": TILE, "n": TILE}
    base |= {"rows": cores, "cols": 1, "warmup": 1, "iterations": iterations - 1}
    return {key: str(value) for key, value in (base | more).items() if value is not None}


def load(text, given=None):
    """Read the text of a trace with the AIE loader and these settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return AieTraceLoader().load(path, given or {})


def run_frame(metadata):
    """Build frame `run` from the metadata of a loader."""
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
    """Return the stored and the derived frames of a capture."""
    stored = frames(*cores, given=given, **writing)
    return stored | derive(stored, method)
