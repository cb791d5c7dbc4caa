"""The content of the list of runs: summary, columns, records, groups and the next page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from app.context import AppContext
from app.pages.runs.against import with_cells
from app.pages.runs.filters import shared_values
from app.pages.runs.state import RunsState, parse
from app.request.user import current_user
from components.numbers import count_text, gmacs, integer
from components.runs.default_columns import Filled
from components.runs.groups_grid import groups_line
from components.runs.list_address import list_address
from components.runs.run_records import run_record, with_annotations
from components.runs.runs_grid import column_defs
from schema.run_columns import AGAINST
from services.gate.baseline_status import BaselineStatus
from services.store.runs_list import MAX_SELECTED_RUNS, RunQueries
from storage.annotations import Annotations
from storage.run_counts import Totals
from storage.run_list_statements import GROUP
from storage.run_query import EVERY_RUN, PagePosition, RunFilter, RunQuery
from storage.saved_texts import SavedViews
from storage.stored_run import StoredRun


def summary(every: int, totals: Totals) -> str:
    """Summarise the list in a line: listed runs of `every` (all), hwids, and the best rate (GMAC/s)
    of a run that stays below its peak, if there is any.
    """
    total = f" of {integer(every)}" if totals.runs < every else ""
    # A store of which no run has a hwid would have "0 hwids".
    hwids = [count_text(totals.hwids, "hwid")] if totals.hwids else []
    parts = [f"{integer(totals.runs)}{total} run{'s' if every != 1 else ''}", *hwids]
    return " · ".join(
        parts if totals.best is None else [*parts, f"best {gmacs(totals.best)} GMAC/s"]
    )


def listed_groups(listing: RunQueries, state: RunsState) -> list[dict[str, Any]]:
    """Return the groups of the listed runs, a dict each, with the address of the group's runs as
    `href`; empty unless the list is grouped.
    """
    if not state.grouped:
        return []
    return [group | {"href": _group_href(group, state)} for group in listing.groups(state.fits)[0]]


def _group_href(group: Mapping[str, object], state: RunsState) -> str:
    own = {key: (str(group[key]),) for key in GROUP}
    return list_address(replace(state, **own, grouped=False).query())  # type: ignore[arg-type]


def shown_line(listing: RunQueries, state: RunsState) -> str:
    """Summarise the list in a line: runs (see `summary`) and what all of them share, or groups of
    runs if it is grouped.
    """
    totals = listing.counts(state.fits).totals
    if not state.grouped:
        shared = shared_values(listing, state)
        line = summary(listing.counts(EVERY_RUN).totals.runs, totals)
        return f"{line} · all: {', '.join(shared)}" if shared else line
    groups, count = listing.groups(state.fits)
    return groups_line(count, totals.runs, totals.sized, len(groups))


def shown_columns(
    context: AppContext, listing: RunQueries, state: RunsState
) -> list[dict[str, Any]]:
    """Return the columns of the grid as definitions of AG Grid, columns without values hidden."""
    has_baselines = context.baseline_statuses.has_baselines(listing)
    filled = _count_filled(context, listing, state.fits)
    return column_defs(state.sort, filled, state.columns, against=has_baselines)


def _count_filled(context: AppContext, listing: RunQueries, fits: RunFilter) -> Filled | None:
    """Count the listed runs with a value in each column; None if no run is listed."""
    totals = listing.counts(fits).totals
    if not totals.runs:
        return None
    known_hwids = totals.runs - _count_without_hwid(listing, fits)
    baselines = context.baseline_statuses.count(listing, fits)
    return Filled(totals.runs, {**totals.with_value, "hwid": known_hwids, AGAINST: baselines})


def _count_without_hwid(listing: RunQueries, fits: RunFilter) -> int:
    # The counts of a facet leave out the conditions on the facet itself.
    is_listed = not fits.hwid or "" in fits.hwid
    return listing.counts(fits).facets["hwid"].runs.get("", 0) if is_listed else 0


def list_content(context: AppContext, query: str) -> str:
    """Identify what the page shows for a query string: version of the runs, stored verdicts against
    baselines, saved views, and the user if there are any, who may delete their own.

    Raises StorageError.
    """
    listing = context.runs.now()
    views = SavedViews(context.repository.catalogue).all()
    user = current_user().name if views else ""
    verdicts = (
        _known_verdicts(context, listing, parse(query).first_page)
        if context.baseline_statuses.has_baselines(listing)
        else {}
    )
    return repr([listing.version, verdicts, views, user])


def _known_verdicts(
    context: AppContext, listing: RunQueries, query: RunQuery
) -> dict[str, BaselineStatus]:
    """Return the stored verdicts about a page of runs by run id."""
    ids = [stored.run_id for stored in listing.page(query).runs]
    return context.baseline_statuses.known(listing, ids)


def listed_records(
    context: AppContext, listing: RunQueries, query: RunQuery
) -> list[dict[str, Any]]:
    """Return the grid's records for a page of runs, in its order, with the verdicts that are
    stored.
    """
    page = listing.page(query)
    records = listing.once(("records", query), lambda: _records(context, listing, page.runs))
    return with_cells(records, _known_verdicts(context, listing, query))


def _records(
    context: AppContext, listing: RunQueries, runs: Sequence[StoredRun]
) -> list[dict[str, Any]]:
    """Return the grid's records of runs with their annotations, in their order."""
    added = Annotations(context.repository.catalogue).of(runs)
    records = [listing.of_run(run, _own_record) for run in runs]
    return with_annotations(records, [added[run.run_id] for run in runs])


def _own_record(stored: StoredRun) -> dict[str, Any]:
    return run_record(stored.record())


def next_page(listing: RunQueries, query: RunQuery, state: RunsState) -> dict[str, Any] | None:
    """Return the request (`query`, `after`, `most`) that the browser sends for the next page, None
    after the last page.

    `most` is the number of runs that can be selected.
    """
    last = listing.page(query).last
    most = min(listing.counts(state.fits).totals.runs, MAX_SELECTED_RUNS)
    return {"query": state.query(), "after": list(astuple(last)), "most": most} if last else None


def select_all_words(listing: RunQueries, state: RunsState) -> str:
    """Return the label of the button that selects all listed runs, or the first MAX_SELECTED_RUNS
    (1,000) if there are more.
    """
    runs = listing.counts(state.fits).totals.runs
    if runs > MAX_SELECTED_RUNS:
        return f"Select the first {integer(MAX_SELECTED_RUNS)}"
    return f"Select all {integer(runs)}" if runs > 1 else f"Select {count_text(runs, 'run')}"


def page_after(asked: Mapping[str, Any]) -> tuple[RunsState, RunQuery] | None:
    """Parse a request made by `next_page` to (state, query), None if it is malformed."""
    match asked:
        # The value of the sorted column may be missing, a text or a number.
        case {
            "query": str(query),
            "after": [None | str() | int() | float() as value, str(date), str(run_id)],
        }:
            state = parse(query)
            return state, replace(state.first_page, after=PagePosition(value, date, run_id))
    return None
