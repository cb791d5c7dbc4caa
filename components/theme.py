"""All colours of the product, and the plotly template and CSS variables that use them.

`python -m components.theme` writes `assets/theme.css`, so that pages and plots use the same
colours.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace"
FADE = 0.33
"""Opacity of items that are not selected."""
UIREVISION = "keep"
"""Constant, so that plotly keeps zoom and hidden traces when a figure gets new data."""


@dataclass(frozen=True)
class Palette:
    """The colours of one theme; a colour means the same on every page."""

    page: str
    panel: str
    raised: str
    ink: str
    muted: str
    grid: str
    border: str
    link: str
    selection: str
    capacity: str
    trouble: str
    caution: str
    good: str
    warmup: str
    perf: str
    extra: str
    lock: str
    memory: str
    stream: str
    cascade: str
    vector: str
    reference: str
    missing: str


PALETTES: Mapping[str, Palette] = MappingProxyType(
    {
        "light": Palette(
            page="#f4f5f7",
            panel="#ffffff",
            raised="#eef0f3",
            ink="#1d2530",
            muted="#5b6776",
            grid="#e6e9ed",
            border="#d3d8df",
            link="#0b5cad",
            selection="#111820",
            capacity="#1d2530",
            trouble="#c8102e",
            caution="#8a5a00",
            good="#2f6f3e",
            warmup="#9aa3ad",
            perf="#2f6fb7",
            extra="#b9d3ee",
            lock="#e0a100",
            memory="#8a5fc7",
            stream="#169a8f",
            cascade="#91613a",
            vector="#5f9440",
            reference="#5b6776",
            missing="#dfe3e8",
        ),
        "dark": Palette(
            page="#12161c",
            panel="#1a2029",
            raised="#232b36",
            ink="#e4e8ee",
            muted="#9aa7b6",
            grid="#2a333f",
            border="#36414f",
            link="#7db7f0",
            selection="#ffffff",
            capacity="#e4e8ee",
            trouble="#ff6071",
            caution="#e6b34a",
            good="#7cc48b",
            warmup="#78828e",
            perf="#4f93de",
            extra="#33506f",
            lock="#e5ab1e",
            memory="#a583de",
            stream="#2db3a7",
            cascade="#b07c50",
            vector="#7fb35e",
            reference="#9aa7b6",
            missing="#2a333f",
        ),
    }
)

CATEGORICAL = (
    "#4477aa",
    "#dd8452",
    "#4c9a5b",
    "#aa4f93",
    "#4fb3cf",
    "#b8a52e",
    "#7b6cc9",
    "#2f9c8c",
    "#97714f",
    "#7f8fa1",
)
"""Ten colours for names: no red, which means trouble, and each readable on white and on black."""

SEQUENTIAL = (
    "#00224e",
    "#123570",
    "#3b496c",
    "#575d6d",
    "#707173",
    "#8a8678",
    "#a59c74",
    "#c3b369",
    "#e1cc55",
    "#fee838",
)
"""Cividis, from low to high: lightness rises evenly, and it looks the same to colour-blind people.
"""

FILLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "light": (
            "#ddeaf5",
            "#bbd6ef",
            "#9ac1e8",
            "#7dacdf",
            "#6496d2",
            "#5081c2",
            "#3f6cae",
            "#315798",
            "#264480",
            "#1b3168",
        ),
        "dark": (
            "#283345",
            "#304562",
            "#365980",
            "#3c6e9c",
            "#4383b6",
            "#4f9acd",
            "#60b1e0",
            "#78c7f1",
            "#93ddff",
            "#b1f3ff",
        ),
    }
)
"""Colours of a share from nearly empty to full, per theme.

Nearly empty is close to the panel's colour.

One hue with even steps of lightness (OKLCH).
"""

ANSI: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "light": {
            "black": "#5b6776",
            "red": "#b0401f",
            "green": "#2f6f3e",
            "yellow": "#7d6300",
            "blue": "#2461c4",
            "magenta": "#9c2f8f",
            "cyan": "#0b7285",
            "white": "#1d2530",
        },
        "dark": {
            "black": "#9aa7b6",
            "red": "#ef8a6a",
            "green": "#7cc48b",
            "yellow": "#e3c04d",
            "blue": "#7aa7ff",
            "magenta": "#e08ad4",
            "cyan": "#56c8dc",
            "white": "#e4e8ee",
        },
    }
)
"""Colours that a tool gives to parts of names: theme -> terminal colour name -> colour.

Its red differs from the colour of trouble.
"""

_EVENT_COLOURS = MappingProxyType(
    {
        "LOCK_STALL": "lock",
        "MEMORY_STALL": "memory",
        "STREAM_STALL": "stream",
        "CASCADE_STALL": "cascade",
        "INSTR_VECTOR": "vector",
    }
)
"""Event name -> field of `Palette`."""
_KIND_COLOURS = MappingProxyType({"main": "perf", "short": "extra", "long": "warmup"})
"""Kind of kernels of a capture -> field of `Palette`; `perf` is the colour of measured work."""


def palette(theme: str) -> Palette:
    """Return the palette of a theme; any name other than `dark` gives the light palette."""
    return PALETTES.get(theme, PALETTES["light"])


def name_color(name: str) -> str:
    """Choose one of the ten CATEGORICAL colours for a name by its hash: the same in every view, run
    and process.
    """
    # Not `hash`, which differs between processes.
    return CATEGORICAL[zlib.crc32(name.encode("utf-8", "replace")) % len(CATEGORICAL)]


def kind_color(kind: str, theme: str) -> str:
    """Choose the colour of a kind of kernels of a capture: `main`, `short` and `long` have a fixed
    colour of the theme, in every view; other kinds the colour of `name_color`.
    """
    # Kinds beyond these are rare, such as `short 2`, so that a colour of the hash suffices.
    role = _KIND_COLOURS.get(kind)
    return getattr(palette(theme), role) if role else name_color(kind)


def event_color(name: str, theme: str) -> str:
    """Choose the colour of an event: stalls and vector work have a fixed colour of the theme, other
    names the colour of `name_color`.
    """
    role = _EVENT_COLOURS.get(name)
    return getattr(palette(theme), role) if role else name_color(name)


def phase_color(phase: str, theme: str) -> str:
    """Return the colour of a phase (warmup, perf or extra); `muted` for other names."""
    colours = palette(theme)
    return {"warmup": colours.warmup, "perf": colours.perf, "extra": colours.extra}.get(
        phase, colours.muted
    )


def fade(colour: str, alpha: float) -> str:
    """Convert a #rrggbb colour to `rgba(r,g,b,alpha)` with an opacity of 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def colorscale() -> list[list[float | str]]:
    """Build the sequential colour scale in plotly's form: [position 0 to 1, colour] pairs, from low
    to high.
    """
    last = len(SEQUENTIAL) - 1
    return [[i / last, colour] for i, colour in enumerate(SEQUENTIAL)]


def fill_scale(theme: str) -> list[list[float | str]]:
    """Build the colour scale of shares in plotly's form: [position 0 to 1, colour] pairs, from
    empty to full.

    A share of exactly 0 has the colour of the panel.
    """
    shades = FILLS.get(theme, FILLS["light"])
    last = len(shades) - 1
    rising: list[list[float | str]] = [[i / last, shades[i]] for i in range(1, last + 1)]
    # Two entries next to each other make a step: a tiny share differs from exactly 0.
    return [[0.0, palette(theme).panel], [1e-6, shades[0]], *rising]


@cache
def template(theme: str) -> Mapping[str, Any]:
    """Build the plotly template of a theme as a plain mapping with the key `layout`; any name other
    than `dark` gives the light theme.
    """
    colours = palette(theme)
    axis = {
        "gridcolor": colours.grid,
        "linecolor": colours.border,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": colours.border,
        "tickfont": {"color": colours.muted, "size": 11},
        "title": {"font": {"color": colours.muted, "size": 12}, "standoff": 6},
        "automargin": True,
    }
    layout = {
        "paper_bgcolor": colours.panel,
        "plot_bgcolor": colours.panel,
        "font": {"family": FONT, "size": 12, "color": colours.ink},
        "colorway": list(CATEGORICAL),
        # Decimal point and thin space between thousands, as in `components.numbers`.
        "separators": ".\u202f",
        "hoverlabel": {
            "bgcolor": colours.raised,
            "bordercolor": colours.border,
            "font": {"family": MONO, "size": 12, "color": colours.ink},
            "align": "left",
        },
        "xaxis": axis,
        "yaxis": axis,
        "legend": {
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "font": {"size": 11},
        },
        "margin": {"l": 48, "r": 16, "t": 28, "b": 40},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": colours.muted, "activecolor": colours.ink},
        "dragmode": "zoom",
    }
    return MappingProxyType({"layout": layout})


def css() -> str:
    """Build the text of `assets/theme.css`: every colour as a custom property, per theme."""
    lines = ["/* Written by `python -m components.theme`; change components/theme.py instead. */"]
    for name, colours in PALETTES.items():
        lines.append(f'{":root, " if name == "light" else ""}[data-bs-theme="{name}"] {{')
        lines += [f"  --ts-{key}: {value};" for key, value in asdict(colours).items()]
        lines += [f"  --ts-ansi-{key}: {value};" for key, value in ANSI[name].items()]
        lines += [f"  --ts-name-{i}: {value};" for i, value in enumerate(CATEGORICAL)]
        lines += [f"  --ts-font: {FONT};", f"  --ts-mono: {MONO};", f"  color-scheme: {name};", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent.parent / "assets" / "theme.css").write_text(css(), encoding="utf-8")
