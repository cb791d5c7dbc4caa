"""From a kernel to what the compiler did to it: context, step, match, node, text, code, and out as a file."""

import re

import pytest
from playwright.sync_api import expect

from samples.tinygrad_writer import Maker
from tests.e2e.conftest import ingested, serving, wait_until_idle
from tests.e2e.readings import kernel_bar, middle_of, wait_until_equal
from tests.support import thread_trace as tt

pytestmark = pytest.mark.slow

READY = "() => window.tilescope.graph?.state().ready"


def find_node(page):
    """Return the name of a node, and the place in the canvas that it has once it is in the middle of the picture."""
    name, x, y = page.evaluate("""async () => {
        const {graph} = tilescope, [name] = graph.state().visible;
        await graph.center(name, 1);
        const [x, y, w, h] = graph.node(name).box;
        return [name, x + w / 2, y + h / 2];
    }""")
    return name, {"x": x, "y": y}


def click_node(page):
    """Click the node in the middle of the picture, and return its name."""
    name, place = find_node(page)
    page.locator("[data-graph] canvas").click(position=place)  # waits until the page stands still
    return name


@pytest.fixture(scope="module")
def capture(tmp_path_factory, samples):
    """The folder of a store, and the address of the run of a multiplication in it."""
    data = tmp_path_factory.mktemp("programs") / "data"
    (address,) = ingested(data, samples / "tinygrad" / "gemm-0.14-cpu").values()
    return data, address


@pytest.fixture(scope="module")
def server(capture):
    """The address of a server on it."""
    with serving(capture[0]) as address:
        yield address


@pytest.fixture
def program_page(page, capture):
    """The page of the programs of a multiplication."""
    page.goto(f"{capture[1]}/program")
    page.wait_for_function(READY)
    wait_until_idle(page)
    return page


def test_a_kernel_leads_to_its_context_and_back(page, capture):
    page.goto(capture[1])
    page.locator("#run-kernels-grid .ag-center-cols-container [col-id='count']").first.click()
    page.get_by_role("link", name="Steps of the compiler").click()
    expect(page).to_have_url(re.compile(r"/program\?context=\d+"))
    expect(page.locator("#program-graph-answer")).to_contain_text("node")
    page.get_by_role("link", name="This kernel on the run's page").click()
    expect(page).to_have_url(re.compile(r"/run/\w+\?program=\d+"))


def test_from_a_context_to_step_match_node_and_text(program_page):
    page = program_page
    page.locator(
        "#program-contexts-grid .ag-center-cols-container [col-id='name']", has_text="r_"
    ).first.click()
    expect(page).to_have_url(re.compile(r"context=\d+"))
    wait_until_idle(page)
    page.locator(
        "#program-steps-grid .ag-center-cols-container [col-id='matches']",
        has_text=re.compile(r"^\s*([3-9]|\d[\d\s]*\d)\s*$"),
    ).first.click()
    expect(page).to_have_url(re.compile(r"step=\d+"))
    wait_until_idle(page)
    page.get_by_role("button", name="next state").click()
    expect(page).to_have_url(re.compile("match=1"))
    expect(page.locator("#program-match-body")).to_contain_text("after match 1")
    expect(page.locator("#program-text-answer")).to_contain_text("new")
    wait_until_idle(page)
    slider = page.get_by_role("slider")
    expect(slider).to_have_value("1")  # before, a key would move what is about to be drawn
    slider.press("End")
    expect(page.locator("#program-match-body")).not_to_contain_text("after match 1 of")
    expect(page).not_to_have_url(re.compile("match=1(&|$)"))
    wait_until_idle(page)
    last = int(re.search(r"match=(\d+)", page.url)[1])
    page.keyboard.press("ArrowLeft")  # the slider is still the one that has the focus
    expect(page).to_have_url(re.compile(f"match={last - 1}(&|$)"))
    expect(page.locator("#program-match-body")).to_contain_text(f"after match {last - 1}")
    wait_until_idle(page)
    # on a row of the grid that is not selected a click would select it
    page.wait_for_function(READY)
    click_node(page)
    expect(page).to_have_url(re.compile(r"node=\d+"))
    page.locator("#program-node-body .ts-node-links button").first.click()
    expect(page.locator("#program-node-body")).to_contain_text("used by")
    expect(page.locator("#program-assembly-body .ts-source-text")).to_contain_text("void")
    expect(page.locator("#program-assembly-body .ts-assembly")).to_contain_text("block 0")
    expect(page.locator("#program-blocks-answer")).to_contain_text("block")


def test_an_instruction_of_the_control_flow_is_lit_in_the_machine_code(page, capture):
    page.goto(f"{capture[1]}/program?context=2")
    page.wait_for_function("() => window.tilescope.flow?.state().ready")
    block = page.evaluate("tilescope.flow.state().visible[0]")
    stage = page.locator("[data-flow]")
    stage.scroll_into_view_if_needed()
    _, y, width, _ = page.evaluate(f"tilescope.flow.node({block}).text[1]")
    x = page.evaluate(f"tilescope.flow.node({block}).text[1][0]")
    canvas = stage.locator("canvas")
    canvas.hover(position={"x": x + width / 2, "y": y + 7})
    expect(stage.locator("[data-graph-card]")).to_contain_text("0x")
    canvas.click(position={"x": x + width / 2, "y": y + 7})
    expect(page).to_have_url(re.compile(rf"block={block}(&|$)"))
    drawn = page.evaluate(f"tilescope.flow.node({block}).lines[1]")
    page.wait_for_function(
        """word => [...CSS.highlights.get("ts-instruction") ?? []].map(String).join().includes(word)""",
        arg=drawn.split()[0],
    )
    page.keyboard.press("ArrowDown")
    expect(page).not_to_have_url(re.compile(rf"block={block}(&|$)"))


def test_nodes_are_found_and_escape_clears(program_page):
    page = program_page
    page.get_by_label("find nodes").fill("sink")
    page.keyboard.press("Enter")
    expect(page.locator("#program-graph-answer")).to_contain_text("1 node found")
    page.locator("#program-graph-answer").click()
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("find="))


def test_a_graph_that_is_not_readable_as_a_whole_fills_the_picture_and_has_a_map(page, capture):
    page.goto(f"{capture[1]}/program?context=2&step=9")
    page.wait_for_function(READY)
    wait_until_idle(page)
    drawn = page.evaluate(
        "() => { const {nodes, visible, size} = tilescope.graph.state(); return [nodes, visible, size]; }"
    )
    nodes, visible, (width, _) = drawn
    assert len(visible) < nodes
    right = page.evaluate(
        "(names) => Math.max(...names.map((n) => { const [x, , w] = tilescope.graph.node(n).box; return x + w; }))",
        visible,
    )
    assert width - 40 < right <= width
    expect(page.locator("[data-graph-map]").first).to_be_visible()
    page.locator("[data-graph-do='fit']").first.click()
    page.wait_for_function("nodes => tilescope.graph.state().visible.length === nodes", arg=nodes)


def test_back_leads_to_the_state_before(program_page):
    page = program_page
    first = page.url
    page.keyboard.press(".")
    expect(page).to_have_url(re.compile("match=1"))
    expect(page.locator("#program-match-body")).to_contain_text("after match 1")
    wait_until_idle(page)
    page.go_back()
    expect(page).to_have_url(first)
    expect(page.locator("#program-match-body")).to_contain_text("as the step began")


def test_a_graph_leaves_as_json_dot_and_snapshot(program_page):
    page = program_page
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".ts-export a").first).to_be_visible()
    links = page.locator(".ts-export a").evaluate_all("links => links.map(link => link.href)")
    texts = [page.request.get(link).text() for link in links]
    assert texts[0].startswith("{")
    assert texts[1].startswith("digraph")
    snapshot = page.get_by_role("link", name="Snapshot").evaluate("link => link.href")
    text = page.request.get(snapshot).text()
    page.route("**/saved.html", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("/saved.html")
    page.wait_for_function(READY)
    name = click_node(page)
    page.wait_for_function("name => tilescope.graph.state().selected === name", arg=name)
    found = page.evaluate(
        "async () => { await tilescope.graph.find('sink'); return tilescope.graph.state().found; }"
    )
    assert len(found) == 1


def test_what_a_node_needs_is_folded_and_the_address_tells(program_page):
    page = program_page
    count = "() => tilescope.graph.state().nodes"
    every = page.evaluate(count)
    root = page.evaluate(
        "async () => { const s = tilescope.graph.state(); return s.visible.at(-1); }"
    )
    page.evaluate("(name) => tilescope.graph.fold(name)", root)
    expect(page).to_have_url(re.compile(f"folded={root}"))
    wait_until_idle(page)
    assert page.evaluate(count) <= every
    page.reload()
    page.wait_for_function(READY)
    wait_until_equal(lambda: page.evaluate("() => tilescope.graph.state().folded"), [root])


def test_from_the_timeline_by_an_optimisation_to_the_machine_code(page, capture):
    page.goto(capture[1])
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    wait_until_idle(page)
    page.mouse.click(*kernel_bar(page, "CPU"))
    expect(page.locator("#run-selection .ts-chip").first).to_be_visible()
    page.locator(".ts-options-line a", has_text="UPCAST").first.click()
    expect(page).to_have_url(re.compile(r"/program\?context=\d+&step=\d+"))
    page.wait_for_function(READY)
    wait_until_idle(page)
    page.get_by_role("button", name="next state").click()
    expect(page).to_have_url(re.compile("match=1"))
    wait_until_idle(page)
    page.wait_for_function(READY)
    chosen = click_node(page)
    expect(page).to_have_url(re.compile(f"node={chosen}(&|$)"))
    wait_until_idle(page)
    page.wait_for_function(READY)
    folded, place = find_node(page)
    page.locator("[data-graph] canvas").dblclick(position=place)
    expect(page).to_have_url(re.compile(f"folded={folded}(&|$)"))
    wait_until_idle(page)
    code = page.locator("#program-assembly-body")
    expect(code.locator(".ts-source-text")).to_contain_text("void")
    expect(code.locator(".ts-assembly")).to_contain_text("block 0")
    page.wait_for_function("() => window.tilescope.flow?.state().ready")
    block = page.evaluate("tilescope.flow.state().visible[0]")
    page.locator("[data-flow]").scroll_into_view_if_needed()
    x, y, width, _ = page.evaluate(f"tilescope.flow.node({block}).text[1]")
    page.locator("[data-flow] canvas").click(position={"x": x + width / 2, "y": y + 7})
    page.wait_for_function("() => CSS.highlights.has('ts-instruction')")


@pytest.fixture(scope="module")
def traced_capture(tmp_path_factory):
    """The folder of a store, and the address of a run of which a thread trace has two waves through a loop."""
    folder, data = tmp_path_factory.mktemp("traced"), tmp_path_factory.mktemp("traces") / "data"
    made = Maker("0.14").device("AMD", properties={"gfx_target_version": 110000})
    made.program("AMD", "r_4", tt.COUNTING, 7).range("AMD", "r_4", 0, 1)
    twice = tt.trace(tt.header(), *tt.counting(0), *tt.counting(1))
    made.thread_trace("AMD", 7, 0, engine=1, tag=1, blob=twice)
    (folder / "profile.pkl").write_bytes(made.profile())
    (address,) = ingested(data, folder).values()
    return data, address


def test_from_the_machine_code_to_a_wave_of_the_thread_trace(tabs, traced_capture):
    data, run = traced_capture
    with serving(data) as address, tabs.watched(address) as page:
        page.goto(run)
        page.locator("#run-kernels-grid .ag-center-cols-container [col-id='count']").first.click()
        page.get_by_role("link", name="Steps of the compiler").click()
        heated = page.locator("#program-assembly-body .ts-assembly .ts-heat")
        expect(heated).to_have_count(4)
        expect(heated.nth(1)).to_contain_text("4")  # two waves, twice each
        page.locator(
            "#program-traces-grid .ag-center-cols-container [col-id='engine']"
        ).first.click()
        expect(page).to_have_url(re.compile("trace=0"))
        expect(page.locator("#program-waves-answer")).to_contain_text("2 waves in 2 slots")
        bars = page.locator("#program-waves .bars .point")
        expect(bars).to_have_count(2)
        page.mouse.click(*middle_of(bars.nth(1)))
        expect(page).to_have_url(re.compile(r"wave=\d"))
        expect(page.locator("#program-wave-code-body .ts-assembly")).to_contain_text("s_endpgm")
