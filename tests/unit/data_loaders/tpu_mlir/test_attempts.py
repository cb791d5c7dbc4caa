import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tpu_mlir.attempts import group_attempts
from data_loaders.tpu_mlir.blocks import line_blocks
from data_loaders.tpu_mlir.markers import read_finishes, read_specs
from data_loaders.tpu_mlir.results import join_results, read_results
from data_loaders.tpu_mlir.rows import read_rows
from tests.support.tpu_log import (
    HEAD,
    SLICED,
    STEM,
    TRIED,
    attempt,
    buffer,
    finish,
    log,
    result,
    spec,
)


def group(text):
    """Return the grouping of a log's text."""
    results, specs, finishes = [], [], []
    for block in line_blocks(io.BytesIO(text.encode())):
        found = read_results(block)
        results += [found] if found else []
        specs += read_specs(block)
        finishes += read_finishes(block)[0]
    return group_attempts(read_rows(join_results(results)), specs, finishes)


def sizes(text):
    """Return the blocks of every attempt."""
    found = group(text)
    return [found.of_row.tolist().count(attempt) for attempt in range(len(found))]


def without(text, *words):
    """Return a log after `grep -v` of lines with these words."""
    return "".join(
        line for line in text.splitlines(keepends=True) if not any(word in line for word in words)
    )


LOG = log(attempt(TRIED), attempt(STEM, SLICED), attempt(HEAD), attempt(HEAD))
COUNTS = [5, 5, 4, 4]


def test_attempts_of_equal_settings_are_told_apart():
    found = group(LOG)
    assert sizes(LOG) == COUNTS
    assert found.line.tolist() == [1, 8, 15, 21]
    assert found.spec.tolist() == [0, 1, 2, 3]
    assert found.finish.tolist() == [0, 1, 2, 3]
    assert found.first.tolist() == [0, 5, 10, 14]


@pytest.mark.parametrize(
    "lost", [["lmem_spec"], ["assignLmemAddr_finish"], ["lmem_spec", "assignLmemAddr_finish"]]
)
def test_attempts_are_told_apart_where_their_lines_were_filtered_away(lost):
    # Cutting whole lines would cut the progress bar's first result along with the spec it is glued to.
    assert sizes(without(LOG, *lost)) == COUNTS


def test_the_first_line_of_an_attempt_without_spec_is_its_first_result():
    assert group(without(LOG, "lmem_spec", "assignLmemAddr_finish")).line.tolist() == [1, 6, 11, 15]


def test_parts_with_and_without_those_lines_mix():
    bare = without(log(attempt(STEM), attempt(HEAD)), "lmem_spec", "assignLmemAddr_finish")
    assert sizes(LOG + bare) == [*COUNTS, 5, 4]
    assert sizes(bare + LOG) == [5, 4, *COUNTS]


def test_a_setting_a_failure_and_a_taken_address_begin_an_attempt():
    lines = [result(buffer("a", 0, end=2)), result(buffer("b", None)), result(buffer("c", None))]
    lines += [result(buffer("d", 64)), result(buffer("e", 0)), result(buffer("f", 0, start=1))]
    lines += [result(buffer("g", 64), SLICED)]
    assert sizes("\n".join(lines) + "\n") == [3, 2, 1, 1]


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ((0, 1, 0), (2, 3, 0), False),
        ((0, 1, 0), (1, 3, 0), True),
        ((4, 1, 0), (2, 3, 0), False),
        ((4, 1, 0), (9, 9, 0), True),
        ((4, 1, 0), (0, 0, 0), True),
        ((4, 1, 0), (8, 0, 0), True),
        ((2, 3, 1), (5, 6, 0), True),
        ((2, 3, 0), (5, 6, 1), True),
    ],
)
def test_lifetimes_at_address_zero_meet(one, other, meet):
    lines = [
        result(buffer(str(life), 0, start=life[0], end=life[1], hold=life[2]))
        for life in (one, other)
    ]
    assert len(sizes("\n".join(lines))) == 1 + meet


def test_mixed_lines_of_threads_stay_with_an_open_attempt():
    first, second = attempt(STEM), attempt(HEAD)
    mixed = [*first[:3], *second[:3], first[3], second[-1], *first[4:]]
    found = group("\n".join(mixed) + "\n")
    assert len(found) == 2
    assert found.finish.tolist() == [-1, 1]


def test_an_attempt_may_have_no_results_and_no_finish():
    found = group("\n".join([spec(), spec(), *map(result, HEAD), finish(HEAD), finish([]), spec()]))
    assert found.of_row.tolist() == [1] * 4
    assert found.first.tolist() == [-1, 0, -1]
    assert found.finish.tolist() == [-1, 1, -1]


def test_nothing_makes_no_attempt():
    assert len(group("")) == 0
    assert len(group(finish([]))) == 0


LINES = st.lists(
    st.sampled_from([spec(), finish(HEAD), finish(TRIED), *map(result, [*TRIED, *HEAD])]),
    max_size=30,
)


@given(LINES)
def test_every_result_has_one_attempt_in_order(lines):
    found = group("\n".join(lines))
    assert (found.of_row[1:] >= found.of_row[:-1]).all()
    assert (found.position[1:] > found.position[:-1]).all()
    for number, first in enumerate(found.first.tolist()):
        assert (found.of_row.tolist().index(number) if number in found.of_row else -1) == first
    assert len(found) >= sum("lmem_spec" in line for line in lines)
