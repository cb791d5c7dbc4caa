"""A run page with a panel that cannot be drawn, from a server that has no drawn page in its cache."""

from dataclasses import replace

from app.views.registry import RUN
from app.views.view import FAILED


def test_a_panel_that_fails_says_so_and_costs_no_other(dashboard, upload, monkeypatch, caplog):
    run = upload(m="32", k="32", n="32").json["runs"][0]["run_id"]

    def fails(*_):
        raise ZeroDivisionError

    broken = tuple(replace(view, draw=fails) if view.id == "stalls" else view for view in RUN.views)
    monkeypatch.setitem(vars(RUN), "views", broken)
    text = dashboard.open(f"/run/{run}")
    assert FAILED in text
    assert "core 2,0" in text
    assert "view stalls" in caplog.text
