"""Reads which traces a bundle of plotly.js has."""

import re

from app.config.assets import PLOTLY

BUNDLE = PLOTLY.read_text(encoding="utf-8")


def traces_of(bundle: str) -> set[str]:
    """List the names of the trace types that a minified bundle registers."""
    return set(re.findall(r'moduleType:"trace",name:"(\w+)"', bundle))
