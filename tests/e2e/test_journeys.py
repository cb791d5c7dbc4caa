"""What people do with the dashboard, from filter to snapshot."""

import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import (
    HOSTILE,
    clear,
    end_history_step,
    open_run,
    snapshot_offline,
    wait_until_idle,
)
from tests.e2e.readings import middle_of, place_of, wait_until_still
from tests.e2e.uploads import choose_files
from tests.support.aie_trace import trace_text

LOSSES = """() => {
    const [totals, losses] = document.querySelector("#run-waterfall .js-plotly-plot").calcdata;
    const lost = losses.map((loss, rank) => [loss.s1 - loss.s0, rank + totals.length]).filter(([size]) => size > 0);
    return lost.sort((one, other) => one[0] - other[0]).map(([, rank]) => rank);
}"""
"""Ranks of the bars of losses, the thinnest first."""


def open_capture(page, name):
    """Open the run of a capture and wait for its numbers too."""
    open_run(page, name, "run-timeline")
    expect(page.locator("#run-strip dd").first).to_be_visible()
    wait_until_still(page)


def wait_for_bars(page):
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    expect(page.locator("#run-strip dd").first).to_be_visible()


def figure(page, graph_id):
    """Return data and layout of a drawn plot."""
    return page.evaluate(
        """id => { const gd = document.querySelector(`#${id} .js-plotly-plot`);
                   return {layout: {xaxis: gd._fullLayout.xaxis.range.slice()}, traces: gd.data.length,
                           config: {cloud: gd._context.showSendToCloud, logo: gd._context.displaylogo}}; }""",
        graph_id,
    )


def click_bar(page, graph_id, number=0):
    """Click the middle of a bar, in its plot."""
    bar = page.locator(f"#{graph_id} .bars .point path").nth(number)
    page.mouse.click(*middle_of(bar))


def double_click(page, graph_id):
    """Double click the upper edge of a plot, where there is nothing to select."""
    box = place_of(page.locator(f"#{graph_id} .nsewdrag").first)
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 6)


def test_filter_the_runs_by_hwid_and_size(page):
    page.goto(LIST_PATH)
    rows = page.locator("#runs-grid .ag-center-cols-container .ag-row")
    expect(rows).to_have_count(8)
    page.get_by_role("checkbox", name=re.compile("npu2")).check()
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("hwid=npu2"))
    page.reload()
    expect(rows).to_have_count(1)


def check_that_no_plot_offers_to_send_itself_to_a_cloud(page):
    for graph in (
        "run-iterations",
        "run-timeline",
        "run-durations",
        "run-stalls",
        "run-floorplan",
        "run-overview",
    ):
        assert figure(page, graph)["config"] == {"cloud": False, "logo": False}
    expect(page.locator("text=/share chart/i")).to_have_count(0)


def check_that_a_click_on_a_tile_moves_every_view(page):
    click_bar(page, "run-floorplan", 1)
    expect(page.locator("#run-selection .ts-chip").first).to_contain_text("tile core")
    expect(page).to_have_url(re.compile("track=core"))
    expect(page.locator("#run-selection .ts-numbers")).to_contain_text("kernels16")
    page.keyboard.press("Escape")
    expect(page.locator("#run-selection .ts-chip")).to_have_count(0)
    expect(page.locator("#run-selection .ts-numbers")).to_contain_text("kernels64")


def check_that_zooming_changes_the_numbers_of_other_views(page):
    before = page.locator("#run-stalls-answer").inner_text()
    plot = place_of(page.locator("#run-timeline .nsewdrag").first)
    page.mouse.move(plot["x"] + plot["width"] * 0.02, plot["y"] + 60)
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.08, plot["y"] + 62, steps=8)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page).to_have_url(re.compile("window="))
    expect(page.locator("#run-selection .ts-chip")).to_contain_text("cycles")
    expect(page.locator("#run-stalls-answer")).not_to_have_text(before)
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("window="))


def check_that_answers_and_losses_lead_to_what_they_name(page):
    named = page.locator("#run-stalls-answer button")
    tile = named.inner_text()
    named.click()
    expect(page.locator("#run-selection .ts-chip")).to_contain_text(f"tile {tile}")
    page.locator("#run-iterations-answer button").last.click()
    expect(page.locator("#run-selection")).to_contain_text("iteration")
    wait_until_idle(page)  # all answers are drawn anew: none of their links selects anything
    expect(page.locator("#run-selection")).to_contain_text(f"tile {tile}")
    page.keyboard.press("Escape")
    expect(page.locator("#run-selection .ts-chip")).to_have_count(0)
    wait_until_still(page)
    click_bar(page, "run-waterfall", page.evaluate(LOSSES)[-1])
    expect(page.locator("#run-selection .ts-chip").first).to_contain_text("tile core")
    expect(page).to_have_url(re.compile("track="))
    share = re.search(r"share=(\w+)", page.url)
    expect(page.locator("select.run-share")).to_have_value(share[1] if share else "share")


def check_that_a_thin_loss_is_clicked_anywhere_in_its_row(page):
    area = place_of(page.locator("#run-waterfall .nsewdrag").first)
    rank = page.evaluate(LOSSES)[0]
    bar = page.locator("#run-waterfall .bars .point path").nth(rank).bounding_box()
    page.mouse.click(area["x"] + area["width"] * 0.1, bar["y"] + bar["height"] / 2)
    expect(page.locator("#run-selection .ts-chip").first).to_contain_text("tile core")


def check_that_the_address_shows_another_person_the_same(page, server):
    click_bar(page, "run-floorplan", 1)
    chips = page.locator("#run-selection .ts-chip")
    expect(chips).to_have_count(1)
    page.keyboard.press("j")
    expect(chips).to_have_count(3)
    wait_until_idle(page)
    selection = page.locator("#run-selection").inner_text()
    address = page.url
    clear(page, server)  # nothing of the first person is left in the tab
    page.goto(address)
    wait_for_bars(page)
    expect(page.locator("#run-selection")).to_have_text(selection, use_inner_text=True)


def test_views_of_a_capture_follow_each_other_and_the_address(page, server):
    open_capture(page, "npu2")
    for check in (
        check_that_no_plot_offers_to_send_itself_to_a_cloud,
        check_that_a_click_on_a_tile_moves_every_view,
        check_that_zooming_changes_the_numbers_of_other_views,
        check_that_answers_and_losses_lead_to_what_they_name,
        check_that_a_thin_loss_is_clicked_anywhere_in_its_row,
    ):
        check(page)
        page.keyboard.press("Escape")
        expect(page.locator("#run-selection .ts-chip")).to_have_count(0)
        wait_until_still(page)
    check_that_the_address_shows_another_person_the_same(page, server)


@pytest.mark.slow
def test_a_double_click_shows_everything_again(page):
    open_capture(page, "npu2")
    page.goto(page.url + "?window=100-900&iteration=1")
    wait_for_bars(page)
    chips = page.locator("#run-selection .ts-chip")
    expect(chips).to_have_count(3)
    double_click(page, "run-timeline")
    expect(page).not_to_have_url(re.compile("window="))
    double_click(page, "run-iterations")
    expect(chips).to_have_count(0)


def test_upload_says_what_was_taken_and_what_was_wrong(page, tmp_path):
    good = tmp_path / "trace_mm_96_96_96.json"
    good.write_text(trace_text(("2,5",), iterations=2, kernels=3))
    bad = tmp_path / "notes.json"
    bad.write_text("no trace at all")
    page.goto(LIST_PATH)
    choose_files(page, good, bad)
    entries = page.locator("#upload-list .ts-upload")
    expect(entries).to_have_count(2)
    expect(page.locator('.ts-upload[data-state="taken"]')).to_have_count(1)
    expect(page.locator('.ts-upload[data-state="refused"]')).to_contain_text("notes.json")
    page.keyboard.press("Escape")
    expect(page.locator("#runs-grid")).to_contain_text("trace_mm_96_96_96")


def test_the_snapshot_opens_from_disk_without_a_network(page, browser, tmp_path):
    open_capture(page, "npu3")
    with snapshot_offline(page, browser, tmp_path / "snapshot.html") as offline:
        expect(offline.locator("#timeline-0 .ts-bars")).to_be_attached()
        expect(offline.locator("body")).to_contain_text(HOSTILE)
        plots = "[...document.querySelectorAll('.js-plotly-plot')]"
        clouds = offline.evaluate(f"{plots}.map(p => p._context.showSendToCloud)")
        assert clouds
        assert not any(clouds)
        text = (tmp_path / "snapshot.html").read_text()
        (tmp_path / "damaged.html").write_text(
            text.replace('"application/json">{', '"application/json">?', 1)
        )
        offline.goto((tmp_path / "damaged.html").as_uri())
        expect(offline.locator(".plot", has_text="cannot draw the plot")).to_have_count(1)
        expect(offline.locator("#timeline-0 .ts-bars")).to_be_attached()
        offline.add_init_script("delete window.DecompressionStream")
        offline.reload()
        expect(offline.locator("#timeline-0")).to_contain_text("DecompressionStream")
        expect(offline.locator("table").first).to_be_visible()


def test_what_is_not_there_is_said_in_words(page):
    page.goto("/run/0000000000")
    expect(page.locator("h1")).to_contain_text("no run")


def check_that_an_invalid_setting_is_marked_and_explained(page):
    page.locator("#run-settings-summary").click()
    clock = page.locator(".ts-settings input").first
    clock.fill("abc")
    clock.press("Enter")
    expect(clock).to_have_class(re.compile("is-invalid"))
    refusal = page.locator(".ts-settings [role=alert]").first
    expect(refusal).to_contain_text("abc")
    expect(clock).to_have_attribute("aria-describedby", refusal.get_attribute("id"))
    expect(clock).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".ts-settings [role=alert]:visible")).to_have_count(1)
    clock.fill("2GHz")
    clock.press("Enter")
    expect(refusal).to_be_hidden()
    expect(clock).to_have_attribute("aria-invalid", "false")
    clock.fill("abc")
    clock.press("Enter")
    expect(refusal).to_be_visible()
    page.locator("#run-settings-reset").click()
    expect(clock).to_have_value("")
    expect(refusal).to_be_hidden()


def check_that_back_undoes_a_method(page):
    mean = page.locator("#run-strip dd").first
    robust = mean.inner_text()
    end_history_step(page)
    page.locator(".run-method").select_option("reference")
    expect(page).to_have_url(re.compile("method=reference"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("method=reference"))
    expect(page.locator(".run-method")).to_have_value("robust")
    expect(mean).to_have_text(robust, use_inner_text=True)


def check_that_a_setting_changes_the_rates(page):
    mean = page.locator("#run-strip dd").first
    before = mean.inner_text()
    clock = page.locator(".ts-settings input").first
    clock.fill("2.5GHz")
    clock.press("Enter")
    expect(page).to_have_url(re.compile("clock_hz=2.5GHz"))
    expect(mean).not_to_have_text(before, use_inner_text=True)


@pytest.mark.slow
def test_settings_and_the_method_change_the_numbers(page):
    open_capture(page, "npu1")
    check_that_back_undoes_a_method(page)
    check_that_an_invalid_setting_is_marked_and_explained(page)
    check_that_a_setting_changes_the_rates(page)
