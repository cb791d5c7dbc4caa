import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.selection import has_name, name_key


@given(st.lists(st.text(max_size=400), min_size=1, unique=True))
def test_a_key_is_short_and_finds_its_name_alone(names: list[str]) -> None:
    column = pd.Series(names, dtype=object)
    for place, name in enumerate(names):
        key = name_key(name)
        assert 0 < len(key) <= 120
        assert has_name(column, key).tolist() == [other == place for other in range(len(names))]


def test_usual_names_are_their_own_keys() -> None:
    assert name_key("r_32_64_2_4_4_64_4") == "r_32_64_2_4_4_64_4"
    assert has_name(pd.Series(["a", None, "b"]), "a").tolist() == [True, False, False]
