import pandas as pd

from app.views.text_tables import column_table, frame_table, plain_table
from components.columns import GridColumn
from schema.table_columns import Format
from tests.support.profiles import kernels, run


def test_cells_are_tame_and_short():
    table = plain_table("odd", pd.DataFrame({"name": ["a\u202eb\x00c", "n" * 1_000]}))
    assert table.rows[0] == ["ab c"]
    assert len(table.rows[1][0]) == 200


def test_what_nobody_reads_is_left_out():
    table = frame_table("kernels", kernels(run("r_8", colours="2-3:blue")))
    labels = [label for label, _ in table.labels]
    assert "name" in labels
    assert "colours" not in labels
    assert "metadata" not in labels
    assert all(len(row) == len(labels) for row in table.rows)


def test_a_table_is_named_in_words():
    assert frame_table("kernels", kernels()).name == "kernels"
    assert frame_table("event_links", pd.DataFrame()).name == "event links"


def test_rows_of_a_grid_are_text_by_its_columns():
    columns = [
        GridColumn("name", "block", 9),
        GridColumn("bytes", "size", 9, Format.SIZE, help="what it holds"),
        GridColumn("at", "since", 9, Format.DURATION, text_field="words"),
    ]
    rows = [
        {"name": "a\u202eb", "bytes": 2048, "at": 5, "words": "5 ns"},
        {"name": "c", "bytes": None, "at": 0},
    ]
    table = column_table("blocks", columns, rows * 400)
    assert table.labels == [("block", ""), ("size", "what it holds"), ("since", "")]
    assert table.rows[:2] == [["ab", "2.00\u202fKiB", "5 ns"], ["c", "", ""]]
    assert len(table.rows) < 800
    assert "800" in table.line
