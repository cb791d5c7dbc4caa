import json

import pytest

from data_loaders.aie.settings import (
    gemm_metadata,
    index_settings,
    settings_from_index,
    settings_from_path,
)
from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic
from tests.support.numbers_in_text import numbers_in

PLACE = "outputs/npu2-gemm_256_128_64-4_row_2_col/traces/trace_mm_256_128_64.json"
TOLD = {"hwid": "npu2", "M": 256, "K": 128, "N": 64, "rows": 4, "cols": 2}


@pytest.mark.parametrize("path", [PLACE, f"/data/{PLACE}.gz", PLACE.replace("/", "\\")])
def test_the_path_tells_hwid_sizes_and_array(path):
    assert settings_from_path(path) == TOLD


def test_folder_and_file_tell_what_they_can():
    assert settings_from_path("traces/trace_mm_1_2_3.json") == {"M": 1, "K": 2, "N": 3}
    path = "a-b-gemm_1_2_3-4_row_5_col"
    assert settings_from_path(path) == {"hwid": "a-b", "M": 1, "K": 2, "N": 3, "rows": 4, "cols": 5}
    assert settings_from_path("trace.json") == {}


def test_sizes_beyond_reason_in_a_path_are_not_there():
    path = f"x-gemm_{10**12}_0_3-1_row_1_col/t"
    assert settings_from_path(path) == {"hwid": "x", "N": 3, "rows": 1, "cols": 1}
    assert settings_from_path("x" * 300 + "-gemm_1_1_1-1_row_1_col/t").get("hwid") is None


def test_the_index_tells_what_the_script_was_run_with(tmp_path):
    path = tmp_path / "index.json"
    path.write_text(
        json.dumps(
            {"hwid": "npu1", "M": 64, "k": "32", "warmup": 2, "clock_GHz": 1.8, "notes": ["x"]}
        )
    )
    assert settings_from_index(path)[0] == {
        "hwid": "npu1",
        "M": 64,
        "k": 32,
        "warmup": 2,
        "clock_hz": 1.8e9,
    }


def test_the_index_tells_when_and_from_which_code_a_trace_was_made(tmp_path):
    path = tmp_path / "index.json"
    origin = {
        "taken_at": "2026-11-01T12:00+01:00",
        "commit": "4f2a9c1",
        "branch": "main",
        "tags": "a b",
    }
    path.write_text(json.dumps(origin))
    assert settings_from_index(path) == (origin | {"taken_at": "2026-11-01T11:00:00+00:00"}, [])


def test_tags_of_the_index_are_text_or_a_list(tmp_path):
    path = tmp_path / "index.json"
    path.write_text(json.dumps({"tags": ["nightly", " board-7 "]}))
    assert settings_from_index(path) == ({"tags": "nightly board-7"}, [])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("taken_at", "yesterday"),
        ("taken_at", 20.5),
        ("M", []),
        ("M", "many"),
        ("M", -1),
        ("M", True),
        ("clock_GHz", "x"),
        ("clock_GHz", False),
        ("tags", 17),
        ("tags", ["a", 1]),
        ("commit", ["no"]),
        ("branch", {"name": "main"}),
        ("hwid", "x" * 999),
    ],
)
def test_a_value_of_an_index_that_is_none_is_left_out_and_named(tmp_path, member, value):
    path = tmp_path / "index.json"
    path.write_text(json.dumps({member: value, "K": 64}))
    told, (finding,) = index_settings([path])
    assert told == {"K": 64}
    assert (finding.severity, finding.code, finding.location, finding.count) == (
        "warning",
        "index_value",
        path.name,
        1,
    )
    assert member in finding.message
    assert len(finding.message) < 400


def test_members_that_nobody_knows_are_named_and_those_of_the_script_are_not(tmp_path):
    path = tmp_path / "index.json"
    known = {
        "notes": [],
        "details_md": None,
        "input_path": "a",
        "output_dir": "b",
        "hwid": None,
        "m": None,
    }
    path.write_text(json.dumps(known | {"comit": "4f2a", "x" * 999: 1}))
    told, (finding,) = index_settings([path])
    assert told == {}
    assert (finding.severity, finding.code, finding.count) == ("info", "index_member", 2)
    assert "comit" in finding.message
    assert len(finding.message) < 400


def test_an_empty_index_says_nothing(tmp_path):
    path = tmp_path / "index.json"
    path.write_text("{}")
    assert index_settings([path]) == ({}, [])


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b"", []),
        (b"not json", []),
        (b"[" * 100_000, []),
        (b"\xff\xfe", []),
        (b"[]", []),
        (b"null", []),
        (b'{"M": 64' + b" " * (1 << 20) + b"}", ["1048576 bytes"]),
        (None, []),
    ],
)
def test_an_index_that_cannot_be_read_is_said(tmp_path, content, numbers):
    path = tmp_path / "index.json"
    if content is not None:
        path.write_bytes(content)
    told, (finding,) = index_settings([path])
    assert told == {}
    assert finding == Diagnostic("warning", "companion_unreadable", finding.message, "index.json")
    assert finding.message.startswith("index.json ")
    assert numbers_in(finding.message) == numbers


def test_without_an_index_nothing_is_said():
    assert index_settings([]) == ({}, [])


def test_the_users_settings_win_over_the_index_over_the_path(tmp_path):
    index = tmp_path / "index.json"
    index.write_text('{"M": 512, "N": 512, "m": 32}')
    told = gemm_metadata(PLACE, settings_from_index(index)[0], {"N": "1024", "mac_dtype": "int8"})
    assert told["M"], told["m"] == (512, 32)
    assert told["N"] == 1024
    assert told["K"] == 128
    assert (told["mac_dtype"], told["peak_macs_per_cycle"]) == ("int8", 256.0)
    assert (told["clock_hz"], told["boundary_factor"]) == (1.25e9, 20.0)


def test_presets_hold_where_nothing_is_known():
    assert gemm_metadata("trace.json", {}, {}) == {
        "clock_hz": 1.25e9,
        "boundary_factor": 20.0,
        "mac_dtype": "int16",
        "peak_macs_per_cycle": 64.0,
    }


def test_a_bad_setting_of_the_user_is_an_error():
    with pytest.raises(LoadError, match="M=x: expected a whole number"):
        gemm_metadata("trace.json", {}, {"M": "x"})
