"""Requests that a test holds back, so that a page shows what it does until they are answered."""

import re
from contextlib import contextmanager

from tests.support.waiting import wait_until

_CALLBACKS = re.compile("/_dash-update-component")  # Dash adds a query
_LOOK_MS = 20


@contextmanager
def holding(page, part=""):
    """Hold the requests of callbacks whose body has `part`, and send them at the end of the block.

    Gives a function that waits until one is held. Raises TimeoutError if the page sends none.
    """
    routes = []

    def hold(route):
        if part in (route.request.post_data or ""):
            routes.append(route)
        else:
            route.continue_()

    def is_held():
        page.wait_for_timeout(_LOOK_MS)  # Playwright calls `hold` meanwhile
        return bool(routes)

    def wait():
        wait_until(is_held, about=lambda: f"the page sends no request with {part!r}")

    page.route(_CALLBACKS, hold)
    yield wait
    wait()
    for route in routes:
        route.continue_()
    # Playwright sends what is still held once no route is left.
    page.unroute(_CALLBACKS)
