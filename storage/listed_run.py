"""Compute the row of table `listing` for a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from schema.headlines import headline_of, sort_key
from schema.likeness import likeness, run_key
from schema.peak_rates import has_impossible_rates
from schema.run_columns import HEADLINE
from storage.annotation import Annotation, ingest_tags
from storage.stored_run import StoredRun
from storage.tables import LISTED_METRICS, LISTED_NUMBERS, LISTED_TEXTS, VALUED
from storage.text import plain_text

SEARCHED = ("name", "source", "hwid", "tags", "file", "run_id", "mac_dtype", "branch")
"""Columns of frame `run` whose texts are searched, besides tile and grid."""
_MAX_NOTES_LENGTH = 4_000
"""Maximum number of characters of a run's notes that are searched."""
ERROR_WEIGHT = 1000
"""Number of warnings that count as much as one error when runs are sorted by health."""


def listing_row(stored: StoredRun, added: Annotation) -> dict[str, Any]:
    """Compute a run's row of table `listing`, column name -> value, from the run and its
    annotation.

    Characters that a database does not accept are removed; numbers that are missing or not finite
    are None.
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
        "stem": plain_text(run.get("stem")),
        HEADLINE: sort_key(headline_of(str(run.get("source")), stored.headline)),
    }
    # Runs are compared over time, and the date of the ingest says nothing about that.
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
        # A rate above the peak comes from a wrong setting, and would be the best of the list.
        "best_in_peak": _best_in_peak(numbers),
        "valued": _value_bits(
            texts | sizes | numbers | own | _distinct_values(date, texts["created_at"], stored)
        ),
        "likeness": "" if stored.damaged else likeness(run_key(run)),
        "stored_bytes": stored.stored_bytes,
    }


def _best_in_peak(numbers: Mapping[str, float | None]) -> float | None:
    """Return the best rate of a run, or its mean rate if that is all that is known; None if its
    rates exceed the peak.
    """
    if has_impossible_rates(numbers):
        return None
    best = numbers["gmacs_best"]
    return numbers["gmacs_mean"] if best is None else best


def grid_text(run: Mapping[str, object]) -> str:
    """Format the grid of cores of a run as `4x4`, rows first; "" if rows or columns are unknown."""
    rows, cols = run.get("rows"), run.get("cols")
    return "" if rows is None or cols is None else f"{rows}x{cols}"


def tile_text(run: Mapping[str, object]) -> str:
    """Format the tile of a run's kernels as `32x64x32` (m, k, n); "" if m, k or n is unknown."""
    sizes = [run.get(name) for name in "mkn"]
    return "" if None in sizes else "x".join(map(str, sizes))


def _distinct_values(date: str, created_at: str, stored: StoredRun) -> dict[str, Any]:
    """Return the values `created_at` and `observations` as they count for the bits of column
    `valued`.

    `created_at` is "" if it equals `date`, otherwise `date`. `observations` is None if the run was
    captured once.
    """
    several = stored.observations if stored.observations > 1 else None
    return {"created_at": "" if date == created_at else date, "observations": several}


def run_texts(run: Mapping[str, object]) -> list[str]:
    """List the texts of a run that are searched: those of the columns SEARCHED of frame `run`, then
    tile and grid; "" for a missing one.
    """
    return [*(plain_text(run.get(name)) for name in SEARCHED), tile_text(run), grid_text(run)]


def _search_texts(added: Annotation) -> list[str]:
    return [
        plain_text(text) for text in (*(added.tags or ()), added.notes[:_MAX_NOTES_LENGTH]) if text
    ]


def _value_bits(values: dict[str, Any]) -> int:
    return sum(1 << bit for name, bit in VALUED.items() if values[name] not in (None, ""))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _size(M: int | None, K: int | None, N: int | None) -> float | None:
    return None if M is None or K is None or N is None else float(M) * K * N
