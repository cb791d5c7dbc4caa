"""Which data made a render process work long: long requests shall not occupy all processes."""

from __future__ import annotations

from collections import OrderedDict

LONG_S = 1.0
"""Seconds of processor time above which a request counts as long."""
_MAX_LONG = 256
"""Number of data keys that are remembered."""


class LongWork:
    """Data keys whose last request was long; when there are too many the oldest is forgotten."""

    def __init__(self) -> None:
        self._data_keys: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, data_key: str) -> bool:
        return data_key in self._data_keys

    def note(self, data_key: str, processor_s: float) -> None:
        """Remember whether a request for the data was long.

        Its processor time counts, because every request is late on a machine with other work.
        """
        self._data_keys.pop(data_key, None)
        if processor_s > LONG_S:
            self._data_keys[data_key] = None
            if len(self._data_keys) > _MAX_LONG:
                self._data_keys.popitem(last=False)
