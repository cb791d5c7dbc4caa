import json

import pandas as pd
import pytest

from data_loaders.protocol import LoadError
from tests.support.finding_codes import code_counts
from tests.support.tpu_log import LAYERS, MODULE, PROFILE, SMALL, STEM, bmodel, profile, result


@pytest.mark.slow
def test_a_profile_a_bmodel_and_a_module_join_a_log(load):
    layers = bmodel(LAYERS)
    run = load(
        SMALL,
        beside={
            "net.bmodel.json": layers,
            "compiler_profile_0.txt": PROFILE,
            "net_final.mlir": MODULE,
        },
    )
    assert run.metadata["hwid"] == "bm1684x"
    assert run.metadata["clock_hz"] == 1e9
    tracks = run.frames["tracks"]
    assert tracks["track"].tolist() == ["attempt 1", "attempt 3", "core 0 bd", "core 0 gdma"]
    assert tracks["order"].tolist() == [0, 1, 2, 3]
    events = run.frames["events"]
    assert set(events.loc[events["track"] == "core 0 bd", "name"]) == {"conv1", "BD_SEND_MSG"}
    attempts = run.frames["attempts"]
    assert attempts["level"].tolist()[-1] == "DDR"
    assert attempts["attempt"].tolist() == list(range(6))
    assert attempts["outcome"].tolist()[0] == "failed"
    assert (run.frames["allocations"]["attempt"].diff().dropna() >= 0).all()
    assert run.frames["steps"]["attempt"].tolist() == [1, 1, 1, 3, 3, 3, 5, 5, 5]


def test_a_companion_that_cannot_be_read_costs_itself(load):
    beside = {"net.layer_group_cache.json": "{", "net.bmodel.json": "[]", "net_final.mlir": "x"}
    run = load(SMALL, beside=beside)
    assert len(run.frames["attempts"]) == 5
    assert [finding.code for finding in run.diagnostics].count("companion_unreadable") == 3


def test_a_module_of_another_chip_is_told_apart(load):
    run = load(SMALL, beside={"net_final.mlir": MODULE.replace("bm1684x", "bm1688")})
    assert run.metadata["hwid"] == "bm1684x or bm1690"
    assert "module_of_another_chip" in code_counts(run)


def test_a_profile_alone_is_a_run(load):
    run = load(PROFILE, "work/compiler_profile_0.txt")
    assert run.metadata == {"name": "work", "time_unit": "cycles", "clock_hz": 1e9}
    assert run.frames["tracks"]["kind"].tolist() == ["engine", "engine"]
    assert len(run.frames["attempts"]) == 0
    assert "Load_14" in set(run.frames["events"]["name"])


def test_a_module_alone_is_a_run(load):
    run = load(MODULE, "final.mlir")
    assert run.metadata["name"] == "tiny"
    assert run.metadata["hwid"] == "bm1684x"
    assert run.frames["attempts"]["level"].tolist() == ["DDR"]
    assert len(run.frames["allocations"]) == 4


@pytest.mark.parametrize(
    ("name", "chosen", "hwid", "capacity"),
    [
        ("net.log", {}, None, None),
        ("net_bm1688_F16.log", {}, "bm1688", 131072),
        ("net.log", {"hwid": "bm1684x"}, "bm1684x", 262144),
        ("net.log", {"hwid": "mine"}, "mine", None),
        ("net.log", {"capacity": "64KiB"}, None, 65536),
    ],
)
def test_a_log_without_spec_takes_the_chips(load, name, chosen, hwid, capacity):
    run = load("\n".join(map(result, STEM)) + "\n", name, **chosen)
    assert run.metadata.get("hwid") == hwid
    assert run.frames["attempts"]["capacity"].tolist() == [capacity if capacity else pd.NA]
    assert ("capacity_unknown" in code_counts(run)) == (capacity is None)
    assert code_counts(run)["attempts_guessed"] == 1
    assert code_counts(run)["finish_lines_missing"] == 1


@pytest.mark.slow
def test_settings_win_over_the_log(load):
    run = load(SMALL, hwid="bm1688", capacity="128KiB", name="mine", tags="a b")
    assert run.metadata == {
        "name": "mine",
        "time_unit": "cycles",
        "hwid": "bm1688",
        "clock_hz": 0.9e9,
        "tags": "a b",
    }
    assert run.frames["attempts"]["capacity"].tolist() == [131072] * 5
    assert run.frames["attempts"]["banks"].tolist() == [8] * 5
    assert "chip_contradicted" in code_counts(run)
    odd = load(SMALL, capacity="100000").frames["attempts"]
    assert odd["banks"].isna().all()
    assert odd["bank_bytes"].isna().all()


def test_what_is_missing_in_a_spec_comes_from_another(load):
    broken = SMALL.replace("lmem_bytes = 262144", "lmem_by = 262144", 1)
    assert load(broken).frames["attempts"]["capacity"].tolist() == [262144] * 5


def test_reading_json_that_is_none_is_a_finding(load):
    run = load(
        SMALL,
        beside={
            "net.layer_group_cache.json": json.dumps({"subfunc_0": {"GroupLayer": [{"locs": []}]}})
        },
    )
    assert "companion_unreadable" in code_counts(run)
    assert run.frames["attempts"]["final"].isna().all()


def test_a_profile_without_commands_is_a_sentence(load):
    with pytest.raises(LoadError, match="no command of an engine"):
        load(profile([]), "compiler_profile_0.txt")
