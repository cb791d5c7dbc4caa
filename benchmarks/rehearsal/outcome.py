"""Check the store after a rehearsal: lost runs, and runs with missing parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.config.settings import load_settings
from benchmarks.rehearsal.installation import Installation
from storage.errors import StorageError


@dataclass(frozen=True)
class Outcome:
    """Number of runs, ingested runs that are missing, and runs whose frames cannot be read."""

    runs: int
    lost: tuple[str, ...]
    half: tuple[str, ...]


def check_store(installation: Installation, ingested: Iterable[str]) -> Outcome:
    """Read every frame of the runs that were ingested during the rehearsal."""
    environment = installation.environment
    repository = load_settings(
        data=Path(environment["TILESCOPE_DATA"]),
        database_url=environment["TILESCOPE_DATABASE_URL"],
        frames_url=environment["TILESCOPE_FRAMES_URL"],
    ).repository()
    try:
        ids = sorted(set(ingested))
        lost = [run_id for run_id in ids if not repository.exists(run_id)]
        half = []
        for run_id in ids:
            try:
                for name in repository.frame_names(run_id) if run_id not in lost else ():
                    repository.frame(run_id, name)
            except StorageError as error:
                half.append(f"{run_id}: {error}")
        return Outcome(repository.count(), tuple(lost), tuple(half))
    finally:
        repository.catalogue.close()
