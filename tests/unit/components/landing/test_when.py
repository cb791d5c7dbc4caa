"""The age of a run in words: minutes, hours, last night, days."""

import pytest

from components.landing.when import is_of_last_day, when_words

AS_OF = "2026-11-20T09:00:00+00:00"


@pytest.mark.parametrize(
    ("taken_at", "words"),
    [
        ("2027-01-01T00:00:00+00:00", "dated in the future"),
        ("2026-11-20T09:01:00+00:00", "dated in the future"),
        ("2026-11-20T09:00:59+00:00", "just now"),
        ("2026-11-20T08:59:01+00:00", "just now"),
        ("2026-11-20T08:59:00+00:00", "1 min ago"),
        ("2026-11-20T08:01:00+00:00", "59 min ago"),
        ("2026-11-20T08:00:00+00:00", "1 h ago"),
        ("2026-11-20T07:59:00+00:00", "last night, 1 h ago"),
        ("2026-11-20T09:59:00+02:00", "last night, 1 h ago"),
        ("2026-11-20T00:00:00+00:00", "last night, 9 h ago"),
        ("2026-11-19T18:00:00+00:00", "last night, 15 h ago"),
        ("2026-11-19T17:59:00+00:00", "15 h ago"),
        ("2026-11-19T09:00:01+00:00", "23 h ago"),
        ("2026-11-19T09:00:00+00:00", "1 day ago"),
        ("2026-11-13T09:00:00+00:00", "7 days ago"),
    ],
)
def test_an_age_has_its_words(taken_at, words):
    assert when_words(taken_at, AS_OF) == words


def test_the_last_day_ends_after_24_hours():
    assert is_of_last_day("2026-11-19T09:00:01+00:00", AS_OF)
    assert not is_of_last_day("2026-11-19T09:00:00+00:00", AS_OF)
