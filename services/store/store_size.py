"""Size of a store by source, by week of ingest and by age, and its recent growth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from storage.clock import timestamp
from storage.repository import Repository
from storage.store_sizes import StoredRuns, count_damaged, database_bytes, stored_by_day

WEEKS = 12
"""Number of weeks that are listed, including the current one."""
_WEEK = timedelta(days=7)
_AGES = (7, 30, 90, 365)
"""Bounds of the age groups in days."""


@dataclass(frozen=True)
class Amount:
    """Number of runs and bytes of their files; `name` is the source, the first day of the week, or
    the age group.
    """

    name: str
    runs: int
    bytes: int


@dataclass(frozen=True)
class StoreSize:
    """Size of a store; weeks begin on Monday (UTC) and count the runs that still exist.

    `unknown` is the number of runs from a release that did not count bytes, `damaged` that of rows
    which cannot be read. `last_week` covers the last seven days, `before` the seven days before.
    `catalogue_bytes`, and `free_bytes` of the disk of the frames, are `None` if unknown.
    """

    runs: int
    bytes: int
    unknown: int
    damaged: int
    catalogue_bytes: int | None
    free_bytes: int | None
    last_week: Amount
    before: Amount
    sources: tuple[Amount, ...]
    weeks: tuple[Amount, ...]
    ages: tuple[Amount, ...]


def store_size(repository: Repository) -> StoreSize:
    """Compute the size of a store from its catalogue: total, sources (largest first), weeks (newest
    first), ages. Its files are not listed.
    """
    days = stored_by_day(repository.catalogue)
    today = date.fromisoformat(timestamp()[:10])
    by_source: dict[str, list[StoredRuns]] = {}
    for ingested in days:
        by_source.setdefault(ingested.source, []).append(ingested)
    dated = [(_day(ingested.day), ingested) for ingested in days]
    sources = [_sum(source, some) for source, some in by_source.items()]
    total = _sum("", days)
    return StoreSize(
        runs=total.runs,
        bytes=total.bytes,
        unknown=sum(ingested.unknown for ingested in days),
        damaged=count_damaged(repository.catalogue),
        catalogue_bytes=database_bytes(repository.catalogue),
        free_bytes=repository.store.free_bytes(),
        last_week=_between("", dated, today - _WEEK, date.max),
        before=_between("", dated, today - 2 * _WEEK, today - _WEEK),
        sources=tuple(sorted(sources, key=lambda ingested: (-ingested.bytes, ingested.name))),
        weeks=_weeks(dated, today),
        ages=_ages(dated, today),
    )


def _weeks(dated: Sequence[tuple[date, StoredRuns]], today: date) -> tuple[Amount, ...]:
    """Sum up the ingests of each of the last WEEKS (12) weeks, the newest first; the name of each
    is its Monday.
    """
    monday = today - timedelta(days=today.weekday())
    begins = [monday - rank * _WEEK for rank in range(WEEKS)]
    ends = [date.max, *(begin - timedelta(days=1) for begin in begins[:-1])]
    return tuple(
        _between(begin.isoformat(), dated, begin - timedelta(days=1), end)
        for begin, end in zip(begins, ends, strict=True)
    )


def _ages(dated: Sequence[tuple[date, StoredRuns]], today: date) -> tuple[Amount, ...]:
    names = [f"up to {_AGES[0]} days", *(f"{low} to {high} days" for low, high in pairwise(_AGES))]
    edges = [date.max, *(today - timedelta(days=days) for days in _AGES), date.min]
    names.append(f"over {_AGES[-1]} days")
    return tuple(
        _between(name, dated, after, until)
        for name, (until, after) in zip(names, pairwise(edges), strict=True)
    )


def _between(
    name: str, dated: Iterable[tuple[date, StoredRuns]], after: date, until: date
) -> Amount:
    """Sum up the number and bytes of the ingests of the days in (after, until], as an amount named
    `name`.
    """
    return _sum(name, [ingested for day, ingested in dated if after < day <= until])


def _sum(name: str, days: Sequence[StoredRuns]) -> Amount:
    return Amount(
        name, sum(ingested.runs for ingested in days), sum(ingested.bytes for ingested in days)
    )


def _day(text: str) -> date:
    """Parse the day of an ingest (ISO 8601). For a damaged row it is the earliest day that the
    groups contain, the second day of year 1.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        # `_between` excludes its lower bound, which is date.min for the oldest group
        return date.min + timedelta(days=1)
