"""Names of the command and of its extras for texts, for an installed package or a checkout."""

from __future__ import annotations

from pathlib import Path

_IS_INSTALLED = Path(__file__).parents[1].name == "_tree"
"""Whether the application runs from a wheel, whose folders are below `tilescope/_tree`."""

COMMAND = "tilescope" if _IS_INSTALLED else "python -m app"
"""The command line's program, which precedes the name of a subcommand."""
HOSTING = "tilescope[hosting]" if _IS_INSTALLED else "requirements-hosting.txt"
"""Package or requirements file to install for settings of a hosted installation."""
FULL = "tilescope[full]" if _IS_INSTALLED else "requirements-full.txt"
"""Package or requirements file to install for the search for placements and optional readers."""
