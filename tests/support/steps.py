"""Records the progress of an ingest."""

from ingest.steps import ProgressListener


class Told(ProgressListener):
    """Records all notifications; `on_begun` is called with the index of each run, and the ingest
    ends after `until` runs.
    """

    def __init__(self, on_begun=None, until=None):
        self.names, self.starts, self.ends = [], [], []
        self._on_begun, self._until = on_begun, until

    def on_plan(self, names):
        self.names = list(names)

    def on_begin(self, index):
        self.starts.append(index)
        if self._on_begun:
            self._on_begun(index)

    def on_end(self, index, reason):
        self.ends.append((index, reason))
        return self._until is None or len(self.ends) < self._until
