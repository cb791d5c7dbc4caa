"""Correction for many tests at once, by the Benjamini-Hochberg procedure."""

from __future__ import annotations

import numpy as np

from schema.array_types import Bools, Floats

_FALSE_SHARE = 0.05


def is_significant(p: Floats) -> Bools:
    """Mask of the tests that are significant by the procedure of Benjamini and Hochberg (1995), in
    the order of `p`, the p-values of all tests.

    At most 5 % of the significant tests are expected to be false alarms.
    """
    order = np.argsort(p, kind="stable")
    passes = np.flatnonzero(p[order] <= _FALSE_SHARE * np.arange(1, len(p) + 1) / max(1, len(p)))
    result = np.zeros(len(p), bool)
    result[order[: passes[-1] + 1 if len(passes) else 0]] = True
    return result
