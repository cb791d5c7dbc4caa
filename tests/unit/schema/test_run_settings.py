import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.run_settings import (
    PEAK_MACS_PER_CYCLE,
    SETTING_NAMES,
    SettingError,
    parse_setting,
    with_overrides,
)
from tests.support.numbers_in_text import numbers_in


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("M", "512", 512),
        ("k", " 32 ", 32),
        ("warmup", "0", 0),
        ("iterations", "0", 0),
        ("M", "1000000000", 10**9),
        ("rows", "1024", 1024),
        ("clock_hz", "1.25e9", 1.25e9),
        ("clock_hz", "1.8 GHz", 1.8e9),
        ("clock_hz", "1000MHz", 1e9),
        ("clock_hz", "5khz", 5e3),
        ("clock_hz", "7 Hz", 7.0),
        ("boundary_factor", "20", 20.0),
        ("peak_macs_per_cycle", "64.", 64.0),
        ("mac_dtype", "bf16", "bf16"),
        ("hwid", "npu2", "npu2"),
        ("name", "", ""),
        ("tags", "x" * 200, "x" * 200),
    ],
)
def test_settings_are_read(key, text, value):
    assert parse_setting(key, text) == value
    assert type(parse_setting(key, text)) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "limits"),
    [
        ("M", "0", ["1", "1000000000"]),
        ("M", "-4", ["1", "1000000000"]),
        ("M", "1.5", ["1", "1000000000"]),
        ("M", "", ["1", "1000000000"]),
        ("M", "1000000001", ["1", "1000000000"]),
        ("M", "9" * 5000, ["1", "1000000000"]),
        ("M", "٣", ["1", "1000000000"]),
        ("rows", "1025", ["1", "1024"]),
        ("cols", "1000000000", ["1", "1024"]),
        ("warmup", "-1", ["0", "1000000000"]),
        ("clock_hz", "fast", ["1.25e9", "1.25GHz"]),
        ("clock_hz", "0", ["1.25e9", "1.25GHz"]),
        ("clock_hz", "1e99", ["1.25e9", "1.25GHz"]),
        ("clock_hz", "1.25 GH", ["1.25e9", "1.25GHz"]),
        ("clock_hz", "nan", ["1.25e9", "1.25GHz"]),
        ("boundary_factor", "20 GHz", []),
        ("peak_macs_per_cycle", "-64", []),
    ],
)
def test_a_refused_number_is_named_with_its_limits(key, text, limits):
    with pytest.raises(SettingError) as refused:
        parse_setting(key, text)
    place, _, expected = str(refused.value).partition(": ")
    assert place.startswith(f"{key}={text[:20]}")
    assert numbers_in(expected) == limits


@pytest.mark.parametrize(
    ("key", "text", "named"),
    [
        ("Q", "1", r"\bQ\b.* K, M, N\b"),
        ("mac_dtype", "fp4", "^mac_dtype=fp4: .* int16, bf16, int8$"),
        ("name", "x" * 201, r"^name .*\b201\b.*\b200$"),
    ],
)
def test_a_refused_text_is_named_with_the_permitted_ones(key, text, named):
    with pytest.raises(SettingError, match=named):
        parse_setting(key, text)


@given(key=st.sampled_from(sorted(SETTING_NAMES)), text=st.text(max_size=12))
def test_any_text_is_a_value_or_refused(key, text):
    try:
        parse_setting(key, text)
    except SettingError as error:
        assert key in str(error)


def test_overrides_win_and_leave_the_rest():
    assert with_overrides({"M": 1, "hwid": "a"}, {"M": "2"}) == {"M": 2, "hwid": "a"}


@pytest.mark.parametrize(("dtype", "peak"), PEAK_MACS_PER_CYCLE.items())
def test_a_data_type_brings_its_peak_unless_one_is_given(dtype, peak):
    run = {"peak_macs_per_cycle": 1.0}
    assert with_overrides(run, {"mac_dtype": dtype})["peak_macs_per_cycle"] == peak
    both = with_overrides({}, {"mac_dtype": dtype, "peak_macs_per_cycle": "10"})
    assert both == {"mac_dtype": dtype, "peak_macs_per_cycle": 10.0}
