"""Settings as text from the environment and from a TOML file in the working directory.

pydantic-settings would read both too, but its import takes an eighth of the time of command `runs`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any


def environment_settings(prefix: str, names: Collection[str]) -> dict[str, str]:
    """Return the settings that the environment has, by name; variables may be in either case."""
    texts = {name.lower(): text for name, text in os.environ.items()}
    variables = {name: f"{prefix}{name}".lower() for name in names}
    return {name: texts[variable] for name, variable in variables.items() if variable in texts}


def file_settings(path: Path) -> dict[str, Any]:
    """Return the settings of a TOML file; without the file there are none.

    Raises ValueError if it is not TOML in UTF-8.
    """
    if not path.is_file():
        return {}
    return tomllib.loads(path.read_text("utf-8"))
