from analysis.comparison.setup import setup


def test_the_allocator_is_a_setting_that_differs():
    base, new = {"strategy": "MiniMalloc"}, {"strategy": "TetrisRandom"}
    assert {"key": "strategy", "base": "MiniMalloc", "new": "TetrisRandom"} in setup([base], [new])
    assert setup([base], [base]) == []
