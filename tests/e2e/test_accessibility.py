"""What axe-core finds on every page, in both themes; names of tabs, signs of loading and of lists that go on."""

import json
import re

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from components.runs.list_address import LIST_PATH, list_address
from services.store.annotate import annotate
from services.store.saved_filters import save_view
from storage.alerts import Alert, Alerts, KeyState
from storage.annotations import Change
from storage.deliveries import Deliveries, Delivery, new_delivery_id
from tests.e2e.axe import LOADS, NOTHING, grave, grave_as_if_dark, grave_by_theme, settle
from tests.e2e.conftest import cli, new_tab, serving, watched
from tests.e2e.holding import holding
from tests.e2e.readings import place_of, wait_until_equal
from tests.support.comparisons import Pairs
from tests.support.marks import quick_first
from tests.support.runs import catalogue_of
from tests.support.trends import levels, nights

RUNS = {
    "aie": "npu2 · gemm 128x256x128 · 2x2",
    "tpu": "lighthouse_bm1684x_f16",
    "deeploy": "gull-L3-l1_10000-MiniMalloc",
    "problem": "harbour.81920",
    "tinygrad": "train-0.12-cpu",
    "untimed": "gemm-0.14-cpu",
    "faster": "npu2 · gemm 256x256x256 · 4x4",
    "solved": "harbour.81920.solved",
    "design": "pipeline",
    "stalls": "npu1 · gemm 64x64x96 · 2x1",
}
PAGES = {
    "landing": ("/", ()),
    "runs": (LIST_PATH, ()),
    "runs without some values": (list_address("hwid=npu2&q=gemm"), ()),
    "groups of runs": (list_address("grouped=1"), ()),
    "columns": (LIST_PATH, ("#runs-chooser summary",)),
    "upload": ("/", ("#upload-open", "#upload .ts-how-to summary")),
    "keys": ("/", ("#help-open",)),
    "baselines": (
        list_address({"source": "minimalloc"}),
        ("#runs-grid .ag-row .ag-checkbox-input", "#runs-baseline", ".ts-baseline-runs summary"),
    ),
    "deletion": (LIST_PATH, ("#runs-grid .ag-row .ag-checkbox-input", "#runs-delete")),
    "capture": ("/run/{aie}?iteration=1&track=core+2,0", ("#run-settings-summary", "#run-export")),
    "compile": ("/run/{tpu}", ()),
    "two attempts": ("/run/{tpu}?attempt=1&against=0&block=3", ()),
    "memory levels": ("/run/{deeploy}?table=allocations&step=4", ()),
    "problem": ("/run/{problem}?find=t0", ()),
    "profile": ("/run/{tinygrad}?search=r_&kernel=3&attempt=0", ()),
    "profile of another version": ("/run/{untimed}", ()),
    "programs": ("/run/{tinygrad}/program?context=0&match=1", ()),
    "lab": ("/run/{solved}/lab?block=3&dropped=5", ()),
    "allocators and runs": ("/matrix?run={solved}&run={deeploy}&run={aie}", ()),
    "status": ("/status", ()),
    "no such status": ("/status?rule=none", ()),
    "bisections": ("/bisect?good=0123456&bad=89abcde", ()),
    "no such bisection": ("/bisect/0123456789ab", ()),
    "administration": ("/admin", (".ts-admin-folded summary",)),
    "alerts": ("/alerts", ()),
    "trends": ("/trends?metric=peak_memory", ()),
    "no trend": ("/trends?hwid=none", ()),
    "sql": ("/sql?chart=bar&y=runs", (".ts-sql-tables summary",)),
    "no jobs": ("/jobs", ()),
    "no such run": ("/run/0000000000", ()),
    "design": ("/run/{design}", ()),
    "capture with a design": ("/run/{stalls}?track=core+2,0&metric=memory_use", ()),
    "captures against each other": (
        "/compare?base={aie}&new={faster}&track=core+2,0&iteration=1&setup=all",
        (),
    ),
    "a compile against itself": ("/compare?base={tpu}&new={tpu}", ("#compare-export",)),
    "problem against solution": ("/compare?base={problem}&new={solved}", ()),
    "profiles against each other": ("/compare?base={tinygrad}&new={untimed}&kernel=r_", ()),
    "no comparison": ("/compare?base={aie}&new={tpu}", ()),
    "nothing": ("/nothing/here", ()),
    "notes": ("/run/{solved}", ()),
    "notes being written": ("/run/{problem}", ("#run-notes-edit",)),
    "tags of selected runs": (LIST_PATH, ("#runs-grid .ag-row .ag-checkbox-input", "#runs-tag")),
    "saved views": (LIST_PATH, ("#runs-views-menu summary",)),
    "audit log": ("/audit", ()),
    "own tokens": ("/tokens", ()),
    "rights": ("/rights", ()),
}
FIRST = ("runs", "capture", "status", "captures against each other")
"""Pages that `make test` judges; `make slow` judges the others."""
DARK = (
    "runs",
    "upload",
    "keys",
    "capture",
    "memory levels",
    "profile",
    "programs",
    "lab",
    "status",
    "alerts",
    "trends",
)
DARK += ("design", "capture with a design", "sql", "captures against each other", "notes")
"""One page of each kind, whose colours are judged in both themes; in `make slow` all, once the theme was chosen."""


@pytest.fixture(scope="module")
def sampled(tmp_path_factory, samples):
    """The address of a server with the samples, and the ids of its runs by name."""
    folder = tmp_path_factory.mktemp("samples")
    cli("ingest", str(samples), "--data", str(folder))
    listed = json.loads(cli("runs", "--json", "--data", str(folder)).stdout)
    ids = {run["name"]: run["run_id"] for run in listed}
    solved = ids[RUNS["solved"]]
    cli("baseline", "set", "main", solved, "--data", str(folder))
    cli("baseline", "rule", "set", "nightly", "--last", "3", "--data", str(folder))
    catalogue = Settings(data=folder).catalogue()
    put_message(catalogue)
    notes = "# Why\n\n- **best** of `all`, see [the other](/)\n\n> as was said\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    annotate(catalogue, solved, Change(notes=notes, tags=("golden", "keep"), pinned=True), "carol")
    save_view(catalogue, "problems", "source=minimalloc", "carol")
    catalogue.close()
    with serving(folder) as address:
        yield address, {short: ids[name] for short, name in RUNS.items()}


def put_message(catalogue):
    """Put an alert into a store, and a message of it that was given up."""
    alert = Alert("team", "nightly", "http://hooks.example.org/hidden")
    Alerts(catalogue).set(alert)
    message = Delivery(
        new_delivery_id(), "team", "regressed", "webhook", "hooks.example.org", {"key": {}}
    )
    assert Alerts(catalogue).change_state(
        alert, KeyState("s", "well"), KeyState("s", "regressed"), [message]
    )
    outbox = Deliveries(catalogue)
    outbox.finish(outbox.claim(message.delivery_id, "tests", 60.0), "tests", "status 500", None)


@pytest.fixture(scope="module")
def tab(browser, sampled):
    """A tab on the samples that the tests of a process share; snapshots put into it may run their scripts."""
    page = new_tab(browser, sampled[0], bypass_csp=True)
    yield page
    page.context.close()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in FIRST)) for name in PAGES]
)
def test_axe_finds_nothing_serious(tab, sampled, name):
    open_page(tab, sampled, name)
    assert grave(tab, by_look=True) == NOTHING["light"]
    if name in DARK:
        assert grave_as_if_dark(tab) == NOTHING["dark"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious_in_either_theme(tab, sampled, name):
    open_page(tab, sampled, name)
    assert grave_by_theme(tab) == NOTHING


def open_page(tab, sampled, name):
    """Open a page, and what is to be open on it."""
    address, opened = PAGES[name]
    tab.goto(address.format(**sampled[1]))
    settle(tab)
    for selector in opened:
        tab.locator(selector).first.click()
    if opened:
        settle(tab)


@pytest.mark.slow
@pytest.mark.parametrize("run", ("aie", "tpu", "tinygrad"))
def test_axe_finds_nothing_serious_in_a_snapshot(tab, sampled, run):
    tab.set_content(tab.request.get(f"/snapshot?run={sampled[1][run]}").text())
    assert grave(tab) == ([], [])


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_an_empty_store(tabs, tmp_path):
    with serving(tmp_path / "empty") as address, tabs.watched(address) as page:
        page.goto("/")
        expect(page.locator("#landing-drop")).to_be_visible()
        settle(page)
        assert grave(page) == ([], [])


@pytest.mark.slow
def test_axe_finds_nothing_serious_where_numbers_change(tabs, tmp_path):
    (tmp_path / "frames").mkdir()
    step = nights(levels((100, 12), (82, 12)), hwid="npu2") + nights(
        levels((100, 9), (120, 9)), hwid="npu1"
    )
    catalogue_of(f"sqlite:///{tmp_path}/catalogue.db", *step).close()
    with serving(tmp_path) as address, tabs.watched(address) as page:
        page.goto("/trends")
        expect(page.locator("#trends-changes tbody tr")).to_have_count(2)
        settle(page)
        assert grave_by_theme(page) == NOTHING


@pytest.mark.slow
def test_axe_finds_nothing_serious_where_runs_differ(browser, tmp_path):
    pairs = Pairs(tmp_path)
    queries = [
        pairs.query(name)
        for name in ("aie column", "compile larger", "deeploy grown", "profile slow")
    ]
    several = [f"new={pairs.run(name)}" for name in ("aie again", "aie slow", "aie faster")]
    queries.append("&".join([f"base={pairs.run('aie')}", *several]))
    with serving(pairs.place) as address, watched(browser, address, bypass_csp=True) as page:
        for query in queries:
            page.goto(f"/compare?{query}")
            settle(page)
            assert grave_by_theme(page) == NOTHING, query
        page.set_content(page.request.get(f"/snapshot/compare?{queries[0]}").text())
        assert grave(page) == ([], [])
    pairs.repository.catalogue.close()


@pytest.mark.slow
def test_a_tab_has_the_name_of_its_run_wherever_one_comes_from(tab, sampled):
    name = RUNS["solved"]
    tab.goto(LIST_PATH)
    expect(tab).to_have_title("Runs · Tilescope")
    tab.locator("#runs-grid a", has_text=name).click()
    expect(tab).to_have_title(f"{name} · Tilescope")
    tab.locator("#search").fill("harbour")
    tab.keyboard.press("Enter")
    expect(tab).to_have_title("Runs · Tilescope")
    tab.goto(f"/run/{sampled[1]['problem']}?find=t0")
    expect(tab).to_have_title(f"{RUNS['problem']} · Tilescope")
    tab.goto("/nothing/here")
    expect(tab).to_have_title("Not found · Tilescope")


RUNNING = "() => document.getAnimations().some(({animationName}) => animationName === 'ts-loading')"
"""Whether a loading bar runs."""


def wait_for_bar(page, selector, pseudo, *, shown=True):
    """Wait until the loading bar of an element is drawn, or is not drawn any more."""
    page.wait_for_function(
        """([selector, pseudo, shown]) =>
            (getComputedStyle(document.querySelector(selector), pseudo).content !== "none") === shown""",
        arg=[selector, pseudo, shown],
    )


@pytest.mark.slow
@pytest.mark.parametrize("motion", quick_first("no-preference", "reduce"))
def test_what_loads_has_a_bar_and_keeps_its_place(tab, sampled, motion):
    tab.goto(f"/run/{sampled[1]['aie']}")
    tab.emulate_media(reduced_motion=motion)
    before = place_of(tab.locator("#stalls"))
    with holding(tab, "run-changes.data"):
        tab.keyboard.press("j")
        expect(tab.locator(LOADS)).to_be_attached()
        wait_for_bar(tab, "#stalls", "::after")
        wait_for_bar(tab, "#content", "::before")
        wait_until_equal(lambda: tab.evaluate(RUNNING), motion == "no-preference")
        wait_until_equal(lambda: tab.locator("#stalls").bounding_box()["height"], before["height"])
        expect(tab.locator("#run-stalls .bars .point").first).to_be_attached()
    expect(tab.locator(LOADS)).to_have_count(0)
    wait_for_bar(tab, "#stalls", "::after", shown=False)
    tab.emulate_media(reduced_motion="reduce")


@pytest.mark.slow
def test_a_choice_of_the_table_goes_by_keyboard_and_leaves_the_keys_at_work(tab, sampled):
    tab.goto(f"/run/{sampled[1]['aie']}")
    settle(tab)
    tab.locator("#tables summary").click()
    tab.get_by_role("radio", name="iterations").focus()
    tab.keyboard.press("ArrowRight")
    expect(tab.get_by_role("radio", name="kernels")).to_be_checked()
    expect(tab.locator("#run-table-export a").first).to_have_attribute(
        "href", re.compile("table=kernels")
    )
    tab.keyboard.press("j")
    expect(tab.locator("#run-selection .ts-chip").first).to_be_visible()
