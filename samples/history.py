"""Write the history of runs that the demo shows: `python -m samples.history FOLDER`.

It has four series of GEMM captures over six weeks, and a second compile of a network with another
strategy. The series contain three planted changes: a permanent step, a dip that recovers, and a
slow tile. `story.json` has the baselines, rules, notes, tags, pins and views that users would add.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from samples.deeploy_files import GRAPH
from samples.deeploy_files import write_run as write_deeploy_run
from samples.gemm_array import Behaviour, Gemm, simulate
from samples.trace_file import trace_entries, trace_lines, trace_text, write_run

NIGHTS = 14
"""Number of nights of the history."""
STEP = 8
"""Night of the first run after the step."""
DIP = range(5, 9)
"""Nights of the dip."""
SLOW = 12
"""Night of the run with a slow tile."""
SLOW_TILE = (3, 1)
STORY = "story.json"
"""Name of the file of the story."""
_FIRST = datetime(2026, 10, 12, 22, tzinfo=UTC)
_BETWEEN = timedelta(days=3)
_COMPILED = Path(__file__).parent / "deeploy" / "gull-L3-l1_10000-MiniMalloc"
_LONG, _SHORT, _K = 256, 128, 64
"""M of the nightly GEMM, M of the GEMM of every other night, and K of both."""
_SHORT_NIGHTS = range(3, NIGHTS, 2)
_BASELINE_NIGHTS = range(3)
_ROLLING = 5
"""Runs of the rolling baseline and of the baseline rule."""
_USUAL = Behaviour(seed=0)
_NOTES = {
    "step": "**Step.** The kernel takes about 9 % longer since this commit, on every tile. It stays so.",
    "dip": "**Dip.** Blocks arrive late: the host copied from the same memory on these nights. Locks show the wait.",
    "slow": "**Slow tile.** Made from branch `bank-layout`: two buffers of tile 3,1 share a bank. See the floor plan.",
}


@dataclass(frozen=True)
class Capture:
    """A run of a night: its GEMM, and the behaviour of the array."""

    night: int
    gemm: Gemm
    behaviour: Behaviour
    branch: str = "main"

    @property
    def taken_at(self) -> str:
        """Time of the capture in ISO 8601; series of the same night differ by some minutes."""
        late = timedelta(minutes=self.gemm.M // 16 + 8 * (self.gemm.hwid == "npu2"))
        return (_FIRST + self.night * _BETWEEN + late).isoformat(timespec="seconds")

    @property
    def commit(self) -> str:
        """Commit of the night; each branch has commits of its own."""
        return hashlib.sha256(f"{self.branch} {self.night}".encode()).hexdigest()[:12]

    @property
    def folder(self) -> str:
        """Name of the folder that the runs of a night and commit share."""
        return f"{self.taken_at[:10]}-{self.commit}"


def captures() -> Iterator[Capture]:
    """Yield every capture, night by night."""
    for night in range(NIGHTS):
        yield _on_npu1(night)
        yield _on_npu2(night)
        if night in _SHORT_NIGHTS:
            for rank, hwid in enumerate(("npu1", "npu2")):
                yield Capture(
                    night, _gemm(hwid, _SHORT), _with_noise(_USUAL, 300 + 2 * night + rank)
                )


def _on_npu1(night: int) -> Capture:
    gemm, usual = _gemm("npu1", _LONG), _with_noise(_USUAL, 100 + night)
    if night in DIP:
        return Capture(night, gemm, replace(usual, transfer=680))
    if night == SLOW:
        return Capture(night, gemm, replace(usual, slow=SLOW_TILE, stall_chance=1.0), "bank-layout")
    return Capture(night, gemm, usual)


def _on_npu2(night: int) -> Capture:
    longer = 52 * (night >= STEP)
    return Capture(
        night, _gemm("npu2", _LONG), _with_noise(replace(_USUAL, compute=540 + longer), 200 + night)
    )


def _gemm(hwid: str, rows_of_a: int) -> Gemm:
    return Gemm(
        hwid, rows_of_a, _K, 128, 2, 2, warmup=1, iterations=6, first_col=int(hwid == "npu1")
    )


def _with_noise(behaviour: Behaviour, seed: int) -> Behaviour:
    """Return the behaviour of a run: the kernel's cycles vary by up to four between nights."""
    return replace(behaviour, seed=seed, compute=behaviour.compute + 4 * (seed * 7 % 3 - 1))


def write_capture(root: Path, capture: Capture) -> Path:
    """Write a capture below the folder of its night; return the trace's path."""
    units = simulate(capture.gemm, capture.behaviour)
    text = trace_text(trace_lines(units, trace_entries(units, capture.behaviour.seed)))
    origin = {"taken_at": capture.taken_at, "commit": capture.commit, "branch": capture.branch}
    return write_run(root / capture.folder, capture.gemm, text, level=1, origin=origin)


def write_history(root: Path) -> Path:
    """Write all files of the history; return the path of the story, which is written last."""
    paths = {}
    for capture in captures():
        path = write_capture(root, capture).relative_to(root).as_posix()
        paths[capture.gemm.hwid, capture.gemm.M, capture.night] = path
    npu1 = [paths["npu1", _LONG, night] for night in range(NIGHTS)]
    npu2 = [paths["npu2", _LONG, night] for night in range(NIGHTS)]
    # Copied from the sample, because writing it needs onnx, which not every installation has.
    graph = (_COMPILED / GRAPH).read_bytes()
    write_deeploy_run(root / "deeploy" / "gull-L3-l1_10000-TetrisRandom", graph, "TetrisRandom")
    story = root / STORY
    story.write_text(json.dumps(_story(npu1, npu2), indent=2) + "\n", "utf-8")
    return story


def _story(npu1: list[str], npu2: list[str]) -> dict[str, object]:
    """Build the content of STORY: baselines, rules, saved filters and annotations of the two long
    series, whose runs are given by their files.
    """
    return {
        "baselines": [
            {
                "name": "npu1 release",
                "runs": [npu1[night] for night in _BASELINE_NIGHTS],
                "last": None,
            },
            {"name": "npu2 nightly", "runs": npu2[:1], "last": _ROLLING},
        ],
        "rules": [{"name": "nightly", "last": _ROLLING, "branch": "main", "source": "aie"}],
        "views": [{"name": "Nightly runs", "query": f"M={_LONG}&K={_K}"}],
        "annotations": [
            {"run": npu2[STEP - 1], "notes": "", "tags": ["last-good"], "pinned": True},
            {"run": npu2[STEP], "notes": _NOTES["step"], "tags": [], "pinned": False},
            {"run": npu1[DIP[0]], "notes": _NOTES["dip"], "tags": [], "pinned": False},
            {"run": npu1[SLOW], "notes": _NOTES["slow"], "tags": ["investigate"], "pinned": False},
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(f"{write_history(Path(sys.argv[1]))}\n")
