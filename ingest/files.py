"""Ingest files into the store: each run is stored completely or not at all.

The frames of a run are written under a new prefix and become visible with the catalogue row that
names the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from data_loaders.reading.files import MAX_CONTENT_BYTES
from data_loaders.reading.limits import Limits
from data_loaders.registry import loader_names
from ingest.archives import unpack_archives
from ingest.bundles import Job, plan
from ingest.cancel import CANCELLED, IngestCancelledError, IsCancelled, never
from ingest.inputs import Input, Skipped, find_inputs
from ingest.isolation import make_look
from ingest.many import Readers, outcomes
from ingest.processes import WorkProcesses
from ingest.request import Ingested
from ingest.steps import ProgressListener
from ingest.work import Author, Failure, Outcome, Task, Terms, Work
from schema.diagnostics import Diagnostic
from storage.errors import StorageError
from storage.pending import sweep
from storage.repository import Repository
from storage.text import plain_text


@dataclass(frozen=True)
class IngestedRun:
    """A run from `file` that was ingested or was stored already.

    `frames` maps the names of stored and derived frames to their numbers of rows.
    """

    file: str
    run_id: str
    source: str
    name: str
    status: str
    frames: dict[str, int]
    diagnostics: list[Diagnostic]


@dataclass
class IngestResult:
    """Result of an ingest: the runs, the skipped files, and the failure of the store, if any."""

    runs: list[IngestedRun] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failure: StorageError | None = None
    """The error of the store that ended the ingest early."""

    @property
    def ok(self) -> bool:
        """Whether the ingest has at least one run (ingested or stored already) and no file failed."""
        return bool(self.runs) and not any(entry.failed for entry in self.skipped)

    def as_json(self) -> dict[str, list[dict[str, object]]]:
        """Convert the result to `{"runs": [...], "skipped": [{"path", "reason"}]}`, the layout of
        `ingest --json`, as valid UTF-8.

        A run is a dict of the fields of `IngestedRun`.
        """
        skipped: list[dict[str, object]] = [
            {"path": plain_text(s.path), "reason": plain_text(s.reason)} for s in self.skipped
        ]
        return {
            "runs": [asdict(run) | {"file": plain_text(run.file)} for run in self.runs],
            "skipped": skipped,
        }


def ingest(
    repository: Repository,
    paths: Sequence[Path],
    settings: Mapping[str, str],
    *,
    loader: str | None = None,
    steps: ProgressListener | None = None,
    places: Mapping[Path, str] | None = None,
    author: Author | None = None,
    defaults: Mapping[str, str] | None = None,
    max_content_bytes: int = MAX_CONTENT_BYTES,
    limits: Limits | None = None,
    processes: int = 1,
    scheduler: str = "",
    source: WorkProcesses | None = None,
    is_cancelled: IsCancelled = never,
) -> IngestResult:
    """Ingest files, folders and archives; a file that fails does not affect other files. An archive
    counts as a folder.

    `settings` are the user's and also change a run that is stored already; the setting
    `tinygrad.name` is the setting `name` for runs of loader tinygrad only. `defaults` apply to new
    runs, if their loader knows the keys. `loader` forces a loader for all files. `steps` is
    notified about each run. `places` maps a temporary copy to the path that the user knows. Runs
    that were added or changed are recorded in the audit log if there is an `author`. A file fails
    if its content, decompressed, has more than `max_content_bytes` bytes; a companion of that size
    is ignored with a finding. If there is a `source`, its processes read the files; `limits` apply
    to processes that read untrusted files. The work is shared by up to `processes` processes if
    there is enough of it, or by the workers of the Dask `scheduler`; the result is the same. Once
    `is_cancelled` returns True, no further run is stored; files without a run are skipped.

    Raises StorageError if the store cannot be opened, or if the scheduler or its workers are
    missing or disappear. If the store fails later, the result has the `failure` and the runs that
    were stored before.
    """
    repository.catalogue.create()
    sweep(repository.catalogue, repository.store, repository.stale_after_s)
    inputs, skipped = find_inputs(paths)
    result = IngestResult(skipped=skipped)
    known = places or {}
    terms = Terms(known, defaults or {}, max_content_bytes, limits or Limits(), author)
    readers = Readers(processes, scheduler, source, is_cancelled)
    try:
        with unpack_archives(inputs, known, terms, source, is_cancelled) as files:
            result.skipped += files.skipped
            jobs, others = plan(files.inputs, loader, files.places, make_look(source, is_cancelled))
            result.skipped += others
            own = replace(terms, places=files.places, modified=files.modified)
            _read(Work(repository, own), _tasks(jobs, settings), readers, result, steps)
    except IngestCancelledError:
        result.skipped = _skip_all(inputs, known)
    return result


def _tasks(jobs: Sequence[Job], settings: Mapping[str, str]) -> list[Task]:
    return [Task(job.loader, job.bundle, select_settings(job.loader, settings)) for job in jobs]


def _read(
    work: Work,
    tasks: Sequence[Task],
    readers: Readers,
    result: IngestResult,
    steps: ProgressListener | None,
) -> None:
    """Ingest the runs of all tasks and add their outcomes to the result."""
    places = work.terms.places
    shown = [places.get(task.bundle.primary, str(task.bundle.primary)) for task in tasks]
    listener = steps or ProgressListener()
    listener.on_plan([Path(place).name for place in shown])
    results = outcomes(work, tasks, listener, readers)
    is_cancelled = readers.is_cancelled()
    unread = CANCELLED if is_cancelled else "not read: the ingest ended before this file"
    for index, place in enumerate(shown):
        _add(result, results.get(index, Failure(unread)), place)


def _skip_all(inputs: Sequence[Input], places: Mapping[Path, str]) -> list[Skipped]:
    """List all inputs as skipped, for an ingest that was cancelled before any run was read."""
    return [Skipped(places.get(entry.path, str(entry.path)), CANCELLED) for entry in inputs]


def select_settings(loader: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Select the settings for runs of a loader, without prefix: settings for all loaders,
    overridden by `LOADER.key` of this loader.

    Settings with the name of another loader are left out.
    """
    scoped = {
        key: key.partition(".")[::2] for key in settings if key.partition(".")[0] in loader_names()
    }
    own = {name: settings[key] for key, (scope, name) in scoped.items() if scope == loader}
    return {key: text for key, text in settings.items() if key not in scoped} | own


def _add(result: IngestResult, outcome: Outcome, place: str) -> None:
    if isinstance(outcome, Failure):
        result.skipped.append(Skipped(place, outcome.reason))
        result.failure = result.failure or outcome.storage
    else:
        result.runs.append(_ingested_run(outcome, place))


def _ingested_run(ingested: Ingested, place: str) -> IngestedRun:
    stored = ingested.stored
    findings = [*ingested.notes, *(Diagnostic(**finding) for finding in stored.findings)]
    frames = {"run": 1} | stored.frames | stored.derived | {"diagnostics": len(stored.findings)}
    return IngestedRun(
        file=place,
        run_id=stored.run_id,
        source=str(stored.run["source"]),
        name=str(stored.run["name"]),
        status=ingested.status,
        frames=frames,
        diagnostics=findings,
    )
