"""A loader of a made-up source: lines `track start end`, after a first line `fake <name>`."""

import pandas as pd

from data_loaders.protocol import Bundle, LoadedRun, LoadError
from data_loaders.reading.files import open_content
from schema.diagnostics import Diagnostic
from schema.frames import conform


class FakeLoader:
    name = "fake"
    reads = "made-up files"
    setting_names = frozenset({"hwid", "M", "K", "N", "clock_hz", "name"})
    version = "1"

    def __init__(self):
        self.loads = 0

    def sniff(self, path, head):
        return None if head.startswith(b"fake") else "does not begin with fake"

    def bundle(self, path):
        """Bundle a file with its companion `<name>.note`, if it exists."""
        note = path.with_suffix(".note")
        return Bundle(path, (note,) if note.is_file() else ())

    def load(self, path, settings, origin=None, companions=()):
        self.loads += 1
        with open_content(path) as stream:
            first, *lines = stream.read().decode().splitlines()
        if first == "fake unreadable":
            raise LoadError(f"{path}: line 2 is missing")
        if first == "fake broken":
            raise KeyError("left out")
        metadata = {
            "name": first.split()[1],
            "clock_hz": float(settings.get("clock_hz", 1e9)),
            "time_unit": "cycles",
        }
        metadata |= {key: int(settings[key]) for key in "MKN" if key in settings}
        metadata |= {key: settings[key] for key in ("hwid", "name") if key in settings}
        metadata |= dict.fromkeys(
            ["tags"] if companions else [], " ".join(note.read_text() for note in companions)
        )
        diagnostics = [Diagnostic("warning", "made_up", "nothing is real")]
        return LoadedRun(metadata, {"events": _events(lines)}, diagnostics)


def _events(lines):
    rows = [line.split() for line in lines]
    frame = pd.DataFrame(
        {
            "track": [row[0] for row in rows],
            "lane": "lane",
            "name": "EVENT",
            "start": [int(row[1]) for row in rows],
            "end": [int(row[2]) for row in rows],
            "opened": True,
            "closed": True,
        }
    )
    return conform("events", frame)
