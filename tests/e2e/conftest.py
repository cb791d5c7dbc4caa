"""A real server on a real store, and a real browser, once per test process."""

import atexit
import json
import os
import re
import shutil
import tempfile
import urllib.request
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from samples.tinygrad_capture import START
from samples.tinygrad_writer import Maker
from tests.support.aie_trace import trace_text
from tests.support.command_line import run
from tests.support.deeploy_run import write_run
from tests.support.live_server import PATIENT, WARM
from tests.support.ports import free_port
from tests.support.profile_data import write_capture
from tests.support.tpu_log import ATTEMPTS, group_cache, log
from tests.support.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The last list counts, and not Playwright's own. A renderer that is kept ready is made anew for every page.
    "--disable-features=SpareRendererForSitePerProcess,OptimizationHints,MediaRouter,HttpsUpgrades",
]
_PORTS = []
"""Ports of servers that have ended, for those that follow: tabs have the scripts of their addresses."""
ADDRESSES = {}
"""Addresses of runs that were looked up."""
LOGS = Path(tempfile.mkdtemp(prefix="tilescope-servers-"))
"""Folder with the log of the newest server of each port; a failure prints its last lines."""
atexit.register(shutil.rmtree, LOGS, ignore_errors=True)
_IDLE = """() => {
    const state = window.store?.getState();
    const shown = document.getElementById("_pages_content")?.childElementCount;
    return shown && state.appLifecycle === "HYDRATED" && !state.isLoading;
}"""
HOSTILE = "</script><script>alert(1)</script>"
SETTINGS = [
    "--set",
    "m=32",
    "--set",
    "k=32",
    "--set",
    "n=32",
    "--set",
    "warmup=1",
    "--set",
    "iterations=3",
]

SIZE = {"width": 1440, "height": 900}
OWN_COMPLAINTS = "status of 42[29]"
"""The browser's own line about an upload that is refused (422) or to be sent again (429), which is no error of ours."""

PATIENCE_MS = 1_000 * PATIENCE_S
LOOK_MS = 50
"""Pause between two looks at a condition of a page."""
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items):
    """Mark what drives a browser."""
    for item in items:
        if "e2e" in item.path.parts:
            item.add_marker(pytest.mark.e2e)


def cli(*args):
    """Run a command that succeeds; return what it printed."""
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result


def ingested(data, *places):
    """Ingest files into a store; return the addresses of its runs by name."""
    cli("ingest", "--data", str(data), *map(str, places))
    runs = json.loads(cli("runs", "--data", str(data), "--json").stdout)
    return {run["name"]: f"/run/{run['run_id']}" for run in runs}


def put_trace(folder, hwid, size, cores, grid, **shape):
    """Write a capture into the team's folder convention."""
    name = "_".join(map(str, size))
    path = (
        folder
        / f"{hwid}-gemm_{name}-{grid[0]}_row_{grid[1]}_col"
        / "traces"
        / f"trace_mm_{name}.json"
    )
    path.parent.mkdir(parents=True)
    path.write_text(trace_text(cores, **shape))
    return path


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A store with eight runs.

    Captures of an array of 2 x 2, of a single core, and with a hostile name; a TPU-MLIR compile with a hostile name, a
    Deeploy run, a MiniMalloc problem; a tinygrad training run, and a kernel and a marker with a hostile name.
    """
    outputs = tmp_path_factory.mktemp("outputs")
    array = ("2,0", "3,0", "2,1", "3,1")
    put_trace(outputs, "npu2", (128, 64, 64), array, (2, 2), iterations=4, kernels=4)
    put_trace(outputs, "npu1", (64, 64, 64), ("2,1",), (1, 1), iterations=4, kernels=8)
    hostile = put_trace(outputs, "npu3", (64, 64, 32), ("2,1",), (1, 1), iterations=4, kernels=4)
    hostile.write_text(hostile.read_text().replace("LOCK_STALL", HOSTILE))
    memory = tmp_path_factory.mktemp("memory")
    (memory / "compile").mkdir()
    (memory / "compile" / "compile.log").write_text(log(*ATTEMPTS).replace("conv1.bias", HOSTILE))
    (memory / "compile" / "compile.layer_group_cache.json").write_text(group_cache())
    write_run(memory / "toy")
    (memory / "problem.200.csv").write_text("id,lower,upper,size\na,0,3,100\nb,1,4,80\nc,3,6,60\n")
    write_capture(memory / "training")
    hostile_kernel = Maker("0.12").device("CPU").range("CPU", f"{HOSTILE}%{{x}}", START, START + 9)
    write_capture(memory / "hostile", hostile_kernel.marker(HOSTILE, START + 5))
    folder = tmp_path_factory.mktemp("data")
    cli("ingest", str(memory), "--data", str(folder))
    cli("ingest", str(outputs), "--data", str(folder), *SETTINGS)
    return folder


@pytest.fixture(scope="session")
def server(data):
    """The address of the dashboard."""
    with serving(data) as address:
        yield address


@contextmanager
def serving(data, **settings):
    """Serve a store under settings; give the address."""
    port = _PORTS.pop() if _PORTS else free_port()
    environment = (
        os.environ
        | PATIENT
        | {f"TILESCOPE_{name.upper()}": value for name, value in settings.items()}
    )
    log = LOGS / f"{port}.log"
    with log.open("wb") as output:
        command = ["app", "serve", "--data", str(data), "--port", str(port)]
        process = WARM.fork(command, environment, output, output)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: _is_ready(address), OSError)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
        _PORTS.append(port)


def logged_by(address):
    """Return the last lines that the server of an address has logged."""
    lines = (LOGS / f"{address.rpartition(':')[2]}.log").read_text(
        encoding="utf-8", errors="replace"
    )
    return "".join(lines.splitlines(keepends=True)[-40:])


def _is_ready(address):
    with urllib.request.urlopen(f"{address}/readyz", timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
        return answer.status == 200


@pytest.fixture(scope="session")
def browser():
    """Chromium from the system; Playwright's own download is never asked for."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path, "no chromium: `make test` installs it on Debian"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=BROWSER_ARGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def tabs(browser):
    """The tabs that tests use one after the other."""
    return Tabs(browser)


@pytest.fixture
def page(tabs, server):
    """A page of the server, see `Tabs.watched`."""
    with tabs.watched(server) as opened:
        yield opened


@pytest.fixture
def new_page(browser, server):
    """A page of the server in a browser that has fetched nothing yet, which goes with what a test puts into it."""
    with watched(browser, server) as opened:
        yield opened


class Tabs:
    """Tabs that are used again, as a new one fetches and compiles every script anew, which takes longer than a page.

    They are kept for the next test on a server of the same address. Nothing of a test stays in them: neither cookies,
    storage, routes, headers nor size. What cannot be taken back, such as scripts of a test and listeners that do more
    than note, belongs into a page of its own.
    """

    def __init__(self, browser):
        self._browser = browser
        self._idle = defaultdict(list)

    @contextmanager
    def watched(self, address, told=OWN_COMPLAINTS, *, beside=(), headers=None):
        """Give a tab of a server that sends `headers` with its requests, watched as `without_troubles` says."""
        idle = self._idle[address]
        page = idle.pop() if idle else new_tab(self._browser, address)
        page.set_extra_http_headers(headers or {})
        with without_troubles(page, address, told, beside=beside):
            yield page
        clear(page, address)
        idle.append(page)


def clear(page, address):
    """Take everything out of a tab that a test left there, but for what the browser fetched."""
    page.set_extra_http_headers({})
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.set_viewport_size(SIZE)
    page.goto(f"{address}/healthz")  # storage belongs to an origin, and no script runs there
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()


def new_tab(browser, address, **options):
    """Open a tab in a new browser context that asks for reduced motion.

    The bar of a page that loads would be painted anew 20 times a second.
    """
    options = {"viewport": SIZE, "accept_downloads": True, "reduced_motion": "reduce"} | options
    context = browser.new_context(base_url=address, **options)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    # Playwright looks at every frame, and has them drawn only for that: a tenth of a processor for as long as it waits.
    page.wait_for_function = partial(page.wait_for_function, polling=LOOK_MS)
    return page


@contextmanager
def watched(browser, address, told=OWN_COMPLAINTS, *, beside=(), **options):
    """Open a page in a context of its own, see `without_troubles`."""
    page = new_tab(browser, address, **options)
    with without_troubles(page, address, told, beside=beside):
        yield page
        page.context.close()


@contextmanager
def without_troubles(page, address, told=OWN_COMPLAINTS, *, beside=()):
    """Fail a test where the console shows an error or anything is fetched from elsewhere.

    A test that makes more go wrong names the lines that are no errors of ours by another pattern. `beside` are other
    servers of the test.
    """
    troubles = []
    own = (address, *beside, "data:", "blob:", "file:")
    listeners = {
        "console": lambda m: (
            troubles.append(m.text) if m.type == "error" and not re.search(told, m.text) else None
        ),
        "pageerror": lambda error: troubles.append(str(error)),
        "request": lambda r: None if r.url.startswith(own) else troubles.append(r.url),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert not troubles, logged_by(address)


def wait_until_idle(page):
    """Wait until Dash shows a page and no callback is due.

    Playwright's "networkidle" is not sent for some pages whose requests have all been answered.
    """
    page.wait_for_function(_IDLE)


def end_history_step(page):
    """Set the clock of a page two seconds ahead: changes within a second are one step of the browser's history."""
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 2000; }")


def address_of(page, name):
    """Return the address of the newest run whose name contains `name`, from the API: the list takes a second to draw."""
    if name not in ADDRESSES:
        runs = page.request.get("/api/v1/runs").json()["runs"]
        ADDRESSES[name] = next(f"/run/{run['run_id']}" for run in runs if name in run["name"])
    return ADDRESSES[name]


def open_run(page, name, plot):
    """Open a run by a part of its name, and wait until a plot of its page has bars."""
    page.goto(address_of(page, name))
    expect(page.locator(f"#{plot} :is(.bars .point, .ts-bars)").first).to_be_attached()


@contextmanager
def snapshot_offline(page, browser, path):
    """Download the snapshot of a run's page and open it without a network; nothing in it complains, asks or fetches."""
    with page.expect_download() as download:
        page.locator("#run-snapshot").click()
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE_MS)
    offline = context.new_page()
    troubles = []
    offline.on("console", lambda m: troubles.append(m.text) if m.type == "error" else None)
    offline.on("pageerror", lambda error: troubles.append(str(error)))
    offline.on(
        "request",
        lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else troubles.append(r.url),
    )
    offline.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
    offline.goto(path.as_uri())
    yield offline
    assert troubles == []
    context.close()
