"""Scan of a watched folder: files that no longer change are ingested, each once for each of its
states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from ingest.bundles import LookAtFiles, look_at_files
from ingest.files import IngestedRun, IngestResult
from services.store.watched_files import Look, due, scan_folder, unreadable
from storage.errors import StorageError
from storage.watched import State, Watched

_AT_ONCE = 50
"""Maximum number of bundles of one ingest: a watch that is to end waits for the current ingest."""


class FolderWatch:
    """Repeated scans of a folder.

    `ingest` reads files; `ended` returns whether the watch is to stop; `look` finds the loader that
    claims a file. The catalogue remembers each file that was tried, except files that cannot be
    opened or that were refused because of the storage.
    """

    def __init__(
        self,
        folder: Path,
        watched: Watched,
        ingest: Callable[[Sequence[Path]], IngestResult],
        ended: Callable[[], bool] = lambda: False,
        look: LookAtFiles = look_at_files,
    ) -> None:
        self._folder = folder
        self._watched = watched
        self._ingest = ingest
        self._ended = ended
        self._look_at_files = look
        self._before: dict[Path, State] = {}
        self._tried: dict[Path, State] = {}
        self._problems: set[str] = set()

    @property
    def problem(self) -> str:
        """A sentence about a problem of the last scan of the folder, of several the first in the
        alphabet; "" if there was no problem.
        """
        return min(self._problems, default="")

    def look(self) -> Iterator[IngestedRun | str]:
        """Scan the folder once and ingest its finished files.

        Yields the ingested runs, and a sentence for each problem that the previous scan did not
        have. A failure of the storage is such a problem.
        """
        look = scan_folder(self._folder)
        problems = {look.problem} - {""}
        # a file with the same size and time as at the previous scan is taken as completely written
        still = {
            path: state for path, state in look.states.items() if self._before.get(path) == state
        }
        self._before = look.states
        try:
            yield from self._try(look, still, problems)
        except StorageError as error:
            problems.add(str(error))
        yield from sorted(problems - self._problems)
        self._problems = problems

    def _try(
        self, look: Look, still: dict[Path, State], problems: set[str]
    ) -> Iterator[IngestedRun | str]:
        """Ingest files that stopped changing and were not tried in this state; yield the runs, and
        a sentence for each file that was refused.

        Files that cannot be opened are added to `problems`.
        """
        new = self._not_tried(still)
        self._tried = {path: state for path, state in self._tried.items() if path in look.states}
        closed = {
            path: reason
            for path in new
            if path not in look.refused and (reason := unreadable(path))
        }
        problems.update(closed.values())
        unseen = [path for path in new if path not in look.refused and path not in closed]
        bundles_due = due(unseen, look.states, still, self._look_at_files)
        refused = {
            path: look.refused[path] for path in new if path in look.refused
        } | bundles_due.refused
        self._remember({path: still[path] for path in refused}, refused)
        yield from (f"{path}: {reason}" for path, reason in sorted(refused.items()))
        yield from self._ingest_bundles(
            bundles_due.bundles, {path: still[path] for path in still if path not in closed}
        )

    def _not_tried(self, still: Mapping[Path, State]) -> list[Path]:
        untried = [path for path, state in still.items() if self._tried.get(path) != state]
        if untried:
            # the catalogue is read only for states that this process has not tried
            self._tried |= self._watched.states(untried)
        return [path for path in untried if self._tried.get(path) != still[path]]

    def _ingest_bundles(
        self, bundles: list[tuple[Path, ...]], still: Mapping[Path, State]
    ) -> Iterator[IngestedRun | str]:
        """Ingest bundles; yield the runs, and a sentence for each file that failed.

        If the storage failed or the watch ended, unfinished bundles do not count as tried. Raises
        StorageError if the storage failed.
        """
        while bundles and not self._ended():
            some = bundles[:_AT_ONCE]
            bundles = bundles[_AT_ONCE:]
            ingested = self._ingest(sorted({path for bundle in some for path in bundle}))
            sure = ingested.failure is None and not self._ended()
            outcomes = {Path(run.file): f"{run.status} {run.run_id}" for run in ingested.runs}
            failed = {
                entry.path: entry.reason for entry in ingested.skipped if sure and not entry.along
            }
            outcomes |= {Path(path): reason for path, reason in failed.items()}
            unfinished = _files(
                [*bundles, *(bundle for bundle in some if not sure and bundle[0] not in outcomes)]
            )
            self._remember(
                {path: still[path] for path in _files(some) - unfinished if path in still}, outcomes
            )
            yield from ingested.runs
            yield from (f"{path}: {reason}" for path, reason in failed.items())
            if ingested.failure is not None:
                raise ingested.failure

    def _remember(self, states: dict[Path, State], outcomes: Mapping[Path, str]) -> None:
        if states:
            self._watched.put(states, outcomes)
            self._tried |= states


def _files(bundles: Collection[Sequence[Path]]) -> set[Path]:
    return {path for bundle in bundles for path in bundle}
