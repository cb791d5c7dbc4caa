"""Limits on the clock of requests, lifted: on a busy machine a comparison takes many times as long."""

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
    "services.retention.holders": "_WITHIN_S",
}
"""Module -> its name for the seconds after which no comparison begins."""
_PATIENCE_S = 600.0


@contextmanager
def unhurried_comparisons():
    """Let every comparison begin in the first request, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in LIMITED.items():
            patch.setattr(import_module(module), name, _PATIENCE_S)
        yield
