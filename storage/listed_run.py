"""The row of table `listing` that belongs to a run."""

from __future__ import annotations

import math
from typing import Any

from schema.likeness import key_of, likeness
from storage.annotation import Annotation, ingest_tags
from storage.stored_run import StoredRun
from storage.tables import LISTED_METRICS, VALUED
from storage.text import plain_text

SEARCHED = ("name", "source", "hwid", "tags", "file", "run_id")
"""Columns of frame `run` that the search looks through."""
_NOTES = 4_000
"""Most characters of the notes that are searched."""
ERROR_WEIGHT = 1000
"""How many warnings an error is worse than, where runs are sorted by health."""


def listed(stored: StoredRun, added: Annotation) -> dict[str, Any]:
    """Return the values of the run's row in table `listing`, with what people added to the run.

    What a database would not take is left out.
    """
    run = stored.run
    texts = {name: plain_text(run.get(name)) for name in ("source", "hwid", "name", "file", "created_at")}
    texts["tags"] = plain_text(" ".join(added.with_tags(ingest_tags(run)).tags or ()))
    numbers = {name: _number(stored.headline.get(name)) for name in LISTED_METRICS}
    sizes = {name: run.get(name) for name in "MKN"}
    date = plain_text(run.get("taken_at")) or texts["created_at"]
    return {
        "run_id": stored.run_id,
        "prefix": stored.prefix,
        **texts,
        **sizes,
        **numbers,
        "size": _size(**sizes),
        "date": date,
        "searched": " ".join([*(plain_text(run.get(name)) for name in SEARCHED), *_searched(added)]).lower(),
        "health": ERROR_WEIGHT * stored.errors + stored.warnings,
        "best_in_peak": numbers["gmacs_best"] if (numbers["utilization"] or 0) <= 1 else None,
        "valued": _valued(texts | sizes | numbers | {"created_at": "" if date == texts["created_at"] else date}),
        "likeness": "" if stored.damaged else likeness(key_of(run)),
    }


def _searched(added: Annotation) -> list[str]:
    return [plain_text(text) for text in (*(added.tags or ()), added.notes[:_NOTES]) if text]


def _valued(values: dict[str, Any]) -> int:
    return sum(1 << bit for bit, name in enumerate(VALUED) if values[name] not in (None, ""))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _size(M: int | None, K: int | None, N: int | None) -> float | None:
    return None if M is None or K is None or N is None else float(M) * K * N
