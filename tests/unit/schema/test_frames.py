import dataclasses

import pandas as pd
import pytest

from schema import frames
from schema.frames import FRAMES, complete, conform, empty, fill_frame, frame_of_records


@pytest.mark.parametrize("name", FRAMES)
def test_an_empty_frame_has_the_schemas_columns_and_types(name):
    frame = empty(name)
    assert len(frame) == 0
    assert list(frame.columns) == FRAMES[name].names
    assert [str(dtype) for dtype in frame.dtypes] == [
        column.dtype for column in FRAMES[name].columns
    ]


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
    shuffled = pd.DataFrame(
        {"count": ["2"], "message": ["m"], "severity": ["info"], "location": [""], "code": ["c"]}
    )
    frame = conform("diagnostics", shuffled.astype({"count": int}))
    assert list(frame.columns) == FRAMES["diagnostics"].names
    assert frame["count"].tolist() == [2]
    assert str(frame["severity"].dtype) == "category"


def test_conform_names_what_is_missing_and_what_is_unknown():
    wrong = empty("diagnostics").drop(columns="code").assign(colour="red")
    with pytest.raises(ValueError, match=r"\bdiagnostics\b.*\['code'\].*\['colour'\]"):
        conform("diagnostics", wrong)


def test_conform_refuses_what_cannot_be_cast():
    rows = complete("counters", {"track": ["a"], "name": ["b"]}).assign(value=["many"])
    with pytest.raises(ValueError, match="many"):
        conform("counters", rows)


def test_further_columns_come_together_or_not_at_all():
    plain = empty("kernels")
    with pytest.raises(ValueError, match="frame kernels: missing columns"):
        conform("kernels", plain.assign(program=pd.Series([], dtype="Int64")))
    known = complete("kernels", {"track": ["CPU"], "program": [3]})
    assert list(known.columns) == [column.name for column in FRAMES["kernels"].every]
    assert list(complete("kernels", {"track": ["core 2,1"]}).columns) == FRAMES["kernels"].names


@pytest.mark.parametrize("name", FRAMES)
def test_a_column_that_may_be_null_has_a_dtype_with_nulls(name):
    assert {c.dtype for c in FRAMES[name].every if c.nullable} <= {
        "Int64",
        "boolean",
        "float64",
        "category",
        "str",
    }
    assert all(c.nullable for c in FRAMES[name].every if c.dtype in ("Int64", "boolean"))


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_without_its_nullable_columns_is_filled(name):
    spec = FRAMES[name]
    rows = pd.DataFrame(
        {c.name: pd.Series([1, 2]).astype(c.dtype) for c in spec.columns if not c.nullable}
    )
    again = fill_frame(name, rows)
    assert list(again.columns) == spec.names
    for column in (c for c in spec.columns if c.nullable):
        values = again[column.name]
        assert str(values.dtype) == column.dtype
        assert (values == "").all() if column.dtype == "str" else values.isna().all()


@pytest.mark.parametrize("name", FRAMES)
def test_a_missing_column_that_may_not_be_null_is_refused(name):
    for column in (c for c in FRAMES[name].columns if not c.nullable):
        with pytest.raises(ValueError, match=rf"frame {name}: missing columns \['{column.name}'\]"):
            fill_frame(name, empty(name).drop(columns=column.name))


def test_what_a_later_release_stored_beside_is_left_out():
    later = empty("diagnostics").assign(colour="red")
    assert list(fill_frame("diagnostics", later).columns) == FRAMES["diagnostics"].names


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_with_the_columns_of_today_is_not_copied(name):
    frame = empty(name)
    assert fill_frame(name, frame) is frame
    other_order = frame[[*reversed(frame.columns)]]
    assert list(fill_frame(name, other_order).columns) == list(frame.columns)


def test_columns_that_come_together_are_filled_together():
    old = complete("kernels", {"track": ["CPU"], "program": [3]}).drop(columns=["flops", "colours"])
    again = fill_frame("kernels", old)
    assert list(again.columns) == [column.name for column in FRAMES["kernels"].every]
    assert again[["flops", "colours"]].isna().all(axis=None)


def test_the_schemas_version_is_of_what_is_stored(monkeypatch):
    before = frames.SCHEMA_VERSION
    assert frames._version() == before
    for name, changes in (("events", True), ("occupancy", False)):
        spec = FRAMES[name]
        other = FRAMES | {name: dataclasses.replace(spec, columns=spec.columns[1:])}
        monkeypatch.setattr(frames, "FRAMES", other)
        assert (frames._version() != before) is changes


def test_a_frame_shares_no_values_with_the_next_one():
    given = {"attempt": [0], "block": [0], "name": ["a"], "start": [0], "end": [1], "size": [8]}
    frame, untouched = complete("allocations", given), complete("allocations", given)
    for name in frame.columns.difference(given):
        frame.loc[0, name] = {"str": "x", "bool": True}.get(
            str(frame[name].dtype), 7 if is_number(frame, name) else None
        )
    pd.testing.assert_frame_equal(complete("allocations", given), untouched)


def is_number(frame, name):
    return pd.api.types.is_numeric_dtype(frame[name])


def test_whole_numbers_of_records_stay_exact_beside_none():
    large = 2**62 + 1
    rows = [
        {"device": "a", "entries": 1, "end_allocated": large, "peak_reserved": large},
        {"device": "b", "entries": 2, "end_allocated": 0, "peak_reserved": None},
    ]
    frame = frame_of_records("device_memory", rows)
    assert frame["peak_reserved"].fillna(-1).tolist() == [large, -1]
    assert list(frame.columns) == FRAMES["device_memory"].names
    assert list(frame_of_records("device_memory", []).columns) == list(frame.columns)
