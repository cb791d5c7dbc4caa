from hypothesis import given
from hypothesis import strategies as st

from components.time_axis import duration_axis, exact_time, time_axis
from tests.support.numbers_in_text import numbers_in

T = "\u202f"


def texts(begin: int, end: int) -> list[str]:
    return [text.replace(T, " ") for text in time_axis((begin, end), "ns")["ticktext"]]


def title(begin: int, end: int) -> str:
    return str(time_axis((begin, end), "ns")["title"]["text"]).replace(T, " ")


def test_a_window_from_the_start_has_times_in_one_unit() -> None:
    assert texts(0, 1_800_000_000)[:3] == ["0", "0.2 s", "0.4 s"]
    assert texts(0, 800)[:3] == ["0", "100 ns", "200 ns"]
    assert texts(0, 12_000) == ["0", "2 µs", "4 µs", "6 µs", "8 µs", "10 µs", "12 µs"]
    assert title(0, 12_000) == "12.0 µs in view"


def test_a_window_inside_shows_as_many_decimals_as_its_ticks_need() -> None:
    assert texts(1_200_000_000, 1_250_000_000)[:2] == ["1.200 s", "1.205 s"]


def test_far_inside_ticks_count_from_a_round_time() -> None:
    assert texts(6_240_967_100, 6_240_968_100)[:3] == ["+7.1 µs", "+7.2 µs", "+7.3 µs"]
    assert numbers_in(title(6_240_967_100, 6_240_968_100)) == ["6.240", "960 s", "1.00 µs"]
    assert texts(6_240_967_000, 6_240_967_009)[0] == "+0"


def test_hours_are_seconds() -> None:
    assert texts(0, 4_320_000_010_000)[1] == "500 s"


def test_clocks_keep_their_ticks() -> None:
    axis = time_axis((1000, 1100), "cycles", clock_hz=1e9)
    assert (axis["range"], axis["tickmode"]) == ([1000, 1100], "array")
    assert axis["tickvals"] == [*range(1000, 1101, 10)]
    assert axis["ticktext"][:2] == [f"1{T}000", f"1{T}010"]
    assert axis["title"]["text"] == f"cycles · 100 in view = 100{T}ns"
    assert time_axis((0, 7), "steps")["title"]["text"] == "steps · 7 in view"


def test_exact_times() -> None:
    assert exact_time(6_240_967_000).replace(T, " ") == "6.240 967 s"
    assert exact_time(999).replace(T, " ") == "999 ns"
    assert exact_time(-1_500).replace(T, " ") == "-1.500 µs"
    assert exact_time(0).replace(T, " ") == "0 ns"
    assert exact_time(4_233_350_000).replace(T, " ") == "4.233 350 s"


_SCALES = {"s": 9, "ms": 6, "µs": 3, "ns": 0}


def nanoseconds(text: str) -> int:
    number, unit = text.rsplit(T, 1)
    whole, _, part = number.replace(T, "").partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 10 ** _SCALES[unit] + sign * int(
        part.ljust(_SCALES[unit], "0")[: _SCALES[unit]] or 0
    )


def test_a_window_of_few_clock_ticks_labels_whole_ticks() -> None:
    assert time_axis((7, 9), "cycles")["tickvals"] == [7, 8, 9]
    assert time_axis((7, 7), "cycles")["ticktext"] == ["7", "8"]


@given(st.integers(0, 2**52), st.integers(1, 2**50))
def test_every_tick_says_where_it_is(begin: int, span: int) -> None:
    axis = time_axis((begin, begin + span), "ns")
    words = axis["title"]["text"]
    origin = (
        nanoseconds(words.removeprefix("from ").split(" · ")[0]) if words.startswith("from ") else 0
    )
    assert 1 <= len(axis["tickvals"]) <= 11
    assert len(set(axis["ticktext"])) == len(axis["ticktext"])
    for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
        assert begin <= at <= begin + span
        shown = 0 if text.lstrip("+") == "0" else nanoseconds(text.lstrip("+"))
        assert origin + shown == at


@given(st.integers(-(2**60), 2**60))
def test_exact_times_are_exact(value: int) -> None:
    assert nanoseconds(exact_time(value)) == value


def test_an_axis_of_durations_has_the_unit_in_its_ticks() -> None:
    axis = duration_axis((0, 50_000), "time")
    assert [text.replace(T, " ") for text in axis["ticktext"]] == [
        "0",
        *(f"{at} µs" for at in range(10, 51, 10)),
    ]
    assert (axis["range"], axis["title"]) == ([0, 50_000], {"text": "time"})
