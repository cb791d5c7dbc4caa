import json

import pandas as pd
import pytest

from analysis.memory.derive import derive_memory
from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from data_loaders.tpu_mlir.letsvis import read_letsvis
from data_loaders.tpu_mlir.log import TpuMlirLoader
from schema.runs import RUN
from tests.support.finding_codes import only_finding

LOADER = TpuMlirLoader()


def entry(**known):
    blank = {
        "tag": "iteration_result",
        "status": "success",
        "lmem_type": "LMEM_ACTIVATION",
        "op_type": "tpu.Conv2D",
        "op_name": "100_Conv2D",
        "addr": 0,
        "size": 64,
        "timestep_start": 1,
        "timestep_end": 3,
        "hold_in_lmem": False,
        "bank_id": 0,
        "max_timestep": 6,
    }
    return blank | known


def group(*entries, **settings):
    return {
        "settings": {"allow_bank_conflict": False, "shape_secs": [1, 1, 2, 1, 1]} | settings,
        "allocations": entries,
    }


def load(tmp_path, *groups, settings=None):
    path = tmp_path / "lmem.json"
    path.write_text(json.dumps(groups, indent=2))
    assert LOADER.sniff(path, read_head(path)) is None
    return LOADER.load(path, settings or {})


def test_blocks_as_the_log_would_give_them(tmp_path):
    wraps = entry(
        op_name="w",
        lmem_type="LMEM_WEIGHT",
        addr=128,
        timestep_start=5,
        timestep_end=1,
        hold_in_lmem=True,
    )
    scratch = entry(op_name="s", lmem_type="LMEM_OPERATION", status="failed", addr=-1)
    blocks = load(tmp_path, group(entry(), wraps, scratch)).frames["allocations"]
    assert blocks["kind"].tolist() == ["activation", "weight", "operation"]
    assert blocks[["start", "end", "wraps", "hold"]].to_numpy().tolist() == [
        [1, 4, False, False],
        [5, 2, True, True],
        [1, 4, False, False],
    ]
    assert blocks["status"].tolist() == ["placed", "placed", "failed"]
    assert blocks["address"].tolist()[:2] == [0, 128]
    assert blocks["address"].isna().tolist() == [False, False, True]


def test_a_group_is_an_attempt_with_its_settings(tmp_path):
    run = load(
        tmp_path,
        group(entry()),
        group(entry(status="failed", max_timestep=2), allow_bank_conflict=True),
    )
    attempts = run.frames["attempts"]
    assert attempts["steps"].tolist() == [7, 4], (
        "lifetimes may end after the last step that the file gives"
    )
    assert attempts["outcome"].tolist() == ["success", "failed"]
    assert attempts["shape_secs"].tolist() == ["1,1,2,1,1"] * 2
    assert attempts["allow_bank_conflict"].tolist() == [0, 1]
    assert attempts["one_loop"].isna().all()


def test_the_chip_and_the_capacity_are_settings(tmp_path):
    assert load(tmp_path, group(entry())).frames["attempts"]["capacity"].isna().all()
    attempts = load(tmp_path, group(entry()), settings={"hwid": "bm1684x"}).frames["attempts"]
    assert attempts[["capacity", "banks", "bank_bytes"]].to_numpy().tolist() == [
        [262144, 16, 16384]
    ]
    attempts = load(tmp_path, group(entry()), settings={"capacity": "64KiB"}).frames["attempts"]
    assert attempts["capacity"].tolist() == [65536]


@pytest.mark.parametrize(
    "damage",
    [
        {"size": -1},
        {"size": "64"},
        {"size": True},
        {"addr": None},
        {"addr": 2**62},
        {"timestep_start": -1},
        {"timestep_end": 10**9},
        {"op_name": 3},
    ],
)
def test_an_entry_that_is_damaged_costs_itself(tmp_path, damage):
    run = load(tmp_path, group(entry(), entry(**damage)), {"settings": [], "allocations": None})
    assert len(run.frames["allocations"]) == 1
    finding = only_finding(run, "entries_skipped")
    assert (finding.severity, finding.count) == ("warning", 2)


@pytest.mark.parametrize("content", [[], [{}], {}, [group()], [group(entry(size=None))]])
def test_a_file_without_a_readable_block_is_refused(tmp_path, content):
    path = tmp_path / "lmem.json"
    path.write_text(json.dumps(content))
    with pytest.raises(LoadError, match=r"^lmem\.json: "):
        read_letsvis(path, None, None)


def test_a_file_that_is_cut_off_is_refused_by_its_byte(tmp_path):
    path = tmp_path / "lmem.json"
    path.write_text(json.dumps([group(entry(), entry())], indent=2)[:-20])
    with pytest.raises(LoadError, match=r"lmem\.json: .*byte \d+"):
        LOADER.load(path, {})


@pytest.mark.parametrize("head", [b"[]", b'{"allocations": []}', b'[{"name": "lmem_type"}]'])
def test_other_json_is_not_taken(tmp_path, head):
    (tmp_path / "a.json").write_bytes(head)
    assert LOADER.sniff(tmp_path / "a.json", head) is not None


@pytest.mark.parametrize("method", ["robust", "reference"])
def test_both_methods_read_it(tmp_path, method):
    run = load(tmp_path, group(entry(), entry(op_name="b", addr=64)))
    record = {column.name: [None] for column in RUN.columns} | {
        "source": ["tpu_mlir"],
        "time_unit": ["cycles"],
    }
    made = derive_memory(run.frames | {"run": pd.DataFrame(record)}, method)
    assert made["attempts"]["live_peak"].tolist() == [128]
