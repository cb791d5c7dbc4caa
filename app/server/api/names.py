"""Names that people choose as parts of routes: they may contain slashes."""

from __future__ import annotations

from werkzeug.routing import BaseConverter


class NameConverter(BaseConverter):
    """A part `<text:name>` of a route: any text of at least one character, as `%2F` has become `/` before routing."""

    regex = r"(?s:.+?)"
    part_isolating = False
    weight = 200
    """As werkzeug's own converter of paths: after those of one part."""
