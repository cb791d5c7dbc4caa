"""Cases of parametrised tests that `make test` leaves to `make slow`."""

from collections import Counter

import pytest

_COLLECTED: Counter[str] = Counter()
"""Name of a parametrised test -> number of its cases that were collected so far."""


def quick_first(first, *others):
    """Return the cases of a parametrised test; all but the first are marked slow."""
    values = (other if isinstance(other, tuple) else (other,) for other in others)
    return [first, *(pytest.param(*each, marks=pytest.mark.slow) for each in values)]


def mark_further_cases(item: pytest.Item):
    """Mark a case as slow unless its number is divisible by the number that `quick_every` has.

    Cases of several sources follow each other, so that every fifth is a better sample than the first few.
    """
    quick = item.get_closest_marker("quick_every")
    if quick is None:
        return
    name = item.nodeid.split("[")[0]
    if _COLLECTED[name] % quick.args[0]:
        item.add_marker(pytest.mark.slow)
    _COLLECTED[name] += 1
