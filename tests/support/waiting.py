"""Waiting for conditions: a busy machine is slow, not wrong."""

import contextlib
import time

PATIENCE_S = 120
_LOOK_S = 0.02


def wait_until(holds, *errors, about=lambda: ""):
    """Call `holds` until its result is true, and return the result; an error of a type in `errors`
    counts as false.

    Raises TimeoutError with the text of `about` after two minutes.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(*errors):
            if found := holds():
                return found
        time.sleep(_LOOK_S)
    raise TimeoutError(about() or "the condition does not hold")
