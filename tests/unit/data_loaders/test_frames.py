import pandas as pd
import pytest

from data_loaders.frames import FRAMES, conform, empty, markdown


@pytest.mark.parametrize("name", FRAMES)
def test_an_empty_frame_has_the_schemas_columns_and_types(name):
    frame = empty(name)
    assert len(frame) == 0
    assert list(frame.columns) == FRAMES[name].names
    assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in FRAMES[name].columns]


@pytest.mark.parametrize("name", FRAMES)
def test_every_column_has_a_meaning_and_is_named_once(name):
    spec = FRAMES[name]
    assert len(set(spec.names)) == len(spec.names)
    assert all(column.meaning for column in spec.columns)


@pytest.mark.parametrize("name", FRAMES)
def test_conforming_twice_changes_nothing(name):
    once = conform(name, empty(name))
    pd.testing.assert_frame_equal(conform(name, once), once)


def test_conform_orders_columns_and_casts():
    shuffled = pd.DataFrame({"count": ["2"], "message": ["m"], "severity": ["info"], "location": [""], "code": ["c"]})
    frame = conform("diagnostics", shuffled.astype({"count": int}))
    assert list(frame.columns) == FRAMES["diagnostics"].names
    assert frame["count"].tolist() == [2]
    assert str(frame["severity"].dtype) == "category"


def test_conform_names_what_is_missing_and_what_is_unknown():
    wrong = empty("diagnostics").drop(columns="code").assign(colour="red")
    with pytest.raises(
        ValueError, match=r"frame diagnostics: missing columns \['code'\], unknown columns \['colour'\]"
    ):
        conform("diagnostics", wrong)


def test_conform_refuses_what_cannot_be_cast():
    rows = pd.DataFrame({"track": ["a"], "name": ["b"], "kernel": [1], "instance": [1], "value": ["many"]})
    with pytest.raises(ValueError, match="many"):
        conform("counters", rows)


def test_the_schema_in_words_names_every_frame_and_column():
    text = markdown()
    for spec in FRAMES.values():
        assert f"## {spec.name}\n" in text
        for column in spec.columns:
            assert f"| `{column.name}` | {column.dtype} | {column.unit or '-'} | {column.meaning} |" in text
