"""Parses an HTML file as a browser would."""

import base64
import gzip
import json
from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects the scripts, requests and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.addresses, self.words, self._in = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self._in = tag
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._in = ""

    def handle_data(self, data):
        if self._in == "script":
            self.scripts[-1] += data
        elif self._in != "style":
            self.words.append(data)

    @property
    def plots(self):
        """List the figures that the page draws, with their settings."""
        return [json.loads(script) for script in self.scripts if script.startswith('{"data"')]


def is_plotly(script):
    """Whether a script is plotly.js as snapshots embed it."""
    packed = script.startswith("H4sI")
    return (
        packed
        and b"* plotly.js (" in gzip.decompress(base64.b64decode(script, validate=True))[:100]
    )
