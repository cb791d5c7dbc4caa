"""Cache of the runs of comparisons used last."""

from __future__ import annotations

from services.comparison.compare import Settings
from services.comparison.compared_runs import ComparedRun, compared_run
from storage.byte_cache import ByteCache
from storage.repository import Repository


class ComparedRunCache:
    """Cache of the runs of comparisons used last, bounded by the cache of the repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._runs = ByteCache[ComparedRun](repository.cache, lambda run: run.bytes)

    def load(self, run_id: str, settings: Settings) -> ComparedRun:
        """Return a run for comparisons, from the cache if it has it.

        Raises RunNotFound, and ValueError if a setting is invalid.
        """
        stored = self._repository.find_run(run_id)
        # Another capture of the same content changes its facts, but not the prefix.
        key = (stored.prefix, stored.capture_facts, *sorted(settings.items()))
        return self._runs.get(key, lambda: compared_run(self._repository, run_id, settings))
