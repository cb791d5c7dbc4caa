"""Waiting for conditions: a machine under load is slow, not wrong."""

import contextlib
import time

PATIENCE_S = 120
_LOOK_S = 0.02


def wait_until(holds, *errors, about=lambda: ""):
    """Return what a condition gives once it is true; one of these errors counts as false.

    Raise TimeoutError with the text of `about` after two minutes.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(*errors):
            if found := holds():
                return found
        time.sleep(_LOOK_S)
    raise TimeoutError(about() or "the condition does not hold")
