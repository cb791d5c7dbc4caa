import pandas as pd

from analysis.aie.tiles import TILE_METRICS, tile_table
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import empty


def tracks(*names: str) -> pd.DataFrame:
    frame = pd.DataFrame({"track": names, "kind": [n.split()[0] for n in names]})
    place = [n.split()[1].split(",") for n in names]
    frame["row"] = pd.array([int(p[0]) for p in place], dtype="Int64")
    frame["col"] = pd.array([int(p[1]) for p in place], dtype="Int64")
    return frame


def test_each_track_has_its_numbers() -> None:
    kernels = pd.DataFrame(
        {
            "track": ["core 2,1"] * 4,
            "name": ["main", "main", "short", "main"],
            "duration": pd.array([10, 20, 1, 900], dtype="Int64"),
            "kept": [True, True, True, False],
        }
    )
    activity = pd.DataFrame({"track": ["core 2,1"], "name": ["LOCK_STALL"], "share": [0.4]})
    found = diagnostics_frame(
        [Diagnostic("warning", "x", "y", "core 2,1"), Diagnostic("error", "x", "y", "core 2,10")]
    )
    table = tile_table(
        tracks("core 2,1", "memtile 1,1"), kernels, empty("iterations"), activity, found
    )
    core, memtile = table.to_dict("records")
    assert (core["median_kernel"], core["kernels"], core["left_out"]) == (15, 3, 1)
    assert (core["lock_stall"], core["findings"]) == (0.4, 1)
    assert pd.isna(memtile["median_kernel"])
    assert pd.isna(memtile["kernels"])


def test_nothing_gives_an_empty_table_with_every_metric() -> None:
    names = ("tracks", "kernels", "iterations", "activity", "diagnostics")
    table = tile_table(*(empty(name) for name in names))
    assert len(table) == 0
    assert set(TILE_METRICS) <= set(table.columns)
