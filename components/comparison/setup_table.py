"""Table of the settings of both sides of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dash import html

from components.numbers import DASH, rate_text, shorten

_MAX_NAME_LENGTH = 60
_LABELS: Mapping[str, str] = {
    "mac_dtype": "data type",
    "clock_hz": "clock",
    "peak_macs_per_cycle": "peak, MAC/cycle",
}
"""Setting -> its label; for all other settings the label is the name with spaces."""


def setup_table(settings: Sequence[Mapping[str, object]]) -> html.Table:
    """Lay out settings (dicts with key, base and new) as a table in order; settings that differ are
    marked.
    """
    heads = [html.Th(words, scope="col") for words in ("setting", "base", "new")]
    return html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([_row(setting) for setting in settings])],
        className="ts-setup",
    )


def setting_label(key: str) -> str:
    """Return the label of a setting: its own label if it has one, else its name with spaces for
    `_`.
    """
    return _LABELS.get(key, key.replace("_", " "))


def setting_text(key: str, value: object) -> str:
    """Format the value of a setting, `clock_hz` with a unit, a long text shortened to 60
    characters; a dash if it is None.
    """
    if value is None:
        return DASH
    if key == "clock_hz" and isinstance(value, float):
        return rate_text(value, "Hz")
    return f"{value:g}" if isinstance(value, float) else shorten(str(value), _MAX_NAME_LENGTH)


def _row(setting: Mapping[str, object]) -> html.Tr:
    key = str(setting["key"])
    differs = setting["base"] != setting["new"]
    cells = [
        html.Td(setting_text(key, setting[side]), className="ts-number") for side in ("base", "new")
    ]
    classes = "ts-differs" if differs else ""
    return html.Tr([html.Th(setting_label(key), scope="row"), *cells], className=classes)
