"""Memory events of a trace: peak, reserved bytes, and the operator and function of the event's thread."""

import pytest

from tests.support.kineto_trace import kernel, load_trace, operator, span


def sample(at, device, tid=1, **sizes):
    names = {"allocated": "Total Allocated", "reserved": "Total Reserved", "change": "Bytes"}
    args = {names[name]: size for name, size in sizes.items()}
    kind, number = device
    return {
        "ph": "i",
        "name": "[memory]",
        "pid": 1,
        "tid": tid,
        "ts": at,
        "args": {"Device Type": kind, "Device Id": number} | args,
    }


CPU, CUDA, CUDA_1 = (0, -1), (1, 0), (1, 1)


def memory(folder, *entries, **header):
    frames = load_trace(folder, [kernel("k", 1, 1), *entries], **header).frames
    frame = frames["device_memory"].set_index("device")
    return frame.astype(object).where(frame.notna(), None)


def test_the_first_highest_event_is_the_peak(tmp_path):
    entries = [
        sample(at, CUDA, allocated=size, reserved=9) for at, size in ((30, 5), (10, 7), (20, 7))
    ]
    row = memory(tmp_path, *entries).loc["cuda:0"]
    columns = ["entries", "peak_allocated", "peak_at", "peak_reserved", "end_allocated", "relative"]
    assert row[columns].tolist() == [3, 7, 9_000, 9, 5, False]


def test_operator_and_function_are_of_the_events_thread(tmp_path):
    entries = [
        operator("aten::outer", 5, 20),
        operator("aten::inner", 8, 5),
        span("cpu_op", "aten::other", 9, 5, (1, 2)),
        span("python_function", "train.py(3): step", 2, 30),
        sample(10, CUDA, allocated=7),
        sample(11, CUDA_1, tid=2, allocated=7),
    ]
    rows = memory(tmp_path, *entries)
    assert rows[["op", "python"]].to_numpy().tolist() == [
        ["aten::inner", "train.py(3): step"],
        ["aten::other", None],
    ]


def test_changes_alone_are_summed_in_order_of_time(tmp_path):
    entries = [sample(at, CUDA, change=change) for at, change in ((30, -50), (10, 100), (20, 30))]
    row = memory(tmp_path, *entries).loc["cuda:0"]
    assert row[["peak_allocated", "peak_at", "end_allocated", "relative"]].tolist() == [
        130,
        19_000,
        80,
        True,
    ]


def test_a_running_sum_begins_at_0(tmp_path):
    row = memory(tmp_path, sample(10, CUDA, change=-5)).loc["cuda:0"]
    assert row[["peak_allocated", "end_allocated"]].tolist() == [0, -5]


def test_reserved_bytes_of_0_are_unknown(tmp_path):
    row = memory(tmp_path, sample(10, CPU, allocated=5, reserved=0)).loc["cpu"]
    assert row[["peak_reserved", "end_reserved"]].tolist() == [None, None]


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ((0, 0), "cpu"),
        ((1, 3), "cuda:3"),
        ((6, 0), "hip:0"),
        ((12, 1), "xpu:1"),
        ((20, 0), "device type 20:0"),
    ],
)
def test_devices_have_pytorchs_names(tmp_path, device, name):
    assert memory(tmp_path, sample(10, device, allocated=5)).index.tolist() == [name]


def test_devices_are_in_order_of_their_numbers(tmp_path):
    entries = [sample(10, (1, number), allocated=5) for number in (10, 2)]
    assert memory(tmp_path, *entries, sample(9, CPU, allocated=1)).index.tolist() == [
        "cpu",
        "cuda:2",
        "cuda:10",
    ]


def test_the_size_of_a_device_is_that_of_its_properties(tmp_path):
    properties = [
        {"id": 0, "totalGlobalMem": 2**53 + 1},
        {"id": 1, "totalGlobalMem": "much"},
        "odd",
        {"name": "no id"},
    ]
    entries = [sample(10, device, allocated=5) for device in (CPU, CUDA, CUDA_1)]
    rows = memory(tmp_path, *entries, deviceProperties=properties)
    assert rows["device_total"].tolist() == [None, 2**53 + 1, None]


def test_a_trace_without_memory_events_has_no_such_frame(tmp_path):
    assert "device_memory" not in load_trace(tmp_path, [kernel("k", 1, 1)]).frames
