import csv
import io
import json

import pandas as pd
import pytest

from services.run.export import write_frame


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "track": pd.Categorical(["core 2,1", None, "=1+1"]),
            "kernel": pd.Series([1, 2**53 + 1, 3], dtype="int64"),
            "end": pd.Series([7, None, 2**53 + 1], dtype="Int64"),
            "rate": pd.Series([0.1 + 0.2, None, float("inf")], dtype="float64"),
            "kept": pd.Series([True, False, True], dtype="bool"),
            "reason": pd.Series(["", "@sum", 'ä, "b"\n'], dtype="str"),
        }
    )


def written(table: pd.DataFrame, fmt: str) -> bytes:
    stream = io.BytesIO()
    write_frame(table, fmt, stream)
    return stream.getvalue()


def test_json_keeps_every_digit_and_says_null_where_nothing_is():
    records = json.loads(written(frame(), "json"))
    assert [r["end"] for r in records] == [7, None, 2**53 + 1]
    assert [r["kernel"] for r in records] == [1, 2**53 + 1, 3]
    assert [r["rate"] for r in records] == [0.1 + 0.2, None, None]
    assert [r["track"] for r in records] == ["core 2,1", None, "=1+1"]
    assert records[1]["kept"] is False
    assert isinstance(records[0]["end"], int)


@pytest.mark.slow
def test_json_of_many_rows_is_one_list():
    records = json.loads(written(pd.DataFrame({"a": range(50_001)}), "json"))
    assert [r["a"] for r in records] == list(range(50_001))


@pytest.mark.parametrize("rows", [0, 1, 50_001])
def test_csv_has_one_header(rows: int):
    lines = written(pd.DataFrame({"a": range(rows)}), "csv").decode().splitlines()
    assert lines == ["a", *map(str, range(rows))]


def test_an_empty_frame_is_an_empty_list():
    assert json.loads(written(frame().iloc[:0], "json")) == []


def test_csv_cannot_start_a_formula_and_numbers_stay_numbers():
    table = pd.DataFrame(
        {"name": ["=1+1", "+a", "-b", "@c", "\tx", "plain"], "value": [-1, 2, 3, 4, 5, 6]}
    )
    back = pd.read_csv(io.BytesIO(written(table, "csv")))
    assert back["name"].tolist() == ["'=1+1", "'+a", "'-b", "'@c", "'\tx", "plain"]
    assert back["value"].tolist() == [-1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("dtype", ["str", "category", "object"])
def test_csv_guards_text_of_every_dtype_by_its_rows(dtype):
    names = ["\n=1+1", None, "\uff1d1", "-5", " =x", "plain"]
    table = pd.DataFrame({"name": pd.Series(names, dtype=dtype)}).set_axis([0, 0, 1, 1, 2, 2])
    back = [row[0] for row in csv.reader(io.StringIO(written(table, "csv").decode(), newline=""))]
    assert back == ["name", "'\n=1+1", "", "'\uff1d1", "-5", "' =x", "plain"]


@pytest.mark.parametrize("dtype", ["str", "category", "object"])
@pytest.mark.parametrize("line_break", ["\r", "\n", "\r\n"])
def test_csv_has_no_row_or_formula_after_a_line_break_in_a_cell(line_break, dtype):
    names = [f"{line_break}=1+1", f"a{line_break}=1+1"]
    table = pd.DataFrame({f"b{line_break}=c": pd.Series(names, dtype=dtype)})
    text = written(table, "csv").decode()
    back = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert back == [f"b{line_break}=c", f"'{names[0]}", names[1]]
    assert text.endswith('"\n')


def test_csv_keeps_numbers_of_mixed_columns_and_guards_names_of_columns():
    table = pd.DataFrame({"=name": pd.Series([-5, -2.5, "=1", True, None], dtype=object), "b": -1})
    back = [*csv.reader(io.StringIO(written(table, "csv").decode()))]
    assert back[0] == ["'=name", "b"]
    assert [row[0] for row in back[1:]] == ["-5", "-2.5", "'=1", "True", ""]


def test_csv_leaves_missing_cells_empty():
    first = written(frame(), "csv").decode().splitlines()[2]
    assert first.startswith(f",{2**53 + 1},,,False,'@sum")


def test_parquet_reads_back_the_same():
    table = frame()
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(written(table, "parquet"))), table)


def test_another_format_is_a_sentence():
    with pytest.raises(ValueError, match=r"'xml'.* json, csv, parquet"):
        written(frame(), "xml")


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("fmt", ["json", "csv"])
@pytest.mark.parametrize("dtype", ["category", "str"])
def test_long_text_is_written_in_parts_of_bounded_size(fmt: str, dtype: str):
    sizes = []

    class Noted(io.BytesIO):
        def write(self, data):
            sizes.append(len(data))
            return super().write(data)

    names = ["x" * 10_000, "short", None]
    table = pd.DataFrame(
        {"name": pd.Series([names[i % 3] for i in range(9_000)], dtype=dtype), "n": range(9_000)}
    )
    stream = Noted()
    write_frame(table, fmt, stream)
    assert len(stream.getvalue()) > 30_000_000
    assert max(sizes) < 8_000_000
    back = (
        json.loads(stream.getvalue())
        if fmt == "json"
        else pd.read_csv(io.BytesIO(stream.getvalue())).to_dict("records")
    )
    assert [row["n"] for row in back] == list(range(9_000))
    assert [row["name"] for row in back[:2]] == names[:2]
