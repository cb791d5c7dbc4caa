"""Files into the store: each becomes a run, whole or not at all.

A run's frames are written under a prefix of their own and become visible with the catalogue row that names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from data_loaders.reading.files import MAX_CONTENT_BYTES
from data_loaders.reading.limits import Limits
from data_loaders.registry import loader_names
from ingest.bundles import plan
from ingest.inputs import Skipped, find_inputs
from ingest.isolation import make_look
from ingest.many import outcomes
from ingest.one_run import Ingested
from ingest.processes import WorkProcesses
from ingest.steps import ProgressListener
from ingest.work import Author, Failure, Outcome, Task, Terms, Work
from schema.diagnostics import Diagnostic
from storage.errors import StorageError
from storage.pending import sweep
from storage.repository import Repository
from storage.text import plain_text


@dataclass(frozen=True)
class IngestedRun:
    """A run that was ingested or already stored, from `file`.

    `frames` has the rows of the stored and of the derived frames.
    """

    file: str
    run_id: str
    source: str
    name: str
    status: str
    frames: dict[str, int]
    diagnostics: list[Diagnostic]


@dataclass
class IngestAnswer:
    """The runs, the skipped files, and why the store failed, if it did."""

    runs: list[IngestedRun] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failure: StorageError | None = None
    """Why the store failed midway."""

    @property
    def ok(self) -> bool:
        """Return whether a run was ingested and none failed."""
        return bool(self.runs) and not any(entry.failed for entry in self.skipped)

    def as_json(self) -> dict[str, list[dict[str, object]]]:
        """Return the answer in the layout of `ingest --json`, in text that is UTF-8 whatever files are called."""
        skipped: list[dict[str, object]] = [
            {"path": plain_text(s.path), "reason": plain_text(s.reason)} for s in self.skipped
        ]
        return {"runs": [asdict(run) | {"file": plain_text(run.file)} for run in self.runs], "skipped": skipped}


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
) -> IngestAnswer:
    """Ingest files and folders; one bad file never stops the others.

    `settings` are the user's own and change a run that is there already; one called `tinygrad.name` is the setting
    `name` of that loader's runs and none of others'. `defaults` hold for new runs, for the keys that their loader
    knows. The processes of `source` read the files, if there is a source, and `limits` are those of processes that read
    what is not trusted. `steps` hears of each run, and the audit log has those that `author` brought or changed.
    `places` maps a temporary copy to the path that the user knows. Up to `processes` processes share the work if there
    is enough of it, or the workers of the Dask `scheduler`; the answer is the same. Raises StorageError if the store
    cannot be opened; an error of the store later is the answer's `failure`, beside the runs that were stored before.
    """
    repository.catalogue.create()
    sweep(repository.catalogue, repository.store, repository.stale_after_s)
    inputs, skipped = find_inputs(paths)
    jobs, others = plan(inputs, loader, places or {}, make_look(source))
    tasks = [Task(job.loader.name, job.bundle, settings_of(job.loader.name, settings)) for job in jobs]
    terms = Terms(places or {}, defaults or {}, max_content_bytes, limits or Limits(), author)
    shown = [terms.places.get(task.bundle.primary, str(task.bundle.primary)) for task in tasks]
    told = steps or ProgressListener()
    told.on_plan([Path(place).name for place in shown])
    found = outcomes(Work(repository, terms), tasks, told, processes, scheduler, source=source)
    answer = IngestAnswer(skipped=skipped + others)
    for index, place in enumerate(shown):
        _add(answer, found.get(index, Failure("not tried: the ingest ended before this file")), place)
    return answer


def settings_of(loader: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings for runs of a loader: those for any, and over them those that begin with its name."""
    scoped = {key: key.partition(".")[::2] for key in settings if key.partition(".")[0] in loader_names()}
    own = {name: settings[key] for key, (scope, name) in scoped.items() if scope == loader}
    return {key: text for key, text in settings.items() if key not in scoped} | own


def _add(answer: IngestAnswer, outcome: Outcome, place: str) -> None:
    if isinstance(outcome, Failure):
        answer.skipped.append(Skipped(place, outcome.reason))
        answer.failure = answer.failure or outcome.storage
    else:
        answer.runs.append(_ingested_run(outcome, place))


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
