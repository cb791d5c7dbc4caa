import json

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analysis.aie.reference_report import report_files
from analysis.derive import derivable, derive
from analysis.headline import headline
from schema.choices import METHODS
from schema.frames import FRAMES, complete
from tests.support.gemm_trace import END, LOCK, START, Core, frames, load, run_frame, settings
from tests.support.memory import attempts, block, blocks

CAPTURE = frames(Core("2,0").run(4), Core("3,0").run(4))
MAP = {
    "run": complete("run", {"source": ["minimalloc"]}),
    "attempts": attempts(),
    "allocations": blocks([block("a", 0, 2, 0), block("b", 1, 3, 32)]),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_frame_has_the_schemas_columns(method):
    made = derive(CAPTURE, method)
    assert set(derivable("aie", CAPTURE)) | {"run", "diagnostics"} <= set(made)
    for name in ("run", "kernels", "iterations", "activity", "diagnostics"):
        assert list(made[name].columns) == FRAMES[name].names
        assert [str(d) for d in made[name].dtypes] == [c.dtype for c in FRAMES[name].columns]


def test_what_can_be_derived_depends_on_source_and_stored_frames():
    assert derivable("aie", ["tracks", "events"]) == ("kernels", "iterations", "activity")
    stored = ["attempts", "allocations", "events"]
    assert derivable("tpu_mlir", stored) == ("attempts", "allocations")
    assert derivable("aie", ["allocations"]) == (
        "kernels",
        "iterations",
        "activity",
        "attempts",
        "allocations",
    )
    assert derivable("deeploy", ["events"]) == ()


@pytest.mark.parametrize("method", METHODS)
def test_memory_maps_are_derived_by_what_is_stored(method):
    made = derive(MAP, method)
    assert set(made) == {"run", "attempts", "allocations", "diagnostics"}
    assert made["attempts"]["blocks"].tolist() == [2]
    for name, frame in made.items():
        assert [str(d) for d in frame.dtypes] == [c.dtype for c in FRAMES[name].columns]


def test_a_run_with_both_kinds_of_frame_has_both_derived():
    both = derive(CAPTURE | {"attempts": MAP["attempts"], "allocations": MAP["allocations"]})
    assert {"kernels", "iterations", "activity", "attempts", "allocations"} <= set(both)
    assert "block_overlap" in set(both["diagnostics"]["code"])
    assert both["run"]["M"].notna().all()


def test_a_run_with_neither_has_itself():
    assert set(derive({"run": MAP["run"]})) == {"run", "diagnostics"}


def test_the_methods_agree_on_a_clean_capture():
    ours, theirs = derive(CAPTURE), derive(CAPTURE, "reference")
    columns = ["track", "start", "end", "iteration", "phase", "kept"]
    pd.testing.assert_frame_equal(
        ours["kernels"][columns].astype({"track": "str", "phase": "str"}),
        theirs["kernels"][columns].astype({"track": "str", "phase": "str"}),
    )
    assert headline(CAPTURE | ours)["gmacs_mean"] == pytest.approx(
        headline(theirs, "reference")["gmacs_mean"]
    )
    assert len(theirs["diagnostics"]) == 0


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method fancy: expected one of robust, reference"):
        derive(CAPTURE, "fancy")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ({"colour": "red"}, "unknown setting colour"),
        ({"M": "0"}, "M=0: expected a whole number"),
        ({"clock_hz": "fast"}, "clock_hz=fast: expected a positive number"),
        ({"mac_dtype": "fp4"}, "mac_dtype=fp4: expected one of"),
    ],
)
def test_a_bad_override_is_refused_in_a_sentence(override, sentence):
    with pytest.raises(ValueError, match=sentence):
        derive(CAPTURE, overrides=override)


@pytest.mark.parametrize("method", METHODS)
def test_overrides_change_run_and_numbers_and_nothing_given(method):
    before = CAPTURE["run"].copy()
    made = derive(CAPTURE, method, {"clock_hz": "2.5GHz", "warmup": "2", "mac_dtype": "bf16"})
    plain = derive(CAPTURE, method)
    assert made["run"].iloc[0][["clock_hz", "warmup", "peak_macs_per_cycle"]].tolist() == [
        2.5e9,
        2,
        128.0,
    ]
    assert made["iterations"]["phase"].astype("str").tolist().count("warmup") > 2
    system = made["iterations"][made["iterations"]["track"] == "system"].set_index("iteration")
    other = plain["iterations"][plain["iterations"]["track"] == "system"].set_index("iteration")
    assert system.loc[3, "gmacs_per_s"] == pytest.approx(2 * other.loc[3, "gmacs_per_s"])
    assert system.loc[3, "utilization"] == pytest.approx(other.loc[3, "utilization"] / 2)
    pd.testing.assert_frame_equal(CAPTURE["run"], before)


def test_the_boundary_factor_decides_what_ends_an_iteration():
    capture = frames(Core().run(4, pause=900), given={"boundary_factor": "5"})
    assert derive(capture, "reference")["iterations"]["iteration"].max() == 3
    assert (
        derive(capture, "reference", {"boundary_factor": "10"})["iterations"]["iteration"].max()
        == 0
    )
    assert (
        derive(capture, "robust", {"boundary_factor": "10"})["iterations"]["iteration"].max() == 0
    )


def test_a_capture_without_events_has_empty_frames():
    named = {
        "name": "process_name",
        "ph": "M",
        "pid": 0,
        "args": {"name": "core_trace for tile2,0"},
    }
    loaded = load(json.dumps([named]), settings())
    for method in METHODS:
        made = derive({"run": run_frame(loaded.metadata), **loaded.frames}, method)
        assert [len(made[name]) for name in ("kernels", "iterations", "activity")] == [0, 0, 0]


EVENTS = st.tuples(
    st.sampled_from([START, END, LOCK, "Event0", "MEMORY_STALL"]),
    st.integers(0, 60) | st.integers(0, 5_000) | st.integers(-(2**61) + 1, 2**61 - 1),
    st.sampled_from("BE"),
    st.integers(0, 2),
)


NO_MAIN_KERNEL = [
    *[("INSTR_EVENT_0", 0, "B", 0)] * 10,
    ("INSTR_EVENT_0", 0, "B", 2),
    ("INSTR_EVENT_1", 0, "B", 2),
    ("INSTR_EVENT_1", -20, "E", 2),
]
"""Events of an iteration without a main kernel."""


@pytest.mark.slow
@example(events=NO_MAIN_KERNEL, known={})
@given(
    st.lists(EVENTS, max_size=50),
    st.sampled_from([{}, settings(), settings(2, kernels=1), settings(3, kernels=2)]),
)
def test_any_capture_is_analysed_by_both_methods(events, known):
    named = [
        {
            "name": "process_name",
            "ph": "M",
            "pid": pid,
            "args": {"name": f"core_trace for tile{2 + pid},0"},
        }
        for pid in range(2)
    ]
    given = [
        {"name": name, "ts": ts, "ph": phase, "pid": pid, "tid": 0, "args": {}}
        for name, ts, phase, pid in events
    ]
    loaded = load(json.dumps(named + given), known)
    capture = {"run": run_frame(loaded.metadata), **loaded.frames}
    for method in METHODS:
        made = derive(capture, method)
        numbers = headline(capture | made, method)
        rows = made["iterations"]
        kept = made["kernels"][made["kernels"]["kept"]]
        assert (kept["start"] <= kept["end"]).all()
        assert (made["kernels"].loc[~made["kernels"]["kept"], "reason"] != "").all()
        assert (rows["span"] >= 0).all()
        assert numbers["gmacs_best"] is None or numbers["gmacs_best"] >= numbers["gmacs_worst"] > 0
    if known:
        report_files(capture)


def test_findings_do_not_depend_on_the_method():
    capture = frames(Core("2,0").run(4).lose("INSTR_EVENT_1", 7))
    robust, reference = (set(derive(capture, method)["diagnostics"]["code"]) for method in METHODS)
    assert "markers_lost" in robust
    assert robust == reference
