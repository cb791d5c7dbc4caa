"""What pages, callbacks and routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from app.settings import Settings
from services.comparisons import Comparisons
from services.jobs.runner import Runner
from services.lab.server import Lab, searches_in
from services.program import Compilers
from services.runs import RunDataCache
from services.runs_list import RunsList
from services.standings import Standings
from services.trends import TrendsAnswers
from storage.repository import Repository


@dataclass(frozen=True)
class AppContext:
    """The settings of the application, its opened storage, and what the analysis makes of it."""

    settings: Settings
    repository: Repository
    data: RunDataCache
    runs: RunsList
    compilers: Compilers
    comparisons: Comparisons
    trends: TrendsAnswers
    standings: Standings
    jobs: Runner
    lab: Lab

    @classmethod
    def of(cls, settings: Settings) -> AppContext:
        """Open the storage that the settings name."""
        repository = settings.repository()
        data, catalogue = RunDataCache(repository), repository.catalogue
        comparisons, trends = Comparisons(repository, data), TrendsAnswers(catalogue)
        standings = Standings(repository, comparisons.load)
        jobs = Runner(repository, settings.dask_scheduler)
        compilers, runs = Compilers(repository, data), RunsList(catalogue)
        folders = [folder for folder in (settings.answers_folder, settings.data) if folder is not None]
        lab = Lab(repository, data, searches_in(folders, settings.lab_clock_s, settings.lab_memory_mb))
        return cls(settings, repository, data, runs, compilers, comparisons, trends, standings, jobs, lab)
