import pandas as pd

from analysis.kernels.first_runs import first_runs
from analysis.kernels.kernel_table import kernel_table
from components.kernels.captions import durations_caption, first_runs_caption, kernels_caption
from tests.support.numbers_in_text import numbers_in, without_numbers
from tests.support.profiles import kernels, run


def said(text):
    return text.replace("\u202f", " ")


def test_the_few_kernels_that_take_half_of_the_time_are_named():
    runs = [run(f"k{i}", 1_000 * i, 10, operations=1) for i in range(10)]
    runs += [run("big", 50_000, 60, operations=1), run("large", 60_000, 50, operations=1)]
    table = kernel_table(kernels(*runs))
    assert numbers_in(said(kernels_caption(table))) == ["2", "12", "52.4 %", "210 ns"]


def test_copies_stand_apart():
    runs = [
        run("r", 0, 70, operations=1),
        run("TINY -> CPU", 100, 20, copy=True),
        run("TINY -> CPU", 200, 20, copy=True),
    ]
    text = said(kernels_caption(kernel_table(kernels(*runs))))
    assert numbers_in(text) == ["1", "1", "70 ns", "2", "40 ns"]
    assert numbers_in(said(kernels_caption(kernel_table(kernels(*runs[1:2]))))) == ["1", "20 ns"]


def test_why_there_are_no_flops_is_said_once():
    table = kernel_table(
        kernels(
            run("a", missing="rewrites"),
            run("b", 20, missing="rewrites"),
            run("c", 40, 5, operations=1),
        )
    )
    sentence = said(kernels_caption(table))
    assert numbers_in(sentence)[-2:] == ["2", "3"]
    assert sentence.count("rewrites.pkl") == 1
    assert without_numbers(kernels_caption(kernel_table(kernels())))


def test_durations_are_times_and_the_longest_run_has_a_name():
    frame = kernels(run("a", 0, 2_000_000), run("a", 3_000_000, 1_000), run("b", 4_000_000, 3_000))
    assert numbers_in(said(durations_caption(frame))) == ["3", "3.00 µs", "1.80 ms", "2.00 ms", "1"]
    assert without_numbers(durations_caption(kernels()))


def test_what_first_runs_cost():
    frame = kernels(
        *(run("r_8", 100 * i, length) for i, length in enumerate((90, 10, 10))), run("b", 900, 5)
    )
    sentence = said(first_runs_caption(first_runs(frame)))
    assert numbers_in(sentence) == ["1", "80 ns", "80 ns"]
    assert "r_8" in sentence
    assert without_numbers(first_runs_caption(first_runs(kernels(run("a")))))


def test_the_longest_of_one_run_is_not_told_apart_and_a_name_may_be_missing():
    rows = pd.DataFrame({"name": ["", ""], "run": [0, 1], "duration": [50, 70]}, index=[4, 7])
    both = durations_caption(rows)
    assert "a kernel without a name" in both
    assert [jump.value for jump in both.jumps] == [7]
    one = durations_caption(rows.head(1))
    assert "longest" not in one
    assert [jump.value for jump in one.jumps] == [4]


def test_no_more_kernels_are_named_than_there_are():
    runs = [
        run("r", 0, 20, operations=1),
        run("e", 50, 10, operations=1),
        run("TINY -> CPU", 100, 170, copy=True),
    ]
    assert numbers_in(kernels_caption(kernel_table(kernels(*runs))))[:3] == ["2", "2", "15.0 %"]
