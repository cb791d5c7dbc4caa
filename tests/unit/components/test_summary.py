"""Which metrics the strips of profiles and of caching allocators have."""

from components.summary import ALLOCATOR_STRIP, PROFILE_STRIP, allocator_strip, profile_strip

OPTIONAL = {"step_time", "peak_memory_sum", "peak_reserved", "communication_exposed_share"}


def test_a_profile_leaves_out_metrics_that_it_cannot_have():
    assert set(profile_strip({"peak_memory": 9.0})) == set(PROFILE_STRIP) - OPTIONAL
    known = dict.fromkeys(OPTIONAL, 5.0)
    assert profile_strip({"peak_memory": 9.0} | known) == PROFILE_STRIP


def test_a_sum_that_equals_the_peak_of_a_device_is_left_out():
    numbers = {"peak_memory": 9.0, "peak_memory_sum": 9.0, "peak_reserved": 9.0}
    assert "peak_memory_sum" not in profile_strip(numbers)


def test_an_allocator_without_a_capacity_has_no_share_of_it():
    assert set(allocator_strip({})) == set(ALLOCATOR_STRIP) - {"capacity_use"}
    assert allocator_strip({"capacity_use": 0.5}) == ALLOCATOR_STRIP
