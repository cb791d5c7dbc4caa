"""What the tiles of operators took."""

import pytest

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


def snitch(tile_number, core, parts, took=False):
    names = (
        ("Input DMA", "Kernel", "Output DMA") if took else ("Pre-Kernel", "Kernel", "Post-Kernel")
    )
    begin = f"[G_0_L2][SB][512 ops][Tile {tile_number}][Core {core}]"
    verb = "took" if took else ":"
    return "".join(f"{begin} {n} {verb} {v} cycles \n" for n, v in zip(names, parts, strict=True))


@pytest.mark.parametrize("took", [False, True])
def test_a_tile_of_several_cores_takes_as_long_as_its_slowest(took):
    cores = [(0, 0, (10, 90, 5)), (0, 1, (12, 80, 4)), (1, 0, (9, 70, 5)), (1, 1, (9, 75, 6))]
    total = "[G_0_L2][SB][512 ops][Tile 0] Total : 105 cycles (90 %)\n"
    log = read_log(("".join(snitch(*row, took) for row in cores) + 2 * total).encode())
    parts = log.tiles[["tile", "pre", "kernel", "post"]]
    assert parts.to_numpy().tolist() == [[0, 12, 90, 5], [1, 9, 75, 6]]
    assert log.tiles["total"].isna().all(), "a total does not name its core"
    assert log.cycles.to_numpy().tolist() == [["G_0", 32, 165]]
    assert not measured_findings(log, "run.log")


def test_a_profile_of_several_cores_that_comes_again_is_rows_of_its_own():
    once = snitch(0, 0, (1, 20, 3)) + snitch(0, 1, (1, 22, 3))
    assert read_log((2 * once).encode()).tiles["kernel"].tolist() == [22, 22]


def test_the_spelling_of_old_releases_needs_no_other_part():
    log = read_log(b"[G_0_L2][SB][68608 ops][Tile 0] Kernel took 91 cycles \r\n")
    assert log.tiles[["name", "level", "kernel"]].to_numpy().tolist() == [["G_0", "L2", 91]]
