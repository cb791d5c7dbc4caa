import os
import time

import pytest

from ingest.pool import Pool
from ingest.processes import Ended
from tests.support.pool_work import append, obey, wait_for_interrupt


def numbers(pool, tasks):
    return {
        index: result[0] if isinstance(result, tuple) else result
        for index, result in pool.results(tasks)
    }


def test_every_task_is_done_once_by_a_few_processes():
    tasks = [("quick", i) for i in range(20)]
    results = dict(Pool(obey, 3).results(tasks))
    assert [results[i][0] for i in range(20)] == list(range(20))
    assert 1 <= len({process for _, process in results.values()} - {os.getpid()}) <= 3


@pytest.mark.parametrize(("word", "code"), [("kill", -9), ("exit", 3)])
def test_a_process_that_dies_costs_its_own_task(word, code):
    tasks = [("quick", 0), (word, 1), ("slow", 2), (word, 3), ("quick", 4)]
    assert numbers(Pool(obey, 2), tasks) == {0: 0, 1: Ended(code), 2: 2, 3: Ended(code), 4: 4}


def test_an_interrupt_reaches_the_tasks_and_they_tidy_up(tmp_path):
    def both_began(index):
        if index == 1:
            raise KeyboardInterrupt

    pool = Pool(wait_for_interrupt, 2, on_start=both_began)
    results = pool.results([tmp_path, tmp_path])
    pool.on_start = lambda index: _wait(tmp_path, index, both_began)
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert [path.name.partition("-")[0] for path in sorted(tmp_path.iterdir())] == ["begun", "tidy"]


def _wait(folder, index, then):
    while index and not list(folder.iterdir()):
        time.sleep(0.01)
    then(index)


def test_an_interrupt_at_the_terminal_is_the_parents_to_pass_on():
    assert numbers(Pool(obey, 2), [("interrupt", 0), ("quick", 1)]) == {0: 0, 1: 1}


def test_tasks_of_one_key_follow_each_other_in_order(tmp_path):
    log = tmp_path / "log"
    tasks = [(log, 0, "begin 2"), (log, 1, ""), (log, 2, "")]
    keys = {0: "same", 1: "same", 2: "other"}
    list(Pool(append, 3, key=lambda task: keys[task[1]]).results(tasks))
    lines = log.read_text().splitlines()
    assert lines.index("end 0") < lines.index("begin 1")
    assert lines.index("begin 2") < lines.index("begin 1")


def test_nothing_begins_after_a_stop():
    pool = Pool(obey, 1)
    done = []
    for index, _ in pool.results([("quick", i) for i in range(5)]):
        done.append(index)
        pool.stop()
    assert done == [0]


def test_tasks_begin_in_order():
    begun = []
    list(Pool(obey, 2, on_start=begun.append).results([("quick", i) for i in range(6)]))
    assert begun == list(range(6))


def test_a_copy_of_the_process_that_a_task_forks_sends_no_result():
    results = dict(Pool(obey, 1).results([("quick", 0), ("fork", 1), ("quick", 2)]))
    assert [results[index][0] for index in range(3)] == [0, 1, 2]
    assert len({process for _, process in results.values()}) == 1
