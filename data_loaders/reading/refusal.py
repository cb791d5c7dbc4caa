"""The JSON file of a reading process: metadata of its result, or the reason of its refusal.

Without pandas, since a process without memory for it must still report its refusal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

RESULT_FILE = "answer.json"
"""Name of the file in the folder of a result."""


def write_refusal(folder: Path, why: str) -> None:
    """Write the file with only the reason why the content was refused.

    `data_loaders.reading.result_folder.read_result` raises it as LoadError.
    """
    write_result_file(folder, {"refused": why})


def write_result_file(folder: Path, result: Mapping[str, object]) -> None:
    """Write the file with the members of `result`."""
    (folder / RESULT_FILE).write_text(json.dumps(result), encoding="utf-8")
