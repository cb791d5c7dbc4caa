import json

import pandas as pd

from components.tables import column_defs, records, rows_response
from tests.support.profiles import kernels, run


def test_texts_reach_the_grid_tame():
    frame = pd.DataFrame({"name": pd.Categorical(["a\u202eb\x00c", None]), "size": [1, 2]})
    assert records(frame) == [
        {"name": "ab c", "size": 1, "row": "0"},
        {"name": None, "size": 2, "row": "1"},
    ]
    assert json.dumps(rows_response(frame, {"startRow": 0, "endRow": 1}))


def test_colours_of_names_are_no_column():
    fields = [
        column["field"]
        for column in column_defs("kernels", kernels(run("r_8", colours="2-3:blue")))
    ]
    assert "name" in fields
    assert "colours" not in fields


def test_times_of_a_profile_are_in_the_unit_that_fits_and_exact_in_the_tooltip():
    rows = kernels(run("r_8", colours=""))
    times = {
        c["field"]: c
        for c in column_defs("kernels", rows, unit="ns")
        if c["field"] in ("start", "duration")
    }
    for column in times.values():
        assert column["valueFormatter"]["function"] == "tsDuration(params.value)"
        assert "'ns'" in column["tooltipValueGetter"]["function"]
    cycles = {c["field"]: c for c in column_defs("kernels", rows, unit="cycles")}
    assert cycles["duration"]["valueFormatter"]["function"] == "tsInteger(params.value)"
