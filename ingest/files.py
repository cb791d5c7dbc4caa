"""Files into the store: each becomes a run, whole or not at all.

A run's frames are written under a prefix of their own and become visible with the catalogue row that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import MAX_CONTENT_BYTES
from data_loaders.reading.limits import Limits
from data_loaders.registry import limited, loader_names
from ingest.bundles import plan
from ingest.inputs import Skipped, find_inputs
from ingest.one_run import Ingested, Request, ingest_run
from schema.diagnostics import Diagnostic
from storage.errors import StorageError
from storage.pending import sweep
from storage.repository import Repository


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
        """Return the answer in the layout of `ingest --json`."""
        skipped: list[dict[str, object]] = [{"path": s.path, "reason": s.reason} for s in self.skipped]
        return {"runs": [asdict(run) for run in self.runs], "skipped": skipped}


def ingest(
    repository: Repository,
    paths: Sequence[Path],
    settings: Mapping[str, str],
    *,
    loader: str | None = None,
    on_file: Callable[[int, int, str], None] | None = None,
    places: Mapping[Path, str] | None = None,
    defaults: Mapping[str, str] | None = None,
    max_content_bytes: int = MAX_CONTENT_BYTES,
    limits: Limits | None = None,
) -> IngestAnswer:
    """Ingest files and folders; one bad file never stops the others.

    `settings` are the user's own and change a run that is there already; one called `tinygrad.name` is the setting
    `name` of that loader's runs and none of others'. `defaults` hold for new runs, for the keys that their loader
    knows; `limits` are those of processes that read what is not trusted. `on_file(index, count, name)` is called
    before each run. `places` maps a temporary copy to the path that the user knows. Raises
    StorageError where the store cannot be opened; one that fails later is the answer's `failure`, beside the runs that
    were stored before.
    """
    repository.catalogue.create()
    sweep(repository.catalogue, repository.store, repository.stale_after_s)
    inputs, skipped = find_inputs(paths)
    jobs, others = plan(inputs, loader, places or {})
    answer = IngestAnswer(skipped=skipped + others)
    for index, job in enumerate(jobs):
        reader, own = limited(job.loader, limits or Limits()), settings_of(job.loader.name, settings)
        request = Request(reader, job.bundle, places or {}, own, defaults or {}, max_content_bytes)
        if on_file is not None:
            on_file(index, len(jobs), Path(request.origin or request.path).name)
        if answer.failure is None:
            _ingest_one(repository, request, answer)
        else:
            answer.skipped.append(Skipped(_place(request), "not tried: the storage had failed before it"))
    return answer


def settings_of(loader: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings for runs of a loader: those for any, and over them those that begin with its name."""
    scoped = {key: key.partition(".")[::2] for key in settings if key.partition(".")[0] in loader_names()}
    own = {name: settings[key] for key, (scope, name) in scoped.items() if scope == loader}
    return {key: text for key, text in settings.items() if key not in scoped} | own


def _ingest_one(repository: Repository, request: Request, answer: IngestAnswer) -> None:
    """Ingest one run and add the result to the answer."""
    path, place = request.path, _place(request)
    try:
        answer.runs.append(_answered(ingest_run(repository, request), place))
    except LoadError as error:
        reason = request.displayed(str(error).removeprefix(f"{path}: "))
        answer.skipped.append(Skipped(place, reason.replace(path.name, Path(place).name)))
    except StorageError as error:
        answer.failure = error
        answer.skipped.append(Skipped(place, error.public))
    except OSError as error:
        answer.skipped.append(Skipped(place, f"cannot be read: {error.strerror or request.displayed(str(error))}"))


def _place(request: Request) -> str:
    return request.origin or str(request.path)


def _answered(ingested: Ingested, place: str) -> IngestedRun:
    stored = ingested.stored
    findings = [Diagnostic(**finding) for finding in stored.findings]
    frames = {"run": 1} | stored.frames | stored.derived | {"diagnostics": len(findings)}
    return IngestedRun(
        file=place,
        run_id=stored.run_id,
        source=str(stored.run["source"]),
        name=str(stored.run["name"]),
        status=ingested.status,
        frames=frames,
        diagnostics=findings,
    )
