"""What each kernel of two profiles adds to a step."""

from dataclasses import replace

import pytest

from analysis.comparison.kernel_changes import kernel_changes, step_records
from analysis.comparison.kernel_pairs import KernelPairs, paired_kernels
from analysis.comparison.profile import Profile
from analysis.comparison.profiles import kernel_pairs, profile_causes, profile_rows
from schema.frames import complete, empty
from tests.support.profiles import kernels, markers, run

STEP = 1_000_000
BLANK = (empty("attempts"), empty("allocations"), empty("buffer_uses"), empty("launches"))


def profile(steps=8, **durations):
    """Return a profile in whose steps each kernel runs once for just its duration; the source has the kernel's name."""
    made = []
    for step in range(steps):
        at = step * STEP
        for rank, (name, duration) in enumerate(durations.items()):
            took = duration * (3 if step == 0 else 1)
            made.append(run(name, at, took, program=rank, operations=64))
            at += took
    places = [(f"step {step}", step * STEP) for step in range(steps + 1)]
    texts = [f"void {name}() {{ {duration // 10_000}; }}" for name, duration in durations.items()]
    source = {
        "program": range(len(durations)),
        "name": [*durations],
        "source": texts,
        "function": [*durations],
    }
    return Profile("0" * 12, kernels(*made), markers(*places), complete("programs", source), *BLANK)


def changes(base, new):
    pairs = kernel_pairs([base], [new])
    return kernel_changes(base, new, pairs, profile_rows([base], [new], pairs, {}))


def test_the_changes_of_all_kernels_sum_to_that_of_a_step():
    base, new = (
        profile(a=50_000, b=20_000, old=31_000),
        profile(a=70_000, b=20_000, new=32_000, more=5_000),
    )
    found = changes(base, new)
    assert found["change"].sum() == pytest.approx(20_000 + 1_000 + 5_000)
    assert found["step_new"].sum() - found["step_base"].sum() == pytest.approx(
        found["change"].sum()
    )


@pytest.mark.slow
def test_what_changes_a_step_most_comes_first():
    found = changes(profile(a=50_000, b=20_000, c=9_000), profile(a=51_000, b=2_000, c=9_000))
    assert found["name"].tolist() == ["b", "a", "c"]
    assert found["verdict"].tolist() == ["improved", "unchanged", "unchanged"]


def test_a_renamed_kernel_is_one_row():
    found = changes(profile(old=31_000), profile(new=32_000)).iloc[0]
    assert (found["name"], found["base"], found["new"], found["how"]) == (
        "new",
        "old",
        "new",
        "source",
    )
    assert found["change"] == pytest.approx(1_000)
    assert found["verdict"] == "unchanged"


@pytest.mark.slow
def test_kernels_of_one_side_are_born_and_gone():
    found = changes(
        profile(a=10_000, was=20_000), profile(a=10_000, more=40_000, less=50_000)
    ).set_index("name")
    assert found["verdict"].to_dict() == {
        "a": "unchanged",
        "was": "gone",
        "more": "born",
        "less": "born",
    }
    assert found.loc["was", "change"] == -20_000
    assert found["runs_new"].isna().to_dict() == {
        "a": False,
        "was": True,
        "more": False,
        "less": False,
    }


def test_against_itself_nothing_changes():
    one = profile(a=50_000, b=20_000)
    found = changes(one, one)
    assert set(found["change"]) == {0}
    assert (found["runs_base"] == 8).all()
    assert found["steady_base"].tolist() == [50_000, 20_000]


def test_a_profile_without_kernels_has_no_rows():
    blank = Profile("0" * 12, kernels(), markers(), empty("programs"), *BLANK)
    assert len(kernel_changes(blank, blank, KernelPairs(), [])) == 0
    assert paired_kernels(blank.table, blank.table) == KernelPairs()


def uneven(*steps):
    """Return a profile with these runs of kernel `a` in each step; the first step does not count."""
    made = []
    for number, durations in enumerate([(1,), *steps]):
        at = number * STEP
        for duration in durations:
            made.append(run("a", at, duration))
            at += duration
    places = [(f"step {number}", number * STEP) for number in range(len(steps) + 2)]
    return Profile("0" * 12, kernels(*made), markers(*places), empty("programs"), *BLANK)


@pytest.mark.slow
def test_a_step_has_the_sum_of_uneven_runs():
    base = uneven(*[(10, 10, 1_000)] * 6)
    new = uneven(*[(10, 10, 5_000)] * 6)
    found = changes(base, new).iloc[0]
    # The median of the runs is 10 in both.
    assert (found["step_base"], found["step_new"], found["change"]) == (1_020, 5_020, 4_000)
    pairs = kernel_pairs([base], [new])
    causes = profile_causes(base, new, pairs, profile_rows([base], [new], pairs, {}))
    assert [(cause.what, cause.where, cause.amount) for cause in causes] == [
        ("takes_longer", "a", 4_000)
    ]
    assert step_records(changes(base, new)) == [
        {"name": "a", "base": 1_020, "new": 5_020, "change": 4_000}
    ]


def test_copies_have_rows_without_a_verdict():
    def copying(duration):
        made = [run("a", STEP * number, 100) for number in range(4)]
        copies = [
            run("Memcpy HtoD", STEP * number + 500, duration, copy=True) for number in range(4)
        ]
        places = [(f"step {number}", number * STEP) for number in range(5)]
        programs = empty("programs")
        return Profile("0" * 12, kernels(*made, *copies), markers(*places), programs, *BLANK)

    found = changes(copying(50), copying(80)).set_index("name")
    assert found["copy"].to_dict() == {"Memcpy HtoD": True, "a": False}
    moved = found.loc["Memcpy HtoD"]
    assert (moved["step_base"], moved["step_new"], moved["runs_base"]) == (50, 80, 4)
    assert (moved["verdict"], moved["change"]) == ("undecided", 30)


@pytest.mark.slow
def test_steps_are_not_compared_with_a_capture_without_steps():
    base = profile(a=10_000)
    new = replace(profile(a=10_000), markers=markers())
    found = changes(base, new)
    assert found["change"].isna().all()
    assert step_records(found) == [{"name": "a", "base": 10_000, "new": 100_000, "change": None}]
    assert profile_causes(base, new, kernel_pairs([base], [new]), []) == []
