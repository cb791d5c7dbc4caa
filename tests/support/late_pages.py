"""Pytest plugin that makes the pages of browser tests late, so that a test fails if it reads an
effect of a response or of a frame that it did not wait for. `make late` runs tests with it.

`LATE=responses` hands over every response some hundred milliseconds late, every second one later
than the one requested after it. `LATE=frames` delays what a page does before it paints.
`LATE=processor` makes the processor of a page slower.
"""

import os

from playwright.sync_api import Browser, BrowserContext

VARIABLE = "LATE"
_SLOWER = 5
_RESPONSES = """() => {
    const delays = [1000, 400];
    const send = window.fetch.bind(window);
    let requests = 0;
    window.fetch = async (url, options) => {
        const delay = delays[requests++ % delays.length];
        const response = await send(url, options);
        await new Promise((resolve) => setTimeout(resolve, delay));
        options?.signal?.throwIfAborted();
        return response;
    };
}"""
_FRAMES = """() => {
    const request = window.requestAnimationFrame.bind(window);
    const due = new Set();
    let requests = 0;
    window.requestAnimationFrame = (draw) => {
        const id = ++requests;
        due.add(id);
        setTimeout(() => request((time) => due.delete(id) && draw(time)), 150);
        return id;
    };
    window.cancelAnimationFrame = (id) => due.delete(id);
}"""
_SCRIPTS = {"responses": _RESPONSES, "frames": _FRAMES}
MODES = (*_SCRIPTS, "processor")


def pytest_configure(config):
    """Make the pages late in a process that runs tests, which with xdist are its workers."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        install(os.environ[VARIABLE])


def install(mode):
    """Make all pages late that this process opens from now on, as `mode` says."""
    if mode == "processor":
        BrowserContext.new_page = _slow_page(BrowserContext.new_page)
    else:
        Browser.new_context = _late_context(Browser.new_context, f"({_SCRIPTS[mode]})()")


def _late_context(new_context, script):
    def opened(*given, **named):
        context = new_context(*given, **named)
        context.add_init_script(script)
        return context

    return opened


def _slow_page(new_page):
    def opened(context, *given, **named):
        page = new_page(context, *given, **named)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        return page

    return opened
