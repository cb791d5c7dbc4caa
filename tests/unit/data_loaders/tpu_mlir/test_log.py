import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from data_loaders.registry import sniff
from data_loaders.tpu_mlir import blocks as tpu_blocks
from data_loaders.tpu_mlir.log import TpuMlirLoader
from tests.support.finding_codes import code_counts, only_finding
from tests.support.tpu_log import (
    ATTEMPTS,
    HEAD,
    MODULE,
    SLICED,
    SMALL,
    STEM,
    TABLE,
    TRIED,
    attempt,
    buffer,
    cycles,
    group_cache,
    log,
    result,
    slack,
)

LOADER = TpuMlirLoader()
ANY_FILE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_attempts_are_as_the_log_says(load):
    attempts = load(SMALL).frames["attempts"]
    assert attempts["attempt"].tolist() == [0, 1, 2, 3, 4]
    assert attempts["outcome"].tolist() == ["failed", "success", "success", "success", "success"]
    assert attempts["shape_secs"].tolist() == [
        "1,1,1,1,1",
        SLICED.secs,
        "1,1,1,1,1",
        SLICED.secs,
        "1,1,1,1,1",
    ]
    assert attempts["one_loop"].tolist() == [1, 0, 1, 0, 1]
    assert attempts["allow_bank_conflict"].tolist() == [0] * 5
    assert attempts["steps"].tolist() == [3, 3, 2, 3, 2]
    assert attempts["reported_bytes"].tolist() == [20480, 34816, 33536, 34816, 33536]
    assert attempts["reported_failed"].tolist() == [2, 0, 0, 0, 0]
    assert attempts["line"].tolist() == [1, 14, 21, 27, 34]
    assert attempts[
        ["capacity", "banks", "bank_bytes", "align_bytes"]
    ].drop_duplicates().values.tolist() == [[262144, 16, 16384, 64]]
    assert attempts["final"].isna().all()
    assert (attempts["group"] == "").all()


def test_blocks_are_as_the_log_says(load):
    blocks = load(SMALL).frames["allocations"]
    first = blocks[blocks["attempt"] == 0]
    assert first["block"].tolist() == [0, 1, 2, 3, 4]
    assert first["name"].tolist() == ["conv1.weight", "conv1.bias", "input", "conv1", "pool"]
    assert first["kind"].tolist() == ["weight", "weight", "activation", "activation", "activation"]
    assert first["op_type"].tolist() == [
        "top.Weight",
        "top.Weight",
        "top.Input",
        "tpu.Conv2D",
        "tpu.Pool2D",
    ]
    assert first["address"].isna().tolist() == [False, False, False, True, True]
    assert first["status"].tolist() == ["placed", "placed", "placed", "failed", "failed"]
    assert first["size"].tolist() == [512, 8, 4096, 300000, 2048]
    assert first["start"].tolist() == [2, 2, 2, 0, 1]
    assert first["end"].tolist() == [1, 1, 1, 2, 3]
    assert first["wraps"].tolist() == [True, True, True, False, False]
    assert first["hold"].tolist() == [False, True, False, False, False]
    assert first["mode"].tolist() == [
        "LOAD",
        "LOAD",
        "LDST_UNKNOWN",
        "LDST_UNKNOWN",
        "LDST_UNKNOWN",
    ]
    assert (blocks["attempt"].diff().dropna() >= 0).all()


def test_a_filtered_log_and_a_whole_one_give_the_same(load):
    whole = load(log(*(attempt(blocks, filtered=False) for blocks in (STEM, HEAD))))
    filtered = load(log(attempt(STEM), attempt(HEAD)), "filtered.log")
    pd.testing.assert_frame_equal(whole.frames["allocations"], filtered.frames["allocations"])


@pytest.mark.slow
def test_gzip_crlf_and_small_blocks_give_the_same(load, monkeypatch):
    plain = load(SMALL)
    monkeypatch.setattr(tpu_blocks, "BLOCK_BYTES", 700)
    for run in (
        load(SMALL, "small.log"),
        load(gzip.compress(SMALL.encode()), "net.log.gz"),
        load(SMALL.replace("\n", "\r\n"), "crlf.log"),
    ):
        for name in ("attempts", "allocations", "steps", "events"):
            pd.testing.assert_frame_equal(run.frames[name], plain.frames[name])


def test_cycles_become_steps_and_events(load):
    run = load(SMALL)
    steps = run.frames["steps"]
    # The third attempt of the stem asks for the blocks of the second, whose table it has.
    assert steps["attempt"].tolist() == [1, 1, 1, 3, 3, 3]
    one = steps[steps["attempt"] == 1]
    assert one["gdma_cycles"].tolist() == [300, 540, 100]
    assert one["layer_cycles"].tolist() == [900, 200, 0]
    assert one["slack"].tolist() == [600, -340, -100]
    assert one["begin"].tolist() == [0, 900, 1440]
    assert one["name"].tolist() == ["conv1", "pool", ""]
    assert one["op_type"].tolist() == ["tpu.Conv2D", "tpu.Pool2D", ""]
    events = run.frames["events"]
    mine = events[events["track"] == "attempt 1"]
    assert list(zip(mine["lane"], mine["name"], mine["start"], mine["end"], strict=True)) == [
        ("gdma", "pool", 0, 300),
        ("gdma", "conv1.bias", 900, 940),
        ("gdma", "input", 940, 1440),
        ("gdma", "conv1.weight", 1440, 1540),
        ("layer", "conv1", 0, 900),
        ("layer", "pool", 900, 1100),
    ]
    tracks = run.frames["tracks"]
    assert tracks["track"].tolist() == ["attempt 1", "attempt 3"]
    assert tracks["kind"].tolist() == ["attempt", "attempt"]
    assert tracks["entries"].tolist() == [12, 12]
    assert tracks["last"].tolist() == [1540, 1540]
    assert code_counts(run)["cycles_missing"] == 3


def test_a_table_of_other_steps_or_another_slicing_is_not_joined(load):
    assert "steps" not in load(log(ATTEMPTS[1][:6] + ATTEMPTS[2])).frames
    assert "steps" not in load(log(ATTEMPTS[1][:6] + attempt(STEM))).frames


def test_a_table_belongs_to_the_next_attempt_alone(load):
    run = load(
        log(ATTEMPTS[1][:6] + attempt(HEAD), attempt([*STEM, buffer("x", 40000, end=2)], SLICED))
    )
    assert "steps" not in run.frames


def test_a_table_of_absurdly_many_steps_is_not_joined(load):
    table = [(9_999_999, "layer", "tpu.Conv2D", "x", 5)]
    run = load(log(cycles(table) + attempt([buffer("x", 0, end=9_999_999)])))
    assert "steps" not in run.frames
    assert run.frames["attempts"]["steps"].tolist() == [10_000_000]


@pytest.mark.slow
def test_cycles_before_moves_serve_where_there_are_no_others(load):
    run = load(log(slack(TABLE) + attempt(STEM)))
    assert run.frames["steps"]["gdma_cycles"].tolist() == [300, 540, 100]
    assert "cycles_before_moves" in code_counts(run)
    wrong = [line.replace("cycle_slack = 600", "cycle_slack = 7") for line in slack(TABLE)]
    assert code_counts(load(log(wrong + attempt(STEM))))["slack_differs"] == 1


def test_layer_groups_label_attempts(load):
    run = load(SMALL, beside={"net_bm1684x_f16.layer_group_cache.json": group_cache()})
    attempts = run.frames["attempts"]
    stem, head = "group 0", "group 1"
    assert attempts["group"].tolist() == [stem, stem, head, stem, head]
    assert attempts["final"].tolist() == [False, False, False, True, True]


def test_garbled_lines_are_counted_with_advice(load):
    lines = SMALL.split("\n")
    lines[2] = lines[2][:200] + lines[3]
    run = load("\n".join(lines))
    finding = only_finding(run, "lines_unreadable")
    assert finding.count == 1
    assert "OMP_NUM_THREADS=1" in finding.message
    assert finding.location.endswith(", line 3")
    assert len(run.frames["attempts"]) == 5


def test_a_cut_log_says_so_and_keeps_what_was_whole(load):
    run = load(SMALL[: SMALL.rindex("; timestep_end")])
    found = code_counts(run)
    assert found["file_cut"] == found["lines_unreadable"] == found["attempts_unfinished"] == 1
    assert len(run.frames["allocations"]) == 22
    assert run.frames["attempts"]["outcome"].tolist()[-1] == "unfinished"


def test_a_line_without_end_is_read_in_pieces(load, monkeypatch):
    monkeypatch.setattr(tpu_blocks, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(tpu_blocks, "MAX_LINE_BYTES", 1000)
    run = load("x" * 50_000 + SMALL)
    assert code_counts(run)["lines_long"] == 1
    assert len(run.frames["attempts"]) == 5


def test_an_attempt_without_results_is_an_attempt(load):
    run = load(log(ATTEMPTS[0][:1]))
    assert run.frames["attempts"]["steps"].tolist() == [0]
    assert len(run.frames["allocations"]) == 0
    assert {"no_results", "finish_lines_missing"} <= code_counts(run).keys()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        "; action = lmem_assign; tag = other\n",
        "[Deeploy] profile\nstep = lmem_spec\n",
        "id,lower,upper,size\na,0,1,2\n",
        '[{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "core_trace for tile2,1"}}]',
        MODULE.replace("TPU_ADDRESSED", "TPU_LOWERED"),
    ],
    ids=[
        "nothing",
        "words",
        "another tag",
        "Deeploy",
        "a table",
        "a trace",
        "a module without addresses",
    ],
)
def test_what_is_none_of_ours_is_refused(tmp_path, text):
    path = tmp_path / "run.log"
    path.write_text(text)
    assert isinstance(LOADER.sniff(path, read_head(path)), str)
    with pytest.raises(LoadError, match=r"run\.log"):
        LOADER.load(path, {})


def test_results_that_cannot_be_read_at_all_are_a_sentence(load):
    with pytest.raises(LoadError, match="1 result line "):
        load(result(HEAD[0]).replace("size = ", "size = -"))


def test_a_log_is_known_behind_what_a_compiler_says_first(tmp_path):
    path = tmp_path / "net.log"
    path.write_text("a compiler says much\n" * 10_000 + SMALL)
    assert {name for name, refusal in sniff(path).items() if refusal is None} == {"tpu_mlir"}


@pytest.mark.slow
def test_names_take_the_path_that_people_know(load):
    assert load(SMALL, origin="/runs/yolo/lmem_assign_result.log").metadata["name"] == "yolo"
    assert load(SMALL, origin=r"C:\runs\yolo_bm1690.log.gz").metadata["name"] == "yolo_bm1690"
    assert load(SMALL, origin=r"C:\runs\yolo_bm1690.log.gz").metadata["hwid"] == "bm1690"


@pytest.mark.slow
@ANY_FILE
@given(data=st.data())
def test_damage_costs_no_more_than_its_lines(data, tmp_path):
    text = bytearray(SMALL.encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 60))] = data.draw(
            st.binary(max_size=20) | st.just(b"\n")
        )
    path = tmp_path / "damaged.log"
    path.write_bytes(text)
    try:
        run = LOADER.load(path, {})
    except LoadError as error:
        assert "damaged.log" in str(error)
        return
    blocks, attempts = run.frames["allocations"], run.frames["attempts"]
    assert len(blocks) >= 18
    assert blocks["attempt"].isin(attempts["attempt"]).all()
    assert blocks["end"].le(blocks["attempt"].map(attempts.set_index("attempt")["steps"])).all()
    assert ((blocks["start"] >= blocks["end"]) == blocks["wraps"]).all()
    assert np.array_equal(blocks["address"].isna(), blocks["status"] == "failed")


@pytest.mark.slow
@ANY_FILE
@given(lines=st.lists(st.sampled_from(SMALL.split("\n")) | st.text(max_size=30), max_size=40))
def test_lines_in_any_order_make_a_run_or_a_sentence(lines, tmp_path):
    path = tmp_path / "mixed.log"
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    try:
        run = LOADER.load(path, {})
    except LoadError:
        return
    assert len(run.frames["allocations"]) == sum(
        "; tag = iteration_result" in line for line in lines
    )


def test_the_tries_that_failed_are_kept(load):
    run = load(log(attempt(TRIED)))
    assert run.frames["attempts"]["outcome"].tolist() == ["failed"]
    assert run.frames["allocations"]["status"].tolist().count("failed") == 2


def test_what_else_is_lost_or_left_open_is_said(load):
    text = SMALL.replace("op_name = fc;", "op_name = caf\udce9;").encode(errors="surrogateescape")
    beside = {"net.layer_group_cache.json": group_cache()}
    run = load(text.replace(b"total_lmem_used = ", b"total_lmem_us"), beside=beside)
    found = code_counts(run)
    assert found["other_lines_unreadable"] == 4
    assert found["attempts_unfinished"] == 4
    assert found["names_replaced"] == 1
    assert found["groups_without_attempt"] == 1
    assert "caf\ufffd" in set(run.frames["allocations"]["name"])
