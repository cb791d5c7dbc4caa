"""Ingest a run: read its files, analyse them and store the frames and the row."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from data_loaders.protocol import DividedLoader, LoadedRun, LoadError
from data_loaders.reading.files import describe
from data_loaders.reading.limits import limited_processor, reserve_in_use
from ingest.plain_run import plain_run
from ingest.processes import finish_before_end, give_back_memory
from ingest.provenance import (
    companion_columns,
    differs,
    has_provenance,
    is_same_result,
    may_stay,
    read_companions,
)
from ingest.reader_text import reader_text
from ingest.reading_quality import new_quality, poorer_finding, stored_quality
from ingest.request import Ingested, Request
from ingest.results import store_results
from ingest.run_row import Identity, run_frame, stored_run
from ingest.settings import (
    check_keys,
    given_origin,
    merged_settings,
    modification_time,
    origin_columns,
    without_origin,
)
from ingest.summary import summarise
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import conform
from schema.impossible_rates import without_impossible_rates
from schema.memory import STORED_OCCUPANCY
from schema.run_settings import SettingError, check_array
from storage.clock import timestamp
from storage.errors import StorageError
from storage.observation import Observation, make_observation
from storage.observations import read_observations
from storage.pending import alive, garbage, reservation, tidy
from storage.repository import Repository
from storage.stored_run import StoredRun
from storage.text import plain_text

_MAX_TRIES = 20
"""Maximum number of attempts to commit a run that other processes insert, replace or delete
meanwhile.
"""
_LOG = logging.getLogger(__name__)


def ingest_run(repository: Repository, request: Request) -> Ingested:
    """Read the files and store them as a run, unless the same run is stored already and undamaged.

    If it is stored and the date, commit or branch differs, an observation is recorded and the rest
    stays. Raises LoadError if a file or setting is invalid, OSError if a file cannot be read,
    StorageError if the run cannot be stored.
    """
    loader = request.loader
    check_keys(loader, set(request.settings))
    # A tool may still be writing the file: its state is compared after reading.
    before = request.path.stat()
    content = describe(request.path, request.max_content_bytes)
    companions, unreadable = read_companions(request)
    provenance = {"reader": reader_text(loader.name, loader.version)} | companion_columns(
        companions
    )
    file = plain_text(request.known_paths[0].name)
    identity = Identity(loader.name, content.sha256, file, request.bundle.part)
    old = repository.catalogue.get(identity.run_id)
    _check_content(old, content.sha256)
    own = without_origin(request.settings)
    is_current = (
        old is not None
        and not old.damaged
        and not differs(old, own)
        and has_provenance(old, provenance)
    )
    whole = old is not None and is_current and repository.is_whole(old)
    if old is not None and whole and _is_observed(repository, old, request.settings):
        return Ingested(old, "unchanged")
    settings = merged_settings(request.settings, old)
    content_bytes = content.size + sum(companion.size for companion in companions.values())
    loaded = _load(request, list(companions), settings, content_bytes)
    _check_array(loaded, repository.max_array_tiles)
    after = request.path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise LoadError("the file changed while it was read; ingest it again once it is written")
    loaded = _complete(request, loaded, unreadable, content.damage)
    of_file = request.modified_s or modification_time(request.path, request.origin)
    loaded.metadata |= provenance | origin_columns(
        settings, loaded.metadata, of_file, old.run if old else {}
    )
    if old is not None and whole:
        seen = make_observation(
            loaded.metadata | {"file": identity.file, "created_at": timestamp()}, request.by
        )
        return _observe(repository, old, settings, seen)
    # The row is current but a file of its frames is damaged.
    damaged = old.prefix if old is not None and is_current else None
    rival = None
    if old is not None and not is_current and may_stay(old, provenance, own):
        rival = old
    with nullcontext() if request.limits is None else reserve_in_use():
        return _store(repository, request, identity, loaded, settings, damaged=damaged, rival=rival)


def _check_content(old: StoredRun | None, sha256: str) -> None:
    """Raise LoadError if the run with the id of a file has another content.

    Ids are the first 48 bits of a hash: two of 10,000,000 runs have the same with 16 % probability.
    """
    # Rows that are damaged, or of the first releases, have no hash.
    if old is not None and old.run.get("sha256") not in (None, "", sha256):
        other = f"run {old.run_id} of another file, {old.run.get('file')}, has the id of this file"
        raise LoadError(f"{other}: delete that run, then ingest this file again")


def _complete(
    request: Request, loaded: LoadedRun, unreadable: Sequence[Diagnostic], damage: str | None
) -> LoadedRun:
    """Add the findings about companions and compression, and the snapshots of graphs, to a loaded
    run; paths in its texts are those that the user knows.
    """
    if damage:
        message = f"{damage}; it was read up to there"
        loaded.diagnostics.append(Diagnostic("warning", "compression_damaged", message))
    findings = [*loaded.diagnostics, *unreadable]
    loaded.diagnostics = [
        replace(finding, message=request.display_text(finding.message)) for finding in findings
    ]
    loaded = plain_run(loaded, request.known_paths)
    if "rewrite_steps" in loaded.frames:
        # Only programs of a compiler have graphs, and their modules take time to import.
        from ingest.graph_snapshots import graph_snapshots  # noqa: PLC0415

        snapshots, noticed = graph_snapshots(loaded.frames)
        loaded.frames |= snapshots
        loaded.diagnostics += noticed
    return loaded


def _is_observed(repository: Repository, stored: StoredRun, settings: Mapping[str, str]) -> bool:
    """Whether the run has an observation with the date, commit and branch of the settings.

    True if the settings have no such values.
    """
    origin = given_origin(settings)
    if not origin:
        return True
    observations = read_observations(repository.catalogue, [stored.run_id]).get(stored.run_id, [])
    return any(
        all(getattr(observation, name) == value for name, value in origin.items())
        for observation in observations
    )


def _observe(
    repository: Repository, stored: StoredRun, settings: Mapping[str, str], seen: Observation
) -> Ingested:
    """Record another capture of the content of a stored run, replace its stored settings by
    `settings`, and return its row with status `updated`.

    Raises StorageError if other processes change the run 20 times meanwhile.
    """
    for _ in range(_MAX_TRIES):
        updated = repository.catalogue.observe(stored, settings, seen)
        if updated is not None:
            return Ingested(updated, "updated")
        stored = repository.find_run(stored.run_id)
    raise _refused_error(repository, stored.run_id)


def _check_array(loaded: LoadedRun, most: int) -> None:
    try:
        check_array(loaded.metadata, most)
    except SettingError as error:
        raise LoadError(str(error)) from error


def _load(
    request: Request, companions: Sequence[Path], settings: Mapping[str, str], content_bytes: int
) -> LoadedRun:
    """Read the files, `content_bytes` bytes in all, into a run whose frames conform to the schema.

    Any error of a loader becomes a LoadError, except MemoryError. If the request has limits, this
    process is killed when it exceeds the processor time for that number of bytes.
    """
    loader = request.loader
    defaults = {
        key: value for key, value in request.defaults.items() if key in loader.setting_names
    }
    limited = (
        nullcontext()
        if request.limits is None
        else limited_processor(request.limits, content_bytes)
    )
    try:
        with limited:
            loaded = _read(request, companions, defaults | without_origin(settings))
            loaded.frames = {name: conform(name, frame) for name, frame in loaded.frames.items()}
            if "kernels" in loaded.frames:
                kernels, findings = without_impossible_rates(loaded.frames["kernels"])
                loaded.frames["kernels"] = kernels
                loaded.diagnostics = [*loaded.diagnostics, *findings]
    except (LoadError, MemoryError):
        raise
    except Exception as error:
        _LOG.debug("loader %s on %s", loader.name, request.path, exc_info=True)
        raise LoadError(
            f"loader {loader.name} failed on it: {type(error).__name__}: {error}"
        ) from error
    return loaded


def _read(request: Request, companions: Sequence[Path], settings: Mapping[str, str]) -> LoadedRun:
    part = request.bundle.part
    if part and isinstance(request.loader, DividedLoader):
        return request.loader.load_part(request.path, settings, request.origin, companions, part)
    return request.loader.load(request.path, settings, request.origin, companions)


def _store(
    repository: Repository,
    request: Request,
    identity: Identity,
    loaded: LoadedRun,
    settings: Mapping[str, str],
    *,
    damaged: str | None,
    rival: StoredRun | None,
) -> Ingested:
    """Analyse the run, write its frames, and then insert its row.

    Returns the row with status new, updated or unchanged. The stored run `rival` stays, with a
    note, if its reading is better. The frames are removed again when an error occurs.
    """
    run = run_frame(identity, loaded.metadata)
    frames = loaded.frames | {"diagnostics": diagnostics_frame(loaded.diagnostics)}
    summary = summarise({"run": run, **frames}, identity.source)
    if summary.occupancy is not None:
        frames |= {STORED_OCCUPANCY.name: summary.occupancy}
    if rival is not None:
        rows = {name: len(frame) for name, frame in frames.items()}
        quality = new_quality(rows, loaded.diagnostics, summary)
        if quality < stored_quality(rival) and repository.is_whole(rival):
            note = poorer_finding(rival, str(loaded.metadata.get("companions", "")))
            return Ingested(rival, "unchanged", (note,))
    reserved = reservation(identity.run_id)
    repository.catalogue.reserve(reserved)
    stored = stored_run(
        reserved.prefix,
        run,
        settings,
        frames=frames,
        diagnostics=loaded.diagnostics,
        summary=summary,
    )
    give_back_memory()  # of the analysis, which the writing of large frames would add to
    try:
        with alive(repository.catalogue):
            stored = stored.at_files(repository.store.write(reserved.prefix, frames))
            ingested = _commit(repository, stored, request, damaged)
    except BaseException:
        tidy(repository.catalogue, repository.store, reserved.prefix)
        raise
    if ingested.stored is stored:
        store_results(repository, stored, summary)
    return ingested


def _commit(
    repository: Repository, new: StoredRun, request: Request, damaged: str | None
) -> Ingested:
    """Make the run visible, and return its row and status.

    If another process has stored it meanwhile, keep that run unless settings differ. A run with the
    prefix `damaged` is always replaced. Raises StorageError after 20 tries.
    """
    catalogue = repository.catalogue
    seen = make_observation(new.run, request.by)
    finish_before_end()
    for _ in range(_MAX_TRIES):
        old = catalogue.get(new.run_id)
        if old is None:
            if catalogue.insert(new, request.by):
                return Ingested(new, "new")
        elif old.prefix != damaged and is_same_result(old, new, without_origin(request.settings)):
            tidy(catalogue, repository.store, new.prefix)
            if _is_observed(repository, old, request.settings):
                return Ingested(old, "unchanged")
            return _observe(repository, old, new.settings, seen)
        else:
            # A run keeps the time of its first ingest.
            new.run["created_at"] = old.run["created_at"] or new.run["created_at"]
            if catalogue.replace(old, new, garbage(old.prefix), seen):
                tidy(catalogue, repository.store, old.prefix)
                return Ingested(new, "updated")
    raise _refused_error(repository, new.run_id)


def _refused_error(repository: Repository, run_id: str) -> StorageError:
    address = repository.catalogue.address
    return StorageError(
        f"run {run_id} cannot be stored: {address} rejected it in {_MAX_TRIES} attempts",
        "The server's storage failed: its catalogue rejected a run.",
    )
