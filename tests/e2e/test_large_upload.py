"""A capture of 300 MB that an editor uploads while the server is killed twice: as it comes in, and as it is read."""

from itertools import groupby

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import wait_until_idle, watched
from tests.e2e.uploads import choose_files
from tests.support.aie_trace import write_long_trace
from tests.support.live_server import running

pytestmark = pytest.mark.e2e

MIB = 2**20
PART = 8 * MIB
SIZE = 300 * MIB
KILLED_AT = 20
"""The part that is on its way when the server is killed."""
NAME = "trace_mm_512_512_512"
TEAM = {"auth": "proxy", "trusted_proxies": "127.0.0.1/32", "editors": "edgar"}
EDGAR = {"X-Forwarded-User": "edgar"}
PATIENCE_MS = 120_000
WRONG = r"status of (4\d\d|50\d)|ERR_"
"""What the browser writes about requests that the killed server does not answer."""


@pytest.fixture
def live(tmp_path):
    with running(tmp_path, **TEAM) as server:
        yield server


@pytest.fixture
def page(browser, live):
    with watched(
        browser, f"http://127.0.0.1:{live.port}", WRONG, extra_http_headers=EDGAR
    ) as opened:
        yield opened


def wait_until_read(page, live, size):
    """Return once all parts lie together in the file that the server reads."""
    while size not in [
        path.stat().st_size for path in (live.data / "uploads").rglob(f"{NAME}.json")
    ]:
        page.wait_for_timeout(50)


@pytest.mark.slow
def test_300_mb_become_one_run_though_the_server_is_killed_twice(page, live, tmp_path):
    trace = tmp_path / f"{NAME}.json"
    kernels = write_long_trace(trace, SIZE)
    parts = list(range(0, trace.stat().st_size, PART))
    sent = []

    def kill_midway(request):
        if request.method == "PATCH":
            sent.append(int(request.headers["upload-offset"]))
            if len(sent) == KILLED_AT:
                live.kill()

    page.on("request", kill_midway)
    page.goto(LIST_PATH)
    wait_until_idle(page)
    expect(page.locator("#user > button")).to_have_text("edgar")
    choose_files(page, trace)
    row = page.locator(".ts-upload")
    expect(row).to_contain_text("The server does not answer", timeout=PATIENCE_MS)
    live.start()
    wait_until_read(page, live, trace.stat().st_size)
    live.kill()
    expect(row).to_contain_text("The server does not answer", timeout=PATIENCE_MS)
    live.start()
    expect(page.locator('.ts-upload[data-state="taken"]')).to_contain_text(
        "new", timeout=PATIENCE_MS
    )
    assert sent[:KILLED_AT] == parts[:KILLED_AT]
    again = parts.index(sent[KILLED_AT])
    assert again in (KILLED_AT - 1, KILLED_AT), "the part came, or it did not"
    # a server that just begins may be asked before it listens: then the same part is sent once more
    assert [offset for offset, _ in groupby(sent[KILLED_AT:])] == parts[again:]
    row.get_by_role("link").click()
    expect(page.locator(".ts-run-header h1")).to_have_text("gemm 512×512×512")
    expect(page.locator("#durations .bars .point").first).to_be_attached()
    wait_until_idle(page)
    (run,) = page.request.get("/api/v1/runs").json()["runs"]
    rows = page.request.get(f"/api/v1/runs/{run['run_id']}/frames").json()["frames"]
    assert rows["kernels"] == kernels
