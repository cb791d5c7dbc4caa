"""Numbers of one measurement have the same kind of digits."""

import pytest

from components.metric_text import value_in_unit, values_in_unit
from components.results.numbers_grid import number_records, spread_words
from data_loaders.results.loader import ResultsLoader

RATES = "\n".join(
    [
        "name,value,unit,direction",
        *(f"rate,{value},tokens/s,more" for value in (311.5, 312.5, 308.9, 314.2)),
        "seed,42,,",
    ]
)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([312.0, 308.9, 314.2], ["312.0", "308.9", "314.2"]),
        ([312.0, 308.0, None], ["312", "308", "–"]),
        ([42.0], ["42"]),
        ([42.0, 0.5], ["42.00", "0.5000"]),
        ([], []),
    ],
)
def test_numbers_are_counts_only_if_all_are_whole(values, texts):
    assert values_in_unit(values, "") == texts
    if len(values) == 1:
        assert value_in_unit(values[0], "") == texts[0]


def test_a_row_of_the_results_has_one_kind_of_digits(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(RATES)
    results = ResultsLoader().load(path, {}).frames["results"]
    rate, seed = number_records(results)
    texts = [rate[name] for name in ("value_text", "minimum_text", "maximum_text")]
    assert texts == ["312.0 tokens/s", "308.9 tokens/s", "314.2 tokens/s"]
    assert all(text in spread_words(results, 0) for text in texts)
    assert seed["value_text"] == "42"
