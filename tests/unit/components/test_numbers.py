import re
import sys
import unicodedata
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from components.numbers import (
    DASH,
    address,
    count_text,
    duration_text,
    gmacs,
    in_unit,
    integer,
    number_text,
    percent,
    plain,
    rate_text,
    seconds,
    shorten,
    significant,
    size,
    tame,
    ticks_time,
)
from schema.table_columns import Format
from tests.support.number_samples import finite_floats

FORMS = [integer, seconds, size, percent, gmacs, address, duration_text, significant]
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MAX_LENGTH = 49
"""Characters of the longest address of 64 bits, hexadecimal and decimal with its spaces, after a sign each."""
_WRITTEN = re.compile(r"(-?[0-9.]+)(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def value_of(text: str) -> Fraction:
    """Return the number that a text without a unit says."""
    found = _WRITTEN.fullmatch(text.replace("\u202f", ""))
    assert found, text
    mantissa, power = found.groups(default="⁰")
    return Fraction(mantissa) * Fraction(10) ** int(power.translate(_PLAIN))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "nothing",
    [
        None,
        np.nan,
        pd.NA,
        float("inf"),
        np.float64("nan"),
        10**400,
        Decimal("sNaN"),
        Decimal("1e400"),
    ],
)
def test_no_number_is_a_dash(form: object, nothing: object) -> None:
    assert form(nothing) == DASH  # type: ignore[operator]


def test_numbers_read_as_engineers_write_them() -> None:
    assert integer(1118922) == "1\u202f118\u202f922"
    assert integer(-1234) == "-1\u202f234"
    assert gmacs(1058.3) == "1\u202f058"
    assert gmacs(604.123) == "604"
    assert gmacs(6.0412) == "6.04"
    assert gmacs(0.00123) == "0.00123"
    assert percent(0.4732) == "47.3\u202f%"
    assert address(128000) == "0x1f400 (128\u202f000)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (5.2e-6, "5.20 µs"),
        (9.996e-7, "1.00 µs"),
        (1.5, "1.50 s"),
        (4.66e-7, "466 ns"),
        (0.123, "123 ms"),
    ],
)
def test_times_take_the_unit_that_fits(value: float, text: str) -> None:
    assert seconds(value) == text.replace(" ", "\u202f")


@given(st.floats(1e-11, 900))
def test_times_have_one_to_three_digits_before_the_point(value: float) -> None:
    number = seconds(value).split("\u202f")[0]
    assert 1 <= len(number.split(".")[0]) <= 3


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (640, "640 ns"),
        (0.5, "500 ps"),
        (12.5, "12.5 ns"),
        (999.9, "1.00 µs"),
        (5200, "5.20 µs"),
        (61_312_456, "61.3 ms"),
        (4_301_000_000_000, "4 301 s"),
        (-2500, "-2.50 µs"),
    ],
)
def test_nanoseconds_take_the_unit_that_fits(ns: float, text: str) -> None:
    assert duration_text(ns) == text.replace(" ", "\u202f")


@given(st.integers(1, 999_000_000_000))
def test_a_duration_never_reads_as_none(ns: int) -> None:
    number = duration_text(ns).split("\u202f")[0]
    assert float(number) >= 1
    assert len(number.split(".")[0]) <= 3


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0, "0 FLOP/s"),
        (0.5, "0.500 FLOP/s"),
        (7, "7 FLOP/s"),
        (1234.5, "1.23 kFLOP/s"),
        (999_600, "1.00 MFLOP/s"),
        (35_019_000_000, "35.0 GFLOP/s"),
        (1.23e14, "123 TFLOP/s"),
        (2e18, "2.00 EFLOP/s"),
    ],
)
def test_rates_take_the_prefix_that_fits(rate: float, text: str) -> None:
    assert rate_text(rate, "FLOP/s") == text.replace(" ", "\u202f")


@given(st.floats(1e-3, 9.9e20))
def test_a_rate_above_zero_never_reads_as_zero(rate: float) -> None:
    assert float(rate_text(rate, "B/s").split("\u202f")[0]) > 0


def test_no_rate_is_a_dash() -> None:
    assert rate_text(None, "B/s") == DASH
    assert rate_text(float("nan"), "FLOP/s") == DASH


def test_ticks_need_a_clock() -> None:
    assert ticks_time(1250, 1.25e9) == "1.00\u202fµs"
    assert ticks_time(1250, None) == DASH
    assert ticks_time(1250, 0) == DASH


def test_bytes_are_binary() -> None:
    assert size(1000) == "1\u202f000\u202fB"
    assert size(1536) == "1.50\u202fKiB"
    assert size(3 << 20) == "3.00\u202fMiB"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (128.5, "129"),
        (129.5, "130"),
        (-128.5, "-129"),
        (2.675, "2.67"),
        (1.125, "1.13"),
        (99.95, "100"),
    ],
)
def test_halves_round_away_from_zero_as_in_the_tables(value: float, text: str) -> None:
    assert significant(value) == text


def test_every_form_rounds_alike() -> None:
    assert size(131_584) == "129\u202fKiB"
    assert integer(2.5) == "3"
    assert integer(-2.5) == "-3"
    assert duration_text(1315) == "1.31\u202fµs"
    assert duration_text(121.5) == "122\u202fns"
    assert integer(-0.4) == "0"
    assert integer(0.49999999999999994) == "0"
    assert percent(0.1225) == "12.3\u202f%"
    assert percent(123.4) == "12\u202f340.0\u202f%"


@given(FINITE)
@example(5e-324)
@example(-5e-324)
@example(sys.float_info.min)
@example(sys.float_info.max)
@example(1.005e21)
@example(9.995e20)
@example(9.995e-7)
def test_any_number_has_text(value: float) -> None:
    shown = value_of(significant(value))
    assert abs(shown - Fraction(value)) <= abs(Fraction(value)) * Fraction(501, 100_000)


@pytest.mark.slow
def test_no_form_fails_or_is_long_at_any_size() -> None:
    forms = [*FORMS, *(lambda value, form=form: number_text(value, form, "B/s") for form in Format)]
    texts = {form(value) for form in forms for value in finite_floats()}  # type: ignore[operator, no-untyped-call]
    assert max(map(len, texts)) <= MAX_LENGTH
    assert not any(
        "inf" in text or "nan" in text or "e" in text.partition("0x")[0] for text in texts
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (significant(5e-324), "4.94 × 10⁻³²⁴"),
        (significant(-sys.float_info.max), "-1.80 × 10³⁰⁸"),
        (significant(1.005e21), "1.01 × 10²¹"),
        (significant(1e-6), "0.00000100"),
        (significant(9.99e-7), "9.99 × 10⁻⁷"),
        (significant(9.996e-7), "0.00000100"),
        (significant(5e-324, digits=1), "5 × 10⁻³²⁴"),
        (seconds(5e-324), "4.94 × 10⁻³¹² ps"),
        (duration_text(1e300), "1.00 × 10²⁹¹ s"),
        (rate_text(1e300, "B/s"), "1.00 × 10²⁸² EB/s"),
        (size(sys.float_info.max), "1.63 × 10²⁹⁶ TiB"),
        (percent(sys.float_info.max), "1.80 × 10³¹⁰ %"),
        (percent(9.999e18), "999 900 000 000 000 000 000.0 %"),
        (percent(5e-324), "0.0 %"),
        (integer(1e300), "1.00 × 10³⁰⁰"),
        (address(1e300), "1.00 × 10³⁰⁰"),
        (address(2**64 - 1), "0xffffffffffffffff (18 446 744 073 709 551 615)"),
    ],
)
def test_tiny_and_huge_numbers_have_a_power_of_ten(text: str, expected: str) -> None:
    assert text == expected.replace(" ", "\u202f").replace("\u202f(", " (")


@pytest.mark.parametrize("zero", [0, -0.0, np.float64(-0.0), Decimal("-0")])
def test_a_negative_zero_is_zero(zero: float) -> None:
    assert [form(zero) for form in (integer, significant, gmacs)] == ["0"] * 3
    assert (seconds(zero), duration_text(zero), size(zero)) == ("0\u202fs", "0\u202fns", "0\u202fB")
    assert (percent(zero), percent(-0.0004)) == ("0.0\u202f%",) * 2
    assert integer(-0.4) == "0"


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16, Decimal, Fraction])
def test_kinds_of_numbers_have_the_same_text(kind: type) -> None:
    for value in (1025.0, -0.25, 2.0, 60000.0):
        assert [form(kind(value)) for form in FORMS] == [form(value) for form in FORMS]


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64])
def test_whole_numbers_above_the_exact_floats_keep_every_digit(kind: type) -> None:
    assert integer(kind(2**53 + 1)) == "9\u202f007\u202f199\u202f254\u202f740\u202f993"
    assert (
        address(kind(2**53 + 1))
        == "0x20000000000001 (9\u202f007\u202f199\u202f254\u202f740\u202f993)"
    )


def test_things_are_counted() -> None:
    assert count_text(1, "block") == "1 block"
    assert count_text(3829, "block") == "3\u202f829 blocks"
    assert count_text(2, "copy") == "2 copies"


def test_units_of_the_schema_choose_the_form() -> None:
    assert in_unit(0.5, "ratio") == "50.0\u202f%"
    assert in_unit(2048, "bytes") == "2.00\u202fKiB"
    assert in_unit(604.4, "GMAC/s") == "604"
    assert in_unit(582.0, "cycles") == "582"
    assert in_unit(5200.0, "ns") == "5.20\u202fµs"
    assert in_unit(3.5e9, "FLOP/s") == "3.50\u202fGFLOP/s"


@given(st.text(max_size=200))
def test_a_plain_name_has_no_markup_and_starts_no_template(name: str) -> None:
    shown = plain(name)
    assert "<" not in shown
    assert ">" not in shown
    assert "%{" not in shown
    assert "\n" not in shown


def test_a_plain_name_still_reads() -> None:
    assert plain("gemm<bf16>") == "gemm&lt;bf16&gt;"
    assert plain("a\u202eb\x00c") == "ab c"
    assert len(plain("k" * 500)) == 60


def test_both_ends_of_a_long_name_stay() -> None:
    assert shorten("matmul_" + "x" * 100 + "_tail", 20).startswith("matmul_")
    assert shorten("matmul_" + "x" * 100 + "_tail", 20).endswith("_tail")
    assert len(shorten("y" * 100, 20)) == 20


@given(st.text(max_size=80), st.integers(4, 60))
def test_a_shortened_name_is_tame(name: str, limit: int) -> None:
    shown = shorten(name, limit)
    assert len(shown) <= limit
    assert shown == tame(shown)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs"} for character in shown)
