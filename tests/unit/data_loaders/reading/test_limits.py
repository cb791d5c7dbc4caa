from data_loaders.reading.limits import Limits


def test_time_grows_with_the_content():
    limits = Limits(processor_s=4, processor_s_per_mb=2, clock_s=10, clock_s_per_mb=3)
    assert limits.processor(0) == 4
    assert limits.processor(5 * 2**20) == 14
    assert limits.clock(2**20) == 13


def test_limits_travel_as_text():
    limits = Limits(memory_mb=7, processor_s=0.5)
    assert Limits.of(limits.text()) == limits
