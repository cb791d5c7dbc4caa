"""What each kernel of two profiles adds to a step."""

import pytest

from analysis.comparison.kernel_changes import kernel_changes
from analysis.comparison.kernel_pairs import KernelPairs, paired_kernels
from analysis.comparison.profile import Profile
from analysis.comparison.profiles import kernel_pairs, profile_rows
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
