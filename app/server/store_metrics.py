"""Metrics of the store: sizes, jobs, uploads, orphans and messages, as on the admin page."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.context import AppContext
from services.store.orphans import orphan_state
from services.store.work_state import messages_of_alerts, upload_state, watched_folders
from storage.errors import StorageError
from storage.job_counts import job_states
from storage.jobs import STATES
from storage.repository import Repository
from storage.store_sizes import count_damaged, database_bytes, stored_by_source


class StoreMetrics(Collector):
    """Metrics that the catalogue reads from an index, whatever the number of runs."""

    def __init__(self, context: AppContext) -> None:
        self._repository = context.repository

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of sizes, work and orphans of the store.

        Yields no metric if the catalogue fails, as half of them would look like a change.
        """
        try:
            metrics = [
                *_sizes(self._repository),
                *_work(self._repository),
                *_orphans(self._repository),
            ]
        except StorageError:
            return
        yield from metrics


def _sizes(repository: Repository) -> Iterator[Metric]:
    stored = GaugeMetricFamily(
        "tilescope_stored_bytes", "Bytes of the files of runs, by source.", labels=["source"]
    )
    runs = GaugeMetricFamily("tilescope_stored_runs", "Runs by source.", labels=["source"])
    for size in stored_by_source(repository.catalogue):
        stored.add_metric([size.source], size.bytes)
        runs.add_metric([size.source], size.runs)
    yield from (stored, runs)
    yield _gauge(
        "damaged_runs", "Runs with a row that cannot be read.", count_damaged(repository.catalogue)
    )
    yield _gauge(
        "catalogue_bytes", "Bytes of the database.", database_bytes(repository.catalogue) or 0
    )
    free = repository.store.free_bytes()
    if free is not None:
        yield _gauge("free_bytes", "Free bytes of the disk of the frames.", free)


def _work(repository: Repository) -> Iterator[Metric]:
    counts = job_states(repository.catalogue)
    jobs = GaugeMetricFamily("tilescope_jobs", "Jobs.", labels=["state"])
    for state in STATES:
        jobs.add_metric([state], counts.get(state, 0))
    yield jobs
    messages = messages_of_alerts(repository.catalogue)
    outbox = GaugeMetricFamily(
        "tilescope_undelivered_messages", "Undelivered messages of alerts.", labels=["state"]
    )
    outbox.add_metric(["waiting"], messages.waiting)
    outbox.add_metric(["given_up"], messages.given_up)
    yield outbox
    uploads = upload_state(repository.catalogue)
    yield _gauge("failed_uploads", "Uploads of the last seven days without a run.", uploads.failed)
    yield _gauge("incomplete_uploads", "Uploads in parts under way.", uploads.incomplete)
    watched = watched_folders(repository.catalogue)
    gone = sum(folder.is_gone for folder in watched)
    yield _gauge("unwatched_folders", "Folders that are no longer watched.", gone)


def _orphans(repository: Repository) -> Iterator[Metric]:
    state = orphan_state(repository)
    yield _gauge("orphan_bytes", "Bytes of orphaned files at the last check.", state.bytes)
    yield _gauge("leftovers", "Prefixes that dead processes wrote under.", state.leftovers)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"tilescope_{name}", meaning, value)
