"""What an operator does: is the store well, what would retention delete, clean up orphans, and who did it."""

import os
import time

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import NOTHING, grave_by_theme, settle
from tests.e2e.conftest import cli, serving, wait_until_idle
from tests.support.marks import quick_first

PROBLEM = "id,lower,upper,size\na,0,3,100\nb,1,4,{size}\n"
PROXY = {"auth": "proxy", "trusted_proxies": "127.0.0.1/32", "admins": "ada", "editors": "edgar"}


@pytest.fixture
def store(tmp_path):
    """A store with three runs, and a folder of frames that no run refers to."""
    files, data = tmp_path / "files", tmp_path / "data"
    files.mkdir()
    for rank, name in enumerate(("alpha", "beta", "gamma")):
        (files / f"{name}.1024.csv").write_text(PROBLEM.format(size=60 + rank))
    cli("ingest", str(files), "--data", str(data))
    lost = data / "frames" / ("c" * 12) / ("0" * 16) / "events.parquet"
    lost.parent.mkdir(parents=True)
    lost.write_bytes(b"0" * 5_000)
    os.utime(lost, (time.time() - 7_200,) * 2)
    return data, lost


@pytest.mark.slow
def test_an_operator_previews_retention_and_cleans_up(tabs, store):
    data, lost = store
    head = {"X-Forwarded-User": "ada"}
    with serving(data, **PROXY) as address, tabs.watched(address, headers=head) as page:
        page.goto("/")
        page.locator("#user > button").click()
        page.locator("#user .dropdown-item", has_text="Administration").click()
        expect(page.locator("#admin-answer")).to_contain_text("backups are off")
        settle(page)

        page.locator("#admin-retention-keep").fill("1")
        page.locator("#admin-retention-show").click()
        expect(page.locator("#admin-retention-preview tbody tr")).to_have_count(2)
        page.locator("#admin-retention-delete").click()
        page.locator("#admin-retention-cancel").click()
        expect(page.locator("#admin-retention-dialog")).to_have_count(0)

        page.locator("#admin-orphans-look").click()
        expect(page.locator("#admin-orphans-state")).to_contain_text("c" * 12)
        assert lost.exists()
        page.locator("#admin-orphans-clean").click()
        page.locator("#admin-orphans-confirm").click()
        expect(page.locator("#admin-orphans-state")).to_contain_text("Every file belongs to a run")
        assert not lost.exists()
        page.goto("/audit?action=orphans.remove")
        expect(page.locator("#audit-body tbody tr")).to_have_count(1)
        expect(page.locator("#audit-body tbody tr")).to_contain_text("ada")


@pytest.mark.slow
def test_axe_finds_nothing_serious_on_the_page_of_an_operator(tabs, store):
    data, _ = store
    head = {"X-Forwarded-User": "ada"}
    with serving(data, **PROXY) as address, tabs.watched(address, headers=head) as page:
        page.goto("/admin")
        settle(page)
        assert grave_by_theme(page) == NOTHING


@pytest.mark.slow
def test_old_runs_go_after_a_question(tabs, store):
    data, _ = store
    with serving(data) as address, tabs.watched(address) as page:
        page.goto("/admin")
        wait_until_idle(page)
        page.locator("#admin-retention-keep").fill("2")
        page.locator("#admin-retention-show").click()
        page.locator("#admin-retention-delete").click()
        page.locator("#admin-retention-confirm").click()
        expect(page.locator("#admin-retention-begun a")).to_be_visible()
        page.goto("/audit?action=retention")
        for _ in range(60):
            if page.locator("#audit-body tbody tr").count() == 1:
                break
            page.wait_for_timeout(1_000)
            page.reload()
            wait_until_idle(page)
        expect(page.locator("#audit-body tbody tr")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", quick_first("victor", "edgar"))
def test_others_find_no_way_there(tabs, store, name):
    data, _ = store
    head = {"X-Forwarded-User": name}
    with (
        serving(data, **PROXY) as address,
        tabs.watched(address, "status of 403", headers=head) as page,
    ):
        page.goto("/")
        page.locator("#user > button").click()
        expect(page.locator("#user .dropdown-item", has_text="Administration")).to_have_count(0)
        page.goto("/admin")
        expect(page.locator("body")).to_contain_text("role admin")
