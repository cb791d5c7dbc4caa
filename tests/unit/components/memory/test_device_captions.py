import numpy as np

from analysis.memory.picture import picture
from components.memory.device_captions import (
    FITS,
    alive_caption,
    devices_caption,
    live_caption,
    map_caption,
    map_line,
)
from schema.rounding import THIN
from tests.support.devices import buffer, curves, device
from tests.support.numbers_in_text import numbers_in, without_numbers

NONE = np.zeros(0, dtype=np.int64)
ROWS = [buffer("a", 0, 500, 64), buffer("b", 100, 1000, 32), buffer("c", 600, 1000, 16)]


def words(text):
    return text.replace(THIN, " ")


def test_devices_are_counted_and_what_stays_is_said():
    two = curves([*ROWS, buffer("d", 0, 10, 512, attempt=1)], 1000, ["CPU", "NPY"])
    assert numbers_in(words(devices_caption(two, 0))) == ["2", "2", "48 B"]
    assert devices_caption(curves([buffer("a", 0, 5, 8)], 10), 0) == "1 device; every buffer freed."
    assert devices_caption(curves([], 10, ()), None) == "No device has a buffer."


def test_the_peaks_of_the_device_and_of_all_are_named():
    two = curves([*ROWS, buffer("d", 0, 10, 512, attempt=1)], 1000, ["CPU", "NPY"])
    assert numbers_in(words(live_caption(two, 0))) == ["100 ns", "96 B", "0 ns", "576 B"]
    assert numbers_in(words(live_caption(curves(ROWS, 1000), 0))) == ["100 ns", "96 B"]
    assert live_caption(curves([], 10, ()), None) == "No device has a buffer."


def test_the_map_says_that_its_places_are_ours():
    said = words(
        map_caption(picture(device(ROWS, 1000), (0, 1000), "first_fit", NONE), "first_fit")
    )
    assert FITS["first_fit"] in said
    assert numbers_in(said)[-1] == "96 B"
    few = words(
        map_caption(picture(device(ROWS, 1000), (0, 1000), "best_fit", NONE, 1), "best_fit")
    )
    assert FITS["best_fit"] in few
    assert numbers_in(few)[-1] == "64 B"


def test_what_is_not_drawn_is_summed():
    line = words(
        map_line(picture(device(ROWS, 1000), (0, 1000), "first_fit", NONE, 1), "It is so.")
    )
    assert numbers_in(line) == ["1", "3", "57.1 %", "2", "48 B"]


def test_what_is_all_drawn_is_counted():
    whole = device(ROWS, 1000)
    assert numbers_in(map_line(picture(whole, (0, 1000), "first_fit", NONE), "")) == ["3"]
    assert numbers_in(map_line(picture(whole, (550, 560), "first_fit", NONE), "")) == ["1"]
    lone = device([buffer("a", 0, 5, 8)], 1000)
    assert without_numbers(map_line(picture(lone, (500, 600), "first_fit", NONE), ""))


def test_what_is_alive_is_said_with_its_share_of_the_peak():
    curve = curves(ROWS, 1000).devices[0]
    text = words(alive_caption(curve, "CPU", 100, chosen=False))
    assert numbers_in(text) == ["100 ns", "2", "96 B"]
    assert numbers_in(words(alive_caption(curve, "CPU", 550, chosen=True))) == [
        "550 ns",
        "1",
        "32 B",
        "33.3 %",
    ]
    gone = curves([buffer("a", 0, 5, 8)], 10).devices[0]
    sentence = words(alive_caption(gone, "CPU", 7, chosen=True))
    assert numbers_in(sentence) == ["7 ns"]
    assert "CPU" in sentence
