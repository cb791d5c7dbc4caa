import pandas as pd

from app.views.text_tables import frame_table, plain_table
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
