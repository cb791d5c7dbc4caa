from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.lives import MAX_SUM
from analysis.memory.occupancy import occupancy
from analysis.memory.reference import cut_names, patches, read_as_notebook, reference_frames
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import empty
from tests.support.memory import attempts, block, blocks, failed

SILENCE = empty("diagnostics")
WHOLE = empty("unread_lines")


def log(*groups, **columns):
    """Return attempts and allocations: a group is (shape_secs, rows)."""
    rows = [row | {"attempt": rank} for rank, (_, group) in enumerate(groups) for row in group]
    settings = {
        "shape_secs": [secs for secs, _ in groups],
        "allow_bank_conflict": 0,
        "one_loop": 1,
        "steps": 4,
    }
    return attempts(len(groups), **(settings | columns)), blocks(rows)


def read(frames, noticed=SILENCE):
    """Return the frames of method reference and its findings."""
    return reference_frames(read_as_notebook(*frames, noticed, WHOLE))


def some(count, name="t"):
    return [block(f"{name}{rank}", 0, 1, 64 * rank) for rank in range(count)]


def shown(*groups, **columns):
    """Return the frames of method reference and their findings' codes."""
    made, allocations, findings = read(log(*groups, **columns))
    return made, allocations, [finding.code for finding in findings]


@dataclass
class Notebook:
    """Reads settings line by line as the notebook does."""

    setting: object = None
    rows: list = field(default_factory=list)
    patches: list = field(default_factory=list)

    def read(self, row, setting):
        if self.setting is not None and self.setting != setting:
            self.patches.append((self.setting, self.rows))
            self.setting, self.rows = None, [row]
            return
        self.rows.append(row)
        if self.setting is None:
            self.setting = setting

    def done(self):
        return self.patches + ([(self.setting, self.rows)] if self.setting is not None else [])


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 4)), min_size=1, max_size=10))
def test_patches_begin_and_end_where_the_notebooks_do(groups):
    made, allocations, _ = shown(
        *((secs, some(count, f"{rank}_")) for rank, (secs, count) in enumerate(groups))
    )
    notebook = Notebook()
    for rank, (secs, count) in enumerate(groups):
        for name in (f"{rank}_{place}" for place in range(count)):
            notebook.read(name, secs)
    assert made["shape_secs"].tolist() == [secs for secs, _ in notebook.done()]
    names = allocations.groupby("attempt")["name"].agg(list)
    assert [names.get(patch, []) for patch in range(len(made))] == [
        rows for _, rows in notebook.done()
    ]


def test_attempts_of_equal_settings_are_merged():
    made, allocations, _ = shown(("1,1,1,1,1", some(2)), ("1,1,1,1,1", some(3)))
    assert (made["attempt"].tolist(), made["blocks"].tolist()) == ([0], [5])
    assert allocations["block"].tolist() == [0, 1, 2, 3, 4]


def test_a_patch_of_one_block_runs_on_into_the_next():
    made, _, _ = shown(("a", some(2)), ("b", some(1)), ("c", some(2)))
    assert made["shape_secs"].tolist() == ["a", "c"]
    assert made["blocks"].tolist() == [2, 3]


def test_a_last_patch_of_one_block_is_lost():
    frames = log(("a", some(2)), ("b", some(1)))
    assert patches(*frames).lost_blocks == 1
    made, allocations, _ = read(frames)
    assert (len(made), len(allocations)) == (1, 2)


def test_one_block_alone_is_a_patch():
    assert shown(("a", some(1)))[0]["blocks"].tolist() == [1]


def test_conflicts_that_are_allowed_make_another_patch():
    made, _, _ = shown(("a", some(2)), ("a", some(2)), allow_bank_conflict=[0, 1])
    assert made["allow_bank_conflict"].tolist() == [0, 1]


def test_failed_blocks_are_stacked_above_the_others_in_their_order():
    rows = [
        failed("x", 0, 1, 10),
        block("a", 0, 1, 0, 100),
        failed("y", 1, 2, 20),
        block("b", 0, 2, 100, 50),
    ]
    made, allocations, _ = shown(("a", rows), capacity=200)
    assert allocations["name"].tolist() == ["a", "b", "x", "y"]
    assert allocations["address"].tolist() == [0, 100, 150, 160]
    row = made.iloc[0]
    assert (row["failed"], row["extent"], row["utilization"], row["outcome"]) == (
        2,
        180,
        0.9,
        "failed",
    )
    assert row["live_peak"] == 150
    assert row["requested_peak"] == 160


def test_stacks_that_no_int64_holds_stop():
    _, allocations, _ = shown(("a", [failed(f"x{rank}", 0, 1, 2**61) for rank in range(9)]))
    assert allocations["address"].max() + 2**61 == MAX_SUM
    assert (allocations["address"] >= 0).all()


def test_bytes_per_step_are_those_of_all_blocks_of_the_patch():
    rows = [block("w", 3, 1, 0, 8, wraps=True), failed("x", 1, 2, 16)]
    longer = [block("h", 5, 6, 64, 32, hold=True), block("b", 0, 2, 0, 4)]
    made, allocations, _ = shown(("a", rows), ("a", longer), one_loop=[1, 0])
    assert made["steps"].tolist() == [6]
    totals = occupancy(allocations, made)
    assert totals["requested_bytes"].tolist() == [44, 52, 32, 40, 40, 40]


def test_a_hold_of_one_loop_is_none():
    made, allocations, _ = shown(("a", [block("h", 1, 2, 0, 8, hold=True), block("b", 3, 4, 8, 8)]))
    assert occupancy(allocations, made)["requested_bytes"].tolist() == [0, 8, 0, 8]


def test_what_the_notebook_does_not_know_is_null():
    made = shown(("a", some(2)))[0]
    assert made[["bound", "waste", "fragmentation"]].isna().all(axis=None)
    assert made["extent"].tolist() == [128]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("input_1", "input_1"),
        ("/layer1/conv/Conv_output_0.bias", "/layer1/conv/Conv_output_0.bias"),
        ("enc@block#1=conv 2_Conv", "enc"),
        ("act,relu(0)_Relu", "act,relu"),
        ("(front)", ""),
        ("ends in space ", "ends in space"),
        ("0", "0"),
        ("007", "7"),
        ("+5", ""),
        ("-05", "-5"),
        ("0x1f", "31"),
        ('"quoted"', "quoted"),
        ('"open', '"open'),
        ("it's", "it's"),
        ("层_1", "层_1"),
        ("a; op_name = b", "b"),
    ],
)
def test_names_are_read_as_its_pattern_has_them(name, read):
    _, allocations, _ = shown(("a", [block(name, 0, 1, 0), block("other", 0, 1, 64)]))
    assert allocations["name"].tolist() == [read, "other"]
    assert cut_names(blocks([block(name)])) == (name != read)


@pytest.mark.parametrize("name", ["0x1f_Conv", "12.5", "1e5", ".5", "x0x", "a; size = 1.5"])
def test_names_at_which_it_stops_leave_nothing(name):
    made, allocations, findings = read(log(("a", [*some(2), block(name, 0, 1, 0)])))
    assert (len(made), len(allocations)) == (0, 0)
    assert [(f.severity, f.code) for f in findings] == [("error", "reference_crashes")]
    assert name in findings[0].message


def test_a_line_that_is_garbled_leaves_nothing():
    noticed = diagnostics_frame([Diagnostic("warning", "lines_unreadable", "cut", "", 3)])
    made, allocations, findings = read(log(("a", some(2))), noticed)
    assert (len(made), len(allocations), [f.code for f in findings]) == (
        0,
        0,
        ["reference_crashes"],
    )
    assert findings[0].message.startswith("method reference cannot read it: 3 result lines")


def test_other_findings_of_the_loader_do_not_stop_it():
    noticed = diagnostics_frame([Diagnostic("warning", "made_up", "nothing")])
    assert read_as_notebook(*log(("a", some(2))), noticed, WHOLE).stops is None


def test_a_log_without_blocks_shows_nothing():
    made, allocations, findings = read((attempts(1), blocks([])))
    assert (len(made), len(allocations), findings) == (0, 0, [])


def test_a_memory_level_beside_the_attempts_is_none_of_its_patches():
    frames = log(("a", some(2)), ("b", [block("12.5", 0, 1, 0)]), level=[None, "DDR"])
    made, allocations, findings = read(frames)
    assert (len(made), len(allocations), findings) == (1, 2, [])
