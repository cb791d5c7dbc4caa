from analysis.memory.group_table import layer_groups
from analysis.memory.layer_groups import with_groups
from schema.frames import complete, empty
from tests.support.memory import block, failed, numbered


def grouped(steps=None):
    """Return the groups of three attempts at one group, the second between them at another."""
    rows = [
        failed("a", 0, 1, 50),
        block("b", 0, 1, 0, 20, attempt=1),
        block("a", 0, 1, 0, 40, attempt=2),
    ]
    made, blocks = numbered(rows, 3, shape_secs=["1,1", "1,1", "1,2"], capacity=45)
    made = with_groups(made, blocks)
    return made, layer_groups(made, blocks, empty("steps") if steps is None else steps)


def test_a_group_has_its_attempts_in_order_and_the_settings_that_differ():
    _, groups = grouped()
    assert [[one.attempt for one in group.attempts] for group in groups] == [[0, 2], [1]]
    assert [dict(group.differs) for group in groups] == [{"shape_secs": ["1,1", "1,2"]}, {}]
    assert (groups[0].last.attempt, groups[0].last.failed) == (2, 0)


def test_peaks_are_the_bound_and_cycles_the_longer_of_both():
    columns = {"attempt": [0, 0], "step": [0, 1], "gdma_cycles": [5, 1], "layer_cycles": [3, 9]}
    made, groups = grouped(complete("steps", columns))
    first, last = groups[0].attempts
    assert [first.peak_bytes, groups[1].last.peak_bytes, last.peak_bytes] == made["bound"].tolist()
    assert (first.peak_step, first.cycles, last.cycles) == (0, 14, None)


def test_without_a_bound_the_peak_is_that_of_the_blocks():
    rows = [failed("a", 0, 1, 50), block("b", 0, 1, 0, 20, attempt=1)]
    made, blocks = numbered(rows, 2, shape_secs=["1,1", "1,2"], capacity=45)
    unknown = made.assign(bound=made["bound"].mask([True, True]))
    groups = layer_groups(unknown, blocks, empty("steps"), failed_steps_only=True)
    assert [group.last.peak_bytes for group in groups] == made["bound"].tolist()
