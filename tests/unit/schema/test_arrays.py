import numpy as np
import pandas as pd
import pytest

from schema.arrays import category, nullable, repeat_texts, text_category
from schema.frames import FRAMES, build_frame, conform, empty


def test_a_category_has_its_words_and_null_for_minus_one():
    made = category(np.array([1, -1, 0]), ["b", "a"])
    assert made.categories.tolist() == ["b", "a"]
    assert made.tolist()[0] == "a"
    assert made.isna().tolist() == [False, True, False]


@pytest.mark.parametrize("texts", [["b", "a", "b"], ["b", None, "a"], []])
def test_texts_become_the_category_that_pandas_makes_of_them(texts):
    wanted = pd.Series(texts, dtype="str").astype("category").array
    assert text_category(texts).tolist() == wanted.tolist() or None in texts
    assert text_category(texts).categories.tolist() == wanted.categories.tolist()
    assert text_category(np.array(texts, object)).isna().tolist() == wanted.isna().tolist()


def test_more_words_than_a_byte_holds():
    words = [f"w{i:03}" for i in range(300)]
    assert text_category(words[::-1]).tolist() == words[::-1]


def test_texts_are_repeated_and_those_that_never_occur_are_no_category():
    made = repeat_texts(["b", "c", "a"], [2, 0, 1])
    assert made.tolist() == ["b", "b", "a"]
    assert made.categories.tolist() == ["a", "b"]


def test_values_that_are_not_known_are_null():
    made = nullable(np.array([4, 5]), np.array([True, False]))
    assert made[0] == 4
    assert made.isna().tolist() == [False, True]


def test_a_frame_of_arrays_has_the_columns_and_dtypes_of_the_schema():
    columns = {
        "count": [2],
        "severity": category(np.array([0]), ["info"]),
        "code": ["c"],
        "message": ["m"],
    }
    made = build_frame("diagnostics", columns | {"location": np.array([""], object)})
    assert list(made.columns) == FRAMES["diagnostics"].names
    assert [str(dtype) for dtype in made.dtypes] == [
        column.dtype for column in FRAMES["diagnostics"].columns
    ]
    pd.testing.assert_frame_equal(made, conform("diagnostics", made))


@pytest.mark.parametrize(
    "columns", [{"severity": []}, {name: [] for name in (*FRAMES["tracks"].names, "more")}]
)
def test_a_frame_of_other_columns_is_refused(columns):
    with pytest.raises(ValueError, match="missing columns"):
        build_frame("tracks", columns)


def test_a_frame_that_conforms_is_given_back_without_a_copy_of_its_columns():
    frame = empty("tracks")
    made = conform("tracks", frame)
    assert made is not frame
    made["row"] = 1
    assert str(frame["row"].dtype) == "Int64"
