"""Buffer assignments of XLA."""

import pytest

from data_loaders.protocol import LoadError
from data_loaders.xla.run import XlaLoader
from samples.xla_module import write_module
from tests.support.finding_codes import code_set
from tilescope.run_contract import check_run


def load(path):
    loader = XlaLoader()
    return loader.load(path, {}, None, loader.bundle(path).companions)


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
    assert code_set(run) == {"xla_peak"}


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


def test_values_that_end_beyond_their_allocation_are_found(tmp_path):
    path = write_module(tmp_path)
    assert "values_outside" not in {one.code for one in load(path).diagnostics}
    allocation = "allocation 90: size 64, thread-local:\n"
    values = [f" value: <9{at} v{at} @0> (size=64,offset={at}): f32[16]\n" for at in (0, 1, 8)]
    path.write_text(path.read_text() + allocation + "".join(values))
    (finding,) = (one for one in load(path).diagnostics if one.code == "values_outside")
    assert (finding.severity, finding.count) == ("error", 2)
    assert "`v8` ends 8 bytes" in finding.message


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
    assert code_set(load(path)) == {"companion_foreign", "lifetimes_unknown"}
    ranges.unlink()
    assert code_set(load(path)) == {"lifetimes_unknown"}


def test_an_older_text_with_pointers_and_a_cut_one_are_read(tmp_path):
    path = write_module(tmp_path)
    whole = load(path).frames["allocations"]
    text = path.read_text()
    path.write_text(text.replace(": size", ": 0x55d0c0ffee00, size"))
    assert load(path).frames["allocations"].equals(whole)
    path.write_text(text[: len(text) // 2])
    assert "file_cut" in code_set(load(path))
    path.write_text("BufferAssignment:\n")
    with pytest.raises(LoadError, match="no allocation"):
        load(path)


GPU = """BufferAssignment:
allocation 0: size 1024, parameter 0, shape |f32[256]| at ShapeIndex {}, maybe-live-out:
 value: <1 p.0 @0> (size=1024,offset=0): f32[256]{0}
allocation 1: size 64, color 1, output shape is |f32[16]|, maybe-live-out:
 value: <2 fusion.7.clone.1 @1> (size=64,offset=0): f32[16]{0}
allocation 2: size 32, constant:
 value: <3 constant.2 @0> (size=32,offset=0): f32[8]{0}
allocation 3: size 512, color 1, preallocated-temp:
 value: <4 fusion.3 @1> (size=256,offset=0): f32[64]{0}
 value: <5 fusion.4 @1> (size=256,offset=256): f32[64]{0}
"""
GPU_BYTES = 1024 + 64 + 32 + 512


def write_gpu(folder, text=GPU, report=None):
    stem = folder / "module_0007.jit_a.b.sm_8.0_gpu_after_optimizations"
    path = stem.with_name(f"{stem.name}-buffer-assignment.txt")
    path.write_text(text)
    if report is not None:
        stem.with_name(f"{stem.name}-memory-usage-report.txt").write_text(report)
    return path


def test_a_memory_space_has_levels_of_its_own(tmp_path):
    attempts = load(write_gpu(tmp_path)).frames["attempts"]
    assert dict(zip(attempts["level"], attempts["reported_bytes"], strict=True)) == {
        "parameter": 1024,
        "constant": 32,
        "preallocated-temp, memory space 1": 512,
        "maybe-live-out, memory space 1": 64,
    }


def test_a_parameter_that_lives_out_counts_once(tmp_path):
    totals = load(write_gpu(tmp_path)).frames["allocation_totals"]
    assert totals[["kind", "memory", "allocations", "bytes"]].to_numpy().tolist() == [
        ["parameter", 0, 1, 1024],
        ["output", 1, 1, 64],
        ["constant", 0, 1, 32],
        ["preallocated_temp", 1, 1, 512],
    ]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("module_0007.jit_a.b.sm_8.0_gpu_after_optimizations", "jit_a.b"),
        ("module_0007.jit_step.sm_10.0a_gpu_after_optimizations", "jit_step"),
        ("module_0007.jit_step.gfx942_gpu_after_optimizations", "jit_step"),
        ("module_0007.a.b.c.cpu_after_optimizations", "a.b.c"),
    ],
)
def test_dots_in_the_names_of_module_and_device_are_told_apart(tmp_path, file, name):
    path = tmp_path / f"{file}-buffer-assignment.txt"
    path.write_text(GPU)
    assert load(path).metadata["name"] == name


REPORT = """Memory Space: default (color=0)
Total bytes: 1056 (1.0KiB)
  cumulative_size;       size;       offset; used_by_n_values; shapes_list

Memory Space: alternate (color=1)
Total bytes: {} (576B)
"""
OLD_REPORT = "Total bytes used: {} (1.6KiB)\n\nAllocations sorted by size:\n"


@pytest.mark.parametrize(
    ("text", "report", "stated"),
    [
        (GPU, None, None),
        (GPU, REPORT.format(576), GPU_BYTES),
        (GPU, REPORT.format(600), GPU_BYTES + 24),
        (GPU, REPORT.format("many"), None),
        (GPU, OLD_REPORT.format(GPU_BYTES), GPU_BYTES),
        (f"{GPU}\nTotal bytes used: {GPU_BYTES} (1.6KiB)\n", REPORT.format(600), GPU_BYTES),
        (f"{GPU}\nTotal bytes used: 7 (7B)\n", None, 7),
    ],
)
def test_a_total_that_xla_states_is_compared_with_the_sum(tmp_path, text, report, stated):
    run = load(write_gpu(tmp_path, text, report))
    check_run(run)
    totals = run.frames["allocation_totals"]
    assert totals.loc[~totals["reported"], "bytes"].sum() == GPU_BYTES
    assert totals.loc[totals["reported"], "bytes"].tolist() == ([stated] if stated else [])
    assert ("total_differs" in code_set(run)) == (stated not in (None, GPU_BYTES))


def test_a_usage_report_alone_is_no_run(tmp_path):
    for report in (REPORT, OLD_REPORT):
        refusal = XlaLoader().sniff(tmp_path / "report.txt", report.format(1).encode())
        assert "usage report" in refusal


def test_an_older_text_has_uses_and_live_ranges_in_the_same_file(tmp_path):
    apart = write_module(tmp_path / "apart")
    whole = load(apart)
    values = next(apart.parent.glob("*-values.txt"))
    ranges = next(apart.parent.glob("*live-range*"))
    folder = tmp_path / "old"
    folder.mkdir()
    old = folder / apart.name
    old.write_text(f"{apart.read_text()}{values.read_text()}\n\n{ranges.read_text()}")
    run = load(old)
    assert code_set(run) == {"xla_peak"}
    for name in ("attempts", "steps", "buffer_uses"):
        assert (
            run.frames[name]
            .drop(columns="op_type", errors="ignore")
            .equals(whole.frames[name].drop(columns="op_type", errors="ignore"))
        )
    stated = run.frames["allocation_totals"]
    assert stated.loc[stated["reported"], "bytes"].tolist() == [
        whole.frames["attempts"]["reported_bytes"].sum()
    ]


def test_the_owner_of_shared_storage_is_the_largest_value(tmp_path):
    text = """BufferAssignment:
allocation 0: size 64, preallocated-temp:
 value: <1 small @0> (size=8,offset=0): f32[2]{0}
 value: <2 large @0> (size=64,offset=0): f32[16]{0}
"""
    values = load(write_gpu(tmp_path, text)).frames["allocations"]
    assert values["status"].tolist() == ["shared", "placed"]
    assert values["alias_of"].fillna(-1).tolist() == [1, -1]


@pytest.mark.parametrize("number", [2**61, 2**62, 10**18])
def test_sizes_beyond_the_limit_are_refused_or_skipped(tmp_path, number):
    value = " value: <1 v @0> (size=8,offset={}): f32[2]\n"
    text = f"BufferAssignment:\nallocation 0: size 64, temp:\n{value.format(0)}"
    more = f"allocation 1: size {number}:\n{value.format(number)}" * 4
    path = write_gpu(tmp_path, text + more)
    try:
        assert "lines_skipped" in code_set(load(path))
    except LoadError as error:
        assert "sum to more than" in str(error)


def test_more_memory_spaces_than_a_device_has_are_refused(tmp_path):
    spaces = [f"allocation {rank}: size 8, color {rank}, temp:\n" for rank in range(101)]
    value = " value: <1 v @0> (size=8,offset=0): f32[2]\n"
    with pytest.raises(LoadError, match="101 memory spaces"):
        load(write_gpu(tmp_path, "BufferAssignment:\n" + value.join([*spaces, ""])))
    path = write_gpu(tmp_path, "BufferAssignment:\n" + value.join([*spaces[:100], ""]))
    assert len(load(path).frames["attempts"]) == 100
