"""Baselines on the list of runs: set from selected runs, seen in the list, with deleted runs, and taken out again."""

import json
import re

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from components.runs.list_address import LIST_PATH
from ingest.files import ingest
from tests.e2e.conftest import serving
from tests.support.command_line import run
from tests.support.comparisons import ITERATIONS, cores
from tests.support.gemm_trace import entries
from tests.support.gemm_trace import settings as gemm

KERNELS = {"base 1": 300, "base 2": 300, "base 3": 301, "same": 300, "slow": 330, "fast": 280}
"""Name of a capture -> cycles of its kernels."""
HOSTILE = '<img src=x onerror="console.error(1)">.{a|b}'


@pytest.fixture
def store(tmp_path):
    """A store with captures of one program, and the ids of its runs by name."""
    repository = Settings(data=tmp_path / "data").repository()
    ids = {}
    for day, (name, cycles) in enumerate(KERNELS.items(), start=1):
        path = tmp_path / f"{day}.json"
        path.write_text(json.dumps(entries(*cores(day, cycles))))
        taken_at = f"2026-11-{day:02d}T10:00:00+00:00"
        given = gemm(1, iterations=ITERATIONS, hwid="npu2", name=name, taken_at=taken_at)
        ids[name] = ingest(repository, [path], given).runs[0].run_id
    repository.catalogue.close()
    return tmp_path / "data", ids


@pytest.fixture
def listed(tabs, store):
    """The page of the list."""
    with serving(store[0]) as address, tabs.watched(address) as page:
        page.goto(LIST_PATH)
        expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
        yield page


def select(page, *ids, already=0):
    """Select runs beside the `already` selected ones, and wait until the page counts them."""
    for count, run_id in enumerate(ids, start=already + 1):
        page.locator(
            f"#runs-grid .ag-pinned-left-cols-container .ag-row[row-id='{run_id}'] input"
        ).check()
        expect(page.locator("#runs-selected")).to_have_text(f"{count} selected")


def cell(page, run_id):
    return page.locator(f"#runs-grid .ag-row[row-id='{run_id}'] [col-id='against']")


def verdict(store, run_id, name):
    """Return what the command line says."""
    return json.loads(
        run("check", run_id, "--baseline", name, "--format", "json", "--data", store).stdout
    )["verdict"]


@pytest.mark.slow
def test_a_baseline_is_set_seen_in_the_list_and_taken_out(listed, store):
    folder, ids = store
    expect(listed.locator("#runs-grid [col-id='against']")).to_have_count(0)
    select(listed, *(ids[name] for name in ("base 1", "base 2", "base 3")))
    listed.locator("#runs-baseline").click()
    listed.locator("#runs-baseline-set").click()
    expect(listed.locator("#runs-baseline-error")).to_contain_text("name")
    listed.locator("#runs-baseline-name").fill(HOSTILE)
    listed.locator("#runs-baseline-set").click()
    expect(listed.locator(".ts-baselines > li")).to_contain_text(HOSTILE)
    expect(listed.locator("#runs-baseline-error")).to_have_text("")
    listed.keyboard.press("Escape")
    expect(cell(listed, ids["base 1"])).to_contain_text(f"in baseline {HOSTILE}"[:20])
    for name, said in (("slow", "regressed"), ("fast", "improved"), ("same", "unchanged")):
        expect(cell(listed, ids[name])).to_contain_text(said)
        assert verdict(folder, ids[name], HOSTILE) == said
    expect(cell(listed, ids["slow"])).to_contain_text("GMAC/s")
    expect(cell(listed, ids["slow"]).locator("a")).to_have_attribute(
        "href", re.compile(f"^/compare.*{ids['slow']}$")
    )

    listed.locator("#runs-select-none").click()
    expect(listed.locator("#runs-selected")).to_have_text("none selected")
    select(listed, ids["base 3"])
    listed.locator("#runs-delete").click()
    listed.locator("#runs-delete-confirm").click()
    expect(listed.locator("#runs-summary")).to_contain_text("5 runs")
    expect(cell(listed, ids["slow"])).to_contain_text("regressed")
    listed.locator("#runs-baseline").click()
    expect(listed.locator(".ts-baselines > li")).to_contain_text(ids["base 3"])
    expect(listed.locator(".ts-baselines > li")).to_contain_text("1 deleted run")
    listed.locator(".ts-baselines button").click()
    expect(listed.locator(".ts-baselines > li")).to_have_count(0)
    listed.keyboard.press("Escape")
    expect(listed.locator("#runs-grid [col-id='against']")).to_have_count(0)


@pytest.mark.slow
def test_a_rolling_baseline_is_set_of_one_run(listed, store):
    _, ids = store
    select(listed, ids["base 1"])
    listed.locator("#runs-baseline").click()
    listed.locator("#runs-baseline-name").fill("nightly")
    listed.get_by_role("radio", name=re.compile("last runs")).check()
    listed.locator("#runs-baseline-last").fill("3")
    listed.locator("#runs-baseline-set").click()
    expect(listed.locator(".ts-baselines > li")).to_contain_text("rolling, the last 3")
    listed.keyboard.press("Escape")
    expect(cell(listed, ids["base 1"])).to_contain_text("undecided")
    expect(cell(listed, ids["slow"])).to_contain_text("regressed")
    expect(listed.locator("#runs-grid .ag-cell", has_text="…")).to_have_count(0)


@pytest.mark.slow
def test_selected_runs_are_compared_from_the_first_on(listed, store):
    _, ids = store
    expect(listed.locator("#runs-compare")).to_be_disabled()
    select(listed, ids["same"])
    expect(listed.locator("#runs-compare")).to_be_disabled()
    select(listed, ids["slow"], already=1)
    listed.locator("#runs-compare").click()
    expect(listed).to_have_url(re.compile(f"/compare\\?base={ids['same']}&new={ids['slow']}$"))
