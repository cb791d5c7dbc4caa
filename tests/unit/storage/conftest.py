from __future__ import annotations

import pytest

from storage.catalogue import Catalogue
from tests.support.empty_catalogues import CREATE_TABLES


@pytest.fixture(autouse=True)
def tables_are_made(monkeypatch):
    """Make tables, where other rooms begin with a copy of an empty catalogue."""
    monkeypatch.setattr(Catalogue, "_create_tables", CREATE_TABLES)
