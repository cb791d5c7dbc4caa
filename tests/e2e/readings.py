"""Readings of a page that changes by itself: places for the pointer, values, and the widest bar."""

from tests.e2e.conftest import wait_until_idle
from tests.support.waiting import wait_until

_HAVE_PLOTS = """() => [...document.querySelectorAll(".ts-graph:not(.ts-nothing)")].every(
    (graph) => !graph.offsetWidth || graph.querySelector(".main-svg"))"""
_FRAMES = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"""


def wait_until_still(page):
    """Wait until no callback is due and every plot is drawn, so that nothing moves by itself."""
    wait_until_idle(page)
    page.wait_for_function(_HAVE_PLOTS)
    page.evaluate("() => tilescope.plotsDrawn()")


def wait_for_frames(page):
    """Wait until the page has painted what the last events changed."""
    page.evaluate(_FRAMES)


def expect_nothing_sideways(page, *widths):
    """Make the page as wide as each of some widths, and wait until it does not scroll sideways."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def place_of(element):
    """Return the box of an element in sight, once nothing moves it."""
    wait_until_still(element.page)
    element.scroll_into_view_if_needed()
    return element.bounding_box()


def middle_of(element):
    """Return the place of the middle of an element in sight, once nothing moves it."""
    box = place_of(element)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def wait_until_equal(read, expected):
    """Read a value until it is the expected value; raise TimeoutError with the last value."""
    last = []

    def is_equal():
        last[:] = [read()]
        return last == [expected]

    wait_until(is_equal, about=lambda: f"{last[0]!r} is read, {expected!r} expected")


_WIDEST_BAR = """track => {
    const {layer} = tilescope.timeline;
    const plot = document.querySelector("#run-timeline .js-plotly-plot");
    const [model, view] = [layer.modelOf(plot), layer.viewOf(plot)];
    const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
    const bars = model.parts.filter((part) => !part.beside).flatMap((part) =>
        part.lanes.flatMap(({row, from, to}) => Array.from({length: to - from}, (_, at) => ({
            y: model.rows.y[row],
            track: model.rows.track[row],
            left: Math.max((part.start[from + at] - view.left) * view.perTick, 0),
            right: Math.min((part.end[from + at] - view.left) * view.perTick, area.width),
        }))));
    const lowest = Math.max(...bars.map(({y}) => y));
    const lane = bars.filter((bar) => (track === null ? bar.y === lowest : bar.track === track));
    const {y, left, right} = lane.sort((one, other) => other.right - other.left - one.right + one.left)[0];
    return [area.left + (left + right) / 2, area.top + view.y(y)];
}"""


def kernel_bar(page, track=None):
    """Return the middle of the widest bar in the lane of a track, by default in the lowest lane."""
    place_of(page.locator("#run-timeline"))
    return bar_in_sight(page, track)


def bar_in_sight(page, track=None):
    """Return what `kernel_bar` returns, of a timeline in sight, whatever is due."""
    return page.evaluate(_WIDEST_BAR, track)
