"""The lab of a server: its runs, the searches of its users, and the folder of their placements."""

from __future__ import annotations

import tempfile
import weakref
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from analysis.allocators.packing import PACKERS
from analysis.memory.selection import MemorySelection
from data_loaders.reading.scratch import scratch_folder
from schema.choices import METHODS
from services.lab.at_once import place_at_once
from services.lab.data import LabData
from services.lab.searches import Searches
from services.run.data_cache import RunDataCache
from services.run.placement_question import LabProblem, LabQuestion
from storage.repository import Repository


class Lab:
    """The lab of a server: runs, the searches of its users, and their placements."""

    def __init__(self, repository: Repository, runs: RunDataCache, searches: Searches) -> None:
        self._repository, self._runs, self.searches = repository, runs, searches

    def problem(self, run_id: str, asked: LabProblem, attempt: int | None) -> LabProblem:
        """Return the problem with the version of the run's content and the number of the attempt;
        if `attempt` is `None`, the attempt that is shown by default, -1 if there is none.
        """
        memory = self._runs.get(run_id, METHODS[0], {}).memory
        number = memory.number(MemorySelection(attempt=attempt))
        version = self._repository.version(run_id)
        return replace(asked, version=version, attempt=-1 if number is None else number)

    def resolve(self, prefix: str) -> str:
        """Return the complete id of a run from its beginning. Raises RunNotFound, also if several
        runs begin so.
        """
        return self._repository.resolve(prefix)

    def get(self, run_id: str, asked: LabProblem, attempt: int | None, user: str) -> LabData:
        """Return the data of a user's page for a problem of a run, with cached and saved
        placements. Raises RunNotFound.
        """
        problem = self.problem(run_id, asked, attempt)
        running = self.searches.running(user)
        here = running is not None and running.key == problem.key
        return LabData(
            self._runs.get(run_id, METHODS[0], {}),
            problem,
            tuple(self.searches.placements.of(problem)),
            running if here else None,
            self.searches.failure(user, problem.key),
            self._runs.with_saved(run_id, METHODS[0], {}).memory.saved,
            None if here else running,
        ).with_saved()

    def add_instant_placements(self, data: LabData, seed: int, effort: int) -> LabData:
        """Return the data with the placements of the strategies that take no time; unchanged if it
        has such placements already, is invalid, or differs from the file's problem.

        These placements are cached like results of searches, under the seed and effort of the page,
        which do not influence them.
        """
        if (
            not data.is_of_the_file
            or {placement.strategy for placement in data.placements} & set(PACKERS)
            or data.problem is None
        ):
            return data
        for name, record in place_at_once(data.problem, data.room):
            self.searches.placements.keep(LabQuestion(data.asked, name, seed, effort), record)
        return replace(
            data, placements=tuple(self.searches.placements.of(data.asked)), front=()
        ).with_saved()

    def version(self, run_id: str, asked: LabProblem, attempt: int | None) -> str:
        """Return a token that changes whenever the run or the placements of the problem do.

        Raises RunNotFound.
        """
        problem = self.problem(run_id, asked, attempt)
        return f"{self._runs.shown_version(run_id)} {self.searches.placements.fingerprint(problem)}"


def open_searches(folders: list[Path], seconds: float, memory_mb: int) -> Searches:
    """Return searches in `lab` of the first writable folder, else in a temporary folder that is
    removed with them.
    """
    for folder in folders:
        try:
            (folder / "lab").mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder / "lab").close()
        except OSError:
            continue
        return Searches(folder / "lab", seconds, memory_mb)
    # the temporary folder is removed when the searches are garbage collected
    stack = ExitStack()
    searches = Searches(stack.enter_context(scratch_folder()), seconds, memory_mb)
    weakref.finalize(searches, stack.close)
    return searches
