"""From the stall of a core to the buffers, locks and numbers that its design explains it by."""

import gzip
import json
import re
import shutil

import pytest
from playwright.sync_api import expect

from samples.aie_design import FILE
from tests.e2e.conftest import cli, serving, wait_until_idle
from tests.e2e.test_journeys import click_bar

pytestmark = pytest.mark.slow

READY = "() => window.tilescope.design?.state().ready"
CAPTURE, MOVED = "pipeline_stalls", "moved_stalls"
FIRST, SECOND = "core 2,0", "core 3,0"
MOVED_BUFFER = ("in_cons_buff_1", 5120, 49152)


def address_of(place, data):
    """Ingest a folder with one trace; return the address of its run."""
    (run,) = json.loads(cli("ingest", str(place), "--data", str(data), "--json").stdout)["runs"]
    return f"/run/{run['run_id']}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory, samples):
    """The folder of a store, and the addresses of a capture and of one whose design has a buffer in
    another bank.
    """
    folder = tmp_path_factory.mktemp("designs")
    source = samples / "aie_design" / "stalls"
    other = folder / MOVED
    shutil.copytree(source, other)
    trace = other / f"{CAPTURE}.json.gz"
    # A run is known by the content of its trace, so that the other trace has a blank more.
    (other / f"{MOVED}.json").write_bytes(gzip.decompress(trace.read_bytes()) + b" ")
    trace.unlink()
    design = other / FILE
    name, before, after = MOVED_BUFFER
    lines = design.read_text().splitlines()
    rank = next(rank for rank, line in enumerate(lines) if f'sym_name = "{name}"' in line)
    lines[rank] = (
        lines[rank]
        .replace(f"address = {before}", f"address = {after}")
        .replace("bank = 0", "bank = 3")
    )
    design.write_text("\n".join(lines))
    data = folder / "data"
    # Both are of one GEMM, so that their names are equal.
    return data, {CAPTURE: address_of(source, data), MOVED: address_of(other, data)}


@pytest.fixture(scope="module")
def server(runs):
    """The address of a server on that store."""
    with serving(runs[0]) as address:
        yield address


def check_that_the_plan_has_the_numbers_of_predict(page, data, run):
    terms = json.loads(cli("predict", run, "--data", str(data), "--json").stdout)["runs"][0][
        "terms"
    ]
    cells = page.locator("#run-plan-body tbody tr")
    expect(cells).to_have_count(len(terms))
    names = [row.locator("th").inner_text() for row in cells.all()]
    assert names == [term["term"] for term in terms]


def test_a_core_leads_to_the_map_of_its_tile_by_mouse_and_keyboard(page, runs):
    data, addresses = runs
    page.goto(addresses[CAPTURE])
    check_that_the_plan_has_the_numbers_of_predict(
        page, data, addresses[CAPTURE].rpartition("/")[2]
    )
    rows = page.locator("#run-designstalls-body tbody tr")
    expect(rows).to_have_count(2)
    expect(page.locator("#run-tilemap-answer")).to_contain_text(FIRST)
    table = page.locator("#run-designstalls-body")
    table.get_by_role("button", name=SECOND, exact=True).focus()
    page.keyboard.press("Enter")
    # The memory of the tile is in a fold, which a core of the table opens.
    expect(page.locator("#run-tilemap .js-plotly-plot")).to_be_visible()
    expect(page).to_have_url(re.compile(r"track=core"))
    expect(page.locator("#run-tilemap-answer")).to_contain_text(SECOND)
    expect(page.locator("#run-designstalls-body tr.ts-chosen")).to_contain_text(SECOND)
    page.locator("#run-tilemap").scroll_into_view_if_needed()
    wait_until_idle(page)
    page.evaluate("() => tilescope.plotsDrawn()")
    click_bar(page, "run-tilemap", 1)
    expect(page).to_have_url(re.compile(r"block=\d"))
    expect(page.locator("#run-tilemap-line")).to_contain_text("used by")
    page.keyboard.press("Escape")
    expect(page.locator("#run-tilemap-answer")).to_contain_text(FIRST)


def test_a_click_in_the_graph_selects_the_tile_in_all_views(page, runs):
    # The link to a card opens the fold that it is in.
    page.goto(f"{runs[1][CAPTURE]}#designgraph")
    stage = page.locator("#run-designgraph-body canvas")
    stage.scroll_into_view_if_needed()
    page.wait_for_function(READY)
    wait_until_idle(page)
    x, y = page.evaluate(
        """async (tile) => {
            const {design} = tilescope;
            await design.fit();
            const name = design.state().visible.find((one) => design.node(one).label[0] === tile);
            await design.center(name, 1);
            const [x, y, w, h] = design.node(name).box;
            return [x + w / 2, y + h / 2];
        }""",
        SECOND,
    )
    stage.click(position={"x": x, "y": y})
    expect(page).to_have_url(re.compile(r"track=core(\+|%20)3"))
    expect(page.locator("#run-tilemap-answer")).to_contain_text(SECOND)
    page.locator("#design-graph-stage").focus()
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("track="))


def test_the_floor_plan_takes_the_colour_that_is_chosen(page, runs):
    page.goto(f"{runs[1][CAPTURE]}?track=core+2,0")
    choice = page.get_by_role("combobox", name="metric of the tiles")
    expect(page.locator("#run-floorplan .js-plotly-plot")).to_be_attached()
    choice.focus()
    choice.select_option("memory in use")
    expect(page).to_have_url(re.compile("memory_use"))
    expect(page.locator("#run-floorplan-answer")).to_contain_text("of its memory")


def test_two_designs_list_the_buffer_that_moved(page, runs):
    ids = {name: address.rpartition("/")[2] for name, address in runs[1].items()}
    page.goto(f"/compare?base={ids[CAPTURE]}&new={ids[MOVED]}")
    changes = page.locator("#compare-designs-body tbody tr")
    expect(changes).to_have_count(1)
    expect(changes).to_contain_text(MOVED_BUFFER[0])
