"""How the command line is called, in texts that name it: as installed, or as in a checkout."""

from __future__ import annotations

from pathlib import Path

_IS_INSTALLED = Path(__file__).parents[1].name == "_tree"
"""A wheel has these folders below `tilescope/_tree`."""

COMMAND = "tilescope" if _IS_INSTALLED else "python -m app"
"""What stands before the name of a command."""
HOSTING = "tilescope[hosting]" if _IS_INSTALLED else "requirements-hosting.txt"
"""What is installed for the settings that need more than the application does."""
FULL = "tilescope[full]" if _IS_INSTALLED else "requirements-full.txt"
"""What is installed for the search for placements, and for what single sources have beside."""
