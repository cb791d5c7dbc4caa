"""Profiles against each other: steps, kernels, devices."""

import random

import pytest

from analysis.comparison.profile import Profile
from analysis.comparison.profiles import kernel_pairs, profile_causes, profile_rows
from schema.frames import complete, empty
from tests.support.memory import attempts
from tests.support.profiles import kernels, markers, run

STEP = 1_000_000
BLANK = (empty("allocations"), empty("buffer_uses"), empty("launches"))


def profile(seed=1, steps=12, *, noise=0.01, marked=True, peaks=(4096,), **durations):
    """Return a profile in whose steps each kernel runs once, for about its duration; the first step takes longer."""
    draw = random.Random(seed)  # noqa: S311
    made = []
    for step in range(steps):
        at = step * STEP
        for name, duration in durations.items():
            took = round(duration * (3 if step == 0 else 1) * (1 + draw.uniform(-noise, noise)))
            made.append(
                run(name, at, took, program=list(durations).index(name), operations=64 * duration)
            )
            at += took
    places = [(f"step {step}", step * STEP) for step in range(steps + 1)] if marked else []
    devices = attempts(
        len(peaks), level=[f"D{rank}" for rank in range(len(peaks))], live_peak=list(peaks)
    )
    source = {
        "program": range(len(durations)),
        "name": list(durations),
        "source": "",
        "function": list(durations),
    }
    return Profile(
        "0" * 12, kernels(*made), markers(*places), complete("programs", source), devices, *BLANK
    )


def rows(base, new):
    return {
        (r.metric.name, r.level, r.key): r
        for r in profile_rows([base], [new], kernel_pairs([base], [new]), {})
    }


def test_the_same_program_is_unchanged():
    found = rows(profile(1, a=50_000, b=20_000), profile(2, a=50_000, b=20_000))
    assert found["kernel_time", "run", ""].judged.verdict == "unchanged"
    assert found["steady", "kernel", "a"].judged.verdict == "unchanged"
    assert found["peak_memory", "run", ""].judged.verdict == "unchanged"


def test_a_slow_kernel_makes_the_step_slower_and_is_named():
    base, new = profile(1, a=50_000, b=20_000), profile(2, a=70_000, b=20_000)
    found = rows(base, new)
    assert found["kernel_time", "run", ""].judged.verdict == "regressed"
    assert found["steady", "kernel", "a"].judged.verdict == "regressed"
    causes = profile_causes(base, new, kernel_pairs([base], [new]), list(found.values()))
    assert [(cause.what, cause.where) for cause in causes] == [("slower", "a")]
    assert causes[0].amount == pytest.approx(20_000, rel=0.1)


@pytest.mark.slow
def test_kernels_of_one_side_alone_are_causes():
    base, new = profile(1, a=50_000), profile(2, a=50_000, more=30_000)
    found = rows(base, new)
    causes = profile_causes(base, new, kernel_pairs([base], [new]), list(found.values()))
    assert [(cause.what, cause.where) for cause in causes] == [("born", "more")]
    assert "operations" in found["kernel_time", "run", ""].judged.reason
    back = profile_causes(new, base, kernel_pairs([new], [base]), [])
    assert [(cause.what, cause.amount < 0) for cause in back] == [("gone", True)]


@pytest.mark.slow
def test_disturbed_durations_decide_nothing():
    found = rows(profile(1, noise=0.9, a=50_000), profile(5, noise=0.9, steps=40, a=65_000))
    assert found["kernel_time", "run", ""].judged.verdict == "undecided"
    apart = rows(
        profile(1, noise=0.6, steps=40, a=50_000), profile(5, noise=0.6, steps=40, a=900_000)
    )
    assert apart["steady", "kernel", "a"].judged.verdict == "regressed"


def test_without_markers_nothing_is_decided():
    found = rows(profile(1, marked=False, a=50_000), profile(2, marked=False, a=70_000))
    assert found["kernel_time", "run", ""].judged.verdict == "undecided"
    assert found["kernel_time", "run", ""].base > 12 * 49_000


@pytest.mark.slow
def test_devices_are_compared_where_there_are_several():
    found = rows(profile(1, a=9_000, peaks=(100, 50)), profile(2, a=9_000, peaks=(100, 60)))
    assert found["peak_memory", "run", ""].judged.verdict == "unchanged"
    assert found["peak_memory", "device", "D1"].judged.verdict == "regressed"
    other = rows(profile(1, a=9_000, peaks=(100, 50)), profile(2, a=9_000, peaks=(100,)))
    assert other["peak_memory", "device", "D1"].judged.verdict == "incomparable"


def test_a_profile_without_kernels_or_programs_is_undecided():
    blank = Profile("0" * 12, kernels(), markers(), empty("programs"), empty("attempts"), *BLANK)
    assert rows(blank, blank)["kernel_time", "run", ""].judged.verdict == "undecided"


@pytest.mark.slow
def test_memory_of_one_side_alone_decides_nothing():
    found = rows(profile(1, a=9_000), profile(2, a=9_000, peaks=()))
    assert not [key for key in found if key[0] == "peak_memory"]
