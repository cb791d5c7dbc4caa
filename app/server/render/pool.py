"""Who is answered next by which render process: shares for users and runs, limits of time, nothing for nobody."""

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
from app.server.render.lanes import MOST_WAITING
from app.server.render.message import Rendered, RenderResponse, RenderTask
from ingest.template import TemplateGoneError

_OF_A_SUBJECT = MOST_WAITING // 2
_RETRY_S = 5
_LOOK_S = 0.25
_GRACE_S = 2.0
_CLOCK = 2.0
"""Seconds on the clock for each of processor time: others use the machine as well."""
_CLOCK_S = 5.0


@dataclass(frozen=True)
class Asker:
    """Who asks, and what for: a user or an address, a run or another subject of a page.

    They may have `most_waiting` requests here at once, each of which waits `patience_s` for a process. `is_one`: the
    owner is one person, and not everybody behind an address.
    """

    owner: str
    subject: str
    most_waiting: int
    patience_s: float
    is_one: bool = True


@dataclass(eq=False)
class _Ticket:
    asker: Asker
    number: int


class RenderFailedError(RequestError):
    """A request has no response; the message is a sentence for a person."""


class RenderPool:
    """At most `processes` at once, each answering one request; `idle` has those that wait, and may be other pools' too.

    At most `max_requests` wait or are answered, of one owner at most `max_of_owner`. Neither a user nor a run has the
    last of several processes: one is left for the others. `work` names the requests in refusals.
    """

    def __init__(
        self,
        idle: IdleProcesses,
        processes: int,
        max_requests: int = MOST_WAITING,
        max_of_owner: int = MOST_WAITING,
        work: str = "pages",
    ) -> None:
        self._idle = idle
        self._max_requests, self._max_of_owner = max_requests, max_of_owner
        self._work = work
        self._most = max(1, processes - 1)
        self._places = processes
        self._free = set(range(processes))
        self._running: list[_Ticket] = []
        self._waiting: list[_Ticket] = []
        self._changed = threading.Condition()
        self._numbers = itertools.count()

    def answer(self, task: RenderTask, asker: Asker, is_gone: Callable[[], bool]) -> RenderResponse:
        """Return the response of a render process; raises RenderFailedError (429, 503) where there is none.

        `is_gone` tells that nobody waits for it any more; then the work is stopped.
        """
        if is_gone():
            raise RenderFailedError(_NOBODY, 503)
        ticket = self._enter(asker)
        try:
            place = self._wait_for_place(ticket, is_gone)
            try:
                answer = self._answer_at(place, task, is_gone)
            finally:
                self._free_place(place)
        finally:
            self._leave(ticket)
        rendered = answer.rendered
        if rendered.stopped or rendered.refusal:
            raise RenderFailedError(rendered.refusal or _NOBODY, 503)
        return answer

    def _enter(self, asker: Asker) -> _Ticket:
        with self._changed:
            others = [one.asker for one in (*self._waiting, *self._running)]
            of_owner = sum(other.owner == asker.owner for other in others)
            of_subject = sum(other.subject == asker.subject for other in others)
            if of_owner >= min(asker.most_waiting, self._max_of_owner):
                raise busy(f"{of_owner} {self._work} of yours")
            if len(others) >= self._max_requests or of_subject >= _OF_A_SUBJECT:
                raise busy(f"other {self._work}")
            ticket = _Ticket(asker, next(self._numbers))
            self._waiting.append(ticket)
            return ticket

    def _wait_for_place(self, ticket: _Ticket, is_gone: Callable[[], bool]) -> int:
        """Return the place of a process whose turn it is, that which drew the same subject before where it is free."""
        until = time.monotonic() + ticket.asker.patience_s
        wanted = hash(ticket.asker.subject) % self._places
        with self._changed:
            while self._next() is not ticket:
                if is_gone():
                    raise RenderFailedError(_NOBODY, 503)
                if time.monotonic() > until:
                    raise busy(f"other {self._work}")
                self._changed.wait(_LOOK_S)
            place = wanted if wanted in self._free else min(self._free)
            self._free.remove(place)
            self._waiting.remove(ticket)
            self._running.append(ticket)
            self._changed.notify_all()  # another one may be next at another place
            return place

    def _next(self) -> _Ticket | None:
        """Return whose turn it is: of those that may have a process, whose user has fewest, and waits for longest."""
        if not self._free:
            return None
        owners = Counter(one.asker.owner for one in self._running)
        subjects = Counter(one.asker.subject for one in self._running)

        def may(asker: Asker) -> bool:
            return subjects[asker.subject] < self._most and (owners[asker.owner] < self._most or not asker.is_one)

        turns = [ticket for ticket in self._waiting if may(ticket.asker)]
        return min(turns, key=lambda ticket: (owners[ticket.asker.owner], ticket.number), default=None)

    def _answer_at(self, place: int, task: RenderTask, is_gone: Callable[[], bool]) -> RenderResponse:
        process = self._take_process(place)
        try:
            answer = _answer_of(process, task, is_gone)
        except BaseException:
            process.end()
            raise
        if answer.rendered.is_last:
            process.connection.close()
        else:
            self._idle.put((self, place), process, answer.rendered.held_bytes)
        return answer

    def _take_process(self, place: int) -> ForkedProcess:
        try:
            return self._idle.take((self, place))
        except TemplateGoneError as error:
            os.kill(os.getpid(), signal.SIGTERM)  # this server process ends when it is done, and is replaced
            raise RenderFailedError("The server is being restarted; try again.", 503, _RETRY_S) from error

    def _free_place(self, place: int) -> None:
        with self._changed:
            self._free.add(place)

    def _leave(self, ticket: _Ticket) -> None:
        with self._changed:
            for tickets in (self._waiting, self._running):
                if ticket in tickets:
                    tickets.remove(ticket)
            self._changed.notify_all()


def _answer_of(process: ForkedProcess, task: RenderTask, is_gone: Callable[[], bool]) -> RenderResponse:
    """Return what a process answers; raises RenderFailedError where it ended, or has to be ended."""
    until, stopped = time.monotonic() + _CLOCK * task.processor_s + _CLOCK_S, False
    try:
        process.connection.send(task)
        while not process.connection.poll(_LOOK_S):
            if not stopped and is_gone():
                stopped, until = True, time.monotonic() + _GRACE_S
                os.kill(process.pid, signal.SIGUSR1)
            if time.monotonic() > until:
                raise RenderFailedError("This took too long and was stopped: select less of it.", 503)
        rendered: Rendered = process.connection.recv()
        if not rendered.in_file:
            return RenderResponse(rendered)
        file = io.FileIO(recv_handle(process.connection))
    except (OSError, EOFError) as error:
        raise RenderFailedError("This needed more memory or time than a page may take.", 503) from error
    file.seek(0)
    return RenderResponse(rendered, file)


_NOBODY = "The request was cancelled."


def busy(work: str = "other pages") -> RenderFailedError:
    """Make the error (429) of a request for which there is no process now."""
    return RenderFailedError(f"The server is busy with {work}; try again in {_RETRY_S} s.", 429, _RETRY_S)
