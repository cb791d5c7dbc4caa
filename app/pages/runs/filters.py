"""The filters of the list of runs: facets, fields about captures, and chips of the active filters."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.pages.runs.state import CAPTURE, RunsState
from components.aria import aria
from components.numbers import gmacs, tame
from components.runs.facets import capture_fields, facet, facet_label
from schema.rounding import THIN
from services.store.runs_list import RunQueries
from storage.run_counts import FacetCounts
from storage.run_query import EVERY_RUN, FACETS

_CAPTURE_WORDS = {"commit": "commit", "since": "captured from", "until": "captured to"}
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"))


def chips(state: RunsState) -> list[Component]:
    """Lay out the active filters, each as a button that clears it; empty without filters."""
    texts = [
        (
            facet,
            tame(
                f"{facet_label(facet)} {' or '.join(v or 'not known' for v in state.chosen_values(facet))}"
            ),
        )
        for facet in FACETS
    ]
    named = [(name, text) for name, text in texts if state.chosen_values(name)]
    named += [
        (name, tame(f"{_CAPTURE_WORDS[name]} {text}"))
        for name in CAPTURE
        if (text := getattr(state, name))
    ]
    named += [("q", f"“{tame(state.q)}”")] if state.q else []
    named += [("box", _box_words(state))] if state.size or state.rate else []
    return [
        html.Button(
            [text, html.Span("×", **aria(hidden="true"))],
            id={"type": "runs-chip", "name": name},
            className="ts-chip",
            title="Clear this filter",
        )
        for name, text in named
    ]


def _box_words(state: RunsState) -> str:
    spans = (("M×K×N", state.size), ("GMAC/s", state.rate))
    return ", ".join(f"{label} {_span(*span)}" for label, span in spans if span)


def _span(low: float, high: float) -> str:
    return f"{_short(low)} – {_short(high)}"


def _short(value: float) -> str:
    """Format three significant digits and the SI prefix M, G or T, such as `33.6 M`; without a
    prefix below a million.
    """
    scale, prefix = next(((s, p) for s, p in _PREFIXES if abs(value) >= s), (1.0, ""))
    return f"{gmacs(value / scale)}{prefix and THIN + prefix}"


def filter_column(listing: RunQueries, state: RunsState) -> html.Aside:
    """Return the column of filters of the list of runs, cached until a run changes; the components
    are never modified.
    """
    captures = tuple(getattr(state, name) for name in CAPTURE)
    return listing.once(("facets", state.fits, captures), lambda: _lay_out_facets(listing, state))


def _lay_out_facets(listing: RunQueries, state: RunsState) -> html.Aside:
    facets = listing.facets(state.fits)
    useful = useful_facets(listing, state)
    shown = [
        facet(
            "runs",
            name,
            facet_label(name),
            values.values,
            state.chosen_values(name),
            searched=values.known if values.partial else None,
            hidden=name not in useful,
        )
        for name in used_facets(listing)
        for values in [facets[name]]
    ]
    fold = html.Button(
        "Filters",
        id="runs-facets-fold",
        className="ts-button ts-facets-fold",
        **aria(controls="runs-facets"),
    )
    captures = capture_fields("runs", {name: getattr(state, name) for name in CAPTURE})
    return html.Aside(
        [fold, html.Div([*shown, captures], id="runs-facets", className="ts-facets")],
        className="ts-filters",
        **aria(label="Filters"),
    )


def used_facets(listing: RunQueries) -> list[str]:
    """Return the names of the facets that have a value other than "" in any run."""
    return [
        name
        for name, values in listing.facets(EVERY_RUN).items()
        if any(value for value, _ in values.values)
    ]


def useful_facets(listing: RunQueries, state: RunsState) -> list[str]:
    """Return the names of the facets with at least two known values under the other filters: a
    facet with a single value does not narrow the list.
    """
    counts = listing.counts(state.fits).facets
    return [name for name, counted in counts.items() if _count_known(counted) > 1]


def shared_values(listing: RunQueries, state: RunsState) -> list[str]:
    """Return what all listed runs have in common, such as `hwid npu2`: facets with a single value,
    without the facets that are filtered by, which the chips name.

    Empty if fewer than two runs are listed.
    """
    counts = listing.counts(state.fits)
    runs = counts.totals.runs
    if runs < 2:
        return []
    return [
        tame(f"{facet_label(name)} {value}")
        for name, counted in counts.facets.items()
        if counted.values == 1 and not state.chosen_values(name)
        for value, count in counted.runs.items()
        # A run may have several tags, and captures of several branches.
        if value and count == runs
    ]


def _count_known(counted: FacetCounts) -> int:
    """Count the values of a facet, without the missing value."""
    return counted.values - ("" in counted.runs)
