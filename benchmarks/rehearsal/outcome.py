"""What is in the store when all is over: runs that are lost, and runs of which a part is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.config.settings import load_settings
from benchmarks.rehearsal.installation import Installation
from storage.errors import StorageError


@dataclass(frozen=True)
class Outcome:
    """How many runs there are, which of the ingested ones are missing, and which cannot be read as a whole."""

    runs: int
    lost: tuple[str, ...]
    half: tuple[str, ...]


def check_store(installation: Installation, ingested: Iterable[str]) -> Outcome:
    """Read every frame of the runs that were ingested meanwhile."""
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
