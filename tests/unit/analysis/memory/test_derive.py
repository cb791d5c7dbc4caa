import pandas as pd
import pytest

from analysis.memory.attempts import with_numbers
from analysis.memory.derive import derive_memory
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import FRAMES, complete
from tests.support.memory import attempts, block, blocks, failed, uses
from tests.support.numbers_in_text import has_numbers

MERGED = [
    block("a", 0, 1, 0),
    block("b", 0, 1, 64),
    block("c", 0, 1, 0, attempt=1),
    block("d", 0, 1, 64, attempt=1),
]


def stored(source, rows, count=1, **columns):
    settings = {"shape_secs": "1,1,1,1,1", "allow_bank_conflict": 0, "one_loop": 1}
    run = complete("run", {"source": [source]})
    return {
        "run": run,
        "attempts": attempts(count, **(settings | columns)),
        "allocations": blocks(rows),
    }


def codes(derived):
    return derived["diagnostics"]["code"].tolist()


@pytest.mark.parametrize("source", ["tpu_mlir", "deeploy", "minimalloc"])
@pytest.mark.parametrize("method", ["robust", "reference"])
def test_frames_are_of_the_schema(source, method):
    made = derive_memory(stored(source, MERGED, 2), method)
    assert set(made) == {"attempts", "allocations", "diagnostics"}
    assert all(list(frame.columns) == FRAMES[name].names for name, frame in made.items())


def test_robust_fills_in_numbers_and_groups_and_leaves_the_blocks():
    frames = stored("tpu_mlir", MERGED, 2)
    made = derive_memory(frames, "robust")
    numbered = with_numbers(frames["attempts"], frames["allocations"])
    assert made["attempts"]["group"].tolist() == ["tensors 0", "tensors 1"]
    pd.testing.assert_frame_equal(made["attempts"].assign(group=numbered["group"]), numbered)
    pd.testing.assert_frame_equal(made["allocations"], frames["allocations"])


def test_by_either_method_the_difference_is_told():
    for method in ("robust", "reference"):
        made = derive_memory(stored("tpu_mlir", MERGED, 2), method)
        assert codes(made) == ["methods_differ"]
        assert has_numbers(made["diagnostics"]["message"].iloc[0], "1", "2")
    assert made["attempts"]["blocks"].tolist() == [4]


def test_blocks_that_are_lost_and_names_that_are_cut_are_told():
    rows = [*MERGED[:2], block("e[0]", 0, 1, 0, attempt=1)]
    made = derive_memory(stored("tpu_mlir", rows, 2, shape_secs=["a", "b"]), "robust")
    message = made["diagnostics"]["message"].iloc[0]
    assert has_numbers(message, "1", "2")
    assert "1 block lost" in message
    assert "1 name cut short" in message


def test_where_the_methods_agree_nothing_is_told():
    assert codes(derive_memory(stored("tpu_mlir", MERGED[:2]), "robust")) == []


def test_where_the_notebook_stops_reference_is_empty_and_robust_is_not():
    frames = stored("tpu_mlir", [block("12.5", 0, 1, 0)])
    assert codes(derive_memory(frames, "robust")) == ["methods_differ"]
    made = derive_memory(frames, "reference")
    assert codes(made) == ["reference_crashes", "methods_differ"]
    assert (len(made["attempts"]), len(made["allocations"])) == (0, 0)


def test_lines_that_the_loader_could_not_read_stop_the_notebook():
    noticed = diagnostics_frame([Diagnostic("warning", "lines_unreadable", "cut", "", 3)])
    made = derive_memory(stored("tpu_mlir", MERGED, 2) | {"diagnostics": noticed}, "reference")
    assert "reference_crashes" in codes(made)


@pytest.mark.parametrize("source", ["deeploy", "minimalloc"])
def test_other_sources_have_no_reference(source):
    frames = stored(source, MERGED, 2)
    made = derive_memory(frames, "reference")
    assert codes(made) == ["no_reference"]
    pd.testing.assert_frame_equal(made["attempts"], derive_memory(frames, "robust")["attempts"])


def test_findings_about_the_map_do_not_depend_on_the_method():
    frames = stored("deeploy", [failed("x"), block("t", 0, 1, 0)]) | {
        "buffer_uses": uses([(0, 1, 3, "r")])
    }
    robust = codes(derive_memory(frames, "robust"))
    assert robust == ["dead_at_use", "blocks_failed"]
    assert set(codes(derive_memory(frames, "reference"))) == {*robust, "no_reference"}


def test_steps_of_the_reference_have_the_numbers_of_their_patches():
    rows = [*MERGED, block("e", 0, 2, 0, attempt=2), block("f", 0, 2, 64, attempt=2)]
    frames = stored("tpu_mlir", rows, 3, shape_secs=["1,1,1,1,1", "1,1,1,1,1", "2,1,1,1,1"])
    columns = {"attempt": pd.array([0, 1, 2, 2, None], dtype="Int64"), "step": [0, 0, 0, 1, 0]}
    steps = complete("steps", columns | {"name": ["zero", "one", "two", "two too", "all"]})
    made = derive_memory(frames | {"steps": steps}, "reference")
    assert made["attempts"]["shape_secs"].tolist() == ["1,1,1,1,1", "2,1,1,1,1"], (
        "two attempts are one patch"
    )
    own = made["steps"].dropna(subset="attempt")
    assert own[["attempt", "name"]].to_numpy().tolist() == [[0, "zero"], [1, "two"], [1, "two too"]]
    assert made["steps"].loc[made["steps"]["attempt"].isna(), "name"].tolist() == ["all"]
    assert "steps" not in derive_memory(frames | {"steps": steps}, "robust")
