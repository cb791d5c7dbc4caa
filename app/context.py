"""Objects that pages, callbacks and routes share."""

from __future__ import annotations

from dataclasses import dataclass

from app.config.settings import Settings
from ingest.isolation import reading_processes
from ingest.processes import WorkProcesses
from services.comparison.data import CompareDataCache
from services.gate.baseline_status import BaselineStatuses
from services.jobs.runner import Runner
from services.lab.server import Lab, open_searches
from services.program.data import Compilers
from services.run.data_cache import RunDataCache
from services.status.status import StatusCache
from services.store.runs_list import RunsList
from services.trends.trends import TrendsCache
from storage.repository import Repository


@dataclass(frozen=True)
class AppContext:
    """The settings of the application, its open storage, and caches of computed data."""

    settings: Settings
    repository: Repository
    data: RunDataCache
    runs: RunsList
    compilers: Compilers
    comparisons: CompareDataCache
    trends: TrendsCache
    baseline_statuses: BaselineStatuses
    status: StatusCache
    jobs: Runner
    lab: Lab
    readers: WorkProcesses

    @classmethod
    def of(cls, settings: Settings) -> AppContext:
        """Open the storage that the settings name, and make the caches on top of it."""
        repository = settings.repository()
        searches = open_searches(settings.lab_folders, settings.lab_clock_s, settings.lab_memory_mb)
        data = RunDataCache(repository, searches.groups.kept)
        catalogue = repository.catalogue
        compilers = Compilers(repository, data)
        runs = RunsList(catalogue)
        comparisons = CompareDataCache(repository, data, compilers.graphs)
        trends = TrendsCache(repository, comparisons.load)
        statuses = BaselineStatuses(repository, comparisons.load)
        status = StatusCache(repository, comparisons.load, settings.commit_url)
        jobs = Runner(repository, settings.dask_scheduler)
        lab = Lab(repository, data, searches)
        readers = reading_processes(settings.reader_limits())
        return cls(
            settings,
            repository,
            data,
            runs,
            compilers,
            comparisons,
            trends,
            statuses,
            status,
            jobs,
            lab,
            readers,
        )
