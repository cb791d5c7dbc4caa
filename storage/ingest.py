"""Files into the store: each becomes a run, whole or not at all.

A run's frames are written under a prefix of their own and become visible with the catalogue row that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from data_loaders.diagnostics import Diagnostic
from data_loaders.files import MAX_CONTENT_BYTES
from data_loaders.protocol import LoadError
from data_loaders.registry import NoLoaderError
from storage.inputs import Input, Skipped, find_inputs
from storage.pending import sweep
from storage.repository import Repository
from storage.take_in import Request, Taken, take_in

BY_PRODUCTS = ("index.json", "aggregate_perf.json", "tile*.json", "*.md")
"""What a trace's post-processing leaves beside it."""


@dataclass(frozen=True)
class IngestedRun:
    """A run that was taken in or found again; `frames` has the rows of the stored and of the derived frames."""

    run_id: str
    source: str
    name: str
    status: str
    frames: dict[str, int]
    diagnostics: list[Diagnostic]


@dataclass
class IngestAnswer:
    """What became of the files."""

    runs: list[IngestedRun] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Return whether something was taken and nothing that should have been failed."""
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
    display_name: str | None = None,
    defaults: Mapping[str, str] | None = None,
    max_content_bytes: int = MAX_CONTENT_BYTES,
) -> IngestAnswer:
    """Take files and folders in; one bad file never stops the others.

    `settings` are the user's own and change a run that is there already; `defaults` hold for new runs, for the keys
    that their loader knows. `on_file(index, count, name)` is called before each file. `display_name` is the
    file's path as people know it where the file is a temporary copy. Raises StorageError where the
    store cannot be used.
    """
    repository.catalogue.create()
    sweep(repository.catalogue, repository.store, repository.stale_after_s)
    inputs, skipped = find_inputs(paths)
    answer = IngestAnswer(skipped=skipped)
    for index, entry in enumerate(inputs):
        name = display_name or entry.path.name
        if on_file is not None:
            on_file(index, len(inputs), name)
        request = Request(entry.path, display_name, settings, defaults or {}, loader, max_content_bytes)
        _take(repository, entry, request, display_name or str(entry.path), answer)
    return answer


def _take(repository: Repository, entry: Input, request: Request, place: str, answer: IngestAnswer) -> None:
    """Take one file in and put down what became of it."""
    try:
        answer.runs.append(_ingested(take_in(repository, request)))
    except NoLoaderError as error:
        answer.skipped.append(Skipped(place, _unread(entry, str(error)), failed=entry.named))
    except LoadError as error:
        answer.skipped.append(Skipped(place, str(error).removeprefix(f"{entry.path}: ")))
    except OSError as error:
        answer.skipped.append(Skipped(place, f"cannot be read or stored: {error.strerror or error}"))


def _unread(entry: Input, reason: str) -> str:
    if not entry.named and any(fnmatch(entry.path.name, pattern) for pattern in BY_PRODUCTS):
        return "a by-product of a trace's post-processing, not an input"
    return reason


def _ingested(taken: Taken) -> IngestedRun:
    stored = taken.stored
    findings = [Diagnostic(**finding) for finding in stored.findings]
    frames = {"run": 1} | stored.frames | stored.derived | {"diagnostics": len(findings)}
    return IngestedRun(
        stored.run_id, str(stored.run["source"]), str(stored.run["name"]), taken.status, frames, findings
    )
