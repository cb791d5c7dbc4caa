"""Facets that narrow the list under the present filters, and what all listed runs share."""

import pytest

from app.config.settings import Settings
from app.context import AppContext
from app.pages.runs.filters import filter_column, shared_values, useful_facets
from app.pages.runs.listed import shown_line
from app.pages.runs.state import RunsState, parse
from tests.support.components import every
from tests.support.runs import catalogue_of

ROWS = [
    {"source": "aie", "hwid": "npu1", "M": 64, "K": 64, "N": 64, "branch": "main"},
    {"source": "aie", "hwid": "npu2", "M": 128, "K": 64, "N": 64, "branch": "main"},
    {"source": "kineto", "hwid": "A100", "M": None, "K": None, "N": None, "branch": "main"},
    {"source": "kineto", "hwid": "", "M": None, "K": None, "N": None, "branch": "main"},
]


@pytest.fixture
def listing(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    catalogue_of(f"sqlite:///{folder}/catalogue.db", *ROWS).close()
    return AppContext.of(Settings(data=folder)).runs.now()


@pytest.mark.parametrize(
    ("query", "facets"),
    [
        ("", {"source", "hwid", "M"}),
        ("source=kineto", {"source"}),
        ("source=aie", {"source", "hwid", "M"}),
        ("source=aie&M=64", {"M"}),
        ("hwid=npu1", {"hwid"}),
    ],
)
def test_a_facet_needs_two_values_under_the_other_filters(listing, query, facets):
    state = parse(query)
    # A missing value is none: K has 64 and nothing.
    assert {*useful_facets(listing, state)} == facets
    fieldsets = every(filter_column(listing, state), "Fieldset")
    laid_out = [fieldset.to_plotly_json()["props"] for fieldset in fieldsets]
    hidden = {props["data-facet"]: props["hidden"] for props in laid_out if "data-facet" in props}
    assert {name for name, is_hidden in hidden.items() if not is_hidden} == facets
    # A hidden facet stays on the page, because its chosen values are part of the view state.
    assert {"source", "hwid", "M", "K", "N", "branch"} <= set(hidden)


@pytest.mark.parametrize(
    ("query", "shared"),
    [
        ("", ["branch main"]),
        ("source=kineto", ["branch main"]),
        ("source=aie", ["K 64", "N 64", "branch main"]),
        ("hwid=npu1", []),
        ("hwid=nothing", []),
    ],
)
def test_what_all_listed_runs_share_is_named_once(listing, query, shared):
    assert shared_values(listing, parse(query)) == shared


def test_the_shared_values_are_in_the_line_above_the_list(listing):
    assert shown_line(listing, RunsState(source=("aie",))).endswith("all: K 64, N 64, branch main")
