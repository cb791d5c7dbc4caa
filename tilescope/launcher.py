"""The command `tilescope`."""

from __future__ import annotations

import os

from tilescope import TREE


def main() -> None:
    """Run the command line and exit with its code."""
    if TREE.is_dir():
        _tell_children()
    from app.cli.start import run  # noqa: PLC0415 - processes that work for it import this module

    run()


def _tell_children() -> None:
    """Set the environment so that child processes import the same packages.

    They must not import modules from their working directory, which may contain any file.
    """
    paths = [str(TREE), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["PYTHONSAFEPATH"] = "1"
