"""Keep the counts of runs per combination of facet values equal to table `listing`, within the
transaction of each change of it.

The caller holds the row of `listing_state`, so that no other transaction changes a count meanwhile.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    delete,
    func,
    select,
)

from storage.combination_rows import (
    NUMBERS,
    insert_rows,
    label_row,
    read_stored,
    row_id,
    write_rows,
)
from storage.combination_tables import COMBINATION_LABELS, COMBINATIONS, GROUPED
from storage.people_tables import RUN_TAGS
from storage.tables import COUNTED_RATE, LISTING

_L = LISTING.c
_GROUPED: list[ColumnElement[Any]] = [_L[key].label(_L[key].name) for key in GROUPED]
_IDS: BindParameter[list[str]] = bindparam("ids", expanding=True)
# Built once: building a statement takes longer than executing it.
_LISTED: Select[Any] = select(
    *_GROUPED,
    _L.size,
    COUNTED_RATE.label("rate"),
    _L.best_in_peak,
    _L.run_id,
    _L.branch,
    _L.branches,
).where(_L.run_id.in_(_IDS))
_TAGS = select(RUN_TAGS).where(RUN_TAGS.c.run_id.in_(_IDS))
SUM_OF_RUNS = select(func.coalesce(func.sum(COMBINATIONS.c.runs), 0)).scalar_subquery()
"""Sum of the runs of all combinations, as a subquery."""
_COUNT_COMBINATIONS: Select[Any] = select(
    *_GROUPED,
    func.max(_L.size).label("size"),
    func.count().label("runs"),
    func.count(COUNTED_RATE).label("rated"),
    func.max(COUNTED_RATE).label("fastest"),
    func.max(_L.best_in_peak).label("best"),
).group_by(*_GROUPED)


class CountedRun(NamedTuple):
    """What a run adds to the counts: its values of GROUPED, size, rates in GMAC/s, and labels.

    `labels` are pairs (kind, value) of its tags and branches.
    """

    values: tuple[Any, ...]
    size: float | None
    rate: float | None
    best: float | None
    labels: frozenset[tuple[str, str]]


@dataclass
class _Change:
    """The runs that a combination gains and loses."""

    gained: list[CountedRun] = field(default_factory=list)
    lost: list[CountedRun] = field(default_factory=list)


def read_runs(connection: Connection, ids: Sequence[str]) -> list[CountedRun]:
    """Read what up to 500 runs add to the counts; runs without a row in `listing` are left out."""
    tags = defaultdict(list)
    for row in connection.execute(_TAGS, {"ids": ids}):
        tags[row.run_id].append(("tag", row.tag))
    return [
        CountedRun(
            tuple(row[: len(GROUPED)]),
            row.size,
            row.rate,
            row.best_in_peak,
            frozenset([*tags[row.run_id], *(("branch", name) for name in _branches(row))]),
        )
        for row in connection.execute(_LISTED, {"ids": ids})
    ]


def count_changed(
    connection: Connection, before: Iterable[CountedRun], after: Iterable[CountedRun]
) -> None:
    """Update the counts after a change of runs, from what `read_runs` returned before and after."""
    lost, gained = Counter(before), Counter(after)
    changes: dict[str, _Change] = defaultdict(_Change)
    labels: Counter[tuple[str, str, str]] = Counter()
    for run in (gained - lost).elements():
        combination = row_id(run.values)
        changes[combination].gained.append(run)
        labels.update((combination, *label) for label in run.labels)
    for run in (lost - gained).elements():
        combination = row_id(run.values)
        changes[combination].lost.append(run)
        labels.subtract((combination, *label) for label in run.labels)
    _change_combinations(connection, changes)
    _change_labels(connection, {label: change for label, change in labels.items() if change})


def count_all(connection: Connection) -> None:
    """Count all runs of table `listing` again."""
    for table in NUMBERS:
        connection.execute(delete(table))
    rows = [
        {"id": row_id(row[: len(GROUPED)]), **_grouped_values(row), **_numbers(row)}
        for row in connection.execute(_COUNT_COMBINATIONS)
    ]
    insert_rows(connection, COMBINATIONS, rows)
    labels: Counter[tuple[str, str, str]] = Counter()
    for kind, row in _label_rows(connection):
        combination = row_id(row[: len(GROUPED)])
        values = _branches(row) if kind == "branch" else [row.tag]
        for value in values:
            labels[combination, kind, value] += row.runs
    insert_rows(connection, COMBINATION_LABELS, [label_row(*item) for item in labels.items()])


def encode_branches(branches: Collection[str]) -> str:
    """Encode the branches of a run's captures for column `branches` of table `listing`."""
    return json.dumps(sorted(branches))


def _branches(row: Row[Any]) -> list[str]:
    return [row.branch] if row.branches is None else json.loads(row.branches)


def _label_rows(connection: Connection) -> Iterator[tuple[str, Row[Any]]]:
    """Yield (kind, row) with the runs per combination and branches, then per combination and tag."""
    runs = func.count().label("runs")
    branches = [*_GROUPED, _L.branch, _L.branches]
    by_branch: Select[Any] = select(*branches, runs).group_by(*branches)
    tags = [*_GROUPED, RUN_TAGS.c.tag]
    by_tag: Select[Any] = select(*tags, runs).group_by(*tags)
    by_tag = by_tag.select_from(LISTING.join(RUN_TAGS, RUN_TAGS.c.run_id == _L.run_id))
    for kind, statement in (("branch", by_branch), ("tag", by_tag)):
        for row in connection.execute(statement):
            yield kind, row


def _change_combinations(connection: Connection, changes: Mapping[str, _Change]) -> None:
    stored = read_stored(connection, COMBINATIONS, [*changes])
    rows = [
        _change_combination(connection, combination, change, stored.get(combination))
        for combination, change in changes.items()
    ]
    write_rows(connection, COMBINATIONS, stored, rows)


def _change_combination(
    connection: Connection, combination: str, change: _Change, stored: Row[Any] | None
) -> dict[str, Any]:
    """Compute the new row of a combination, `stored` is its present row."""
    gained, lost = change.gained, change.lost
    sample = (gained or lost)[0]
    runs, rated, fastest, best = (
        (stored.runs, stored.rated, stored.fastest, stored.best) if stored else (0, 0, None, None)
    )
    row = dict(zip(GROUPED, sample.values, strict=True)) | {
        "id": combination,
        "size": sample.size,
        "runs": runs + len(gained) - len(lost),
        "rated": rated + _count_rated(gained) - _count_rated(lost),
        "fastest": _highest([fastest, *(run.rate for run in gained)]),
        "best": _highest([best, *(run.best for run in gained)]),
    }
    # A maximum that a run leaves and no other run brings is searched in the list.
    left = {run.rate for run in lost} - {run.rate for run in gained} - {None}
    left_best = {run.best for run in lost} - {run.best for run in gained} - {None}
    if row["runs"] > 0 and (row["fastest"] in left or row["best"] in left_best):
        row["fastest"], row["best"] = _read_maxima(connection, sample.values)
    return row


def _count_rated(runs: Sequence[CountedRun]) -> int:
    return sum(run.rate is not None for run in runs)


def _read_maxima(
    connection: Connection, values: Sequence[Any]
) -> tuple[float | None, float | None]:
    """Read the highest COUNTED_RATE and `best_in_peak` of a combination by the index of counts."""
    here: list[ColumnElement[bool]] = [
        _L[key].is_(None) if value is None else _L[key] == value
        for key, value in zip(GROUPED, values, strict=True)
    ]
    maxima = select(func.max(COUNTED_RATE), func.max(_L.best_in_peak)).where(*here)
    fastest, best = connection.execute(maxima).one()
    return fastest, best


def _change_labels(connection: Connection, changes: Mapping[tuple[str, str, str], int]) -> None:
    rows = [label_row(label, change) for label, change in changes.items()]
    stored = read_stored(connection, COMBINATION_LABELS, [row["id"] for row in rows])
    for row in rows:
        row["runs"] += stored[row["id"]].runs if row["id"] in stored else 0
    write_rows(connection, COMBINATION_LABELS, stored, rows)


def _grouped_values(row: Row[Any]) -> dict[str, Any]:
    return dict(zip(GROUPED, row[: len(GROUPED)], strict=True))


def _numbers(row: Row[Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("size", *NUMBERS[COMBINATIONS])}


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
