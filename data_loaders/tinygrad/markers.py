"""Markers of the user's program in a tinygrad capture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import Capture, Marker
from data_loaders.tinygrad.clock import Clock
from data_loaders.tinygrad.columns import texts
from data_loaders.tinygrad.names import plain, without_folders
from data_loaders.tinygrad.records import text_field
from schema.css_colours import css_colour
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import build_frame

DEFAULT_COLOUR = "gray"


def markers_frame(
    capture: Capture, clock: Clock, strip: bool
) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build a row per marker, by time: name, start (ns), colour (a CSS word or #hex).

    If `strip`, folders of files are removed from names. A colour of another form is replaced by
    gray, and a finding counts such markers.
    """
    at = clock.since(marker.at for marker in capture.markers)
    order = np.argsort(at, kind="stable")
    markers = [capture.markers[place] for place in order.tolist()]
    names = [text_field(marker.fields, "name") for marker in markers]
    colours = [css_colour(marker.fields.get("color", DEFAULT_COLOUR)) for marker in markers]
    columns = {
        "name": texts(plain(without_folders(name) if strip else name) for name in names),
        "start": at[order],
        "colour": texts(colour or DEFAULT_COLOUR for colour in colours),
    }
    return build_frame("markers", columns), _findings(markers, colours)


def _findings(markers: Sequence[Marker], colours: Sequence[str | None]) -> list[Diagnostic]:
    odd = sum(colour is None for colour in colours)
    text = (
        f"of {len(markers)} with a colour that is neither a CSS colour name nor #hex: shown in gray"
    )
    return occurrences("warning", "marker_colour", odd, "marker", text)
