"""Buffer assignments of XLA."""

import pytest

from data_loaders.protocol import LoadError
from data_loaders.xla.run import XlaLoader
from data_loaders.xla.sharing import Placed, first_sharers
from samples.xla_module import write_module


def load(path):
    loader = XlaLoader()
    return loader.load(path, {}, None, loader.bundle(path).companions)


def codes(run):
    return {finding.code for finding in run.diagnostics}


def test_a_dump_is_a_map_with_a_level_for_each_kind(tmp_path):
    run = load(write_module(tmp_path))
    attempts, values = run.frames["attempts"], run.frames["allocations"]
    assert attempts["level"].tolist() == [
        "preallocated-temp",
        "parameter",
        "maybe-live-out",
        "thread-local",
    ]
    assert attempts["reported_bytes"].tolist() == [26624, 49152, 2056, 4]
    assert run.frames["steps"]["op_type"].tolist()[3:5] == ["dot", "fusion"]
    alive = values[(values["start"] <= 4) & (values["end"] > 4) & ~values["hold"]]
    assert alive["size"].sum() == 8192 + 32768 + 8192 + 2 * 16384, "as XLA counts at its peak"
    shared = values[values["status"] == "shared"]
    assert shared[["name", "alias_of"]].to_numpy().tolist() == [["maximum_fusion", 0]]
    assert values.loc[values["hold"], "name"].tolist() == ["add.3"]
    assert codes(run) == {"xla_peak"}


def test_blocks_name_the_line_of_the_program_where_the_text_of_the_module_is_there(tmp_path):
    path = write_module(tmp_path)
    values = load(path).frames["allocations"].set_index("name")
    assert values.loc["dot.2", "origin"] == "two_layers.py:12 two_layers"
    assert values["origin"].isna()["x.1"]
    next(tmp_path.glob("*optimizations.txt")).unlink()
    assert "origin" not in load(path).frames["allocations"]


def uses_of(run, name):
    """Return (instruction, access) of a value."""
    blocks, uses, steps = (run.frames[frame] for frame in ("allocations", "buffer_uses", "steps"))
    row = blocks[blocks["name"] == name].iloc[0]
    own = uses[(uses["attempt"] == row["attempt"]) & (uses["block"] == row["block"])]
    return [*zip(steps["name"].loc[own["kernel"]], own["access"], strict=True)]


def test_instructions_make_and_use_values(tmp_path):
    run = load(write_module(tmp_path))
    assert uses_of(run, "maximum_fusion") == [("maximum_fusion", "w"), ("dot.2", "r")]
    assert uses_of(run, "tuple.1{}") == [("tuple.1", "w")]


def test_a_use_outside_of_the_live_range_or_by_an_unknown_instruction_is_left_out(tmp_path):
    path = write_module(tmp_path)
    values = next(tmp_path.glob("*-values.txt"))
    values.write_text(
        values.read_text().replace(
            "  maximum_fusion, operand 0", "  tuple.1, operand 0 {1}\n  gone, operand 1"
        )
    )
    assert uses_of(load(path), "dot.1") == [("dot.1", "w")]


def test_the_first_of_the_values_with_one_name_has_its_uses(tmp_path):
    path = write_module(tmp_path)
    value = " value: <90 maximum_fusion @0> (size=8,offset=0): f32[2]\n"
    path.write_text(path.read_text() + value * 3)
    run = load(path)
    blocks, uses = run.frames["allocations"], run.frames["buffer_uses"]
    named = blocks[blocks["name"] == "maximum_fusion"]
    accesses = (
        named.merge(uses, on=["attempt", "block"]).groupby("block")["access"].agg("".join).tolist()
    )
    assert accesses == ["wr", "w", "w", "w"]
    assert [one.count for one in run.diagnostics if one.code == "values_repeated"] == [3]


def test_without_the_list_of_values_or_live_ranges_no_uses_are_known(tmp_path):
    path = write_module(tmp_path)
    next(tmp_path.glob("*live-range*")).unlink()
    assert "buffer_uses" not in load(path).frames
    write_module(tmp_path)
    next(tmp_path.glob("*-values.txt")).unlink()
    assert "buffer_uses" not in load(path).frames


def test_the_list_of_values_alone_is_no_run(tmp_path):
    write_module(tmp_path)
    head = next(tmp_path.glob("*-values.txt")).read_bytes()
    assert "buffer assignment" in XlaLoader().sniff(tmp_path / "values.txt", head)


def test_without_its_live_ranges_lifetimes_are_unknown(tmp_path):
    path = write_module(tmp_path)
    ranges = next(tmp_path.glob("*live-range*"))
    text = ranges.read_text()
    ranges.write_text(text.replace("{}:", "_other{}:"))
    assert codes(load(path)) == {"companion_foreign", "lifetimes_unknown"}
    ranges.unlink()
    assert codes(load(path)) == {"lifetimes_unknown"}


def test_an_older_text_with_pointers_and_a_cut_one_are_read(tmp_path):
    path = write_module(tmp_path)
    whole = load(path).frames["allocations"]
    text = path.read_text()
    path.write_text(text.replace(": size", ": 0x55d0c0ffee00, size"))
    assert load(path).frames["allocations"].equals(whole)
    path.write_text(text[: len(text) // 2])
    assert "file_cut" in codes(load(path))
    path.write_text("BufferAssignment:\n")
    with pytest.raises(LoadError, match="no allocation"):
        load(path)


def test_values_share_with_the_first_whose_bytes_and_life_they_meet():
    values = [Placed(0, 8, 0, 4), Placed(8, 16, 0, 4), Placed(4, 12, 2, 6), Placed(0, 8, 6, 9)]
    assert first_sharers(values) == [None, 0, 0, None]
