"""Route parsing of names that users choose: they may contain slashes."""

from __future__ import annotations

from werkzeug.routing import BaseConverter


class NameConverter(BaseConverter):
    """Converter for `<text:name>` in a route: any text that is not empty.

    It must match slashes, because `%2F` has become `/` before routing.
    """

    regex = r"(?s:.+?)"
    part_isolating = False
    weight = 200
    """Weight of werkzeug's converter of paths: routes with converters of single parts go first."""
