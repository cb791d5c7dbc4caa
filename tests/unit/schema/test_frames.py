import pandas as pd
import pytest

from schema.frames import FRAMES, complete, conform, empty


@pytest.mark.parametrize("name", FRAMES)
def test_an_empty_frame_has_the_schemas_columns_and_types(name):
    frame = empty(name)
    assert len(frame) == 0
    assert list(frame.columns) == FRAMES[name].names
    assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in FRAMES[name].columns]


@pytest.mark.parametrize("name", FRAMES)
def test_every_column_has_a_meaning_and_is_named_once(name):
    spec = FRAMES[name]
    assert len({column.name for column in spec.every}) == len(spec.every)
    assert all(column.meaning for column in spec.every)


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


def test_further_columns_come_together_or_not_at_all():
    plain = empty("kernels")
    with pytest.raises(ValueError, match="frame kernels: missing columns"):
        conform("kernels", plain.assign(program=pd.Series([], dtype="Int64")))
    known = complete("kernels", {"track": ["CPU"], "program": [3]})
    assert list(known.columns) == [column.name for column in FRAMES["kernels"].every]
    assert list(complete("kernels", {"track": ["core 2,1"]}).columns) == FRAMES["kernels"].names
