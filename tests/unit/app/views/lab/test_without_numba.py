"""The page of the lab where numba is not installed."""

from importlib import util

import pytest

from app.pages.lab.binding import open_lab
from app.pages.lab.callbacks import solve
from app.pages.lab.head import status_words
from app.views.lab.state import LabState


@pytest.fixture
def without_numba(monkeypatch):
    monkeypatch.setattr(
        "analysis.allocators.compiler.find_spec", lambda name: None if name == "numba" else util
    )


@pytest.fixture
def started(laboratory, monkeypatch):
    """The strategies of the searches that were begun."""
    context, _ = laboratory
    found = []
    begin = lambda _user, tasks: found.extend(task.question.strategy for task in tasks)  # noqa: E731
    monkeypatch.setattr(context.lab.searches, "start", begin)
    return found


@pytest.mark.slow
def test_the_search_says_what_it_lacks_and_all_others_are_begun(laboratory, without_numba, started):
    context, names = laboratory
    state = LabState(seed=77)
    data = open_lab(context, names["harbour.81920"], state)
    assert "numba" in status_words(data, state)
    solve(context, state, data, every=True)
    assert "best_fit" in started and "search" not in started


def test_a_simple_strategy_is_asked_as_ever(laboratory, without_numba, started):
    context, names = laboratory
    state = LabState(strategy="first_fit", seed=77)
    data = open_lab(context, names["harbour.81920"], state)
    assert "numba" not in status_words(data, state)
    solve(context, state, data, every=False)
    assert started == ["first_fit"]
