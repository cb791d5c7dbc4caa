"""Create a store of very many runs that share the frames of a few hundred captures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.config.settings import load_settings
from benchmarks.rehearsal.installation import Installation
from benchmarks.small_captures import write
from storage.catalogue import Catalogue
from storage.stored_run import StoredRun

_HWIDS = 40
"""Number of hardware ids of the copies."""
_EVERY = timedelta(minutes=5)
"""Time between two runs."""


def fill_store(installation: Installation, runs: int, distinct: int) -> list[str]:
    """Ingest `distinct` captures, and add rows that share their frames, up to `runs`.

    Return run ids.
    """
    captures = [str(path) for path in write(installation.folder / "captures", distinct)]
    ingested = installation.command("ingest", *captures, "--json")
    if ingested.returncode:
        raise RuntimeError(ingested.stderr)
    catalogue = open_catalogue(installation)
    try:
        stored = catalogue.runs({})
        catalogue.insert_many(_copies(stored, runs - len(stored)))
        return [run.run_id for run in catalogue.runs({})]
    finally:
        catalogue.close()


def open_catalogue(installation: Installation) -> Catalogue:
    """Open the catalogue of the installation's store."""
    return load_settings(
        data=Path(installation.environment["TILESCOPE_DATA"]),
        database_url=installation.environment["TILESCOPE_DATABASE_URL"],
    ).catalogue()


def _copies(stored: list[StoredRun], count: int) -> Iterator[StoredRun]:
    """Yield copies of stored runs with other ids, hardware and times; their frames are shared."""
    now = datetime.now(UTC)
    for rank in range(count):
        original = stored[rank % len(stored)]
        sha256 = hashlib.sha256(f"copy {rank}".encode()).hexdigest()
        time = (now - _EVERY * (count - rank)).isoformat(timespec="seconds")
        own = {
            "run_id": sha256[:12],
            "sha256": sha256,
            # Not npu1, the hardware of ingested captures, for which the rule of the alert is set.
            "hwid": f"npu{2 + rank % _HWIDS}",
            "created_at": time,
            "taken_at": time,
            "file": f"{rank}/{original.run['file']}",
        }
        yield replace(original, run=original.run | own)
