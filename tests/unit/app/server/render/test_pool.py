"""Turns, shares, limits and ends of render processes: real processes with an application of a few lines."""

import contextlib
import gc
import os
import signal
import threading
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from flask import Flask, Response

from app.request.user import User, current_user
from app.request.visitors import visitor
from app.server.render.idle import IdleProcesses
from app.server.render.message import RenderTask
from app.server.render.pool import RenderFailedError, RenderPool, Requester
from app.server.render.process import RenderProcess
from ingest.template import Template
from schema.roles import Role
from storage.byte_cache import Budget
from tests.support.waiting import PATIENCE_S, wait_until

USER = User("ann", Role.VIEWER, "session")


CACHE = Budget(2**20)


def application():
    server, leaked = Flask("few lines"), []

    def spin(_seconds):
        while True:
            sum(range(1000))

    views = {
        "who": lambda: Response(f"{current_user().name} {os.getpid()}"),
        "spin": lambda: spin(0),
        "stuck": lambda: (
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF, signal.SIGUSR1}) or spin(0)
        ),
        "memory": lambda: Response(str(len(bytearray(4 * 2**30)))),
        "die": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "visitor": lambda: Response(visitor()),
        "fail": lambda: 1 / 0,
        # held beside the cache, and little enough to go on with
        "hold": lambda: leaked.append(b"x" * 2**25) or Response(str(os.getpid())),
        "leak": lambda: leaked.append(b"x" * 2**27) or Response(),
        # held by the budget, and larger than it says
        "cache": lambda: CACHE.keep("large", b"x" * 2**27, 1) or Response(),
        "file": lambda: Response(b"x" * 3_000_000, headers={"Content-Disposition": "attachment"}),
    }
    for name, view in views.items():
        server.add_url_rule(f"/{name}", name, view)
    server.register_error_handler(ZeroDivisionError, lambda _error: ("no number", 500))
    return server, views


@pytest.fixture(scope="module")
def template():
    server, views = application()
    process = RenderProcess(server, views, CACHE, 2**20, 2**19, 2**20, 300)
    gc.collect()  # what other tests left would be freed in the process instead, and hide what it leaks
    made = Template(process.serve)
    yield made
    made.close()


@pytest.fixture
def pool(template, monkeypatch):
    monkeypatch.setattr(
        "app.server.render.pool._CLOCK_S", PATIENCE_S
    )  # processor time is what ends a request
    return RenderPool(idle(template), 2)


def idle(template, limit_mb=1000):
    return IdleProcesses(template, limit_mb * 2**20)


def task(path, processor_s=30.0, *, to_file=False):
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SERVER_NAME": "x", "SERVER_PORT": "80"}
    return RenderTask({**environ, "wsgi.url_scheme": "http"}, b"", USER, processor_s, to_file)


def asker(owner="ann", subject="run", most=50, patience_s=PATIENCE_S, *, is_one=True):
    return Requester(owner, subject, most, patience_s, is_one)


def stays():
    return False


@dataclass
class Asked:
    """A request under way on a thread; `gone` says that nobody waits for it any more."""

    pool: RenderPool
    task: RenderTask
    asker: Requester
    gone: threading.Event = field(default_factory=threading.Event)
    result: object = None

    def __post_init__(self):
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            self.result = self.pool.respond(self.task, self.asker, self.gone.is_set).rendered.body
        except RenderFailedError as error:
            self.result = error

    def end(self):
        self.gone.set()
        self.thread.join(PATIENCE_S)
        return self.result


def is_settled(pool, count):
    """Whether a pool has so many requests and none of those that wait may run."""
    with pool._changed:
        return len(pool._running) + len(pool._waiting) == count and pool._next() is None


@contextlib.contextmanager
def busy(pool, *askers):
    """Keep processes busy for the askers, whose requests run or wait for another to end."""
    asked = [Asked(pool, task("/spin"), one) for one in askers]
    wait_until(lambda: is_settled(pool, len(askers)))
    try:
        yield asked
    finally:
        for one in asked:
            one.end()


def body(pool, path, **of):
    return pool.respond(task(path), asker(**of), stays).rendered.body.decode()


def test_a_request_is_answered_as_its_user_in_another_process(pool):
    name, pid = body(pool, "/who").split()
    assert name == "ann"
    assert int(pid) != os.getpid()


def test_a_cookie_that_a_page_asked_for_reaches_the_browser(pool):
    rendered = pool.respond(task("/visitor"), asker(), stays).rendered
    assert len(rendered.visitor) == 32
    assert not pool.respond(task("/who"), asker(), stays).rendered.visitor


def test_a_subject_goes_to_the_process_that_drew_it_before(pool):
    subjects = ["run", _of_other_place("run"), *(f"run {number}" for number in range(10))]
    first = {subject: body(pool, "/who", subject=subject) for subject in subjects}
    assert {subject: body(pool, "/who", subject=subject) for subject in subjects} == first
    assert len(set(first.values())) == 2


def test_what_takes_too_long_ends_in_a_sentence_and_its_process_goes_on(pool):
    before = body(pool, "/who")
    with pytest.raises(RenderFailedError, match="processor time") as refused:
        pool.respond(task("/spin", 0.2), asker(), stays)
    assert refused.value.status == 503
    assert body(pool, "/who") == before


def test_what_does_not_end_is_killed_and_replaced(pool, monkeypatch):
    monkeypatch.setattr("app.server.render.pool._CLOCK_S", 0.2)
    before = body(pool, "/who")
    with pytest.raises(RenderFailedError):
        pool.respond(task("/stuck", 0.2), asker(), stays)
    assert body(pool, "/who") != before


@pytest.mark.parametrize("path", ["/memory", "/die"])
def test_what_ends_its_process_or_needs_too_much_is_a_sentence(pool, path):
    with pytest.raises(RenderFailedError):
        pool.respond(task(path), asker(), stays)
    assert body(pool, "/who").startswith("ann")


def test_a_failure_is_the_applications_own(pool):
    assert pool.respond(task("/fail"), asker(), stays).rendered.status == 500


def test_a_file_comes_as_a_file(pool):
    answer = pool.respond(task("/file", to_file=True), asker(), stays)
    with answer.file as file:
        assert len(file.read()) == 3_000_000
    assert ("Content-Disposition", "attachment") in answer.rendered.headers


def test_a_process_that_holds_too_much_drops_it_and_one_that_cannot_is_replaced(pool):
    pid = body(pool, "/who")
    body(pool, "/cache")
    assert body(pool, "/who") == pid
    body(pool, "/leak")
    assert body(pool, "/who") != pid


def test_who_is_gone_is_not_answered_and_leaves_the_process_to_others(pool):
    with busy(pool, asker()) as (running,):
        assert isinstance(running.end(), RenderFailedError)
        assert body(pool, "/who").startswith("ann")


def test_who_is_gone_while_waiting_leaves_the_line(pool):
    with busy(pool, asker(subject="one"), asker("ben", subject="two")):
        waiting = Asked(pool, task("/who"), asker("cem"))
        wait_until(lambda: is_settled(pool, 3))
        assert isinstance(waiting.end(), RenderFailedError)
        assert not pool._waiting


def test_a_run_leaves_a_process_to_others(pool):
    with busy(pool, asker("ann", "large"), asker("ben", "large")):
        assert len(pool._running) == 1
        assert body(pool, "/who", owner="cem", subject="small").startswith("ann")


def test_a_user_leaves_a_process_to_others(pool):
    with busy(pool, asker("ann", "one"), asker("ann", "two")):
        assert len(pool._running) == 1
        assert body(pool, "/who", owner="ben", subject="three").startswith("ann")


def test_people_behind_one_address_may_have_all_processes(pool):
    with busy(pool, asker("net", "one", is_one=False), asker("net", "two", is_one=False)):
        assert len(pool._running) == 2


def test_large_runs_leave_a_process_to_others(pool, monkeypatch):
    monkeypatch.setattr("app.server.render.long_work.LONG_S", -1.0)  # every request is long
    for run in ("large", "larger"):
        body(pool, "/who", subject=run)
    monkeypatch.setattr("app.server.render.long_work.LONG_S", PATIENCE_S)
    with busy(pool, asker("ann", "large"), asker("ben", "larger")):
        assert len(pool._running) == 1
        assert body(pool, "/who", owner="cem", subject="small").startswith("ann")


def test_a_run_that_was_large_once_may_have_a_process_beside_another(pool, monkeypatch):
    monkeypatch.setattr("app.server.render.long_work.LONG_S", -1.0)
    body(pool, "/who", subject="large")
    body(pool, "/who", subject="again")
    monkeypatch.setattr("app.server.render.long_work.LONG_S", PATIENCE_S)
    body(pool, "/who", subject="again")
    with busy(pool, asker("ann", "large"), asker("ben", "again")):
        assert len(pool._running) == 2


def test_the_memory_of_large_runs_is_bounded(pool, monkeypatch):
    monkeypatch.setattr("app.server.render.long_work.LONG_S", -1.0)
    monkeypatch.setattr("app.server.render.long_work._MAX_LONG", 2)
    for run in ("a", "b", "c"):
        body(pool, "/who", subject=run)
    assert [run in pool._long for run in ("a", "b", "c")] == [False, True, True]


def test_the_processor_time_of_a_request_is_reported(pool):
    assert pool.respond(task("/who"), asker(), stays).rendered.processor_s > 0


def test_one_process_is_everybodys(template):
    assert body(RenderPool(idle(template), 1), "/who").startswith("ann")


def test_whose_turn_it_is(pool):
    """Of the requests that wait, a request whose owner has no other goes before older requests."""
    with busy(pool, asker("x", "one", is_one=False), asker("y", "two", is_one=False)) as (first, _):
        waiting = []
        for owner, subject in (("y", "a"), ("y", "b"), ("z", "c")):
            waiting.append(Asked(pool, task("/spin"), asker(owner, subject, is_one=False)))
            wait_until(lambda: is_settled(pool, 2 + len(waiting)))
        first.end()
        wait_until(lambda: is_settled(pool, 1 + len(waiting)))
        assert [ticket.requester.data_key for ticket in pool._running] == ["two", "c"]
        for one in waiting:
            one.end()


def test_the_line_has_an_end_for_each_and_for_all(pool):
    with busy(pool, asker(subject="one"), asker("ben", subject="two")):
        waiting = [Asked(pool, task("/who"), asker("cem", most=2)) for _ in range(2)]
        wait_until(lambda: is_settled(pool, 4))
        with pytest.raises(RenderFailedError) as refused:
            pool.respond(task("/who"), asker("cem", most=2), stays)
        assert (refused.value.status, refused.value.retry_after_s) == (429, 5)
        for one in waiting:
            one.end()


def test_a_pool_may_give_each_owner_less_than_they_ask_for(template):
    """Neither the running places nor those in the line are all of one owner, and the refusal names the work."""
    pool = RenderPool(idle(template), 2, 6, 3, "queries")
    with busy(pool, *(asker(subject=f"query {number}") for number in range(3))):
        with pytest.raises(RenderFailedError, match=r"\b3 queries\b") as refused:
            pool.respond(task("/who"), asker(subject="query 3"), stays)
        assert (refused.value.status, refused.value.retry_after_s) == (429, 5)
        assert (len(pool._running), len(pool._waiting)) == (1, 2)
        assert body(pool, "/who", owner="ben", subject="query 4").startswith("ann")


def test_who_waits_too_long_is_told_so(pool):
    with (
        busy(pool, asker(subject="one"), asker("ben", subject="two")),
        pytest.raises(RenderFailedError) as refused,
    ):
        pool.respond(task("/who"), asker("cem", patience_s=0.1), stays)
    assert refused.value.status == 429


def test_what_waits_holds_little_together(template):
    """Of two pools, what was used longest ago ends for what was used last."""
    processes = idle(template, limit_mb=90)
    pages, files = RenderPool(processes, 2), RenderPool(processes, 2)
    first = int(body(pages, "/hold", subject="a"))
    second = int(body(files, "/hold", subject="a"))
    assert Path(f"/proc/{first}").exists()
    third = int(body(files, "/hold", subject=_of_other_place("a")))
    assert third != second
    wait_until(lambda: not Path(f"/proc/{first}").exists())
    assert Path(f"/proc/{second}").exists()
    assert int(body(files, "/hold", subject="a")) == second  # 64 MB of its own, and the others 32
    assert body(pages, "/who", subject="a").startswith("ann")


def _of_other_place(subject):
    return next(name for name in map(str, count()) if hash(name) % 2 != hash(subject) % 2)


def test_a_template_that_is_gone_ends_the_server_process(monkeypatch):
    server, views = application()
    template = Template(RenderProcess(server, views, Budget(1), 1, 1, 1, 300).serve)
    os.kill(template.pid, signal.SIGKILL)
    os.waitpid(template.pid, 0)
    signals = []
    monkeypatch.setattr(os, "kill", lambda pid, number: signals.append((pid, number)))
    with pytest.raises(RenderFailedError):
        RenderPool(idle(template), 1).respond(task("/who"), asker(), stays)
    assert (os.getpid(), signal.SIGTERM) in signals
