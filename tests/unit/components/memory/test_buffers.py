import json

import pandas as pd
import pytest
from plotly.io.json import to_json_plotly

from components.memory.alive_buffers import alive_buffers, buffer_records
from components.memory.buffer_card import MAX_USES, buffer_card
from components.memory.buffer_words import BufferLife, moment
from components.memory.devices_grid import device_records, devices_grid
from schema.frames import empty
from schema.rounding import THIN
from tests.support.devices import buffer, curves, device
from tests.support.numbers_in_text import has_numbers, numbers_in, without_numbers

LENGTH = 6_307_431_478
HOSTILE = "<img src=x onerror=alert(1)>"
NO_KERNELS = pd.DataFrame(
    columns=["row", "track", "kernel", "name", "start", "end", "run", "launch", "access"]
)
NO_ORIGINS = empty("buffer_origins")
NO_LAUNCHES = pd.DataFrame(columns=["kernel", "name", "start", "access"])


def words(component):
    return json.dumps(json.loads(to_json_plotly(component)), ensure_ascii=False).replace(THIN, " ")


def kernels(count, name="r_8_8"):
    rows = [(7 + n, "CPU", n, name, 1000 * n, 1000 * n + 500, n + 1, n, "r") for n in range(count)]
    return pd.DataFrame(rows, columns=NO_KERNELS.columns)


def launches(count, first=0, name="r_8_8"):
    return pd.DataFrame(
        [(first + n, name, 1000 * n, "w") for n in range(count)], columns=NO_LAUNCHES.columns
    )


def card(rows, used=NO_KERNELS, called=NO_LAUNCHES, length=10_000):
    return buffer_card(device(rows, length), 0, used, called)


class TestWords:
    @pytest.mark.parametrize(
        ("time", "length", "said"),
        [
            (6_240_967_345, LENGTH, "6.240 967 s"),
            (20_332_816, LENGTH, "20.333 ms"),
            (640, 1_000, "640 ns"),
            (0, LENGTH, "0 ns"),
        ],
    )
    def test_a_moment_is_as_exact_as_its_capture_asks_for(self, time, length, said):
        assert moment(time, length).replace(THIN, " ") == said

    def test_a_life_is_said_with_its_end_or_that_it_has_none(self):
        freed, kept = BufferLife(1_000, 3_500, 10_000), BufferLife(1_000, 10_000, 10_000)
        assert numbers_in(freed.words.replace(THIN, " ")) == ["1 µs", "3.500 µs", "2.50 µs"]
        assert (freed.is_freed, kept.is_freed, kept.until) == (True, False, "the end")


class TestAlive:
    rows = (
        buffer("small", 0, 10_000, 8),
        buffer("large", 2_000, 5_000, 64, dtype="int"),
        buffer("later", 6_000, 7_000, 4),
    )

    def test_rows_have_numbers_to_sort_by_and_times_in_words(self):
        one = device(self.rows, 10_000)
        large, small = buffer_records(one.blocks.iloc[[1, 0]], one.length, 72, NO_ORIGINS)
        assert (large["start"], large["end"], large["lasts"], large["dtype"]) == (
            2_000,
            5_000,
            3_000,
            "int",
        )
        assert (large["since"], large["until"], large["lasts_words"]) == tuple(
            f"{text}{THIN}µs" for text in ("2", "5", "3.00")
        )
        assert (small["until"], round(small["share"], 3)) == ("the end", 0.111)

    def test_what_is_alive_is_listed_and_the_selected_buffer_marked(self):
        grid = alive_buffers("grid", device(self.rows, 10_000), 3_000, NO_ORIGINS, 1).children[0]
        assert [row["name"] for row in grid.rowData] == ["large", "small"]
        assert grid.dashGridOptions["rowClassRules"] == {"ts-row-shown": "params.node.id == '1'"}
        assert without_numbers(grid.dashGridOptions["localeText"]["noRowsToShow"])

    def test_nothing_speaks_of_steps_or_addresses(self):
        said = words(alive_buffers("grid", device(self.rows, 10_000), 3_000, NO_ORIGINS))
        assert "step" not in said
        assert "address" not in said


class TestDevices:
    def test_devices_come_by_falling_peak(self):
        rows = [buffer("a", 0, 500, 64), buffer("b", 0, 1_000, 512, attempt=1)]
        first, second = device_records(curves(rows, 1_000, ["CPU", "NPY"]), {0: 1, 1: 1})
        assert (first["device"], first["peak"], first["left"], first["left_buffers"]) == (
            "NPY",
            512,
            512,
            1,
        )
        assert (second["device"], second["share"], second["left"]) == ("CPU", 0.125, 0)

    def test_the_shown_device_is_marked_and_nothing_is_red(self):
        grid = devices_grid("grid", curves([buffer("a", 0, 500, 64)], 1_000), {0: 1}, 0)
        assert grid.dashGridOptions["rowClassRules"]["ts-row-shown"] == "params.node.id == '0'"
        assert "trouble" not in words(grid)


class TestCard:
    def test_size_type_elements_and_life_are_told(self):
        said = words(card([buffer("buffer 7", 1_000, 3_500, 64)]))
        for text in (
            "buffer 7",
            "64 B",
            "float",
            "16 of 4 B",
            "1 µs",
            "3.500 µs",
            "2.50 µs (25.0 % of the capture)",
        ):
            assert text in said
        assert "never used" in said
        assert "alive at the end" not in said

    def test_a_buffer_that_is_never_freed_says_so(self):
        assert "alive at the end" in words(card([buffer("buffer 7", 1_000, 10_000, 64)]))

    @pytest.mark.parametrize(("dtype", "size"), [("float", 6), ("who knows", 8), (None, 8)])
    def test_elements_are_told_where_they_are_known_alone(self, dtype, size):
        assert "elements" not in words(card([buffer("b", 0, 10, size, dtype=dtype)]))

    def test_kernels_are_links_with_how_they_use_it(self):
        made = card([buffer("b", 0, 10_000, 64)], kernels(2), launches(2))
        said = words(made)
        ids = [part["row"] for part in _ids(made)]
        assert ids == [7, 8]
        assert has_numbers(said, "2", "1 µs")
        assert "Used 2 times" in said
        assert "never used" not in said

    def test_launches_that_were_not_timed_are_told_too(self):
        said = words(card([buffer("b", 0, 10_000, 64)], kernels(1), launches(2)))
        assert has_numbers(said, "1 µs")

    def test_idle_time_is_told(self):
        used = kernels(1).assign(start=2_000, end=4_000)
        said = words(card([buffer("b", 0, 10_000, 64)], used, launches(1)))
        assert has_numbers(said, "2 µs", "4 µs")
        assert has_numbers(said, "2.00 µs", "6.00 µs", "80.0 %")

    def test_many_uses_are_counted(self):
        made = card([buffer("b", 0, 10_000, 64)], kernels(MAX_USES + 5), launches(MAX_USES + 9))
        assert len(_ids(made)) == MAX_USES
        assert "and 9 more uses" in words(made)

    def test_hostile_names_stay_text(self):
        made = card([buffer(HOSTILE, 0, 10_000, 64)], kernels(1, HOSTILE), launches(1, 9, HOSTILE))
        assert "dangerously" not in json.dumps(words(made))
        assert words(made).count("onerror") >= 3


def _ids(component):
    found = [component.id] if isinstance(getattr(component, "id", None), dict) else []
    children = getattr(component, "children", None)
    for child in children if isinstance(children, list) else [children]:
        found += _ids(child) if child is not None and not isinstance(child, str) else []
    return found
