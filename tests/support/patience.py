"""Removes time limits, because everything takes many times as long on a busy machine."""

from contextlib import contextmanager
from importlib import import_module

import pytest

LIMITED = {
    "app.mcp.comparisons": "_COMPARE_S",
    "app.mcp.statuses": "_WITHIN_S",
    "app.pages.compare.question": "_WITHIN_S",
    "app.pages.landing.callbacks": "WITHIN_S",
    "app.pages.landing.standings": "SHOWN_WITHIN_S",
    "app.pages.status.badges": "SHOWN_WITHIN_S",
    "app.pages.status.callbacks": "WITHIN_S",
    "app.pages.status.exports": "WITHIN_S",
    "app.pages.status.page": "SHOWN_WITHIN_S",
    "app.pages.trends.callbacks": "_COMPARES_S",
    "app.pages.trends.exports": "_COMPARES_S",
    "app.server.api.status": "WITHIN_S",
    "services.alerts.loop": "_WITHIN_S",
    "services.gate.baseline_status": "MAX_COMPARING_S",
    "services.lab.beat": "_STALE_S",
    "services.lab.searches": "_GRACE_S",
    "services.retention.holders": "_WITHIN_S",
}
"""Module -> its name for a number of seconds: after most of them no further comparison begins, after
those of the lab a search is taken as abandoned, and its process is killed.
"""
_PATIENCE_S = 600.0


@contextmanager
def unhurried_work():
    """Raise all limits of LIMITED, so that comparisons run in the first request and searches end by
    themselves.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module, name in LIMITED.items():
            patch.setattr(import_module(module), name, _PATIENCE_S)
        yield
