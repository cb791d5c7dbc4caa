"""What pages, callbacks and routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from app.settings import Settings
from storage.repository import Repository


@dataclass(frozen=True)
class AppContext:
    """The settings of the application and its opened storage."""

    settings: Settings
    repository: Repository
