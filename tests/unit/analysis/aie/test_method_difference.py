import pytest

from tests.support.gemm_trace import END, LOCK, START, Core, derived, settings
from tests.support.numbers_in_text import has_numbers, numbers_in


def difference(*cores, **more):
    """Return the sentence that compares the methods, None where they agree."""
    rows = derived(*cores, **more)["diagnostics"].set_index("code")["message"]
    return rows.get("methods_differ")


def inside():
    core = Core()
    for _ in range(4):
        core.iteration(4).pause(4_000).iteration(4).pause()
    return core


def truncated():
    core = Core().run(4)
    return core.cut(core.ran[3][2][1])


CASES = {
    "it only knows the current event names": lambda: (
        [Core().run(4)],
        {"spell": {START: "Event0", END: "Event1", LOCK: "LockStall"}.get},
    ),
    "lost markers shift its pairing": lambda: (
        [Core().run(20, kernels=40).lose(END, *range(40, 800, 100))],
        {"given": settings(kernels=40, iterations=20)},
    ),
    "it merges repeated markers only by distance": lambda: (
        [Core().run(4, gap=0).repeat(START, 5)],
        {},
    ),
    "it does not separate kinds of kernels": lambda: (
        [Core().run(4, duration=600, clear=250, pause=30_000)],
        {},
    ),
    "it counts the opening stall as an iteration": lambda: ([Core().pause(9_000).run(4)], {}),
    "it skips kernels that start at the tick at which another kernel ends": lambda: (
        [Core().run(4, gap=0)],
        {},
    ),
    "it splits iterations at long stalls only": lambda: ([inside()], {}),
    "it credits a truncated iteration with the whole GEMM": lambda: ([truncated()], {}),
    "its aggregate is empty because one core has no kernels": lambda: (
        [Core("2,0").run(4), Core("3,0").pause()],
        {},
    ),
    "it uses the longest span of a core as the system's time": lambda: (
        [Core("2,0").run(4), Core("3,0", now=300).run(4)],
        {},
    ),
    "it drops iterations missing on a core": lambda: ([Core("2,0").run(4), Core("3,0").run(1)], {}),
}


@pytest.mark.parametrize("reason", CASES)
def test_each_reason_is_given_where_it_holds(reason):
    cores, writing = CASES[reason]()
    sentence = difference(*cores, **writing)
    assert sentence.startswith("method reference gives ")
    assert reason in sentence


def test_where_the_methods_agree_nothing_is_said():
    assert difference(Core("2,0").run(4), Core("3,0").run(4)) is None


def test_the_sentence_tells_by_how_much():
    sentence = difference(truncated())
    assert [text.endswith("GMAC/s") for text in numbers_in(sentence)[:2]] == [True, True]
    assert "8 iterations" not in sentence
    assert has_numbers(difference(Core().pause(9_000).run(4)), "5", "4")
    assert "no mean GMAC/s" in difference(Core("2,0").run(4), Core("3,0").pause())


def test_without_a_rate_the_counts_are_compared():
    assert "kernels instead of" in difference(Core().run(4, gap=0), given={})
    assert difference(Core().run(4), given={}) is None


def test_where_kernels_and_iterations_agree_the_way_of_averaging_may_differ():
    sentence = difference(Core().run(3).iteration(duration=150).pause())
    assert sentence.endswith(
        "it uses the mean of the iterations' rates instead of their work over their time"
    )


def test_no_core_no_difference():
    assert difference(Core(kind="mem").run(1)) is None
