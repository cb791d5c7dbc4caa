"""Find the calls of a call stack in the user's code, not in tinygrad or Python."""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

_PACKAGE = re.compile(
    r"^(.*/tinygrad)/(?:tensor|device|helpers|uop/ops|engine/realize|schedule/__init__)\.py$"
)
"""Files that show the folder of the tinygrad package.

A checkout has the package in a folder of the same name, with scripts next to it.
"""
_INSTALLED = re.compile(r"/(?:site|dist)-packages/")
_OF_TINYGRAD = re.compile(r"/(?:site|dist)-packages/tinygrad/")
_OF_PYTHON = re.compile(r"(?:^<frozen |/lib/python3(?:\.[0-9]+)?/|/Python3[0-9]+/Lib/)")


class CallPlace(NamedTuple):
    """A source file and a line in it."""

    file: str
    line: int


def users_places(calls: pd.DataFrame) -> dict[int, CallPlace]:
    """Map each call stack of frame `calls` to the file and line of its innermost call in the user's
    code.

    Stacks without such a call are missing. A script in a checkout of tinygrad, next to the package,
    is user code too.
    """
    located = calls[calls["file"].notna() & calls["line"].notna()]
    files = [str(file) for file in located["file"].cat.remove_unused_categories().cat.categories]
    roots = {
        match[1] for file in files if (match := _PACKAGE.match(_with_slashes(file))) is not None
    }
    own = located[
        located["file"].isin([file for file in files if _is_users(_with_slashes(file), roots)])
    ]
    first = own.sort_values(["stack", "depth"], kind="stable").drop_duplicates("stack")
    rows = zip(
        first["stack"].tolist(), first["file"].astype("str"), first["line"].tolist(), strict=True
    )
    return {int(stack): CallPlace(file, int(line)) for stack, file, line in rows}


def _with_slashes(file: str) -> str:
    return file.replace("\\", "/")


def _is_users(file: str, roots: set[str]) -> bool:
    if _OF_TINYGRAD.search(file) or any(file.startswith(f"{root}/") for root in roots):
        return False
    return _INSTALLED.search(file) is not None or _OF_PYTHON.search(file) is None
