"""The row of table `listing` that belongs to a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from schema.likeness import key_of, likeness
from storage.annotation import Annotation, ingest_tags
from storage.stored_run import StoredRun
from storage.tables import LISTED_METRICS, LISTED_NUMBERS, LISTED_TEXTS, VALUED
from storage.text import plain_text

SEARCHED = ("name", "source", "hwid", "tags", "file", "run_id", "mac_dtype", "branch")
"""Columns of frame `run` that the search looks through, beside tile and grid."""
_NOTES = 4_000
"""Most characters of the notes that are searched."""
ERROR_WEIGHT = 1000
"""How many warnings an error is worse than, where runs are sorted by health."""


def listing_row(stored: StoredRun, added: Annotation) -> dict[str, Any]:
    """Return the values of the run's row in table `listing`, with what people added to the run.

    What a database would not take is left out.
    """
    run = stored.run
    texts = {name: plain_text(run.get(name)) for name in (*LISTED_TEXTS, "created_at")}
    texts["tags"] = plain_text(" ".join(added.with_tags(ingest_tags(run)).tags or ()))
    numbers = {name: _number(stored.headline.get(name)) for name in LISTED_METRICS}
    sizes = {name: run.get(name) for name in "MKN"}
    own = {
        **{name: run.get(name) for name in LISTED_NUMBERS},
        "grid": grid_text(run),
        "observations": stored.observations,
    }
    date = plain_text(run.get("taken_at")) or texts["created_at"]
    return {
        "run_id": stored.run_id,
        "prefix": stored.prefix,
        **texts,
        **sizes,
        **own,
        **numbers,
        "size": _size(**sizes),
        "date": date,
        "searched": " ".join([*run_texts(run), *_search_texts(added)]).lower(),
        "health": ERROR_WEIGHT * stored.errors + stored.warnings,
        "best_in_peak": numbers["gmacs_best"] if (numbers["utilization"] or 0) <= 1 else None,
        "valued": _value_bits(texts | sizes | numbers | own | _only_where_told(date, texts["created_at"], stored)),
        "likeness": "" if stored.damaged else likeness(key_of(run)),
        "stored_bytes": stored.stored_bytes,
    }


def grid_text(run: Mapping[str, object]) -> str:
    """Return the cores that share the work of a run as `4x4`, rows first; "" where either is not known."""
    rows, cols = run.get("rows"), run.get("cols")
    return "" if rows is None or cols is None else f"{rows}x{cols}"


def tile_text(run: Mapping[str, object]) -> str:
    """Return the tile of a run's kernels as `32x64x32`, "" where any of m, k and n is not known."""
    sizes = [run.get(name) for name in "mkn"]
    return "" if None in sizes else "x".join(map(str, sizes))


def _only_where_told(date: str, created_at: str, stored: StoredRun) -> dict[str, Any]:
    """Return columns whose value the list has only where it says more than the others."""
    several = stored.observations if stored.observations > 1 else None
    return {"created_at": "" if date == created_at else date, "observations": several}


def run_texts(run: Mapping[str, object]) -> list[str]:
    """Return the texts of frame `run` that a search looks through, with tile and grid."""
    return [*(plain_text(run.get(name)) for name in SEARCHED), tile_text(run), grid_text(run)]


def _search_texts(added: Annotation) -> list[str]:
    return [plain_text(text) for text in (*(added.tags or ()), added.notes[:_NOTES]) if text]


def _value_bits(values: dict[str, Any]) -> int:
    return sum(1 << bit for name, bit in VALUED.items() if values[name] not in (None, ""))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _size(M: int | None, K: int | None, N: int | None) -> float | None:
    return None if M is None or K is None or N is None else float(M) * K * N
