"""Files of the rows of a query."""

import csv
import io

import pyarrow as pa
import pytest

from services.query.results import write_rows


@pytest.mark.parametrize("line_break", ["\r", "\n", "\r\n"])
def test_csv_has_no_row_or_formula_after_a_line_break_in_a_cell(line_break, tmp_path):
    names = [f"{line_break}=1+1", f"a{line_break}=1+1"]
    batch = pa.record_batch({f"b{line_break}=c": names, "d": [1, 2]})
    write_rows([batch], batch.schema, "csv", tmp_path / "rows.csv")
    text = (tmp_path / "rows.csv").read_bytes().decode()
    back = [*csv.reader(io.StringIO(text, newline=""))]
    assert back == [[f"b{line_break}=c", "d"], [f"'{names[0]}", "1"], [names[1], "2"]]
    assert text.endswith(",2\n")
