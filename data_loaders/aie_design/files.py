"""Find the designs beside a trace by the first bytes of their files."""

from __future__ import annotations

import re
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head

SUFFIX = ".mlir"
MAX_DESIGNS = 16
"""Number of MLIR files per folder that are inspected."""
WITH_PROGRAMS = "main_physical_with_elfs.mlir"
"""Design that includes the programs of the cores, and therefore all register writes."""
_DEVICE_MARK = b"aie.device"
_BEGIN = re.compile(
    rb'\A\s*+(?://[^\n]*+\s*+)*+(?:module\b|(?:aie|AIE)\.device\b|"(?:builtin\.module|aie\.device)"|[#!%][\w.$-]++\s*+=)'
)
"""Begin of an MLIR text, behind its comments; scripts that write MLIR begin otherwise."""
_MARK = re.compile(rb'\b(?:aie|AIE)\.(?:logical_)?tile\s{0,9}[(<]|"(?:aie|AIE)\.(?:device|tile)"')


def find_designs(folder: Path) -> list[Path]:
    """List the first 16 `.mlir` files of a folder that are designs of AIE arrays, by name.

    `main_physical_with_elfs.mlir`, the file with the programs of the cores, is first.
    """
    files = [file for file in sorted(folder.glob(f"*{SUFFIX}")) if file.is_file()][:MAX_DESIGNS]
    designs = [file for file in files if _is_readable_design(file)]
    return sorted(designs, key=lambda file: file.name != WITH_PROGRAMS)


def _is_readable_design(file: Path) -> bool:
    try:
        head = read_head(file)
    except (LoadError, OSError):
        return False
    return _DEVICE_MARK in head or is_design_text(head)


def is_design_text(head: bytes) -> bool:
    """Whether the begin of a file defines a tile of an AIE array, or is a design in generic form."""
    return b"\0" not in head and bool(_BEGIN.match(head)) and _MARK.search(head) is not None
