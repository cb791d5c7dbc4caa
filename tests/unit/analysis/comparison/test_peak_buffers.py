"""Device memory at the peaks: groups of buffers, whose bytes sum to the change of the peak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison.peak_buffers import NOBODY, peak_buffers, peak_causes
from analysis.comparison.profile import Profile
from schema.frames import complete, empty
from tests.support.memory import attempts, blocks, uses
from tests.support.profiles import kernels, markers

PEAK = 5


def profile(*buffers, devices=("CPU",)):
    """Return a profile of buffers (writer or None, size, device); each is alive around the peak."""
    rows = [
        {
            "attempt": devices.index(device),
            "name": f"b{rank}",
            "start": 0,
            "end": 9,
            "address": None,
            "size": size,
        }
        | {
            "status": "unplaced",
            "kind": "activation",
            "wraps": False,
            "hold": False,
            "shape": "",
            "gaps": "",
        }
        for rank, (_, size, device) in enumerate(buffers)
    ]
    frame = blocks(rows)
    writers = sorted({writer for writer, _, _ in buffers if writer})
    ranks = {
        (int(row.attempt), int(str(row.name_)[1:])): int(row.block)
        for row in renamed(frame).itertuples()
    }
    written = [
        (devices.index(device), ranks[devices.index(device), rank], writers.index(writer), "w")
        for rank, (writer, _, device) in enumerate(buffers)
        if writer
    ]
    launches = complete("launches", {"kernel": range(len(writers)), "name": writers, "start": 0})
    sums = [sum(size for _, size, own in buffers if own == device) for device in devices]
    known = attempts(len(devices), level=[*devices], live_peak=sums, peak_step=PEAK)
    used = uses(written) if written else empty("buffer_uses")
    return Profile("0" * 12, kernels(), markers(), empty("programs"), known, frame, used, launches)


def renamed(frame):
    return frame.rename(columns={"name": "name_"})


def cpu(*buffers):
    return profile(*[(writer, size, "CPU") for writer, size in buffers])


def test_groups_say_how_many_buffers_there_were_and_are():
    found = peak_buffers(
        cpu(("a", 64), ("a", 64), ("b", 32), (None, 8)),
        cpu(("a", 64), ("b", 128), (None, 8), (None, 8)),
    )
    rows = found.set_index(["kernel", "size"])
    assert rows["change"].to_dict() == {
        ("a", 64): "shrunk",
        ("b", 32): "gone",
        ("b", 128): "born",
        (NOBODY, 8): "grown",
    }
    assert found["bytes"].tolist() == [128, -64, -32, 8]
    assert rows.loc[(NOBODY, 8), ["count_base", "count_new"]].tolist() == [1, 2]


@pytest.mark.slow
def test_a_renamed_kernel_keeps_its_buffers():
    base, new = cpu(("old", 64)), cpu(("new", 64))
    assert set(peak_buffers(base, new)["change"]) == {"born", "gone"}
    assert peak_buffers(base, new, [("old", "new")])["change"].tolist() == ["same"]


def test_what_is_not_alive_at_the_peak_does_not_count():
    late = cpu(("a", 64))
    gone = Profile(**{**vars(late), "buffers": late.buffers.assign(start=PEAK + 1)})
    assert peak_buffers(late, gone)["change"].tolist() == ["gone"]


BUFFERS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([8, 64, 4096])),
    min_size=1,
    max_size=9,
)


@pytest.mark.slow
@given(BUFFERS, BUFFERS)
def test_the_bytes_of_all_groups_sum_to_the_change_of_the_peak(base, new):
    one, other = cpu(*base), cpu(*new)
    found = peak_buffers(one, other)
    change = other.peaks["CPU"] - one.peaks["CPU"]
    assert found["bytes"].sum() == change
    sizes = found["bytes"].abs().tolist()
    assert sizes == sorted(sizes, reverse=True)
    causes = peak_causes(one, other, [])
    assert sum(cause.amount for cause in causes) == change
    assert {cause.unit for cause in causes} <= {"bytes"}


@pytest.mark.slow
def test_of_several_devices_the_one_with_the_peak_is_explained():
    base = profile(("a", 64, "GPU"), ("b", 8, "CPU"), devices=("CPU", "GPU"))
    new = profile(("a", 96, "GPU"), ("b", 16, "CPU"), devices=("CPU", "GPU"))
    assert peak_buffers(base, new).groupby("device")["bytes"].sum().to_dict() == {
        "CPU": 8,
        "GPU": 32,
    }
    assert sum(cause.amount for cause in peak_causes(base, new, [])) == 32
    other = profile(("a", 64, "GPU"), ("b", 800, "CPU"), devices=("CPU", "GPU"))
    assert peak_causes(base, other, []) == []


@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0)])
def test_a_profile_without_memory_explains_nothing(sides):
    blank = Profile(
        "0" * 12,
        kernels(),
        markers(),
        *(empty(name) for name in ("programs", "attempts", "allocations")),
        empty("buffer_uses"),
        empty("launches"),
    )
    base, new = ((blank, cpu(("a", 64)))[side] for side in sides)
    assert peak_causes(base, new, []) == []
    assert len(peak_buffers(base, new)) == sum(sides)
