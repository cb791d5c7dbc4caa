import json

import pandas as pd

from components.tables import column_defs, records, rows_response
from tests.support.profiles import kernels, run


def test_texts_reach_the_grid_tame():
    frame = pd.DataFrame({"name": pd.Categorical(["a\u202eb\x00c", None]), "size": [1, 2]})
    assert records(frame) == [{"name": "ab c", "size": 1, "row": "0"}, {"name": None, "size": 2, "row": "1"}]
    assert json.dumps(rows_response(frame, {"startRow": 0, "endRow": 1}))


def test_colours_of_names_are_no_column():
    fields = [column["field"] for column in column_defs("kernels", kernels(run("r_8", colours="2-3:blue")))]
    assert "name" in fields
    assert "colours" not in fields
