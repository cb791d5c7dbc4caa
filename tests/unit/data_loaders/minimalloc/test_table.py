import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.minimalloc import table as minimalloc_table
from data_loaders.minimalloc.table import read_header, read_table
from data_loaders.protocol import LoadError

NUMBERS = ("start", "end", "size", "address")


def read(text):
    return read_table(io.BytesIO(text.encode() if isinstance(text, str) else text), "p.csv")


def rows(text):
    """Return names and numbers of the rows, None where there is no address."""
    frame = read(text).frame
    numbers = [
        [None if value is None else int(value) for value in frame[name].astype(object)]
        for name in NUMBERS[:3]
    ]
    address = [
        None if missing else int(value)
        for value, missing in zip(frame["address"], frame["address"].isna(), strict=True)
    ]
    return list(zip(frame["name"], *numbers, address, strict=True))


def findings(text):
    return [(finding.code, finding.location, finding.count) for finding in read(text).findings]


@pytest.mark.parametrize(
    "header",
    [
        "id,lower,upper,size",
        "buffer,start,upper,size",
        "buffer_id,begin,upper,size",
        " id , lower,upper ,size",
    ],
)
def test_upper_is_exclusive(header):
    assert rows(f"{header}\nb,1,4,8\n") == [("b", 1, 4, 8, None)]


@pytest.mark.parametrize(
    "header", ["id,lower,end,size", "buffer,start,end,size", "buffer_id,begin,end,size"]
)
def test_end_counts_the_last_step_in(header):
    assert rows(f"{header}\nb,1,3,8\n") == [("b", 1, 4, 8, None)]


def test_columns_come_in_any_order():
    assert rows("offset,size,upper,id,lower\n16,8,4,b,1\n") == [("b", 1, 4, 8, 16)]


def test_a_mark_of_utf8_and_line_ends_of_windows_are_no_matter():
    assert rows("\ufeffid,lower,upper,size\r\nb,1,4,8\r\nc,1,4,9\r\n") == [
        ("b", 1, 4, 8, None),
        ("c", 1, 4, 9, None),
    ]


def test_a_name_may_hold_anything_but_a_comma():
    name = " \"a' ; 名 \t"
    assert rows(f"id,lower,upper,size\n{name},1,4,8\n")[0][0] == name


def test_optional_columns():
    text = "id,lower,upper,size,alignment,hint,gaps,offset\na,0,9,8,64,128,2-3 5-6@0:4,0\nb,0,9,8,1,-1,,\n"
    frame = read(text).frame
    assert frame["alignment"].tolist() == [64, 1]
    assert frame["hint"].isna().tolist() == [False, True]
    assert frame["gaps"].tolist() == ["2-3 5-6@0:4", ""]
    assert frame["address"].isna().tolist() == [False, True]
    assert findings(text) == []


def test_gaps_count_their_end_as_the_lifetime_does():
    assert read("id,start,end,size,gaps\na,0,9,8,2-3 5-6@0:4\n").frame["gaps"].tolist() == [
        "2-4 5-7@0:4"
    ]


def test_numbers_stay_exact():
    most = 2**62 - 1
    assert rows(f"id,lower,upper,size\nb,{2**61 + 1},{most},{2**53 + 1}\n") == [
        ("b", 2**61 + 1, most, 2**53 + 1, None)
    ]
    assert read("id,lower,upper,size\nb,1,2,3\n").frame["size"].dtype == np.int64


def test_the_table_ends_at_a_blank_line():
    text = "id,lower,upper,size\nb,1,2,3\n\nc,1,2,3\n\nd,1,2,3\n"
    assert [row[0] for row in rows(text)] == ["b"]
    assert findings(text) == [("rows_after_blank", "p.csv, line 3", 2)]


BAD = {
    "b,1,2": "not 4 fields",
    "b,1,2,3,4": "not 4 fields",
    "b,one,2,3": "text instead of a number",
    "b,1,2,3.5": "text instead of a number",
    "b,,2,3": "text instead of a number",
    f"b,1,2,{2**62 + 1}": "a number beyond 2^62",
    f"b,1,{10**30},3": "a number beyond 2^62",
    "b,1,2,-3": "a size below 0",
    "b,-1,2,3": "a start below step 0",
    "b,3,2,3": "an end at or before the start",
    f"b,1,2,{2**62}": "sizes that sum to 2^62 bytes",
    f"{'b' * 70_000},1,2,3": "not 4 fields",
}


@pytest.mark.parametrize(("row", "reason"), BAD.items(), ids=BAD.values())
def test_a_bad_row_costs_itself_and_is_said(row, reason):
    text = f"id,lower,upper,size\na,0,1,7\n{row}\nc,0,1,8\n{row}\nd,0,1,9\n"
    assert [name for name, *_ in rows(text)] == ["a", "c", "d"]
    (finding,) = read(text).findings
    assert (finding.code, finding.count, finding.location) == ("rows_skipped", 2, "p.csv, line 3")
    assert reason in finding.message


def test_an_address_that_leaves_the_numbers_costs_its_row():
    text = f"id,lower,upper,size,offset\na,0,1,7,{2**62}\nb,0,1,7,0\n"
    assert [name for name, *_ in rows(text)] == ["b"]
    assert findings(text) == [("rows_skipped", "p.csv, line 2", 1)]


@pytest.mark.parametrize(
    ("column", "value", "fine"),
    [
        ("alignment", "0", "1"),
        ("alignment", "x", "64"),
        ("hint", "-2", "-1"),
        ("gaps", "7", "1-2"),
        ("offset", "x", "0"),
    ],
)
def test_a_bad_optional_value_costs_itself(column, value, fine):
    text = f"id,lower,upper,size,{column}\na,0,9,7,{fine}\nb,0,9,7,{value}\n"
    assert len(rows(text)) == 2
    assert findings(text) == [("values_ignored", "p.csv, line 3", 1)]


def test_repeated_ids_are_kept_and_said():
    text = "id,lower,upper,size\na,0,1,7\nb,0,1,7\na,0,1,7\n"
    assert len(rows(text)) == 3
    assert findings(text) == [("ids_repeated", "p.csv, line 4", 1)]


def test_an_open_last_line_is_said():
    assert findings("id,lower,upper,size\na,0,1,7") == [("table_end_open", "p.csv, line 2", 1)]


def test_unknown_columns_are_said():
    assert findings("id,lower,upper,size,colour\na,0,1,7,red\n") == [
        ("columns_ignored", "p.csv, line 1", 1)
    ]


def test_bytes_that_are_no_text_are_a_name():
    assert rows(b"id,lower,upper,size\n\xff\x00,0,1,7\n")[0][1:] == (0, 1, 7, None)


def test_a_huge_table_is_read_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(minimalloc_table, "MAX_TABLE_BYTES", 41)
    text = "id,lower,upper,size\n" + "a,0,1,70\n" * 5
    assert len(rows(text)) == 2
    assert [code for code, *_ in findings(text)] == ["ids_repeated", "table_cut"]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "id,lower,upper",
        "lower,upper,size",
        "id,size,lower",
        "id,lower,upper,size,size",
        "x" * 70_000,
        "id;lower;upper",
    ],
)
def test_what_is_no_header(header):
    assert read_header(header) is None
    with pytest.raises(LoadError, match=r"^p\.csv: line 1 .*header"):
        read(f"{header}\nb,1,2,3\n")


@pytest.mark.parametrize("body", ["", "\n", "\na,0,1,7\n", "a,0,1\n"])
def test_a_table_without_a_row_is_refused(body):
    with pytest.raises(LoadError, match=r"^p\.csv: .*row"):
        read("id,lower,upper,size\n" + body)


CELL = st.one_of(
    st.integers(-(2**70), 2**70).map(str), st.text(max_size=6), st.integers(0, 20).map(str)
)


@given(
    header=st.sampled_from(
        [
            "id,lower,upper,size",
            "size,end,start,buffer,gaps,offset",
            "id,lower,upper,size,alignment,hint",
        ]
    ),
    body=st.lists(st.lists(CELL, min_size=3, max_size=7), max_size=8),
    tail=st.binary(max_size=30),
)
def test_any_table_is_read_or_refused(header, body, tail):
    text = (
        "\n".join([header, *(",".join(row) for row in body)]).encode("utf-8", "replace")
        + b"\n"
        + tail
    )
    try:
        table = read(text)
    except LoadError as error:
        assert "\n" not in str(error)
        return
    frame = table.frame
    assert (frame["start"] >= 0).all()
    assert (frame["end"] > frame["start"]).all()
    assert (frame["size"] >= 0).all()
    assert frame["size"].sum() <= 2**62
    assert all(finding.count for finding in table.findings)


@pytest.mark.slow
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2**60), st.integers(1, 2**60), st.integers(0, 2**50)),
        min_size=1,
        max_size=20,
    ),
    inclusive=st.booleans(),
)
def test_what_is_written_is_read(rows, inclusive):
    header = "id,start,end,size" if inclusive else "id,lower,upper,size"
    lines = [
        f"{i},{low},{low + long - inclusive},{size}" for i, (low, long, size) in enumerate(rows)
    ]
    frame = read("\n".join([header, *lines, ""])).frame
    read_back = zip(
        frame["start"].tolist(), frame["end"].tolist(), frame["size"].tolist(), strict=True
    )
    assert list(read_back) == [(low, low + long, size) for low, long, size in rows]
