"""Archives among the inputs of an ingest: each is a folder, unpacked by a process with limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.archives import ARCHIVE_SUFFIXES
from data_loaders.reading.limits import Limits, limited_processor
from data_loaders.reading.safe_names import safe_path
from data_loaders.reading.scratch import scratch_folder
from ingest.cancel import IngestCancelledError, IsCancelled, never
from ingest.inputs import Input, Skipped
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from ingest.unpack import Unpacked, unpack
from ingest.work import Terms, over_memory, why_ended


@dataclass
class UnpackedInputs:
    """Inputs in which the files of archives take the place of the archives.

    `places` maps copies to the paths that the user knows, `modified` copies to the time of the
    original's last change in seconds since 1970.
    """

    inputs: list[Input]
    places: Mapping[Path, str]
    modified: Mapping[Path, float] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


@contextmanager
def unpack_archives(
    inputs: Sequence[Input],
    places: Mapping[Path, str],
    terms: Terms,
    source: WorkProcesses | None = None,
    is_cancelled: IsCancelled = never,
) -> Iterator[UnpackedInputs]:
    """Context with the inputs, those of archives unpacked; the copies are removed afterwards.

    An archive may unpack to as many bytes as a file may have by the `terms`. If there is a
    `source`, one of its processes unpacks within the limits of the terms, else this process. Raises
    IngestCancelledError if the user cancels.
    """
    if not any(is_named_archive(entry.path) for entry in inputs):
        yield UnpackedInputs(list(inputs), places)
        return
    with scratch_folder() as folder:
        unpacker = _Unpacker(folder, terms, source, is_cancelled)
        yield unpacker.replace(inputs, places)


def is_named_archive(path: Path) -> bool:
    """Whether a file's name ends like that of an archive; its content may still be another."""
    return path.name.lower().endswith(ARCHIVE_SUFFIXES)


@dataclass(frozen=True)
class _Task:
    """An archive to unpack into a folder that does not exist yet."""

    path: Path
    place: str
    folder: Path


@dataclass(frozen=True)
class _UnpackWork:
    """Work of the process; returns None for a file that is not an archive, else what it unpacked or
    the reason why the archive is not read.
    """

    max_bytes: int
    limits: Limits
    isolated: bool

    def __call__(self, task: _Task) -> Unpacked | str | None:
        """Unpack an archive; never raises an Exception."""
        try:
            if not self.isolated:
                return unpack(task.path, task.place, task.folder, self.max_bytes)
            with limited_processor(self.limits, task.path.stat().st_size):
                return unpack(task.path, task.place, task.folder, self.max_bytes)
        except LoadError as error:
            return str(error).removeprefix(f"{task.path.name}: ")
        except OSError as error:
            return f"cannot be unpacked: {error.strerror or type(error).__name__}"
        except MemoryError:
            return over_memory(self.limits)


@dataclass(frozen=True)
class _Unpacker:
    folder: Path
    terms: Terms
    source: WorkProcesses | None
    is_cancelled: IsCancelled

    def replace(self, inputs: Sequence[Input], places: Mapping[Path, str]) -> UnpackedInputs:
        """Return the inputs with the files of archives in the place of the archives."""
        result = UnpackedInputs([], dict(places))
        for rank, entry in enumerate(inputs):
            place = places.get(entry.path, str(entry.path))
            # A folder for each archive: loaders also look for companions in the folders next to it.
            folder = self.folder / str(rank) / safe_path(entry.path.name)
            content = (
                self._unpack(_Task(entry.path, place, folder))
                if is_named_archive(entry.path)
                else None
            )
            if content is None:
                result.inputs.append(entry)
            elif isinstance(content, str):
                result.skipped.append(Skipped(place, content))
            else:
                result.inputs += [Input(path, named=False) for path in sorted(content.places)]
                result.places = {**result.places, **content.places}
                result.modified = {**result.modified, **content.modified}
                result.skipped += content.skipped
        return result

    def _unpack(self, task: _Task) -> Unpacked | str | None:
        """Unpack an archive in a process of the source, as `_UnpackWork` does."""
        limits = self.terms.limits
        work = _UnpackWork(self.terms.max_content_bytes, limits, self.source is not None)
        if self.source is None:
            return work(task)
        seconds = limits.clock(task.path.stat().st_size)
        pool = Pool(
            work, 1, source=self.source, seconds=lambda _: seconds, is_cancelled=self.is_cancelled
        )
        results = [result for _, result in pool.results([task])]
        if self.is_cancelled():
            raise IngestCancelledError
        (result,) = results
        return why_ended(limits, result) if isinstance(result, Ended) else result
