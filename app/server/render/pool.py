"""Scheduling of render processes: fair shares for users and runs, time limits, and cancellation."""

from __future__ import annotations

import io
import itertools
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.reduction import recv_handle

from app.request.errors import RequestError
from app.server.render.idle import ForkedProcess, IdleProcesses
from app.server.render.lanes import MAX_WAITING
from app.server.render.long_work import LongWork
from app.server.render.message import Rendered, RenderResponse, RenderTask
from ingest.template import TemplateGoneError

_MAX_OF_DATA = MAX_WAITING // 2
"""Maximum number of requests for the same data that wait or run at the same time."""
_RETRY_S = 5
"""Seconds after which a refused client may retry."""
_LOOK_S = 0.25
"""Seconds between two checks whether the client has hung up."""
_GRACE_S = 2.0
"""Seconds after which a process is killed if it has not stopped for a client that hung up."""
_CLOCK = 2.0
"""Maximum seconds of wall time per second of processor time: the machine has other work as well."""
_CLOCK_S = 5.0
"""Seconds of wall time that are added to this maximum."""


@dataclass(frozen=True)
class Requester:
    """The owner of a request, a user or an address, and the key of its data, such as a run's id.

    The owner may have `most_waiting` requests in the pool; each waits `patience_s` seconds for a
    process. `is_one`: the owner is a person, not everybody behind an address.
    """

    owner: str
    data_key: str
    most_waiting: int
    patience_s: float
    is_one: bool = True


@dataclass(eq=False)
class _Ticket:
    """A request in the pool; `number` increases in the order of arrival."""

    requester: Requester
    number: int


class RenderFailedError(RequestError):
    """A request has no response; the message is a sentence for the user."""


class RenderPool:
    """Runs requests on at most `processes` render processes; pools may share the `idle` processes.

    At most `max_requests` wait or run, of an owner at most `max_of_owner`. A user or a run never
    occupies all of several processes, and neither do runs whose last request was long: the last
    process stays free. `work` names the requests in refusals.
    """

    def __init__(
        self,
        idle: IdleProcesses,
        processes: int,
        max_requests: int = MAX_WAITING,
        max_of_owner: int = MAX_WAITING,
        work: str = "pages",
    ) -> None:
        self._idle = idle
        self._max_requests = max_requests
        self._max_of_owner = max_of_owner
        self._work = work
        self._max_processes = max(1, processes - 1)
        self._places = processes
        self._free = set(range(processes))
        self._running: list[_Ticket] = []
        self._waiting: list[_Ticket] = []
        self._long = LongWork()
        self._changed = threading.Condition()
        self._numbers = itertools.count()

    def respond(
        self, task: RenderTask, requester: Requester, is_gone: Callable[[], bool]
    ) -> RenderResponse:
        """Run a request in a render process and return its response.

        Raises RenderFailedError: 429 if the owner or the pool has too many requests or no process
        is free in time, 503 if the work was cancelled or failed. `is_gone` returns True when the
        client has hung up; the work is then stopped.
        """
        if is_gone():
            raise RenderFailedError(_CANCELLED, 503)
        ticket = self._enter(requester)
        try:
            place = self._wait_for_place(ticket, is_gone)
            try:
                response = self._run(place, task, is_gone)
                with self._changed:
                    self._long.note(requester.data_key, response.rendered.processor_s)
            finally:
                self._free_place(place)
        finally:
            self._leave(ticket)
        rendered = response.rendered
        if rendered.stopped or rendered.refusal:
            raise RenderFailedError(rendered.refusal or _CANCELLED, 503)
        return response

    def _enter(self, requester: Requester) -> _Ticket:
        with self._changed:
            others = [ticket.requester for ticket in (*self._waiting, *self._running)]
            of_owner = sum(other.owner == requester.owner for other in others)
            of_data = sum(other.data_key == requester.data_key for other in others)
            if of_owner >= min(requester.most_waiting, self._max_of_owner):
                raise busy(f"{of_owner} {self._work} of yours")
            if len(others) >= self._max_requests or of_data >= _MAX_OF_DATA:
                raise busy(f"other {self._work}")
            ticket = _Ticket(requester, next(self._numbers))
            self._waiting.append(ticket)
            return ticket

    def _wait_for_place(self, ticket: _Ticket, is_gone: Callable[[], bool]) -> int:
        """Wait for a process and return the number of its place, from 0; raises RenderFailedError
        (429 or 503) as `respond` does.

        The place that served the data before is preferred, because its process has the data in
        memory.
        """
        until = time.monotonic() + ticket.requester.patience_s
        wanted = hash(ticket.requester.data_key) % self._places
        with self._changed:
            while self._next() is not ticket:
                if is_gone():
                    raise RenderFailedError(_CANCELLED, 503)
                if time.monotonic() > until:
                    raise busy(f"other {self._work}")
                self._changed.wait(_LOOK_S)
            place = wanted if wanted in self._free else min(self._free)
            self._free.remove(place)
            self._waiting.remove(ticket)
            self._running.append(ticket)
            self._changed.notify_all()  # another request may take another place now
            return place

    def _next(self) -> _Ticket | None:
        """Return the waiting request that may run next, None if no request may.

        Among owners with the fewest running requests it is the oldest request; owners and data that
        have their maximum of processes wait.
        """
        if not self._free:
            return None
        owners = Counter(ticket.requester.owner for ticket in self._running)
        data_keys = Counter(ticket.requester.data_key for ticket in self._running)
        long = sum(ticket.requester.data_key in self._long for ticket in self._running)

        def may_run(requester: Requester) -> bool:
            if data_keys[requester.data_key] >= self._max_processes:
                return False
            if requester.data_key in self._long and long >= self._max_processes:
                return False
            return owners[requester.owner] < self._max_processes or not requester.is_one

        turns = [ticket for ticket in self._waiting if may_run(ticket.requester)]
        return min(
            turns, key=lambda ticket: (owners[ticket.requester.owner], ticket.number), default=None
        )

    def _run(self, place: int, task: RenderTask, is_gone: Callable[[], bool]) -> RenderResponse:
        process = self._take_process(place)
        try:
            response = _exchange(process, task, is_gone)
        except BaseException:
            process.end()
            raise
        if response.rendered.is_last:
            process.connection.close()
        else:
            self._idle.put((self, place), process, response.rendered.held_bytes)
        return response

    def _take_process(self, place: int) -> ForkedProcess:
        try:
            return self._idle.take((self, place))
        except TemplateGoneError as error:
            os.kill(os.getpid(), signal.SIGTERM)  # ends gracefully, and gunicorn replaces it
            raise RenderFailedError(
                "The server is being restarted; try again.", 503, _RETRY_S
            ) from error

    def _free_place(self, place: int) -> None:
        with self._changed:
            self._free.add(place)

    def _leave(self, ticket: _Ticket) -> None:
        with self._changed:
            for tickets in (self._waiting, self._running):
                if ticket in tickets:
                    tickets.remove(ticket)
            self._changed.notify_all()


def _exchange(
    process: ForkedProcess, task: RenderTask, is_gone: Callable[[], bool]
) -> RenderResponse:
    """Send a task to a process, wait for its response and return it.

    Raises RenderFailedError (503) if the process ended, or exceeded its time and has to be ended by
    the caller.
    """
    until = time.monotonic() + _CLOCK * task.processor_s + _CLOCK_S
    stopped = False
    try:
        process.connection.send(task)
        while not process.connection.poll(_LOOK_S):
            if not stopped and is_gone():
                stopped = True
                until = time.monotonic() + _GRACE_S
                # A process that stops in time stays, with the data in its cache.
                os.kill(process.pid, signal.SIGUSR1)
            if time.monotonic() > until:
                sentence = "The request took too long and was stopped: select less data."
                raise RenderFailedError(sentence, 503)
        rendered: Rendered = process.connection.recv()
        if not rendered.in_file:
            return RenderResponse(rendered)
        file = io.FileIO(recv_handle(process.connection))
    except (OSError, EOFError) as error:
        raise RenderFailedError(
            "The request needed more memory or time than a page may use.", 503
        ) from error
    file.seek(0)
    return RenderResponse(rendered, file)


_CANCELLED = "The request was cancelled."


def busy(work: str = "other pages") -> RenderFailedError:
    """Create the error (429, try again in 5 s) for a request that gets no process now; `work` names
    the requests that keep the server busy.
    """
    return RenderFailedError(
        f"The server is busy with {work}; try again in {_RETRY_S} s.", 429, _RETRY_S
    )
