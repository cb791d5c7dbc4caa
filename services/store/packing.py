"""Packing of the runs of older releases: the files of a run's frames become one file, its pack."""

from __future__ import annotations

from pathlib import Path

from data_loaders.reading.scratch import scratch_folder
from storage.errors import RunDamaged, StorageError
from storage.pending import alive, garbage, reservation, tidy
from storage.repository import Repository
from storage.stored_run import StoredRun

_MAX_TRIES = 5
"""Maximum number of attempts to pack a run that other processes replace meanwhile."""


def unpacked_runs(repository: Repository) -> list[str]:
    """List the ids of the runs whose frames have a file each, newest first."""
    return [
        stored.run_id
        for stored in repository.catalogue.each()
        if not stored.damaged and not stored.is_packed
    ]


def pack_run(repository: Repository, run_id: str) -> str:
    """Write the frames of a run to a pack and remove their files; return `packed`, or `unchanged`
    if the run is packed already.

    The files are removed after the row of the run names the pack, so that nothing is lost if the
    process ends in between: the next ingest removes what belongs to no run. Raises RunNotFound,
    RunDamaged if a file is missing or changed (the run stays as it is), and StorageError.
    """
    for _ in range(_MAX_TRIES):
        stored = repository.find_run(run_id)
        if stored.is_packed:
            return "unchanged"
        if _pack(repository, stored):
            return "packed"
    raise StorageError(f"run {run_id} was replaced during each attempt to pack it")


def _pack(repository: Repository, stored: StoredRun) -> bool:
    """Pack a run; return False, without a change, if it was replaced or deleted meanwhile."""
    catalogue = repository.catalogue
    store = repository.store
    reserved = reservation(stored.run_id)
    catalogue.reserve(reserved)
    try:
        with alive(catalogue), scratch_folder() as folder:
            files = store.put(reserved.prefix, _fetch(repository, stored, folder))
            if catalogue.move(stored, stored.at_files(files), garbage(stored.prefix)):
                tidy(catalogue, store, stored.prefix)
                return True
    except FileNotFoundError as error:
        tidy(catalogue, store, reserved.prefix)
        if repository.find_run(stored.run_id).prefix != stored.prefix:
            return False
        store.check()
        raise RunDamaged(f"a file of run {stored.run_id} is missing") from error
    except BaseException:
        tidy(catalogue, store, reserved.prefix)
        raise
    tidy(catalogue, store, reserved.prefix)
    return False


def _fetch(repository: Repository, stored: StoredRun, folder: Path) -> dict[str, Path]:
    """Download the files of a run's frames; return the local file of each frame.

    Raises FileNotFoundError if a file is missing, RunDamaged if it differs from its checksum.
    """
    paths = {}
    for rank, name in enumerate(stored.frames):
        file = stored.frame_file(name)
        paths[name] = folder / f"{rank}"
        checksum = repository.store.fetch(file, paths[name])
        if file.checksum not in (None, checksum):
            raise RunDamaged(f"the file of frame {name} of run {stored.run_id} is damaged")
    return paths
