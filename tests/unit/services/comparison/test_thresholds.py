import pytest

from services.comparison.thresholds import parse_thresholds


def test_percentages_become_shares():
    texts = ["gmacs_mean=5", "lock_stall=0.5"]
    assert parse_thresholds(texts) == {"gmacs_mean": 0.05, "lock_stall": 0.005}
    assert parse_thresholds([]) == {}


@pytest.mark.parametrize(
    "text",
    [
        "gmacs_mean",
        "gmacs_mean=",
        "gmacs_mean=x",
        "gmacs_mean=-1",
        "gmacs_mean=nan",
        "gmacs_mean=٣",
        "gmacs_mean=1_0",
        "no=3",
    ],
)
def test_what_is_none_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=text.replace("=", "[=]")):
        parse_thresholds([text])
