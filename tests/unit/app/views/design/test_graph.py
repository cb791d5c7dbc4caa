"""The view of locks and flows: its data, its state, the route and the snapshot."""

import gzip
import json

import pytest

from app.server.factory import create_app
from app.views.design.graph import (
    STAGE,
    graph_key,
    graph_moved,
    graph_part,
    graph_state,
    graph_tables,
)
from app.views.registry import parse
from app.views.state import RunState
from ingest.files import ingest
from services.run.design_graph import design_graph_text, waited_locks
from tests.support.dash_client import DashClient

SECOND = "core 3,0"
LOCK = "mid_cons_cons_lock"


def test_the_lock_that_is_waited_for_is_that_of_the_join(capture, plan):
    cycles = capture.design.locks(SECOND).by_lock[0].cycles
    assert waited_locks(capture.design) == {(SECOND, LOCK): {SECOND: cycles}}
    assert waited_locks(plan.design) == {}


def test_the_selected_tile_is_its_core(capture):
    state = RunState().selecting(track=SECOND)
    told = json.loads(graph_state(capture, state))
    node = capture.design.graph.nodes[told["node"]]
    assert (node.kind, node.tile, told["tile"]) == ("core", SECOND, SECOND)
    assert json.loads(graph_state(capture, RunState())) == {"node": None, "tile": None}
    moved = graph_moved(capture, state)[STAGE]
    assert moved["data-state"] == graph_state(capture, state)
    assert graph_key(capture, state) == graph_key(capture, RunState())


def test_the_memory_of_a_design_selects_its_tile(plan):
    attempt = json.loads(design_graph_text(plan.design))["attempts"][SECOND]
    told = json.loads(graph_state(plan, parse(f"attempt={attempt}")))
    assert told["tile"] == SECOND


def test_a_capture_selects_tiles_by_their_units(capture):
    assert json.loads(design_graph_text(capture.design))["attempts"] == {}


def test_the_tables_have_every_edge(capture):
    edges, waited = graph_tables(capture, RunState())
    assert len(edges.rows) == len(capture.design.graph.edges)
    assert waited.rows[0][:2] == [SECOND, f"{SECOND} {LOCK}"]
    assert graph_part(capture, RunState()).body.id == STAGE


@pytest.fixture
def served(settings, samples):
    repository = settings.repository()
    runs = ingest(repository, [samples / "aie_design", samples / "minimalloc"], {}).runs
    return DashClient(create_app(settings)), {run.source: run.run_id for run in runs}


@pytest.mark.slow
def test_the_route_has_the_columns(served, capture):
    client, runs = served
    response = client.get(f"/graph/{runs['aie']}/design")
    assert response.status_code == 200
    assert gzip.decompress(response.data).decode() == design_graph_text(capture.design)
    tag = response.headers["ETag"]
    again = client.get(f"/graph/{runs['aie']}/design", headers={"If-None-Match": tag})
    assert again.status_code == 304


@pytest.mark.slow
def test_a_run_without_a_design_has_no_graph(served):
    client, runs = served
    response = client.get(f"/graph/{runs['minimalloc']}/design")
    assert response.status_code == 404
    assert "Traceback" not in response.text


@pytest.mark.slow
def test_the_snapshot_has_graph_and_tables(served, capture):
    client, runs = served
    text = client.get(f"/snapshot?run={runs['aie']}&track=core+3%2C0").text
    assert 'id="graph-data-design"' in text
    assert text.count("data-design") >= 1
    assert "stalls and the design" in text
    assert "plan and measurement" in text
    both = client.get(f"/snapshot?run={runs['aie']}&run={runs['aie_design']}").text
    assert both.count('id="graph-data-design"') == 1
