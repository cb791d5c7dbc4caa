"""Counters in memory that processes share: real processes, which end or go on."""

from multiprocessing import get_context

import pytest

from app.server.shared_counts import TABLE_BYTES, CountTable, SharedCounts

FORK = get_context("fork")


def in_process(work):
    """Do something in a process that was forked, as a worker is."""
    process = FORK.Process(target=work)
    process.start()
    process.join()
    assert process.exitcode == 0


def counting(counts, table, key, times):
    def work():
        counts.use_table(table)
        for _ in range(times):
            counts.add(key)

    return work


@pytest.mark.slow
def test_every_process_reads_what_the_others_counted():
    counts = SharedCounts()
    counts.reserve(3)
    for table in (1, 2):
        in_process(counting(counts, table, ("requests", "/é"), 10))
    counts.add(("requests", "/é"), 0.5)
    assert counts.totals() == {("requests", "/é"): 20.5}


@pytest.mark.slow
def test_a_process_continues_the_counters_of_the_one_that_it_replaces():
    counts = SharedCounts()
    counts.reserve(2)
    in_process(counting(counts, 1, ("a",), 3))
    in_process(counting(counts, 1, ("a",), 4))
    in_process(counting(counts, 1, ("b",), 1))
    assert counts.totals() == {("a",): 7, ("b",): 1}


def test_a_table_that_was_not_reserved_counts_for_its_own_process():
    counts = SharedCounts()
    counts.reserve(1)
    counts.use_table(5)
    counts.add(("a",))
    assert counts.totals() == {("a",): 1}


def test_a_full_table_counts_what_it_knows():
    table = CountTable(memoryview(bytearray(TABLE_BYTES)))
    keys = [("x" * 1000, str(number)) for number in range(TABLE_BYTES // 1000)]
    for key in keys:
        table.add(key, 1)
    table.add(keys[0], 1)
    counted = dict(table.items())
    assert counted[keys[0]] == 2
    assert 0 < len(counted) < len(keys)
    assert set(counted) == set(keys[: len(counted)])
