"""The dialog of keys has what the records have."""

import json

import pytest
from plotly.utils import PlotlyJSONEncoder

from app.pages.keys_help import EVERY, help_dialog, key_groups
from app.pages.page import shown_keys
from app.pages.registry import PAGES
from app.views.comparison.registry import COMPARE
from app.views.lab.registry import LAB
from app.views.program.registry import PROGRAM
from app.views.registry import RUN


def groups(*, editor: bool = True):
    """Return page -> the keys that the dialog lists, and whether they are hidden at first."""
    laid_out = json.loads(json.dumps(help_dialog(PAGES, editor=editor), cls=PlotlyJSONEncoder))
    bodies = laid_out["props"]["children"][1]["props"]["children"][0]["props"]["children"]
    return {
        body["props"]["id"]["page"]: (
            [row["props"]["children"][0]["props"]["children"]["props"]["children"] for row in rows],
            body["props"]["hidden"],
        )
        for body in bodies
        for rows in [body["props"]["children"][1:]]
    }


@pytest.mark.parametrize("screen", [RUN, PROGRAM, LAB, COMPARE], ids=lambda screen: screen.name)
def test_every_page_of_views_has_the_keys_of_its_records(screen):
    listed, hidden = groups()[screen.name]
    assert listed[: len(screen.keys)] == [shown_keys(key.keys) for key in screen.keys]
    assert "Esc" in listed
    assert hidden


def test_only_the_keys_of_every_page_show_until_the_page_is_known():
    assert [page for page, (_, hidden) in groups().items() if not hidden] == [EVERY]
    assert set(groups()) == set(key_groups(PAGES))


def test_who_may_not_ingest_is_told_of_no_key_for_it():
    assert "u" in groups()[EVERY][0]
    assert "u" not in groups(editor=False)[EVERY][0]
