"""Marks of tests with several cases."""

import pytest


def quick_first(first, *others):
    """Return the cases of a parametrised test; all but the first are marked slow."""
    values = (other if isinstance(other, tuple) else (other,) for other in others)
    return [first, *(pytest.param(*each, marks=pytest.mark.slow) for each in values)]
