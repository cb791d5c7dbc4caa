"""Pure functions from frames and view state to figures and layouts; no file, database or callback.

A folder per family of views (`timeline`, `kernels`, `memory`, `tiling`, `program`, `aie`), and per
page (`lab`, `runs`, `comparison`, `jobs`, `query`). A plot is a function `(frames..., selection,
theme, *, options) -> Figure`. `graph` wraps a figure for a page, `caption` has the sentence above a
view, `health`, `summary` and `tables` lay out findings and numbers, `theme` has the colours,
`numbers` the formats of numbers and names.

A browser does not send binary arrays back: data that a click needs is in `customdata` as objects,
or is looked up by the clicked position (`timeline.clicked`).
"""
