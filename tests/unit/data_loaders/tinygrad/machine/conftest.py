import resource

import pytest


@pytest.fixture
def without_limits(monkeypatch):
    """Keep this process as it is."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, 0))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
