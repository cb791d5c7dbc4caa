import pandas as pd
import pytest

from components.kernels.kernel_card import MAX_BUFFERS, kernel_card, variables
from schema.frames import complete
from tests.support.components import every, facts, words
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.profiles import kernels, run

WORK = {"operations": 2_000_000, "memory_bytes": 1_000_000, "moved_bytes": 4_000_000}
RATES = {"flops": 2e10, "memory_rate": 1e10, "moved_rate": 4e10}


def kernel(**more):
    return kernels(run("r_8", 5_000, 100_000, metadata="", **more)).iloc[0]


def launch(**more):
    return pd.Series({"start": 1_000, "variables": "", "metadata": ""} | more)


def blocks(count, **more):
    columns = {
        "attempt": 0,
        "block": range(count),
        "name": [f"buffer {i}" for i in range(count)],
        "size": 1024,
    }
    frame = complete(
        "allocations", pd.DataFrame(columns | {"start": 0, "end": 1}).to_dict("series")
    )
    return frame.assign(access="r", **more)


def test_what_it_computed_and_moved_is_told_in_all_and_per_second():
    found = facts(kernel_card(kernel(**WORK, **RATES), None, launch()))
    assert found["duration"] == "100 µs 100 000 ns"
    assert has_numbers(found["computes"], "20.0 GFLOP/s", "2", "000", "000")
    assert has_numbers(found["bandwidth"], "10.0 GB/s", "977 KiB", "1", "000", "000 B")
    assert found["loads, stores"].startswith("40.0 GB/s")
    assert found["intensity"].startswith("2")
    assert numbers_in(found["run"]) == ["1"]
    assert numbers_in(found["called"]) == ["4.00 µs"]


@pytest.mark.parametrize(
    ("reason", "words_of_it"),
    [
        ("rewrites", "needs the rewrites.pkl"),
        ("values", "variables"),
        ("program", "program"),
        ("", "–"),
    ],
)
def test_a_missing_number_says_why(reason, words_of_it):
    assert words_of_it in facts(kernel_card(kernel(missing=reason), None, None))["computes"]


def test_a_copy_computes_nothing_and_says_what_it_moved():
    found = facts(kernel_card(kernel(copy=True, copied_bytes=2048, memory_rate=2048e4), None, None))
    assert found["copied"] == "20.5 MB/s 2.00 KiB = 2 048 B"
    assert "computes" not in found
    assert "copied" not in facts(kernel_card(kernel(copy=True), None, None))


def test_a_kernel_that_took_no_time_has_no_rate():
    found = facts(kernel_card(kernels(run("r", 0, 0, metadata="", **WORK)).iloc[0], None, None))
    assert found["computes"].startswith("–")
    assert has_numbers(found["computes"], "2", "000", "000")


def test_a_kernel_of_a_graph_says_which_call_its_sizes_are_of():
    card = kernel_card(kernel(batched=True, **WORK, **RATES), None, launch())
    alone = kernel_card(kernel(**WORK, **RATES), None, launch())
    assert len(facts(card)["called"]) > len(facts(alone)["called"])
    assert "batched" in words(every(card, "H3"))


def test_buffers_are_links_that_carry_device_and_block():
    used = blocks(3, level="CPU").assign(attempt=[0, 0, 1], access=["w", "rw", "r"], dtype="float")
    card = kernel_card(kernel(), used, None)
    assert [one.id for one in every(card, "Button")] == [
        {"type": "buffer-link", "attempt": attempt, "block": block}
        for attempt, block in ((0, 0), (0, 1), (1, 2))
    ]
    items = [words(item) for item in every(card, "Li")]
    assert items[0].startswith("buffer 0, 1.00") and items[0].endswith("KiB float, written on CPU")
    assert "read and written" in items[1]


def test_beyond_a_hundred_buffers_the_rest_is_counted():
    card = kernel_card(kernel(), blocks(MAX_BUFFERS + 5), None)
    assert len(every(card, "Button")) == MAX_BUFFERS
    assert words(every(card, "Li")[-1]) == "and 5 smaller buffers"


def test_unknown_buffers_differ_from_none():
    unknown, none = (words(kernel_card(kernel(), known, None)) for known in (None, blocks(0)))
    assert unknown != none
    assert numbers_in(unknown) == numbers_in(none)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('{"i": 3, "n": 64}', "i = 3, n = 64"),
        ("", ""),
        ("[1]", ""),
        ("{", ""),
        ('{"<b>": 1}', "<b> = 1"),
    ],
)
def test_variables_are_read_from_json(said, shown):
    assert variables(said) == shown


def test_every_link_has_an_id_of_its_own_even_if_a_use_is_listed_twice():
    card = kernel_card(kernel(), pd.concat([blocks(2)] * 2), None)
    assert len(every(card, "Button")) == 2


@pytest.mark.parametrize(
    ("occupancy", "is_possible"), [(62.5, True), (100.0, True), (250.0, False)]
)
def test_an_occupancy_above_all_of_the_device_is_impossible(occupancy, is_possible):
    row = pd.concat([kernel(), pd.Series({"class": "compute", "occupancy": occupancy})])
    row = row[~row.index.duplicated(keep="last")]
    text = facts(kernel_card(row, None, None))["occupancy"]
    assert ("impossible" in text) is not is_possible
