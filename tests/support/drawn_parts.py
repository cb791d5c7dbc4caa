"""Texts of the parts of a page, as a browser shows them."""

import json

from plotly.utils import PlotlyJSONEncoder

from components.theme import template


def text(properties):
    return json.dumps(properties, cls=PlotlyJSONEncoder, sort_keys=True)


def shown_text(part):
    """Write the properties of a part as JSON text with the template that the browser applies,
    without the marks of the window in a strip, which the browser draws itself.
    """
    if "figure" not in part:
        return text(part)
    figure = part["figure"].with_layout(template=template("light"))
    if "strip" in figure.to_plotly_json()["layout"].get("meta", {}):
        figure = figure.with_layout(shapes=[])
    return text(part | {"figure": figure})
