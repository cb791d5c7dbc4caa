"""Buffers whose size is no size."""

from analysis.memory.clamped import clamped_buffers, device_peaks
from schema.memory import MAX_ELEMENTS
from tests.support.devices import buffer
from tests.support.memory import attempts, blocks

LARGEST = 4 * MAX_ELEMENTS


def test_only_what_has_the_most_elements_of_its_type_is_clamped():
    rows = [
        ("float", LARGEST),
        ("float", LARGEST - 4),
        ("double", LARGEST),
        ("char", 8),
        ("who knows", LARGEST),
    ]
    found = clamped_buffers(blocks([buffer("b", 0, 10, size, dtype=dtype) for dtype, size in rows]))
    assert found.tolist() == [True, False, False, False, False]


def test_peaks_leave_them_out_and_a_device_of_nothing_else():
    rows = [
        *(buffer("huge", 0, 10, LARGEST), buffer("a", 2, 6, 64), buffer("b", 4, 8, 64)),
        buffer("mapped", 0, 10, LARGEST, attempt=1),
        buffer("c", 0, 9, 8, attempt=2),
    ]
    peaks = [LARGEST + 128, LARGEST, 8]
    devices = attempts(3, steps=10, level=["CPU", "NV", "AMD"], live_peak=peaks)
    assert device_peaks(devices, blocks(rows)) == {"AMD": 8.0, "CPU": 128.0}
