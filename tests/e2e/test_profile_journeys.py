"""What people do with a tinygrad profile: from the timeline to a kernel, its buffers, and out as a snapshot."""

import pickle
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import HOSTILE, open_run, snapshot_offline
from tests.e2e.readings import kernel_bar, place_of
from tests.e2e.uploads import choose_files

pytestmark = pytest.mark.slow

CHIPS = "#run-selection .ts-chip"


@pytest.fixture
def profile_page(page):
    """The page of a training run of three marked steps."""
    open_run(page, "training", "run-timeline")
    return page


def test_a_search_goes_from_match_to_match(profile_page):
    page = profile_page
    page.get_by_placeholder("find an event").fill("r_8")
    page.keyboard.press("Enter")
    answer = page.locator("#run-timeline-answer")
    expect(answer).to_contain_text("Match 1 of 6: r_8_8")
    page.get_by_role("button", name="Next match").click()
    expect(answer).to_contain_text("Match 2 of 6")
    page.get_by_role("button", name="Previous match").click()
    expect(answer).to_contain_text("Match 1 of 6")
    expect(page).to_have_url(re.compile("search=r_8"))


def test_markers_make_windows_that_every_view_follows(profile_page):
    page = profile_page
    page.get_by_role("button", name="between markers").click()
    page.locator(".ts-windows .dropdown-item", has_text="train @ 1 – train @ 2").click()
    expect(page.locator(CHIPS)).to_contain_text("train @ 1 – train @ 2")
    expect(
        page.locator("#run-kernels-grid .ag-center-cols-container [col-id='count']").first
    ).to_have_text("2")
    page.get_by_role("button", name="next marker").click()
    expect(page.locator(CHIPS)).to_contain_text("train @ 2 – capture end")
    page.keyboard.press("k")
    expect(page.locator(CHIPS)).to_contain_text("train @ 1 – train @ 2")
    page.keyboard.press("Escape")
    expect(page.locator(CHIPS)).to_have_count(0)


def test_a_kernel_leads_to_its_buffers_and_back(profile_page):
    page = profile_page
    page.locator("#run-kernels-grid [col-id='name']", has_text="r_8_8").first.click()
    expect(page.locator(CHIPS).first).to_contain_text("r_8_8")
    expect(page.locator("#run-program-body")).to_contain_text("void r_8_8(float* a)")
    page.goto(page.url + "&window=110000-122000")
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    page.mouse.click(*kernel_bar(page, "CPU"))
    expect(page).to_have_url(re.compile("kernel="))
    card = page.locator("#run-kernel-body")
    expect(card).not_to_contain_text("execution")  # the card of the kernel as a whole has given way
    card.get_by_role("button", name="buffer 2").click()
    expect(page).to_have_url(re.compile("block="))
    block = page.locator("#run-block-body")
    expect(block).to_contain_text("buffer 2")
    block.get_by_role("button", name="r_8_8").first.click()
    expect(page.locator("#run-kernel-body")).to_contain_text("r_8_8")


def test_the_table_of_what_is_alive_follows_the_cursor(profile_page):
    page = profile_page
    answer = page.locator("#run-alive-answer")
    box = place_of(page.locator("#run-live .nsewdrag").first)
    before = answer.text_content()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.5)
    expect(page).to_have_url(re.compile(r"step=\d+"))
    expect(answer).not_to_have_text(before)
    expect(page.locator("#run-alive-grid .ag-row").first).to_be_visible()


def test_a_hostile_pickle_is_refused_in_words_and_the_server_lives(page, server, tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("executed",)

    path = tmp_path / "profile.pkl"
    path.write_bytes(pickle.dumps([Evil()], 4))
    page.goto(LIST_PATH)
    choose_files(page, path)
    expect(page.locator('.ts-upload[data-state="refused"]')).to_contain_text("profile.pkl")
    with urllib.request.urlopen(f"{server}/health", timeout=60) as answer:  # noqa: S310 - our own server
        assert answer.status == 200


def test_hostile_names_stay_names(page):
    dialogs = []

    def note(dialog):
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    open_run(page, "hostile", "run-timeline")
    page.mouse.move(*kernel_bar(page))
    page.mouse.click(*kernel_bar(page))
    expect(page.locator("#run-kernel-body")).to_contain_text(HOSTILE)
    expect(page.locator("#run-kernels-grid")).to_contain_text(HOSTILE)
    assert dialogs == []
    page.remove_listener("dialog", note)


def test_the_snapshot_of_a_profile_opens_offline(profile_page, browser, tmp_path):
    page = profile_page
    page.locator("#run-kernels-grid [col-id='name']", has_text="r_8_8").first.click()
    expect(page.locator("#run-snapshot")).to_have_attribute("href", re.compile("kind=r_8_8"))
    with snapshot_offline(page, browser, tmp_path / "snapshot.html") as offline:
        for view in ("timeline", "durations", "roofline", "map", "live"):
            expect(offline.locator(f"#{view}-0 .main-svg").first).to_be_attached()
        expect(offline.locator("pre")).to_contain_text("void r_8_8(float* a)")
