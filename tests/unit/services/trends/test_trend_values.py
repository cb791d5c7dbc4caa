"""Numbers of a file as series."""

import json

import pytest

from services.trends.trend_values import TrendFileError, read_trends
from tests.support.trends import levels


def test_each_series_of_a_file_has_its_development(tmp_path):
    file = tmp_path / "values.json"
    series = [{"name": "a", "values": levels((100, 20), (80, 20))}, {"name": "b", "values": [1, 2]}]
    file.write_text(json.dumps({"series": series}))
    one, other = read_trends(file, -1)
    (step,) = one.development.steps
    assert (one.name, step.first, step.verdict) == ("a", 20, "improved")
    assert other.values == [1.0, 2.0]
    assert other.development.note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"series": {}}',
        '{"series": [1]}',
        '{"series": [{"name": "a"}]}',
        '{"series": [{"values": [1]}]}',
        '{"series": [{"name": "a", "values": ["1"]}]}',
        '{"series": [{"name": "a", "values": [true]}]}',
        '{"series": [{"name": "a", "values": [NaN]}]}',
        '{"series": [{"name": "a", "values": [1e999]}]}',
        '{"series": [{"name": "a", "values": [1' + "0" * 400 + "]}]}",
        "[" * 100_000,
        "\xff",
    ],
)
def test_a_file_of_another_form_is_refused_in_one_line(tmp_path, text):
    file = tmp_path / "values.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(TrendFileError) as refusal:
        read_trends(file, 1)
    assert "\n" not in str(refusal.value)
