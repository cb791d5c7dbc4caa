"""Generate catalogues with any number of runs, as rows without frames."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.config.settings import Settings
from schema.metrics import METRICS
from schema.runs import RUN
from storage.stored_run import StoredRun

_START = datetime(2026, 1, 1, tzinfo=UTC)
_SIZES = (64, 128, 256, 512, 1024, 2048)
_SOURCES = {"aie": 60, "tpu_mlir": 15, "deeploy": 10, "tinygrad": 10, "minimalloc": 5}
"""Source -> its percentage of the runs."""
HWIDS = tuple(f"npu{rank}" for rank in range(12))
"""Hardware ids of AIE captures."""
_OTHERS = ("bm1684x", "siracusa", "CPU", "")
"""Hardware ids of the other sources."""
_FINDING = {
    "severity": "warning",
    "code": "kernels_left_out",
    "message": "3 of 96 kernels left out: outside 1/3 to 3 medians",
    "location": "tile 3,1",
    "count": 3,
}


def make_catalogue(folder: Path, count: int) -> Settings:
    """Create a store of `count` runs in a folder; return the settings that open it."""
    settings = Settings(data=folder)
    catalogue = settings.catalogue()
    catalogue.create()
    catalogue.insert_many(many_runs(count))
    catalogue.close()
    return settings


def many_runs(count: int, first: int = 0) -> Iterator[StoredRun]:
    """Yield runs of all sources, equal in every call; `first` is the number of the first run."""
    # Another seed for each first run, so that added runs do not repeat the values of the others.
    drawn = random.Random(9 + first)  # noqa: S311 - drawn, not secret
    for rank in range(first, first + count):
        (source,) = drawn.choices(list(_SOURCES), list(_SOURCES.values()))
        warnings = drawn.choice((0, 0, 0, 1, 2))
        run = _run_row(rank, source, drawn)
        headline = dict.fromkeys(METRICS) | _numbers(source, drawn) | {"findings": float(warnings)}
        frames = dict.fromkeys(("events", "tracks", "diagnostics"), (1000, rank))
        yield StoredRun(
            prefix=f"{run['run_id']}/{rank:016x}",
            run=run,
            settings={},
            headline=headline,
            frames=dict.fromkeys(frames, 1000),
            derived={"kernels": 96, "iterations": 11},
            findings=[_FINDING] * warnings,
            errors=0,
            warnings=warnings,
            checksums={name: list(sums) for name, sums in frames.items()},
        )


def _run_row(rank: int, source: str, drawn: random.Random) -> dict[str, Any]:
    sha256 = hashlib.sha256(str(rank).encode()).hexdigest()
    hwid = drawn.choice(HWIDS if source == "aie" else _OTHERS)
    M, K, N = drawn.choices(_SIZES, k=3)
    blank = {column.name: "" if column.dtype == "str" else None for column in RUN.columns}
    sizes = (
        {"M": M, "K": K, "N": N, "m": 32, "k": 32, "n": 32, "rows": 4, "cols": 4}
        if source == "aie"
        else {}
    )
    return blank | {
        "run_id": sha256[:12],
        "source": source,
        "name": f"{hwid} · gemm {M}x{K}x{N} · {rank}",
        "hwid": hwid,
        "time_unit": "cycles",
        "file": f"trace_mm_{M}_{K}_{N}.json",
        "sha256": sha256,
        "created_at": (_START + timedelta(minutes=13 * rank)).isoformat(timespec="seconds"),
        "tags": drawn.choice(("", "nightly", "golden best")),
        **sizes,
    }


def _numbers(source: str, drawn: random.Random) -> dict[str, float]:
    if source == "aie":
        rate = drawn.uniform(50, 1000)
        rates = {
            "gmacs_mean": rate,
            "gmacs_best": 1.1 * rate,
            "gmacs_worst": 0.9 * rate,
            "utilization": rate / 2000,
        }
        return rates | {"kernels": 96.0, "median_kernel": 582.0, "lock_stall_share": 0.3}
    if source == "tinygrad":
        return {
            "busy_share": drawn.random(),
            "kernel_time": drawn.uniform(1e6, 1e9),
            "peak_memory": 1e9 * drawn.random(),
        }
    memory = {"peak_memory": float(drawn.randrange(10**6)), "capacity_use": 1.1 * drawn.random()}
    return memory | {
        "failed_blocks": float(drawn.randrange(3)),
        "memory_waste": float(drawn.randrange(10**5)),
    }
