"""Print measured numbers with their targets, and a table of all of them at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median

TABLE = "TILESCOPE_BENCHMARK_TABLE"
"""Environment variable with the path of the file that collects checked numbers."""


def spread_text(values: Sequence[float], unit: str, digits: int = 2) -> str:
    """Format the median and the range of repeated measurements."""
    low, middle, high = (
        f"{value:.{digits}f}" for value in (min(values), median(values), max(values))
    )
    return f"{middle} {unit} ({low} to {high}, {len(values)} runs)"


def note(text: str) -> None:
    """Print a line without a target."""
    print(f"      {text}", flush=True)


def check(what: str, value: float, limit: float, unit: str) -> None:
    """Print a number with its maximum, and append it to the file in `TABLE` if it is set."""
    if TABLE in os.environ:
        with Path(os.environ[TABLE]).open("a") as table:
            print(
                json.dumps({"what": what, "value": value, "limit": limit, "unit": unit}), file=table
            )
    shown = f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
    verdict = "ok   " if value <= limit else "MISS "
    print(f"{verdict} {what}: {f'{shown} {unit}'.rstrip()} (target: at most {limit:g})", flush=True)


def checks_table(rows: Path, before: Path) -> str:
    """Format the checked numbers as a Markdown table.

    `before` is a JSON file with the numbers of the previous release by their names; it may be
    missing.
    """
    earlier_values = json.loads(before.read_text()) if before.is_file() else {}
    lines = ["", "| what | asked | measured | before |", "|---|---|---|---|"]
    for row in map(json.loads, rows.read_text().splitlines()):
        earlier = earlier_values.get(row["what"])
        was = "-" if earlier is None else f"{earlier:.3g} {row['unit']}"
        mark = "" if row["value"] <= row["limit"] else " (miss)"
        lines.append(
            f"| {row['what']} | {row['limit']:g} {row['unit']} | {row['value']:.3g} {row['unit']}{mark} | {was} |"
        )
    return "\n".join(lines)
