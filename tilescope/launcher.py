"""The command `tilescope`."""

from __future__ import annotations

import os

from tilescope import TREE


def main() -> None:
    """Run the command line; exits with its code."""
    if TREE.is_dir():
        _tell_children()
    from app.cli.main import main as command_line  # noqa: PLC0415 - processes that work for it import this module
    from schema.command import COMMAND  # noqa: PLC0415

    command_line(prog_name=COMMAND)


def _tell_children() -> None:
    """Let processes that are started import the same packages, and none of the folder that they are started in."""
    paths = [str(TREE), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["PYTHONSAFEPATH"] = "1"
