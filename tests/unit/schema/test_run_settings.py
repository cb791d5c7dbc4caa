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
    ("key", "text", "sentence"),
    [
        ("Q", "1", "unknown setting Q: expected one of K, M, N"),
        ("M", "0", "M=0: expected a whole number from 1 to 1000000000"),
        ("M", "-4", "M=-4: expected a whole number"),
        ("M", "1.5", "M=1.5: expected a whole number"),
        ("M", "", "M=: expected a whole number"),
        ("M", "1000000001", "expected a whole number"),
        ("M", "9" * 5000, "expected a whole number"),
        ("rows", "1025", "rows=1025: expected a whole number from 1 to 1024"),
        ("cols", "1000000000", "expected a whole number from 1 to 1024"),
        ("warmup", "-1", "warmup=-1: expected a whole number from 0"),
        ("M", "٣", "expected a whole number"),
        ("clock_hz", "fast", "clock_hz=fast: expected a positive number such as 1.25e9 or 1.25GHz"),
        ("clock_hz", "0", "expected a positive number"),
        ("clock_hz", "1e99", "expected a positive number"),
        ("clock_hz", "1.25 GH", "expected a positive number"),
        ("clock_hz", "nan", "expected a positive number"),
        ("boundary_factor", "20 GHz", "boundary_factor=20 GHz: expected a positive number$"),
        ("peak_macs_per_cycle", "-64", "expected a positive number"),
        ("mac_dtype", "fp4", "mac_dtype=fp4: expected one of int16, bf16, int8"),
        ("name", "x" * 201, "name has 201 characters: the limit is 200"),
    ],
)
def test_what_is_no_value_is_said_in_a_sentence(key, text, sentence):
    with pytest.raises(SettingError, match=sentence):
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
    assert (
        with_overrides({"peak_macs_per_cycle": 1.0}, {"mac_dtype": dtype})["peak_macs_per_cycle"]
        == peak
    )
    both = with_overrides({}, {"mac_dtype": dtype, "peak_macs_per_cycle": "10"})
    assert both == {"mac_dtype": dtype, "peak_macs_per_cycle": 10.0}
