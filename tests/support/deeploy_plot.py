"""Pages of memory plots as Deeploy writes them."""

import base64
import json
import struct

from tests.support.deeploy_net import TOY

PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
                <title>Deeploy Memory Allocation - Provided By PULP Platform</title>
                <script src="https://cdn.plot.ly/plotly-latest.min.js"></script>
            </head>
            <body>
{figures}
            </body>
            </html>
"""
FIGURE = """        <div class="plot" id="plot-{level}"></div>
        <script>
            (function() {{
                var fig = {figure};
                Plotly.newPlot("plot-{level}", fig.data, fig.layout);
            }})();
        </script>
"""
LAYOUT = {
    "template": {"data": {"bar": [{"type": "bar"}, {"type": "bar"}]}},
    "title": {"text": "Memory Allocation"},
}


def packed(values):
    """Return numbers as plotly packs an array."""
    return {
        "dtype": "f8",
        "bdata": base64.b64encode(struct.pack(f"<{len(values)}d", *values)).decode(),
    }


def traces(level, placed, steps):
    """Return the traces of one level as Deeploy draws them."""

    def closed(name, first, last, low, high):
        x, y = [first - 0.5, first - 0.5, last + 0.5, last + 0.5], [low, high, high, low]
        style = {"fill": "toself", "hoverinfo": "text", "line": {"width": 2}, "mode": "lines"}
        return style | {"name": name, "text": name, "x": x, "y": y, "type": "scatter"}

    drawn, top = [], 0
    for name, size in placed.constants:
        drawn.append(closed(name, 0, steps + 1, top, top + size))
        top += size
    drawn += [
        closed(name, first, last, top + low, top + high)
        for name, first, last, low, high in placed.blocks
    ]
    line = {
        "mode": "lines",
        "name": f"{level} Memory Size",
        "x": [-0.5, steps - 0.5],
        "y": [placed.capacity] * 2,
    }
    return [*drawn, line | {"type": "scatter", "line": {"color": "red", "dash": "dash"}}]


def page(figures):
    """Return the page of (level, figure as JSON text) pairs."""
    return PAGE.format(
        figures="".join(FIGURE.format(level=level, figure=figure) for level, figure in figures)
    )


def plot_html(net=TOY, pack=False):
    """Return memory_alloc.html; `pack` writes coordinates as binary arrays."""
    figures = []
    for level, placed in net.levels.items():
        data = traces(level, placed, net.steps)
        if pack:
            data = [trace | {"x": packed(trace["x"]), "y": packed(trace["y"])} for trace in data]
        figures.append((level, json.dumps({"data": data, "layout": LAYOUT}, separators=(",", ":"))))
    return page(figures)
