"""What pages, callbacks and routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from app.settings import Settings
from services.runs import RunDataCache
from services.runs_list import RunsList
from services.standings import Standings
from storage.repository import Repository


@dataclass(frozen=True)
class AppContext:
    """The settings of the application, its opened storage, and what the analysis makes of it."""

    settings: Settings
    repository: Repository
    data: RunDataCache
    runs: RunsList
    standings: Standings

    @classmethod
    def of(cls, settings: Settings) -> AppContext:
        """Open the storage that the settings name."""
        repository = settings.repository()
        return cls(
            settings, repository, RunDataCache(repository), RunsList(repository.catalogue), Standings(repository)
        )
