"""What the views of a profile draw from: kernels by program, launches, programs, markers, counters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import pandas as pd

from analysis.profile.kernel_table import kernel_table
from data_loaders.frames import empty


class ProfileData:
    """A run whose source names its kernels; `kernels` is the whole frame, the others are read when asked for."""

    def __init__(self, stored: Mapping[str, pd.DataFrame]) -> None:
        self._stored = stored
        self.kernels = stored["kernels"]

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame, empty where the run has none."""
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return all kernels by program, see `analysis.profile.kernel_table`."""
        return kernel_table(self.kernels)
