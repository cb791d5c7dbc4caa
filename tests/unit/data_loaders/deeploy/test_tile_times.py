"""What the tiles of operators took."""

from data_loaders.deeploy.log import measured_findings, read_log
from data_loaders.deeploy.run import DeeployLoader


def tile(label, number, parts, total=None, buffering="DB"):
    names = ("Pre-Kernel", "Kernel", "Post-Kernel")
    begin = f"[{label}][{buffering}][512 ops][Tile {number}]"
    lines = [f"{begin} {n:<11}: {v:>5} cycles" for n, v in zip(names, parts, strict=True)]
    said = sum(parts) if total is None else total
    return "\n".join([*lines, f"{begin} Total : {said} cycles (95 %)", ""])


def test_tiles_are_rows_and_levels_nest():
    text = (
        tile("G_0_L2", 0, (10, 100, 5))
        + tile("G_0_L2", 1, (11, 90, 5))
        + tile("G_0_L3", 0, (20, 300, 7), None, "SB")
    )
    log = read_log(text.encode())
    assert log.tiles.to_numpy().tolist() == [
        ["G_0", "L2", "DB", 512, 0, 10, 100, 5, 115],
        ["G_0", "L2", "DB", 512, 1, 11, 90, 5, 106],
        ["G_0", "L3", "SB", 512, 0, 20, 300, 7, 327],
    ]
    assert log.cycles.to_numpy().tolist() == [["G_0", 31, 190]], (
        "an outer tile holds the inner ones"
    )
    assert not measured_findings(log, "run.log")


def test_a_profile_that_comes_again_is_rows_of_its_own_and_names_may_be_empty():
    log = read_log((tile("_L2", 0, (1, 2, 3)) * 2).encode())
    assert log.tiles[["name", "tile", "total"]].to_numpy().tolist() == [["", 0, 6], ["", 0, 6]]


def test_a_total_that_differs_is_said():
    log = read_log(tile("G_L2", 0, (1, 2, 3), total=7).encode())
    assert [finding.code for finding in measured_findings(log, "run.log")] == ["tile_total_differs"]


def test_a_log_with_nothing_else_is_a_run(tmp_path):
    path = tmp_path / "run.log"
    path.write_text("Simulating network\n" + tile("G_L2", 0, (1, 2, 3)))
    run = DeeployLoader().load(path, {})
    assert list(run.frames) == ["tile_times"]
