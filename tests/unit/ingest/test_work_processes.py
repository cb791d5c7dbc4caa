import os
import resource

import pytest

from data_loaders.reading.limits import Limits
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from tests.support.greedy_work import obey

MEMORY_MB = 300


@pytest.fixture
def source():
    processes = WorkProcesses(Limits(memory_mb=MEMORY_MB))
    yield processes
    processes.close()


def results(source, *tasks, **options):
    return [result for _, result in sorted(Pool(obey, 1, source=source, **options).results(tasks))]


def test_one_process_does_the_tasks_of_several_pools(source):
    (first,) = results(source, ("quick", 0))
    (second,) = results(source, ("quick", 1))
    assert (first[0], second[0]) == (0, 1)
    assert first[1] == second[1]


def test_a_process_that_keeps_much_memory_is_replaced(source):
    kept, after = results(source, ("keep", 100), ("quick", 1))
    assert kept[1] != after[1]


def test_a_process_that_gave_its_memory_back_goes_on(source):
    used, after = results(source, ("allocate", 200), ("quick", 1))
    assert used[1] == after[1]


def test_a_process_is_bound_to_its_memory_and_may_write_files_of_any_size(source):
    ((memory, files),) = results(source, ("limits", 0))
    assert memory[0] < memory[1] != resource.RLIM_INFINITY
    assert files == resource.getrlimit(resource.RLIMIT_FSIZE)
    beyond, after = results(source, ("allocate", 2 * MEMORY_MB), ("quick", 1))
    assert isinstance(beyond, Ended), "nothing caught the MemoryError, so that the process ended"
    assert after[0] == 1


def test_a_large_result_is_refused(source):
    large, after = results(source, ("return", 70), ("quick", 1))
    assert isinstance(large, Ended)
    assert after[0] == 1


def test_a_task_that_takes_too_long_costs_its_process(source):
    late, after = results(
        source, ("spin", 0), ("quick", 1), seconds=lambda task: 0.5 if task[0] == "spin" else 600
    )
    assert late == Ended(-9, 0.5)
    assert after[0] == 1


@pytest.fixture
def forked(monkeypatch):
    """Processes that are forked off a template, as commands and servers have them."""
    monkeypatch.setattr("ingest.processes.threading.active_count", lambda: 1)
    processes = WorkProcesses(Limits(memory_mb=MEMORY_MB))
    processes.use_template()
    yield processes
    processes.close()


def test_processes_of_a_template_work_and_are_replaced(forked):
    kept, after, again = results(forked, ("keep", 100), ("quick", 1), ("quick", 2))
    assert kept[1] != after[1] == again[1]


@pytest.mark.parametrize(("word", "code"), [("kill", -9), ("exit", 3)])
def test_it_is_known_how_a_process_of_a_template_ended(forked, word, code):
    assert results(forked, (word, 0), ("quick", 1))[0] == Ended(code)


@pytest.mark.slow
def test_closed_processes_have_ended_and_what_they_used_counts_as_used_by_this_process(forked):
    results(forked, ("keep", 20))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    forked.close()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt > before
    with pytest.raises(ChildProcessError):
        os.waitpid(forked._template.pid, os.WNOHANG)


def test_without_its_template_another_way_starts_the_process(forked):
    forked._template.close()
    assert results(forked, ("quick", 1))[0][0] == 1
