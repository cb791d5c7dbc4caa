"""Overview of a store as a record, and as JSON."""

from __future__ import annotations

from typing import Any

from app.config.in_force import settings_in_force
from app.config.settings import Settings
from services.store.attention import needs_attention
from services.store.overview import Overview, store_overview
from services.store.workers import ask_workers
from storage.repository import Repository


def load_overview(settings: Settings, repository: Repository) -> Overview:
    """Collect the overview of the store now; a Dask scheduler has three seconds to respond, and if
    it fails the overview has its error.
    """
    workers = ask_workers(settings.dask_scheduler)
    return store_overview(repository, settings.backup_plan(), workers, settings_in_force(settings))


def overview_record(overview: Overview) -> dict[str, Any]:
    """Convert an overview to a dict of JSON types: all fields, preceded by `attention`, the list of
    things that need attention.
    """
    return {"attention": [item.record() for item in needs_attention(overview)], **overview.record()}
