"""Stub."""
from __future__ import annotations
from components.graph import empty_figure
def roofline(rows, peaks, selected, theme):
    return empty_figure("later", theme)
