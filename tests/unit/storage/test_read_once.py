"""Rows that are read once in a context."""

import pytest

from ingest.files import ingest
from storage.errors import RunNotFound
from storage.read_once import read_again, read_once, reading_once


class Table:
    def __init__(self):
        self.reads = 0

    def read(self):
        self.reads += 1
        return self.reads


def test_outside_of_a_context_every_call_reads():
    table = Table()
    assert [read_once("a", table.read) for _ in range(2)] == [1, 2]


def test_in_a_context_a_key_is_read_once_and_in_the_next_one_again():
    table = Table()
    for first in (1, 3):
        with reading_once():
            with reading_once():
                assert read_once("a", table.read) == first
            assert [read_once(key, table.read) for key in "aba"] == [first, first + 1, first]


def test_a_missing_row_is_kept_and_an_error_is_not():
    def fail():
        raise LookupError

    with reading_once():
        assert read_once("gone", lambda: None) is None
        assert read_once("gone", lambda: 1) is None
        with pytest.raises(LookupError):
            read_once("a", fail)
        assert read_once("a", lambda: 1) == 1


def test_what_another_process_changed_can_be_read_again():
    table = Table()
    read_again()
    with reading_once():
        assert read_once("a", table.read) == 1
        read_again()
        assert read_once("a", table.read) == 2


def test_a_change_of_the_catalogue_is_seen_in_the_same_context(repository, write, loader):
    run_id = ingest(repository, [write()], {}).runs[0].run_id
    with reading_once():
        assert repository.find_run(run_id).run_id == run_id
        repository.delete(run_id)
        with pytest.raises(RunNotFound):
            repository.find_run(run_id)
