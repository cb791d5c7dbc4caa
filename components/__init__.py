"""Pure functions from frames and view state to figures and layouts.

Plots of a run, one module each, all `(frames..., selection, theme, *, options) -> plotly figure`: `timeline` (with
`timeline_rows`), `overview`, `iterations`, `durations`, `floorplan`, `stalls`. Around them: `graph` makes a figure a
graph on a page, `answers` puts each panel in one line, `health`, `summary` and `tables` lay out findings and numbers.
`theme` has the colours, `numbers` how numbers and names read.

Binary arrays do not come back from a browser: what a click must tell is in `customdata` as objects, or is found by
place (`timeline.clicked`).
"""
