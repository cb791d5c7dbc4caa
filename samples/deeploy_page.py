"""The plan as Deeploy's memory_alloc.html: a plotly figure per level, on one line of a script."""

from __future__ import annotations

import json
from collections.abc import Iterator

from samples.deeploy_network import CAPACITY, CONSTANTS, HOME, NETWORK
from samples.deeploy_plan import PlannedBuffer

_TITLE = "Memory Allocation - Provided By PULP Platform"
_PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
                <meta charset="UTF-8">
                <title>{title}</title>
                <script src="https://cdn.plot.ly/plotly-latest.min.js"></script>
            </head>
            <body>
                <h1 style="text-align: center;">{title}</h1>
{figures}
            </body>
            </html>
"""
_FIGURE = """
        <div class="resizable-container">
            <div class="plot" id="plot-{level}"></div>
        </div>
        <script>
            (function() {{
                var fig = {figure};
                Plotly.newPlot("plot-{level}", fig.data, fig.layout, {{responsive: true}});
            }})();
        </script>
"""


def page(plan: dict[str, list[PlannedBuffer]], tool: str) -> str:
    """Return the HTML; `tool` is the name of the tool in its title."""
    figures = "".join(
        _FIGURE.format(level=level, figure=_figure(level, blocks)) for level, blocks in plan.items()
    )
    return _PAGE.format(title=f"{tool} {_TITLE}", figures=figures)


def _figure(level: str, blocks: list[PlannedBuffer]) -> str:
    axes = {
        "xaxis": {"title": {"text": "Lifetime"}},
        "yaxis": {"title": {"text": "Address Space (Bytes)"}},
    }
    layout = {**axes, "title": {"text": f"Memory Allocation - {level}"}, "showlegend": False}
    return json.dumps({"data": [*_traces(level, blocks)], "layout": layout}, separators=(",", ":"))


def _traces(level: str, blocks: list[PlannedBuffer]) -> Iterator[dict[str, object]]:
    """Yield the outlines of constants and, above them, of blocks, and the capacity line."""
    top = 0
    for constant in CONSTANTS if level == HOME else ():
        # Constants end later than any block, which is how a reader can tell them from blocks.
        yield _closed_shape(constant.name, (-0.5, len(NETWORK) + 1.5), top, top + constant.size)
        top += constant.size
    for block in blocks:
        # The plot stacks the arena on the constants: y is an address plus the size of the
        # constants.
        yield _closed_shape(
            block.name, (block.first - 0.5, block.last + 0.5), top + block.low, top + block.high
        )
    # The tool draws the capacity as the last trace, under this name.
    name = f"{level} Memory Size"
    line = {"color": "red", "dash": "dash", "width": 2}
    # Readers get the number of steps from the end of this line.
    ends = {"x": [-0.5, len(NETWORK) - 0.5], "y": [CAPACITY[level]] * 2}
    yield {
        "fill": "toself",
        "hoverinfo": "text",
        "line": line,
        "mode": "lines",
        "name": name,
        "text": name,
        **ends,
    }


def _closed_shape(name: str, span: tuple[float, float], low: int, high: int) -> dict[str, object]:
    points = {"x": [span[0], span[0], span[1], span[1]], "y": [low, high, high, low]}
    look = {"fill": "toself", "hoverinfo": "text", "line": {"width": 2}, "mode": "lines"}
    return {**look, "name": name, "text": name, **points, "type": "scatter"}
