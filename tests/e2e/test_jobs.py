"""The page of jobs while files come in."""

import signal
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from storage.catalogue import Catalogue
from storage.jobs import Jobs
from tests.e2e.conftest import ROOT, serving
from tests.support.waiting import PATIENCE_S, wait_until

FILES = 200


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """Files of small problems, and one that cannot be read."""
    folder = tmp_path_factory.mktemp("problems")
    for i in range(FILES - 1):
        (folder / f"p{i:03}.81920.csv").write_text(
            f"id,lower,upper,size\na,0,3,{100 + i}\nb,1,4,80\n"
        )
    (folder / "bad.81920.csv").write_text("id,lower,upper,size\na,0\n")
    return folder


@pytest.fixture
def jobs(tabs, tmp_path):
    """The page of jobs of an empty store, and its folder."""
    Catalogue(f"sqlite:///{tmp_path}/catalogue.db").create()
    with serving(tmp_path) as address, tabs.watched(address) as page:
        page.goto("/")
        page.get_by_role("link", name="Jobs").click()
        expect(page.get_by_text("No jobs yet")).to_be_visible()
        yield page, tmp_path


def wait_for_job(data):
    """Wait until the catalogue has a job."""
    catalogue = Catalogue(f"sqlite:///{data}/catalogue.db")
    wait_until(lambda: Jobs(catalogue).all())
    catalogue.close()


@pytest.mark.slow
def test_an_ingest_of_many_files_is_followed_to_its_end(jobs, problems):
    page, data = jobs
    command = [sys.executable, "-m", "app", "ingest", str(problems), "--data", str(data)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as ingest:
        wait_for_job(data)
        ingest.send_signal(signal.SIGSTOP)  # it must not end before the page shows that it runs
        try:
            expect(page.get_by_role("heading", name="Ingest files")).to_be_visible()
            expect(page.get_by_text("running")).to_be_visible()
            expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuemax", str(FILES))
        finally:
            ingest.send_signal(signal.SIGCONT)
        expect(page.get_by_text("done, with failures")).to_be_visible()
        ingest.wait(PATIENCE_S)
    expect(page.get_by_text(f"{FILES} of {FILES}, 1 failed")).to_be_visible()
    expect(page.get_by_text("bad.81920.csv").first).to_be_visible()


@pytest.mark.slow
def test_all_runs_are_derived_anew_from_the_page(jobs, problems):
    page, data = jobs
    some = [str(path) for path in sorted(problems.glob("p00*"))]
    command = [sys.executable, "-m", "app", "ingest", *some, "--data", str(data)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    page.get_by_role("button", name="Recompute all runs").click()
    expect(page.get_by_text("10 of 10")).to_be_visible()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
