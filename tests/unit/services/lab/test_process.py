"""Strategies compiled ahead, and one layout that waits for no compiler."""

import os
import subprocess

import pytest

from analysis.allocators.compiler import CACHE_VARIABLE, find_cache_folder
from analysis.allocators.strategies import STRATEGIES
from services.lab import child, process, searches, warm_process
from services.lab.process import prepare_strategies, start_process
from services.lab.searches import Searches
from tests.unit.services.lab.test_searches import LONG, ended, task


@pytest.fixture
def asked(monkeypatch):
    """What processes were started with."""
    started = []

    def start(arguments, complaints, *, compiler=True, module="services.lab.child", **more):
        started.append((module, list(arguments), compiler))
        if module == "services.lab.child":
            arguments = arguments or ["no such folder"]
        return start_process(arguments, complaints, compiler=compiler, module=module, **more)

    for module in (process, warm_process):
        monkeypatch.setattr(module, "start_process", start)
    return started


def test_what_is_compiled_is_not_compiled_again(monkeypatch, asked):
    monkeypatch.setattr(process, "is_prepared", lambda: True)
    assert prepare_strategies() is None
    monkeypatch.setattr(process, "is_prepared", lambda: False)
    monkeypatch.setattr(process, "can_compile", lambda: False)
    assert prepare_strategies() is None
    assert not asked


@pytest.mark.slow
def test_what_is_not_is_compiled_in_a_process_beside_this_one(monkeypatch, asked):
    monkeypatch.setattr(process, "is_prepared", lambda: False)
    thread = prepare_strategies()
    thread.join(LONG)
    assert asked == [("services.lab.child", [], True)]
    assert not thread.is_alive()


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", ["best_fit", "search"])
def test_one_layout_waits_for_no_compiler(tmp_path, monkeypatch, asked, name):
    monkeypatch.setattr(searches, "is_prepared", lambda: False)
    lab = Searches(tmp_path, LONG, 1500)
    lab.start("ann", [task(name, effort=500)])
    ended(lab)
    assert [compiler for *_, compiler in asked] == [name == "search"]
    (answer,) = lab.placements.of(task().question.problem)
    assert (answer.strategy, answer.address is not None) == (name, True)


@pytest.mark.slow
def test_a_layout_without_a_compiler_is_the_same(tmp_path, monkeypatch):
    found = []
    for prepared in (True, False):
        monkeypatch.setattr(searches, "is_prepared", lambda prepared=prepared: prepared)
        lab = Searches(tmp_path / str(prepared), LONG, 1500)
        lab.start("ann", [task("greedy_by_size")])
        ended(lab)
        found += lab.placements.of(task().question.problem)
    assert found[0].address.tolist() == found[1].address.tolist()


def test_requests_go_before_what_is_compiled_ahead(monkeypatch):
    added = []
    monkeypatch.setattr(child.os, "nice", added.append)
    for step in ("end_with_starter", "limit_memory", "limit_processor", "warm_up"):
        monkeypatch.setattr(child, step, lambda *_: None)
    monkeypatch.setattr(child, "STRATEGIES", {"best_fit": STRATEGIES["greedy_by_size"]})
    child.compile_all()
    assert added == [10]


@pytest.mark.slow
def test_a_process_compiles_all_into_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    find_cache_folder.cache_clear()
    monkeypatch.setattr("analysis.allocators.compiler._BESIDE", tmp_path / "nothing")
    try:
        assert start_process([], subprocess.DEVNULL).wait(300) == 0
        assert {"go_on", "place"} <= {
            path.name.split(".")[1].split("-")[0] for path in tmp_path.rglob("*.nbi")
        }
    finally:
        find_cache_folder.cache_clear()
    assert os.environ[CACHE_VARIABLE]
