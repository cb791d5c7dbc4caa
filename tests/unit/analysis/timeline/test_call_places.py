"""Which call of a call stack is the user's own."""

import pandas as pd
import pytest

from analysis.timeline.call_places import users_places
from schema.frames import build_frame

INSTALLED = "/opt/venv/lib/python3.11/site-packages"
CHECKOUT = "/home/dev/src/tinygrad"
LIBRARY = "/usr/lib/python3.11/contextlib.py"


def calls(*files):
    """Return frame `calls` of one call stack, innermost first; lines count from 1."""
    columns = {
        "stack": [0] * len(files),
        "depth": list(range(len(files))),
        "file": pd.Categorical(files),
        "line": list(range(1, len(files) + 1)),
        "function": pd.Categorical(["f"] * len(files)),
        "text": [""] * len(files),
    }
    return build_frame("calls", columns)


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ((f"{INSTALLED}/tinygrad/tensor.py", LIBRARY, "/home/me/train.py", "/home/me/main.py"), 3),
        (
            (
                f"{INSTALLED}/tinygrad/uop/ops.py",
                f"{INSTALLED}/mylib/layers.py",
                "/home/me/train.py",
            ),
            2,
        ),
        (
            (
                f"{CHECKOUT}/tinygrad/tensor.py",
                f"{CHECKOUT}/tinygrad/nn/state.py",
                f"{CHECKOUT}/scripts/run.py",
            ),
            3,
        ),
        (("<frozen runpy>", LIBRARY, "/home/me/train.py"), 3),
        ((r"C:\venv\Lib\site-packages\tinygrad\tensor.py", r"C:\me\train.py"), 2),
    ],
)
def test_the_innermost_call_outside_of_tinygrad_and_the_library_is_the_users(files, line):
    assert users_places(calls(*files))[0] == (files[line - 1], line)


def test_a_stack_without_one_is_left_out():
    assert users_places(calls(f"{INSTALLED}/tinygrad/tensor.py", LIBRARY)) == {}


def test_no_stack_gives_no_place():
    assert users_places(calls()) == {}
