import numpy as np
import pandas as pd

from analysis.kernels.counters import counter_table, instances
from schema.frames import complete
from tests.support.profiles import kernels, run

KERNELS = kernels(run("a", 0, 5), run("a", 10, 7), run("b", 20, 9), run("a", 0, 3, track="X"))


def counters(*rows):
    track, name, kernel, instance, value = zip(*rows, strict=True) if rows else ((),) * 5
    columns = {"track": pd.Categorical(track), "name": pd.Categorical(name)}
    nullable = {
        "kernel": pd.array(kernel, dtype="Int64"),
        "instance": pd.array(instance, dtype="Int64"),
    }
    return complete("counters", columns | nullable | {"value": np.array(value, dtype=np.float64)})


READ = counters(
    ("CPU", "WAVES", 2, None, 5),
    ("CPU", "WAVES", 2, 0, 2),
    ("CPU", "WAVES", 2, 1, 3),
    ("CPU", "BUSY", 2, None, 40),
    ("X", "WAVES", 0, None, 7),
    ("X", "WAVES", None, None, 99),
)


def test_an_execution_has_the_sums_of_its_counters():
    table = counter_table(READ, KERNELS)
    assert list(table) == [
        "kernel_row",
        "track",
        "kernel",
        "name",
        "run",
        "duration",
        "WAVES",
        "BUSY",
    ]
    assert table.iloc[0].tolist() == [2, "CPU", 2, "b", 1, 9, 5, 40]
    assert table.iloc[1, :7].tolist() == [3, "X", 0, "a", 1, 3, 7]
    assert np.isnan(table["BUSY"].iloc[1])
    assert KERNELS["name"].iloc[table["kernel_row"].tolist()].tolist() == ["b", "a"]


def test_without_counters_there_are_no_rows():
    assert not len(counter_table(counters(), KERNELS))
    assert not len(counter_table(READ, kernels()))


def test_a_counter_may_be_called_as_a_column():
    table = counter_table(counters(("CPU", "duration", 0, None, 123)), KERNELS)
    assert table["duration"].tolist() == [5]
    assert table["duration (counter)"].tolist() == [123]


def test_a_counter_that_is_read_twice_for_an_execution_adds_up():
    table = counter_table(
        counters(("CPU", "BUSY", 0, None, 1), ("CPU", "BUSY", 0, None, 2)), KERNELS
    )
    assert table["BUSY"].tolist() == [3]


def test_instances_are_those_of_one_counter_of_one_execution():
    assert instances(READ, "CPU", 2, "WAVES").to_dict() == {0: 2.0, 1: 3.0}
    for track, kernel, name in (("X", 0, "WAVES"), ("CPU", 1, "WAVES"), ("CPU", 2, "BUSY")):
        assert not len(instances(READ, track, kernel, name))
