"""The program of one kernel in two runs."""

import json

import pytest

from app.config.settings import Settings
from app.views.comparison.programs import STAGE, graph_difference
from app.views.comparison.registry import COMPARE, parse
from ingest.files import ingest
from services.comparison.compared_graphs import compared_graphs, kernel_sides, shown_step
from services.comparison.data import CompareDataCache, Question
from services.comparison.program_sides import last_states, program_side, shared_steps
from services.program.data import Compilers
from services.run.data_cache import RunDataCache
from tests.support.components import every, words

CAPTURES = ("train-0.12-cpu", "train-0.13-cpu")


@pytest.fixture(scope="module")
def compare(tmp_path_factory, samples):
    """Return a function that compares two of the samples by their places in CAPTURES."""
    repository = Settings(data=tmp_path_factory.mktemp("programs") / "data").repository()
    runs = [
        ingest(repository, [samples / "tinygrad" / name], {}).runs[0].run_id for name in CAPTURES
    ]
    pages = RunDataCache(repository)
    cache = CompareDataCache(repository, pages, Compilers(repository, pages).graphs)
    return lambda one, other: cache.get(Question((runs[one],), (runs[other],)))


def part(data, query=""):
    return COMPARE.find_content_view(data, "programs").make(data, parse(query))


@pytest.mark.slow
def test_a_run_against_itself_has_equal_programs_and_graphs(compare):
    data = compare(0, 0)
    made = part(data)
    assert not every(made.body, "Pre")
    assert "equal" in words(made.body)


@pytest.mark.slow
def test_programs_of_two_releases_differ_in_what_is_listed(compare):
    data = compare(0, 1)
    both = data.kernels[data.kernels["base"].notna() & data.kernels["new"].notna()]
    assert len(both)
    made = part(data, f"kernel={both['name'].iloc[0]}")
    panes = every(made.body, "Pre")
    assert len(panes) % 2 == 0
    counts = [words(pane).count("\n") for pane in panes]
    assert counts[::2] == counts[1::2]


@pytest.mark.slow
def test_the_picture_has_as_many_nodes_made_and_removed_as_the_lines(compare):
    data = compare(0, 1)
    both = data.kernels[data.kernels["base"].notna() & data.kernels["new"].notna()]
    name = both["name"].iloc[0]
    query = f"kernel={name}"
    columns = json.loads(graph_difference(data, parse(query)))
    base, new = kernel_sides(data, *both[["base", "new"]].iloc[0])
    graphs = compared_graphs(data, base, new, shown_step(base, new, ""))
    made = sum(pair.new is not None and not pair.is_same for pair in graphs.pairs)
    assert 0 < columns["change"].count(1) <= made
    assert columns["change"].count(3) > 0
    assert columns["change"].count(2) == 0
    assert len(set(columns["names"])) == len(columns["names"])
    (stage,) = [
        div for div in every(part(data, query).body, "Div") if getattr(div, "id", "") == STAGE
    ]
    assert getattr(stage, "data-source").startswith("/comparison/graph/columns?")


@pytest.mark.slow
def test_equal_graphs_are_not_drawn_over_each_other(compare):
    data = compare(0, 0)
    assert not [div for div in every(part(data).body, "Div") if getattr(div, "id", "") == STAGE]
    columns = json.loads(graph_difference(data, parse("")))
    assert set(columns["change"]) == {0}


def test_a_shared_step_can_be_chosen(compare):
    data = compare(0, 0)
    name = data.kernels["name"].iloc[0]
    side = program_side(data.base[0], name)
    steps = shared_steps(side, side)
    assert len({step.name for step in steps}) == len(steps) > 1
    one, other = last_states(
        [(side, steps[0].base), (side, steps[0].new)], [data.graphs_of(side.run_id)] * 2
    )
    assert one is other
    chosen = [
        button
        for button in every(part(data, f"rewrite={steps[0].name}").body, "Button")
        if "chosen" in button.className
    ]
    assert [button.id["rewrite"] for button in chosen] == [steps[0].name]


def test_a_kernel_of_one_side_alone_says_so(compare):
    data = compare(0, 1)
    alone = data.kernels[data.kernels["base"].isna()]
    if len(alone):
        assert "base" in part(data, f"kernel={alone['name'].iloc[0]}").caption
