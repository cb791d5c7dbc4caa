"""What a browser would make of an HTML file."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects what a browser would run, fetch and show."""

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


def is_plotly(script):
    return "* plotly.js (" in script[:100]
